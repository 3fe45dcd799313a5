package cxlssd

import (
	"errors"
	"fmt"

	"spillway/sim/knob"
	"spillway/sim/unit"
)

// Groups of knobs.
const (
	GroupRun     = "Run"
	GroupFlash   = "Flash"
	GroupDRAM    = "DRAM of the device"
	GroupHost    = "Host DRAM and promotion"
	GroupLink    = "Link and latencies"
	GroupCollect = "Garbage collection and life"
	GroupPrices  = "Prices"
	GroupOwn     = "Own design"
	GroupCores   = "Cores"
)

// Sources of defaults.
const (
	table2   = "SkyByte, Table II"
	table4   = "SkyByte, Table IV"
	artifact = "SkyByte artifact, configuration"
)

// Limits of what a run may take, so that it fits into a browser's memory.
const (
	mostThreads = 256
	mostWays    = 64
	// mostDRAM, mostHost and mostLog bound what a run holds of pages, after scaling.
	mostDRAM = 8 * unit.GiB
	mostHost = 32 * unit.GiB
	mostLog  = unit.GiB
)

// Knobs returns the list of every number of a Setup, and of its scheduler.
func Knobs() []knob.Knob[Setup] {
	var ks []knob.Knob[Setup]
	group := ""
	add := func(k knob.Knob[Setup]) {
		k.Group = group
		ks = append(ks, k)
	}
	count := func(ref func(*Setup) *int64, k knob.Info) {
		if k.Scale == 0 {
			k.Scale = 1
		}
		add(knob.Int(k, ref))
	}
	span := func(ref func(*Setup) *unit.Time, scale unit.Time, name string, most unit.Time, k knob.Info) {
		k.Scale, k.Unit, k.Max = int64(scale), name, int64(most)
		add(knob.Int(k, ref))
	}
	size := func(ref func(*Setup) *unit.Bytes, scale unit.Bytes, name string, k knob.Info) {
		k.Scale, k.Unit = int64(scale), name
		add(knob.Int(k, ref))
	}
	rate := func(ref func(*Setup) *unit.Bandwidth, k knob.Info) {
		k.Scale, k.Unit, k.Max = int64(unit.GBps), "GB/s", int64(1000*unit.GBps)
		add(knob.Int(k, ref))
	}
	const ns, us = unit.Nanosecond, unit.Microsecond

	group = GroupRun
	scales := knob.Info{
		Key: "scale", Label: "Scale", Kind: knob.One, Min: 1, Max: 64,
		Help:   "How much of the full workload runs. It divides footprint, cache, log, host DRAM and instructions, but not latencies, threads or channels.",
		Source: "ours, for speed",
	}
	for _, n := range []int64{1, 2, 4, 8, 16, 32, 64} {
		label := "full"
		if n > 1 {
			label = fmt.Sprintf("1/%d", n)
		}
		scales.Choices = append(scales.Choices, knob.Choice{Key: fmt.Sprint(n), Label: label, Help: Deviates(n), Word: "scale " + label})
	}
	count(func(s *Setup) *int64 { return &s.Scale }, scales)
	count(func(s *Setup) *int64 { return &s.Threads }, knob.Info{
		Key: "threads", Label: "Threads", Max: mostThreads,
		Help:   "How many threads share the work; 0 for as many as the design has: one a core, or the workload's number where reads switch threads. A recording has its own.",
		Source: "SkyByte, §6.1: 8, and 24 with context switches", Zero: "as the design has them",
	})
	count(func(s *Setup) *int64 { return &s.Seed }, knob.Info{Key: "seed", Label: "Seed", Max: 1 << 30, Help: "What random numbers begin with: another seed is another workload of the same kind.", Source: "ours"})

	group = GroupFlash
	span(func(s *Setup) *unit.Time { return &s.Read }, us, "µs", unit.Millisecond, knob.Info{Key: "flash_read", Label: "Read", Min: int64(ns), Help: "How long a die needs to read a page.", Source: table4})
	span(func(s *Setup) *unit.Time { return &s.Program }, us, "µs", 10*unit.Millisecond, knob.Info{Key: "flash_program", Label: "Program", Min: int64(ns), Help: "How long a die needs to program a page.", Source: artifact + "; 100 µs in Table IV"})
	span(func(s *Setup) *unit.Time { return &s.Erase }, us, "µs", 100*unit.Millisecond, knob.Info{Key: "flash_erase", Label: "Erase", Help: "How long a die needs to erase a block.", Source: table4})
	count(func(s *Setup) *int64 { return &s.Channels }, knob.Info{Key: "channels", Label: "Channels", Min: 1, Max: 1024, Help: "Flash channels of the device; all of them work at once.", Source: table2})
	count(func(s *Setup) *int64 { return &s.Dies }, knob.Info{Key: "dies", Label: "Dies a channel", Min: 1, Max: 256, Help: "Dies on a channel. While the switch one-lun is on, a channel still works on one page at a time.", Source: table2 + ": 8 chips of 8 dies"})
	count(func(s *Setup) *int64 { return &s.Planes }, knob.Info{Key: "planes", Label: "Planes a die", Min: 1, Max: 16, Help: "Planes in a die.", Source: table2})
	count(func(s *Setup) *int64 { return &s.Blocks }, knob.Info{Key: "blocks", Label: "Blocks a plane", Min: 8, Max: 1 << 16, Help: "Blocks in a plane, each erased as a whole.", Source: table2})
	count(func(s *Setup) *int64 { return &s.Pages }, knob.Info{Key: "pages", Label: "Pages a block", Min: 1, Max: 1 << 12, Help: "Pages of 4 KiB in a block.", Source: table2})
	rate(func(s *Setup) *unit.Bandwidth { return &s.ChannelRate }, knob.Info{Key: "channel_rate", Label: "Rate of a channel", Help: "What a channel's bus carries; 0 for no limit.", Source: "0: " + artifact + " has no bus; 0.8 as the paper says, which does not have it: general knowledge (low confidence)"})

	group = GroupDRAM
	size(func(s *Setup) *unit.Bytes { return &s.DRAM }, unit.MiB, "MiB", knob.Info{
		Key: "ssd_dram", Label: "DRAM of the device", Min: int64(unit.MiB), Max: int64(64 * unit.GiB),
		Help: "Page cache and, in designs that have one, the write log. The bundled dlrm, radix, srad and tpcc hardly return to a page that left: how much of them a larger cache holds at the start is an input (warm, in their classes), not a result.", Source: table2,
	})
	size(func(s *Setup) *unit.Bytes { return &s.Log }, unit.MiB, "MiB", knob.Info{
		Key: "log", Label: "Write log", Min: int64(unit.KiB), Max: int64(32 * unit.GiB),
		Help: "How much of the device's DRAM is the write log, in designs with one: a larger log leaves less for the page cache. A written line takes 72 bytes: itself and its address.", Source: artifact + ": an eighth of 448 MiB; 64 MiB in Table II",
	})
	count(func(s *Setup) *int64 { return &s.Ways }, knob.Info{Key: "ways", Label: "Ways of the cache", Min: 1, Max: mostWays, Help: "In how many places of the page cache a page may lie.", Source: artifact})

	group = GroupHost
	size(func(s *Setup) *unit.Bytes { return &s.Host }, unit.GiB, "GiB", knob.Info{
		Key: "host_dram", Label: "Host DRAM for promotion", Min: int64(unit.MiB), Max: int64(256 * unit.GiB),
		Help: "Memory of the host that promoted pages may take, in designs that promote.", Source: table2,
	})
	count(func(s *Setup) *int64 { return &s.PromoteAt }, knob.Info{Key: "promote_at", Label: "Promote at", Unit: "hits", Min: 1, Max: 255, Help: "How many hits promote a page: the largest value of the adaptive threshold, and its first.", Source: artifact})
	count(func(s *Setup) *int64 { return &s.PromoteReset }, knob.Info{Key: "promote_reset", Label: "Counters start over after", Unit: "accesses", Min: 1, Max: 1 << 30, Help: "After how many accesses the adaptive threshold starts over.", Source: artifact})
	const tpp = artifact + ": 64 Ki pages every 100 ms; the paper says nothing of it. The switch stay-armed makes both of no effect"
	span(func(s *Setup) *unit.Time { return &s.ScanPeriod }, unit.Millisecond, "ms", 10*unit.Second, knob.Info{Key: "scan_period", Label: "Scans of TPP, every", Min: int64(unit.Millisecond), Help: "How often, at full scale, a design that promotes by sampling (TPP) marks pages: it promotes a page whose marks two accesses have met.", Source: tpp})
	count(func(s *Setup) *int64 { return &s.ScanPages }, knob.Info{Key: "scan_pages", Label: "Scans of TPP, pages", Unit: "pages", Min: 1, Max: 1 << 20, Help: "How many pages, at full scale, a scan of TPP marks, at random.", Source: tpp})
	span(func(s *Setup) *unit.Time { return &s.Copy }, us, "µs", unit.Millisecond, knob.Info{Key: "promote_copy", Label: "Copy of a page", Help: "How long copying a promoted page takes.", Source: "0: the artifact charges nothing, and the paper says no number"})
	span(func(s *Setup) *unit.Time { return &s.Shootdown }, us, "µs", unit.Millisecond, knob.Info{Key: "shootdown", Label: "TLB shoot-down", Help: "How long a promotion stops every core: the device's interrupt (MSI-X), and the shoot-down by which the core forgets the page's old address.", Source: "0: the artifact charges nothing, and the paper says no number"})

	group = GroupLink
	span(func(s *Setup) *unit.Time { return &s.Link }, ns, "ns", unit.Millisecond, knob.Info{Key: "link", Label: "CXL link", Help: "Latency that the link adds to a request.", Source: table2})
	rate(func(s *Setup) *unit.Bandwidth { return &s.LinkRate }, knob.Info{Key: "link_rate", Label: "Rate of the link", Help: "What each direction carries: read lines and promoted pages one, written lines and demoted pages the other. 0 for no limit.", Source: "0: " + artifact + "; 16 GB/s in Table II"})
	span(func(s *Setup) *unit.Time { return &s.Index }, ns, "ns", unit.Millisecond, knob.Info{Key: "index", Label: "Index", Help: "How long the device takes to look up where a line is.", Source: "SkyByte, §6.1: 72 ns for a log of 64 MB, measured on an FPGA; 49 ns for a cache of 512 MB without one, which is not in the model"})
	span(func(s *Setup) *unit.Time { return &s.Access }, ns, "ns", unit.Millisecond, knob.Info{Key: "access", Label: "DRAM access", Help: "Latency of the device's DRAM and, while the switch fixed-host is on, of promoted pages. Without the switch, and where all memory is DRAM, host DRAM has the workload's DRAM latency (Recipe).", Source: artifact})

	group = GroupCollect
	share := func(ref func(*Setup) *int64, k knob.Info) {
		k.Unit, k.Scale, k.Max = "%", 10, 1000
		count(ref, k)
	}
	share(func(s *Setup) *int64 { return &s.Preconditioned }, knob.Info{Key: "precondition", Label: "Full of old pages", Help: "Share of the flash that holds valid old data before the run; above 0, garbage collection is about to begin. It goes on until as much is free as Collect until says, so old data and footprint must leave that much: at most about 64 % by default. The fuller the flash, the more pages are copied before each erase: a run of a fraction of a second then has fewer erases, and each frees less. With little old data superblocks are nearly empty: they are erased one after the other, and requests wait most.", Source: "0: the artifact never collects. The paper collects from 80 % used on, of which what is valid is not said"})
	share(func(s *Setup) *int64 { return &s.CollectAt }, knob.Info{Key: "collect_at", Label: "Collect at", Help: "Share of free superblocks at which garbage collection begins.", Source: artifact})
	share(func(s *Setup) *int64 { return &s.CollectUntil }, knob.Info{Key: "collect_until", Label: "Collect until", Help: "Share of free superblocks at which it ends: at least one superblock more than it begins with.", Source: artifact})
	count(func(s *Setup) *int64 { return &s.Endurance }, knob.Info{Key: "endurance", Label: "Endurance", Unit: "erases", Min: 1, Max: 1 << 30, Help: "How often a block can be erased.", Source: "assumed: single-level cells of low latency"})

	group = GroupPrices
	price := func(ref func(*Setup) *int64, k knob.Info) {
		k.Unit, k.Scale, k.Max = "$/GiB", 1000, 1_000_000
		count(ref, k)
	}
	price(func(s *Setup) *int64 { return &s.DRAMPrice }, knob.Info{Key: "dram_price", Label: "DRAM", Help: "Price of DRAM.", Source: "SkyByte, §6.3, a GB, for memory that is counted in GiB"})
	price(func(s *Setup) *int64 { return &s.FlashPrice }, knob.Info{Key: "flash_price", Label: "Flash", Help: "Price of flash.", Source: "SkyByte, §6.3, a GB, for memory that is counted in GiB"})

	group = GroupOwn
	mechanism := func(ref func(*Setup) *bool, k knob.Info) {
		k.Kind, k.Choices = knob.One, []knob.Choice{{Key: "1", Label: "yes"}, {Key: "0", Label: "no"}}
		add(knob.Bool(k, ref))
	}
	mechanism(func(s *Setup) *bool { return &s.Own.Log }, knob.Info{Key: "own_log", Label: "Write log (W)", Help: "Whether the system Own design logs written lines, and Yours where a policy does not say.", Source: "all of SkyByte's mechanisms at first"})
	mechanism(func(s *Setup) *bool { return &s.Own.Switch }, knob.Info{Key: "own_switch", Label: "Context switches (C)", Help: "Whether in the system Own design a long read switches threads, and in Yours where a policy does not say.", Source: "all of SkyByte's mechanisms at first"})

	group = GroupCores
	count(func(s *Setup) *int64 { return &s.Cores }, knob.Info{Key: "cores", Label: "Cores", Min: 1, Max: 64, Help: "Cores of the host.", Source: table2})
	add(knob.Int(knob.Info{Key: "clock", Label: "Clock", Unit: "GHz", Scale: int64(unit.GHz), Min: int64(100 * unit.MHz), Max: int64(10 * unit.GHz), Help: "Clock rate of the cores.", Source: table2}, func(s *Setup) *unit.Frequency { return &s.Clock }))
	count(func(s *Setup) *int64 { return &s.StoreSize }, knob.Info{Key: "store_buffer", Label: "Store buffer", Unit: "entries", Min: 1, Max: 1 << 12, Help: "How many stores a core can have under way before it waits.", Source: artifact})
	ks = append(ks, knob.Knob[Setup]{
		Info: knob.Info{
			Key: "scheduler", Label: "Scheduler", Group: group, Kind: knob.One, Help: "Which thread a core runs next.", Source: artifact + "; CFS in §6.1",

			Choices: []knob.Choice{
				{Key: string(RoundRobin), Label: "round robin", Help: "The one that has waited longest.", Word: "-"},
				{Key: string(Random), Label: "random", Help: "Any that is ready.", Word: "random scheduler"},
				{Key: string(Fairness), Label: "fairness", Help: "The one that has executed least.", Word: "fairness scheduler"},
				{Key: string(Locality), Label: "locality", Help: "The one whose data came last.", Word: "locality scheduler"},
				{Key: string(CFS), Label: "CFS", Help: "The one that has executed least, with a slice of its own.", Word: "CFS scheduler"},
			},
		}, Word: func(s *Setup) *string { return (*string)(&s.Scheduler) },
	})
	span(func(s *Setup) *unit.Time { return &s.Switch }, us, "µs", unit.Millisecond, knob.Info{Key: "switch", Label: "Context switch", Min: int64(100 * ns), Help: "What a context switch costs a core, in designs that switch.", Source: "SkyByte, §3.2: 2 µs, measured"})
	span(func(s *Setup) *unit.Time { return &s.Threshold }, us, "µs", unit.Millisecond, knob.Info{Key: "threshold", Label: "Switch threshold", Help: "How long a read must take to trigger a context switch, in designs that switch.", Source: "SkyByte, §3.2"})
	return ks
}

