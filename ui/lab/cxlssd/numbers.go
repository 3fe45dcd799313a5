package cxlssd

import (
	"slices"

	core "spillway/sim/cxlssd"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// A ran is a run of a system, with what went into it.
type ran = lab.Run[settings, *trace, *result]

// measures are the numbers of a run.
func measures() []report.Measure[*ran] {
	return report.Lift(report.Keep(list(), map[string]report.Law{
		"amat_ns": {Parts: "bill"}, "flash_programs": {Parts: "programs"}, "of_ideal": {Ratio: true}, "of_even": {Ratio: true},
	}), func(r *ran) *result { return r.Result })
}

// Parts of the bill, how requests were served, and what cores spend time on, by their
// keys in quantities.
var (
	parts  = [core.Parts]struct{ key, label string }{{"host", "host DRAM"}, {"link", "link"}, {"index", "index"}, {"dram", "device DRAM"}, {"flash", "flash"}, {"queue", "queue"}}
	kinds  = [core.Kinds]struct{ key, label string }{{"host", "host DRAM"}, {"hit", "page cache"}, {"log_read", "read from the log"}, {"log_write", "written to the log"}, {"merged", "page on its way"}, {"missed", "read from flash"}}
	causes = [core.Causes]struct{ key, label, help string }{
		{"compute", "instructions", "Executing instructions."},
		{"dram", "waiting for host DRAM", "Waiting for memory that is host DRAM."},
		{"ssd", "waiting for the device", "Waiting for memory of the device."},
		{"log", "full store buffer or log", "Waiting for room in the store buffer or the write log."},
		{"switch", "context switches", "Switching threads."},
		{"stop", "shoot-downs", "Stopped by TLB shoot-downs."},
		{"idle", "idle", "No thread left to run, while others still do."},
	}
)

// requests is how many requests a run had.
func requests(r *core.Result) (n int64) {
	for _, k := range r.Requests {
		n += k
	}
	return n
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return report.None()
	}
	return float64(a) / float64(b)
}

