package system

import (
	"slices"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/machine"
	"spillway/sim/model"
)

// Plans are schedules that were made before, for who runs many setups that differ in little: plans for fewer drives, and
// those of TERAIO-Mixed on drives alone, are others' own. The oldest are dropped. It is of one goroutine.
type Plans struct {
	made []made
	ops  int // of all programs that are kept
}

// An Occasion is all that plans of TERAIO depend on.
type Occasion struct {
	Arch   model.Arch
	Layout job.Layout
	// HostOptimizer and Apart are as in job.Spec.
	HostOptimizer, Apart bool
	Node                 machine.Config
	Options              Options
	// Mixed: with host memory. Quick: without those that are stretched.
	Mixed, Quick bool
}

type made struct {
	occasion  Occasion
	schedules []offload.Schedule
	fits      bool
	ops       int
}

// mostOps is how many operations of programs are kept: 24 MiB of them.
const mostOps = 1 << 21

// OccasionOf is that of a job on a node. What a node and its parts cost, and how long drives live, no plan depends on.
func OccasionOf(j *job.Job, n *machine.Config, o *Options, mixed, quick bool) Occasion {
	x := Occasion{*j.Spec.Arch, j.Spec.Layout, j.Spec.HostOptimizer, j.Spec.Apart, *n, *o, mixed, quick}
	x.Options.Plans = nil
	x.Node.Prices, x.Node.GPU.Cents, x.Node.GPU.Watts = machine.Prices{}, 0, 0
	x.Node.Drive.Cents, x.Node.Drive.Endurance, x.Node.Drive.MilliWatts = 0, 0, 0
	return x
}

// Find returns the schedules of an occasion, each of which may be renamed, and whether the plan fits without stretch. Of none
// nothing is kept.
func (p *Plans) Find(x *Occasion) (list []*offload.Schedule, fits, ok bool) {
	for i := range p.made {
		if m := &p.made[i]; m.occasion == *x {
			for k := range m.schedules {
				s := m.schedules[k]
				list = append(list, &s)
			}
			return list, m.fits, true
		}
	}
	return nil, false, false
}

// Keep keeps the schedules of an occasion.
func (p *Plans) Keep(x *Occasion, list []*offload.Schedule, fits bool) {
	m := made{occasion: *x, fits: fits}
	for _, s := range list {
		m.schedules = append(m.schedules, *s)
		for i, g := range s.Programs {
			if i == 0 || g != s.Programs[i-1] {
				m.ops += len(g.Ops)
			}
		}
	}
	if m.ops > mostOps {
		return // alone more than what is kept of all
	}
	p.made, p.ops = append(p.made, m), p.ops+m.ops
	for p.ops > mostOps {
		p.ops -= p.made[0].ops
		p.made = slices.Delete(p.made, 0, 1) // which clears what it leaves behind
	}
}
