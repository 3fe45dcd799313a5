package flow

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"spillway/sim/unit"
)

// An owner opens gates and writes down what happens.
type owner struct {
	s     *Sim
	gate  func(id TaskID, tag int64) bool
	end   func(id TaskID, tag int64)
	begun []int64
	ended []int64
	times []unit.Time
}

func (o *owner) Gate(id TaskID, tag int64) bool { return o.gate == nil || o.gate(id, tag) }
func (o *owner) Start(_ TaskID, tag int64)      { o.begun = append(o.begun, tag) }
func (o *owner) End(id TaskID, tag int64) {
	o.ended, o.times = append(o.ended, tag), append(o.times, o.s.Now())
	if o.end != nil {
		o.end(id, tag)
	}
}

func newSim(rates ...unit.Bandwidth) (*Sim, *owner) {
	o := &owner{}
	o.s = New(rates, o)
	return o.s, o
}

func run(s *Sim) {
	for s.Step() {
	}
}

// TestFair shares two links among three flows: one crosses both.
func TestFair(t *testing.T) {
	s, o := newSim(10, 4)
	q := s.Queue(false)
	s.Submit(Task{Queue: q, Bytes: 100, Path: []LinkID{0}, Tag: 0})
	s.Submit(Task{Queue: q, Bytes: 20, Path: []LinkID{0, 1}, Tag: 1})
	s.Submit(Task{Queue: q, Bytes: 20, Path: []LinkID{1}, Tag: 2})
	run(s)
	// 2 a second on link 1 for 10 s, and 8 on link 0, whose last 20 bytes take 2 s.
	want := []unit.Time{10 * unit.Second, 10 * unit.Second, 12 * unit.Second}
	for i, tag := range []int64{1, 2, 0} {
		if o.ended[i] != tag || o.times[i] != want[i] {
			t.Fatalf("ended %v at %v, want 1, 2, 0 at %v", o.ended, o.times, want)
		}
	}
	if b, busy := s.Use(0); b != 120 || busy != 12*unit.Second {
		t.Errorf("link 0 carried %d in %v", b, busy)
	}
	if s.Left() != 0 {
		t.Errorf("%d left", s.Left())
	}
}

// TestOrder is about queues: what is asked when, and what overtakes what.
func TestOrder(t *testing.T) {
	type step struct {
		queue  int
		time   unit.Time
		urgent bool
		after  []int // by place
	}
	for _, c := range []struct {
		name  string
		steps []step
		want  []int64 // begun, by place
	}{
		{"in order", []step{{time: 5}, {time: 1}, {time: 3}}, []int64{0, 1, 2}},
		{"urgent first", []step{{time: 5}, {time: 1}, {time: 3, urgent: true}, {time: 1, urgent: true}}, []int64{2, 3, 0, 1}},
		{"the head holds the queue", []step{{queue: 1, time: 9}, {after: []int{0}}, {time: 3}}, []int64{0, 1, 2}},
		{"urgent ones that wait hold nobody", []step{{time: 9}, {after: []int{0}, urgent: true}, {time: 3}}, []int64{0, 1, 2}},
		{"after two", []step{{queue: 1, time: 9}, {queue: 2, time: 9}, {after: []int{0, 1}}}, []int64{0, 1, 2}},
		{"twice after one", []step{{queue: 1, time: 9}, {after: []int{0, 0}}}, []int64{0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, o := newSim()
			queues := []QueueID{s.Queue(true), s.Queue(true), s.Queue(true)}
			var ids []TaskID
			for i, x := range c.steps {
				task := Task{Queue: queues[x.queue], Time: x.time, Urgent: x.urgent, Tag: int64(i), After: []TaskID{None}}
				for _, a := range x.after {
					task.After = append(task.After, ids[a])
				}
				ids = append(ids, s.Submit(task))
			}
			run(s)
			if !slices.Equal(o.begun, c.want) {
				t.Errorf("begun %v, want %v", o.begun, c.want)
			}
			if s.Left() != 0 {
				t.Errorf("%d left", s.Left())
			}
		})
	}
}

