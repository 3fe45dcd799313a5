package filesys

import (
	"slices"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
	"spillway/sim/latency"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// A ran is a run of a system, with what went into it.
type ran = lab.Run[settings, *work, *result]

// measures are the numbers of a run.
func measures() []report.Measure[*ran] {
	return report.Lift(report.Keep(list(), map[string]report.Law{
		"time_ms": {Parts: "ledger"}, "host_write_mb": {Parts: "written"}, "host_read_mb": {Parts: "read"}, "flash_pages": {Parts: "flash"},
	}), func(r *ran) *result { return r.Result })
}

// causes are what threads spend time on, by their keys in quantities. Where of names
// several they are one part.
var causes = []struct {
	key, label, help string
	of               []core.Cause
}{
	{"program", "the program", "What programs compute between calls. Threads that wait for others, have not begun or have ended do not count.", []core.Cause{core.Thinks}},
	{"cpu", "the file system's CPU time", "The file system's work, and waiting for a core.", []core.Cause{core.Computes, core.WaitsCore}},
	{"lock", "locks", "Waiting for a lock or a section that others hold, and the work in the section.", []core.Cause{core.WaitsLock}},
	{"read_blocks", "reading blocks", "Block reads, except their waits behind programs.", []core.Cause{core.ReadsBlocks}},
	{"write_blocks", "writing blocks", "Block writes.", []core.Cause{core.WritesBlocks}},
	{"read_bytes", "loads", "Loads of lines, except their waits behind programs.", []core.Cause{core.ReadsBytes}},
	{"write_bytes", "stores and COMMIT", "Stores of lines, COMMIT, and waiting for room in the log.", []core.Cause{core.WritesBytes, core.WaitsLog}},
	{"journal", "commits of a journal", "Waiting until a journal or a checkpoint has committed.", []core.Cause{core.WaitsJournal}},
	{collectingKey, "garbage collection", "What requests to the SSD alone wait for garbage collection: 0 of file systems, of which it is in the others.", nil},
	{behindKey, "reads behind programs", "Block reads and loads waiting at a flash channel for programs and erases ahead of them; Reads first (reads_first) lets them pass.", nil},
}

// collectingKey is of what requests to an SSD by itself wait for collection, which is in the ledger
// of what they are.
const collectingKey = "collecting"

// behindKey is of what reads wait for programs, which is in the ledger of what they are.
const behindKey = "behind"

// spent is what threads spend on a part of their time, in sum.
func (r *result) spent(key string, of []core.Cause) (t unit.Time) {
	switch key {
	case behindKey:
		return r.Behind[device.Block] + r.Behind[device.Byte] - r.Collecting[device.Reads]
	case collectingKey:
		return r.Collecting[device.Reads] + r.Collecting[device.Writes]
	}
	for _, c := range of {
		switch t += r.Ledger[c]; c {
		case core.Thinks:
			t -= r.Idle
		case core.ReadsBlocks:
			t -= r.Behind[device.Block]
		case core.WritesBlocks:
			t -= r.Collecting[device.Writes]
		case core.ReadsBytes:
			t -= r.Behind[device.Byte]
		}
	}
	return t
}

// thread is a sum over threads as a part of the run's time, in ms: that of the mean thread, where
// none is idle. Idle threads and those that have ended do not count, so parts sum to the time.
func (r *result) thread(t unit.Time) float64 {
	all := unit.Time(r.Threads) * r.Time
	return ratio(float64(t)*ratio(float64(all), float64(max(1, all-r.Ended-r.Idle))), float64(max(1, r.Threads))*float64(unit.Millisecond))
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return report.None()
	}
	return a / b
}

