package deepum

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"spillway/sim/train/engine/blocks"
	"spillway/sim/unit"
)

func TestSize(t *testing.T) {
	if got, want := (geometry{2048, 2, 4}).size(), 80*unit.KiB; got != want {
		t.Errorf("a table takes %v, want %v", got, want)
	}
	p := newPager(&script{}, usual())
	if got := p.Tables(); got != 0 {
		t.Errorf("no tables take %v", got)
	}
	for id := range blocks.ExecID(3) {
		p.Launch(0, id)
		if id != 1 {
			p.Fault(7, false)
		}
	}
	if got, want := p.Tables(), 160*unit.KiB; got != want {
		t.Errorf("tables of two kernels that faulted take %v, want %v", got, want)
	}
}

// feed lets blocks fault one after the other in one kernel.
func feed(t *blockTable, list ...blocks.ID) {
	last := start
	for _, b := range list {
		t.learn(last, b)
		last = t.touch(b)
	}
}

func follow(t *blockTable, b blocks.ID) []blocks.ID {
	e := t.find(b)
	if e == none {
		return nil
	}
	return ids(t.after(e))
}

func TestSuccessorsAreInOrderOfLastUse(t *testing.T) {
	x := newBlockTable(geometry{64, 2, 3})
	for _, b := range []blocks.ID{10, 11, 12} {
		feed(x, 1, b)
	}
	if got, want := follow(x, 1), []blocks.ID{12, 11, 10}; !slices.Equal(got, want) {
		t.Errorf("after three successors: %v, want %v", got, want)
	}
	feed(x, 1, 10)
	if got, want := follow(x, 1), []blocks.ID{10, 12, 11}; !slices.Equal(got, want) {
		t.Errorf("the first again: %v, want %v: none twice", got, want)
	}
	feed(x, 1, 13)
	if got, want := follow(x, 1), []blocks.ID{13, 10, 12}; !slices.Equal(got, want) {
		t.Errorf("one more than there is room for: %v, want %v", got, want)
	}
	feed(x, 1, 10)
	if got, want := ids(x.after(start)), []blocks.ID{1}; !slices.Equal(got, want) {
		t.Errorf("the kernel starts with %v, want %v", got, want)
	}
	feed(x, 5)
	if got, want := ids(x.after(start)), []blocks.ID{5, 1}; !slices.Equal(got, want) {
		t.Errorf("the kernel starts with %v, want %v", got, want)
	}
}

func TestRowsLoseWhatFaultedLongestAgo(t *testing.T) {
	x := newBlockTable(geometry{4, 2, 2})
	feed(x, 1, 5, 1) // one row, full; 1 is the last used
	feed(x, 9)
	if x.find(5) != none || x.find(1) == none || x.find(9) == none || x.lost != 1 || x.used != 1 || x.entries() != 2 {
		t.Errorf("a full row has 1: %v, 5: %v, 9: %v; lost %d of %d in %d rows", x.find(1) != none, x.find(5) != none, x.find(9) != none, x.lost, x.entries(), x.used)
	}
	if got := follow(x, 9); len(got) != 0 {
		t.Errorf("9 is in the place of 5 and has its successors %v", got)
	}
	feed(x, 1, 2)
	feed(x, 13)
	if x.find(9) != none || x.find(1) == none || x.find(2) == none {
		t.Errorf("9 faulted longest ago and is there: %v; 1 %v, 2 %v", x.find(9) != none, x.find(1) != none, x.find(2) != none)
	}
	if got, want := follow(x, 1), []blocks.ID{2, 5}; !slices.Equal(got, want) {
		t.Errorf("1 is followed by %v, want %v", got, want)
	}
}

// A literalTable is a block table as it is described: every place of every row is
// there.
type literalTable struct {
	g     geometry
	start []blocks.ID
	rows  [][]literalEntry // the last used is first
	last  *blocks.ID
	lost  int64
}

type literalEntry struct {
	tag        blocks.ID
	successors []blocks.ID
}

