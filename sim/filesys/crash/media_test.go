package crash

import (
	"math/rand/v2"
	"testing"

	"spillway/sim/filesys/plan"
)

// A firmware is a device as the driver of transactions below uses it.
type firmware interface {
	write(page int32, set uint64, tx int32) bool // false: the log is full
	store(page int32)
	trim(page int32)
	commit(tx int32)
	idle() // time passes
}

// A toy is a firmware without time that cleans its log whenever chance says so: it comes
// into orders of events that a device with clocks hardly ever comes into.
type toy struct {
	rand    *rand.Rand
	record  func(plan.Event)
	size    int // lines of a half
	used    int
	active  []uint64 // by page: lines in the active half, and of the old one
	old     []uint64
	under   []bool // is being programmed
	void    []bool // by a block write meanwhile
	owner   [][lines]int32
	ownerIn [][lines]int32 // of the old half
	done    map[int32]bool
}

func newToy(r *rand.Rand, pages, size int, record func(plan.Event)) *toy {
	return &toy{
		rand: r, record: record, size: size, active: make([]uint64, pages), old: make([]uint64, pages), under: make([]bool, pages), void: make([]bool, pages),
		owner: make([][lines]int32, pages), ownerIn: make([][lines]int32, pages), done: map[int32]bool{},
	}
}

func (f *toy) write(page int32, set uint64, tx int32) bool {
	n := 0
	for i := range lines {
		n += int(set >> i & 1)
	}
	if f.used+n > f.size {
		if f.busy() {
			return false
		}
		f.swap()
	}
	f.used += n
	f.active[page] |= set
	for i := range lines {
		if set>>i&1 == 1 {
			f.owner[page][i] = tx
		}
	}
	f.record(plan.Event{Moment: plan.Appended, Page: page, Lines: set, Tx: tx})
	return true
}

// busy reports whether the old half has lines.
func (f *toy) busy() bool {
	for p := range f.old {
		if f.old[p] != 0 || f.under[p] {
			return true
		}
	}
	return false
}

func (f *toy) swap() {
	f.record(plan.Event{Moment: plan.Swapped})
	f.active, f.old = f.old, f.active
	f.owner, f.ownerIn = f.ownerIn, f.owner
	f.used = 0
}

func (f *toy) store(page int32) {
	f.active[page], f.old[page] = 0, 0
	f.void[page] = f.under[page]
	f.record(plan.Event{Moment: plan.Stored, Page: page})
}

func (f *toy) trim(page int32) {
	f.active[page], f.old[page] = 0, 0
	f.void[page] = f.under[page]
	f.record(plan.Event{Moment: plan.Trimmed, Page: page})
}

func (f *toy) commit(tx int32) {
	f.done[tx] = true
	f.record(plan.Event{Moment: plan.Committed, Tx: tx})
}

func (f *toy) idle() {
	p := f.rand.IntN(len(f.old))
	switch {
	case f.under[p]:
		f.record(plan.Event{Moment: plan.Merged, Page: int32(p)})
		f.under[p] = false
		if !f.void[p] {
			f.old[p] = 0
		}
		f.void[p] = false
	case f.old[p] != 0:
		open := uint64(0)
		for i := range lines {
			if f.old[p]>>i&1 == 1 && !f.done[f.ownerIn[p][i]] {
				open |= 1 << i
				f.owner[p][i] = f.ownerIn[p][i]
				f.used++
			}
		}
		// An older line that has committed may be under one that has not: the toy says
		// it programs all.
		f.record(plan.Event{Moment: plan.Merging, Page: int32(p), Lines: f.old[p]})
		f.active[p] |= open
		f.under[p] = true
	case !f.busy() && f.rand.IntN(8) == 0:
		f.swap()
	}
}

// A task is what a transaction of the driver does to one page.
type task struct {
	page          int32
	set           uint64 // lines that it locks
	store, trim   bool
	before, after uint64 // lines that it writes before and after the block
}

// A worker runs one transaction after another.
type worker struct {
	tx    int32
	tasks []task
	at    int
	part  int // of the task
}

