package result

import (
	"fmt"

	"spillway/sim/unit"
)

// Measure reports the iteration that is nearest to the mean of the last n, the last of those
// that are, and makes Time that mean, with a note on how far they are apart.
func (r *Result) Measure(n int) {
	list := r.Iterations[len(r.Iterations)-n:]
	r.Measured = n
	mean, least, most := r.Mean().Time, list[0].Time, list[0].Time
	off := func(i int) unit.Cycles { return max(list[i].Time-mean, mean-list[i].Time) }
	at := n - 1
	for i := n - 1; i >= 0; i-- {
		if off(i) < off(at) {
			at = i
		}
		least, most = min(least, list[i].Time), max(most, list[i].Time)
	}
	r.Reported = len(r.Iterations) - n + at
	switch seconds := func(c unit.Cycles) float64 { return float64(c) / float64(r.Clock) }; {
	case least == most:
		r.Measured = 0
	case most-least > mean/100:
		r.Notes = append(r.Notes, fmt.Sprintf("Times, waits and moves are means of the %d iterations measured, which took from %.3g to %.3g s; what is drawn over kernels is the one nearest to the mean.", n, seconds(least), seconds(most)))
	}
}

// measured are the iterations that Time is the mean of.
func (r *Result) measured() []Iteration { return r.Iterations[len(r.Iterations)-r.Measured:] }

// Mean returns the mean of the iterations measured, rounded, or the reported one where that is
// alone. Its parts add up as those of an iteration. The result must fit.
func (r *Result) Mean() *Iteration {
	if r.Measured == 0 {
		return r.Main()
	}
	list := r.measured()
	it := Iteration{}
	for c := range NumCauses {
		*it.Ledger.At(c) = mean(list, func(x *Iteration) unit.Cycles { return *x.Ledger.At(c) })
	}
	// What rounding leaves is the largest cause's.
	it.Time = mean(list, func(x *Iteration) unit.Cycles { return x.Time })
	largest := FaultHandling
	for c := range NumCauses {
		if *it.Ledger.At(c) > *it.Ledger.At(largest) {
			largest = c
		}
	}
	*it.Ledger.At(largest) += it.Time - r.Ideal - it.Ledger.Total()
	it.Stall = mean(list, func(x *Iteration) unit.Cycles { return x.Stall })
	it.Overlap = mean(list, func(x *Iteration) unit.Cycles { return x.Overlap })
	it.Compute = it.Time - it.Stall - it.Overlap
	it.Doubled = mean(list, func(x *Iteration) unit.Cycles { return x.Doubled })
	it.Traffic = Traffic{
		SSDIn:   mean(list, func(x *Iteration) unit.Bytes { return x.Traffic.SSDIn }),
		SSDOut:  mean(list, func(x *Iteration) unit.Bytes { return x.Traffic.SSDOut }),
		HostIn:  mean(list, func(x *Iteration) unit.Bytes { return x.Traffic.HostIn }),
		HostOut: mean(list, func(x *Iteration) unit.Bytes { return x.Traffic.HostOut }),
	}
	it.Faults = Faults{
		Moving:      mean(list, func(x *Iteration) int64 { return x.Faults.Moving }),
		Host:        mean(list, func(x *Iteration) int64 { return x.Faults.Host }),
		SSD:         mean(list, func(x *Iteration) int64 { return x.Faults.SSD }),
		Unallocated: mean(list, func(x *Iteration) int64 { return x.Faults.Unallocated }),
	}
	if last := list[len(list)-1].Paging; last != nil {
		count := func(of func(*Paging) int64) int64 {
			return mean(list, func(x *Iteration) int64 { return of(x.Paging) })
		}
		bytes := func(of func(*Paging) unit.Bytes) unit.Bytes {
			return mean(list, func(x *Iteration) unit.Bytes { return of(x.Paging) })
		}
		it.Paging = &Paging{
			Faults:     count(func(p *Paging) int64 { return p.Faults }),
			Missed:     count(func(p *Paging) int64 { return p.Missed }),
			Late:       count(func(p *Paging) int64 { return p.Late }),
			Prefetched: count(func(p *Paging) int64 { return p.Prefetched }),
			Useless:    count(func(p *Paging) int64 { return p.Useless }),
			Dropped:    count(func(p *Paging) int64 { return p.Dropped }),
			In:         bytes(func(p *Paging) unit.Bytes { return p.In }),
			Out:        bytes(func(p *Paging) unit.Bytes { return p.Out }),
			GarbageIn:  bytes(func(p *Paging) unit.Bytes { return p.GarbageIn }),
			GarbageOut: bytes(func(p *Paging) unit.Bytes { return p.GarbageOut }),
			Tables:     last.Tables, Reserved: last.Reserved,
		}
	}
	it.Swapping = list[len(list)-1].Swapping
	return &it
}

// mean is the mean of a number of iterations, rounded.
func mean[T ~int64](list []Iteration, of func(*Iteration) T) (sum T) {
	for i := range list {
		sum += of(&list[i])
	}
	n := T(len(list))
	return (sum + n/2) / n
}
