// Package pretrain estimates how fast a large language model trains on GPUs that share its
// states (fully sharded data parallelism), by the law of kernel times: matrix products and
// attention by their shapes, what only moves by its bytes, communication as far as computing
// does not hide it. It is a closed formula of one step, without memory: whether a job fits is
// the simulators' to say.
//
// On the rows of llm-foundry and TorchTitan that nothing was fitted to its median error is 5 to
// 9 %; two numbers of the law were chosen on llm-foundry's (see kerneltime.Sharded).
package pretrain

import (
	"errors"
	"fmt"

	"spillway/sim/kerneltime"
	"spillway/sim/model"
	"spillway/sim/unit"
)

// A Recompute is which activations are computed again before a layer's backward pass.
type Recompute uint8

// What can be computed again.
const (
	Nothing   Recompute = iota
	Selective           // all but attention and every second product
	Full                // a layer's forward pass
)

// A Job is a training run.
type Job struct {
	Arch       *model.Arch
	GPU        *kerneltime.GPU
	GPUs       int64 // that share the states
	Batch      int64 // sequences of a GPU's micro-batch
	Sequence   int64 // tokens
	Accumulate int64 // micro-batches of a step
	// Context is how many GPUs share a sequence, 0 is 1: each has pieces of equal work of it. What they pass on to
	// each other is not in Estimate.
	Context   int64
	Recompute Recompute
	Compiled  bool // torch.compile: pointwise kernels are fused
	Precision kerneltime.Precision
	Attention kerneltime.Attention
	// Frozen: the weights of layers have no gradients, as where only adapters beside them are trained.
	Frozen bool
	// Fused: the logits' loss never reads or writes them as a whole in fp32.
	Fused bool
}

// A Step is how long a step takes and what of.
type Step struct {
	Time unit.Time
	// Products, Attention, Moving, Communication and Optimizer are its parts: communication
	// what computing does not hide, moving all that is neither product nor attention, casts of
	// weights too.
	Products, Attention, Moving, Communication, Optimizer unit.Time
	// Milli is thousandths of a token a second and GPU.
	Milli int64
	// Band is how far eight of ten measurements are from it at most, in percent.
	Band int64
}

// Largest numbers of a job: products of them stay inside int64.
const (
	mostTokens = 1 << 24
	mostGPUs   = 1 << 20
)

// Check says what of a job cannot be estimated.
func (j *Job) Check() error {
	if j.Arch == nil || j.GPU == nil {
		return errors.New("a job needs a model and a GPU")
	}
	if err := j.Arch.Check(); err != nil {
		return err
	}
	if j.Arch.Encoder > 0 {
		return fmt.Errorf("%s has an encoder; only decoders are estimated", j.Arch.Name)
	}
	for _, x := range [...]struct {
		what    string
		n, most int64
	}{{"GPUs", j.GPUs, mostGPUs}, {"sequences of a micro-batch", j.Batch, mostTokens}, {"tokens of a sequence", j.Sequence, mostTokens}, {"micro-batches of a step", j.Accumulate, mostTokens}} {
		if x.n < 1 || x.n > x.most {
			return fmt.Errorf("%s: %d; want 1 to %d", x.what, x.n, x.most)
		}
	}
	if j.Batch*j.Sequence > mostTokens {
		return fmt.Errorf("a micro-batch of %d tokens; want at most %d", j.Batch*j.Sequence, mostTokens)
	}
	return nil
}

// policy is what kernels run on.
func (j *Job) policy() kerneltime.Policy {
	p := kerneltime.Policy{Precision: j.Precision, Setting: kerneltime.Training}
	if j.GPUs > 1 {
		p.Setting = kerneltime.Sharded
	}
	return p
}

// longest is what times saturate at, so that two of them can be added: 26 days.
const longest = unit.Time(1 << 61)

// sum is a sum of times, at most the longest.
func sum(ts ...unit.Time) (s unit.Time) {
	for _, t := range ts {
		s = min(s+min(t, longest), longest)
	}
	return s
}

// times is n times t, at most the longest.
func times(n int64, t unit.Time) unit.Time { return sum(unit.Time(unit.MulDiv(n, int64(t), 1))) }

// time is how long kernels take, one after the other.
func (j *Job) time(ks ...kerneltime.Kernel) (t unit.Time) {
	for i := range ks {
		t = sum(t, kerneltime.Time(j.GPU, j.policy(), &ks[i]).Time)
	}
	return t
}