// drive runs random transactions on a firmware, up to four at a time: their numbers are
// drawn before they have their locks, and they lock lines in the order of pages. It makes
// about so many steps.
func drive(r *rand.Rand, f firmware, pages, steps int) {
	const most = 4
	locked := make([]uint64, pages)
	workers := make([]worker, most)
	next := int32(1)
	mask := func() uint64 {
		set := uint64(1) << r.IntN(lines)
		for range r.IntN(4) {
			set |= 1 << r.IntN(8) // some lines are popular
		}
		return set
	}
	for range steps {
		if r.IntN(2) == 0 {
			f.idle()
		}
		w := &workers[r.IntN(most)]
		if w.tx == 0 {
			w.tx, w.at, w.part, w.tasks = next, 0, 0, w.tasks[:0]
			next++
			for p := r.IntN(4); p < pages && len(w.tasks) < 4; p += 1 + r.IntN(pages) {
				t := task{page: int32(p), before: mask()}
				t.set = t.before
				if r.IntN(4) == 0 { // a block takes the whole page
					t.set, t.store, t.trim = ^uint64(0), true, r.IntN(8) == 0
					if r.IntN(2) == 0 {
						t.after = mask()
					}
					if r.IntN(2) == 0 {
						t.before = 0
					}
				}
				w.tasks = append(w.tasks, t)
			}
			continue
		}
		if w.at == len(w.tasks) {
			f.commit(w.tx)
			for _, t := range w.tasks {
				locked[t.page] &^= t.set
			}
			w.tx = 0
			continue
		}
		t := &w.tasks[w.at]
		switch w.part {
		case 0:
			if locked[t.page]&t.set != 0 {
				continue
			}
			locked[t.page] |= t.set
		case 1:
			if t.before != 0 && !f.write(t.page, t.before, w.tx) {
				continue
			}
		case 2:
			switch {
			case t.trim:
				f.trim(t.page)
			case t.store:
				f.store(t.page)
			}
		case 3:
			if t.after != 0 && !f.write(t.page, t.after, w.tx) {
				continue
			}
		}
		if w.part++; w.part == 4 {
			w.part = 0
			w.at++
		}
	}
}

// A tally is what crashes came to.
type tally struct{ crashes, wrong int }

// crashes cuts the power before every event of a run, or one in so many, and at a second
// moment inside programs, and counts in how many cases recovery brings back something else
// than it should.
func crashes(t testing.TB, events []plan.Event, every int, mistake Mistake, sum *tally) {
	media, truth, tree := NewMedia(true, mistake), NewTruth(true), &Tree{}
	for n := range events {
		for _, entered := range [2]bool{false, true} {
			if n%every != 0 {
				break
			}
			media.Recover(tree, entered)
			sum.crashes++
			if wrong, first := truth.Wrong(media, tree); wrong > 0 {
				if sum.wrong++; mistake == Correct {
					t.Fatalf("a failure before event %d of %d, %+v: %d lines are wrong: %s", n, len(events), events[n], wrong, first)
				}
			}
			if events[n].Moment != plan.Merged {
				break
			}
		}
		media.Step(n, &events[n])
		truth.Step(n, &events[n])
		if media.problem != nil && mistake == Correct {
			t.Fatalf("of %d events: %v", len(events), media.problem)
		}
	}
}

// onToy is a random run on the toy.
func onToy(seed uint64) []plan.Event {
	r := rand.New(rand.NewPCG(seed, 14))
	var events []plan.Event
	pages := 2 + r.IntN(8)
	f := newToy(r, pages, 24+r.IntN(100), func(e plan.Event) { events = append(events, e) })
	drive(r, f, pages, 200+r.IntN(1000))
	return events
}

func TestCrashesOfRandomTransactions(t *testing.T) {
	want := 200_000
	if testing.Short() {
		want = 4_000
	}
	var sum tally
	for seed := uint64(0); sum.crashes < want; seed++ {
		crashes(t, onToy(seed), 1, Correct, &sum)
	}
	t.Logf("%d crashes", sum.crashes)
}

func TestMistakesAreFound(t *testing.T) {
	want := 20_000
	if testing.Short() {
		want = 4_000
	}
	for _, m := range []Mistake{MergesOpen, IgnoresTx, KeepsLines, InIDOrder, MapsTooSoon} {
		var sum tally
		for seed := uint64(0); sum.crashes < want; seed++ {
			crashes(t, onToy(seed), 1, m, &sum)
		}
		t.Logf("%s: found in %d of %d crashes (%d %%)", m, sum.wrong, sum.crashes, 100*sum.wrong/sum.crashes)
		if 100*sum.wrong < sum.crashes {
			t.Errorf("mistake %q is found in %d of %d crashes only", m, sum.wrong, sum.crashes)
		}
	}
}

// FuzzCrash runs random transactions on a random log and cuts the power everywhere: about
// a thousand crashes a run.
func FuzzCrash(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, uint8(seed), uint8(24*seed), uint16(100+300*seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, pages, size uint8, steps uint16) {
		r := rand.New(rand.NewPCG(seed, 15))
		var events []plan.Event
		many := 1 + int(pages)%16
		drive(r, newToy(r, many, 16+int(size), func(e plan.Event) { events = append(events, e) }), many, int(steps)%4096)
		var sum tally
		crashes(t, events, 1, Correct, &sum)
	})
}

func BenchmarkCrash(b *testing.B) {
	events := onToy(1)
	var sum tally
	for b.Loop() {
		crashes(b, events, 1, Correct, &sum)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(sum.crashes), "ns/crash")
}