func newLiteral(g geometry) *literalTable {
	return &literalTable{g: g, rows: make([][]literalEntry, g.rows)}
}

func (t *literalTable) launch() { t.last = nil }

func (t *literalTable) mru(list []blocks.ID, b blocks.ID) []blocks.ID {
	list = slices.DeleteFunc(slices.Clone(list), func(x blocks.ID) bool { return x == b })
	list = append([]blocks.ID{b}, list...)
	return list[:min(len(list), t.g.successors)]
}

func (t *literalTable) fault(b blocks.ID) {
	if t.last == nil {
		t.start = t.mru(t.start, b)
	} else {
		row := t.rows[int(*t.last)%t.g.rows]
		for i := range row {
			if row[i].tag == *t.last {
				row[i].successors = t.mru(row[i].successors, b)
			}
		}
	}
	row := &t.rows[int(b)%t.g.rows]
	e := literalEntry{tag: b}
	i := slices.IndexFunc(*row, func(e literalEntry) bool { return e.tag == b })
	switch {
	case i >= 0:
		e = (*row)[i]
		*row = slices.Delete(*row, i, i+1)
	case len(*row) == t.g.ways:
		*row = (*row)[:t.g.ways-1]
		t.lost++
	}
	*row = append([]literalEntry{e}, *row...)
	t.last = &b
}

// walk returns what a chain names in this kernel.
func (t *literalTable) walk() (list []blocks.ID) {
	seen := map[blocks.ID]bool{}
	work := [][]blocks.ID{t.start}
	for len(work) > 0 {
		for _, b := range work[0] {
			if seen[b] {
				continue
			}
			seen[b] = true
			list = append(list, b)
			for _, e := range t.rows[int(b)%t.g.rows] {
				if e.tag == b {
					work = append(work, e.successors)
				}
			}
		}
		work = work[1:]
	}
	return list
}

// table returns it as a Pager shows it.
func (t *literalTable) table(id blocks.ExecID) Table {
	x := Table{Exec: id, Rows: t.g.rows, Ways: t.g.ways, Successors: t.g.successors, Lost: t.lost, Start: t.start, End: *t.last}
	for i, row := range t.rows {
		if len(row) > 0 {
			x.RowsUsed++
		}
		for _, e := range row {
			if e.successors == nil {
				e.successors = []blocks.ID{}
			}
			x.Entries = append(x.Entries, Entry{i, e.tag, e.successors})
		}
	}
	return x
}

// Tables that store only what exists are those that are described, on random streams
// of faults.
func TestTablesAgreeWithLiteralOnes(t *testing.T) {
	lost, walked := int64(0), 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := usual()
		s.geometry = geometry{1 + r.IntN(40), 1 + r.IntN(4), 1 + r.IntN(5)}
		s.prefetch = r.IntN(2) == 0
		p := newPager(&script{}, s)
		literal := make([]*literalTable, 1+r.IntN(6))
		all := 1 + r.IntN(200)
		for range 1 + r.IntN(60) {
			id := blocks.ExecID(r.IntN(len(literal)))
			// IDs count in order of first appearance.
			for i := range id {
				if literal[i] == nil {
					id = i
					break
				}
			}
			p.Launch(0, id)
			if literal[id] == nil {
				literal[id] = newLiteral(s.geometry)
			}
			literal[id].launch()
			b, stride := r.IntN(all), r.IntN(7)
			for range r.IntN(50) {
				if b = (b + stride) % all; r.IntN(10) == 0 {
					b = r.IntN(all)
				}
				p.Fault(blocks.ID(b), r.IntN(3) == 0)
				literal[id].fault(blocks.ID(b))
			}
			checkTable(t, seed, p, literal[id], id)
			walked += len(p.named(id))
			lost += literal[id].lost
		}
	}
	if lost < 1000 || walked < 10_000 {
		t.Errorf("the test is too weak: %d entries lost, %d blocks named", lost, walked)
	}
}

