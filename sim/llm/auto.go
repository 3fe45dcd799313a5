package llm

import (
	"cmp"
	"fmt"
	"slices"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// simulated is how many layouts are run, of all that closed forms rank.
const simulated = 10

// A ranked layout is one with what closed forms say of it.
type ranked struct {
	job.Layout
	time unit.Time // an iteration
}

// layouts ranks all ways to cut a setup that its GPUs, model and batch allow, the fastest by closed forms first: parts
// of matrices, replicas with each stage of ZeRO, GPUs that share long sequences, replicas that share experts, stages
// of a pipeline with what is left, and micro-batches.
func (s *Setup) layouts(sys *system.System) (list []ranked) {
	a, gpus := &s.Arch, s.Node.GPUs
	for tensor := int64(1); tensor <= gpus; tensor++ {
		if gpus%tensor != 0 || a.Heads%tensor != 0 || a.FFN%tensor != 0 || a.KVHeads%tensor != 0 && tensor%a.KVHeads != 0 || a.DenseFFN%tensor != 0 || a.Shared%tensor != 0 {
			continue
		}
		for data := int64(1); data <= gpus/tensor; data++ {
			if gpus/tensor%data != 0 || s.Layout.Batch%data != 0 {
				continue
			}
			for _, l := range s.shared(tensor, data) {
				last := int64(0)
				if l.Replicas() > 1 {
					last = 3
				}
				if l.Expert > 1 {
					last = 1
				}
				for l.ZeRO = 0; l.ZeRO <= last; l.ZeRO++ {
					for l.Micro = 1; l.Micro <= s.Layout.Batch/data && l.Micro*s.Layout.Sequence <= max(32_768, s.Layout.Sequence); l.Micro *= 2 {
						if s.Layout.Batch/data%l.Micro == 0 {
							list = append(list, ranked{l, s.formula(&l, sys)})
						}
					}
				}
			}
		}
	}
	slices.SortStableFunc(list, func(x, y ranked) int { return cmp.Compare(x.time, y.time) })
	return list
}

// fewest is how many tokens of a sequence a GPU has at least which shares it in a layout that is tried: what of
// it is shorter is rarely shared, and would make many layouts more to rank.
const fewest = 4096

// shared are the layouts with so many parts of matrices and replicas: with GPUs that share sequences, where they are
// long, and experts that are split, where there are some and their GPUs are in one node.
func (s *Setup) shared(tensor, data int64) (list []job.Layout) {
	a, l := &s.Arch, s.Layout
	l.Tensor, l.Data = tensor, data
	left := s.Node.GPUs / tensor / data
	for context := int64(1); context <= left; context++ {
		if left%context != 0 || left/context > a.Layers+a.Encoder || context > 1 && (a.Encoder > 0 || l.Sequence%(2*context) != 0 || l.Sequence/context < fewest) {
			continue
		}
		l.Context, l.Pipeline = context, left/context
		for expert := int64(1); expert <= max(1, min(a.Experts, l.Replicas())); expert++ {
			if expert > 1 && (a.Experts%expert != 0 || l.Replicas()%expert != 0 || s.Node.InNode()%(expert*l.Pipeline*tensor) != 0) {
				continue
			}
			l.Expert = expert
			list = append(list, l)
		}
	}
	return list
}

// formula is about how long an iteration takes as a layout cuts it: what GPUs compute, with the bubble of a pipeline; sums
// of activations over parts of matrices, tokens that go to experts, and what attention does not hide of keys and values
// that are passed on; beside that, but for a layer, sums of gradients over replicas, with weights
// that are gathered for each micro-batch where they are cut; and, where tensors move, the way out and back of what of
// states and activations GPUs do not hold, of which a quarter is waited for.
func (s *Setup) formula(l *job.Layout, sys *system.System) unit.Time {
	a, n := &s.Arch, &s.Node
	parameters, tokens := a.Parameters(), l.Batch*l.Sequence
	width := int64(4)
	if l.Precision == job.BF16 {
		width = 2
	}
	micros := l.Batch / l.Data / l.Micro
	passes := int64(6)
	if l.Recompute == job.Full {
		passes = 8
	}
	const tera = 1_000_000_000_000 // operations are counted in it
	work := unit.MulDiv(unit.MulDiv(parameters, passes*tokens, tera), tera/1000, max(s.reached(l)/1000, 1))
	compute := unit.Time(unit.MulDiv(work, int64(unit.Second), n.GPUs))
	compute += unit.Time(unit.MulDiv(int64(compute), l.Pipeline-1, micros))

	inside, across := max(n.Ring(l.Tensor, 1), 1), max(n.Ring(l.Replicas(), l.Tensor*l.Pipeline), 1)
	layers := (a.Layers + a.Encoder + l.Pipeline - 1) / l.Pipeline
	var sent, beside unit.Bytes // of each GPU: what kernels wait for, and what goes on beside them
	steps := unit.Time(0)       // what the steps of collectives take that kernels wait for
	if t := l.Tensor; t > 1 {
		steps = unit.Time(4*layers*micros*2*(t-1)) * n.Step
		sent += unit.Bytes(unit.MulDiv(4*layers*micros*2*(t-1), l.Micro*l.Sequence/max(l.Context, 1)*a.Hidden*width, t))
	}
	own := (parameters - s.experts()) / (l.Tensor * l.Pipeline)
	own += s.experts() / (l.Tensor * l.Pipeline * max(l.Expert, 1))
	piece := l.Sequence / max(l.Context, 1)
	if e := l.Expert; e > 1 {
		rounds := int64(4)
		if l.Recompute == job.Full {
			rounds = 6
		}
		sent += unit.Bytes(unit.MulDiv(rounds*layers*micros*(e-1), l.Micro*piece*a.Active*a.Hidden*width, e))
		steps += unit.Time(rounds*layers*micros*(e-1)) * n.Step
	}
	if c := l.Context; c > 1 {
		passes := int64(3)
		if l.Recompute != job.KeepAll {
			passes = 4
		}
		passed := n.Ring(c, l.Tensor*l.Pipeline).Time(unit.Bytes(passes * l.Micro * piece * (a.Keys() + a.Values()) / l.Tensor * width))
		pairs := l.Micro * piece * piece / 2 // with each block, half of what it has
		// Seven products of each pair, forward and backward, at half of what large products reach.
		multiplied := unit.Time(unit.MulDiv(2*2*7*pairs, int64(unit.Second), max(s.reached(l)/(a.Heads/l.Tensor*a.HeadDim), 1)))
		steps += unit.Time((c-1)*layers*micros) * (max(passed-multiplied, 0) + unit.Time(passes)*n.Step)
	}
	if d := l.Replicas(); d > 1 {
		rounds := int64(2)
		if l.ZeRO == 3 {
			rounds = 1 + 2*micros
		}
		beside = unit.Bytes(unit.MulDiv(rounds*(d-1), own*width, d))
	}
	compute = max(compute+inside.Time(sent)+steps, across.Time(beside)) + across.Time(beside)/unit.Time(layers)
	if sys.Bound {
		return compute
	}
	states, gradients, weights := own*12, own*width, own*width
	if l.Precision == job.FP32 {
		states = own * 8
	}
	for stage, x := range []*int64{&states, &gradients, &weights} {
		if l.ZeRO > int64(stage) {
			*x /= l.Replicas()
		}
	}
	kept := 16 * a.Hidden
	switch l.Recompute {
	case job.Selective:
		kept = 12 * a.Hidden
	case job.Full:
		kept = a.Hidden
	}
	ahead := min(l.Pipeline, micros)
	activations := unit.MulDiv(layers*ahead, l.Micro*piece*kept*width, l.Tensor)
	over := max(states+gradients+weights+activations-int64(n.Usable()), 0)
	rate := max(unit.Bandwidth(unit.MulDiv(int64(n.Drive.Read+n.Drive.Write)/2*n.Drives, n.ArrayShare, 1000)), 1)
	if n.ArrayCap > 0 {
		rate = min(rate, n.ArrayCap)
	}
	if sys.Host && s.Options.HostLimit > 0 && n.Host > 0 {
		rate += cmp.Or(n.HostPath, n.GPU.Link)
	}
	moves := rate.Time(unit.Bytes(over))
	return max(compute, moves) + moves/4
}

// experts is how many parameters the experts of all layers have.
func (s *Setup) experts() (n int64) {
	for _, f := range s.Arch.Feeds() {
		if f.Experts > 1 {
			n += f.Layers * f.Experts * s.Arch.Block(f.Width)
		}
	}
	return n
}

// reached is how many operations a second large products reach.
func (s *Setup) reached(l *job.Layout) int64 {
	rate := job.Reached(&s.Node, l.Precision)
	if l.FP8 {
		rate += rate / 2 // what casts leave of it
	}
	return rate
}

// auto runs a system with the layouts that closed forms rank first, and returns the fastest. Of TERAIO they are compared as
// published, and the fastest runs with its fallback.
func auto(s *Setup, sys *system.System, options offload.Options, p report.Progress) (best *Result, err error) {
	list := s.layouts(sys)
	if len(list) == 0 {
		return nil, fmt.Errorf("%d sequences and %s cannot be cut for %d GPUs in any way; change the batch, or the GPUs", s.Layout.Batch, s.Arch.Title, s.Node.GPUs)
	}
	few := list[:min(len(list), simulated)]
	said := begin(p)
	ran := 0
	again := !sys.Bound && s.Options.Fallback != system.Demand
	last := int64(len(few))
	if again {
		last *= 2
	}
	for i := range few {
		x := *s
		x.Auto, x.Layout = false, few[i].Layout
		if again {
			x.Options.Fallback = system.Demand
		}
		r, err := run(&x, sys.Name, options, said.attempts(whole*int64(i+1)/last))
		if err != nil {
			return nil, err
		}
		if r.Ran() {
			ran++
		}
		if best == nil || !best.Ran() && r.Ran() || r.Ran() && r.TokenRate() > best.TokenRate() {
			best = r
		}
	}
	if again && best.Ran() {
		x := *s
		x.Auto, x.Layout = false, best.Job.Spec.Layout
		if best, err = run(&x, sys.Name, options, said.attempts(whole)); err != nil {
			return nil, err
		}
	}
	if best.Ran() {
		l := &best.Job.Spec.Layout
		shared := ""
		if l.Own() {
			shared = fmt.Sprintf(" context=%d expert=%d", l.Context, l.Expert)
		}
		best.Notes = append(best.Notes, fmt.Sprintf("Cut as tensor=%d data=%d%s zero=%d micro=%d, with %s: the fastest of %d that were run, of %d by closed forms.", l.Tensor, l.Data, shared, l.ZeRO, l.Micro, prose.Count(l.Pipeline, "stage"), ran, len(list)))
	}
	said.reach(whole)
	return best, nil
}
