package paged

import (
	"math"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
)

// A share is what one migration batch may move, in pages.
type share struct {
	period  unit.Cycles // time from batch to batch
	linkIn  int64       // over the GPU's link in all
	linkOut int64
	hostIn  int64
	hostOut int64
	ssdIn   int64
	ssdOut  int64
	mapping int64       // pages allocated
	page    unit.Cycles // to allocate one page
}

// times returns what n batches may move.
func (s share) times(n int64) share {
	return share{s.period, s.linkIn * n, s.linkOut * n, s.hostIn * n, s.hostOut * n, s.ssdIn * n, s.ssdOut * n, s.mapping * n, s.page}
}

// links is a set of paths that are in use behind the GPU's link.
type links uint8

const (
	hostReads links = 1 << iota
	hostWrites
	ssdReads
	ssdWrites
	ssdBoth  // the SSD reads and writes at the same time
	bothWays // the GPU's link carries something in both directions at the same time
	linkSets // how many sets there are
)

// batchShares returns the shares of a batch for every set of links in use. As
// published they depend on a Drive only.
func batchShares(c *engine.Config) (shares [linkSets]share) {
	for used := range linkSets {
		read, write := c.SSDRates(used&ssdBoth != 0)
		if c.Quirks.Has(quirk.CoarseBatch) {
			shares[used] = coarseShare(&c.Machine, read, write)
		} else {
			shares[used] = batchShare(&c.Machine, read, write, used)
		}
	}
	return shares
}

// minQuota is the least whole-page share of a link in use that corrected mode
// accepts, so that rounding shares down to pages costs at most about 3 %.
const minQuota = 32

// batchShare derives the shares of a batch while the given links are in use. A
// link that is not has no say in how long a batch is. Shares are what the rates
// allow in the batch's whole cycles, so that no link moves more than its rate.
func batchShare(m *machine.Machine, read, write unit.Bandwidth, used links) share {
	s := share{page: pageMapping(m)}
	in, out := m.GPULink, m.GPULink
	if used&bothWays != 0 {
		in = m.Beside(used.wanted(hostWrites, m.HostLink) + used.wanted(ssdWrites, write))
		out = m.Beside(used.wanted(hostReads, m.HostLink) + used.wanted(ssdReads, read))
	}
	for batch := m.BatchPages; batch <= 1<<30; batch *= 2 {
		s.period = m.GPULink.Cycles(unit.Bytes(batch)*unit.Page, m.Clock)
		carries := func(b unit.Bandwidth) int64 {
			return unit.MulDiv(int64(b), int64(s.period), int64(m.Clock)) / int64(unit.Page)
		}
		s.linkIn, s.linkOut, s.ssdIn, s.ssdOut = carries(in), carries(out), carries(read), carries(write)
		s.hostIn = carries(m.HostLink)
		s.hostOut = s.hostIn
		if min(s.linkIn, s.linkOut) >= minQuota && (used&(hostReads|hostWrites) == 0 || s.hostIn >= minQuota) &&
			(used&ssdReads == 0 || s.ssdIn >= minQuota) && (used&ssdWrites == 0 || s.ssdOut >= minQuota) {
			break
		}
	}
	s.mapping = max(1, int64(s.period/s.page))
	return s
}

// wanted is the rate of a path if it is in use.
func (l links) wanted(path links, rate unit.Bandwidth) unit.Bandwidth {
	if l&path == 0 {
		return 0
	}
	return rate
}

// coarseShare is the published batch (quirk coarse-batch). The divisions are
// those of the published simulator, in doubles (spec of the artifact's run-time
// simulator, derived constants).
func coarseShare(m *machine.Machine, read, write unit.Bandwidth) share {
	gpu := gbps(m.GPULink)
	batch := float64(m.BatchPages)
	perCycle := float64(gpu*1e9) / float64(m.Clock)
	s := share{
		period: max(1, unit.Cycles(float64(batch*float64(unit.Page))/perCycle)),
		linkIn: int64(batch), linkOut: int64(batch),
		hostIn: int64(float64(batch/gpu) * gbps(m.HostLink)),
		ssdIn:  int64(float64(batch/gpu) * gbps(read)),
		ssdOut: int64(float64(batch/gpu) * gbps(write)),
		page:   pageMapping(m),
	}
	s.hostOut = s.hostIn
	s.mapping = int64(s.period / s.page)
	return s
}

