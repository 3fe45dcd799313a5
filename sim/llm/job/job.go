// Package job is a training iteration on many GPUs: one workload for each, and what they
// tell each other.
//
// A stage of the pipeline is a run of layers, as even as they divide; the embedding is on the first, the
// head and the loss on the last. Micro-batches go through in the order 1F1B (PipeDream; TorchTitan): stage
// i of p holds the activations of p-i of them. Tensor-parallel GPUs have equal slices of heads and
// feed-forward blocks and add their parts twice a layer and pass (Megatron-LM). Replicas add gradients while the
// backward pass goes on. All GPUs of a stage have the same kernels and share one workload.
//
// GPUs that share sequences (Layout.Context) have pieces of equal work of each, one from its beginning and one from its
// end, and are replicas to weights. Keys and values are passed on around a ring, in each attention as many times as
// there are other GPUs, forward, where they are computed again, and backward with their gradients; while one block
// of them is multiplied the next one comes (Ring Attention, Liu et al., 2023; striped, Brandon et al., 2023).
//
// Experts that are split over replicas (Layout.Expert) are whole on one of so many: its tokens come from all of them
// and go back, an all-to-all each, which nothing hides, in the forward pass, where that is computed again, and
// in the backward pass (GShard, Lepikhin et al., 2020). Gradients are added over the replicas with the same experts.
//
// Every operator keeps what its backward pass reads, and no more: a norm its input, the
// normalized value with one statistic a token, and the result; attention q, k, v, its result and
// one statistic a row, never a matrix of scores; SwiGLU gate, up, silu(gate) and the product. With h, kv and
// f the widths of tokens, keys and feed-forward block that is 8h + 2kv + 4f elements a token and
// layer of Llama. With them GPU 0's peak meets what Figure 7 of the TERAIO paper (arXiv 2506.06472) prints.
//
// Tensors of the kind workload.Gradient are gradients of weights; those of activations are workload.Intermediate. Weights
// that ZeRO-3 gathers are of the kind workload.Weight, but not global.
//
// Departures, and what nobody publishes:
//  1. A stage's outputs stay until the batch ends, when a kernel for each releases it: Figure 7's
//     peaks grow by exactly 4 bytes x hidden width for each token of the batch. Of the last stage that would be
//     the logits of the whole batch; they are not kept.
//  2. Dropout is taken as a product of value and mask that keeps both in full: 2h elements behind
//     attention and behind the feed-forward block each, 12h + 2kv + 4f together. PyTorch's fused dropout keeps
//     one byte an element. That Granite 8B Code is trained so is inferred: a layer of it has the dimensions of
//     one of Llama-3 8B, biases keep nothing, and its published peaks need 4h more a token and layer. Without
//     dropout they come out 12 % too low.
//  3. Kernels take what the law of kernel times says of their shape (package kerneltime). Where
//     Config.Efficiency is above 0, as at the TERAIO paper's node, products and attention reach that
//     share of the peak, whatever their shape, and other kernels four fifths of the memory's
//     bandwidth. FP32 uses no tensor cores (TF32).
//  4. Causal attention costs half of all products of a sequence, its backward pass 5/2 of the
//     forward pass, which computes the scores again (FlashAttention).
//  5. Adam is three kernels a tensor: first moment, second moment, weights, as PyTorch's foreach version
//     takes two or three tensors at a time.
//  6. Every expert of a mixture gets as many tokens as the others, wherever it is. The matrices of all experts are one tensor, which one grouped product
//     reads; Job.Stacked says how many they are, for ZeRO, which counts matrices.
//  7. A layer's gathered weights (ZeRO-3) begin to come when the layer before begins; its gradients (ZeRO-2
//     and 3) are taken in when the next layer's backward pass has ended.
//  8. Gradients of a matrix that two stages have (a tied head, the table in front of a decoder) are
//     added between them before the optimizer.
//  9. Keys and values, and their gradients, travel in the numbers of activations; blocks of a result are
//     merged for nothing. Without Layout.Split all GPUs that share matrices send whole tokens to experts.
package job

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// A Precision is in what numbers a network is trained.
type Precision uint8

// The precisions.
const (
	// FP32: weights, gradients, moments and activations of 4 bytes: 16 bytes a parameter.
	FP32 Precision = iota
	// BF16: bf16 weights, gradients and activations; an fp32 copy of the weights and two fp32
	// moments: 2 + 2 + 12 bytes a parameter.
	BF16
)

// A Recompute is which activations are computed again in the backward pass.
type Recompute uint8

