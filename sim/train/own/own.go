// Package own runs policies that people write: in an arena of tensors they choose what leaves,
// where to, and what comes early; instead of that, by which number G10's planner chooses, or
// which blocks DeepUM's driver spares. What can be asked is [Asks].
package own

import (
	"math"

	"spillway/sim/policy"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/system"
	"spillway/sim/train/system/deepum"
	"spillway/sim/train/system/g10"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Name is the stable name of the system.
const Name = "own"

// Look is its color and pattern in charts.
const Look = 30

// A Ran is a policy in one run, of which it is told when that has ended.
type Ran struct {
	chosen *policy.Chosen
	asker  *policy.Asker
}

// Account is what there is to say of the policy, nil where nothing asked it.
func (r *Ran) Account() *policy.Account {
	if r.asker == nil {
		return nil
	}
	a := r.asker.Account()
	return &a
}

// GaveUp is why the run ends as it does, "" where the policy worked no more than it may.
func (r *Ran) GaveUp() string {
	if r.asker == nil || !r.asker.Over() {
		return ""
	}
	return "gave up: " + r.asker.Says()
}

// System is the system of a policy for one run, and what that says of it. The policy is one for
// [Asks]; nil is the default.
func System(c *policy.Chosen) (system.System, *Ran) {
	if c == nil {
		c = Asks().Default()
	}
	ran := &Ran{chosen: c}
	s := ran.base()
	s.Name, s.Title, s.Paper, s.About, s.Note, s.Family = Name, c.Called(), "not in the literature", "Whoever opened this wrote it, or the link brought it.", "", policy.Yours
	s.Look, s.Main, s.Usual, s.Off = Look, false, false, true
	return s, ran
}

// base is the system without its names.
func (r *Ran) base() system.System {
	switch r.chosen.Seam {
	case planner:
		x := &scorer{chosen: r.chosen}
		score := r.chosen.Rule("score")
		s := g10.Scored(func(c *g10.Candidate) float64 {
			if r.asker.Over() {
				return 0
			}
			x.candidate = c
			return finite(r.asker, r.asker.Value(score, 0))
		})
		plan := s.Plan
		s.Plan = func(w *workload.Workload, m *machine.Machine, o *system.Options) (*program.Program, error) {
			x.prepare(w, m, o)
			r.asker = policy.NewAsker(r.chosen, x, 1)
			p, err := plan(w, m, o)
			if why := r.GaveUp(); why != "" {
				return nil, &system.DoesNotFit{Reason: why}
			}
			return p, err
		}
		return s
	case driver:
		return deepum.Sparing(func(run *blocks.Run) deepum.Spare {
			x := &sparer{chosen: r.chosen, run: run}
			r.asker = policy.NewAsker(r.chosen, x, 1)
			spare, asker := r.chosen.Rule("spare"), r.asker
			return func(b blocks.ID, expected int64) bool {
				if asker.Over() {
					return false
				}
				x.block, x.expected = b, expected
				return asker.Yes(spare, 0)
			}
		})
	}
	return system.System{
		Quirks: swap.Quirks,
		Runtime: func(*system.Options) engine.Runtime {
			return swap.Memory{Swapper: func(run *swap.Run) (swap.Swapper, error) {
				s := newSwapper(run, r.chosen)
				r.asker = s.Asker
				return s, nil
			}}
		},
	}
}

// finite is a score that can be ordered and compared with 0.
func finite(a *policy.Asker, x float64) float64 {
	if x != x {
		a.Doubts.NoNumber++
		return -math.MaxFloat64
	}
	return max(-math.MaxFloat64, min(math.MaxFloat64, x))
}

// A scorer knows the idle period that is asked about.
type scorer struct {
	chosen    *policy.Chosen
	candidate *g10.Candidate
	kernels   int
	machine   *machine.Machine
	margin    int64 // in thousandths, of the way back
}

// prepare begins a plan.
func (x *scorer) prepare(w *workload.Workload, m *machine.Machine, o *system.Options) {
	x.kernels, x.machine, x.margin = len(w.Kernels), m, g10.Safety.Of(o)
}

// Read implements policy.Reader.
func (x *scorer) Read(feature int, _ []int32, out []float64) { out[0] = x.ReadOne(feature, 0) }

// ReadOne implements policy.One.
func (x *scorer) ReadOne(feature int, _ int32) float64 {
	c, m := x.candidate, x.machine
	switch feature {
	case featSize:
		return float64(c.Size)
	case featHostTime:
		return x.trip(unit.Bytes(c.Size), m.HostLink, m.HostLink, 0)
	case featSSDTime:
		return x.trip(unit.Bytes(c.Size), m.SSDWrite, m.SSDRead, m.SSDLatency)
	case featCapacity:
		return float64(m.GPUMemory)
	case featKernels:
		return float64(x.kernels)
	case featBenefit:
		return c.Benefit
	case featIdle:
		return float64(c.Idle / 1e6)
	case featSpan:
		return float64(c.End - c.Start)
	case featAway:
		return float64(max(0, c.Back-c.Gone))
	case featWraps:
		return policy.Truth(c.Wraps)
	}
	return x.chosen.Dials[feature-featDials]
}

// trip is how long a tensor takes there and back, in seconds.
func (x *scorer) trip(n unit.Bytes, out, in unit.Bandwidth, latency unit.Time) float64 {
	back := latency + in.Time(n)
	return policy.Seconds(latency + out.Time(n) + back + unit.Time(unit.MulDiv(int64(back), x.margin, 1000)))
}

// A sparer knows the block that is asked about.
type sparer struct {
	chosen   *policy.Chosen
	run      *blocks.Run
	block    blocks.ID
	expected int64
}

// Read implements policy.Reader.
func (x *sparer) Read(feature int, _ []int32, out []float64) { out[0] = x.ReadOne(feature, 0) }

// ReadOne implements policy.One.
func (x *sparer) ReadOne(feature int, _ int32) float64 {
	switch feature {
	case featExpected:
		if x.expected == deepum.Unexpected {
			return -policy.Never
		}
		return float64(x.expected)
	case featActive:
		return policy.Truth(x.run.Active(x.block))
	case featKernels:
		return float64(len(x.run.Workload.Kernels))
	}
	return x.chosen.Dials[feature-featDials]
}
