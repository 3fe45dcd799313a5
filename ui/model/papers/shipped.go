package papers

import (
	"fmt"

	"spillway/sim/study"
)

// Ship takes what runs said when the site was built. It is shown until they are made here, which
// confirms it or not.
func (p *Papers) Ship(list []study.Recording) {
	for _, x := range p.list {
		for i := range list {
			if list[i].Paper != x.Key {
				continue
			}
			x.shipped, x.seconds = map[string]*study.Outcome{}, list[i].Seconds
			for k := range list[i].Outcomes {
				o := &list[i].Outcomes[k]
				x.shipped[o.Run] = o
			}
			x.rev++
		}
	}
	p.Rev++
	p.sheets()
}

// came is what the site came with of a run; nil if nothing, or if the opened files have its
// workload, with which it was not made.
func (x *paper) came(p *Papers, r *paperRun) *study.Outcome {
	o := x.shipped[r.Name]
	if o == nil {
		return nil
	}
	if _, files, _ := p.source(x, &r.Run); files != 0 {
		return nil
	}
	return o
}

// confirm compares what the site came with of a run with what was computed.
func (s *Progress) confirm(shipped *study.Outcome, r *paperRun) {
	if shipped == nil {
		return
	}
	s.Shipped++
	switch {
	case r.outcome == nil:
	case r.outcome.Same(shipped):
		s.Confirmed++
	default:
		if s.Differing++; s.First == "" {
			s.First = r.Name
		}
	}
}

// differs says that runs do not say here what they said when the site was built.
func (s *Progress) differs() string {
	return fmt.Sprintf("%d runs differ on this machine from what this build came with; they must not. The first: %s", s.Differing, s.First)
}

// origin says in a word where the numbers of a figure come from.
func (s *Progress) origin() string {
	switch {
	case s.Differing > 0:
		return "differs here"
	case s.Runs == 0 || s.Shipped == 0:
		return ""
	case s.Confirmed == s.Runs:
		return "confirmed on this machine"
	case s.Shipped == s.Runs && s.Confirmed == 0:
		return "shipped"
	case s.Shipped == s.Runs:
		return fmt.Sprintf("shipped, %d of %d runs confirmed", s.Confirmed, s.Runs)
	}
	return ""
}

// sentence says where the numbers of everything come from, behind how many runs there were.
func (s *Progress) sentence() string {
	switch {
	case s.Differing > 0:
		return " " + s.differs() + "."
	case s.Shipped == 0:
		return ""
	case s.Confirmed == s.Runs:
		return " All say the same to the last bit as what this build came with."
	case s.Confirmed == 0:
		return " Shown is what this build came with."
	}
	return fmt.Sprintf(" %d confirmed on this machine; of the others shown is what this build came with.", s.Confirmed)
}

// enough is how many runs say how fast this machine is.
const enough = 8

// processors is how many the page's workers have at least, of what was recorded of one. That was on
// a busy machine and natively: G10's 277 s took 130 s in a browser with two.
const processors = 2

// left is about how long it takes to run what is left of a paper here: as the runs that were made
// here took, else as when the site was built; 0 if nobody knows.
func (p *Papers) left(x *paper, s *Progress) float64 {
	if here := p.Elapsed().Seconds(); s.Known >= enough && here > 0 {
		return here / float64(s.Known) * float64(s.Runs-s.Known)
	}
	if s.Runs == 0 {
		return 0
	}
	return x.seconds / processors * float64(s.Runs-s.Known) / float64(s.Runs)
}
