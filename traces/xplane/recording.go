package xplane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// Recordings returns one recording for each GPU on which something ran. Its steps
// are the runs of the module that takes most of the GPU's time. name is the file's,
// without folders.
func (t *Trace) Recordings(name string) []*recording.Recording {
	var list []*recording.Recording
	flows := map[*Module]*flow{}
	for i := range t.GPUs {
		g := &t.GPUs[i]
		if len(g.Events) == 0 {
			continue
		}
		r := &recording.Recording{
			Name: name, Format: "JAX profile (xplane)", Files: []string{name}, Label: recording.L2,
			Device: recording.Device{ID: g.ID, Memory: g.Memory}, Times: workload.Measured,
			Notes: slices.Clone(t.Notes),
		}
		if len(t.GPUs) > 1 {
			r.Name = fmt.Sprintf("%s, GPU %d", name, g.ID)
		}
		m := t.heaviest(g)
		if m == nil {
			times(r, g)
		} else {
			if flows[m] == nil {
				flows[m] = newFlow(m)
			}
			runs(r, g, m, flows[m])
		}
		list = append(list, r)
	}
	return list
}

// module returns the module of an event, nil if it is not in the file.
func (t *Trace) module(e *Event) *Module {
	if e.Module == "" {
		return nil
	}
	for i := range t.Modules {
		m := &t.Modules[i]
		if m.Name == e.Module && (e.Program == 0 || m.Program == e.Program) {
			return m
		}
	}
	return nil
}

// heaviest returns the module that takes most of a GPU's time.
func (t *Trace) heaviest(g *GPU) (most *Module) {
	type key struct {
		name    string
		program uint64
	}
	known := map[key]*Module{}
	sum := map[*Module]unit.Time{}
	for i := range g.Events {
		e := &g.Events[i]
		k := key{e.Module, e.Program}
		m, ok := known[k]
		if !ok {
			m = t.module(e)
			known[k] = m
		}
		if m == nil || len(m.Buffers) == 0 {
			continue
		}
		sum[m] += e.Time
		if most == nil || sum[m] > sum[most] {
			most = m
		}
	}
	return most
}

// times makes a recording without tensors.
func times(r *recording.Recording, g *GPU) {
	r.Label = recording.T
	r.Instead = "profile with jax.profiler.trace, which keeps the modules and their memory"
	r.Steps = []recording.Step{{Name: "whole file", Complete: true, Kernels: kernels(g.Events)}}
	r.Notes = append(r.Notes, "No kernel names a module whose memory the file describes, so tensors are not known.")
	r.Advice = []string{"Profile with jax.profiler.trace, which keeps the modules (the plane " + metadataPlane + ")."}
}

func kernels(events []Event) []recording.Kernel {
	list := make([]recording.Kernel, len(events))
	for i := range events {
		e := &events[i]
		list[i] = recording.Kernel{
			Name: e.Name, Op: e.Op, Start: e.Start - events[0].Start, Time: e.Time, Least: unit.Nanosecond, Stream: e.Stream, Kind: kindOf(e.Name),
		}
	}
	return list
}

// kindOf says what a kernel does, as its name tells.
func kindOf(name string) recording.KernelKind {
	lower := strings.ToLower(name)
	switch {
	case strings.HasPrefix(lower, "nccl"), strings.HasPrefix(lower, "rccl"):
		return recording.Communication
	case strings.HasPrefix(lower, "memcpyh2d"):
		return recording.HostToDevice
	case strings.HasPrefix(lower, "memcpyd2h"):
		return recording.DeviceToHost
	case strings.HasPrefix(lower, "memcpy"), strings.Contains(lower, "copybuffer"):
		return recording.DeviceToDevice
	case strings.HasPrefix(lower, "memset"), strings.Contains(lower, "fillbuffer"):
		return recording.Memset
	}
	return recording.Compute
}

// runs cuts a GPU's events into runs of a module.
func runs(r *recording.Recording, g *GPU, m *Module, f *flow) {
	bounds := cut(g.Events, m)
	last := 0
	var lost recording.Loss
	for i, b := range bounds {
		for _, e := range g.Events[last:b[0]] {
			lost.Kernels++
			lost.Time += e.Time
		}
		last = b[1]
		events := g.Events[b[0]:b[1]]
		s := recording.Step{Name: fmt.Sprintf("%s, run %d", m.Name, i+1), Complete: true, Kernels: kernels(events)}
		for j := range s.Kernels {
			s.Kernels[j].Start += events[0].Start - g.Events[0].Start
		}
		s.Tensors = tensors(m, f, events)
		r.Steps = append(r.Steps, s)
	}
	for _, e := range g.Events[last:] {
		lost.Kernels++
		lost.Time += e.Time
	}
	if lost.Kernels > 0 {
		lost.Why = "they run before, between and after the runs of " + m.Name + ": other modules and copies"
		r.Missing = []recording.Loss{lost}
	}
	complete(r.Steps)
	r.Chosen = middle(r.Steps)
	nameless := 0
	for i := range g.Events {
		if g.Events[i].Op == "" {
			nameless++
		}
	}
	if nameless > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d of %d kernels name no instruction.", nameless, len(g.Events)))
	}
	r.Notes = append(r.Notes, fmt.Sprintf("Steps are the runs of %s, the module that takes most of the time. The compiler gave its temporary values %d bytes, of which %d are in use at once.", m.Name, m.Temp, m.HeapPeak))
}