// cacheSize returns how much of the device's DRAM is the page cache of a design.
func (s *Setup) cacheSize(log bool) unit.Bytes {
	size := s.DRAM
	if log && s.Quirks.Has(LostEighth) {
		size -= size / 8
	}
	if log {
		size -= s.Log
	}
	return size
}

// Validate reports every parameter that is out of range, and what contradicts.
func (s *Setup) Validate() error {
	var errs []error
	for _, k := range Knobs() {
		if k.Key != "scale" || s.Scale < 1 || s.Scale > 4096 { // one that no form offers is as good
			errs = append(errs, k.Check(s))
		}
	}
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	scale := unit.Bytes(max(1, s.Scale))
	if least := unit.Bytes(s.Ways) * unit.Page; s.DRAM/scale < least {
		bad("DRAM of the device has %v at scale 1/%d; a cache of %d ways needs %v: more DRAM, fewer ways or more of the workload (Scale) would help", s.DRAM/scale, scale, s.Ways, least)
	} else if s.cacheSize(true)/scale < least {
		hidden := ""
		if s.Quirks.Has(LostEighth) {
			hidden = fmt.Sprintf(", of which designs with a log lack %v (an eighth: switch lost-eighth)", s.DRAM/8)
		}
		bad("The write log of %v leaves %v of the device's %v for the page cache%s; a smaller log or more DRAM would help", s.Log, max(0, s.cacheSize(true)), s.DRAM, hidden)
	}
	if least := unit.Bytes(4 * record); s.Log/scale < least {
		bad("The write log of %v has %v at scale 1/%d; it needs %v, which is 4 lines: a larger log or more of the workload (Scale) would help", s.Log, s.Log/scale, scale, least)
	}
	if s.DRAM/scale > mostDRAM {
		bad("DRAM of the device is %v at scale 1/%d; a run has room for %v: less of the workload (Scale) would help", s.DRAM/scale, scale, mostDRAM)
	}
	if s.Log/scale > mostLog {
		bad("Write log is %v at scale 1/%d; a run has room for %v: less of the workload (Scale) would help", s.Log/scale, scale, mostLog)
	}
	if s.Host/scale > mostHost {
		bad("Host DRAM is %v at scale 1/%d; a run has room for %v: less of the workload (Scale) would help", s.Host/scale, scale, mostHost)
	}
	if s.CollectAt > s.CollectUntil {
		bad("Garbage collection begins with %s %% free superblocks and ends with %s %%; it must end with as many or more", knob.Decimal(s.CollectAt, 10), knob.Decimal(s.CollectUntil, 10))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return s.checkFlash(0) // whatever runs
}
