package flash

import "spillway/sim/unit"

// A Life is how long a drive lasts under a workload that runs without pause.
// Years have 365 days.
type Life struct {
	PerYear unit.Bytes // what of the endurance a year uses
	Years   int64      // until the endurance is used up, in thousandths; very large without writes
	DWPD    int64      // drive writes per day this amounts to, in thousandths
}

// seconds of a year of 365 days.
const seconds = 365 * 24 * 3600

// Lifetime returns how long a drive lasts when every iteration of the given
// time writes so much. It is the arithmetic of the G10 paper, §7.7, where
// amplification (in thousandths) is 1000: endurance divided by what is written.
// Greater amplification uses the endurance up so much faster, which is
// pessimistic, because a rating has some amplification of its own in it.
func Lifetime(s *Spec, written unit.Bytes, iteration unit.Time, amplification int64) Life {
	worn := unit.MulDiv(int64(max(0, written)), amplification, 1000)
	year := unit.MulDiv(worn, seconds*int64(unit.Second/unit.Nanosecond), int64(iteration/unit.Nanosecond))
	return Life{
		PerYear: unit.Bytes(year),
		Years:   unit.MulDiv(int64(s.Endurance), 1000, year),
		DWPD:    unit.MulDiv(year/365, 1000, int64(s.Capacity)),
	}
}
