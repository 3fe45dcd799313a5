package offload

import (
	"fmt"
	"slices"

	"spillway/sim/llm/job"
	"spillway/sim/machine"
	"spillway/sim/workload"
)

// Most of what a run may have; tags of tasks count so far.
const (
	mostGPUs       = 1 << 10
	mostIterations = 16
	mostExtras     = 1 << 22
)

// check reports what is wrong with a schedule, or with the options.
func check(j *job.Job, s *Schedule, n *machine.Node, o *Options) error {
	if o.Iterations < 0 || o.Iterations > mostIterations || o.Points < 0 {
		return fmt.Errorf("%d iterations and curves of %d points; want 1 to %d, and 1 or more", o.Iterations, o.Points, mostIterations)
	}
	if len(j.Parts) == 0 || len(j.Parts) > mostGPUs || int64(len(j.Parts)) > n.GPUs {
		return fmt.Errorf("the job needs %d GPUs; the node has %d", len(j.Parts), n.GPUs)
	}
	for i, w := range j.Parts {
		if slices.Contains(j.Parts[:i], w) {
			continue
		}
		if err := w.Validate(); err != nil {
			return fmt.Errorf("GPU %d: %w", i, err)
		}
	}
	if err := refs(j); err != nil {
		return err
	}
	if s.Programs != nil && len(s.Programs) != len(j.Parts) {
		return fmt.Errorf("the schedule has programs for %d GPUs; the job needs %d", len(s.Programs), len(j.Parts))
	}
	if s.Within < 0 || s.Static < 0 || s.Host < 0 || s.Drives < 0 || s.HostLimit < 0 {
		return fmt.Errorf("the schedule takes %d bytes of GPUs, uses at most %d, %d of host memory, at most %d for tensors, and %d of drives; want 0 or more", s.Static, s.Within, s.Host, s.HostLimit, s.Drives)
	}
	away := kinds(s.Away)
	for g, p := range s.Programs {
		if err := p.check(j.Parts[g], &away, n.Array(g) != nil); err != nil {
			return fmt.Errorf("program of GPU %d: %w", g, err)
		}
	}
	if len(s.Extras) > mostExtras {
		return fmt.Errorf("the schedule has %d extra tasks; at most %d are supported", len(s.Extras), mostExtras)
	}
	for i := range s.Extras {
		if err := s.Extras[i].check(j, len(s.Extras)); err != nil {
			return fmt.Errorf("extra task %d (%s): %w", i, s.Extras[i].Name, err)
		}
	}
	return circle(s.Extras)
}

// there reports whether a job has a kernel.
func there(j *job.Job, ref job.Ref) bool {
	return ref.Part >= 0 && int(ref.Part) < len(j.Parts) && ref.Kernel >= 0 && int(ref.Kernel) < len(j.Parts[ref.Part].Kernels)
}

// refs checks what sends and collectives speak of.
func refs(j *job.Job) error {
	for i := range j.Sends {
		if s := &j.Sends[i]; !there(j, s.From) || !there(j, s.To) || s.From.Part == s.To.Part || s.Bytes < 0 {
			return fmt.Errorf("send %d: %d bytes from kernel %d of GPU %d to kernel %d of GPU %d", i, s.Bytes, s.From.Kernel, s.From.Part, s.To.Kernel, s.To.Part)
		}
	}
	is := make([][]bool, len(j.Parts)) // by part and kernel: a collective's
	for i := range j.Collectives {
		c := &j.Collectives[i]
		if c.Bytes < 0 || len(c.Members) == 0 {
			return fmt.Errorf("collective %d: %d bytes on %d GPUs", i, c.Bytes, len(c.Members))
		}
		for _, ref := range append(c.Wait[:len(c.Wait):len(c.Wait)], c.Members...) {
			if !there(j, ref) {
				return fmt.Errorf("collective %d speaks of kernel %d of GPU %d, which is not there", i, ref.Kernel, ref.Part)
			}
		}
		if len(c.Wait) > 0 {
			continue
		}
		for _, ref := range c.Members {
			if is[ref.Part] == nil {
				is[ref.Part] = make([]bool, len(j.Parts[ref.Part].Kernels))
			}
			if is[ref.Part][ref.Kernel] {
				return fmt.Errorf("collective %d: kernel %d of GPU %d is one already", i, ref.Kernel, ref.Part)
			}
			is[ref.Part][ref.Kernel] = true
		}
	}
	return nil
}

