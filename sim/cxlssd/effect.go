package cxlssd

import (
	"spillway/sim/cxlssd/stream"
	"spillway/sim/quirk"
	"spillway/sim/report"
)

// An Effect is what a run becomes with one switch turned over and all others as they are.
type Effect struct {
	Switch int // its place in Quirks
	On     bool
	// Result is the other run's; where Concerned is false, the run's own: the switch
	// is of a part that the design does not have.
	Result    *Result
	Concerned bool
}

// Effects returns the effect of each switch on a run, whose result is r. p is told how
// many of the switches are done; it may be nil.
func Effects(w *stream.Workload, s *Setup, system *System, r *Result, p report.Progress) ([]Effect, error) {
	concerns := s.concerns(system.Design)
	list := make([]Effect, len(Quirks))
	for i := range list {
		bit := quirk.Set(1) << i
		e := Effect{Switch: i, On: s.Quirks.Has(bit), Result: r, Concerned: concerns.Has(bit)}
		if e.Concerned {
			other := *s
			other.Quirks ^= bit
			var err error
			if e.Result, err = Run(w, &other, system.Name, nil, nil); err != nil {
				return nil, err
			}
		}
		list[i] = e
		if p != nil {
			p(i+1, len(list))
		}
	}
	return list, nil
}