func list() []report.Measure[*result] {
	var ns []report.Measure[*result]
	add := func(key, label, unitName, help string, places, better int, f func(r *result) float64) *report.Measure[*result] {
		ns = append(ns, report.Number(report.Quantity{Key: key, Label: label, Unit: unitName, Help: help, Places: places, Better: better}, f))
		return &ns[len(ns)-1]
	}
	count := func(key, label, help string, better int, f func(r *result) int64) {
		add(key, label, "", help, 0, better, func(r *result) float64 { return float64(f(r)) })
	}
	share := func(key, label, help string, places, better int, f func(r *result) (int64, int64)) {
		add(key, label, "%", help, places, better, func(r *result) float64 { return 100 * ratio(f(r)) })
	}
	add("time_ms", "Time", "ms", "From the start until the slowest core has finished its threads, of the part of the workload that runs.", 3, -1, func(r *result) float64 { return ratio(int64(r.Time), int64(unit.Millisecond)) })
	ns = append(ns, lab.Headroom[*result]("No design can be below 1."))
	share("of_ideal", "Speed, of DRAM-only's", "DRAM-only's time over this one's, as in the paper: DRAM-only has as many threads as cores. A design can pass 100 % where its threads load the cores more evenly, where promoted pages are faster than DRAM-only (the switch fixed-host), or where it buffers stores that DRAM-only waits for.", 1, 1, func(r *result) (int64, int64) { return int64(r.ideal.Time), int64(r.Time) })
	share("of_even", "Speed, of DRAM-only's, spread evenly", "What DRAM-only's cores compute and wait, spread evenly over them, over this one's time. With fixed-host off and stores alike in both, no design passes 100 % unless its loads overlap better.", 1, 1, func(r *result) (int64, int64) {
		return int64(r.ideal.Work()), int64(r.Time) * busyCores(r.ideal)
	})
	cycles := func(key, label, help string, f func(r *result) unit.Time) {
		add(key, label, "M", help, 2, -1, func(r *result) float64 { return float64(r.setup.Clock.Cycles(f(r))) }).Scale = 1e6
	}
	cycles("cycles_max", "Cycles, slowest core", "Clock cycles until the slowest core has finished its threads.", func(r *result) unit.Time { return r.Time })
	cycles("cycles_mean", "Cycles, mean", "Clock cycles until a core has finished its threads, mean over the cores that had a thread.", func(r *result) unit.Time { return meanCore(r.Result) })
	add("requests", "Requests", "M", "Requests to memory that retired.", 3, 0, func(r *result) float64 { return float64(requests(r.Result)) }).Scale = 1e6
	add("rate", "Requests a second", "M/s", "Over the time of the run.", 2, 1, func(r *result) float64 {
		return ratio(requests(r.Result), int64(r.Time)) * float64(unit.Second)
	}).Scale = 1e6
	add("amat_ns", "Mean latency of a request", "ns", "Sum of the latencies of all requests over their number (AMAT).", 1, -1, func(r *result) float64 {
		var sum unit.Time
		for _, t := range r.Bill {
			sum += t
		}
		return ratio(int64(sum), requests(r.Result)) / float64(unit.Nanosecond)
	})
	for p, x := range parts {
		add("amat_"+x.key+"_ns", "Latency: "+x.label, "ns", "Part of the mean latency of a request.", 1, 0, func(r *result) float64 {
			return ratio(int64(r.Bill[p]), requests(r.Result)) / float64(unit.Nanosecond)
		})
	}
	for k, x := range kinds {
		help := "Of all requests."
		switch core.Kind(k) {
		case core.Merged, core.Missed:
			help += " Where a thread switch squashes a load that reads from flash, the load that is issued again counts; it finds its page on its way or in the cache."
		}
		share("share_"+x.key, "Requests: "+x.label, help, 2, 0, func(r *result) (int64, int64) { return r.Requests[k], requests(r.Result) })
	}
	perCore := func(key, label, help string, f func(r *result) unit.Time) {
		add("core_"+key+"_ms", "Core time: "+label, "ms", help+" Mean over the cores.", 3, 0, func(r *result) float64 {
			return ratio(int64(f(r)), int64(max(1, r.Cores))*int64(unit.Millisecond))
		})
	}
	for c, x := range causes {
		if core.Cause(c) == core.Computes {
			perCore(x.key, x.label, x.help, func(r *result) unit.Time { return r.Ledger[core.Computes] - r.OnChip })
			perCore("onchip", "requests on the chip", "What requests cost before memory: caches and queues of the chip.", func(r *result) unit.Time { return r.OnChip })
			continue
		}
		perCore(x.key, x.label, x.help, func(r *result) unit.Time { return r.Ledger[c] })
	}
	share("memory_bound", "Bound by memory", "Share of the time of cores with a thread in which they run no instructions.", 1, -1, func(r *result) (int64, int64) {
		var busy unit.Time
		for c, t := range r.Ledger {
			if core.Cause(c) != core.Idle {
				busy += t
			}
		}
		return int64(busy - r.Ledger[core.Computes] + r.OnChip), int64(busy)
	})
	count("switches", "Context switches", "How often a read switched threads.", -1, func(r *result) int64 { return r.Switches })
	count("flash_reads", "Flash reads", "Pages read: for requests, for compaction and for garbage collection.", -1, func(r *result) int64 { return r.UserReads + r.CompactionReads + r.CollectionReads })
	count("reads_compacted", "Flash reads of compaction", "Pages that were read because not all their lines were in the log.", -1, func(r *result) int64 { return r.CompactionReads })
	count("flash_programs", "Flash programs", "Pages programmed, whatever for.", -1, (*result).programs)
	for _, x := range programCauses {
		count("programs_"+x.key, "Programs: "+x.label, x.help, 0, func(r *result) int64 { return x.of(r.Result) })
	}
	count("erases", "Erases", "Blocks erased.", -1, func(r *result) int64 { return r.Erases })
	for _, q := range quantiles {
		add("request_"+q.key+"_ns", "Latency of a request, "+q.label+" within", "ns", "So many of all requests take at most this long, to within a fifth. Of one that switched threads only what it takes when it is issued again is known, so there is no value where more requests switched than the percentage leaves out.", 0, -1, func(r *result) float64 {
			if !tells(r.Result, q.part) {
				return report.None()
			}
			return float64(r.Latency.Quantile(q.part, r.Longest)) / float64(unit.Nanosecond)
		})
		add("flash_read_"+q.key+"_us", "Latency of a flash read, "+q.label+" within", "µs", "So many of the flash reads that requests ask for, also those that switch threads, take at most this long, their queue included, to within a fifth.", 1, -1, func(r *result) float64 {
			if r.UserReads == 0 {
				return report.None()
			}
			return float64(r.ReadWork.Latency.Quantile(q.part, r.ReadWork.Longest)) / float64(unit.Microsecond)
		})
	}
	add("request_worst_us", "Latency of a request, the longest", "µs", "The bill of a request says how it was served. There is no value where requests switched threads: what they waited before they were issued again is not known.", 1, -1, func(r *result) float64 {
		if !tells(r.Result, 1000) {
			return report.None()
		}
		return float64(r.Longest) / float64(unit.Microsecond)
	})
	add("flash_read_us", "Latency of a flash read", "µs", "Mean over the reads that requests waited for, their queue included.", 2, -1, func(r *result) float64 {
		return ratio(int64(r.UserReadTime), r.UserReads) / float64(unit.Microsecond)
	})
	count("promotions", "Promotions", "Pages of the threads moved to host DRAM.", 0, func(r *result) int64 { return r.Promotions })
	count("demotions", "Demotions", "Pages that left host DRAM to make room. Where the recipe says so it starts full of other programs' pages, and those leave first: the threads' own can all still be there.", 0, func(r *result) int64 { return r.Demotions })
	add("lines_per_program", "Lines merged per page", "lines", "Mean number of a page's lines that compaction merged from the log before it programmed it.", 1, 1, func(r *result) float64 {
		var lines, pages int64
		for n, of := range r.Merged {
			lines, pages = lines+int64(n)*of, pages+of
		}
		return ratio(lines, pages)
	})
	count("left_pages", "Pages still to be programmed", "Pages with lines in the log, or dirty in the cache, when the run ends: neither they nor their time is counted. Where they are as many as the programs, only a longer run can say how long flash lasts.", 0, func(r *result) int64 { return r.LeftPages })
	add("write_amplification", "Programmed over written", "×", "Bytes programmed into flash, in pages of 4 KiB, over bytes that requests wrote, in lines of 64: a page programmed for one line is 64. What garbage collection alone adds stands under Cost and lifetime. Of a design with a log only where the log is compacted within the run: else its programs are those of what the log began with.", 2, -1, func(r *result) float64 {
		if r.design().DRAM || !r.Lasts() {
			return report.None()
		}
		return ratio(r.programs()*lines, r.Writes)
	})
	add("imbalance", "Imbalance of cores", "×", "Time of the slowest core over the mean of those that had a thread.", 2, -1, func(r *result) float64 { return ratio(int64(r.Time), int64(meanCore(r.Result))) })
	add("price", "Price", "$", "Of the flash, the device's DRAM and the host's for promoted pages; for DRAM-only, of DRAM as large as the flash. Prices are under Device.", 2, -1, func(r *result) float64 {
		p := core.PriceOf(&r.setup, r.design())
		return float64(p.Total())
	}).Scale = 1000
	add("cost_effect", "Cost-effectiveness", "×", "Speed over price; DRAM-only is 1.", 2, 1, func(r *result) float64 {
		p := core.PriceOf(&r.setup, r.design())
		return ratio(p.Effect(r.Time, r.ideal.Time), 1000)
	})
	add("life_years", "Life of the flash", "years", "Until every block has been erased as often as it can be, if the run went on without pause. Of a design with a log only where the log is compacted within the run: else its programs are those of what the log began with.", 1, 1, func(r *result) float64 {
		if life := r.Life(&r.setup); life.PerYear > 0 && !r.design().DRAM && r.Lasts() {
			return ratio(life.Years, 1000)
		}
		return report.None()
	})
	bytes := func(key, label, help string, f func(r *result) unit.Bytes) {
		add(key, label, "MiB", help, 1, 0, func(r *result) float64 { return float64(f(r)) }).Scale = float64(unit.MiB)
	}
	add("host_bytes", "Promoted pages, at full scale", "GiB", "The most host memory that promoted pages took, times the scale, so that it compares with the size of host DRAM.", 3, 0, func(r *result) float64 {
		return float64(unit.Bytes(r.HostPages*max(1, r.setup.Scale)) * unit.Page)
	}).Scale = float64(unit.GiB)
	bytes("link_bytes", "Over the CXL link", "Lines of 64 B that requests read and wrote there, in both directions, and pages that were promoted, or programmed when they left host DRAM.", func(r *result) unit.Bytes {
		if r.design().DRAM {
			return 0
		}
		return unit.Bytes(requests(r.Result)-r.Requests[core.HostHit])*unit.Page/lines + unit.Bytes(r.Promotions+r.DemotionPrograms)*unit.Page
	})
	add("channel_busy", "Busiest channel", "%", "Share of the run in which the busiest flash channel works.", 1, 0, func(r *result) float64 {
		return min(1, ratio(int64(slices.Max(append(slices.Clone(r.ChannelBusy), 0))), int64(r.Time)))
	}).Scale = 0.01
	bytes("read_bytes", "Read from flash", "", func(r *result) unit.Bytes {
		return unit.Bytes(r.UserReads+r.CompactionReads+r.CollectionReads) * unit.Page
	})
	bytes("programmed_bytes", "Programmed into flash", "", func(r *result) unit.Bytes { return unit.Bytes(r.programs()) * unit.Page })
	for i := range ns {
		if ns[i].Help == "" {
			ns[i].Help = "Pages of 4 KiB."
		}
	}
	return ns
}

