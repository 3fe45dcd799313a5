// Package shard is what systems share that keep weights in shards and bring a layer to the GPU
// when its kernels run (ZeRO-3, FSDP): which kernels use a layer, when a gather may begin, what
// it costs, and which micro-batch fits.
package shard

import (
	"fmt"
	"slices"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// States are the bytes of a parameter that the optimizer holds, in fp32: itself and two moments.
const States = 12

// Wide is the bytes of an fp32 number.
const Wide = 4

// Width is the bytes of a weight, a gradient or an activation on the GPU.
func Width(p job.Precision) int64 {
	if p == job.FP32 {
		return Wide
	}
	return 2
}

// persistent is stage3_param_persistence_threshold of DeepSpeed, in elements.
const persistent = 100_000

// A Visit is a run of kernels of one GPU that are one layer's, in one direction, of one micro-batch.
type Visit struct {
	Layer       int16 // from 0; embedding -1, head the number of layers
	Micro       int16
	Backward    bool
	First, Last workload.KernelID // without communication around it
	// Weights are the elements that must be on the GPU, Gradients those whose gradient is
	// complete, for this micro-batch, when Last has ended.
	Weights, Gradients int64
	// Reads is how many of its kernels read weights.
	Reads int64
}

// Visits lists a part's visits in order. Weights that the head shares with the embedding are both's, their gradient
// is the embedding's.
func Visits(j *job.Job, part int) []Visit {
	w, marks := j.Parts[part], j.Marks[part]
	var visits []Visit
	for k := range marks {
		m := marks[k]
		if m.Phase != job.Forward && m.Phase != job.Backward {
			continue
		}
		back := m.Phase == job.Backward
		n := len(visits)
		if n == 0 || visits[n-1].Layer != m.Layer || visits[n-1].Micro != m.Micro || visits[n-1].Backward != back {
			visits = append(visits, Visit{Layer: m.Layer, Micro: m.Micro, Backward: back, First: workload.KernelID(k)})
			n++
		}
		v := &visits[n-1]
		v.Last = workload.KernelID(k)
		for _, t := range w.Kernels[k].Inputs {
			if w.Tensors[t].Kind == workload.Weight {
				v.Reads++
				break
			}
		}
	}
	layers := int16(len(j.Weights[part]) - 2)
	for i := range visits {
		v := &visits[i]
		v.Weights = Layer(j, part, int64(v.Layer))
		if v.Layer == layers && j.Spec.Arch.Tied {
			v.Weights += Layer(j, part, -1)
		}
	}
	// A layer's gradient is complete at its last backward visit of a micro-batch.
	done := make([]int16, layers+2) // 1 + micro-batch whose gradient is counted, by layer
	for i := len(visits) - 1; i >= 0; i-- {
		v := &visits[i]
		if l := v.Layer + 1; v.Backward && l >= 0 && int(l) < len(done) && done[l] != v.Micro+1 {
			done[l] = v.Micro + 1
			v.Gradients = Layer(j, part, int64(v.Layer))
		}
	}
	return visits
}

// Layer is how many elements of a layer's weights a part has.
func Layer(j *job.Job, part int, layer int64) int64 {
	if l := layer + 1; l >= 0 && l < int64(len(j.Weights[part])) {
		return j.Weights[part][l]
	}
	return 0
}

// AllVisits are the visits of all parts; parts that do the same share theirs.
func AllVisits(j *job.Job) [][]Visit {
	all := make([][]Visit, len(j.Parts))
	for g := range all {
		if g > 0 && j.Parts[g] == j.Parts[g-1] {
			all[g] = all[g-1]
		} else {
			all[g] = Visits(j, g)
		}
	}
	return all
}

// Matrices is how many weights of at least stage3_param_persistence_threshold elements each layer
// has, by layer+1.
func Matrices(j *job.Job, part int) []int64 {
	w, marks := j.Parts[part], j.Marks[part]
	width := unit.Bytes(Width(j.Spec.Precision))
	counts := make([]int64, len(j.Weights[part]))
	seen := make([]bool, len(w.Tensors))
	for k := range marks {
		l := int(marks[k].Layer) + 1
		if marks[k].Phase != job.Forward || l < 0 || l >= len(counts) {
			continue
		}
		for _, t := range w.Kernels[k].Inputs {
			x := &w.Tensors[t]
			if n := j.Stacked(x); x.Kind == workload.Weight && !seen[t] && x.Bytes/unit.Bytes(n) >= persistent*width {
				seen[t] = true
				counts[l] += n
			}
		}
	}
	return counts
}

// Elements is how many weights a part has.
func Elements(j *job.Job, part int) int64 {
	var sum int64
	for _, n := range j.Weights[part] {
		sum += n
	}
	return sum
}

// Cut makes a layout of all GPUs without a pipeline: tensor parallelism if the options say so,
// else data parallelism of a ZeRO stage. A Micro of 0 becomes the largest that divides the batch and
// for which need, of a job with one such micro-batch, has no objection.
//
// Tensor parallelism cuts values between blocks by tokens too. The TERAIO paper does not say so, but
// trains Llama-3 70B with sequences of 3072: 108 GiB of activations on each GPU without, 83 GiB with it.
func Cut(s *job.Spec, o *system.Options, stage int64, need func(*job.Job) error) error {
	gpus := s.Node.GPUs
	s.Pipeline, s.Tensor, s.Data, s.Context, s.Expert, s.ZeRO, s.HostOptimizer = 1, 1, gpus, 1, 1, stage, true
	if o.Tensor {
		s.Tensor, s.Data, s.Split = gpus, 1, gpus > 1
		if a := s.Arch; a.Heads%gpus != 0 || a.KVHeads%gpus != 0 && gpus%max(a.KVHeads, 1) != 0 || a.FFN%gpus != 0 || a.DenseFFN%gpus != 0 || a.Shared%gpus != 0 {
			return &system.Refusal{Reason: fmt.Sprintf("The matrices of %s (%d heads, %d of keys and values, feed-forward %d) cannot be cut for %d GPUs. Cut the batch instead.",
				a.Title, a.Heads, a.KVHeads, a.FFN, gpus)}
		}
	}
	if s.Data == 1 {
		s.ZeRO = 0 // there is nothing to share
	}
	if s.Batch < 1 || s.Batch%s.Data != 0 {
		return &system.Refusal{Reason: fmt.Sprintf("A batch of %d sequences does not divide among %d GPUs; take a multiple of their number.", s.Batch, s.Data)}
	}
	each := s.Batch / s.Data
	// One micro-batch shows what any number of them takes: one after the other, nothing of the
	// last is left.
	probe := func(micro int64) error {
		one := *s
		one.Batch, one.Micro = micro*s.Data, micro
		j, err := job.Build(&one)
		if err != nil {
			return err
		}
		return need(j)
	}
	if o.Micro > 0 {
		s.Micro = o.Micro
		if each%s.Micro != 0 {
			return &system.Refusal{Reason: fmt.Sprintf("Micro-batches of %d sequences do not divide the %d of a GPU.", s.Micro, each)}
		}
		return probe(s.Micro)
	}
	var sizes []int64
	for d := int64(1); d*d <= each; d++ {
		if each%d == 0 {
			sizes = append(sizes, d)
			if d*d != each {
				sizes = append(sizes, each/d)
			}
		}
	}
	slices.Sort(sizes)
	err := probe(1)
	if err != nil {
		return err
	}
	s.Micro = 1
	for low, high := 1, len(sizes); low < high; { // sizes below low fit, from high on they do not
		middle := (low + high) / 2
		if probe(sizes[middle]) == nil {
			s.Micro, low = sizes[middle], middle+1
		} else {
			high = middle
		}
	}
	return nil
}

// Adam is how long the host's processors take for so many parameters: by the node's rate, or by
// 30 bytes each of host memory, which moves 24 of states, 4 of the gradient and 2 of the new weight.
func Adam(n *machine.Node, elements int64) unit.Time {
	compute := unit.MulDiv(elements, int64(unit.Second), max(n.Adam, 1))
	return max(1, unit.Time(compute), max(n.HostRate, 1).Time(unit.Bytes(30*elements)))
}

// NeedAdam refuses a job whose step on the host takes longer than can be simulated.
func NeedAdam(title string, j *job.Job, n *machine.Node) error {
	const most = 1000 * workload.MaxTime // of an extra of package offload
	if t := Adam(n, Elements(j, 0)/max(j.Spec.Data, 1)); t > most {
		return &system.Refusal{Reason: fmt.Sprintf("%s: a step of the optimizer on the host would take more than %v; give the host faster processors or memory.", title, unit.Time(most))}
	}
	return nil
}

// A Builder makes a schedule's extras. Those of one queue are in the order in which they may begin.
type Builder struct {
	Job    *job.Job
	Node   *machine.Node
	Shards int64 // data parallelism: of how many shards a weight consists
	extras []offload.Extra
	keys   []int64
}

// Begin is when an extra may begin: after the kernel before this one. The end is after all kernels.
type Begin int64

// End is after all kernels.
const End Begin = 1 << 40

// Grow makes room for n extras.
func (b *Builder) Grow(n int) {
	b.extras, b.keys = slices.Grow(b.extras, n), slices.Grow(b.keys, n)
}

// Add appends an extra and returns its number, for Extras and Last of others.
func (b *Builder) Add(at Begin, e offload.Extra) int32 {
	b.extras = append(b.extras, e)
	b.keys = append(b.keys, int64(at))
	return int32(len(b.extras) - 1)
}

// Before makes kernels wait for an extra, Next those of the next iteration.
func (b *Builder) Before(x int32, k ...job.Ref) {
	b.extras[x].Before = append(b.extras[x].Before, k...)
}

// Next makes kernels of the next iteration wait for an extra.
func (b *Builder) Next(x int32, k ...job.Ref) {
	b.extras[x].Next = append(b.extras[x].Next, k...)
}

// Last makes an extra wait for others of the iteration before.
func (b *Builder) Last(x int32, of ...int32) {
	b.extras[x].Last = append(b.extras[x].Last, of...)
}

// After makes an extra wait for others.
func (b *Builder) After(x int32, of ...int32) {
	b.extras[x].Extras = append(b.extras[x].Extras, of...)
}

// At is when an extra may begin.
func (b *Builder) At(x int32) Begin { return Begin(b.keys[x]) }

// Bytes is what an extra moves.
func (b *Builder) Bytes(x int32) unit.Bytes { return b.extras[x].Bytes }

// Extras returns what was added, ordered by when it may begin.
func (b *Builder) Extras() []offload.Extra {
	order := make([]int32, len(b.extras))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int {
		switch a, c := b.keys[x], b.keys[y]; {
		case a < c:
			return -1
		case a > c:
			return 1
		}
		return 0
	})
	place := make([]int32, len(order))
	for i, x := range order {
		place[x] = int32(i)
	}
	extras := make([]offload.Extra, len(order))
	for i, x := range order {
		e := b.extras[x]
		for _, refs := range [2][]int32{e.Extras, e.Last} {
			for k := range refs {
				refs[k] = place[refs[k]]
			}
		}
		extras[i] = e
	}
	return extras
}