// TestPromote lets a task of a queue, and one that was refused, overtake.
func TestPromote(t *testing.T) {
	s, o := newSim()
	q := s.Queue(true)
	shut, asked := true, 0
	o.gate = func(_ TaskID, tag int64) bool {
		if tag == 0 {
			asked++
			return !shut
		}
		return true
	}
	a := s.Submit(Task{Queue: q, Time: 5, Tag: 0})
	s.Submit(Task{Queue: q, Time: 5, Tag: 1})
	b := s.Submit(Task{Queue: q, Time: 5, Tag: 2})
	if s.Step() {
		t.Fatal("a refused task began")
	}
	s.Promote(b) // overtakes the refused one
	for s.Step() {
	}
	if !slices.Equal(o.ended, []int64{2}) || asked != 1 || s.Left() != 2 {
		t.Fatalf("ended %v, asked %d times, %d left", o.ended, asked, s.Left())
	}
	s.Promote(a) // asked again, and refused: it still holds the queue
	if s.Step() || asked != 2 {
		t.Fatalf("asked %d times, want 2", asked)
	}
	s.Wake(q)
	if s.Step() || asked != 3 {
		t.Fatalf("asked %d times, want 3", asked)
	}
	shut = false
	s.Wake(q)
	run(s)
	if !slices.Equal(o.ended, []int64{2, 0, 1}) || asked != 4 || s.Left() != 0 {
		t.Fatalf("ended %v, asked %d times, %d left", o.ended, asked, s.Left())
	}
	s.Promote(a)
	if s.Begun(a) || s.Cancel(a) {
		t.Error("an ended task has begun, or was taken back")
	}
}

// TestCancel takes tasks back: a waiting one, the head of a queue, one that runs.
func TestCancel(t *testing.T) {
	s, o := newSim(unit.GBps)
	q, free := s.Queue(true), s.Queue(false)
	a := s.Submit(Task{Queue: q, Time: 5, Tag: 0})
	b := s.Submit(Task{Queue: q, Bytes: 1000, Path: []LinkID{0}, Tag: 1})
	c := s.Submit(Task{Queue: q, Time: 5, Tag: 2, After: []TaskID{b}})
	d := s.Submit(Task{Queue: free, Time: 5, Tag: 3, After: []TaskID{b, c}})
	s.Step()
	if s.Cancel(a) || !s.Begun(a) || s.Begun(b) {
		t.Error("a task that has begun was taken back")
	}
	if !s.Cancel(c) || !s.Cancel(b) || s.Cancel(b) {
		t.Error("a task was not taken back, or twice")
	}
	s.Step()
	e := s.Submit(Task{Queue: q, Time: 5, Tag: 4, After: []TaskID{a, b, c}}) // ended, or taken back
	run(s)
	if !slices.Equal(o.ended, []int64{0, 3, 4}) || s.Left() != 0 || s.Begun(d) || s.Begun(e) {
		t.Errorf("ended %v, %d left", o.ended, s.Left())
	}
	if n, busy := s.Use(0); n != 0 || busy != 0 {
		t.Errorf("a task that was taken back moved %d bytes in %v", n, busy)
	}
}

// TestRefused asks a refused task again only after Wake, whatever else happens, and holds
// nobody of an unordered queue.
func TestRefused(t *testing.T) {
	s, o := newSim()
	q, clock := s.Queue(false), s.Queue(true)
	var asked [4]int
	shut := true
	o.gate = func(_ TaskID, tag int64) bool {
		if tag >= 4 {
			return true
		}
		asked[tag]++
		s.Wake(q) // its own Wake opens nothing
		return tag != 1 || !shut
	}
	for i := range 4 {
		s.Submit(Task{Queue: q, Time: 100, Tag: int64(i), Urgent: i == 3})
	}
	for range 1000 {
		s.Submit(Task{Queue: clock, Time: 1, Tag: 4})
	}
	run(s)
	if asked != [4]int{1, 2, 1, 1} {
		// 3, 0, 1 (refused), 2, whose Wake is another's, and 1 again
		t.Errorf("asked %v", asked)
	}
	if s.Left() != 1 || s.Step() {
		t.Errorf("%d left", s.Left())
	}
	shut = false
	s.Wake(q)
	run(s)
	if s.Left() != 0 {
		t.Errorf("%d left", s.Left())
	}
}

// TestQuarrel stops owners whose gates wake each other for ever.
func TestQuarrel(t *testing.T) {
	s, o := newSim()
	q, p := s.Queue(true), s.Queue(true)
	o.gate = func(_ TaskID, tag int64) bool {
		s.Wake([]QueueID{q, p}[1-tag])
		return false
	}
	s.Submit(Task{Queue: q, Tag: 0})
	s.Submit(Task{Queue: p, Tag: 1})
	for range 2 {
		if s.Step() || s.Left() != 2 {
			t.Fatal("it goes on")
		}
	}
}