// linear is a layer of in×out for tokens: forward and both products of the backward pass.
func (j *Job) linear(tokens, in, out int64) (forward, backward unit.Time) {
	product := func(m, n, k int64) kerneltime.Kernel {
		return kerneltime.Kernel{Class: kerneltime.Product, M: m, N: n, K: k}
	}
	forward, backward = j.time(product(tokens, out, in)), j.time(product(tokens, in, out))
	if !j.Frozen {
		backward = sum(backward, j.time(product(in, out, tokens)))
	}
	if j.Precision == kerneltime.FP8 { // what goes in, the weights, and the gradient of what comes out
		forward = sum(forward, j.bytes(kerneltime.Cast*unit.Bytes(tokens*in+in*out)))
		backward = sum(backward, j.bytes(kerneltime.Cast*unit.Bytes(tokens*out)))
	}
	return forward, backward
}

// moved is how long n elements of an activation take to pass through memory.
func (j *Job) moved(elements int64) unit.Time {
	return j.bytes(unit.Bytes(elements) * j.Precision.Element())
}

// bytes is how long bytes take to pass through memory.
func (j *Job) bytes(n unit.Bytes) unit.Time {
	return j.time(kerneltime.Kernel{Class: kerneltime.Elementwise, Bytes: n})
}

// A pass is the forward or the backward pass of a layer, or several.
type pass struct{ products, attention, moving unit.Time }

// add adds n times p.
func (s *Step) add(n int64, p pass) {
	s.Products = sum(s.Products, times(n, p.products))
	s.Attention = sum(s.Attention, times(n, p.attention))
	s.Moving = sum(s.Moving, times(n, p.moving))
}

// layer is both passes of a layer with a feed-forward block.
func (j *Job) layer(feed model.Feed) (forward, backward pass) {
	a, tokens := j.Arch, j.tokens()
	add := func(tokens, in, out int64) {
		f, b := j.linear(tokens, in, out)
		forward.products, backward.products = sum(forward.products, f), sum(backward.products, b)
	}
	if a.KeyLatent > 0 {
		add(tokens, a.Hidden, a.KeyLatent+a.RopeDim)
		add(tokens, a.KeyLatent, a.Unrotated()+a.Values())
		if a.QueryLatent > 0 {
			add(tokens, a.Hidden, a.QueryLatent)
			add(tokens, a.QueryLatent, a.Queries())
		} else {
			add(tokens, a.Hidden, a.Queries())
		}
	} else {
		add(tokens, a.Hidden, a.Queries()+a.Keys()+a.Values())
	}
	add(tokens, a.Mixed(), a.Hidden)
	block := func(tokens, width int64) {
		if a.Gated {
			add(tokens, a.Hidden, 2*width)
		} else {
			add(tokens, a.Hidden, width)
		}
		add(tokens, width, a.Hidden)
	}
	block(tokens*feed.Active, feed.Width)
	if feed.Shared > 0 {
		block(tokens, feed.Shared)
	}

	own := kerneltime.Kernel{
		Class: kerneltime.AttentionForward, Batch: j.Batch, Heads: a.Heads, KVHeads: a.KVHeads,
		SeqQ: j.piece(), SeqKV: j.piece(), HeadDim: a.HeadDim, Causal: true, Attention: j.Attention,
	}
	forward.attention = j.time(own)
	own.Class = kerneltime.AttentionBackward
	backward.attention = j.time(own)
	if others := j.Context - 1; others > 0 {
		f, b := j.Other()
		forward.attention, backward.attention = sum(forward.attention, times(others, f)), sum(backward.attention, times(others, b))
	}

	f, b := j.pointwise(a.Queries()+a.Keys(), feed.Width*feed.Active+feed.Shared)
	forward.moving, backward.moving = j.moved(tokens*f), j.moved(tokens*b)
	return forward, backward
}

// piece is how many tokens of a sequence a GPU has, and tokens are those of a micro-batch.
func (j *Job) piece() int64  { return j.Sequence / max(j.Context, 1) }
func (j *Job) tokens() int64 { return j.Batch * j.piece() }

// Other is how long a layer's attention to the keys and values of one other GPU takes that shares the sequence, forward and
// backward: of what that has a token sees half.
func (j *Job) Other() (forward, backward unit.Time) {
	a := j.Arch
	k := kerneltime.Kernel{
		Class: kerneltime.AttentionForward, Batch: j.Batch, Heads: a.Heads, KVHeads: a.KVHeads,
		SeqQ: j.piece(), SeqKV: max(j.piece()/2, 1), HeadDim: a.HeadDim, Attention: j.Attention,
	}
	forward = j.time(k)
	k.Class = kerneltime.AttentionBackward
	return forward, j.time(k)
}

