package filesys

import (
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/unit"
)

// line is what a load or store moves, in bytes.
const line = 64

// Named is how many files and directories calls made or removed, those of a preparation among them.
func (r *Result) Named() int64 {
	n := r.Prepared
	for _, code := range [...]call.Code{call.Create, call.Unlink, call.Mkdir, call.Rmdir} {
		n += r.Tallies[code].Count
	}
	return n
}

// ReadQuantile returns a latency that so many of thousand reads take at most; 0 without reads.
func (r *Result) ReadQuantile(thousandths int64) unit.Time {
	return r.ReadLatency.Quantile(thousandths, r.Longest)
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
	d.Promoted -= before.Promoted
	return d
}