// The ways to recompute.
const (
	KeepAll   Recompute = iota // none: all are kept
	Selective                  // all but those around attention and the norms are kept
	Full                       // only the inputs of layers are kept
)

// A Layout is how a batch and a model are cut.
type Layout struct {
	// Degrees, whose product with Context is the number of GPUs.
	Pipeline, Tensor, Data int64
	// Context is how many GPUs share a sequence, and Expert over how many replicas, of sequences or of batches, the
	// experts of a mixture are split. 0 is 1.
	Context, Expert int64
	// ZeRO is what data parallelism cuts too: 1 optimizer states, 2 and gradients, 3 and weights.
	ZeRO  int64
	Batch int64 // sequences an iteration, of all replicas
	Micro int64 // sequences of a micro-batch, of one replica
	// Sequence is how many tokens a sequence has; of an encoder and a decoder each.
	Sequence  int64
	Precision Precision
	// FP8: products of layers in 8 bits, with casts of what goes into them; all else as in BF16.
	FP8       bool
	Recompute Recompute
	// Split cuts what tensor parallelism leaves whole, the values between blocks, by tokens
	// (sequence parallelism; Korthikanti et al., 2022). What an all-reduce moved, a reduce-scatter
	// and an all-gather move; a block's gathered input, which is there for a product only, is not counted.
	Split bool
	// TimeScale is what kernels take of their time, in percent; 0 is 100.
	TimeScale int64
}

// Replicas is how many GPUs have the same part of the model, its experts aside.
func (l *Layout) Replicas() int64 { return l.Data * max(l.Context, 1) }

// GPUs is how many the layout takes.
func (l *Layout) GPUs() int64 { return l.Pipeline * l.Tensor * l.Replicas() }

// Own reports whether GPUs share sequences, or experts are split over them.
func (l *Layout) Own() bool { return l.Context > 1 || l.Expert > 1 }

// A Spec is what Build builds.
type Spec struct {
	Arch *model.Arch
	Layout
	Node *machine.Node
	// HostOptimizer leaves to the system what the host's optimizer does and what goes with it: Adam and
	// its states, gathers of weights and sums of gradients over replicas. Whatever ZeRO says, weights and
	// gradients are then whole on every GPU, for the system to keep elsewhere.
	HostOptimizer bool
	// Apart leaves out what replicas tell each other of gradients and weights: the system does it.
	Apart bool
}

// A Ref is a kernel of one part.
type Ref struct {
	Part   int16
	Kernel workload.KernelID
}

// A Send is bytes from one GPU to another. It begins when From has ended; To waits for it.
type Send struct {
	From, To Ref
	Bytes    unit.Bytes
}

// A Kind is a kind of collective.
type Kind uint8

// The collectives, of a buffer of Bytes on each of n GPUs. In a ring each GPU sends and
// receives 2(n-1)/n of it in an AllReduce, all of it in a PassOn, (n-1)/n in the others.
const (
	AllReduce Kind = iota
	AllGather
	ReduceScatter
	AllToAll
	PassOn // to the next GPU of the ring, once
)

// A Collective is what GPUs do together. Where Wait is empty the Members are its kernels: they
// begin together, when all are at the head of their GPUs, and last as long as the bytes take.
// Else it begins when all Members have ended and goes on beside other kernels; those of Wait
// wait for it.
type Collective struct {
	Kind    Kind
	Members []Ref // one of each GPU of the group
	Wait    []Ref
	Bytes   unit.Bytes // of the buffer
}

// Ring is how many bytes each GPU sends, and receives, in a collective of n: rounded up.
func (c *Collective) Ring() unit.Bytes {
	n := unit.Bytes(len(c.Members))
	if n < 2 {
		return 0
	}
	times := unit.Bytes(1)
	switch c.Kind {
	case PassOn:
		return c.Bytes
	case AllReduce:
		times = 2
	}
	return (times*(n-1)*c.Bytes + n - 1) / n
}

// Steps is how many times bytes are passed on in it.
func (c *Collective) Steps() int64 {
	n := int64(len(c.Members))
	switch c.Kind {
	case AllReduce:
		return 2 * max(n-1, 0)
	case PassOn:
		return min(n-1, 1)
	}
	return max(n-1, 0)
}

// A Phase is a part of the iteration.
type Phase uint8

// The phases.
const (
	Forward Phase = iota
	Backward
	Optimize
	Communicate
)

// A Mark says what a kernel is about, beside the workload, for systems that work by layers.
type Mark struct {
	Phase Phase
	Layer int16 // of the whole model from 0; embedding -1, head the number of layers
	Micro int16 // micro-batch, -1 in the optimizer
}

