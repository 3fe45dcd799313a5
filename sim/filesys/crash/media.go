package crash

import (
	"fmt"
	"slices"

	"spillway/sim/filesys/plan"
)

// A Mistake is one that a device's firmware or its recovery may make. Each was put in on
// purpose, to see that the check finds it.
type Mistake string

// The mistakes.
const (
	Correct     Mistake = "none"
	MergesOpen  Mistake = "merge"  // cleaning merges lines of transactions that have not committed
	IgnoresTx   Mistake = "txlog"  // recovery does not look at the TxLog and applies all lines
	KeepsLines  Mistake = "lines"  // a block write leaves the page's older lines in the log
	InIDOrder   Mistake = "ids"    // recovery applies transactions by their numbers, not in the order of the log
	MapsTooSoon Mistake = "mapped" // cleaning enters a page in the index before its program has ended
)

// garbage is the value of a line in a page whose program was cut off. Values are otherwise the
// event that wrote the line, counted from 1; 0 is what it held before the run.
const garbage = -1

// An entry is a line in the log.
type entry struct {
	value, tx int32
	slot      int32
	before    int32 // the entry of the same page before it in the same half, from 1
	line      uint8
	void      bool // it is in flash, or something newer is
	merging   bool // it is in the program that is under way
	due       bool // it had committed when cleaning of its half began
}

// A page is one that the run has written to.
type page struct {
	number int32
	last   [2]int32 // its last entry of each half, from 1; 0 is none
	// program is what cleaning is programming, nil if it is not.
	program *[lines]int32
}

// lines are those of a page.
const lines = 64

// A Media is what is left without power, at the level of values: flash, the protected
// DRAM with the two halves of the log, and the TxLog. The write buffer is protected too: a
// block in it is as good as programmed.
type Media struct {
	hasLog    bool // else the DRAM is a buffer of pages, which is as good as flash
	mistake   Mistake
	slots     []int32 // by page of the device: its slot, from 1
	pages     []page
	flash     [][lines]int32 // by slot
	log       [2][]entry
	active    int
	committed []bool // the TxLog, by transaction
	free      []*[lines]int32
	carry     []entry
	// problem is the first event that contradicts those before it.
	problem error
}

// NewMedia returns the media before a run. hasLog says that the device's DRAM is a log.
func NewMedia(hasLog bool, mistake Mistake) *Media {
	return &Media{hasLog: hasLog, mistake: mistake, committed: make([]bool, 1, 64)}
}

// slot returns the slot of a page.
func (m *Media) slot(number int32) int32 {
	if int(number) >= len(m.slots) {
		m.slots = append(m.slots, make([]int32, int(number)+1-len(m.slots))...)
	}
	if m.slots[number] == 0 {
		m.pages = append(m.pages, page{number: number})
		m.flash = append(m.flash, [lines]int32{})
		m.slots[number] = int32(len(m.pages))
	}
	return m.slots[number] - 1
}

// has reports whether a transaction is in the TxLog. Writes of none need no commit.
func (m *Media) has(tx int32) bool {
	return tx == 0 || int(tx) < len(m.committed) && m.committed[tx]
}

// Step does event n of a run. Events that are not the device's change nothing.
func (m *Media) Step(n int, e *plan.Event) {
	switch e.Moment {
	case plan.Appended:
		m.write(m.slot(e.Page), e.Lines, e.Tx, int32(n+1))
	case plan.Stored:
		at := m.slot(e.Page)
		if m.mistake != KeepsLines {
			m.void(at)
		}
		for i := range m.flash[at] {
			m.flash[at][i] = int32(n + 1)
		}
	case plan.Trimmed:
		at := m.slot(e.Page)
		m.void(at)
		m.flash[at] = [lines]int32{}
	case plan.Swapped:
		m.swap(n)
	case plan.Merging:
		m.merging(n, e)
	case plan.Merged:
		m.merged(e)
	case plan.Committed:
		if int(e.Tx) >= len(m.committed) {
			m.committed = append(m.committed, make([]bool, int(e.Tx)+1-len(m.committed))...)
		}
		m.committed[e.Tx] = true
	}
}

// write puts lines of a page into the log, or the buffer of pages.
func (m *Media) write(at int32, set uint64, tx, value int32) {
	for i := range lines {
		if set>>i&1 == 0 {
			continue
		}
		if m.hasLog {
			m.append(m.active, entry{value: value, tx: tx, slot: at, line: uint8(i)})
		} else {
			m.flash[at][i] = value
		}
	}
}

// append adds an entry to a half.
func (m *Media) append(half int, e entry) {
	p, log := &m.pages[e.slot], &m.log[half]
	e.before = p.last[half]
	*log = append(*log, e)
	p.last[half] = int32(len(*log))
}

// void makes a page's lines in the log void, and what cleaning programs of them.
func (m *Media) void(at int32) {
	p := &m.pages[at]
	for h := range p.last {
		for i := p.last[h]; i > 0; i = m.log[h][i-1].before {
			m.log[h][i-1].void = true
		}
		p.last[h] = 0
	}
	m.drop(p)
}

