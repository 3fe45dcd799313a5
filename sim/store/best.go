package store

import (
	"fmt"

	"spillway/sim/report"
	"spillway/sim/store/ops"
)

// Known says what [BestKnown] returns, as the other policies do; it is none that [Run] takes.
func Known() Policy {
	return Policy{
		Name: "best-known", Title: "Best known", Ours: true,
		About: "The fastest of all policies, and of three that know the trace, without prefetch and with it where it is on: all are run. No policy here is faster; whether another rule could be is not known.",
	}
}

// A Best is the fastest run that is known of a trace on a setup.
type Best struct {
	*Result
	Policy Policy
	Setup  Setup // with prefetch or without
}

// BestKnown runs every policy, and those that know the trace in three orders, without prefetch and
// where the setup has it also with it, and returns the run that ends first of those that fit; of
// equals the first. None of [Policies] nor the [Oracle] is faster; another rule may be. If none
// fits it returns the first. p is told after every run, and may be nil.
func BestKnown(t *ops.Trace, s Setup, p report.Progress) (*Best, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	at := newPlan(t)
	policies := append(Policies(), informed()...)
	all := len(policies) * int(1+s.Prefetch)
	var best *Best
	done := 0
	for _, policy := range policies {
		for with := s.Prefetch; with >= 0; with-- {
			setup := s
			setup.Prefetch = with
			r := at.watched(setup, &policy, nil)
			if done++; p != nil {
				p(done, all)
			}
			if best == nil || r.Fits() && (!best.Fits() || r.Time < best.Time) {
				best = &Best{r, policy, setup}
			}
		}
	}
	return best, nil
}

// Says is which policy it is, as a sentence.
func (b *Best) Says() string {
	name := b.Policy.Title
	switch {
	case b.Policy.byCost:
		name += " weighed with size and cost"
	case b.Policy.by == byTruth && b.Policy.bySize:
		name += " weighed with size"
	}
	if b.Setup.Prefetch != 0 {
		return name + ", with prefetch"
	}
	return name + ", without prefetch"
}
