package deepum

import (
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/train/engine/blocks"
)

// A script is a run in which a test says what is where.
type script struct {
	resident map[blocks.ID]bool
	inactive map[blocks.ID]bool
}

func (s *script) Resident(b blocks.ID) bool { return s.resident[b] }

func (s *script) Active(b blocks.ID) bool { return !s.inactive[b] }

func (s *script) Oldest() iter.Seq[blocks.ID] {
	return slices.Values(slices.Sorted(maps.Keys(s.resident)))
}

func newScript() *script {
	return &script{resident: map[blocks.ID]bool{}, inactive: map[blocks.ID]bool{}}
}

// usual returns DeepUM's settings.
func usual() settings {
	return settings{geometry: geometry{2048, 2, 4}, degree: 32, prefetch: true, ready: 32, invalidate: true}
}

// kernels lets kernels run whose blocks all fault unless they are on the GPU.
func kernels(p *Pager, s *script, launches ...blocks.ExecID) {
	for _, id := range launches {
		p.Launch(0, id)
		for _, b := range blocksOf(id) {
			if !s.resident[b] {
				p.Fault(b, p.Queued(b))
			}
		}
	}
}

// blocksOf returns the blocks of a kernel: three of its own.
func blocksOf(id blocks.ExecID) []blocks.ID {
	b := 10 * blocks.ID(id)
	return []blocks.ID{b, b + 1, b + 2}
}

// drain returns all that Next returns.
func drain(p *Pager) (list []blocks.ID) {
	for b, ok := p.Next(); ok; b, ok = p.Next() {
		list = append(list, b)
	}
	return list
}

func same(t *testing.T, what string, got, want []blocks.ID) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestChain(t *testing.T) {
	s := newScript()
	set := usual()
	set.degree = 2
	p := newPager(s, set)
	kernels(p, s, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4)
	drain(p)
	s.resident[11] = true

	// The launches before queued 0 and 1, and this one adds 2.
	p.Launch(0, 0)
	same(t, "the second kernel ahead", drain(p), []blocks.ID{20, 21, 22})
	for _, b := range []blocks.ID{0, 11, 22} {
		if !p.Spare(b) {
			t.Errorf("block %d is named and may leave", b)
		}
	}
	for _, b := range []blocks.ID{30, 42, 500} {
		if p.Spare(b) {
			t.Errorf("block %d is not named and must not leave", b)
		}
	}
	c := p.Chain()
	if len(c.Steps) != 3 || c.Steps[0].Exec != 0 || c.Steps[2].Exec != 2 {
		t.Errorf("chain is %+v", c)
	}

	// One more launch adds one kernel.
	p.Launch(0, 1)
	if p.Spare(0) || !p.Spare(10) {
		t.Errorf("of the kernels before, 0 is spared: %v; of the running one 10: %v", p.Spare(0), p.Spare(10))
	}
	same(t, "one more kernel", drain(p), []blocks.ID{30, 31, 32})
	if c := p.Chain(); c.Protected != 1 || c.Free != 0 {
		t.Errorf("of memory %+v; 11 is protected", c)
	}

	// What nobody expected: the chain begins anew, with what is known of that kernel.
	p.Launch(0, 4)
	if p.Spare(30) || !p.Spare(41) {
		t.Errorf("after a wrong prediction 30 is spared: %v, 41: %v", p.Spare(30), p.Spare(41))
	}
	same(t, "the kernel that came instead", drain(p), []blocks.ID{40, 41, 42})
	if c := p.Chain(); len(c.Steps) != 1 {
		t.Errorf("after 0 1 4 nothing is known, the chain is %+v", c)
	}
}

func TestWrongPredictionEmptiesQueue(t *testing.T) {
	s := newScript()
	p := newPager(s, usual())
	kernels(p, s, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4)
	p.Launch(0, 0)
	if !p.Queued(20) || !p.Queued(1) {
		t.Fatal("nothing is queued")
	}
	p.Launch(0, 5)
	if p.Queued(20) || p.Queued(1) {
		t.Error("what the wrong chain asked for is still queued")
	}
	same(t, "after the wrong chain", drain(p), nil)
}

func TestFaultOfQueuedBlockKeepsChain(t *testing.T) {
	s := newScript()
	p := newPager(s, usual())
	kernels(p, s, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4)
	p.Launch(0, 0)
	if b, ok := p.Next(); b != 0 || !ok {
		t.Fatalf("first comes %d", b)
	}
	p.Fault(2, true)
	if p.Queued(2) {
		t.Error("a block that is served is still queued")
	}
	same(t, "the rest", drain(p)[:2], []blocks.ID{1, 10})
}