// TestNever reports false where nothing comes any more.
func TestNever(t *testing.T) {
	s, _ := newSim(0, 1)
	q := s.Queue(false)
	dead := s.Submit(Task{Queue: q, Bytes: 1, Path: []LinkID{0, 1}})
	s.Submit(Task{Queue: q, Time: math.MaxInt64})
	s.Submit(Task{Queue: q, Time: math.MaxInt64 - 1, Bytes: 1, Path: []LinkID{1}})
	s.Submit(Task{Queue: q, Bytes: 5, Path: []LinkID{1}, After: []TaskID{dead}})
	s.Submit(Task{Queue: q, Bytes: math.MaxInt64, Path: []LinkID{1}})
	run(s)
	if s.Left() != 5 {
		t.Errorf("%d left, want 5", s.Left())
	}
}

// TestTies ends what ends at the same moment in the order of submission, and a task of no
// time in the moment in which it begins.
func TestTies(t *testing.T) {
	s, o := newSim(1000)
	q, p := s.Queue(false), s.Queue(true)
	s.Submit(Task{Queue: q, Time: unit.Second, Tag: 0})
	s.Submit(Task{Queue: q, Bytes: 500, Path: []LinkID{0}, Tag: 1})
	s.Submit(Task{Queue: q, Bytes: 500, Path: []LinkID{0}, Tag: 2})
	s.Submit(Task{Queue: p, Tag: 3, Bytes: 1 << 40}) // over no link
	s.Submit(Task{Queue: p, Tag: 4})
	s.Submit(Task{Queue: p, Time: unit.Second, Tag: 5})
	run(s)
	if !slices.Equal(o.ended, []int64{3, 4, 0, 1, 2, 5}) {
		t.Errorf("ended %v", o.ended)
	}
	if s.Now() != unit.Second {
		t.Errorf("it took %v", s.Now())
	}
}

// TestTwice lets a link that is twice in a path carry the bytes twice.
func TestTwice(t *testing.T) {
	s, o := newSim(300)
	q := s.Queue(false)
	s.Submit(Task{Queue: q, Bytes: 100, Path: []LinkID{0, 0}, Tag: 0})
	s.Submit(Task{Queue: q, Bytes: 100, Path: []LinkID{0}, Tag: 1})
	run(s)
	if n, busy := s.Use(0); n != 300 || busy != unit.Second || !slices.Equal(o.ended, []int64{0, 1}) {
		t.Errorf("%d bytes in %v, ended %v", n, busy, o.ended)
	}
}

// rng is a small generator (splitmix64).
type rng uint64

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *rng) below(n int) int { return int(r.next() % uint64(n)) }

// fair fails unless rates are max-min: every flow crosses a full link on which none is faster.
// Full is less than a fine part of a byte a second for each flow from what it has.
func fair(t *testing.T, s *Sim) {
	t.Helper()
	for l := range s.links {
		sum := int64(0)
		for _, f := range s.links[l].flows {
			sum += s.tasks[f].rate
		}
		if sum > s.links[l].rate {
			t.Fatalf("link %d carries %d of %d", l, sum, s.links[l].rate)
		}
	}
	for _, i := range s.flows {
		held := false
		for _, l := range s.tasks[i].path {
			sum, most := int64(0), int64(0)
			for _, f := range s.links[l].flows {
				sum += s.tasks[f].rate
				most = max(most, s.tasks[f].rate)
			}
			// Shares of other links were rounded down before.
			held = held || s.links[l].rate-sum <= int64(len(s.flows)) && most <= s.tasks[i].rate+1
		}
		if !held {
			t.Fatalf("flow %d of rate %d can be faster", i, s.tasks[i].rate)
		}
	}
}

