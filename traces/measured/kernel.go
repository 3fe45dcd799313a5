package measured

import (
	"fmt"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
)

// families of classes, by what sizes they have.
const (
	products     = "gemm"
	batches      = "batched"
	convolutions = "conv"
	attentions   = "attention"
	movers       = "elementwise"
)

// classWords are how tables call classes.
var classWords = map[string]string{
	"gemm": products, "matmul": products, "mm": products, "linear": products, "product": products, "matrixproduct": products, "fc": products, "dense": products,
	"batched": batches, "bmm": batches, "batchedgemm": batches, "batchedmatmul": batches, "batchedproduct": batches, "baddbmm": batches,
	"conv": convolutions, "conv2d": convolutions, "convolution": convolutions, "convolution2d": convolutions,
	"convfwd": convolutions, "convdgrad": convolutions, "convwgrad": convolutions,
	"attention": attentions, "attn": attentions, "sdpa": attentions, "flash": attentions, "flashattention": attentions, "mha": attentions,
}

// opWords are what kernels that move are called, by class.
var opWords = map[string]kerneltime.Class{
	"ln": kerneltime.Normalization, "norm": kerneltime.Normalization, "normalization": kerneltime.Normalization,
	"layernorm": kerneltime.Normalization, "inputlayernorm": kerneltime.Normalization, "postattentionlayernorm": kerneltime.Normalization,
	"rmsnorm": kerneltime.Normalization, "groupnorm": kerneltime.Normalization, "softmax": kerneltime.Normalization, "logsoftmax": kerneltime.Normalization,
	"batchnorm": kerneltime.BatchNorm, "bn": kerneltime.BatchNorm, "batchnorm2d": kerneltime.BatchNorm,
	"mlpact": kerneltime.Gated, "gated": kerneltime.Gated, "swiglu": kerneltime.Gated, "geglu": kerneltime.Gated, "siluandmul": kerneltime.Gated,
	"attnrope": kerneltime.Rotary, "rope": kerneltime.Rotary, "rotary": kerneltime.Rotary,
	"reduction": kerneltime.Reduction, "reduce": kerneltime.Reduction, "sum": kerneltime.Reduction, "mean": kerneltime.Reduction, "biasgrad": kerneltime.Reduction,
	"embedding": kerneltime.Embedding, "emb": kerneltime.Embedding, "gather": kerneltime.Embedding,
	"optimizer": kerneltime.Optimizer, "adam": kerneltime.Optimizer, "adamw": kerneltime.Optimizer, "sgd": kerneltime.Optimizer,
	"copy": kerneltime.Copy, "cast": kerneltime.Copy, "transpose": kerneltime.Copy, "memcpy": kerneltime.Copy, "fill": kerneltime.Copy, "memset": kerneltime.Copy,
	"pool": kerneltime.Pooling, "pooling": kerneltime.Pooling, "maxpool": kerneltime.Pooling, "avgpool": kerneltime.Pooling,
	"elementwise": kerneltime.Elementwise, "pointwise": kerneltime.Elementwise,
}

// Classes are the classes of kernels that people name.
func Classes() []string {
	return []string{products, batches, convolutions, attentions, movers, "norm", "softmax", "batchnorm", "gated", "rotary", "reduction", "embedding", "optimizer", "copy", "pooling"}
}

// IsClass reports whether a word is a class of kernels, not a network.
func IsClass(word string) bool {
	_, shaped := classWords[plain(word)]
	_, moves := opWords[plain(word)]
	return shaped || moves
}

// kernel is the estimate of a row that is one kernel, or the forward and the backward kernel of
// one operator.
func kernel(g *kerneltime.GPU, p kerneltime.Precision, r Row) (*Result, error) {
	ks, notes, err := kernels(p, r)
	if err != nil {
		return nil, err
	}
	x := Result{Unit: "µs", GPU: g, Notes: notes, Class: ks[0].Class.Word()}
	for i := range ks {
		e := kerneltime.Time(g, kerneltime.Policy{Precision: p, Setting: kerneltime.Alone}, &ks[i])
		if i > 0 {
			if e.Time < x.Estimate.Time {
				e.Bound = x.Estimate.Bound
			}
			e.Time += x.Estimate.Time
			e.Start += x.Estimate.Start
			e.Compute += x.Estimate.Compute
			e.Memory += x.Estimate.Memory
			e.Band = max(e.Band, x.Estimate.Band)
		}
		x.Estimate = e
	}
	x.Value, x.Band = microseconds(x.Estimate.Time), x.Estimate.Band
	return &x, nil
}

