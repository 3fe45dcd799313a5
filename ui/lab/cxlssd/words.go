package cxlssd

import (
	core "spillway/sim/cxlssd"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// kindNames, partNames and causeNames are the words for how requests are served, for
// the parts of their bill and for what cores do, in the order of their numbers.
var (
	kindNames  = [core.Kinds]string{"from host DRAM", "from the page cache", "from the write log", "appended to the log", "merged with a read under way", "read from flash"}
	partNames  = [core.Parts]string{"Host DRAM", "Link", "Index", "Device DRAM", "Flash", "Queue"}
	causeNames = [core.Causes]string{"computes", "waits for host DRAM", "waits for the SSD", "waits for the log", "switches threads", "is stopped", "has no thread"}
)

// part is a share, 0 of nothing.
func part(n, of int64) float64 { return float64(n) / float64(max(of, 1)) }

// nanoseconds is a time in ns, as a number for people.
func nanoseconds(t float64) float64 { return t / float64(unit.Nanosecond) }

// mean is a sum of times over a count.
func mean(sum unit.Time, n int64) unit.Time {
	if n == 0 {
		return 0
	}
	return sum / unit.Time(n)
}

// shareCell is a share with its bar.
func shareCell(n, of int64) report.Cell {
	x := part(n, of)
	return report.Cell{Text: prose.Percent(x), Share: min(max(x, 0), 1)}.WithShare(x)
}

// billed is the sum of the latencies of all requests.
func billed(r *core.Result) (t unit.Time) {
	for _, x := range r.Bill {
		t += x
	}
	return t
}

// programs is how many pages were programmed, whatever for.
func programs(r *core.Result) int64 {
	return r.EvictionPrograms + r.CompactionPrograms + r.DemotionPrograms + r.CollectionPrograms
}

// coreTime is what all cores together took until each had done its threads.
func coreTime(r *core.Result) (t unit.Time) {
	for _, x := range r.CoreTimes {
		t += x
	}
	return t
}