// tells reports whether a quantile in thousandths says what requests take. Of one that switched
// threads only what it takes when it is issued again is counted, so it does where no more switched
// than the quantile leaves out.
func tells(r *core.Result, part int64) bool {
	return r.Switches*1000 <= requests(r)*(1000-part)
}

// lines is how many lines a page has.
const lines = 64

// programCauses are why pages are programmed.
var programCauses = []struct {
	key, label, help string
	of               func(*core.Result) int64
}{
	{"evicted", "eviction from the page cache", "Pages that left the page cache.", func(r *core.Result) int64 { return r.EvictionPrograms }},
	{"compacted", "compaction", "Pages with lines of the write log.", func(r *core.Result) int64 { return r.CompactionPrograms }},
	{"demoted", "demotion", "Pages that left host DRAM, and were dirty.", func(r *core.Result) int64 { return r.DemotionPrograms }},
	{"collected", "garbage collection", "Pages moved by garbage collection.", func(r *core.Result) int64 { return r.CollectionPrograms }},
}

// programs is how many pages were programmed.
func (r *result) programs() (n int64) {
	for _, c := range programCauses {
		n += c.of(r.Result)
	}
	return n
}

// title is the name of the run's system.
func (r *result) title() string {
	if r.Script != nil && r.Script.Title != "" {
		return r.Script.Title
	}
	x, err := core.Find(r.System)
	if err != nil {
		return r.System
	}
	return x.Title
}