func list() []report.Measure[*result] {
	var ns []report.Measure[*result]
	add := func(key, label, unitName, help string, places, better int, f func(r *result) float64) {
		ns = append(ns, report.Number(report.Quantity{Key: key, Label: label, Unit: unitName, Help: help, Places: places, Better: better}, f))
	}
	count := func(key, label, help string, better int, f func(r *result) int64) {
		add(key, label, "", help, 0, better, func(r *result) float64 { return float64(f(r)) })
	}
	mb := func(key, label, help string, better int, f func(r *result) int64) {
		add(key, label, "MB", help, 2, better, func(r *result) float64 { return float64(f(r)) / 1e6 })
	}
	add("kops", "Throughput", "k calls/s", "Thousand calls of any kind answered a second.", 1, 1, func(r *result) float64 { return rate(r.Result) })
	add("time_ms", "Time", "ms", "From the start to the last answer, of the part of the workload that runs.", 2, -1, func(r *result) float64 { return ratio(float64(r.Time), float64(unit.Millisecond)) })
	ns = append(ns, lab.Headroom[*result]("No file system can be below 1. Not shown for workloads that mostly write."))
	count("calls", "Calls", "Calls answered.", 0, func(r *result) int64 { return r.Calls })
	add("read_us", "Latency of a read", "µs", "Mean, from the call to its answer.", 2, -1, func(r *result) float64 {
		t := &r.Tallies[call.Read]
		return ratio(float64(t.Time), float64(t.Count)*float64(unit.Microsecond))
	})
	tail := func(of, what string, code call.Code, counts func(r *result) (*latency.Counts, unit.Time)) {
		for _, q := range []struct {
			key, label string
			part       int64
		}{{"p50", "half", 500}, {"p95", "95 %", 950}, {"p99", "99 %", 990}, {"p999", "99.9 %", 999}} {
			if of == "read" && q.key == "p99" {
				continue // stands apart
			}
			add(of+"_"+q.key+"_us", what+", "+q.label+" within", "µs", "So many of them take at most this long, to within a fifth.", 1, -1, func(r *result) float64 {
				c, longest := counts(r)
				return ratio(float64(c.Quantile(q.part, longest)), float64(min(1, r.Tallies[code].Count))*float64(unit.Microsecond))
			})
		}
		add(of+"_worst_us", what+", the longest", "µs", "From the call to its answer.", 1, -1, func(r *result) float64 {
			_, longest := counts(r)
			return ratio(float64(longest), float64(min(1, r.Tallies[code].Count))*float64(unit.Microsecond))
		})
	}
	tail("read", "Latency of a read", call.Read, func(r *result) (*latency.Counts, unit.Time) { return &r.ReadLatency, r.Longest })
	tail("write", "Latency of a write", call.Write, func(r *result) (*latency.Counts, unit.Time) { return &r.WriteLatency, r.LongestWrite })
	add("read_p99_us", "Latency of a read, 99th percentile", "µs", "99 % of reads take at most this long, to within a fifth.", 1, -1, func(r *result) float64 {
		return ratio(float64(r.ReadQuantile(990)), float64(min(1, r.Tallies[call.Read].Count))*float64(unit.Microsecond))
	})
	for _, x := range []struct {
		key, label string
		code       call.Code
	}{{"write_us", "Latency of a write", call.Write}, {"fsync_us", "Latency of an fsync", call.Fsync}} {
		help := "Mean, from the call to its answer."
		if x.code == call.Fsync {
			help = "Mean of fsync and fdatasync, from the call to its answer."
		}
		add(x.key, x.label, "µs", help, 2, -1, func(r *result) float64 {
			t := r.Tallies[x.code]
			if x.code == call.Fsync {
				t.Count += r.Tallies[call.Fdatasync].Count
				t.Time += r.Tallies[call.Fdatasync].Time
			}
			return ratio(float64(t.Time), float64(t.Count)*float64(unit.Microsecond))
		})
	}
	mb("host_write_mb", "Written to the SSD", "Over the link, by blocks and by bytes, including what is still to be written when the run ends.", -1, func(r *result) int64 { return moved(&r.Device, plan.Data, device.Writes) })
	mb("host_read_mb", "Read from the SSD", "Over the link, by blocks and by bytes.", -1, func(r *result) int64 { return moved(&r.Device, plan.Data, device.Reads) })
	for _, x := range []struct {
		key, label string
		i          device.Interface
		d          device.Direction
	}{
		{"block_write_mb", "Written as blocks", device.Block, device.Writes},
		{"byte_write_mb", "Written by bytes", device.Byte, device.Writes},
		{"block_read_mb", "Read as blocks", device.Block, device.Reads},
		{"byte_read_mb", "Read by bytes", device.Byte, device.Reads},
	} {
		mb(x.key, x.label, "Over the link.", -1, func(r *result) int64 { return byInterface(&r.Device, x.i, x.d) })
	}
	mb("meta_mb", "Metadata moved", "Everything over the link that is not file data.", -1, func(r *result) int64 { return meta(&r.Device) })
	mb("meta_write_mb", "Metadata written", "All structures but data.", -1, func(r *result) int64 { return moved(&r.Device, plan.Data+1, device.Writes) })
	mb("meta_read_mb", "Metadata read", "All structures but data.", -1, func(r *result) int64 { return moved(&r.Device, plan.Data+1, device.Reads) })
	for d, way := range []struct{ key, label string }{{"r_", "Read: "}, {"w_", "Written: "}} {
		for s, x := range structures {
			mb(way.key+x.key+"_mb", way.label+x.label, "Over the link, by blocks and by bytes.", 0, func(r *result) int64 {
				b := &r.Device.Bytes[s]
				return b[device.Block][d] + b[device.Byte][d]
			})
		}
	}
	count("flash_pages", "Flash pages", "Pages of flash read and programmed.", -1, func(r *result) int64 { return flashPages(&r.Device) })
	count("flash_programs", "Flash programs", "Pages programmed, whatever for.", -1, func(r *result) int64 { return sum(r.Device.FlashPrograms) })
	count("left_in_dram", "Pages left in the SSD's DRAM", "Pages whose latest content only the log or page buffer has at the end: they are in no count of programs.", 0, func(r *result) int64 { return r.LeftInDRAM })
	count("flash_reads", "Flash reads", "Pages read, whatever for.", -1, func(r *result) int64 { return sum(r.Device.FlashReads) })
	for w, x := range whys {
		count("programs_"+x.key, "Programs for "+x.label, "Pages of 4 KiB.", 0, func(r *result) int64 { return r.Device.FlashPrograms[w] })
		count("reads_"+x.key, "Reads for "+x.label, "Pages of 4 KiB.", 0, func(r *result) int64 { return r.Device.FlashReads[w] })
	}
	add("write_amp", "Written over asked", "×", "Bytes written to the SSD over bytes that programs wrote, including those that the page cache never wrote back.", 2, -1, func(r *result) float64 {
		return ratio(float64(moved(&r.Device, plan.Data, device.Writes)), float64(r.Asked[device.Writes]))
	})
	add("read_amp", "Read over asked", "×", "Bytes read from the SSD over bytes that programs read, including those that the page cache had.", 2, -1, func(r *result) float64 {
		return ratio(float64(moved(&r.Device, plan.Data, device.Reads)), float64(r.Asked[device.Reads]))
	})
	add("flash_write_amp", "Programmed over asked", "×", "Bytes programmed into flash over bytes that programs wrote.", 2, -1, func(r *result) float64 {
		return ratio(float64(sum(r.Device.FlashPrograms)*int64(unit.Page)), float64(r.Asked[device.Writes]))
	})
	add("lines_per_program", "Lines merged per page", "lines", "Mean number of a page's lines that cleaning merges from the log before it programs the page.", 1, 1, func(r *result) float64 {
		var lines, pages int64
		for n, of := range r.Device.Merged {
			lines, pages = lines+int64(n)*of, pages+of
		}
		return ratio(float64(lines), float64(pages))
	})
	count("swaps", "Swaps of the log", "How often the halves of the log took turns.", 0, func(r *result) int64 { return r.Device.Swaps })
	count("log_full", "Waits for the log", "How often a store waited for room in the log.", -1, func(r *result) int64 { return r.Device.Full })
	count("commits", "Commits", "COMMIT commands, and commits of a journal or a checkpoint.", 0, func(r *result) int64 { return r.Device.Commits + r.Result.Commits })
	add("hit_rate", "Hits of the page cache", "%", "Share of the data pages that programs read which the page cache has.", 1, 1, func(r *result) float64 { return 100 * ratio(float64(r.Hits), float64(r.Hits+r.Misses)) })
	add("duplicates", "Pages with a duplicate", "%", "Share of the cached pages that have a duplicate, mean over the run.", 1, -1, func(r *result) float64 { return 100 * ratio(float64(r.Duplicates), float64(r.Cached)) })
	for _, x := range causes {
		add("t_"+x.key+"_ms", "Thread time: "+x.label, "ms", x.help+" Mean over the threads that have something to do.", 3, 0, func(r *result) float64 {
			return r.thread(r.spent(x.key, x.of))
		})
	}
	add("t_core_ms", "Of it, waiting for a core", "ms", "A part of the file system's CPU time. Mean over the threads that have something to do.", 3, -1, func(r *result) float64 { return r.thread(r.Ledger[core.WaitsCore]) })
	add("t_log_ms", "Of it, waiting for the log", "ms", "A part of stores and COMMIT. Mean over the threads that have something to do.", 3, -1, func(r *result) float64 { return r.thread(r.Ledger[core.WaitsLog]) })
	add("channel_busy", "Busiest channel", "%", "Share of the run in which the busiest flash channel works, without what is still to be written when the run ends. Work counts when it is asked for, so a channel with work left at the end shows as busy all the time.", 1, 0, func(r *result) float64 {
		most := unit.Time(0)
		for i, t := range r.Device.Busy {
			most = max(most, t-r.Left.Busy[i])
		}
		return min(1, ratio(float64(most), float64(r.Time)))
	})
	ns[len(ns)-1].Scale = 0.01
	mb("programmed_mb", "Programmed into flash", "Pages of 4 KiB, including what is still to be written when the run ends.", -1, func(r *result) int64 { return sum(r.Device.FlashPrograms) * int64(unit.Page) })
	mb("flash_read_mb", "Read from flash", "Pages of 4 KiB.", -1, func(r *result) int64 { return sum(r.Device.FlashReads) * int64(unit.Page) })
	used := func(key, label, help string, f func(r *result, s *core.Sample) int64) {
		add(key, label, "MiB", help+" At full scale.", 1, 0, func(r *result) float64 {
			var most int64
			for i := range r.Samples {
				most = max(most, f(r, &r.Samples[i])*r.Scale)
			}
			if key == "log_used" && logSize(&r.setup, r.System) == 0 {
				return report.None()
			}
			return float64(most) / float64(unit.MiB)
		})
	}
	used("cache_used", "Page cache in use", "Its peak, without duplicates.", func(r *result, s *core.Sample) int64 {
		return min(s.Cached*int64(unit.Page), int64(r.setup.Host.Cache)/r.Scale)
	})
	used("log_used", "Log in use", "The most of it at a time.", func(_ *result, s *core.Sample) int64 { return s.Log })
	ns = append(ns, ofAlone()...)
	add("days", "Life of the flash", "days", "Until every block has been erased as often as it can be, if the SSD were programmed at this rate without pause.", 1, 1, func(r *result) float64 { return days(r.Result, r.setup.Device.Capacity, r.setup.Device.Endurance) })
	return ns
}