// kernels are a row's.
func kernels(p kerneltime.Precision, r Row) ([]kerneltime.Kernel, []string, error) {
	class := r.word("class")
	switch classWords[class] {
	case products, batches:
		k, err := product(classWords[class], r)
		return []kerneltime.Kernel{k}, nil, err
	case convolutions:
		return convolution(class, r)
	case attentions:
		return attention(p, r)
	}
	k := kerneltime.Kernel{Element: p.Element()}
	var ok bool
	if k.Class, ok = opWords[class]; !ok {
		return nil, nil, &Unknown{fmt.Sprintf("class %q is not known; there are %s", r.get("class"), strings.Join(Classes(), ", "))}
	}
	if of, ok := opWords[r.word("op")]; ok && k.Class == kerneltime.Elementwise {
		k.Class = of // any other operator is pointwise
	}
	bytes, err := r.count("bytes", 1, 0)
	if err == nil && bytes == 0 {
		err = &Wrong{"bytes", "", "the bytes of all tensors, each once"}
	}
	k.Bytes = unit.Bytes(bytes)
	return []kerneltime.Kernel{k}, nil, err
}

// A size is a number that a kernel has, in a column.
type size struct {
	column string
	to     *int64
	least  int64 // that it may be
	open   int64 // where nothing is said; below least it must be said
}

// fill reads sizes.
func (r Row) fill(sizes ...size) error {
	for _, s := range sizes {
		n, err := r.count(s.column, s.least, s.open)
		if err != nil {
			return err
		}
		if n < s.least {
			return &Wrong{s.column, "", fmt.Sprintf("a whole number from %d", s.least)}
		}
		*s.to = n
	}
	return nil
}

// product is a matrix product, or a batch of them.
func product(class string, r Row) (kerneltime.Kernel, error) {
	k := kerneltime.Kernel{Class: kerneltime.Product}
	if class == batches {
		k.Class = kerneltime.BatchedProduct
	}
	err := r.fill(size{"batch", &k.Batch, 1, 1}, size{"m", &k.M, 1, 0}, size{"n", &k.N, 1, 0}, size{"k", &k.K, 1, 0})
	return k, err
}

// directions are a convolution's, by their names.
var directions = map[string][]kerneltime.Class{
	"": {kerneltime.ConvForward}, "fwd": {kerneltime.ConvForward}, "forward": {kerneltime.ConvForward}, "fprop": {kerneltime.ConvForward}, "inference": {kerneltime.ConvForward},
	"dgrad": {kerneltime.ConvData}, "bwddata": {kerneltime.ConvData}, "backwarddata": {kerneltime.ConvData}, "bwdinput": {kerneltime.ConvData}, "bwdinputs": {kerneltime.ConvData},
	"wgrad": {kerneltime.ConvWeight}, "bwdweight": {kerneltime.ConvWeight}, "backwardweight": {kerneltime.ConvWeight}, "bwdweights": {kerneltime.ConvWeight}, "bwdparams": {kerneltime.ConvWeight}, "bwdfilter": {kerneltime.ConvWeight},
	"bwd": {kerneltime.ConvData, kerneltime.ConvWeight}, "backward": {kerneltime.ConvData, kerneltime.ConvWeight},
	"fwdbwd": {kerneltime.ConvForward, kerneltime.ConvData, kerneltime.ConvWeight},
}

