package store

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/knob"
	"spillway/sim/store/ops"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// smallTrace is two clients: one with five tensors of 1 to 3 MB that it goes
// through twice, and a foreign program that takes memory in between.
func smallTrace() *ops.Trace {
	a, b := &ops.Script{Client: "a"}, &ops.Script{Client: "b"}
	for i := range 5 {
		x := a.Tensor(fmt.Sprint("x", i))
		a.Add(ops.Create, x, unit.Bytes(1+i%3)*unit.MB)
		a.Think(2 * unit.Millisecond)
		a.Add(ops.Put, x, 0)
	}
	for _, i := range []int{4, 0, 3, 1, 2} {
		x := a.Tensor(fmt.Sprint("x", i))
		a.Add(ops.Get, x, 0)
		a.Think(3 * unit.Millisecond)
		if i%2 == 0 {
			a.Add(ops.Free, x, 0)
		} else {
			a.Add(ops.Put, x, 0)
		}
	}
	b.Think(20 * unit.Millisecond)
	b.Add(ops.Malloc, b.Tensor("m"), 3*unit.MB)
	b.Think(20 * unit.Millisecond)
	b.Add(ops.MFree, b.Tensor("m"), 0)
	a.Foretell()
	t, err := ops.Join(a, b)
	if err != nil {
		panic(err)
	}
	return t
}

func smallSetup() Setup {
	s := Published()
	s.Client, s.GPU = 0, 8*unit.MB
	return s
}

// TestLaws is the suite that every policy must pass, on random traces.
func TestLaws(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 2))
		trace, s := randomTrace(r, 100), randomSetup(r)
		copied := &ops.Trace{Clients: slices.Clone(trace.Clients), Tensors: slices.Clone(trace.Tensors), Ops: slices.Clone(trace.Ops)}
		for _, p := range all() {
			got, err := Run(trace, s, p)
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := Run(trace, s, p); !reflect.DeepEqual(again, got) {
				t.Errorf("seed %d, %s: not the same twice", seed, p.Name)
			}
			for _, law := range broken(trace, s, got) {
				t.Errorf("seed %d, %s: %s", seed, p.Name, law)
			}
		}
		if !reflect.DeepEqual(copied, trace) {
			t.Fatalf("seed %d: the trace was changed", seed)
		}
	}
}

