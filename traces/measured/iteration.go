package measured

import (
	"fmt"
	"math"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/llm/pretrain"
	"spillway/sim/unit"
	"spillway/traces/networks"
)

// iteration is the estimate of a row that is a network's rate: of a large language model, whose
// states GPUs share, by a formula; of any other by its kernels.
func iteration(g *kerneltime.GPU, p kerneltime.Precision, r Row) (*Result, error) {
	name := r.get("net")
	arch, large := pretrain.Find(name)
	_, unknown := networks.Find(name)
	switch {
	case large && (unknown != nil || r.word("kind") == "llm" || strings.HasPrefix(r.word("unit"), "token")):
		return language(&pretrain.Job{Arch: &arch, GPU: g, Precision: p}, r)
	case unknown != nil:
		return nil, &Unknown{fmt.Sprintf("network %q is not known; spillway models lists some, and large language models are %s", name, strings.Join(pretrain.Names(), ", "))}
	}
	return lowered(g, r)
}

// lowered is a network by its kernels.
func lowered(g *kerneltime.GPU, r Row) (*Result, error) {
	row := networks.Row{
		Kind: r.get("kind"), GPU: g.Key, Policy: r.get("precision", "policy"), Layout: r.layout(), Mode: r.mode(),
		Net: r.get("net"), Source: r.get("source"), Optimizer: r.word("optimizer"),
	}
	if row.Policy == "" {
		row.Policy = kerneltime.FP32.String()
	}
	if row.Source == "" {
		row.Source = "PyTorch 2"
	}
	var gpus int64
	err := r.fill(size{"batch", &row.Batch, 1, 0}, size{"img", &row.Side, 0, 0}, size{"seq", &row.Sequence, 0, 0}, size{"gpus", &gpus, 1, 1}, size{"accumulate", &row.Accumulate, 1, 1})
	if err != nil {
		return nil, err
	}
	if row.Checkpoint, err = r.truth("checkpoint"); err != nil {
		return nil, err
	}
	l, err := row.Lower()
	if err == nil {
		l, err = r.chosen(l)
	}
	if err != nil {
		return nil, &Unknown{err.Error()}
	}
	e := l.Time(g, row.Processor())
	x := Result{Value: float64(l.Options.Batch) * float64(unit.Second) / float64(e.Time), Unit: l.Network.Sample() + "/s and GPU", GPU: g, Estimate: e, Band: e.Band, Network: "whole networks, " + l.Network.Family}
	x.Notes = append(x.Notes, "mostly "+e.Bound.String())
	if e.Bound == kerneltime.Host {
		x.Notes[0] = "the processor that starts kernels decides"
	}
	if l.Network.Images() && (row.Layout == "" || strings.Contains(row.Source, "layout not stated")) {
		x.Band = int64(math.Round(math.Sqrt(float64(x.Band*x.Band + unsaidLayout*unsaidLayout))))
		x.Notes = append(x.Notes, "layout not said: taken as NCHW")
	}
	if gpus > 1 {
		x.Notes = append(x.Notes, "communication between GPUs is not counted")
	}
	return &x, nil
}

// layout is a row's, as networks call it.
func (r Row) layout() string {
	if word := r.word("layout"); word != "channelslast" {
		return word
	}
	return "nhwc"
}

// mode is a row's, as networks call it.
func (r Row) mode() string {
	switch word := r.word("mode"); word {
	case "inference", "infer", "eval", "forward", "fwd", "test", "predict":
		return "infer"
	case "trainpre", "pretrain", "pretraining":
		return "train-pre"
	case "training", "fwdbwd", "finetune", "finetuning":
		return "train"
	default:
		return strings.ToLower(r.get("mode"))
	}
}

// unsaidLayout is the band of not knowing the layout, in percent.
const unsaidLayout = 10

// chosen is l with what a row says of attention and compilation.
func (r Row) chosen(l *networks.Lowered) (*networks.Lowered, error) {
	o := l.Options
	var err error
	if o.Compile, err = r.truth("compile"); err != nil {
		return nil, err
	}
	if r.get("attention") != "" {
		o.Attention, _ = r.attention()
	}
	if o == l.Options {
		return l, nil
	}
	return l.Network.Lower(o)
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
	x := Result{GPU: j.GPU, Network: "large language models"}
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
