// Package zero is DeepSpeed's ZeRO with a host that holds states and does the optimizer's work:
// ZeRO-Offload (ATC 2021) and ZeRO-Infinity (SC 2021). Both put tasks around the kernels:
//
//	stage 2: gradients to the host │ Adam on the host │ new weights to the GPUs
//	stage 3: each layer is gathered before its kernels and freed after them; Adam changes it on the host
//	Infinity: as stage 3; weights, gradients and states are on drives, and pass through host memory
//
// Whether a job fits is closed-form; Memory says what is counted.
//
// Departures:
//
//  1. Weights come and go by layers, not by matrices; so do gradients. Parameters below
//     stage3_param_persistence_threshold, which every GPU keeps, are moved with their layer:
//     a thousandth of it at most.
//  2. The first recorded iteration, in which DeepSpeed does not prefetch, is not simulated.
//  3. DeepSpeed's process runs ahead of the GPU, and so does what it reads from drives, until the
//     allocator finds no room; here until Live elements are on the GPU, or its pinned buffers are full.
//  4. Adam begins when all gradients are on the host: clipping and the check for overflow need the
//     norm of all. Adam of several GPUs' shards is one after the other at the rate of all processors.
//  5. Copies are from and to pinned memory.
//  6. A delayed step has gradient buffers of its own, which the host's need does not count.
//  7. Sub-groups that are pipelined overlap with the one before and the one after, as the papers
//     say. Current DeepSpeed then asks for three times OptBuffers; Table 4 of TERAIO has four.
//  8. Adding gradients on the GPU takes no time, nor does what the host does to them besides Adam:
//     copies to fp32 and their norm.
package zero

import (
	"fmt"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/shard"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/report"
	"spillway/sim/workload"
)

const (
	offloadTitle  = "ZeRO-Offload"
	infinityTitle = "ZeRO-Infinity"
	family        = "ZeRO"
)

// Offload is ZeRO-Offload, Infinity ZeRO-Infinity.
var (
	Offload = system.System{
		Name: "zero-offload", Title: offloadTitle, Family: family, Look: 3, Paper: "ZeRO-Offload, ATC 2021",
		About: "Host memory holds optimizer states and gradients, and the host does the optimizer's work.",
		Cut:   cut(false), Plan: plan(false),
	}
	Infinity = system.System{
		Name: "zero-infinity", Title: infinityTitle, Family: family, Look: 4, Usual: true, Paper: "ZeRO-Infinity, SC 2021",
		About: "As ZeRO-Offload; drives hold weights, gradients and optimizer states. An upper bound: drives move at their rates, and the host casts and sums gradients for nothing; of GPT-3 13B on an RTX 4090 45 TFLOPS are published (arXiv 2403.06504), where it has 67 to 100 by the batch.",
		Cut:   cut(true), Plan: plan(true), Drives: true,
	}
)

func cut(drives bool) func(*job.Spec, *system.Options) error {
	return func(s *job.Spec, o *system.Options) error {
		stage := int64(3)
		if !drives {
			stage = o.Stage
		}
		if err := check(o, stage); err != nil {
			return err
		}
		return shard.Cut(s, o, stage, func(j *job.Job) error { return refuse(j, s.Node, o, drives) })
	}
}

// check refuses options that DeepSpeed has no meaning for.
func check(o *system.Options, stage int64) error {
	if stage != 2 && stage != 3 {
		return &system.Refusal{Reason: fmt.Sprintf("ZeRO-Offload has stages 2 and 3, not %d.", stage)}
	}
	for _, v := range []struct {
		what       string
		value, low int64
	}{
		{"elements in a sub-group", o.SubGroup, 1},
		{"buffers of weights", o.Buffers, 1},
		{"elements of a buffer", o.BufferElements, 0},
		{"buffers of the optimizer", o.OptBuffers, 1},
		{"elements that are prefetched", o.Prefetch, 0},
		{"live elements", o.Live, 0},
		{"elements until reuse", o.Reuse, 0},
		{"elements of a bucket of gradients", o.Bucket, 1},
	} {
		if v.value < v.low || v.value > 1<<45 {
			return &system.Refusal{Reason: fmt.Sprintf("ZeRO: %d %s; want %d to %d.", v.value, v.what, v.low, int64(1)<<45)}
		}
	}
	return nil
}

func plan(drives bool) func(*job.Job, *machine.Node, *system.Options, report.Progress) ([]*offload.Schedule, error) {
	return func(j *job.Job, n *machine.Node, o *system.Options, _ report.Progress) ([]*offload.Schedule, error) {
		stage := int64(3)
		if !drives {
			stage = o.Stage
		}
		if err := check(o, stage); err != nil {
			return nil, err
		}
		if err := refuse(j, n, o, drives); err != nil {
			return nil, err
		}
		x, err := schedule(j, n, o, drives, inCPU)
		if err != nil {
			return nil, err
		}
		return []*offload.Schedule{x}, nil
	}
}

// schedule makes the tasks around a job's kernels; kept is how many elements of a GPU's weights do
// not go to drives.
func schedule(j *job.Job, n *machine.Node, o *system.Options, drives bool, kept int64) (*offload.Schedule, error) {
	stage := o.Stage
	if drives {
		stage = 3
	}
	p := planner{
		Builder: shard.Builder{Job: j, Node: n, Shards: max(j.Spec.Data, 1)},
		o:       o, drives: drives, stage: stage, width: shard.Width(j.Spec.Precision), kept: kept,
		visits: shard.AllVisits(j), final: make([]int32, len(j.Parts)),
	}
	if err := p.alike(); err != nil {
		return nil, err
	}
	for g := range p.visits {
		p.Grow(3*len(p.visits[g]) + 64) // a gather with its copy from drives, and half as many gradients in and out
	}
	for _, group := range p.groups() {
		p.gradients(group)
		if stage == 3 {
			p.gather(group)
		}
	}
	p.optimizer()
	m := Needs(j, n, o, drives)
	return &offload.Schedule{
		Extras: p.Extras(),
		Away:   []workload.Kind{workload.Weight, workload.Gradient, workload.Optimizer},
		Static: m.Static(), Host: m.Host, Drives: m.Drives,
	}, nil
}