// design is the mechanisms of the run.
func (r *result) design() core.Design {
	x, err := core.Find(r.System)
	if err != nil {
		return r.setup.Own
	}
	return r.setup.Mechanisms(x)
}

// busyCores is how many cores had a thread.
func busyCores(r *core.Result) (n int64) {
	for _, t := range r.CoreTimes {
		if t > 0 {
			n++
		}
	}
	return max(1, n)
}

// meanCore is how long a core took, mean over those that had a thread.
func meanCore(r *core.Result) unit.Time { return mean(coreTime(r), busyCores(r)) }

// charts are the laboratory's figures.
func charts() []report.Chart {
	var bill, time, programs []string
	for _, p := range parts {
		bill = append(bill, "amat_"+p.key+"_ns")
	}
	for _, c := range causes {
		time = append(time, "core_"+c.key+"_ms")
	}
	time = slices.Insert(time, 1, "core_onchip_ms")
	for _, c := range programCauses {
		programs = append(programs, "programs_"+c.key)
	}
	return []report.Chart{
		{ID: "time", Title: "Time until the slowest core has ended", Kind: report.Bars, Of: []string{"time_ms"}, Unit: "ms", Say: "is slowest"},
		{ID: "speed", Title: "Speed, DRAM-only is 100 %", Kind: report.Bars, Of: []string{"of_ideal"}, Unit: "%", Say: "is fastest"},
		{ID: "bill", Title: "Bill of a request: its mean latency, by part", Kind: report.Stacks, Of: bill, Unit: "ns", Say: "has the highest bill"},
		{ID: "cores", Title: "What cores spend time on", Kind: report.Stacks, Opens: report.OpensWait, Of: time, Unit: "ms", Say: "takes longest"},
		{ID: "programs", Title: "Flash pages programmed, by cause", Kind: report.Stacks, Of: programs, Say: "programs most", None: "Nothing is programmed."},
		{ID: "reads", Title: "Flash pages read", Kind: report.Bars, Of: []string{"flash_reads"}, Say: "reads most", None: "Nothing is read."},
		{
			ID: "log", Title: "Write log in use", Kind: report.Lines, X: "time, ms", Opens: report.OpensMilli, Y: "% of the log", Unit: "%", Rare: true, Say: "fills its log most",
			Help: "The log fills while lines are written, and empties while it is compacted, which begins at half full (switch one-log) or when it is full: a run that writes less only fills it.", None: "No design here has a log in use.",
		},
		{
			ID: "merged", Title: "Lines merged into a programmed page", Kind: report.Steps, X: "lines of 64", Y: "% of pages with so many or fewer", Unit: "%", Rare: true, Say: "gathers most lines for a page",
			Of: []string{"lines_per_program"}, Help: "How many lines the log had gathered of each page that compaction programs.", None: "Nothing is compacted.",
		},
	}
}

// mostPoints is how many points a curve over time has at most: there is one a system.
const mostPoints = 96

// curves draws what changes over the run.
func curves(r *result) []report.Curve {
	var xs, fill []float64
	for part := range slices.Chunk(r.Samples, max(1, (len(r.Samples)+mostPoints-1)/mostPoints)) {
		last := part[0]
		for _, s := range part { // what was most shows
			last = core.Sample{At: s.At, Log: max(last.Log, s.Log)}
		}
		xs = append(xs, ratio(int64(last.At), int64(unit.Millisecond)))
		fill = append(fill, 100*ratio(last.Log, max(1, r.Slots)))
	}
	var out []report.Curve
	if r.Slots > 0 && slices.Max(append(fill, 0)) > 0 {
		out = append(out, report.Curve{Chart: "log", X: xs, Y: fill})
	}
	var pages, sum int64
	for _, n := range r.Merged {
		pages += n
	}
	if pages == 0 {
		return out
	}
	c := report.Curve{Chart: "merged"}
	for n := 1; n < len(r.Merged); n++ {
		sum += r.Merged[n]
		c.X, c.Y = append(c.X, float64(n)), append(c.Y, 100*ratio(sum, pages))
	}
	return append(out, c)
}
