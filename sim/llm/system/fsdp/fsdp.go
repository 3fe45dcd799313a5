// Package fsdp is PyTorch's fully sharded data parallelism with its shards in host memory.
//
// A unit is a layer. Before its forward kernels each GPU copies its shard from the host and
// gathers the others'; after them the unit is freed. Backward the same, then its gradient is
// reduced, each GPU's shard goes to the host, and the host does the optimizer's work when all are
// there. Embedding and head are the root unit, which stays from the beginning of a micro-batch to its end.
//
// A unit's gather begins when the last but one before it is freed: the processor runs ahead of
// the GPU, limit_all_gathers lets two units be in flight, and backward_prefetch BACKWARD_PRE asks for the
// next before a unit's gradients are computed.
//
// Departures:
//
//  1. From the second micro-batch on the host adds a gradient to the sum so far (FSDP2; FSDP1
//     cannot accumulate with offloading). Kernels do not wait for it, though FSDP2's copy then
//     blocks the process.
//  2. The optimizer is as fast as DeepSpeed's Adam; PyTorch's own on a processor is slower.
//  3. Copies are from and to pinned memory.
//  4. In bf16 (MixedPrecisionPolicy) shards and gradients on the host are fp32, and cross the link so: they
//     become bf16 on the GPU, before they are gathered, and fp32 there after they are reduced.
//  5. What it needs of host memory is bytes that are there, without a margin; ZeRO-Offload's is DeepSpeed's estimate, which
//     adds half. Where host memory is scarce FSDP fits by its yardstick and ZeRO-Offload does not by its own.
package fsdp

