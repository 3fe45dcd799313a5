package compress

import (
	"fmt"

	"spillway/sim/compress/buddy"
	"spillway/sim/policy"
)

// OwnPolicy is the name of the design that does as somebody wrote.
const OwnPolicy = policy.System

// OwnVariant is the design that does as somebody wrote.
func OwnVariant(c *policy.Chosen) Variant {
	return Variant{Name: OwnPolicy, Title: c.Called(), About: "What somebody wrote.", Section: "none", Special: true}
}

// Own chooses targets as somebody wrote, for one program after the other. What is kept begins anew
// with each of them; work is counted over all.
type Own struct {
	chosen *policy.Chosen
	asker  *policy.Asker // of the last program
	gaveUp string

	program *Program
	setup   *Setup
	target  buddy.Target // that is asked about
}

// NewOwn returns a policy that has decided nothing yet.
func NewOwn(c *policy.Chosen) *Own { return &Own{chosen: c} }

// Account returns what there is to say up to now.
func (o *Own) Account() policy.Account { return o.asker.Account() }

// GaveUp says why there are no more results, where the policy asked for too much; else it is "".
func (o *Own) GaveUp() string { return o.gaveUp }

// Run compresses a program; nil once the policy asked for too much.
func (o *Own) Run(p *Program, s *Setup) *Result {
	if o.gaveUp != "" {
		return nil
	}
	o.program, o.setup = p, s
	before := o.asker
	o.asker = policy.NewAsker(o.chosen, o, len(p.Allocations))
	if before != nil {
		a := o.asker
		a.Asked, a.Candidates, a.Most, a.Work, a.Doubts = before.Asked, before.Candidates, before.Most, before.Work, before.Doubts
	}
	v := OwnVariant(o.chosen)
	b := v.policy(s)
	allow, big, given := o.chosen.Rule("allow"), o.chosen.Rule("big"), o.chosen.Event("given")
	b.Allow = func(i int, t buddy.Target) bool {
		o.target = t
		return !o.over(i) && o.asker.Yes(allow, int32(i))
	}
	b.Given = func(i int, t buddy.Target) {
		o.target = t
		o.asker.Happens(given, int32(i))
	}
	b.Big = func(i int) bool {
		o.target = buddy.X16
		return !o.over(i) && o.asker.Yes(big, int32(i))
	}
	r := runWith(p, s, &v, b.Choose)
	if o.asker.Over() && o.gaveUp == "" { // with its last question
		o.over(len(p.Allocations))
	}
	if o.gaveUp != "" {
		return nil
	}
	return r
}

// over reports whether the policy asked for too much before allocation i.
func (o *Own) over(i int) bool {
	if o.asker.Over() && o.gaveUp == "" {
		o.gaveUp = fmt.Sprintf("gave up at allocation %d of %d of %s: %s", i, len(o.program.Allocations), o.program.Name, o.asker.Says())
	}
	return o.gaveUp != ""
}

// Read implements policy.Reader.
func (o *Own) Read(feature int, things []int32, out []float64) {
	for i, t := range things {
		out[i] = o.number(feature, &o.program.Allocations[t])
	}
}

func (o *Own) number(feature int, a *buddy.Allocation) float64 {
	s := o.setup
	switch feature {
	case featOverflow:
		return a.Worst(o.target)
	case featMean:
		return mean(a, func(h *buddy.Histogram) float64 { return h.Overflow(o.target) })
	case featStart:
		if len(a.Snapshots) == 0 {
			return 0
		}
		return a.Snapshots[0].Overflow(o.target)
	case featLocal, featRemote:
		if a.Idle {
			return 0
		}
		random := s.pattern(o.program).Random.Float()
		return mean(a, func(h *buddy.Histogram) float64 {
			near, far := h.One(o.target)
			if feature == featLocal {
				return float64((1-random)*h.Local(o.target)) + float64(random*near)
			}
			return float64((1-random)*h.Remote(o.target)) + float64(random*far)
		})
	case featTiny:
		return a.Least()
	case featSize:
		return float64(a.Bytes)
	case featIdle:
		return policy.Truth(a.Idle)
	case featRatio:
		return float64(buddy.EntryBytes) / float64(o.target.Slot())
	case featFootprint:
		return float64(o.program.Bytes())
	case featAllocations:
		return float64(len(o.program.Allocations))
	case featThreshold:
		return s.Threshold.Float()
	case featMostlyZero:
		return s.Tiny.Float()
	case featMaxRatio:
		return s.MaxRatio.Float()
	case featMemory:
		return float64(s.Memory)
	case featLink:
		return float64(s.Link)
	case featBound:
		return s.Bound.Float()
	}
	return o.chosen.Dials[feature-featDials]
}

// mean is over an allocation's snapshots.
func mean(a *buddy.Allocation, of func(*buddy.Histogram) float64) float64 {
	sum := 0.0
	for i := range a.Snapshots {
		sum += of(&a.Snapshots[i])
	}
	return sum / float64(max(1, len(a.Snapshots)))
}
