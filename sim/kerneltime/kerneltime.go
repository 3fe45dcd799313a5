// Package kerneltime says how long a GPU kernel takes: from its class and shape, the
// element types and units it uses, and the GPU's data sheet. The law was fitted to public
// measurements; [Estimate.Band] says how far those that it was not fitted to lie from it.
//
// One iteration is a [Step]: its kernels, and how many operators Python calls, because
// with small batches the processor that starts kernels decides ([Step.Time]).
//
// Everything is a pure function with the same bits on every platform.
package kerneltime

import "spillway/sim/unit"

// A Class is what a kernel does, as far as its time depends on it.
type Class uint8

// The classes. Which fields of a [Kernel] a class reads is said there.
const (
	Elementwise       Class = iota // pointwise: add, multiply, ReLU, GELU, dropout, bias, casts
	Gated                          // an activation times its gate (SwiGLU, GeGLU)
	Rotary                         // rotary position embedding as one kernel
	Normalization                  // layer norm, RMS norm, softmax, log-softmax over rows
	BatchNorm                      // statistics over a batch; the passes count them
	Pooling                        // windows over images
	Reduction                      // sums to a vector or a number: bias gradients, losses, norms
	Embedding                      // rows gathered from a table, or added to it
	Optimizer                      // parameter updates and what belongs to them
	Copy                           // copies, fills, transposes
	Product                        // one matrix product
	BatchedProduct                 // many matrix products of one shape
	ConvForward                    // convolution
	ConvData                       // gradient of a convolution's input
	ConvWeight                     // gradient of a convolution's weights
	AttentionForward               // softmax(QKᵀ)V in one kernel
	AttentionBackward              // its gradients in one kernel
	classes
)

// A Layout is the order of an image's dimensions in memory.
type Layout uint8

// The layouts. Tensor cores take NHWC; NCHW costs changes of layout.
const (
	NCHW Layout = iota
	NHWC
)

// An Attention is how the attention of a network runs.
type Attention uint8

// The implementations. Unfused attention has no kernel of its own: it is two batched
// products and the kernels between them.
const (
	Flash2 Attention = iota // FlashAttention 2, PyTorch's scaled_dot_product_attention
	Flash1
	Flash3
	Unfused
	Efficient // memory-efficient attention: what scaled_dot_product_attention takes in 32 bits
)

// A Kernel is one kernel of a network, or several alike. Sizes are elements unless they
// are bytes. What a class does not read is ignored, and a size below 1 counts as 1.
//
//   - Product, BatchedProduct: Batch products of M×K by K×N.
//   - ConvForward, ConvData, ConvWeight: Batch images with C channels of H×W, K filters of
//     R×S a group, Stride, Pad, Groups, all of the forward direction; Layout.
//   - AttentionForward, AttentionBackward: Batch, Heads, KVHeads, SeqQ, SeqKV, HeadDim,
//     Causal, Attention.
//   - all others: Bytes, moved Passes times.
type Kernel struct {
	Class Class
	Count int64 // how many kernels alike; 0 is 1

	Batch, M, N, K int64

	C, H, W, R, S       int64
	Stride, Pad, Groups int64
	Layout              Layout

	Heads, KVHeads, SeqQ, SeqKV, HeadDim int64 // KVHeads 0 is as many as Heads
	Causal                               bool
	Attention                            Attention

	// Element is the size of an element: of products, convolutions and attention 0 is what
	// the precision says. Normalization runs at another share of the memory's rate with
	// 2 bytes than with 4.
	Element unit.Bytes
	// Bytes are those of the tensors that the kernel reads and writes.
	Bytes unit.Bytes
	// Passes is how often Bytes are moved: 0 is once. So either Bytes has every tensor and
	// Passes is 0, or Bytes is one tensor and Passes counts, as 3.1 of batch norm does.
	Passes float64
}

// A Setting is what runs around a kernel.
type Setting uint8

// The settings.
const (
	Inference Setting = iota // a network's forward pass
	Training                 // a network's training step on one GPU
	Sharded                  // a training step with collectives beside it
	Alone                    // the kernel in a loop, as micro-benchmarks measure it
)

// A Policy is what kernels run on, and among what.
type Policy struct {
	Precision Precision
	Setting   Setting
}

// A Bound is what decides a time.
type Bound uint8

// What can decide.
const (
	Start Bound = iota
	Compute
	Memory
	Host
)

// String is the bound as people read it.
func (b Bound) String() string { return [...]string{"start", "compute", "memory", "host"}[b] }

// An Estimate is how long something takes and why.
type Estimate struct {
	Time unit.Time
	// Bound is the largest of the following.
	Bound Bound
	// Start, Compute, Memory and Host are what each would take by itself. In a kernel,
	// computing and moving overlap and the start comes before; in a step these are sums.
	Start, Compute, Memory, Host unit.Time
	// Band is how far from Time eight of ten measurements are at most, in percent.
	Band int64
}
