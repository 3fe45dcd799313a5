package serve

import (
	"math"

	"spillway/sim/unit"
)

const (
	thousand = 1000
	million  = 1_000_000
	day      = 86_400 * unit.Second
	year     = 365 * 86_400 // seconds
)

// rate is how many a second are n in the time of the run, in thousandths.
func (r *Result) rate(n int64) int64 {
	if !r.Ran() || r.Time == 0 {
		return 0
	}
	return unit.MulDiv(n*thousand, int64(unit.Second), int64(r.Time))
}

// OutputRate is how many tokens of answers a second there are, in thousandths.
func (r *Result) OutputRate() int64 { return r.rate(r.Answers) }

// TotalRate is that of prompts and answers together.
func (r *Result) TotalRate() int64 { return r.rate(r.Prompts + r.Answers) }

// RequestRate is how many requests a second are answered, in thousandths; Goodput is those that keep both limits.
func (r *Result) RequestRate() int64 { return r.rate(int64(len(r.Requests))) }

// Goodput is how many requests a second keep both limits, in thousandths.
func (r *Result) Goodput() int64 { return r.rate(r.Good) }

// HitRate is the share of prompts' tokens that some tier had, in millionths.
func (r *Result) HitRate() int64 {
	if !r.Ran() || r.Prompts == 0 {
		return 0
	}
	return unit.MulDiv(r.Prompts-r.Tokens[Computed], million, r.Prompts)
}

// HitRateOf is the share that one tier had, in millionths.
func (r *Result) HitRateOf(t Tier) int64 {
	if !r.Ran() || r.Prompts == 0 {
		return 0
	}
	return unit.MulDiv(r.Tokens[t], million, r.Prompts)
}

// Mean is how long a replica does something, in the mean of all, rounded down to a picosecond.
func (r *Result) Mean(d Doing) unit.Time {
	var sum total
	for i := range r.Doing {
		sum.add(r.Doing[i][d], 1)
	}
	return sum.over(int64(max(1, len(r.Doing))))
}

// Busy is the share of the run in which something worked, in the mean of the replicas, in millionths.
func (r *Result) Busy(w Work) int64 {
	if !r.Ran() || r.Time == 0 {
		return 0
	}
	return unit.MulDiv(int64(w.Busy), million, int64(r.Time))
}

// WrittenPerDay is what is written to all drives in a day like the run.
func (r *Result) WrittenPerDay() unit.Bytes {
	if !r.Ran() || r.Time == 0 {
		return 0
	}
	return unit.Bytes(unit.MulDiv(int64(r.Write.Bytes), int64(day), int64(r.Time)))
}

// DriveLife is after how many days, in thousandths, the drives have been written as much as their maker warrants; it is
// math.MaxInt64 if nothing is written.
func (r *Result) DriveLife() int64 {
	n := r.WrittenPerDay()
	if n == 0 {
		return math.MaxInt64
	}
	return unit.MulDiv(int64(r.Endurance), thousand, int64(n))
}

// Energy is what the run takes, in millijoules: the node's power while everything works, from data sheets, for as long as
// the run lasts.
func (r *Result) Energy() int64 {
	return unit.MulDiv(r.MilliWatts, int64(r.Time), int64(unit.Second))
}

// Cost is what the run costs, in billionths of a US dollar: the price of the node spread evenly over its years, and the energy.
func (r *Result) Cost() int64 {
	if !r.Ran() {
		return 0
	}
	// A cent is 10⁷ billionths of a dollar, a kWh 3.6·10⁹ mJ.
	cost := unit.MulDiv(r.Energy(), r.KWh, 360)
	if r.Years > 0 {
		cost += unit.MulDiv(r.Price, int64(r.Time/unit.Nanosecond), r.Years*year*100)
	}
	return cost
}

// PerMillion is what a million tokens of answers cost, in millionths of a US dollar.
func (r *Result) PerMillion() int64 {
	if !r.Ran() || r.Answers == 0 {
		return 0
	}
	return unit.MulDiv(r.Cost(), thousand, r.Answers)
}

// EnergyPerMillion is what a million tokens of answers take, in watt hours.
func (r *Result) EnergyPerMillion() int64 {
	if !r.Ran() || r.Answers == 0 {
		return 0
	}
	return unit.MulDiv(r.Energy(), 10, 36*r.Answers)
}
