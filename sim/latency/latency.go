// Package latency counts how long things took, finely enough for percentiles of any latency and in
// little room: four steps to every doubling.
package latency

import (
	"math/bits"

	"spillway/sim/unit"
)

// Counts are how many took less than 2^(i/4) ns and not less than the step before, for the i-th.
type Counts [160]int64

// steps are the limits of Counts.
var steps = func() (b [len(Counts{})]unit.Time) {
	// A millionth of a picosecond at four steps to the next power of two.
	quarters := [4]int64{1_000_000_000, 1_189_207_115, 1_414_213_562, 1_681_792_831}
	for i := range b {
		b[i] = unit.Time(unit.MulDiv(quarters[i%4], 1<<(i/4), 1_000_000))
	}
	return b
}()

// Step is the place in Counts of what takes so long.
func Step(t unit.Time) int { return step(t) }

// step returns the first step whose limit a latency is below, or the last.
func step(t unit.Time) int {
	i := max(0, 4*(bits.Len64(uint64(t))-11)) // a limit is 1000 ps, just below 2¹⁰, times a power of two
	for i < len(steps) && t >= steps[i] {
		i++
	}
	return min(i, len(steps)-1)
}

// Add counts one that took so long.
func (c *Counts) Add(t unit.Time) { c[step(t)]++ }

// AddAll counts n that took so long.
func (c *Counts) AddAll(t unit.Time, n int64) { c[step(t)] += n }

// Quantile returns a latency that so many of thousand take at most: between the limits of its step
// as if they were spread evenly there, and never longer than the longest; 0 of nothing. It is off
// by a fifth at most.
func (c *Counts) Quantile(thousandths int64, longest unit.Time) unit.Time {
	var count int64
	for _, n := range c {
		count += n
	}
	left := count - unit.MulDiv(count, 1000-thousandths, 1000)
	for i, n := range c {
		if left > n || n == 0 {
			left -= n
			continue
		}
		var low unit.Time
		if i > 0 {
			low = steps[i-1]
		}
		high := steps[i]
		if longest > low {
			high = min(high, longest)
		}
		return low + unit.Time(unit.MulDiv(int64(high-low), left, n))
	}
	return 0
}
