package measured

import (
	"fmt"
	"math"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/llm/pretrain"
	"spillway/sim/unit"
)

// iteration is the estimate of a row that is a network's rate.
func iteration(g *kerneltime.GPU, p kerneltime.Precision, r Row) (*Result, error) {
	if r.word("kind") == "llm" || strings.HasPrefix(r.word("unit"), "token") {
		if arch, ok := pretrain.Find(r.get("net")); ok {
			return language(&pretrain.Job{Arch: &arch, GPU: g, Precision: p}, r)
		}
	}
	return nil, &Unknown{"network not known"}
}

// recomputes are how tables say what is computed again.
var recomputes = map[string]pretrain.Recompute{
	"": pretrain.Nothing, "false": pretrain.Nothing, "none": pretrain.Nothing, "no": pretrain.Nothing, "0": pretrain.Nothing, "off": pretrain.Nothing,
	"true": pretrain.Full, "full": pretrain.Full, "yes": pretrain.Full, "1": pretrain.Full, "on": pretrain.Full,
	"selective": pretrain.Selective, "op": pretrain.Selective, "selectiveop": pretrain.Selective,
}

// language is a large language model, whose states the GPUs share.
func language(j *pretrain.Job, r Row) (*Result, error) {
	var ok bool
	if j.Recompute, ok = recomputes[r.word("checkpoint")]; !ok {
		return nil, &Wrong{"checkpoint", r.get("checkpoint"), "true, false or selective"}
	}
	if mode := r.word("mode"); mode != "" && !strings.HasPrefix(mode, "train") {
		return nil, &Unknown{"of large language models only training is estimated"}
	}
	x := Result{GPU: j.GPU}
	j.Attention, x.Notes = r.attention()
	var err error
	if j.Compiled, err = r.truth("compile"); err != nil {
		return nil, err
	}
	if err := r.fill(size{"batch", &j.Batch, 1, 1}, size{"seq", &j.Sequence, 1, 0}, size{"gpus", &j.GPUs, 1, 1}, size{"accumulate", &j.Accumulate, 1, 1}); err != nil {
		return nil, err
	}
	s, err := j.Estimate()
	if err != nil {
		return nil, &Unknown{err.Error()}
	}
	x.Value, x.Unit, x.Band = float64(s.Milli)/1000, "tokens/s and GPU", s.Band
	x.Estimate = kerneltime.Estimate{Time: s.Time, Band: s.Band, Compute: s.Products + s.Attention, Memory: s.Moving + s.Optimizer}
	x.Estimate.Bound = kerneltime.Memory
	if x.Estimate.Compute >= x.Estimate.Memory {
		x.Estimate.Bound = kerneltime.Compute
	}
	x.Notes = append(x.Notes, fmt.Sprintf("products %s, attention %s, other kernels %s, communication %s, optimizer %s of a step",
		share(s.Products, s.Time), share(s.Attention, s.Time), share(s.Moving, s.Time), share(s.Communication, s.Time), share(s.Optimizer, s.Time)))
	return &x, nil
}

// share is a part of a whole in percent.
func share(part, whole unit.Time) string {
	return fmt.Sprintf("%.0f %%", math.Round(100*float64(part)/float64(max(whole, 1))))
}

// attentionWords are how tables call the ways to run attention.
var attentionWords = map[string]kerneltime.Attention{
	"fa1": kerneltime.Flash1, "flash1": kerneltime.Flash1, "flashattention1": kerneltime.Flash1, "flashattn1": kerneltime.Flash1,
	"fa2": kerneltime.Flash2, "flash2": kerneltime.Flash2, "flashattention2": kerneltime.Flash2, "flashattn2": kerneltime.Flash2,
	"flash": kerneltime.Flash2, "sdpa": kerneltime.Flash2, "fused": kerneltime.Flash2,
	"fa3": kerneltime.Flash3, "flash3": kerneltime.Flash3, "flashattention3": kerneltime.Flash3, "flashattn3": kerneltime.Flash3,
	"unfused": kerneltime.Unfused, "eager": kerneltime.Unfused, "standard": kerneltime.Unfused, "math": kerneltime.Unfused, "pytorch": kerneltime.Unfused,
}

// attention is how attention runs, in a column of that name or of operators: FlashAttention 2
// where it says another, with a note.
func (r Row) attention() (a kerneltime.Attention, notes []string) {
	word := r.word("attention", "op")
	a, ok := attentionWords[word]
	if !ok {
		a = kerneltime.Flash2
		if word != "" {
			notes = append(notes, fmt.Sprintf("attention %q is taken as FlashAttention 2", r.get("attention", "op")))
		}
	}
	return a, notes
}
