// Package bound says how fast an iteration can be at best on a machine, whatever moves
// when, and proves it: a lower bound by linear programming duality.
//
// A *value* is what one write leaves in a tensor until the next write. The iteration is
// cut at up to 40 *moments*, beginnings of kernels that need much memory; a *segment* goes
// from one moment to the next, from the last to the first of the next iteration. The linear
// program moves fractions of values: at every moment what is away covers what the kernel
// needs beyond GPU memory; in every segment each link carries at most its rate times the
// segment's kernels and waiting; the sum of all waiting is to be small. A value is written
// out at most once for every tier, between its write and the moment at which it is away, and
// comes back before its next reader. Every schedule of whole tensors is a point of it.
//
// The dual has a price for a byte that is away at a moment, for a byte through each link in
// a segment, and for a byte in host memory at a moment, and whatever prices are chosen, as
// long as what a cycle of waiting earns on all links is at most a cycle,
//
//	cycles of all kernels + Σ price × (need − memory) − Σ price of link × rate × cycles
//	  − Σ price of host × host memory − Σ over values: size × the most that a byte can earn
//
// is below the time of every iteration. [Solve] looks for good prices; [Certificate.Check]
// computes the sum with whole numbers and shares no code with the search.
//
// It holds for what moves data between GPU, host and SSD and neither computes anything
// again nor compresses, in a steady iteration, with a copy of a value in one tier at a
// time. With [Problem.Recompute] it holds for what computes values again as well: a value
// may then be given up, and come back for the time of the kernel that wrote it, shared by
// the bytes that the kernel writes. While a kernel runs again, links carry more. That the
// kernel's own inputs may be gone too, and that a rerun needs memory, is left out, so where
// chains of kernels would have to run again this bound is far from what can be reached. It
// does not hold for systems that need only part of a kernel's tensors at once,
// as unified memory where kernels touch rows. Links carry what the machine says; as
// published some carry more.
package bound

