package engine

import (
	"cmp"
	"slices"

	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Reason says why a tensor moved.
type Reason uint8

// The reasons.
const (
	Planned Reason = iota // the program or the policy wants it there
	OnFault               // a kernel waits for it
	ForRoom               // something else needs its place
)

// String returns the reason in words.
func (r Reason) String() string { return [...]string{"planned", "on fault", "for room"}[r] }

// A Transfer is bytes of one tensor on their way between the GPU and another
// place. Times are cycles since the reported iteration began; the last ones may
// end after it.
type Transfer struct {
	Tensor     workload.TensorID
	From, To   machine.Tier // one of them is the GPU
	Reason     Reason
	Start, End unit.Cycles
	Bytes      unit.Bytes
}

// A Stall is time in which a kernel waits for one cause. A cycle of the ledger is
// in exactly one.
type Stall struct {
	Kernel     workload.KernelID
	Cause      result.Cause
	Start, End unit.Cycles
}

// A Resident says that a tensor has so many bytes of GPU memory from a moment on: as it is when a
// kernel ends. What a memory model cannot say of a tensor is in none.
type Resident struct {
	Tensor workload.TensorID
	At     unit.Cycles
	Bytes  unit.Bytes
}

// A Record is what happened in the reported iteration of a run, for those who
// want more than its sums. A run that has one measures the same. A memory model tells it
// what happens; nil is told for nothing.
type Record struct {
	Program   *program.Program
	Transfers []Transfer // by End; those over one link and in one direction never overlap
	Stalls    []Stall    // by Start
	Residents []Resident // by At: of each tensor when a kernel ends at which it has more or less than before

	touched []workload.TensorID // since a kernel ended
	held    []unit.Bytes        // of each tensor, as it was told last; nil is to be told anew
	kernel  workload.KernelID   // that runs, or waits to
	batch   []Transfer          // of the batch that runs, without times
	marks   []mark              // where iterations begin
	last    map[direction]int   // the last transfer there
}

// A direction is one way over one link.
type direction struct{ from, to machine.Tier }

// A mark is where an iteration begins.
type mark struct {
	transfers, stalls, residents int
	at                           unit.Cycles
}

// begin forgets everything: a run begins.
func (k *Record) begin(p *program.Program) {
	*k = Record{Program: p, marks: []mark{{}}, last: map[direction]int{}}
}

// Join gives what moved the tensors of an undivided workload ([workload.Workload.Divide]);
// of is empty where that is the one that ran.
func (k *Record) Join(of []workload.TensorID) {
	if k == nil || len(of) == 0 {
		return
	}
	k.Residents = nil // of parts
	for i := range k.Transfers {
		k.Transfers[i].Tensor = of[k.Transfers[i].Tensor]
	}
}

// Launch says that from now on kernel n runs, or waits to.
func (k *Record) Launch(n workload.KernelID) {
	if k != nil {
		k.kernel = n
	}
}

// EndIteration says that an iteration, not the last, has ended.
func (k *Record) EndIteration(now unit.Cycles) {
	if k == nil {
		return
	}
	k.marks = append(k.marks, mark{len(k.Transfers), len(k.Stalls), len(k.Residents), now})
	k.held = nil  // an iteration is told as a whole
	clear(k.last) // what belongs to two iterations is not joined
}

// Finish keeps what belongs to the reported iteration, counted from 0 among those whose
// ends were told.
func (k *Record) Finish(reported int) {
	if k == nil {
		return
	}
	from, to := k.marks[reported], mark{len(k.Transfers), len(k.Stalls), len(k.Residents), 0}
	if reported+1 < len(k.marks) {
		to = k.marks[reported+1]
	}
	k.Transfers = slices.Clone(k.Transfers[from.transfers:to.transfers])
	k.Stalls = slices.Clone(k.Stalls[from.stalls:to.stalls])
	for i := range k.Transfers {
		k.Transfers[i].Start -= from.at
		k.Transfers[i].End -= from.at
	}
	for i := range k.Stalls {
		k.Stalls[i].Start -= from.at
		k.Stalls[i].End -= from.at
	}
	k.Residents = slices.Clone(k.Residents[from.residents:to.residents])
	for i := range k.Residents {
		k.Residents[i].At -= from.at
	}
	k.batch, k.marks, k.last, k.touched, k.held = nil, nil, nil, nil, nil
}

// Move says that pages of a tensor move in the batch that runs. Between places of which
// one is nowhere nothing moves.
func (k *Record) Move(t workload.TensorID, from, to machine.Tier, why Reason, pages int64) {
	if k == nil || pages <= 0 || from == machine.Nowhere || to == machine.Nowhere {
		return
	}
	k.batch = append(k.batch, Transfer{Tensor: t, From: from, To: to, Reason: why, Bytes: unit.Bytes(pages) * unit.Page})
}

// EndBatch says when the batch ran whose moves were told. What goes the same way goes one
// after the other, each with its share of the time.
func (k *Record) EndBatch(start, end unit.Cycles) {
	if k == nil || len(k.batch) == 0 {
		return
	}
	total, before := map[direction]unit.Bytes{}, map[direction]unit.Bytes{}
	for i := range k.batch {
		total[direction{k.batch[i].From, k.batch[i].To}] += k.batch[i].Bytes
	}
	at := func(d direction) unit.Cycles {
		return start + unit.Cycles(unit.MulDiv(int64(end-start), int64(before[d]), int64(total[d])))
	}
	for _, x := range k.batch {
		d := direction{x.From, x.To}
		x.Start = at(d)
		before[d] += x.Bytes
		x.End = at(d)
		k.Transfer(x)
	}
	k.batch = k.batch[:0]
}

// Touch says that a tensor may have other bytes of GPU memory than before.
func (k *Record) Touch(t workload.TensorID) {
	if k != nil {
		k.touched = append(k.touched, t)
	}
}

// Reside says that a kernel ends, and what each of n tensors has of GPU memory then.
func (k *Record) Reside(now unit.Cycles, n int, bytes func(workload.TensorID) unit.Bytes) {
	if k == nil {
		return
	}
	tell := func(t workload.TensorID) {
		if has := bytes(t); has != k.held[t] {
			k.held[t] = has
			k.Residents = append(k.Residents, Resident{t, now, has})
		}
	}
	if k.held == nil {
		k.held = make([]unit.Bytes, n)
		for t := range n {
			tell(workload.TensorID(t))
		}
	} else {
		for _, t := range k.touched {
			tell(t)
		}
	}
	k.touched = k.touched[:0]
}

// Transfer says that something has moved, in cycles since the run began. What continues the
// transfer before it in its direction makes that longer.
func (k *Record) Transfer(x Transfer) {
	if k == nil {
		return
	}
	d := direction{x.From, x.To}
	if i, ok := k.last[d]; ok {
		if y := &k.Transfers[i]; y.Tensor == x.Tensor && y.Reason == x.Reason && y.End == x.Start {
			y.End, y.Bytes = x.End, y.Bytes+x.Bytes
			return
		}
	}
	k.last[d] = len(k.Transfers)
	k.Transfers = append(k.Transfers, x)
}

// Stall says that a kernel waits for one cause. What belongs together is joined.
func (k *Record) Stall(c result.Cause, start, end unit.Cycles) {
	if k == nil || end <= start {
		return
	}
	if n := len(k.Stalls); n > 0 {
		if s := &k.Stalls[n-1]; s.Kernel == k.kernel && s.Cause == c && s.End == start && n > k.marks[len(k.marks)-1].stalls {
			s.End = end
			return
		}
	}
	k.Stalls = append(k.Stalls, Stall{k.kernel, c, start, end})
}

// Insert adds stalls that somebody else found.
func (k *Record) Insert(stalls []Stall) {
	k.Stalls = append(k.Stalls, stalls...)
	slices.SortStableFunc(k.Stalls, func(a, b Stall) int { return cmp.Compare(a.Start, b.Start) })
}
