package filesys

import (
	"math/bits"
	"slices"

	"spillway/sim/filesys/device"
	"spillway/sim/unit"
)

// line is what a load or store moves, in bytes.
const line = 64

// bins are the limits of ReadLatency.
var bins = func() (b [len(Result{}.ReadLatency)]unit.Time) {
	// A millionth of a picosecond at four steps to the next power of two.
	quarters := [4]int64{1_000_000_000, 1_189_207_115, 1_414_213_562, 1_681_792_831}
	for i := range b {
		b[i] = unit.Time(unit.MulDiv(quarters[i%4], 1<<(i/4), 1_000_000))
	}
	return b
}()

// bin returns the first bin whose limit a latency is below, or the last.
func bin(t unit.Time) int {
	i := max(0, 4*(bits.Len64(uint64(t))-11)) // a limit is 1000 ps, just below 2¹⁰, times a power of two
	for i < len(bins) && t >= bins[i] {
		i++
	}
	return min(i, len(bins)-1)
}

// ReadQuantile returns a latency that so many of thousand reads take at most: between the
// limits of its bin as if reads were spread evenly, and never longer than the longest; 0
// without reads.
func (r *Result) ReadQuantile(thousandths int64) unit.Time {
	var count int64
	for _, n := range r.ReadLatency {
		count += n
	}
	left := count - unit.MulDiv(count, 1000-thousandths, 1000)
	for i, n := range r.ReadLatency {
		if left > n || n == 0 {
			left -= n
			continue
		}
		var low unit.Time
		if i > 0 {
			low = bins[i-1]
		}
		high := bins[i]
		if r.Longest > low {
			high = min(high, r.Longest)
		}
		return low + unit.Time(unit.MulDiv(int64(high-low), left, n))
	}
	return 0
}

// A sampler keeps samples at about equal distances: when they are too many, every other
// is dropped and the distance doubles.
type sampler struct {
	list        []Sample
	next, every unit.Time
}

const (
	mostSamples = 400
	// firstDistance between samples is doubled as the run goes on.
	firstDistance = 50 * unit.Microsecond
)

// sample takes a sample now.
func (r *run) sample() {
	s := &r.samples
	s.every = max(s.every, firstDistance)
	if len(s.list) >= mostSamples {
		for i := range mostSamples / 2 {
			s.list[i] = s.list[2*i]
		}
		s.list = s.list[:mostSamples/2]
		s.every *= 2
	}
	s.next = r.now + s.every
	at := Sample{At: r.now - r.origin, Calls: r.answered - r.warmed}
	at.Log, _, at.Cleaning = r.device.Log()
	dirty, _ := r.host.DirtyPages()
	cached, duplicates := r.host.Cached()
	at.Dirty, at.Cached, at.Duplicates = int64(dirty), int64(cached), int64(duplicates)
	for _, n := range r.device.Counts.FlashReads {
		at.Reads += n
	}
	for _, n := range r.device.Counts.FlashPrograms {
		at.Programs += n
	}
	s.list = append(s.list, at)
}

// difference returns what counters counted since they were as before.
func difference(c, before *device.Counts) device.Counts {
	d := *c
	for s := range d.Bytes {
		for i := range d.Bytes[s] {
			for w := range d.Bytes[s][i] {
				d.Bytes[s][i][w] -= before.Bytes[s][i][w]
				d.Accesses[s][i][w] -= before.Accesses[s][i][w]
			}
		}
		d.Programmed[s] -= before.Programmed[s]
	}
	for i := range d.FlashReads {
		d.FlashReads[i] -= before.FlashReads[i]
		d.FlashPrograms[i] -= before.FlashPrograms[i]
	}
	for i := range d.Merged {
		d.Merged[i] -= before.Merged[i]
	}
	d.Busy = slices.Clone(d.Busy)
	for i := range d.Busy {
		d.Busy[i] -= before.Busy[i]
	}
	d.Erases -= before.Erases
	d.Commits -= before.Commits
	d.Appended -= before.Appended
	d.Replaced -= before.Replaced
	d.Voided -= before.Voided
	d.Carried -= before.Carried
	d.LogHits -= before.LogHits
	d.LogPartial -= before.LogPartial
	d.Swaps -= before.Swaps
	d.Full -= before.Full
	d.BufferHits -= before.BufferHits
	d.BufferMisses -= before.BufferMisses
	return d
}
