package cxlssd

import (
	"math/bits"

	"spillway/sim/unit"
)

func lines(mask uint64) int64 { return int64(bits.OnesCount64(mask)) }

// account adds what a retired request waited for to the bill.
func (d *device) account(s served, write bool) {
	if s.kind >= LogWrite {
		d.waits[s.kind][PartFlash] += s.flash
		d.waits[s.kind][PartQueue] += s.queued
		d.took(s, write)
		if s.kind == Missed {
			d.result.ReadLatency.Add(s.flash + s.queued)
			d.result.LongestRead = max(d.result.LongestRead, s.flash+s.queued)
		}
	} else if d.linkBit != 0 && s.kind != HostHit {
		d.took(s, write)
	}
	if d.linkBit != 0 {
		base := d.cacheHit
		switch s.kind {
		case HostHit:
			return
		case LogWrite:
			base = d.logWrite
		}
		d.waits[s.kind][PartLink] += s.latency - base - s.flash - s.queued
	}
}

// took counts the latency of a retired request. Those that all take the same are counted at the end.
func (d *device) took(s served, write bool) {
	r := d.result
	t := &r.ReadTail
	if write {
		t = &r.WriteTail
	}
	t.add(s.latency, s.kind, s.flash, s.queued, 1)
	r.Latency.Add(s.latency)
	if r.outlasts(s.latency, s.kind) {
		r.Longest, r.LongestOf, r.LongestFlash, r.LongestQueue = s.latency, s.kind, s.flash, s.queued
	}
}

// outlasts reports whether a request took longer than the longest so far; of those that are equally long the
// first kind counts, in whatever order they are counted.
func (r *Result) outlasts(took unit.Time, k Kind) bool {
	return took > r.Longest || took == r.Longest && took > 0 && k < r.LongestOf
}

// sample is the state of the device now.
func (d *device) sample(now unit.Time) Sample {
	r := d.result
	s := Sample{
		At: now, Log: d.log.used(), Reads: r.UserReads + r.CompactionReads,
		Programs: r.EvictionPrograms + r.CompactionPrograms + r.DemotionPrograms,
	}
	if d.flash != nil {
		s.Backlog = d.flash.backlog(now)
	}
	return s
}

// finish completes the result.
func (d *device) finish() {
	r := d.result
	base := [Kinds][Parts]unit.Time{
		HostHit:  {PartHost: d.hostHit},
		CacheHit: {PartLink: d.setup.Link, PartIndex: d.setup.Index, PartDRAM: d.setup.Access},
		LogWrite: {PartLink: d.setup.Link, PartIndex: d.logWrite - d.setup.Link - d.setup.Access, PartDRAM: d.setup.Access},
	}
	base[LogRead], base[Merged], base[Missed] = base[CacheHit], base[CacheHit], base[CacheHit]
	for k, t := range [...]unit.Time{HostHit: d.hostHit, CacheHit: d.cacheHit, LogRead: d.cacheHit} {
		if n := r.Requests[k]; n > 0 && (d.linkBit == 0 || Kind(k) == HostHit) {
			r.Latency.AddAll(t, n)
			if wrote := r.WritesOf[k]; wrote > 0 {
				r.WriteTail.add(t, Kind(k), 0, 0, wrote)
			}
			if n > r.WritesOf[k] {
				r.ReadTail.add(t, Kind(k), 0, 0, n-r.WritesOf[k])
			}
			if r.outlasts(t, Kind(k)) {
				r.Longest, r.LongestOf, r.LongestFlash, r.LongestQueue = t, Kind(k), 0, 0
			}
		}
	}
	for k := range Kinds {
		for part := range Parts {
			t := base[k][part]*unit.Time(r.Requests[k]) + d.waits[k][part]
			r.BillOf[k][part] = t
			r.Bill[part] += t
		}
	}
	for i := range d.pages {
		p := &d.pages[i]
		if p.at < 0 {
			r.LinesInHost += lines(p.dirty)
		} else {
			r.LinesInDevice += lines(p.dirty)
		}
		r.LinesInDevice += lines(p.logged)
		if p.logged != 0 || p.at >= 0 && p.dirty != 0 {
			r.LeftPages++
		}
	}
	if d.design.DRAM {
		return
	}
	for i := range d.ways {
		if d.ways[i].page >= 0 {
			d.left(&d.ways[i])
		}
	}
	if d.design.Promote != Written {
		r.PromoteAt = d.host.threshold
	}
	d.flash.report(r)
}