// random makes a simulation and submits tasks to it and to the reference.
func random(r *rng, n int) (*Sim, *owner, *fluid) {
	rates := make([]unit.Bandwidth, 1+r.below(8))
	for i := range rates {
		rates[i] = unit.Bandwidth(1+r.below(64)) * unit.GBps / 7
	}
	s, o := newSim(rates...)
	ref := &fluid{rates: rates}
	for range 1 + r.below(6) {
		ordered := r.below(3) > 0
		s.Queue(ordered)
		ref.ordered = append(ref.ordered, ordered)
	}
	var ids []TaskID
	for i := range n {
		task := Task{Queue: QueueID(r.below(len(ref.ordered))), Tag: int64(i)}
		if r.below(3) > 0 {
			task.Time = unit.Time(r.below(1e10))
		}
		if r.below(4) > 0 {
			task.Bytes = unit.Bytes(r.below(1e8))
			for l := range rates {
				if r.below(3) == 0 {
					task.Path = append(task.Path, LinkID(l))
				}
			}
		}
		for range r.below(3) {
			if i > 0 {
				a := r.below(i)
				task.After = append(task.After, ids[a])
				ref.after = append(ref.after, [2]int{i, a})
			}
		}
		ref.tasks = append(ref.tasks, task)
		ids = append(ids, s.Submit(task))
	}
	return s, o, ref
}

// A fluid is the reference: exact fractions, everything computed anew at every event.
type fluid struct {
	rates   []unit.Bandwidth
	ordered []bool
	tasks   []Task
	after   [][2]int // the first waits for the second

	rest  []*big.Rat
	wait  []*big.Rat // of Time
	ends  []*big.Rat // in seconds
	begun []bool
}

// run returns when every task ends.
func (f *fluid) run() []*big.Rat {
	n := len(f.tasks)
	f.ends, f.begun = make([]*big.Rat, n), make([]bool, n)
	f.rest, f.wait = make([]*big.Rat, n), make([]*big.Rat, n)
	for i, t := range f.tasks {
		f.rest[i], f.wait[i] = new(big.Rat).SetInt64(int64(t.Bytes)), big.NewRat(int64(t.Time), int64(unit.Second))
		if len(t.Path) == 0 {
			f.rest[i].SetInt64(0)
		}
	}
	now := new(big.Rat)
	for {
		for again := true; again; {
			again = false
			for i := range f.tasks {
				if !f.begun[i] && f.may(i) {
					f.begun[i], again = true, true
				}
				if f.begun[i] && f.ends[i] == nil && f.wait[i].Sign() == 0 && f.rest[i].Sign() == 0 {
					f.ends[i], again = new(big.Rat).Set(now), true
				}
			}
		}
		rates := f.share()
		var next *big.Rat
		for i := range f.tasks {
			if !f.begun[i] || f.ends[i] != nil {
				continue
			}
			d := f.wait[i]
			if d.Sign() == 0 {
				d = new(big.Rat).Quo(f.rest[i], rates[i])
			}
			if next == nil || d.Cmp(next) < 0 {
				next = d
			}
		}
		if next == nil {
			return f.ends
		}
		next = new(big.Rat).Set(next)
		now.Add(now, next)
		for i := range f.tasks {
			switch {
			case !f.begun[i] || f.ends[i] != nil:
			case f.wait[i].Sign() > 0:
				f.wait[i].Sub(f.wait[i], next)
			default:
				f.rest[i].Sub(f.rest[i], new(big.Rat).Mul(rates[i], next))
			}
		}
	}
}

// may reports whether a task may begin.
func (f *fluid) may(i int) bool {
	for _, a := range f.after {
		if a[0] == i && f.ends[a[1]] == nil {
			return false
		}
	}
	if f.ordered[f.tasks[i].Queue] {
		for k := range i {
			if f.tasks[k].Queue == f.tasks[i].Queue && f.ends[k] == nil {
				return false
			}
		}
	}
	return true
}

// share raises all flows by the same, again and again, and stops those that cross a full link.
func (f *fluid) share() []*big.Rat {
	rates, raised := make([]*big.Rat, len(f.tasks)), make([]bool, len(f.tasks))
	for i := range f.tasks {
		if f.begun[i] && f.ends[i] == nil && f.wait[i].Sign() == 0 {
			rates[i], raised[i] = new(big.Rat), true
		}
	}
	left := make([]*big.Rat, len(f.rates))
	for l, r := range f.rates {
		left[l] = new(big.Rat).SetInt64(int64(r))
	}
	for {
		var step *big.Rat
		count := make([]int64, len(f.rates))
		for i, up := range raised {
			for _, l := range f.tasks[i].Path {
				if up {
					count[l]++
				}
			}
		}
		for l, n := range count {
			if n == 0 {
				continue
			}
			d := new(big.Rat).Quo(left[l], new(big.Rat).SetInt64(n))
			if step == nil || d.Cmp(step) < 0 {
				step = d
			}
		}
		if step == nil {
			return rates
		}
		for l, n := range count {
			left[l].Sub(left[l], new(big.Rat).Mul(step, new(big.Rat).SetInt64(n)))
		}
		for i, up := range raised {
			if !up {
				continue
			}
			rates[i].Add(rates[i], step)
			for _, l := range f.tasks[i].Path {
				raised[i] = raised[i] && left[l].Sign() > 0
			}
		}
	}
}