// cut returns where runs of a module begin and end: with each return of the
// operator that came first, if it is called from outside, up to the last kernel
// of the module.
func cut(events []Event, m *Module) (bounds [][2]int) {
	ours := func(e *Event) bool { return e.Module == m.Name && (e.Program == 0 || e.Program == m.Program) }
	first, before := "", ""
	for i := range events {
		e := &events[i]
		if !ours(e) {
			continue
		}
		at, ok := m.ops[e.Op]
		outer := ok && m.code[at].computation == m.entry
		if first == "" && outer || len(bounds) == 0 {
			if outer {
				first = e.Op
			}
			if len(bounds) == 0 {
				bounds = append(bounds, [2]int{i, i})
			}
		} else if e.Op == first && before != first {
			bounds = append(bounds, [2]int{i, i})
		}
		before = e.Op
		bounds[len(bounds)-1][1] = i + 1
	}
	return bounds
}

// complete marks runs that have fewer kernels than most as incomplete.
func complete(steps []recording.Step) {
	count := map[int]int{}
	most := 0
	for i := range steps {
		n := len(steps[i].Kernels)
		if count[n]++; count[n] > count[most] || count[n] == count[most] && n > most {
			most = n
		}
	}
	for i := range steps {
		steps[i].Complete = len(steps[i].Kernels) >= most
	}
}

// middle returns the middle one of the complete steps.
func middle(steps []recording.Step) int {
	var list []int
	for i := range steps {
		if steps[i].Complete {
			list = append(list, i)
		}
	}
	return list[len(list)/2]
}

// tensors returns the values that a run's kernels use.
func tensors(m *Module, f *flow, events []Event) []recording.Tensor {
	uses := make([][]recording.Use, len(m.Buffers))
	size := make([]unit.Bytes, len(m.Buffers))
	donated := make([]bool, len(m.Buffers)) // parameters that get a next value
	some := false
	for b := range m.Buffers {
		root := f.root(int32(b))
		size[root] = max(size[root], m.Buffers[b].Bytes)
		if m.Buffers[b].Parameter && m.Buffers[b].Out {
			donated[root], some = true, true
		}
	}
	for k := range events {
		at, ok := m.ops[events[k].Op]
		if !ok || events[k].Module != m.Name {
			continue
		}
		i := &m.code[at]
		for _, b := range f.reads(i) {
			uses[f.root(b)] = use(uses[f.root(b)], int32(k), true, false)
		}
		if k+1 < len(events) && events[k+1].Op == events[k].Op && events[k+1].Module == m.Name {
			continue // the last of an instruction's kernels writes
		}
		for _, d := range i.defines {
			uses[f.root(d.buffer)] = use(uses[f.root(d.buffer)], int32(k), false, true)
		}
	}
	tenant := map[place]int32{} // the last kernel that uses a place
	for b := range m.Buffers {
		if n := len(uses[b]); n > 0 {
			tenant[m.Buffers[b].place] = max(tenant[m.Buffers[b].place], uses[b][n-1].Kernel)
		}
	}
	var list []recording.Tensor
	var count [6]int
	for b := range m.Buffers {
		if len(uses[b]) == 0 || size[b] == 0 {
			continue
		}
		t := recording.Tensor{Bytes: size[b], From: recording.Measured, Uses: uses[b]}
		t.Kind, t.Global = role(&m.Buffers[b], donated[b], some)
		if u := uses[b]; t.Kind == workload.Intermediate && len(u) == 1 && !u[0].Read && (!m.Buffers[b].Out || tenant[m.Buffers[b].place] > u[0].Kernel) {
			t.Kind = workload.Workspace // nobody reads it, and it is no result
		}
		count[t.Kind]++
		t.Name = fmt.Sprintf("%v %d", t.Kind, count[t.Kind])
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(a, b recording.Tensor) int { return cmp.Compare(a.Uses[0].Kernel, b.Uses[0].Kernel) })
	return list
}

// use adds a use to those of a tensor; each kernel has one.
func use(list []recording.Use, kernel int32, read, write bool) []recording.Use {
	if n := len(list); n > 0 && list[n-1].Kernel == kernel {
		list[n-1].Read = list[n-1].Read || read
		list[n-1].Write = list[n-1].Write || write
		return list
	}
	return append(list, recording.Use{Kernel: kernel, Read: read, Write: write})
}

// role says what a value most likely is. Parameters that are given up for their
// next value are weights or optimizer state; where there are such the others are
// inputs.
func role(b *Buffer, donated, some bool) (kind workload.Kind, global bool) {
	switch {
	case b.Constant, b.Parameter && (donated || !some):
		return workload.Weight, true
	case b.Parameter:
		return workload.Input, false
	}
	return workload.Intermediate, false
}