import (
	"slices"

	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// The channels between the GPU and what is outside. What comes from the SSD or goes there
// is on the GPU's link as well.
const (
	LinkIn = iota
	LinkOut
	HostIn
	HostOut
	SSDRead
	SSDWrite
	Channels
)

// A Machine is a GPU, and what is around it as far as a bound is concerned.
type Machine struct {
	Clock                 unit.Frequency // of kernel times
	GPUMemory, HostMemory unit.Bytes     // for tensors
	// GPULink and HostLink are rates of each direction.
	GPULink, HostLink, SSDRead, SSDWrite unit.Bandwidth
}

// rates returns what each channel carries.
func rates(m *Machine) [Channels]unit.Bandwidth {
	return [Channels]unit.Bandwidth{m.GPULink, m.GPULink, m.HostLink, m.HostLink, m.SSDRead, m.SSDWrite}
}

// A Gap is a time in which nobody uses a value: strictly between two of its uses. Kernels
// count on into the next iteration: To may be the number of kernels or more.
type Gap struct{ From, To int }

// A Value is what one write leaves in a tensor until the next.
type Value struct {
	Tensor workload.TensorID
	Size   unit.Bytes
	// Born is the kernel that writes it, or -1 for a global that no kernel writes: copies
	// of it are everywhere.
	Born int
	// Gaps are in order of time. Of what is never written it is one; the others are values
	// of their own.
	Gaps []Gap
}

// A Problem is what a bound is computed of.
type Problem struct {
	Workload *workload.Workload
	Kernels  int
	Exec     []unit.Cycles // of kernels whose data is all there
	Need     []unit.Bytes  // of GPU memory while a kernel runs and nothing is away
	Values   []Value       // in the order of their tensors
	// Idle are gaps that end with a kernel that only writes: nobody needs what the tensor
	// has then, and Need is without it.
	Idle    []Value
	Machine Machine
	// Recompute lets values be given up and computed again. It is false of what Of returns.
	Recompute bool
}

// Of returns the problem of a workload whose kernels take exec.
func Of(w *workload.Workload, exec []unit.Cycles, m *Machine) *Problem {
	life := vitality.Analyze(w)
	p := &Problem{Workload: w, Kernels: len(w.Kernels), Exec: exec, Need: life.Needed(w), Machine: *m}
	for t := range w.Tensors {
		p.add(life, workload.TensorID(t))
	}
	return p
}

// add adds the values of tensor t. A gap that ends with a kernel that only writes holds
// nothing that anybody needs.
func (p *Problem) add(life *vitality.Analysis, t workload.TensorID) {
	uses, n := life.Uses(t), p.Kernels
	global := p.Workload.Tensors[t].Global
	if !global { // what is written after the last reader is a value of one kernel
		end, _ := slices.BinarySearch(uses, life.Death[t])
		uses = uses[:end]
	}
	if len(uses) == 0 {
		return
	}
	writes := func(k workload.KernelID) bool { return slices.Contains(p.Workload.Kernels[k].Outputs, t) }
	reads := func(k workload.KernelID) bool { return slices.Contains(p.Workload.Kernels[k].Inputs, t) }
	first := 0
	if global {
		first = slices.IndexFunc(uses, writes)
	}
	clean := first < 0
	first = max(0, first)
	v := Value{Tensor: t, Size: p.Workload.Tensors[t].Bytes.Aligned(), Born: int(uses[first])}
	if clean {
		v.Born = -1
	}
	flush := func() {
		if len(v.Gaps) > 0 {
			p.Values = append(p.Values, v.within(n))
		}
		v.Gaps = nil
	}
	steps := len(uses)
	if !global {
		steps--
	}
	for i := range steps {
		a, b := uses[(first+i)%len(uses)], uses[(first+i+1)%len(uses)]
		from, to := int(a)+n*((first+i)/len(uses)), int(b)+n*((first+i+1)/len(uses))
		switch {
		case !reads(b):
			if to > from+1 {
				p.Idle = append(p.Idle, Value{Tensor: t, Size: v.Size, Born: from, Gaps: []Gap{{from, to}}}.within(n))
			}
			for k := from + 1; k < to; k++ {
				p.Need[k%n] -= v.Size
			}
		case to > from+1:
			v.Gaps = append(v.Gaps, Gap{from, to})
		}
		switch {
		case clean:
			flush()
		case writes(b):
			flush()
			v.Born = to
		}
	}
	flush()
}

// rerun returns the kernel that can compute v again, and how many bytes it writes; -1 for
// what keeps its value from one iteration to the next, or is written by none.
func (p *Problem) rerun(v *Value) (k int, bytes unit.Bytes) {
	if !p.Recompute || v.Born < 0 || p.Workload.Tensors[v.Tensor].Global {
		return -1, 0
	}
	outputs := p.Workload.Kernels[v.Born].Outputs
	if !slices.Contains(outputs, v.Tensor) {
		return -1, 0
	}
	for i, t := range outputs {
		if !slices.Contains(outputs[:i], t) {
			bytes += p.Workload.Tensors[t].Bytes.Aligned()
		}
	}
	return v.Born, bytes
}

// within returns v as it is where it begins in the first of iterations of n kernels.
func (v Value) within(n int) Value {
	first := v.Born
	if first < 0 {
		first = v.Gaps[0].From
	}
	if first < n {
		return v
	}
	if v.Born >= 0 {
		v.Born -= n
	}
	for i := range v.Gaps {
		v.Gaps[i].From -= n
		v.Gaps[i].To -= n
	}
	return v
}

// moments returns, for each of so many pieces of equal compute time, the kernel that needs
// most, in order. Pieces in which no kernel begins have none.
func (p *Problem) moments(pieces int) []int {
	var total, begin unit.Cycles
	for _, d := range p.Exec {
		total += d
	}
	best := make([]int, pieces)
	for i := range best {
		best[i] = -1
	}
	for k, d := range p.Exec {
		at := int(unit.MulDiv(int64(begin), int64(pieces), int64(total)))
		if best[at] < 0 || p.Need[k] > p.Need[best[at]] {
			best[at] = k
		}
		begin += d
	}
	return slices.DeleteFunc(best, func(k int) bool { return k < 0 })
}

// fits reports whether everything fits at once, so that nothing need move.
func (p *Problem) fits() bool { return slices.Max(p.Need) <= p.memory() }

// memory is what of GPU memory there is in whole pages.
func (p *Problem) memory() unit.Bytes { return p.Machine.GPUMemory / unit.Page * unit.Page }

// Ideal is the time of all kernels.
func (p *Problem) Ideal() (sum unit.Cycles) {
	for _, d := range p.Exec {
		sum += d
	}
	return sum
}