func kinds(list []workload.Kind) (set [256]bool) {
	for _, k := range list {
		set[k] = true
	}
	return set
}

func (p *Program) check(w *workload.Workload, away *[256]bool, drives bool) error {
	if p == nil {
		return fmt.Errorf("there is none")
	}
	if p.Spill != SSD && p.Spill != Host {
		return fmt.Errorf("tensors are evicted to tier %d; want drives or host memory", p.Spill)
	}
	last := workload.KernelID(0)
	for i, op := range p.Ops {
		switch {
		case op.At < last || int(op.At) > len(w.Kernels):
			return fmt.Errorf("op %d is before kernel %d; want between %d, that of the op before, and %d", i, op.At, last, len(w.Kernels))
		case op.Tensor < 0 || int(op.Tensor) >= len(w.Tensors):
			return fmt.Errorf("op %d moves tensor %d; there are %d", i, op.Tensor, len(w.Tensors))
		case op.To != GPU && op.To != SSD && op.To != Host:
			return fmt.Errorf("op %d moves a tensor to tier %d", i, op.To)
		case op.To == SSD && !drives:
			return fmt.Errorf("op %d moves a tensor to drives; the node has none", i)
		}
		last = op.At
	}
	if len(p.Start) == 0 {
		return nil
	}
	if len(p.Start) != len(w.Tensors) {
		return fmt.Errorf("start has %d tensors; the workload has %d", len(p.Start), len(w.Tensors))
	}
	for t, tier := range p.Start {
		x := &w.Tensors[t]
		switch {
		case !x.Global || away[x.Kind]:
		case tier != GPU && tier != SSD && tier != Host:
			return fmt.Errorf("tensor %d (%s) is global, but is nowhere at the start", t, x.Name)
		case tier == SSD && !drives:
			return fmt.Errorf("tensor %d (%s) starts on drives; the node has none", t, x.Name)
		}
	}
	return nil
}

func (e *Extra) check(j *job.Job, extras int) error {
	if e.GPU < 0 || int(e.GPU) >= len(j.Parts) {
		return fmt.Errorf("is of GPU %d; the job has %d", e.GPU, len(j.Parts))
	}
	if e.Queue >= QueueKinds || e.Cause >= Causes {
		return fmt.Errorf("has queue %d and cause %d; want less than %d and %d", e.Queue, e.Cause, QueueKinds, Causes)
	}
	if e.Time < 0 || e.Bytes < 0 || e.Time > 1000*workload.MaxTime || e.Bytes > 1<<46 {
		return fmt.Errorf("takes %d ps and moves %d bytes", e.Time, e.Bytes)
	}
	for _, list := range [][]job.Ref{e.After, e.Before, e.Next} {
		for _, ref := range list {
			if !there(j, ref) {
				return fmt.Errorf("speaks of kernel %d of GPU %d, which is not there", ref.Kernel, ref.Part)
			}
		}
	}
	for _, list := range [][]int32{e.Extras, e.Last} {
		for _, i := range list {
			if i < 0 || int(i) >= extras {
				return fmt.Errorf("waits for extra task %d; there are %d", i, extras)
			}
		}
	}
	if e.Cause == Computes && len(e.Before)+len(e.Next) > 0 {
		return fmt.Errorf("kernels wait for it, but it does not say what for")
	}
	return nil
}

// circle reports extras that wait for each other in a circle.
func circle(extras []Extra) error {
	first := make([]int32, len(extras)+1)
	left := make([]int32, len(extras))
	for i := range extras {
		left[i] = int32(len(extras[i].Extras))
		for _, e := range extras[i].Extras {
			first[e+1]++
		}
	}
	for i := range extras {
		first[i+1] += first[i]
	}
	after, at := make([]int32, first[len(extras)]), append([]int32(nil), first...)
	ready := make([]int32, 0, len(extras))
	for i := range extras {
		for _, e := range extras[i].Extras {
			after[at[e]] = int32(i)
			at[e]++
		}
		if left[i] == 0 {
			ready = append(ready, int32(i))
		}
	}
	for n := 0; n < len(ready); n++ {
		for _, e := range after[first[ready[n]]:first[ready[n]+1]] {
			if left[e]--; left[e] == 0 {
				ready = append(ready, e)
			}
		}
	}
	for i := range extras {
		if left[i] > 0 {
			return fmt.Errorf("extra task %d (%s) waits for others in a circle", i, extras[i].Name)
		}
	}
	return nil
}