// A Job is one training iteration. It is not changed after Build.
type Job struct {
	Name   string // for people
	Spec   Spec
	Tokens int64 // an iteration
	FLOPs  int64 // an iteration, in billions of operations, of all GPUs, recomputation too
	Parts  []*workload.Workload
	Marks  [][]Mark // by part and kernel
	// Weights are the parameters of each layer on each part, in elements: by part, then by
	// Layer+1 (embedding, layers, head).
	Weights     [][]int64
	Sends       []Send
	Collectives []Collective
}

// Stacked is how many matrices of the model a weight is: a mixture's experts, which have one each, are one
// tensor here, as one grouped product multiplies with all of them. It is 1 for all other tensors.
func (j *Job) Stacked(t *workload.Tensor) int64 {
	a := j.Spec.Arch
	if a.Experts <= 1 || t.Kind != workload.Weight {
		return 1
	}
	for _, w := range [...]what{wGate, wUp, wDown} {
		if name, ok := strings.CutSuffix(t.Name, " "+whatNames[w]); ok {
			layer, _ := strconv.ParseInt(strings.TrimPrefix(name, "layer "), 10, 64)
			return max(a.Feed(max(layer-a.Encoder, 0)).Experts/max(j.Spec.Expert, 1), 1)
		}
	}
	return 1
}

// Validate checks references, that every workload is valid, and that no kernels wait for each
// other in a circle.
func (j *Job) Validate() error {
	if len(j.Parts) == 0 || len(j.Marks) != len(j.Parts) || len(j.Weights) != len(j.Parts) {
		return fmt.Errorf("%d parts, %d lists of marks and %d of weights; want one of each GPU", len(j.Parts), len(j.Marks), len(j.Weights))
	}
	valid := make(map[*workload.Workload]bool, len(j.Parts)) // parts of a stage share theirs
	for i, w := range j.Parts {
		if len(j.Marks[i]) != len(w.Kernels) {
			return fmt.Errorf("GPU %d: %d marks of %d kernels", i, len(j.Marks[i]), len(w.Kernels))
		}
		if valid[w] {
			continue
		}
		valid[w] = true
		if err := w.Validate(); err != nil {
			return fmt.Errorf("GPU %d: %w", i, err)
		}
	}
	known := func(r Ref) bool {
		return r.Part >= 0 && int(r.Part) < len(j.Parts) && r.Kernel >= 0 && int(r.Kernel) < len(j.Parts[r.Part].Kernels)
	}
	for i, s := range j.Sends {
		if !known(s.From) || !known(s.To) || s.From.Part == s.To.Part || s.Bytes <= 0 {
			return fmt.Errorf("send %d: %d bytes from %v to %v", i, s.Bytes, s.From, s.To)
		}
	}
	for i := range j.Collectives {
		c := &j.Collectives[i]
		if c.Kind > PassOn || c.Bytes <= 0 || len(c.Members) < 2 {
			return fmt.Errorf("collective %d: kind %d of %d bytes on %d GPUs", i, c.Kind, c.Bytes, len(c.Members))
		}
		for n, r := range c.Members {
			if !known(r) {
				return fmt.Errorf("collective %d: %v is no kernel", i, r)
			}
			for _, other := range c.Members[:n] {
				if other.Part == r.Part {
					return fmt.Errorf("collective %d: GPU %d takes part twice", i, r.Part)
				}
			}
		}
		for _, r := range c.Wait {
			if !known(r) {
				return fmt.Errorf("collective %d: %v is no kernel", i, r)
			}
		}
	}
	_, err := j.Shortest(&Durations{})
	return err
}

// Peak is the most that tensors of a part take at once if none is moved, in bytes.
func (j *Job) Peak(part int) unit.Bytes {
	w := j.Parts[part]
	return slices.Max(vitality.Analyze(w).Live(w))
}

// Activations is the most that tensors of a part take at once that are neither weights, nor
// gradients of weights, nor optimizer states.
func (j *Job) Activations(part int) unit.Bytes {
	w := j.Parts[part]
	a := vitality.Analyze(w)
	live := make([]unit.Bytes, len(w.Kernels)+1)
	for t := range w.Tensors {
		switch w.Tensors[t].Kind {
		case workload.Weight, workload.Gradient, workload.Optimizer:
			continue
		}
		if a.Birth[t] >= 0 {
			live[a.Birth[t]] += w.Tensors[t].Bytes.Aligned()
			live[a.Death[t]] -= w.Tensors[t].Bytes.Aligned()
		}
	}
	var now, most unit.Bytes
	for _, d := range live {
		now += d
		most = max(most, now)
	}
	return most
}