// drop forgets a program that is under way.
func (m *Media) drop(p *page) {
	if p.program != nil {
		m.free = append(m.free, p.program)
		p.program = nil
	}
}

// swap lets the halves change places. What is left in the one that has been cleaned is
// carried over, ahead of what is in the other, so that the log keeps its order: lines of
// open transactions, and under them the last ones that have committed, which would be lost
// if those never do. A device has to have cleaned all others.
func (m *Media) swap(n int) {
	clean, other := 1-m.active, m.active
	m.carry = m.carry[:0]
	for i := range m.log[clean] {
		e := &m.log[clean][i]
		if e.void {
			continue
		}
		switch open, done := m.newer(clean, int32(i)); {
		case done:
			continue
		case e.due && !open && m.problem == nil:
			m.problem = fmt.Errorf("event %d: the halves of the log change places, but line %d of page %d is in the one to be filled, written by transaction %d, which had committed before it was cleaned", n, e.line, m.pages[e.slot].number, e.tx)
		}
		e.merging = false
		m.carry = append(m.carry, *e)
	}
	for i := range m.log[clean] {
		m.pages[m.log[clean][i].slot].last[clean] = 0
	}
	m.log[clean] = m.log[clean][:0]
	m.active = clean
	for i := range m.log[other] {
		m.pages[m.log[other][i].slot].last[other] = 0
	}
	m.carry = append(m.carry, m.log[other]...)
	m.log[other] = m.log[other][:0]
	for _, e := range m.carry {
		if !e.void {
			e.due = m.has(e.tx)
			m.append(other, e)
		}
	}
}

// newer reports whether the log has newer lines than an entry's of the same place: of
// transactions that are open, and that have committed.
func (m *Media) newer(half int, at int32) (open, done bool) {
	e := &m.log[half][at]
	p := &m.pages[e.slot]
	for i := p.last[half]; i > at+1; i = m.log[half][i-1].before {
		if x := &m.log[half][i-1]; x.line == e.line && !x.void {
			open, done = open || !m.has(x.tx), done || m.has(x.tx)
		}
	}
	if half == m.active {
		return open, done
	}
	for i := p.last[m.active]; i > 0; i = m.log[m.active][i-1].before {
		if x := &m.log[m.active][i-1]; x.line == e.line {
			open, done = open || !m.has(x.tx), done || m.has(x.tx)
		}
	}
	return open, done
}

// merging begins to program a page with what the half that is being cleaned has of it and
// has committed.
func (m *Media) merging(n int, e *plan.Event) {
	at := m.slot(e.Page)
	p, old := &m.pages[at], 1-m.active
	image := &[lines]int32{}
	if last := len(m.free) - 1; last >= 0 {
		image, m.free = m.free[last], m.free[:last]
	}
	*image = m.flash[at]
	var set uint64
	for i := p.last[old]; i > 0; i = m.log[old][i-1].before {
		x := &m.log[old][i-1]
		if x.void || !m.has(x.tx) && m.mistake != MergesOpen {
			continue
		}
		x.merging = true
		if bit := uint64(1) << x.line; set&bit == 0 {
			set |= bit
			image[x.line] = x.value
			if open, done := m.newer(old, i-1); m.problem == nil && e.Lines&bit == 0 && !open && !done {
				m.problem = fmt.Errorf("event %d: cleaning programs lines %#x of page %d and forgets line %d, which has committed", n, e.Lines, e.Page, x.line)
			}
		}
	}
	m.drop(p)
	p.program = image
	if m.mistake == MapsTooSoon { // the program has come half way
		m.flash[at] = *image
		for i := lines / 2; i < lines; i++ {
			m.flash[at][i] = garbage
		}
		m.leave(p)
	}
}

// merged enters a programmed page in the index, and its lines leave the half. A block write
// in between has made the program void.
func (m *Media) merged(e *plan.Event) {
	at := m.slot(e.Page)
	p := &m.pages[at]
	if p.program != nil {
		m.flash[at] = *p.program
		m.leave(p)
		m.drop(p)
	}
}

// leave makes the entries void that were programmed.
func (m *Media) leave(p *page) {
	old := 1 - m.active
	for i := p.last[old]; i > 0; i = m.log[old][i-1].before {
		if x := &m.log[old][i-1]; x.merging {
			x.void = true
		}
	}
}

// A Tree is what recovery finds: the value of every line, by slot.
type Tree struct {
	Lines [][lines]int32
	// Scanned lines of the log: of them, those applied, and those thrown away because
	// their transaction had not committed. The rest were void.
	Scanned, Applied, Discarded int64
	order                       []entry
}