// TestFluid compares with the reference: every task ends within 100 ps of the time it says.
// Each end is rounded up, by less than a picosecond; what comes after is that much later, and
// what shares a link with that is earlier, by as much more as it is slower.
func TestFluid(t *testing.T) {
	r := rng(1)
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	for round := range rounds {
		s, o, ref := random(&r, 1+r.below(40))
		want := ref.run()
		var bytes unit.Bytes
		for now := s.Now(); s.Step(); now = s.Now() {
			if s.Now() < now {
				t.Fatalf("round %d: time goes back", round)
			}
			fair(t, s)
		}
		if len(o.ended) != len(want) || s.Left() != 0 {
			t.Fatalf("round %d: %d of %d ended", round, len(o.ended), len(want))
		}
		for i, tag := range o.ended {
			bytes += ref.tasks[tag].Bytes * unit.Bytes(len(ref.tasks[tag].Path))
			at := new(big.Rat).Mul(want[tag], new(big.Rat).SetInt64(int64(unit.Second)))
			late := new(big.Rat).Sub(new(big.Rat).SetInt64(int64(o.times[i])), at)
			d, _ := late.Float64()
			if d < -100 || d > 100 {
				t.Errorf("round %d: task %d ended at %d, %g ps off", round, tag, o.times[i], d)
			}
		}
		var carried unit.Bytes
		for l := range ref.rates {
			n, busy := s.Use(LinkID(l))
			carried += n
			if least := ref.rates[l].Time(n); busy < least || busy > s.Now() {
				t.Errorf("round %d: link %d was busy for %v, %v of bytes in %v", round, l, busy, least, s.Now())
			}
		}
		if carried != bytes {
			t.Errorf("round %d: links carried %d of %d bytes", round, carried, bytes)
		}
	}
}

// TestWatch: spans sum to what Use says, at any time, and watching changes nothing.
func TestWatch(t *testing.T) {
	r := rng(2)
	for range 50 {
		seed := r.next()
		a, b := rng(seed), rng(seed)
		s, o, ref := random(&a, 30)
		u, p, _ := random(&b, 30)
		told := make([]unit.Bytes, len(ref.rates))
		s.Watch = func(l LinkID, from, to unit.Time, n unit.Bytes) {
			if from < 0 || from >= to || to > s.Now() || n <= 0 {
				t.Errorf("link %d: %d bytes from %d to %d", l, n, from, to)
			}
			if least := ref.rates[l].Time(max(n-1, 0)); to-from < least {
				t.Errorf("link %d: %d bytes in %v, which take %v", l, n, to-from, least)
			}
			told[l] += n
		}
		for s.Step() {
			u.Step()
			s.Tell()
			for l := range told {
				if n, _ := s.Use(LinkID(l)); n != told[l] {
					t.Fatalf("link %d: told of %d bytes, used for %d", l, told[l], n)
				}
			}
		}
		if !slices.Equal(o.times, p.times) || !slices.Equal(o.ended, p.ended) {
			t.Error("watching changes what happens")
		}
	}
}