// Firsts are the first kernels of all parts.
func (b *Builder) Firsts() []job.Ref {
	refs := make([]job.Ref, len(b.Job.Parts))
	for g := range refs {
		refs[g].Part = int16(g)
	}
	return refs
}

// Ring makes GPUs pass on shards of a buffer until all have, or have added, all: each sends all
// but one of the shards to the next. It begins after the extras of all GPUs; the result is one
// extra for each GPU, none without data parallelism.
func (b *Builder) Ring(name string, at Begin, buffer unit.Bytes, after [][]job.Ref, extras []int32, cause offload.Cause) []int32 {
	if b.Shards < 2 {
		return nil
	}
	bytes := unit.Bytes(unit.MulDiv(int64(buffer), b.Shards-1, b.Shards))
	out := make([]int32, b.Shards)
	for g := range out {
		e := offload.Extra{
			Name: name, GPU: int16(g), Queue: offload.Peers, Bytes: bytes, Cause: cause, Time: unit.Time(b.Shards-1) * b.Node.Step,
			From:   machine.Endpoint{Kind: machine.OnGPU, Index: int16(g)},
			To:     machine.Endpoint{Kind: machine.OnGPU, Index: int16((int64(g) + 1) % b.Shards)},
			Extras: slices.Clone(extras),
		}
		for _, refs := range after {
			e.After = append(e.After, refs...)
		}
		out[g] = b.Add(at, e)
	}
	return out
}

