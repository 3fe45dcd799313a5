package cxlssd

import (
	"spillway/sim/flash"
	"spillway/sim/unit"
)

// Amplification returns how many pages the flash programs for each that is written to
// it, in thousandths: of what the collected blocks held, all but what was copied out of
// them was room for a page written. It is 1000 where nothing was collected.
//
// Pages copied by pages written in the run would say little: a collection works for
// writes long after a run of a fraction of a second.
func (r *Result) Amplification(s *Setup) int64 {
	held := r.Erases * s.Pages
	if held <= r.CollectionPrograms {
		return 1000
	}
	return unit.MulDiv(held, 1000, held-r.CollectionPrograms)
}

// Lasts reports whether a run says how long its flash lasts: without a log always, with one where the
// log was compacted within the run. Else the run only fills it, and what it programs is what the
// log was begun with.
func (r *Result) Lasts() bool { return r.Slots == 0 || r.Compactions > 0 }

// Life returns how long the flash lasts if the run goes on and on: every block can be
// erased Endurance times. What the write log of a run begins with (WarmPrograms) stands
// for what its log ends with.
func (r *Result) Life(s *Setup) flash.Life {
	spec := flash.Spec{Capacity: s.Capacity(), Endurance: unit.Bytes(unit.MulDiv(int64(s.Capacity()), s.Endurance, 1))}
	written := unit.Bytes(r.EvictionPrograms+r.CompactionPrograms+r.DemotionPrograms) * unit.Page
	return flash.Lifetime(&spec, written, r.Time, r.Amplification(s))
}
