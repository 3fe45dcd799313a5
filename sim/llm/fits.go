package llm

import (
	"errors"
	"math"

	"spillway/sim/llm/system"
	"spillway/sim/model"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// A Limit is the most of something that a system can train.
type Limit struct {
	// Most is at least what fits, if Reason is empty.
	Most int64
	// Reason is why not more; empty if more was not tried.
	Reason string
}

// A Fit is what a system can train on a node.
type Fit struct {
	System string
	// Micro is the largest micro-batch of the model, in sequences.
	Micro Limit
	// Layers is the deepest model of the same widths, in layers of the decoder, with micro-batches of
	// one sequence; an encoder grows alike. Parameters is how large that model is, 0 if there is none.
	Layers     Limit
	Parameters int64
}

// What is tried at most: sequences of a micro-batch, layers.
const (
	mostMicro  = 1 << 12
	mostLayers = 1 << 10
)

// Fits finds what a system can train on the node of a setup, with as many micro-batches in an
// iteration as GPUs, so that every stage of a pipeline has one. It is found by halving, with what
// the system itself refuses: its own count of GPU memory, host memory and drives, without a run.
// Numbers above 32 are found to a 32nd: up to 3 % more may fit.
//
// TERAIO refuses what no plan could run (kernels that need more than a GPU has, more tensors
// than there is room for), so that what it accepts may be slow. Yardsticks differ: ZeRO-Offload's
// need of host memory has DeepSpeed's margin of a half, FSDP's has none. The error is about the setup.
func Fits(s *Setup, name string, p report.Progress) (*Fit, error) {
	sys, err := Find(name)
	if err != nil {
		return nil, err
	}
	f := &Fit{System: name}
	progress := begin(p)
	if sys.Bound {
		return f, nil // by definition everything
	}
	f.Micro, err = largest(1, mostMicro, progress.part(whole/2), func(micro int64) error {
		t := *s
		t.shape(micro)
		return refuses(&t, sys)
	})
	if err != nil {
		return nil, err
	}
	progress.reach(whole / 2)
	stages := s.stages()
	deep := func(n int64) Setup {
		t := *s
		t.Arch = deeper(&s.Arch, n*stages)
		t.shape(1)
		return t
	}
	f.Layers, err = largest(1, max(mostLayers/stages, 1), progress.part(whole), func(n int64) error {
		t := deep(n)
		return refuses(&t, sys)
	})
	if err != nil {
		return nil, err
	}
	if n := f.Layers.Most; n > 0 {
		t := deep(n)
		f.Layers.Most, f.Parameters = t.Arch.Layers, t.Arch.Parameters()
	}
	progress.reach(whole)
	return f, nil
}

// stages is how many stages a pipeline of the setup has.
func (s *Setup) stages() int64 {
	if s.Layout.Pipeline > 0 {
		return s.Layout.Pipeline
	}
	return max(s.Node.GPUs/(max(s.Layout.Tensor, 1)*max(s.Layout.Data, 1)*max(s.Layout.Context, 1)), 1)
}

// shape makes micro-batches of so many sequences, as many as GPUs: a number that stages and
// replicas of any layout divide.
func (s *Setup) shape(micro int64) {
	s.Layout.Micro, s.Options.Micro = micro, micro
	s.Layout.Batch = micro * s.Node.GPUs
}

// deeper is a model with so many layers.
func deeper(a *model.Arch, layers int64) model.Arch {
	d := *a
	d.Layers = layers
	if a.Encoder > 0 {
		d.Encoder = max(unit.MulDiv(a.Encoder, layers, max(a.Layers, 1)), 1)
	}
	return d
}

// refuses is nil if a system can run a setup; a *system.Refusal says why it cannot. Planners
// need not plan for that: they may use any share of the capacity, and no tensor is large enough to move.
func refuses(s *Setup, sys *system.System) error {
	node, j, o, err := cut(s, sys)
	if err != nil {
		return err
	}
	o.Target, o.MinTensor = math.MaxInt32, math.MaxInt64
	_, err = sys.Plan(j, node, &o, nil)
	return err
}

// largest finds the largest number up to most for which try has no refusal, from low on. It
// doubles until there is one, and then halves what is between, to a 32nd. Other errors than
// refusals count as such beyond low: what no job can have.
func largest(low, most int64, p report.Progress, try func(int64) error) (Limit, error) {
	const steps = 16
	done := int64(0)
	fits := func(n int64) (reason string, err error) {
		err = try(n)
		if done++; p != nil {
			p(int(done), steps)
		}
		var no *system.Refusal
		switch {
		case err == nil:
			return "", nil
		case errors.As(err, &no):
			return no.Reason, nil
		case n == low:
			return "", err
		}
		return err.Error(), nil
	}
	l := Limit{}
	reason, err := fits(low)
	if err != nil || reason != "" {
		l.Reason = reason
		return l, err
	}
	l.Most = low
	over := most + 1
	for l.Most < most && l.Reason == "" {
		n := min(2*l.Most, most)
		if reason, err = fits(n); reason == "" {
			l.Most = n
		} else {
			over, l.Reason = n, reason
		}
	}
	for l.Reason != "" && over-l.Most > max(over/32, 1) {
		n := (l.Most + over) / 2
		if reason, err = fits(n); reason == "" {
			l.Most = n
		} else {
			over, l.Reason = n, reason
		}
	}
	return l, err
}