// FuzzSim does what bytes say: nothing panics, time never goes back, every task ends, waits or
// is taken back, and links carry the bytes of those that ended.
func FuzzSim(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255, 254, 253})
	r := rng(3)
	for range 20 {
		b := make([]byte, 200)
		for i := range b {
			b[i] = byte(r.next())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 2000 {
			return
		}
		next := func() int {
			if len(in) == 0 {
				return 0
			}
			b := in[0]
			in = in[1:]
			return int(b)
		}
		s, o := newSim(unit.GBps, 3*unit.GBps/7, 1)
		queues := []QueueID{s.Queue(true), s.Queue(true), s.Queue(false)}
		var ids []TaskID
		var bytes []unit.Bytes // links of the path times bytes
		gone := 0
		submit := func() {
			task := Task{Queue: queues[next()%3], Tag: int64(len(ids)), Urgent: next()%4 == 0}
			task.Time, task.Bytes = unit.Time(next()%4), unit.Bytes(next()*(next()%3))
			for l := range next() % 4 {
				task.Path = append(task.Path, LinkID(l))
			}
			if len(ids) > 0 && next()%2 == 0 {
				task.After = append(task.After, ids[next()%len(ids)], None)
			}
			bytes = append(bytes, task.Bytes*unit.Bytes(len(task.Path)))
			ids = append(ids, s.Submit(task))
		}
		act := func() {
			switch next() % 6 {
			case 0, 1:
				if len(ids) < 300 {
					submit()
				}
			case 2:
				if len(ids) > 0 {
					s.Promote(ids[next()%len(ids)])
				}
			case 3:
				if len(ids) > 0 && s.Cancel(ids[next()%len(ids)]) {
					gone++
				}
			case 4:
				s.Wake(queues[next()%3])
			}
		}
		shut := true
		o.gate = func(TaskID, int64) bool {
			if next()%4 == 0 {
				act()
			}
			return !shut || next()%3 > 0
		}
		o.end = func(TaskID, int64) { act() }
		now := s.Now()
		step := func() bool {
			ok := s.Step()
			if s.Now() < now {
				t.Fatal("time goes back")
			}
			now = s.Now()
			fair(t, s)
			return ok
		}
		for len(in) > 0 {
			act()
			step()
		}
		shut = false
		for _, q := range queues {
			s.Wake(q)
		}
		for step() {
		}
		if s.Left() != len(ids)-gone-len(o.ended) {
			t.Fatalf("%d left of %d, %d ended, %d taken back", s.Left(), len(ids), len(o.ended), gone)
		}
		// Each waits for earlier ones only and gates are open: the first that is left can go on.
		var sum, carried unit.Bytes
		for _, tag := range o.ended {
			sum += bytes[tag]
		}
		for l := range 3 {
			n, _ := s.Use(LinkID(l))
			carried += n
		}
		if len(s.flows) == 0 && sum != carried {
			t.Fatalf("links carried %d of %d bytes", carried, sum)
		}
		if s.Left() != 0 {
			t.Fatalf("%d tasks never end", s.Left())
		}
	})
}

// BenchmarkStep is a step of 32 flows that share 12 links, one of which ends and begins anew.
func BenchmarkStep(b *testing.B) {
	rates := make([]unit.Bandwidth, 12)
	for i := range rates {
		rates[i] = unit.Bandwidth(16+i) * unit.GBps
	}
	s, o := newSim(rates...)
	q := s.Queue(false)
	r := rng(4)
	paths := make([][]LinkID, 32)
	for i := range paths {
		for l := range rates {
			if r.below(4) == 0 {
				paths[i] = append(paths[i], LinkID(l))
			}
		}
		paths[i] = append(paths[i], LinkID(r.below(len(rates))))
		slices.Sort(paths[i])
		paths[i] = slices.Compact(paths[i])
	}
	o.end = func(_ TaskID, tag int64) {
		o.ended, o.begun, o.times = o.ended[:0], o.begun[:0], o.times[:0]
		s.Submit(Task{Queue: q, Bytes: unit.Bytes(1e6 + r.below(1e6)), Path: paths[tag], Tag: tag})
	}
	for i := range paths {
		o.end(None, int64(i))
	}
	b.ReportAllocs()
	for b.Loop() {
		if !s.Step() {
			b.Fatal("it stopped")
		}
	}
}

// BenchmarkTasks is 200,000 tasks of 6 queues, 2000 of them known at a time.
func BenchmarkTasks(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s, o := newSim(64*unit.GBps, 64*unit.GBps, 16*unit.GBps, 16*unit.GBps)
		for range 6 {
			s.Queue(true)
		}
		r := rng(5)
		paths := [][]LinkID{{0, 2}, {1, 3}, {0}, {1}, {0, 1}, nil}
		last, n := None, 0
		submit := func() {
			q := QueueID(r.below(6))
			t := Task{Queue: q, Time: unit.Time(r.below(1e9)), Path: paths[q], After: []TaskID{last}}
			if t.Path != nil {
				t.Bytes = unit.Bytes(r.below(1e8))
			}
			id := s.Submit(t)
			if n++; n%8 == 0 {
				last = id
			}
		}
		o.end = func(TaskID, int64) {
			o.ended, o.begun, o.times = o.ended[:0], o.begun[:0], o.times[:0]
			if n < 200000 {
				submit()
			}
		}
		for range 2000 {
			submit()
		}
		run(s)
		if s.Left() != 0 {
			b.Fatal("stuck")
		}
	}
}
