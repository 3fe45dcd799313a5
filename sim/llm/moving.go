package llm

import (
	"cmp"
	"fmt"
	"slices"

	"spillway/sim/bound"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Of GPUs with different kernels all are looked at with few moments, and those of them that
// then take longest with as many as there are.
const (
	coarse  = bound.Most / 4
	refined = 2
)

// A problem is how long an iteration takes at least because of what one GPU moves.
type problem struct {
	*bound.Problem
	gpu  int
	time unit.Time
}

// solve looks for prices at so many moments. What fewer have proved holds, too.
func (p *problem) solve(moments int) error {
	c, err := p.Solve(moments)
	if err == nil {
		p.time = max(p.time, unit.Time(c.Cycles)) // a cycle is a picosecond
	}
	return err
}

// problems are those of GPUs with different kernels, where programs alone move tensors and
// host memory may take so many bytes: the linear program of package bound. Each GPU is given all of the
// links and of the host memory that others use, too.
func (f *floorer) problems(host unit.Bytes) (list []problem, err error) {
	type kind struct {
		w *workload.Workload
		m bound.Machine
	}
	known := map[kind]bool{}
	for g, w := range f.j.Parts {
		m, err := f.around(g, host)
		if err != nil {
			return nil, err
		}
		if known[kind{w, m}] {
			continue
		}
		known[kind{w, m}] = true
		exec := make([]unit.Cycles, len(w.Kernels))
		for k, t := range f.exec[g] {
			exec[k] = unit.Cycles(t)
		}
		list = append(list, problem{Problem: bound.Of(w, exec, &m), gpu: g})
	}
	return list, nil
}

// moving notes what programs take at least that move tensors.
func (f *floorer) moving(host unit.Bytes) error {
	list, err := f.problems(host)
	if err != nil {
		return err
	}
	for i := range list {
		if err := list[i].solve(coarse); err != nil {
			return err
		}
	}
	slices.SortStableFunc(list, func(a, b problem) int { return cmp.Compare(b.time, a.time) })
	for i := range list {
		p := &list[i]
		if i < refined && p.time > unit.Time(p.Ideal()) {
			if err := p.solve(bound.Most); err != nil {
				return err
			}
		}
		f.takes(p.time, func() string { return fmt.Sprintf("what the memory of GPU %d cannot hold, whatever moves when", p.gpu) })
	}
	return nil
}

// absent is how much slower than a GPU's link drives are taken to be that are not there: as fast as that
// they may well be, since a bound of a better machine holds.
const absent = 100

// around is a GPU with all that is around it for itself.
func (f *floorer) around(g int, host unit.Bytes) (m bound.Machine, err error) {
	m = bound.Machine{
		Clock: unit.Frequency(unit.Second), GPUMemory: f.n.Usable(), HostMemory: host, GPULink: f.n.GPU.Link,
		SSDRead: max(1, f.n.GPU.Link/absent), SSDWrite: max(1, f.n.GPU.Link/absent),
	}
	gpu, dram, array := onGPU(g), machine.Endpoint{Kind: machine.OnHost}, machine.Endpoint{Kind: machine.OnArray, Index: int16(g)}
	way := func(rate *unit.Bandwidth, from, to machine.Endpoint) {
		if err != nil {
			return
		}
		var r unit.Bandwidth
		r, err = f.rate(from, to)
		*rate = max(*rate, r)
	}
	way(&m.HostLink, dram, gpu)
	way(&m.HostLink, gpu, dram)
	if len(f.n.Arrays) > 0 {
		m.SSDRead, m.SSDWrite = 0, 0
		way(&m.SSDRead, array, gpu)
		way(&m.SSDWrite, gpu, array)
	}
	return m, err
}