// pointwise is how many elements a token a layer moves besides products and attention, in the
// forward and in the backward pass: norms, sums, activation, and what Llama adds. Rotated is
// the width of queries and keys, ffn that of a token's feed-forward blocks. Halves are rounded up.
func (j *Job) pointwise(rotated, ffn int64) (forward, backward int64) {
	a := j.Arch
	h := a.Hidden
	act, actBack := 2*ffn, 3*ffn
	if a.Gated {
		act, actBack = 3*ffn, 5*ffn
	}
	if !j.Compiled {
		act, actBack = (3*act+1)/2, (3*actBack+1)/2
	}
	forward = 2*3*h + 2*3*h + act
	backward = 2*5*h + 2*2*h + actBack
	if more := a.LayerNorms() - 2; more > 0 {
		forward, backward = forward+3*more*h, backward+5*more*h
	}
	if a.HeadNorms != model.NoHeadNorm {
		forward, backward = forward+2*rotated, backward+3*rotated
	}
	if a.Norm == model.RMSNorm { // which come in pieces unless they are compiled, and rotate
		if j.Compiled {
			forward, backward = forward+2*rotated, backward+2*rotated
		} else {
			forward, backward = forward+12*h+8*rotated, backward+16*h+8*rotated
		}
	}
	return forward, backward
}

// logits is the product with the vocabulary, and its loss in fp32.
func (j *Job) logits() pass {
	if j.Precision == kerneltime.FP8 { // which stay as they are
		whole := *j
		whole.Precision = kerneltime.BF16
		return whole.logits()
	}
	tokens := j.tokens()
	f, b := j.linear(tokens, j.Arch.Width(), j.Arch.Vocab)
	moved := 36 * unit.Bytes(tokens*j.Arch.Vocab)
	if j.Fused {
		moved /= 2
	}
	return pass{products: sum(f, b), moving: j.bytes(moved)}
}

// RingStep is how much longer a collective takes, not hidden, for each GPU more: fitted to the six
// rows of MPT 1B on 16 to 512 H100. On the nine of 7B and 13B, which were seen when the form of the
// term was chosen and decided nothing, it halves what was off at 512.
const RingStep = 2270 * unit.Nanosecond

// link is at what rate a GPU's states come to it: inside a server, and between servers.
func (j *Job) link() unit.Bandwidth {
	inside, between := 20*unit.GBps, 10*unit.GBps // a guess
	switch j.GPU.Family {
	case kerneltime.Hopper:
		inside, between = 300*unit.GBps, 120*unit.GBps
	case kerneltime.Ampere:
		inside, between = 200*unit.GBps, 60*unit.GBps
	case kerneltime.Volta:
		inside, between = 120*unit.GBps, 20*unit.GBps // a guess
	case kerneltime.Blackwell:
		inside, between = 600*unit.GBps, 120*unit.GBps // a guess
	}
	if j.GPUs > 8 {
		return between
	}
	return inside
}

// Computing is what one micro-batch computes, forward and backward: products, attention and moving,
// and their sum, without casts of weights, communication and optimizer.
func (j *Job) Computing() (Step, error) {
	if err := j.Check(); err != nil {
		return Step{}, err
	}
	s := j.computing()
	s.Time = sum(s.Products, s.Attention, s.Moving)
	return s, nil
}

func (j *Job) computing() (s Step) {
	for _, alike := range j.Arch.Feeds() {
		forward, backward := j.layer(alike.Feed)
		s.add(alike.Layers, forward)
		s.add(alike.Layers, backward)
		switch j.Recompute {
		case Full:
			s.add(alike.Layers, forward)
		case Selective:
			s.add(alike.Layers, pass{products: forward.products / 2, moving: forward.moving})
		}
	}
	s.add(1, j.logits())
	return s
}

// Estimate is how long a step takes.
func (j *Job) Estimate() (Step, error) {
	if err := j.Check(); err != nil {
		return Step{}, err
	}
	s := j.computing()
	layers := j.Arch.Layers
	parameters := unit.Bytes(j.Arch.Parameters())
	communicated, collectives := 6*parameters, 3*layers // two gathers and a scatter of 2 bytes, of each layer
	if j.Recompute == Full {
		communicated, collectives = communicated+2*parameters, collectives+layers
	}
	if computing := sum(s.Products, s.Attention, s.Moving); j.GPUs > 1 { // four fifths of it hide communication
		s.Communication = sum(max(0, j.link().Time(communicated)-computing/5*4), times(collectives*(j.GPUs-1), RingStep))
	}
	s.Moving = sum(s.Moving, j.bytes(4*parameters)) // weights as 16 bit
	for _, part := range []*unit.Time{&s.Products, &s.Attention, &s.Moving, &s.Communication} {
		*part = times(j.Accumulate, *part)
		s.Time = sum(s.Time, *part)
	}
	s.Optimizer = j.bytes(28 * parameters / unit.Bytes(j.GPUs))
	s.Time = sum(s.Time, s.Optimizer)
	s.Milli = unit.MulDiv(j.tokens()*j.Accumulate, 1000*int64(unit.Second), int64(s.Time))
	s.Band = j.GPU.Band(kerneltime.Language, kerneltime.Compute)
	return s, nil
}