// days is how long flash of this size lasts that is programmed all the time as in a run.
func days(r *core.Result, capacity unit.Bytes, endurance int64) float64 {
	written := float64(sum(r.Device.FlashPrograms)) * float64(unit.Page)
	if written == 0 || r.Time == 0 {
		return report.None()
	}
	const day = 24 * 3600 * float64(unit.Second)
	return float64(capacity) * float64(endurance) / written * float64(r.Time) / day
}

// charts are the laboratory's figures.
func charts() []report.Chart {
	var written, read, time, pages []string
	for _, x := range structures {
		written, read = append(written, "w_"+x.key+"_mb"), append(read, "r_"+x.key+"_mb")
	}
	for _, x := range causes {
		time = append(time, "t_"+x.key+"_ms")
	}
	for _, x := range whys {
		pages = append(pages, "programs_"+x.key, "reads_"+x.key)
	}
	return []report.Chart{
		{ID: "throughput", Title: "Throughput", Kind: report.Bars, Of: []string{"kops"}, Unit: "k calls/s", Say: "is fastest"},
		{ID: "ledger", Title: "What threads spend time on", Kind: report.Stacks, Opens: report.OpensWait, Of: time, Sum: "time_ms", Unit: "ms", Say: "takes longest", Help: "Mean over the threads while they have something to do, of the time from the start to the end of the run."},
		{ID: "written", Title: "Written to the SSD, by structure", Kind: report.Stacks, Of: written, Unit: "MB", Say: "writes most", None: "Nothing is written."},
		{ID: "read", Title: "Read from the SSD, by structure", Kind: report.Stacks, Of: read, Unit: "MB", Say: "reads most", None: "Nothing is read."},
		{ID: "interfaces", Title: "Over the link, by interface", Kind: report.Stacks, Of: []string{"block_write_mb", "block_read_mb", "byte_write_mb", "byte_read_mb"}, Unit: "MB", Say: "moves most", None: "Nothing moves."},
		{ID: "flash", Title: "Flash pages, by reason", Kind: report.Stacks, Of: pages, Say: "uses flash most", None: "Flash is not used."},
		{ID: "latency", Title: "Latency of a read", Kind: report.Bars, Of: []string{"read_us"}, Unit: "µs", Rare: true, Say: "waits longest", Help: "Mean; the 99th percentile is in the table of all numbers."},
		// It comes and goes with the one before, so that no place beside one stays empty.
		{ID: "hits", Title: "Hits of the page cache", Kind: report.Bars, Of: []string{"hit_rate"}, Unit: "%", Rare: true, Say: "hits most", None: "No page that is read is in the page cache."},
		{
			ID: "log", Title: "Log in use over the run", Kind: report.Lines, X: "time, ms", Opens: report.OpensMilli, Y: "% of the log", Unit: "%", Say: "fills its log most",
			Help: "It fills while lines are stored; its halves take turns, and the one being cleaned empties at once when its last page is programmed.", None: "No system here has a log in use.",
		},
		{
			ID: "dirty", Title: "Dirty pages in the page cache", Kind: report.Lines, X: "time, ms", Opens: report.OpensMilli, Y: "pages", Unit: "pages", Say: "has the most at a time",
			Help: "They wait for an fsync, their age or the limit on dirty pages.", None: "No page is dirty.",
		},
	}
}

// mostPoints is how many points a curve over time has at most: there is one a system.
const mostPoints = 96

// curves draws what changes over the run.
func curves(r *result) []report.Curve {
	var xs, fill, dirty []float64
	size := logSize(&r.setup, r.System)
	for part := range slices.Chunk(r.Samples, max(1, (len(r.Samples)+mostPoints-1)/mostPoints)) {
		last := part[0]
		for _, s := range part { // what was most shows
			last = core.Sample{At: s.At, Log: max(last.Log, s.Log), Dirty: max(last.Dirty, s.Dirty)}
		}
		xs = append(xs, float64(last.At)/float64(unit.Millisecond))
		fill, dirty = append(fill, 100*ratio(float64(last.Log), float64(max(1, size)))), append(dirty, float64(last.Dirty))
	}
	var out []report.Curve
	if size > 0 {
		out = append(out, report.Curve{Chart: "log", X: xs, Y: fill})
	}
	return append(out, report.Curve{Chart: "dirty", X: xs, Y: dirty})
}