// convolution is a convolution's kernels.
func convolution(class string, r Row) ([]kerneltime.Kernel, []string, error) {
	word := r.word("direction")
	if word == "" {
		word = strings.TrimPrefix(strings.TrimPrefix(class, "convolution"), "conv")
		if _, ok := directions[word]; !ok {
			word = ""
		}
	}
	of, ok := directions[word]
	if !ok {
		return nil, nil, &Wrong{"direction", r.get("direction"), "fwd, dgrad or wgrad"}
	}
	var k kerneltime.Kernel
	err := r.fill(size{"batch", &k.Batch, 1, 1}, size{"c", &k.C, 1, 0}, size{"h", &k.H, 1, 0}, size{"w", &k.W, 1, r.or("h")}, size{"k", &k.K, 1, 0},
		size{"r", &k.R, 1, 0}, size{"s", &k.S, 1, r.or("r")}, size{"stride", &k.Stride, 1, 1}, size{"pad", &k.Pad, 0, 0}, size{"groups", &k.Groups, 1, 1})
	if err != nil {
		return nil, nil, err
	}
	if k.H+2*k.Pad < k.R || k.W+2*k.Pad < k.S {
		return nil, nil, &Wrong{"r", r.get("r"), "a window that the padded image holds"}
	}
	if k.Groups > k.C || k.Groups > k.K {
		return nil, nil, &Wrong{"groups", r.get("groups"), "at most as many as channels"}
	}
	var notes []string
	switch word := r.word("layout"); word {
	case "nhwc", "channelslast":
		k.Layout = kerneltime.NHWC
	case "nchw", "":
	default:
		return nil, nil, &Wrong{"layout", r.get("layout"), "nchw or nhwc"}
	}
	ks := make([]kerneltime.Kernel, 0, len(of))
	for _, class := range of {
		k.Class = class
		ks = append(ks, k)
	}
	return ks, notes, nil
}

// or is another cell's number, where one may stand for another.
func (r Row) or(column string) int64 {
	n, err := r.count(column, 1, 0)
	if err != nil {
		return 0
	}
	return n
}

// attention is a fused attention, or the kernels of one that is not.
func attention(p kerneltime.Precision, r Row) ([]kerneltime.Kernel, []string, error) {
	k := kerneltime.Kernel{Class: kerneltime.AttentionForward}
	err := r.fill(size{"batch", &k.Batch, 1, 1}, size{"heads", &k.Heads, 1, 1}, size{"kv_heads", &k.KVHeads, 0, 0},
		size{"seq_q", &k.SeqQ, 1, r.or("seq_kv")}, size{"seq_kv", &k.SeqKV, 1, r.or("seq_q")}, size{"head_dim", &k.HeadDim, 1, 0})
	if err != nil {
		return nil, nil, err
	}
	if k.Causal, err = r.truth("causal"); err != nil {
		return nil, nil, err
	}
	var forward, backward bool
	switch r.word("direction") {
	case "", "fwd", "forward", "inference":
		forward = true
	case "bwd", "backward":
		backward = true
	case "fwdbwd", "fwd/bwd", "train":
		forward, backward = true, true
	default:
		return nil, nil, &Wrong{"direction", r.get("direction"), "fwd, bwd or fwd+bwd"}
	}
	var notes []string
	k.Attention, notes = r.attention()
	if k.Attention == kerneltime.Unfused {
		return unfused(&k, p, forward, backward), []string{"unfused: two batched products and the kernels between them"}, nil
	}
	var ks []kerneltime.Kernel
	if forward {
		ks = append(ks, k)
	}
	if backward {
		k.Class = kerneltime.AttentionBackward
		ks = append(ks, k)
	}
	return ks, notes, nil
}

// unfused is attention as operators: scores, their scaling, mask and softmax, and the product
// with the values; the causal mask is a kernel more. Backward is what undoes each.
func unfused(k *kerneltime.Kernel, p kerneltime.Precision, forward, backward bool) (ks []kerneltime.Kernel) {
	n := k.Batch * k.Heads
	scores := unit.Bytes(min(float64(n)*float64(k.SeqQ)*float64(k.SeqKV), 1<<56)) * p.Element()
	score := kerneltime.Kernel{Class: kerneltime.BatchedProduct, Batch: n, M: k.SeqQ, N: k.SeqKV, K: k.HeadDim}
	value := kerneltime.Kernel{Class: kerneltime.BatchedProduct, Batch: n, M: k.SeqQ, N: k.HeadDim, K: k.SeqKV}
	through := func(class kerneltime.Class, passes float64) kerneltime.Kernel {
		return kerneltime.Kernel{Class: class, Bytes: scores, Passes: passes, Element: p.Element()}
	}
	if forward {
		ks = append(ks, score, through(kerneltime.Normalization, 2), value)
		if k.Causal {
			ks = append(ks, through(kerneltime.Elementwise, 2))
		}
	}
	if backward {
		ks = append(ks, score, score, value, value, through(kerneltime.Normalization, 3))
		if k.Causal {
			ks = append(ks, through(kerneltime.Elementwise, 2))
		}
	}
	return ks
}