// Share is a GPU's shard of so many elements.
func (b *Builder) Share(elements int64) int64 { return (elements + b.Shards - 1) / b.Shards }

// NeedGPU refuses what takes more of a GPU's memory than there is. The GPU's memory is all of
// it, also what is Spare for others (machine's departure 6): DeepSpeed's and PyTorch's allocators take what
// is free, buffers are counted in static, and the context's few hundred mebibytes are not counted.
func NeedGPU(title string, j *job.Job, n *machine.Node, static unit.Bytes, of string) error {
	var most unit.Bytes
	for g := range j.Parts {
		if g == 0 || j.Parts[g] != j.Parts[g-1] {
			most = max(most, j.Activations(g))
		}
	}
	if most+static <= n.GPU.Memory {
		return nil
	}
	return &system.Refusal{Reason: fmt.Sprintf("%s needs %v of each GPU's memory: %v of activations in micro-batches of %d × %d tokens, %v of %s. There are %v.",
		title, most+static, most, j.Spec.Micro, j.Spec.Sequence, static, of, n.GPU.Memory)}
}

// NeedHost refuses what takes more of host memory than there is.
func NeedHost(title string, n *machine.Node, host unit.Bytes, of string) error {
	if host <= n.HostFree() {
		return nil
	}
	if free := n.HostFree(); free < n.Host {
		return &system.Refusal{Reason: fmt.Sprintf("%s needs %v of host memory: %s. There are %v, of which %v may be counted: %v are for the operating system, and programs take %d.%d %% more than they count.", title, host, of, n.Host, free, n.HostSpare, n.HostMargin/10, n.HostMargin%10)}
	}
	return &system.Refusal{Reason: fmt.Sprintf("%s needs %v of host memory: %s. There are %v.", title, host, of, n.Host)}
}