// pageMapping returns how long it takes to map a page.
func pageMapping(m *machine.Machine) unit.Cycles {
	perByte := float64(m.AllocRate) / 1e9 // microseconds
	return max(1, unit.Cycles(math.Round(float64(float64(perByte*float64(unit.Page))/1e6)*float64(m.Clock))))
}

func gbps(b unit.Bandwidth) float64 { return float64(b) / 1e9 }

// A demand describes the pages a blocked kernel misses.
type demand struct {
	inBytes, outBytes unit.Bytes    // all input tensors; all output-only tensors
	in, out           result.Faults // missing pages by source
}

func missing(f *result.Faults) int64 { return f.Host + f.SSD + f.Unallocated }

// faultLatency is the corrected fault cost: the driver handles page faults in
// batches, and those on SSD pages twice when the page tables are split. Fresh
// pages fault only beyond the free pages: a framework gives the memory of dead
// tensors to new ones while it is still mapped, which costs the allocation rate.
func (d *demand) faultLatency(m *machine.Machine, split bool, free int64) unit.Cycles {
	batches := func(pages int64) unit.Cycles { return unit.Cycles((pages + m.FaultBatch - 1) / m.FaultBatch) }
	ssd := m.Clock.CyclesUp(m.SSDLatency)
	if split {
		ssd += m.Clock.CyclesUp(m.FaultLatency)
	}
	fresh := max(0, d.in.Unallocated+d.out.Unallocated-free)
	fromSSD := d.in.SSD + d.out.SSD
	return batches(d.in.Host+d.out.Host+fromSSD+fresh)*m.Clock.CyclesUp(m.FaultLatency) + batches(fromSSD)*ssd
}

// profilePenalty is the published fault cost (quirk profile-penalty): bandwidths
// inferred from profiled slowdowns, in bytes per millisecond, applied to the
// missing share of inputs and outputs. Profiled times are truncated to seconds.
func (d *demand) profilePenalty(m *machine.Machine, exec, inputFault, fault unit.Cycles) unit.Cycles {
	const unlimited = 1063004400 // B/ms where the profile shows no slowdown
	ms := func(c unit.Cycles) float64 { return float64(int64(c) / int64(m.Clock) * 1000) }
	t00, t10, t11 := ms(fault), ms(inputFault), ms(exec)
	t00 = max(t00, t11)
	t10 = min(max(t10, t11), t00)
	sI, sO := float64(d.inBytes), float64(d.outBytes)
	rI, sharesI := ratio(&d.in, d.inBytes)
	rO, sharesO := ratio(&d.out, d.outBytes)

	cI, cO := float64(unlimited), float64(unlimited)
	if t00 != t10 {
		cI = sI / (t00 - t10)
	}
	if t10 != t11 {
		cO = sO / (t10 - t11)
	}
	ssd, link := float64(gbps(m.SSDRead)*1e9)/1000, float64(gbps(m.GPULink)*1e9)/1000
	sys, lat := float64(m.FaultLatency/unit.Microsecond), float64(m.SSDLatency/unit.Microsecond)
	bI := min(float64(cI*sys)/(sys+lat), ssd)
	bO := min(float64(cO*sys)/(sys+lat), ssd)
	if sharesI == 0 {
		bI = 0
	}
	if sharesO == 0 {
		bO = 0
	}
	cI = min(cI, link-max(bI, bO))
	cO = min(cO, link-max(bI, bO))
	ssdT, hostT := 0.0, 0.0
	if sharesI != 0 {
		ssdT += float64(float64(rI*sharesI)*sI) / bI
	}
	if sharesO != 0 {
		ssdT += float64(float64(rO*sharesO)*sO) / bO
	}
	hostT = float64(float64(rI*(1-sharesI))*sI)/cI + float64(float64(rO*(1-sharesO))*sO)/cO
	penalty := ssdT
	if ssdT < hostT {
		penalty = hostT
	}
	cycles := float64(penalty/1000) * float64(m.Clock)
	if math.IsInf(cycles, 0) || math.IsNaN(cycles) || cycles > 1<<62 {
		return 0 // what the C++ conversion amounts to
	}
	return unit.Cycles(cycles)
}

// ratio returns the missing share of a set of tensors and, of that, the SSD's share.
func ratio(f *result.Faults, size unit.Bytes) (missed, fromSSD float64) {
	n := missing(f)
	if size > 0 {
		missed = float64(n) / float64(size.Pages())
	}
	if n > 0 {
		fromSSD = float64(f.SSD) / float64(n)
	}
	return missed, fromSSD
}
