package serve

import (
	"math/bits"

	"spillway/sim/unit"
)

// A picosecond's 64 bits reach 106 days. So a run may take 100 days, and a step ten: what is longer is counted as that, and the
// engine gives up where it comes to it. All sums of times are made so that they stay there.
const (
	mostRun  = 100 * day
	mostStep = 10 * day
)

// after is a moment that comes so long after another, both from 0 to mostRun; it is mostRun at most.
func after(t, span unit.Time) unit.Time {
	if span >= mostRun-t {
		return mostRun
	}
	return t + span
}

// times is so many times a time, neither below 0, and most at most.
func times(t unit.Time, n int64, most unit.Time) unit.Time {
	hi, lo := bits.Mul64(uint64(t), uint64(n))
	if hi > 0 || lo > uint64(most) {
		return most
	}
	return unit.Time(lo)
}

// lasts is how long n bytes take at a rate, mostStep at most.
func lasts(rate unit.Bandwidth, n unit.Bytes) unit.Time {
	return min(max(1, rate).Time(n), mostStep)
}

// works is how long n of something take that are so many operations each, at a rate of operations a second, mostStep at most.
func works(n, each, rate int64) unit.Time {
	hi, lo := bits.Mul64(uint64(n), uint64(each))
	if hi >= uint64(rate) {
		return mostStep
	}
	whole, rest := bits.Div64(hi, lo, uint64(rate))
	if whole >= uint64(mostStep/unit.Second) {
		return mostStep
	}
	return unit.Time(whole)*unit.Second + unit.Time(unit.MulDiv(int64(rest), int64(unit.Second), rate))
}

// span is a number of picoseconds as a time, mostStep at most.
func span(ps float64) unit.Time { return unit.Time(min(ps, float64(mostStep))) }