func TestMissedFaultComesFirst(t *testing.T) {
	s := newScript()
	p := newPager(s, usual())
	kernels(p, s, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4)
	p.flush()
	p.back = append(p.back, queued(p, 10))
	p.Launch(0, 0)
	if p.Queued(1) {
		t.Fatal("the chain was extended a second time")
	}
	p.Fault(0, false)
	same(t, "what follows comes before other kernels", drain(p)[:3], []blocks.ID{1, 2, 10})

	// The second fault of a launch names nothing twice.
	p.Launch(0, 1)
	p.Fault(10, false)
	if n := len(p.front); n != 2 {
		t.Fatalf("%d blocks are in front, want 2", n)
	}
	p.Fault(11, false)
	if n := len(p.front); n != 2 {
		t.Errorf("%d blocks are in front, want the same 2", n)
	}
	same(t, "what was served does not come", drain(p)[:1], []blocks.ID{12})
}

// queued puts a block into the queue.
func queued(p *Pager, b blocks.ID) item {
	x, ok := p.queue(b)
	if !ok {
		panic("block is queued already")
	}
	return x
}

func TestOutdatedBlocksDoNotCome(t *testing.T) {
	s, set := newScript(), usual()
	set.degree = 2
	p := newPager(s, set)
	kernels(p, s, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4)
	p.Launch(0, 0)
	p.Launch(0, 1) // 0 ended and did not need its blocks
	same(t, "first", drain(p)[:1], []blocks.ID{10})
}

func TestSwitches(t *testing.T) {
	learn := func(change func(*settings)) (*Pager, *script) {
		s, set := newScript(), usual()
		change(&set)
		p := newPager(s, set)
		kernels(p, s, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4)
		p.Launch(0, 0)
		s.inactive[3] = true
		return p, s
	}
	p, _ := learn(func(s *settings) { s.prefetch = false })
	if got := drain(p); got != nil {
		t.Errorf("without prefetch %v comes", got)
	}
	if !p.Spare(0) || p.Ready() != 32 {
		t.Error("without prefetch pre-eviction does not know what is needed")
	}
	p, _ = learn(func(s *settings) { s.ready = 0 })
	if p.Ready() != 0 || len(drain(p)) == 0 {
		t.Error("without pre-eviction memory is held free, or nothing is prefetched")
	}
	p, _ = learn(func(s *settings) { s.invalidate = false })
	if p.Drop(3) || p.Drop(2) {
		t.Error("without invalidation a block is dropped")
	}
	p, _ = learn(func(*settings) {})
	if !p.Drop(3) || p.Drop(2) {
		t.Error("what has no memory in use is dropped, and nothing else")
	}
	p, _ = learn(func(s *settings) { s.prefetch, s.ready, s.invalidate = false, 0, false })
	if p.Spare(0) || p.Queued(0) || p.Ready() != 0 || p.Drop(3) || p.Tables() != 0 || len(p.Chain().Steps) != 0 {
		t.Error("with all switched off something happens")
	}
}

func TestViews(t *testing.T) {
	s := newScript()
	p := newPager(s, usual())
	if c := p.Chain(); len(c.Steps) != 0 || p.Running() != noExec {
		t.Errorf("before the first launch the chain is %+v", c)
	}
	kernels(p, s, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4)
	s.resident[0], s.resident[100], s.resident[101] = true, true, true
	s.inactive[101] = true
	p.Launch(8, 0)
	if b, _ := p.Next(); b != 1 || p.state(1) != Queued {
		t.Errorf("block %d is next, and 1, which has no memory yet, is %v", b, p.state(1))
	}
	s.resident[1] = true
	c := p.Chain()
	if got, want := c.Steps[0], []Named{{0, Resident}, {1, InFlight}, {2, Queued}}; got.Exec != 0 || got.Kernel != 8 || !slices.Equal(got.Blocks, want) {
		t.Errorf("running is %+v, want %v", got, want)
	}
	if n := c.Steps[1].Count(Queued); n != 3 {
		t.Errorf("%d blocks of the next kernel are queued, want 3", n)
	}
	if c.Protected != 2 || c.Free != 1 || c.Inactive != 1 {
		t.Errorf("memory is %d protected, %d free to leave, %d inactive; want 2, 1 and 1", c.Protected, c.Free, c.Inactive)
	}
	x, ok := p.Table(0)
	if !ok || x.Kernel != 8 || x.RowsUsed != 3 || len(x.Entries) != 3 || x.End != 2 || x.Entries[1].Block != 1 || !slices.Equal(x.Entries[1].Successors, []blocks.ID{2}) {
		t.Errorf("table is %+v", x)
	}
	if _, ok := p.Table(99); ok {
		t.Error("there is a table of a kernel that never ran")
	}
	if got, want := p.Records(1), []Record{{[3]blocks.ExecID{3, 4, 0}, 2}, {[3]blocks.ExecID{-1, -1, 0}, 2}}; !slices.Equal(got, want) {
		t.Errorf("records are %v, want %v", got, want)
	}
	if p.Executions() != 5 || p.Running() != 0 || p.Kernel(0) != 8 {
		t.Errorf("%d execution IDs, %d runs, kernel %d", p.Executions(), p.Running(), p.Kernel(0))
	}
}