// broken lists the laws that a result breaks.
func broken(trace *ops.Trace, s Setup, r *Result) (laws []string) {
	must := func(ok bool, format string, a ...any) {
		if !ok {
			laws = append(laws, fmt.Sprintf(format, a...))
		}
	}
	must(r.PeakGPU <= r.Capacity, "more GPU memory used than there is: %v of %v", r.PeakGPU, r.Capacity)
	must(r.PeakHost <= s.Host, "more host memory used than there is")
	var gets, done, think [ops.MaxClients]int64
	for i := range trace.Ops {
		o := &trace.Ops[i]
		c := &r.Clients[o.Client]
		if done[o.Client]++; done[o.Client] > c.Ops {
			continue
		}
		if o.Kind == ops.Get {
			gets[o.Client]++
		}
		if done[o.Client] > 1 {
			think[o.Client] += int64(o.Think)
		}
	}
	var sum unit.Time
	var evicted unit.Bytes
	var evictions int64
	for i := range r.Clients {
		c := &r.Clients[i]
		var total unit.Time
		for p, d := range c.Parts {
			must(d >= 0, "client %s: %v is %v", c.Name, Part(p), d)
			total += d
		}
		must(total == c.End, "client %s: parts sum to %v, end is %v", c.Name, total, c.End)
		evicted += c.Evicted
		evictions += c.Evictions
		sum += c.Parts[Thinking]
		if r.Fits() {
			must(c.Ops == done[i], "client %s: %d of %d operations done", c.Name, c.Ops, done[i])
			must(c.Gets() == gets[i], "client %s: %d gets answered of %d", c.Name, c.Gets(), gets[i])
			must(int64(c.Parts[Thinking]) == think[i], "client %s: thought %v", c.Name, c.Parts[Thinking])
		}
	}
	must(r.Busy() <= r.Time, "the store is busy for %v in %v", r.Busy(), r.Time)
	must(evicted == r.Evicted && evictions == r.Evictions.Count, "the clients' evictions do not sum to all")
	if r.Fits() { // else some are still thinking
		carried := unit.Time(len(r.Clients) * len(trace.Ops)) // see stream
		must(r.InUse <= sum+carried && (s.Shared == 0 || r.InUse >= sum-carried), "GPU in use for %v, thinking %v", r.InUse, sum)
	}
	must(r.Prefetched+r.Fetched <= r.Evicted || s.Yields != 0 && r.Fetched <= r.Evicted, "more came back than left")
	must(r.Wasted <= r.Prefetches.Count && (s.Prefetch != 0 || r.Prefetches.Count == 0), "prefetches")
	must(r.Right <= r.Evictions.Count, "right")
	must(s.Parallel == 1 || r.Sum().Parts[WaitEvict] >= s.EvictFixed*unit.Time(evictions), "evictions took no time")
	must(s.Pause > 0 || r.Sum().Parts[WaitPause] == 0, "a pause that is off")
	var last unit.Time
	for _, e := range r.Evictions.Kept {
		must(e.Time >= last, "evictions are not in order")
		last = e.Time
		must(e.Next < 0 || trace.Ops[e.Next].Kind == ops.Get && trace.Ops[e.Next].Tensor == e.Tensor, "next use %d of %d", e.Next, e.Tensor)
		must(r.Policy != "oracle" || e.Right, "the oracle is wrong")
	}
	last = 0
	for _, f := range r.Prefetches.Kept {
		must(f.Start >= last && f.End >= f.Start+s.Link.Time(f.Bytes), "prefetches overlap or are too fast")
		last = f.End
	}
	peak, host := slices.Max(r.Timeline.GPU), slices.Max(r.Timeline.Host)
	must(peak == r.PeakGPU, "the timeline's peak is %v, the run's %v", peak, r.PeakGPU)
	must(host == r.PeakHost, "the timeline's peak in the host is %v, the run's %v", host, r.PeakHost)
	must(len(r.Timeline.GPU) <= timelinePoints, "%d points", len(r.Timeline.GPU))
	for at := range r.Timeline.GPU {
		var gpu, host unit.Bytes
		for i, row := range r.Timeline.Bytes {
			if Place(i%places) == InHost {
				host += row[at]
			} else {
				gpu += row[at]
			}
		}
		must(gpu == r.Timeline.GPU[at] && host == r.Timeline.Host[at], "interval %d does not add up", at)
	}
	if r.Fits() {
		laws = append(laws, leftover(trace, r)...)
	}
	return laws
}

// leftover: the last interval holds at least what was created and not freed.
func leftover(trace *ops.Trace, r *Result) (laws []string) {
	size := make([]unit.Bytes, len(trace.Tensors))
	for i := range trace.Ops {
		switch o := &trace.Ops[i]; o.Kind {
		case ops.Create, ops.Malloc:
			size[o.Tensor] = o.Bytes
		case ops.Free, ops.MFree:
			size[o.Tensor] = 0
		}
	}
	var alive unit.Bytes
	for _, n := range size {
		alive += n
	}
	last := len(r.Timeline.GPU) - 1
	if shown := r.Timeline.GPU[last] + r.Timeline.Host[last]; shown < alive {
		laws = append(laws, fmt.Sprintf("%v shown at the end, %v alive", shown, alive))
	}
	return laws
}