// Recover brings back what the media hold, into tree. entered says that programs under way
// had ended and were in the index, while their lines were still in the log.
func (m *Media) Recover(tree *Tree, entered bool) {
	tree.Lines = append(tree.Lines[:0], m.flash...)
	tree.Scanned, tree.Applied, tree.Discarded = 0, 0, 0
	if entered {
		for i := range m.pages {
			if m.pages[i].program != nil {
				tree.Lines[i] = *m.pages[i].program
			}
		}
	}
	tree.order = tree.order[:0]
	for _, h := range [2]int{1 - m.active, m.active} {
		for i := range m.log[h] {
			e := &m.log[h][i]
			tree.Scanned++
			switch {
			case e.void:
			case !m.has(e.tx) && m.mistake != IgnoresTx:
				tree.Discarded++
			case m.mistake == InIDOrder:
				tree.order = append(tree.order, *e)
				tree.Applied++
			default:
				tree.Lines[e.slot][e.line] = e.value
				tree.Applied++
			}
		}
	}
	slices.SortStableFunc(tree.order, func(a, b entry) int { return int(a.tx) - int(b.tx) })
	for i := range tree.order {
		e := &tree.order[i]
		tree.Lines[e.slot][e.line] = e.value
	}
}

// A Truth is what a device should have after a failure: the lines of committed
// transactions, written in the order of their commits, and blocks. It knows no log.
type Truth struct {
	hasLog bool
	slots  []int32
	lines  [][lines]int32
	open   []opened
}

// opened is a transaction that has not committed, with what it wrote in order.
type opened struct {
	tx    int32
	wrote []wrote
}

// wrote are lines of a page.
type wrote struct {
	slot, value int32
	set         uint64
}

// slot is as Media's: both count pages in the order in which events name them.
func (t *Truth) slot(number int32) int32 {
	if int(number) >= len(t.slots) {
		t.slots = append(t.slots, make([]int32, int(number)+1-len(t.slots))...)
	}
	if t.slots[number] == 0 {
		t.lines = append(t.lines, [lines]int32{})
		t.slots[number] = int32(len(t.lines))
	}
	return t.slots[number] - 1
}

// NewTruth returns what a device has before a run.
func NewTruth(hasLog bool) *Truth { return &Truth{hasLog: hasLog} }

// Step does event n of a run.
func (t *Truth) Step(n int, e *plan.Event) {
	switch e.Moment {
	case plan.Appended:
		w := wrote{slot: t.slot(e.Page), value: int32(n + 1), set: e.Lines}
		if e.Tx == 0 || !t.hasLog {
			t.apply(w)
			return
		}
		at := slices.IndexFunc(t.open, func(o opened) bool { return o.tx == e.Tx })
		if at < 0 {
			at = len(t.open)
			if at < cap(t.open) {
				t.open = t.open[:at+1]
				t.open[at].tx, t.open[at].wrote = e.Tx, t.open[at].wrote[:0]
			} else {
				t.open = append(t.open, opened{tx: e.Tx})
			}
		}
		t.open[at].wrote = append(t.open[at].wrote, w)
	case plan.Stored:
		t.block(t.slot(e.Page), int32(n+1))
	case plan.Trimmed:
		t.block(t.slot(e.Page), 0)
	case plan.Merging, plan.Merged:
		t.slot(e.Page)
	case plan.Committed:
		at := slices.IndexFunc(t.open, func(o opened) bool { return o.tx == e.Tx })
		if at < 0 {
			return
		}
		for _, w := range t.open[at].wrote {
			t.apply(w)
		}
		last := len(t.open) - 1
		t.open[at], t.open[last] = t.open[last], t.open[at]
		t.open = t.open[:last]
	}
}

// apply writes lines.
func (t *Truth) apply(w wrote) {
	for i := range lines {
		if w.set>>i&1 == 1 {
			t.lines[w.slot][i] = w.value
		}
	}
}

// block gives a whole page a value: it is newer than any line written before.
func (t *Truth) block(at, value int32) {
	for i := range t.lines[at] {
		t.lines[at][i] = value
	}
	for i := range t.open {
		t.open[i].wrote = slices.DeleteFunc(t.open[i].wrote, func(w wrote) bool { return w.slot == at })
	}
}

// origin says where a value of a line comes from.
func origin(value int32) string {
	switch value {
	case garbage:
		return "of a program that was cut off"
	case 0:
		return "as before the run, or empty"
	}
	return fmt.Sprintf("of event %d", value-1)
}

// Wrong counts the lines in which a tree is not as it should be, and describes the first.
func (t *Truth) Wrong(m *Media, tree *Tree) (wrong int64, first string) {
	for at := range t.lines {
		if tree.Lines[at] == t.lines[at] {
			continue
		}
		for i := range lines {
			if got, want := tree.Lines[at][i], t.lines[at][i]; got != want {
				if wrong == 0 {
					first = fmt.Sprintf("line %d of page %d is %s and should be %s", i, m.pages[at].number, origin(got), origin(want))
				}
				wrong++
			}
		}
	}
	return wrong, first
}
