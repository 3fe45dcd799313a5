package zero

import (
	"fmt"
	"math/bits"

	"spillway/sim/llm/job"
	"spillway/sim/llm/shard"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// inCPU is how many elements of each GPU's weights stay in host memory though drives hold the
// others (DeepSpeed's default of offload_param.max_in_cpu).
const inCPU = 1_000_000_000

// A Memory is what ZeRO needs besides activations.
type Memory struct {
	// Weights and Buckets are on the GPU that needs most: all weights in stage 2, else those
	// that are gathered at the worst; two buckets of gradients, one fills while the other leaves.
	Weights, Buckets unit.Bytes
	// Host is of host memory, Drives of all drives.
	Host, Drives unit.Bytes
}

// Static is what each GPU gives besides activations.
func (m *Memory) Static() unit.Bytes { return m.Weights + m.Buckets }

// Needs counts what a job takes.
//
// ZeRO-Offload's need of host memory is DeepSpeed's own estimate. Stage 2: 16 bytes a parameter, or 4
// for each replica if that is more, and half of it again (estimate_zero2_model_states_mem_needs). Stage 3, with
// weights on the host too that are made in shards: 18, and half of it again
// (estimate_zero3_model_states_mem_needs with cpu_offload_params and zero_init); 20 where weights are fp32.
//
// ZeRO-Infinity's are the pinned buffers that DeepSpeed allocates at the start, and the weights
// that stay. Each GPU's process allocates one piece for all buffers of weights, one for each of the
// optimizer's, which holds a sub-group in fp32, and one for all gradients; PyTorch rounds
// pinned pieces up to powers of two. TERAIO's paper (§4.4) reports 170 GB for Llama-3 8B (buffers
// of 300 million) and 770 GB for 70B (540 million): this gives 145 and 730 GB, nothing fitted.
func Needs(j *job.Job, n *machine.Node, o *system.Options, drives bool) Memory {
	width := shard.Width(j.Spec.Precision)
	shards := max(j.Spec.Data, 1)
	var m Memory
	var all, live int64 // parameters of the model; those on a GPU at once
	for g := range j.Parts {
		elements := shard.Elements(j, g)
		share := (elements + shards - 1) / shards
		switch {
		case !drives && o.Stage == 2:
			live = elements
		case g == 0 || j.Parts[g] != j.Parts[g-1]:
			_, live = walk(shard.Visits(j, g), o.Prefetch, o.Live, o.Reuse)
		}
		m.Weights = max(m.Weights, unit.Bytes(width*live))
		m.Buckets = max(m.Buckets, unit.Bytes(2*width*min(o.Bucket, elements)))
		all += share
		if !drives {
			continue
		}
		kept := min(share, inCPU)
		m.Host += pinned(unit.MulDiv(o.Buffers*width, buffer(j, o), 1)) + pinned(width*share) + unit.Bytes(width*kept)
		m.Host += unit.Bytes(unit.MulDiv(o.OptBuffers, int64(pinned(shard.Wide*min(o.SubGroup, share))), 1))
		m.Drives += unit.Bytes((shard.States+shard.Wide)*share + width*(share-kept))
	}
	if !drives {
		each := max(4*shards, 16)
		if o.Stage == 3 {
			each = 16 + width
		}
		m.Host = unit.Bytes(unit.MulDiv(all, 3*each, 2))
		if j.Spec.Node.HostMargin > 0 { // one for all systems, in place of DeepSpeed's
			m.Host = unit.Bytes(all * each)
		}
	}
	return m
}

// pinned is what PyTorch allocates for so many bytes of pinned memory: the next power of two.
func pinned(bytes int64) unit.Bytes {
	if bytes < 1 || bytes > 1<<60 {
		return unit.Bytes(max(bytes, 0))
	}
	return 1 << bits.Len64(uint64(bytes-1))
}

// refuse says why a job does not fit on a node, nil if it does.
func refuse(j *job.Job, n *machine.Node, o *system.Options, drives bool) error {
	title := offloadTitle
	if drives {
		title = infinityTitle
	}
	if err := shard.NeedAdam(title, j, n); err != nil {
		return err
	}
	m := Needs(j, n, o, drives)
	if drives || o.Stage == 3 {
		if least := (shard.Elements(j, 0)/max(j.Spec.Data, 1) + mostSteps - 1) / mostSteps; o.SubGroup < least {
			return &system.Refusal{Reason: fmt.Sprintf("%s: sub-groups of %d elements are too many to simulate; want at least %d.", title, o.SubGroup, least)}
		}
	}
	if !drives {
		of := "by DeepSpeed's estimate, half more than optimizer states and gradients"
		if n.HostMargin > 0 {
			of = "optimizer states and gradients"
		}
		if err := shard.NeedHost(title, n, m.Host, of); err != nil {
			return err
		}
		of = "gathered layers and buckets of gradients"
		if o.Stage == 2 {
			of = "weights and buckets of gradients"
		}
		return shard.NeedGPU(title, j, n, m.Static(), of)
	}
	if len(n.Arrays) == 0 {
		return &system.Refusal{Reason: title + " needs drives; the node has none."}
	}
	var there unit.Bytes
	for i := range n.Arrays {
		there += unit.Bytes(n.Arrays[i].Drives) * n.Drive.Size
	}
	if m.Drives > there {
		return &system.Refusal{Reason: fmt.Sprintf("%s needs %v on drives for weights, gradients and optimizer states. There are %v.", title, m.Drives, there)}
	}
	if o.OptBuffers < 4 {
		return &system.Refusal{Reason: fmt.Sprintf("%s runs out of swap buffers: a sub-group needs 4, for weights, gradients and two moments; there are %d.", title, o.OptBuffers)}
	}
	if largest := matrix(j); largest > buffer(j, o) {
		const million = 1_000_000
		return &system.Refusal{Reason: fmt.Sprintf("%s needs pinned buffers of %d million elements for the largest matrix; they have %d. Make them larger (buffer_size), or 0 for as large as it.",
			title, (largest+million-1)/million, o.BufferElements/million)}
	}
	if err := shard.NeedHost(title, n, m.Host, "pinned buffers of weights, gradients and optimizer states"); err != nil {
		return err
	}
	return shard.NeedGPU(title, j, n, m.Static(), "gathered layers and buckets of gradients")
}

// buffer is how many elements a pinned buffer for weights has: as the option says, or as many as the
// largest matrix.
func buffer(j *job.Job, o *system.Options) int64 {
	if o.BufferElements == 0 {
		return matrix(j)
	}
	return o.BufferElements
}

// matrix is how many elements the largest shard of a weight has; each expert has its own.
func matrix(j *job.Job) int64 {
	var most unit.Bytes
	for _, w := range j.Parts {
		for i := range w.Tensors {
			if x := &w.Tensors[i]; x.Kind == workload.Weight {
				most = max(most, x.Bytes/unit.Bytes(j.Stacked(x)))
			}
		}
	}
	shards := max(j.Spec.Data, 1)
	elements := int64(most) / shard.Width(j.Spec.Precision)
	return (elements + shards - 1) / shards
}

// Parameters is how many parameters ZeRO-Offload's stage 2 can train on one GPU with so much
// memory before it keeps activations: the weights in bf16 and two buckets of gradients fill it.
//
// The paper trains 13·10⁹ on a V100 with 32 GB (ZeRO-Offload, ATC 2021, abstract).
func Parameters(memory unit.Bytes, bucket int64) int64 {
	const width = 2
	return max(0, (int64(memory)-2*width*bucket)/width)
}