import (
	"errors"
	"slices"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/recipe"
	"spillway/sim/llm/shard"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

const title = "FSDP offload"

// flight is how many units may be on the GPU or on their way to it, besides the root
// (limit_all_gathers of PyTorch's FullyShardedDataParallel).
const flight = 2

// System is FSDP with CPUOffload.
var System = system.System{
	Name: "fsdp-offload", Title: title, Family: "FSDP", Look: 5, Paper: "PyTorch FSDP, VLDB 2023",
	About: "Each GPU's share of the weights is in host memory; layers are gathered when they are used, and the host does the optimizer's work.",
	Cut: func(s *job.Spec, o *system.Options) error {
		options := *o
		options.Tensor = false
		return shard.Cut(s, &options, 3, func(j *job.Job) error { return refuse(j, s.Node) })
	},
	Plan:   plan,
	Recipe: &offloaded,
}

var offloaded = recipe.Offloaded

// A Memory is what FSDP needs besides activations.
type Memory struct {
	// Root is the unit that stays, Units those in flight at the worst, Gradients those of two
	// units that are not reduced yet, and the root's until its micro-batch ends; on each GPU.
	Root, Units, Gradients unit.Bytes
	Host                   unit.Bytes // weights, gradients and states of all shards
}

// Static is what each GPU gives besides activations.
func (m *Memory) Static() unit.Bytes { return m.Root + m.Units + m.Gradients }

// Needs counts what a job takes.
func Needs(j *job.Job) Memory {
	width := shard.Width(j.Spec.Precision)
	var m Memory
	weights := j.Weights[0]
	last := int64(len(weights) - 2)
	m.Root = unit.Bytes(width * (shard.Layer(j, 0, -1) + shard.Layer(j, 0, last)))
	for l := range last {
		here := shard.Layer(j, 0, l)
		if l+1 < last {
			here += shard.Layer(j, 0, l+1) // its neighbour is the other in flight
		}
		m.Units = max(m.Units, unit.Bytes(width*here))
	}
	m.Gradients = m.Units + m.Root
	m.Host = unit.Bytes((shard.States + shard.Wide) * shard.Elements(j, 0)) // the optimizer's copy is the weight itself
	return m
}

func refuse(j *job.Job, n *machine.Node) error {
	if err := shard.NeedAdam(title, j, n); err != nil {
		return err
	}
	m := Needs(j)
	if err := shard.NeedHost(title, n, m.Host, "weights, gradients and optimizer states"); err != nil {
		return err
	}
	return shard.NeedGPU(title, j, n, m.Static(), "gathered units and their gradients")
}

type planner struct {
	shard.Builder
	visits [][]shard.Visit
	root   int16 // the layer of the head
	first  []int32
	final  []int32
}

func plan(j *job.Job, n *machine.Node, _ *system.Options, _ report.Progress) ([]*offload.Schedule, error) {
	if err := refuse(j, n); err != nil {
		return nil, err
	}
	p := planner{Builder: shard.Builder{Job: j, Node: n, Shards: max(j.Spec.Data, 1)}, root: int16(len(j.Weights[0]) - 2)}
	p.visits = shard.AllVisits(j)
	for g := range j.Parts {
		if len(p.visits[g]) == 0 || len(p.visits[g]) != len(p.visits[0]) {
			return nil, errors.New("GPUs do not visit the same layers")
		}
	}
	p.weights()
	p.gradients()
	p.optimizer()
	m := Needs(j)
	return []*offload.Schedule{{
		Extras: p.Extras(),
		Away:   []workload.Kind{workload.Weight, workload.Gradient, workload.Optimizer},
		Static: m.Static(), Host: m.Host,
	}}, nil
}

// blocks are the visits of units that come and go.
func (p *planner) blocks() []int {
	var list []int
	for i, v := range p.visits[0] {
		if v.Layer >= 0 && v.Layer < p.root {
			list = append(list, i)
		}
	}
	return list
}

// weights gathers the root at the beginning of each micro-batch, and blocks two at a time.
func (p *planner) weights() {
	width := shard.Width(p.Job.Spec.Precision)
	v := p.visits[0]
	gather := func(visit, after int, elements int64) {
		if elements == 0 {
			return
		}
		var copies []int32
		var at shard.Begin
		for g := range p.Job.Parts {
			e := offload.Extra{
				Name: "gather weights", GPU: int16(g), Queue: offload.HostRead, Bytes: unit.Bytes(shard.Wide * p.Share(elements)), Cause: offload.Fetch,
				From: machine.Endpoint{Kind: machine.OnHost, Pinned: true, Index: int16(g)}, To: machine.Endpoint{Kind: machine.OnGPU, Index: int16(g)},
			}
			if after >= 0 {
				last := p.visits[g][after].Last
				at, e.After = shard.Begin(last+1), []job.Ref{{Part: int16(g), Kernel: last}}
			}
			x := p.Add(at, e)
			copies = append(copies, x)
			if after < 0 {
				p.first = append(p.first, x)
			}
			if p.Shards == 1 {
				p.Before(x, job.Ref{Part: int16(g), Kernel: p.visits[g][visit].First})
			}
		}
		for g, x := range p.Ring("gather from GPUs", at, unit.Bytes(width*elements), nil, copies, offload.Fetch) {
			next := (g + 1) % len(p.visits)
			p.Before(x, job.Ref{Part: int16(g), Kernel: p.visits[g][visit].First}, job.Ref{Part: int16(next), Kernel: p.visits[next][visit].First})
		}
	}
	root := shard.Layer(p.Job, 0, -1) + shard.Layer(p.Job, 0, int64(p.root))
	blocks := p.blocks()
	next, start := 0, 0 // of blocks; of the micro-batch
	for i := range v {
		if i == 0 || v[i].Micro != v[i-1].Micro {
			gather(i, i-1, root)
			start = i
		}
		if next < len(blocks) && blocks[next] == i {
			after := start - 1 // no micro-batch gathers for the next
			if next >= flight {
				after = max(after, blocks[next-flight])
			}
			gather(i, after, v[i].Weights)
			next++
		}
	}
}

// gradients reduces each unit's gradient when it is complete, the root's at the end of the micro-batch.
func (p *planner) gradients() {
	width := shard.Width(p.Job.Spec.Precision)
	v := p.visits[0]
	var root int64
	var out [][]int32 // of units, by GPU
	p.final = make([]int32, len(p.visits))
	for i := range v {
		elements, ends := v[i].Gradients, i+1 == len(v) || v[i+1].Micro != v[i].Micro
		if block := v[i].Layer >= 0 && v[i].Layer < p.root; !block {
			root += elements
			elements = 0
		}
		if ends {
			elements, root = elements+root, 0
		}
		if elements == 0 {
			continue
		}
		var after [][]job.Ref
		var at shard.Begin
		for g := range p.visits {
			last := p.visits[g][i].Last
			at = max(at, shard.Begin(last+1))
			after = append(after, []job.Ref{{Part: int16(g), Kernel: last}})
		}
		reduced := p.Ring("reduce gradients", at, unit.Bytes(width*elements), after, nil, offload.Space)
		var left []int32
		for g := range p.visits {
			x := p.Add(at, offload.Extra{
				Name: "gradients out", GPU: int16(g), Queue: offload.HostWrite, Bytes: unit.Bytes(shard.Wide * p.Share(elements)), After: after[g],
				From: machine.Endpoint{Kind: machine.OnGPU, Index: int16(g)}, To: machine.Endpoint{Kind: machine.OnHost, Pinned: true, Index: int16(g)},
				Extras: slices.Clone(reduced), Cause: offload.Space,
			})
			left = append(left, x)
			p.final[g] = x
			if n := len(out); n > 0 && i+1 < len(v) { // the one before must have made room
				p.Before(out[n-1][g], job.Ref{Part: int16(g), Kernel: p.visits[g][i+1].First})
			}
			if v[i].Micro > 0 {
				p.final[g] = p.Add(at, offload.Extra{
					Name: "add gradients", GPU: int16(g), Queue: offload.CPU, Cause: offload.Optimizer,
					Time:   max(1, p.Node.HostRate).Time(unit.Bytes(3 * shard.Wide * p.Share(elements))), // two read, one written
					Extras: []int32{x},
				})
			}
		}
		out = append(out, left)
	}
}

// optimizer is Adam of each GPU's shard, one after the other; the next iteration waits for all.
func (p *planner) optimizer() {
	var done []int32
	for g := range p.visits {
		done = append(done, p.Add(shard.End, offload.Extra{
			Name: "Adam", GPU: int16(g), Queue: offload.CPU, Cause: offload.Optimizer,
			Time:   shard.Adam(p.Node, p.Share(shard.Elements(p.Job, g))),
			Extras: slices.Clone(p.final),
		}))
	}
	for _, x := range done {
		p.Next(x, p.Firsts()...)
	}
	for _, x := range p.first {
		p.Last(x, done...)
	}
}
