package autotm

import (
	"cmp"
	"fmt"
	"slices"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/swapplan"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// A gap is a time between two uses of a tensor. Kernels count on over the end of the
// iteration: those of the next are n and more.
type gap struct {
	tensor  workload.TensorID
	at, end int32 // kernels at to end-1 do not use it
	value   int32 // gaps in which the tensor has the same value are neighbours with the same number
}

// A choice is what becomes of a gap: nothing, or a way out and one back in. Each is
// beside a kernel or, if sync, before kernel out or in, while everything waits.
type choice struct {
	moved           bool
	syncOut, syncIn bool
	out, in         int32
}

// from and to bound the kernels from to to-1 during which the tensor has no memory.
func (c choice) from() int32 {
	if c.syncOut {
		return c.out
	}
	return c.out + 1
}

func (c choice) to() int32 { return c.in }

// A problem is a workload's, and a state of its solution.
type problem struct {
	load   *swapplan.Load
	memory unit.Bytes
	host   unit.Bytes
	exec   []unit.Cycles // by kernel
	move   []unit.Cycles // by tensor, one way
	gaps   []gap         // by tensor, then by time
	first  []int32       // gaps first[v]:first[v+1] have value v
	chosen []choice      // by gap
	clean  []bool        // by tensor: no kernel writes it, and host memory has its value

	beside  []unit.Cycles // moves beside each kernel
	between unit.Cycles   // moves between kernels
	excess  []unit.Bytes  // by kernel, what does not fit; negative: what is free
	over    int           // kernels with a positive excess
	tried   int           // candidates examined
	roomy   bool          // host memory holds all that is ever alive

	work, told int    // kernels of candidates looked at, and when tell was last called
	patience   int    // how many are
	tell       func() // tells progress
	improving  bool   // everything fits
	improved   int    // how far that is, of 300

	relief []unit.Bytes // scratch, as full
	full   []int32
	outs   []end
	ins    []end
}

func newProblem(l *swapplan.Load, m *machine.Machine) *problem {
	timer := swapplan.NewTimer(l, m)
	n := len(l.Alive)
	p := &problem{
		load: l, memory: m.GPUMemory, host: m.HostMemory, exec: timer.Exec(), move: make([]unit.Cycles, len(l.Size)),
		beside: make([]unit.Cycles, n), excess: make([]unit.Bytes, n), clean: make([]bool, len(l.Size)),
		relief: make([]unit.Bytes, n+1), full: make([]int32, n+1), roomy: slices.Max(l.Alive) <= m.HostMemory, patience: patience,
	}
	for t := range p.move {
		p.move[t] = timer.Move(workload.TensorID(t))
		p.clean[t] = l.Workload.Tensors[t].Global
	}
	for k := range l.Workload.Kernels {
		for _, t := range l.Workload.Kernels[k].Outputs {
			p.clean[t] = false
		}
	}
	for k := range p.excess {
		p.excess[k] = l.Alive[k] - m.GPUMemory
		if p.excess[k] > 0 {
			p.over++
		}
	}
	p.findGaps()
	p.chosen = make([]choice, len(p.gaps))
	return p
}

// findGaps lists the gaps, and which have the same value: no kernel between them
// writes the tensor.
func (p *problem) findGaps() {
	w, n := p.load.Workload, int32(len(p.exec))
	var last *vitality.Period
	for i := range p.load.Life.Periods {
		x := &p.load.Life.Periods[i]
		g := gap{tensor: x.Tensor, at: int32(x.Start), end: int32(x.End)}
		if x.Wraps {
			g.end += n
		}
		until := x.Start
		if last != nil && until < last.End {
			until = workload.KernelID(n) // the gap before the first use comes last
		}
		if last != nil && last.Tensor == x.Tensor && !p.written(w, x.Tensor, last.End, until) {
			g.value = int32(len(p.first) - 1)
		} else {
			g.value = int32(len(p.first))
			p.first = append(p.first, int32(i))
		}
		p.gaps = append(p.gaps, g)
		last = x
	}
	p.first = append(p.first, int32(len(p.gaps)))
}

// written reports whether one of the kernels from to to-1 that use t writes it.
func (p *problem) written(w *workload.Workload, t workload.TensorID, from, to workload.KernelID) bool {
	for _, k := range p.load.Life.Uses(t) {
		if from <= k && k < to && slices.Contains(w.Kernels[k].Outputs, t) {
			return true
		}
	}
	return false
}

// kernel returns the kernel of the iteration that k, which counts on, is.
func (p *problem) kernel(k int32) int32 {
	if n := int32(len(p.exec)); k >= n {
		return k - n
	}
	return k
}

// objective is the time of an iteration.
func (p *problem) objective() unit.Cycles {
	sum := p.between
	for k, d := range p.exec {
		sum += max(d, p.beside[k])
	}
	return sum
}

// cost is by how much a move of d more beside kernel k lengthens the iteration.
func (p *problem) cost(k int32, d unit.Cycles) unit.Cycles {
	k = p.kernel(k)
	return max(p.exec[k], p.beside[k]+d) - max(p.exec[k], p.beside[k])
}

// set changes what becomes of gap i, and all that follows from it.
func (p *problem) set(i int32, c choice) {
	g := &p.gaps[i]
	p.charge(g.value, -1)
	p.hold(g, p.chosen[i], +1)
	p.chosen[i] = c
	p.hold(g, c, -1)
	p.charge(g.value, +1)
}

// charge adds the moves of a value's gaps to the time, or takes them off. The value is
// written back in the first of them.
func (p *problem) charge(value int32, sign unit.Cycles) {
	written := p.clean[p.gaps[p.first[value]].tensor]
	for i := p.first[value]; i < p.first[value+1]; i++ {
		c := p.chosen[i]
		if !c.moved {
			continue
		}
		d := sign * p.move[p.gaps[i].tensor]
		if !written {
			written = true
			if c.syncOut {
				p.between += d
			} else {
				p.beside[p.kernel(c.out)] += d
			}
		}
		if c.syncIn {
			p.between += d
		} else {
			p.beside[p.kernel(c.in)] += d
		}
	}
}

// hold takes a gap's memory, or gives it back, where choice c does without.
func (p *problem) hold(g *gap, c choice, sign unit.Bytes) {
	if !c.moved {
		return
	}
	size := sign * p.load.Size[g.tensor]
	for k := c.from(); k < c.to(); k++ {
		e := &p.excess[p.kernel(k)]
		if *e > 0 {
			p.over--
		}
		if *e += size; *e > 0 {
			p.over++
		}
	}
}

// away is what kernel k's iteration has in host memory while k runs.
func (p *problem) away(k int32) unit.Bytes { return p.load.Alive[k] - p.memory - p.excess[k] }

// why says what keeps a kernel from fitting: it would alone, so host memory is full.
func (p *problem) why() error {
	worst := int32(0)
	for k := range p.excess {
		if p.excess[k] > p.excess[worst] {
			worst = int32(k)
		}
	}
	return &engine.DoesNotFit{Reason: fmt.Sprintf(
		"while kernel %d (%s) runs, %v too much is on the GPU, which has %v, with %v in host memory, which has %v; more memory or a smaller batch would help",
		worst, p.load.Workload.Kernels[worst].Name, p.excess[worst], p.memory, p.away(worst), p.host)}
}

// moved lists the gaps that are moved, by their ends.
func (p *problem) moved() []int32 {
	var list []int32
	for i := range p.chosen {
		if p.chosen[i].moved {
			list = append(list, int32(i))
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(p.gaps[a].end, p.gaps[b].end) })
	return list
}

// program writes the choices down. Before a kernel everything that moves beside the one
// before it has arrived; then come the moves between the two, then those beside it.
func (p *problem) program() *program.Program {
	n := len(p.exec)
	at := make([][4][]program.Op, n) // moves between kernels, out and in; moves beside, out and in
	wait := make([]bool, n)          // for moves beside the kernel before
	for _, i := range p.moved() {
		c, t := p.chosen[i], p.gaps[i].tensor
		out, in := p.kernel(c.out), p.kernel(c.in)
		to := &at[out][2]
		if c.syncOut {
			to = &at[out][0]
		} else {
			wait[(int(out)+1)%n] = true
		}
		*to = append(*to, program.Op{At: workload.KernelID(out), Kind: program.Evict, Tensor: t, To: machine.Host})
		to = &at[in][3]
		if c.syncIn {
			to = &at[in][1]
		} else {
			wait[(int(in)+1)%n] = true
		}
		*to = append(*to, program.Op{At: workload.KernelID(in), Kind: program.Prefetch, Tensor: t})
	}
	r := &program.Program{Rounds: p.tried}
	for k := range at {
		barrier := program.Op{At: workload.KernelID(k), Kind: program.Barrier}
		if wait[k] {
			r.Ops = append(r.Ops, barrier)
		}
		if between := append(at[k][0], at[k][1]...); len(between) > 0 {
			r.Ops = append(append(r.Ops, between...), barrier)
		}
		r.Ops = append(append(r.Ops, at[k][2]...), at[k][3]...)
	}
	return r
}