// TestYielding: what comes back early costs nothing where it yields. For one client, whose order of
// calls cannot change, that is a theorem for what does not go by the clock. Several clients meet
// in another order, which alone can cost 2 %: so the mean over nine times of arrival counts.
func TestYielding(t *testing.T) {
	sooner, wasted := 0, int64(0)
	for seed := range effort.Seeds(400) {
		r := rand.New(rand.NewPCG(seed, 14))
		trace, s := randomTrace(r, 120).Alone(0), randomSetup(r)
		for _, p := range all() {
			s.Prefetch, s.Yields = 0, 1
			without, err := Run(trace, s, p)
			if err != nil {
				t.Fatal(err)
			}
			s.Prefetch = 1
			with, err := Run(trace, s, p)
			if err != nil {
				t.Fatal(err)
			}
			if p.by != byTime && (with.Time > without.Time || with.Evicted != without.Evicted || with.Fits() != without.Fits()) {
				t.Errorf("seed %d, %s: %v with prefetch that yields, %v without; %v and %v evicted", seed, p.Name, with.Time, without.Time, with.Evicted, without.Evicted)
			}
			if with.Time < without.Time {
				sooner++
			}
			wasted += with.Wasted
		}
	}
	if (sooner == 0 || wasted == 0) && effort.Nightly() { // a share of the draws may waste nothing
		t.Error("of no use")
	}
	for _, m := range Mixes() {
		for _, p := range all() {
			var without, with, held unit.Time
			for late := range unit.Time(9) {
				trace := m.Trace()
				trace.Ops[slices.IndexFunc(trace.Ops, func(o ops.Op) bool { return o.Client == 1 })].Think += late * 7 * unit.Millisecond
				for _, x := range []struct {
					sum              *unit.Time
					prefetch, yields int64
				}{{&without, 0, 0}, {&with, 1, 1}, {&held, 1, 0}} {
					s := m.Setup()
					s.Prefetch, s.Yields = x.prefetch, x.yields
					r, err := Run(trace, s, p)
					if err != nil || !r.Fits() {
						t.Fatal(err, r.Failure)
					}
					*x.sum += r.Time
				}
			}
			t.Logf("%-20s %-16s without prefetch %v, with one that yields %v, with the published one %v", m.Name, p.Name, without/9, with/9, held/9)
			if with > without {
				t.Errorf("%s, %s: %v with prefetch that yields, %v without", m.Name, p.Name, with/9, without/9)
			}
		}
	}
}

// Theorems. What is no theorem: with prefetch, or with tensors of several sizes,
// more GPU memory may mean more evicted bytes and more time, for every policy; a
// faster link may, because calls then arrive in another order; the oracle may be
// beaten in bytes (several sizes, several clients) and in time; size-aware may
// evict more than latency-logical; alone may be slower than together, because
// others' frees start prefetches.

// equalTrace is one client's with tensors of one size, never freed.
func equalTrace(r *rand.Rand) *ops.Trace {
	s := &ops.Script{Client: "a"}
	n := 2 + r.IntN(20)
	for i := range n {
		x := s.Tensor(fmt.Sprint("t", i))
		s.Add(ops.Create, x, unit.MiB)
		s.Think(unit.Millisecond)
		s.Add(ops.Put, x, 0)
	}
	for range 200 {
		x := int32(r.IntN(1 + r.IntN(n)))
		s.Add(ops.Get, x, 0)
		s.Think(unit.Millisecond)
		s.Add(ops.Put, x, 0)
	}
	s.Foretell()
	t, err := ops.Join(s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestStackTheorems(t *testing.T) {
	logical, _ := Find("latency-logical")
	lru, _ := Find("lru")
	strict := 0
	for seed := range uint64(60) {
		if !effort.Takes(int(seed), 4) {
			continue
		}
		trace := equalTrace(rand.New(rand.NewPCG(seed, 3)))
		s := Published()
		s.Client, s.Prefetch = 0, 0
		run := func(p Policy) *Result {
			r, err := Run(trace, s, p)
			if err != nil || !r.Fits() {
				t.Fatal(err, r.Failure)
			}
			return r
		}
		var before [2]unit.Bytes
		for size := range 22 {
			s.GPU = unit.Bytes(size+1) * unit.MiB
			oracle := run(Oracle())
			for i, p := range []Policy{lru, Oracle()} {
				r := run(p)
				if size > 0 && r.Evicted > before[i] {
					t.Errorf("seed %d, %s: more GPU memory and more evicted: %v after %v", seed, p.Name, r.Evicted, before[i])
				}
				before[i] = r.Evicted
			}
			for _, p := range Policies() { // Belady: nobody evicts less
				r := run(p)
				if r.Evicted < oracle.Evicted {
					t.Errorf("seed %d, %s evicts %v, the oracle %v", seed, p.Name, r.Evicted, oracle.Evicted)
				}
				if r.Evicted > oracle.Evicted {
					strict++
				}
			}
			if r := run(logical); r.Evicted != oracle.Evicted || r.Right != r.Evictions.Count {
				t.Errorf("seed %d: truly told, latency-logical evicts %v, the oracle %v", seed, r.Evicted, oracle.Evicted)
			}
		}
	}
	if strict == 0 {
		t.Error("no policy ever evicts more than the oracle: the test shows nothing")
	}
}

// TestTimeScales: all times and costs doubled, and rates halved, double a run.
func TestTimeScales(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 4))
		trace, s := randomTrace(r, 60), randomSetup(r)
		s.Shared, s.Alloc, s.EvictCopy, s.Link = 0, 33_000*unit.Nanosecond, 140*unit.Microsecond, 2*unit.GBps
		for i := range trace.Ops { // whole MB, so that nothing is rounded
			if o := &trace.Ops[i]; o.Kind.Allocates() {
				o.Bytes = (o.Bytes/unit.MB + 1) * unit.MB
			}
		}
		d, twice := s, *trace
		d.Alloc, d.Free, d.Start, d.IPC, d.EvictFixed, d.EvictCopy, d.Pause, d.Link = 2*s.Alloc, 2*s.Free, 2*s.Start, 2*s.IPC, 2*s.EvictFixed, 2*s.EvictCopy, 2*s.Pause, s.Link/2
		twice.Ops = slices.Clone(trace.Ops)
		for i := range twice.Ops {
			twice.Ops[i].Think *= 2
			twice.Ops[i].Next.Time *= 2
		}
		for _, p := range all() {
			a, err := Run(trace, s, p)
			b, err2 := Run(&twice, d, p)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if b.Time != 2*a.Time || b.Evicted != a.Evicted {
				t.Errorf("seed %d, %s: %v doubled is %v", seed, p.Name, a.Time, b.Time)
			}
		}
	}
}