func checkTable(t *testing.T, seed uint64, p *Pager, l *literalTable, id blocks.ExecID) {
	t.Helper()
	if l.last == nil && l.start == nil {
		if _, ok := p.Table(id); ok {
			t.Fatalf("seed %d: kernel %d has a table and no fault", seed, id)
		}
		return
	}
	got, ok := p.Table(id)
	if l.last == nil { // the end is that of an earlier launch
		l.last = &got.End
	}
	if want := l.table(id); !ok || !reflect.DeepEqual(got, want) {
		t.Fatalf("seed %d, kernel %d: table is\n%+v, want\n%+v", seed, id, got, want)
	}
	var names []blocks.ID
	for _, n := range p.named(id) {
		names = append(names, n.Block)
	}
	if want := l.walk(); !slices.Equal(names, want) {
		t.Fatalf("seed %d, kernel %d: the chain names %v, want %v", seed, id, names, want)
	}
}

func TestExecutionTable(t *testing.T) {
	var x executionTable
	h := history{noExec, noExec, noExec, noExec}
	launch := func(ids ...blocks.ExecID) {
		for _, id := range ids {
			x.learn(&h, id)
			h.push(id)
		}
	}
	launch(0, 1, 2, 3, 4, 0, 1, 2, 3)
	if got := x.predict(&h); got != 4 {
		t.Errorf("after 0 1 2 3: %d, want 4", got)
	}
	if got := x.predict(&history{9, 1, 2, 3}); got != noExec {
		t.Errorf("after another history: %d, want none", got)
	}
	launch(7, 0, 1, 2, 3)
	if got := x.predict(&h); got != 7 {
		t.Errorf("what came last is 7, predicted is %d", got)
	}
	launch(4, 0, 1, 2, 3)
	if got, want := x.records(3), []Record{{[3]blocks.ExecID{0, 1, 2}, 4}, {[3]blocks.ExecID{0, 1, 2}, 7}}; !slices.Equal(got, want) {
		t.Errorf("records are %v, want %v", got, want)
	}
	if got := x.predict(&h); got != 4 {
		t.Errorf("after 4 again: %d", got)
	}
}

// The execution table is what a list of records by execution ID is that moves a record to
// the front, on random launches.
func TestExecutionTableAgreesWithLists(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		var x executionTable
		h := history{noExec, noExec, noExec, noExec}
		lists := map[blocks.ExecID][]Record{}
		for range 300 {
			id := blocks.ExecID(r.IntN(1 + int(seed%5)))
			want, before := noExec, [3]blocks.ExecID(h[:3])
			if i := slices.IndexFunc(lists[h[3]], func(r Record) bool { return r.Before == before }); i >= 0 {
				want = lists[h[3]][i].Next
			}
			if got := x.predict(&h); got != want {
				t.Fatalf("seed %d: after %v: %d, want %d", seed, h, got, want)
			}
			if h[3] >= 0 {
				n := Record{before, id}
				lists[h[3]] = slices.DeleteFunc(lists[h[3]], func(r Record) bool { return r == n })
				lists[h[3]] = slices.Insert(lists[h[3]], 0, n)
			}
			x.learn(&h, id)
			h.push(id)
		}
		for id := range blocks.ExecID(6) {
			if got := x.records(id); !slices.Equal(got, lists[id]) {
				t.Fatalf("seed %d: records of %d are %v, want %v", seed, id, got, lists[id])
			}
		}
	}
}

// BenchmarkExecutionTable learns 60,000 launches of ten kernels in random order: a table
// that searches its records compares each with thousands.
func BenchmarkExecutionTable(b *testing.B) {
	for b.Loop() {
		r := rand.New(rand.NewPCG(1, 2))
		var x executionTable
		h := history{noExec, noExec, noExec, noExec}
		for range 60_000 {
			id := blocks.ExecID(r.IntN(10))
			x.predict(&h)
			x.learn(&h, id)
			h.push(id)
		}
	}
}
