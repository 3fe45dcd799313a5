package deepum

import (
	"cmp"
	"slices"

	"spillway/sim/train/engine/blocks"
	"spillway/sim/workload"
)

// What follows shows the tables and the chain as they are at the moment; nothing of it
// changes anything. blocks.Memory.Inspect is the place to ask.

// A Table is a kernel's block table.
type Table struct {
	Exec   blocks.ExecID
	Kernel workload.KernelID // launched last with this execution ID
	// Rows, Ways and Successors are the table's shape; RowsUsed of the rows have an
	// entry.
	Rows, Ways, Successors, RowsUsed int
	// Lost is how many entries made room for others of their row since the run began.
	Lost int64
	// Start is what faulted first, that of the last time first; End faulted last.
	Start []blocks.ID
	End   blocks.ID
	// Entries are in order of rows, in a row that used last first.
	Entries []Entry
}

// An Entry is a block that faulted and those that faulted right after it, that of the
// last time first.
type Entry struct {
	Row        int
	Block      blocks.ID
	Successors []blocks.ID
}

// A State is where a block is that the chain names.
type State uint8

// The states.
const (
	Away     State = iota // on the host, and not asked for
	Queued                // waits to be brought
	InFlight              // on its way
	Resident              // on the GPU
)

// String returns the state in words.
func (s State) String() string { return [...]string{"away", "queued", "in flight", "resident"}[s] }

// A Named is a block that the table of a kernel names.
type Named struct {
	Block blocks.ID
	State State
}

// A Step is one kernel of the chain.
type Step struct {
	Exec   blocks.ExecID
	Kernel workload.KernelID // launched last with this execution ID
	Blocks []Named           // in the order in which they are brought
}

// Count returns how many of a step's blocks are in a state.
func (s *Step) Count(state State) (n int) {
	for _, b := range s.Blocks {
		if b.State == state {
			n++
		}
	}
	return n
}

// A Chain is the running kernel and those that are predicted to follow.
type Chain struct {
	Steps []Step // the first is the running kernel
	// Blocks on the GPU: Protected are expected to be needed by a kernel of the chain.
	// Of the others, Free hold memory in use and Inactive do not.
	Protected, Free, Inactive int
}

// Executions returns how many execution IDs there are.
func (p *Pager) Executions() int { return len(p.kernels) }

// Running returns the execution ID of the running kernel, -1 before the first.
func (p *Pager) Running() blocks.ExecID { return p.history[3] }

// Kernel returns the kernel that was launched last with an execution ID.
func (p *Pager) Kernel(id blocks.ExecID) workload.KernelID { return p.kernels[id] }

// Records returns what the execution table has of an execution ID, that of the last
// time first.
func (p *Pager) Records(id blocks.ExecID) []Record { return p.executions.records(id) }

// Table returns the block table of an execution ID. ok is false if nothing ever
// faulted there.
func (p *Pager) Table(id blocks.ExecID) (x Table, ok bool) {
	if id < 0 || int(id) >= len(p.tables) || p.tables[id] == nil {
		return Table{}, false
	}
	t := p.tables[id]
	x = Table{
		Exec: id, Kernel: p.kernels[id], Rows: t.rows, Ways: t.ways, Successors: t.geometry.successors,
		RowsUsed: t.used, Lost: t.lost, Start: ids(t.after(start)), End: t.end,
	}
	row := func(e entry) uint32 { return t.row(*t.cell(e, tag)) }
	heads := slices.DeleteFunc(slices.Clone(t.slots), func(e entry) bool { return e == 0 })
	slices.SortFunc(heads, func(a, b entry) int { return cmp.Compare(row(a), row(b)) })
	for _, e := range heads {
		for ; e != 0; e = entry(*t.cell(e, next)) {
			x.Entries = append(x.Entries, Entry{int(row(e)), blocks.ID(*t.cell(e, tag)), ids(t.after(e))})
		}
	}
	return x, true
}

func ids(list []int32) []blocks.ID {
	x := make([]blocks.ID, len(list))
	for i, b := range list {
		x[i] = blocks.ID(b)
	}
	return x
}

// Chain returns the running kernel and the predicted ones, with the blocks that their
// tables name now.
func (p *Pager) Chain() Chain {
	var c Chain
	if !p.on() || p.history[3] == noExec {
		return c
	}
	for _, id := range append([]blocks.ExecID{p.history[3]}, p.chain...) {
		c.Steps = append(c.Steps, Step{id, p.kernels[id], p.named(id)})
	}
	for b := range p.run.Oldest() {
		switch {
		case p.Spare(b):
			c.Protected++
		case p.run.Active(b):
			c.Free++
		default:
			c.Inactive++
		}
	}
	return c
}

// named returns the blocks that a table names.
func (p *Pager) named(id blocks.ExecID) (list []Named) {
	t := p.tables[id]
	if t == nil {
		return nil
	}
	seen := make([]bool, len(p.blocks))
	work := []entry{start}
	for i := 0; i < len(work); i++ {
		for _, b := range t.after(work[i]) {
			if seen[b] {
				continue
			}
			seen[b] = true
			list = append(list, Named{blocks.ID(b), p.state(blocks.ID(b))})
			if e := t.find(blocks.ID(b)); e != none {
				work = append(work, e)
			}
		}
	}
	return list
}

func (p *Pager) state(b blocks.ID) State {
	resident := p.run.Resident(b)
	switch {
	case p.Queued(b) || b == p.flying && !resident: // the migration thread has it, and no memory for it
		return Queued
	case b == p.flying:
		return InFlight
	case resident:
		return Resident
	}
	return Away
}