// TestEnoughMemory: where all fits, policies are one.
func TestEnoughMemory(t *testing.T) {
	s := Published()
	for seed := range uint64(40) {
		trace := randomTrace(rand.New(rand.NewPCG(seed, 5)), 60)
		var first *Result
		for _, p := range all() {
			r, err := Run(trace, s, p)
			if err != nil {
				t.Fatal(err)
			}
			if r.Evicted != 0 || r.Sum().Misses != 0 {
				t.Errorf("seed %d, %s: evictions without need", seed, p.Name)
			}
			r.Policy = ""
			if first == nil {
				first = r
			}
			if !reflect.DeepEqual(r, first) {
				t.Errorf("seed %d: %s differs", seed, p.Name)
			}
		}
	}
}

// TestStream compares sharing with exact arithmetic: a client ends within as
// many picoseconds as clients come and go.
func TestStream(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 6))
		n := 1 + r.IntN(20)
		var s stream
		left, exact, ends := map[int32]*big.Rat{}, new(big.Rat), map[int32]*big.Rat{}
		got := map[int32]unit.Time{}
		advance := func(to *big.Rat) { // of the exact model
			for len(left) > 0 {
				var first int32 = -1
				for c := range left {
					if first < 0 || left[c].Cmp(left[first]) < 0 {
						first = c
					}
				}
				many := new(big.Rat).SetInt64(int64(len(left)))
				end := new(big.Rat).Add(exact, new(big.Rat).Mul(left[first], many))
				stop := to != nil && end.Cmp(to) > 0
				if stop {
					end.Set(to)
				}
				each := new(big.Rat).Quo(new(big.Rat).Sub(end, exact), many)
				for _, l := range left {
					l.Sub(l, each)
				}
				exact.Set(end)
				if stop {
					return
				}
				ends[first] = new(big.Rat).Set(end)
				delete(left, first)
			}
			if to != nil {
				exact.Set(to)
			}
		}
		at := unit.Time(0)
		for c := range int32(n) {
			at += unit.Time(r.Int64N(1000))
			for next, busy := s.next(); busy && next <= at; next, busy = s.next() {
				d := s.finish()
				got[d.client] = d.at
			}
			s.advance(at)
			advance(new(big.Rat).SetInt64(int64(at)))
			think := unit.Time(1 + r.Int64N(2000))
			s.join(c, think)
			left[c] = new(big.Rat).SetInt64(int64(think))
		}
		for _, busy := s.next(); busy; _, busy = s.next() {
			d := s.finish()
			got[d.client] = d.at
		}
		advance(nil)
		for c := range int32(n) {
			want, _ := ends[c].Float64()
			if off := float64(got[c]) - want; off > float64(2*n) || off < -float64(2*n) {
				t.Errorf("seed %d: client %d of %d ends at %d, want %.2f", seed, c, n, got[c], want)
			}
		}
	}
}

