// Package decode estimates how fast a model writes text whose weights stream from drives, as
// ZeRO-Inference does (DeepSpeed): every step reads all weights once, for the whole batch.
//
// A step cannot be shorter than reading the weights, nor than its arithmetic; both overlap. Keys
// and values stay on the GPU. Left out: attention's arithmetic, which is below a hundredth of the
// rest at these lengths, and sampling.
package decode

import (
	"errors"
	"fmt"

	"spillway/sim/model"
	"spillway/sim/unit"
)

// A Case is a batch of requests of one length.
type Case struct {
	Arch  *model.Arch
	Bytes int64 // of a weight, and of a key's or value's element: 2 in bf16
	// Batch sequences of Prompt tokens get Output more each.
	Batch, Prompt, Output int64
	// Stream is the rate at which weights reach the GPUs.
	Stream unit.Bandwidth
	// FLOPS is how many operations a second matrix products reach, on all GPUs; 0: no arithmetic counts.
	FLOPS int64
}

// A Result is how long a case takes.
type Result struct {
	Weights unit.Bytes // read in each step
	KV      unit.Bytes // of the whole batch at the end
	// Prefill is the step that reads the prompts and makes the first token, Step one of the
	// others; Time is all of them.
	Prefill, Step, Time unit.Time
	// MilliTokens is tokens in a thousand seconds, of the whole batch.
	MilliTokens int64
}

// The most that a case may ask for; sums then stay within 64 bits.
const (
	mostBatch  = 1 << 20
	mostTokens = 1 << 24
	mostBytes  = 8
)

// Run computes a case. The error says which number cannot be.
func (c *Case) Run() (*Result, error) {
	if c.Arch == nil {
		return nil, errors.New("no model to decode")
	}
	if err := c.Arch.Check(); err != nil {
		return nil, err
	}
	for _, v := range []struct {
		what       string
		value, low int64
		most       int64
	}{
		{"bytes of a weight", c.Bytes, 1, mostBytes},
		{"batch", c.Batch, 1, mostBatch},
		{"prompt", c.Prompt, 1, mostTokens},
		{"output", c.Output, 1, mostTokens},
		{"stream of weights, bytes a second", int64(c.Stream), 1, 1 << 60},
		{"operations a second", c.FLOPS, 0, 1 << 62},
	} {
		if v.value < v.low || v.value > v.most {
			return nil, fmt.Errorf("%s: %d is not between %d and %d", v.what, v.value, v.low, v.most)
		}
	}
	r := &Result{Weights: Weights(c.Arch, c.Bytes), KV: KVToken(c.Arch, c.Bytes)}
	r.KV = unit.Bytes(unit.MulDiv(int64(r.KV), c.Batch*(c.Prompt+c.Output), 1))
	stream := c.Stream.Time(r.Weights)
	r.Prefill = max(stream, c.products(c.Batch*c.Prompt))
	r.Step = max(stream, c.products(c.Batch))
	if r.Step > unit.Time(1<<62/c.Output) || r.Prefill > 1<<62 {
		return nil, fmt.Errorf("a step takes %v: too long to sum", r.Step)
	}
	r.Time = max(1, r.Prefill+unit.Time(c.Output-1)*r.Step)
	r.MilliTokens = unit.MulDiv(c.Batch*c.Output, 1000*int64(unit.Second), int64(r.Time))
	return r, nil
}

// products is how long matrix products of so many tokens take: two operations a weight that is
// used, which in a mixture are those of the active experts.
func (c *Case) products(tokens int64) unit.Time {
	if c.FLOPS == 0 {
		return 0
	}
	operations := unit.MulDiv(2*tokens, c.Arch.Used(), 1)
	return unit.Time(unit.MulDiv(operations, int64(unit.Second), c.FLOPS))
}

// Weights is what all parameters take at so many bytes each.
func Weights(a *model.Arch, bytes int64) unit.Bytes {
	return unit.Bytes(unit.MulDiv(a.Parameters(), bytes, 1))
}

// KVToken is what a token of the decoder leaves behind in all layers: a key and a value in each, or the latent
// vector that they are made of and the rotated part of keys.
func KVToken(a *model.Arch, bytes int64) unit.Bytes {
	return unit.Bytes(a.Kept() * bytes)
}
