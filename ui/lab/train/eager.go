package train

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/knob"
	"spillway/sim/workload"
	"spillway/traces/eager"
	"spillway/traces/networks"
	"spillway/traces/zoo"
)

// Networks as PyTorch runs them are further choices of the model, behind the zoo's.

// sequenceKnob is the key of the length of sequences.
const sequenceKnob = "sequence"

// asPyTorch is what a network is called that is lowered as PyTorch does it.
func asPyTorch(title string) string {
	if strings.Contains(title, "PyTorch") {
		return title
	}
	return title + ", as PyTorch runs it"
}

// eagerChoice offers a network of package eager.
func eagerChoice(m *eager.Model) knob.Choice {
	c := knob.Choice{
		Key: m.ID, Label: asPyTorch(m.Title), Help: m.About, Source: m.Source,
		More: "Every operator of the forward pass is a kernel of its own, what autograd saves for the backward pass stays until then, and the optimizer's step comes at the end. " +
			"Kernel times follow a law fitted to public measurements, or are as fitted to the DeepUM paper.",
		Set:   fmt.Sprintf("batch=%d sequence=%d optimizer=%s times=%s", m.DefaultBatch, m.Sequence, m.Optimizer, workload.Estimated),
		Hides: inFP32,
		Limits: []knob.Limit{
			singles,
			{Key: "batch", Min: int64(m.MinBatch), Max: int64(m.MaxBatch), Hint: batches(m.Sample, m.Batches)},
			{Key: "times", Choices: []string{string(workload.Estimated), asDeepUM}, Why: "the G10 paper has not profiled PyTorch's kernels"},
			{Key: "optimizer", Choices: m.Optimizers(), Why: "PyTorch has no such step for " + m.Title},
		},
	}
	if m.Sequence == 0 {
		c.Hides = append([]string{sequenceKnob}, inFP32...)
		return c
	}
	c.Limits = append(c.Limits, knob.Limit{Key: sequenceKnob, Min: int64(m.MinSequence), Max: int64(m.MaxSequence), Hint: fmt.Sprintf("Usually %d.", m.Sequence)})
	return c
}

// sequenceOf is the length of sequences, which networks of the zoo have built in.
func sequenceOf() knob.Knob[settings] {
	most := 0
	for i := range eager.Models {
		most = max(most, eager.Models[i].MaxSequence)
	}
	most = max(most, networks.MaxSequence)
	return knob.Int(knob.Info{
		Key: sequenceKnob, Label: "Sequence length", Unit: "tokens", Scale: 1, Max: int64(most),
		Help: "Tokens in every sequence of the batch. Attention's memory and time grow with the square.",
	}, func(s *settings) *int64 { return &s.Sequence })
}

// sequenced is the length of sequences where it matters, empty where it does not.
func (s *settings) sequenced() string {
	if m, err := eager.Find(s.Model); err != nil || m.Sequence == 0 {
		return ""
	}
	return fmt.Sprintf(" sequence %d", s.Sequence)
}

// lowered builds a network of package eager.
func (s *settings) lowered(m *eager.Model) (Workload, error) {
	optimizer, err := zoo.FindOptimizer(s.Optimizer)
	if err != nil {
		return Workload{}, err
	}
	times, err := s.pytorchTimes()
	if err != nil {
		return Workload{}, err
	}
	sequence := 0
	if m.Sequence > 0 {
		sequence = int(s.Sequence)
	}
	w, err := eager.Build(m.ID, int(s.Batch), sequence, s.Optimizer, times)
	if err != nil {
		return Workload{}, err
	}
	out := about(w)
	out.optimizer, out.parameters, out.lowered = optimizer, m.Parameters, true
	if law, ok := times.(eager.Law); ok {
		out.band = law.Band(m)
	}
	return out, nil
}

// asDeepUM is the key of kernel times fitted to the DeepUM paper.
const asDeepUM = "deepum-fit"

// inFP32 are the settings of running that networks in fp32 do not have, singles the
// precisions that they can have.
var (
	inFP32  = slices.DeleteFunc(slices.Clone(runningKeys), func(key string) bool { return key == "precision" })
	singles = knob.Limit{
		Key: "precision", Choices: []string{kerneltime.FP32.String(), kerneltime.TF32.String(), kerneltime.TF32Conv.String()},
		Why: "the network is lowered with numbers of 4 bytes; one of those by their public names has all precisions",
	}
)

// pytorchTimes are the kernel times of PyTorch's networks: the law's, or those of the
// DeepUM paper.
func (s *settings) pytorchTimes() (eager.Times, error) {
	if s.Times == asDeepUM {
		return eager.AsDeepUM(), nil
	}
	return s.law()
}

// law is the law on the GPU of the settings, in their precision.
func (s *settings) law() (eager.Law, error) {
	g := kerneltime.Find(s.GPU)
	if g == nil {
		return eager.Law{}, fmt.Errorf("no kernel times can be estimated for GPU %q; choose another", s.GPU)
	}
	own, err := kerneltime.ParseCalibration(s.Calibrate)
	if err != nil {
		return eager.Law{}, err
	}
	p, _ := kerneltime.ParsePrecision(s.Running.Precision)
	return eager.Law{GPU: g.Calibrated(own), Precision: p}, nil
}

// modelTitle is what a bundled network is called; ok is false of others.
func modelTitle(id string) (title string, ok bool) {
	if m, err := zoo.Find(id); err == nil {
		return m.Title, true
	}
	if m, err := eager.Find(id); err == nil {
		return asPyTorch(m.Title), true
	}
	if n := namedNetwork(id); n != nil {
		return n.Title, true
	}
	return id, false
}