func TestLog(t *testing.T) {
	var l Log[int]
	for i := range 10*logged + 7 {
		l.add(i)
	}
	if l.Count != 10*logged+7 || l.Stride != 16 || len(l.Kept) > logged {
		t.Errorf("%d entries, stride %d, %d kept", l.Count, l.Stride, len(l.Kept))
	}
	for i, v := range l.Kept {
		if v != i*int(l.Stride) {
			t.Fatalf("entry %d is %d, want %d", i, v, i*int(l.Stride))
		}
	}
}

func TestFairness(t *testing.T) {
	m, err := FindMix("two-trainings")
	if err != nil {
		t.Fatal(err)
	}
	trace, p := m.Trace(), Policies()[1]
	r, err := Run(trace, m.Setup(), p)
	if err != nil {
		t.Fatal(err)
	}
	shares, err := Fairness(trace, m.Setup(), p, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shares {
		t.Logf("%+v", s)
		if s.Slowdown < 1000 || s.Slowdown != int64(s.Together)*1000/int64(s.Alone) {
			t.Errorf("%+v: want slower together than alone", s)
		}
	}
	alone := trace.Alone(0)
	r, _ = Run(alone, m.Setup(), p)
	if shares, _ = Fairness(alone, m.Setup(), p, r); shares[0].Slowdown != 1000 {
		t.Errorf("alone: %+v, want 1000", shares)
	}
}

// TestFailures holds the sentence on each way not to fit.
func TestFailures(t *testing.T) {
	type op struct {
		kind  ops.Kind
		bytes unit.Bytes
	}
	c, g, p, f, m, mf := op{ops.Create, unit.MiB}, op{kind: ops.Get}, op{kind: ops.Put}, op{kind: ops.Free}, op{ops.Malloc, unit.MiB}, op{kind: ops.MFree}
	tests := []struct {
		ops  []op
		want string
	}{
		{[]op{c, p, f}, "operation 3 of client a (free x): access in Ravenspace"},
		{[]op{c, p, p}, "operation 3 of client a (put x): access in Ravenspace"},
		{[]op{c, f, f}, "operation 3 of client a (free x): double free"},
		{[]op{m, mf, mf}, "operation 3 of client a (mfree x): double free"},
		{[]op{g}, "operation 1 of client a (get x): unknown tensor"},
		{[]op{c, f, g}, "operation 3 of client a (get x): unknown tensor"},
		{[]op{c, c}, "operation 2 of client a (create x): create of an existing tensor"},
		{[]op{m, p}, "operation 2 of client a (put x): call of the other allocator"},
		{[]op{c, mf}, "operation 2 of client a (mfree x): call of the other allocator"},
		{[]op{c, f, {ops.Create, 3 * unit.MiB}}, "operation 3 of client a (create x): out of GPU memory: 3 MiB needed, 2 MiB free and nothing left to evict"},
		{[]op{c, p, g, f, c}, ""},
	}
	for _, tt := range tests {
		s := &ops.Script{Client: "a"}
		for _, o := range tt.ops {
			s.Add(o.kind, s.Tensor("x"), o.bytes)
		}
		trace, err := ops.Join(s)
		if err != nil {
			t.Fatal(err)
		}
		setup := Published()
		setup.GPU = setup.Client + 2*unit.MiB
		r, err := Run(trace, setup, Policies()[0])
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if !r.Fits() {
			got = r.Failure.String()
		}
		if got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.ops, got, tt.want)
		}
	}
	setup := Published()
	setup.GPU = 299 * unit.MB
	r, err := Run(smallTrace(), setup, Policies()[0])
	if want := "page tables larger than GPU memory: the clients' page tables take 572.2 MiB of 285.15 MiB"; err != nil || r.Failure.String() != want {
		t.Errorf("got %v, %v, want %s", r.Failure, err, want)
	}
	setup = smallSetup()
	setup.Host = unit.MB
	r, err = Run(smallTrace(), setup, Policies()[1])
	if err != nil || r.Fits() || r.Failure.Reason != OutOfHost {
		t.Errorf("got %v, %v, want out of host memory", r.Failure, err)
	}
	setup.Link = 0
	if _, err := Run(smallTrace(), setup, Policies()[0]); err == nil {
		t.Error("a link of rate 0 is accepted")
	}
}