// A simple is the chain as it is described, with maps: the walk of each of its kernels
// is a list.
type simple struct {
	degree int
	tables map[blocks.ExecID]*literalTable
	after  map[history]blocks.ExecID
	real   history
	steps  []simpleStep // the first is the running kernel
}

type simpleStep struct {
	id    blocks.ExecID
	names map[blocks.ID]bool
}

func (x *simple) step(id blocks.ExecID) {
	s := simpleStep{id, map[blocks.ID]bool{}}
	if t := x.tables[id]; t != nil {
		for _, b := range t.walk() {
			s.names[b] = true
		}
	}
	x.steps = append(x.steps, s)
}

func (x *simple) launch(id blocks.ExecID) {
	if x.real[3] != noExec {
		x.after[x.real] = id
	}
	x.real.push(id)
	if t := x.tables[id]; t != nil {
		t.launch()
	}
	if len(x.steps) > 1 && x.steps[1].id == id {
		x.steps = x.steps[1:]
	} else {
		x.steps = nil
		x.step(id)
	}
	h := x.real
	for _, s := range x.steps[1:] {
		h.push(s.id)
	}
	for len(x.steps) <= x.degree {
		next, ok := x.after[h]
		if !ok {
			return
		}
		h.push(next)
		x.step(next)
	}
}

func (x *simple) fault(b blocks.ID, queued bool) {
	id := x.real[3]
	if x.tables[id] == nil {
		x.tables[id] = newLiteral(geometry{16, 2, 3})
	}
	t := x.tables[id]
	t.fault(b)
	x.steps[0].names[b] = true
	if queued {
		return
	}
	work := []blocks.ID{b}
	seen := map[blocks.ID]bool{b: true}
	for len(work) > 0 {
		for _, e := range t.rows[int(work[0])%t.g.rows] {
			if e.tag != work[0] {
				continue
			}
			for _, s := range e.successors {
				if !seen[s] {
					seen[s] = true
					x.steps[0].names[s] = true
					work = append(work, s)
				}
			}
		}
		work = work[1:]
	}
}

func (x *simple) spare(b blocks.ID) bool {
	return slices.ContainsFunc(x.steps, func(s simpleStep) bool { return s.names[b] })
}

// Who is protected by numbers of launches is who is named by a kernel of the chain, on
// random launches and faults; what is queued is neither on the GPU nor queued twice,
// and comes.
func TestChainAgreesWithSimple(t *testing.T) {
	protected, came := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		s, set := newScript(), usual()
		set.geometry, set.degree = geometry{16, 2, 3}, 1+r.IntN(6)
		p := newPager(s, set)
		x := &simple{degree: set.degree, tables: map[blocks.ExecID]*literalTable{}, after: map[history]blocks.ExecID{}, real: history{noExec, noExec, noExec, noExec}}
		known, all := 0, 1+r.IntN(60)
		for i := range 200 {
			id := blocks.ExecID(i % (3 + int(seed%6)))
			if r.IntN(12) == 0 {
				id = blocks.ExecID(r.IntN(8))
			}
			if int(id) >= known {
				id = blocks.ExecID(known)
				known++
			}
			p.Launch(0, id)
			x.launch(id)
			if len(x.steps) != len(p.chain)+1 {
				t.Fatalf("seed %d, launch %d: chain of %d kernels, want %d", seed, i, len(p.chain), len(x.steps)-1)
			}
			for j := range r.IntN(12) {
				b := blocks.ID((int(id)*7 + j*(1+int(seed%3))) % all)
				if s.resident[b] {
					continue
				}
				queued := p.Queued(b)
				p.Fault(b, queued)
				x.fault(b, queued)
				s.resident[b] = true
			}
			for range r.IntN(8) {
				b, ok := p.Next()
				if !ok {
					break
				}
				if s.resident[b] || p.Queued(b) || !p.Spare(b) {
					t.Fatalf("seed %d, launch %d: block %d comes: resident %v, queued %v, protected %v", seed, i, b, s.resident[b], p.Queued(b), p.Spare(b))
				}
				s.resident[b] = true
				came++
			}
			for b := range blocks.ID(all) {
				if r.IntN(10) == 0 {
					delete(s.resident, b)
				}
				if got, want := p.Spare(b), x.spare(b); got != want {
					t.Fatalf("seed %d, launch %d: block %d is protected: %v, want %v", seed, i, b, got, want)
				} else if got {
					protected++
				}
			}
		}
	}
	if protected < 10_000 || came < 1000 {
		t.Errorf("the test is too weak: %d protected, %d came", protected, came)
	}
}