func TestKnobs(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Knobs() {
		if seen[k.Key] || k.Label == "" || k.Help == "" || k.Source == "" || k.Group == "" || k.Scale < 1 {
			t.Errorf("knob %+v", k)
		}
		seen[k.Key] = true
		for _, base := range []Setup{Published(), Native()} {
			s := base
			if err := k.Parse(&s, k.Text(&base)); err != nil || s != base {
				t.Errorf("%s: %q does not give the same value: %v", k.Key, k.Text(&base), err)
			}
			k.Set(&s, k.Max+1)
			if s.Validate() == nil {
				t.Errorf("%s: %s is accepted", k.Key, knob.Decimal(k.Max+1, k.Scale))
			}
		}
	}
	if fields := reflect.TypeFor[Setup]().NumField(); len(seen) != fields {
		t.Errorf("%d knobs for %d fields", len(seen), fields)
	}
}

func TestFind(t *testing.T) {
	var names []string
	for _, p := range Policies() {
		names = append(names, p.Name)
		if q, err := Find(p.Name); err != nil || q != p {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if want := []string{"fifo", "lru", "latency-aware", "latency-logical", "size-aware"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if _, err := Find("belady"); err == nil {
		t.Error("an unknown policy is found")
	}
}

// TestFromWorkloads: a network of two layers, twice, beside a second client.
func TestFromWorkloads(t *testing.T) {
	w := &workload.Workload{
		Name: "net", Model: "net", Times: workload.Measured,
		Tensors: []workload.Tensor{{Name: "w", Bytes: 10, Global: true}, {Name: "x", Bytes: 20}, {Name: "y", Bytes: 30}},
		Kernels: []workload.Kernel{
			{Name: "f", Time: 100 * unit.Microsecond, Inputs: []workload.TensorID{0, 1}, Outputs: []workload.TensorID{2}},
			{Name: "b", Time: 200 * unit.Microsecond, Inputs: []workload.TensorID{2, 0}, Outputs: []workload.TensorID{0}},
		},
	}
	trace, err := FromWorkloads([]*workload.Workload{w, w}, []unit.Time{0, unit.Second}, 2)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, o := range trace.Alone(0).Ops {
		got.WriteString(fmt.Sprintf("%s %s", o.Kind, trace.Tensors[o.Tensor].Name[2:]))
		if o.Next != (ops.Next{}) {
			got.WriteString(fmt.Sprintf(" %d+%d", o.Next.Order, o.Next.Time/unit.Microsecond))
		}
		got.WriteString("; ")
	}
	want := "create w; create x; create y; put w 8+0; free x; put y 7+0; get y; get w; free y; put w 11+0; " +
		"get w; create x; create y; put w 18+0; free x; put y 17+0; get y; get w; free y; free w; "
	if got.String() != want {
		t.Errorf("got  %s\nwant %s", got.String(), want)
	}
	if len(trace.Clients) != 2 || trace.Clients[1] != "2 net" {
		t.Errorf("clients %q", trace.Clients)
	}
	r, err := Run(trace, Published(), Policies()[0])
	if err != nil || !r.Fits() || r.Clients[0].Parts[Thinking] != 600*unit.Microsecond || r.Clients[1].Parts[Away] != unit.Second {
		t.Errorf("%v, %+v", err, r)
	}
	if _, err := FromWorkloads([]*workload.Workload{w}, []unit.Time{0}, 1<<20); err == nil {
		t.Error("too many operations are accepted")
	}
	if _, err := FromWorkloads([]*workload.Workload{w}, nil, 1); err == nil {
		t.Error("a workload without offset is accepted")
	}
}
