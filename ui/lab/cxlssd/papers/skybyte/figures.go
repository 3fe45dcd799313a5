package skybyte

import (
	"slices"
	"strings"

	"spillway/sim/cxlssd"
	"spillway/sim/report"
	"spillway/sim/study"
)

const (
	notDLRM   = "dlrm is not reached: it waits as often as reported, as pairs of threads share pages, but the slowest core of Base-CSSD takes two thirds of the published time."
	notSRAD   = "srad is not reached with SkyByte-Full, where it is too fast and programs too little."
	literal   = "Its bars are literals in the plotting script."
	heldOut   = "Held out."
	anotherB  = "Its ycsb is YCSB-B."
	artifacts = "Published values are those of the data files that the artifact ships."
)

// figures returns the figures and tables in the order of the paper.
func figures(points []study.Point) []study.Figure {
	return []study.Figure{
		{
			ID: "2", Title: "DRAM and a CXL-SSD", Section: "motivation", Kind: study.Bars, Axes: study.Axes{Y: "× DRAM-only"}, Marks: barsOf(points, "2", elapsed),
			Says:   "Behind the link programs take 1.5 to 31.4 times as long as in DRAM.",
			Remark: "An input of the recipes. The largest of the shipped values is 24.5, dlrm's, and it is not reached. The shipped file has the rows of tpcc and ycsb exchanged.",
		},
		{
			ID: "3", Title: "Latency of requests to the CXL-SSD", Section: "motivation", Kind: study.Bars, Axes: study.Axes{Y: "wait for flash, %"}, Marks: barsOf(points, "3", missPart),
			Says:   "Most requests hit the device's DRAM; a few wait for flash, some for tens of microseconds.",
			Remark: "The figure's data are not shipped. What is drawn is the share of requests of Base-CSSD that wait for flash, from the reports; percentiles of their histograms are listed. Not compared: how latencies are distributed, of which the reports have histograms; here they are summed by part, and a request's own is not kept.",
		},
		{
			ID: "4", Title: "Share of time bound by memory", Section: "motivation", Kind: study.Bars, Axes: study.Axes{Y: "share", Most: 1}, Marks: barsOf(points, "4", memoryBound),
			Says: "With a CXL-SSD cores wait for memory nearly all the time.", Remark: "DRAM-only is an input of the recipes, Base-CSSD follows. Read from the drawing's paths. What a request costs on the chip counts as memory.",
		},
		{
			ID: "5", Title: "How many lines of a page are accessed", Section: "motivation", Kind: study.Curves, Axes: linesAxes, Marks: cdf(points, "5"), Panels: linePanels,
			Says: "In many workloads only a few lines of a page are accessed while it is in the cache.", Remark: linesRemark,
		},
		{
			ID: "6", Title: "How many lines of a page are written", Section: "motivation", Kind: study.Curves, Axes: linesAxes, Marks: cdf(points, "6"), Panels: linePanels,
			Says: "In many workloads only a few lines of a page are written while it is in the cache.", Remark: "Not reached: recipes are fitted to lines that the log merged, and not to these curves. " + linesRemark,
		},
		{
			ID: "9", Title: "Threshold of the context switch", Section: "design", Kind: study.Lines, Axes: study.Axes{X: "threshold, µs", Y: "× 2 µs", LogX: true, Least: 0.8}, Marks: linesOver(points, "9", 2, " µs"), Panels: []string{bc, bfs, srad, tpcc},
			Says: "A low threshold is best.", Remark: heldOut + " srad runs 40 threads, as the raw runs do. " + artifacts,
		},
		{
			ID: "10", Title: "Scheduling policies", Section: "design", Kind: study.Stacks, Axes: study.Axes{Y: "million cycles"}, Marks: stacksOf(points, "10", []string{switchPart, computePart, memoryPart}),
			Colors: map[string]string{"context switches": "part-1", "compute": "compute", "memory": "part-3"},
			Says:   "Policies hardly differ: CFS is as good as round robin.", Remark: heldOut + " Which of them is best is within what a run varies, srad's CFS excepted, which is not reached: it takes longer here. What a request costs on the chip counts as memory.",
		},
		{
			ID: "14", Title: "Execution time", Section: "evaluation", Kind: study.Bars, Axes: study.Axes{Y: "× Base-CSSD", Most: 1.3}, Marks: barsOf(points, "14", elapsed),
			Says:   "SkyByte-Full is 6.11 times as fast as Base-CSSD and reaches 75 % of DRAM-only.",
			Remark: heldOut + " " + notDLRM + " " + notSRAD + " The shipped data give 4.57 for the geometric mean; DRAM-only of bc, radix and tpcc is published here with less time than in Figure 2 and in the reports. Cells where a raw run differs have a figure of their own.",
		},
		{
			ID: "15", Title: "Throughput over threads", Section: "evaluation", Kind: study.Lines, Axes: study.Axes{X: "threads", Y: "× SkyByte-WP"}, Marks: linesOver(points, "15", 8, " threads"),
			Says: "More threads hide more latency, up to two to five a core.", Remark: heldOut + " With 8 threads it is SkyByte-WP. Bandwidths are listed: how the reports count requests leaves nothing to compare. " + notDLRM,
		},
		{
			ID: "16", Title: "Requests by where they are served", Section: "evaluation", Kind: study.Stacks, Whole: true, Axes: study.Axes{Y: "% of requests", Most: 100}, Marks: stacksOf(points, "16", []string{hostPart, hitPart, missPart, writePart}),
			Colors: map[string]string{"host DRAM": "part-1", "SSD read hit": "part-2", "waits for flash": "part-3", "written to the log": "part-4"},
			Says:   "With SkyByte-WP most requests are served by host DRAM.", Remark: "An input of the recipes. " + literal + " Shares up to 2 % have no limit that says anything. Limits are missed by what waits for flash, in dlrm and ycsb, by what is written to the log in dlrm and by hits in ycsb. ycsb is YCSB-A here; the literals fit neither trace.",
		},
		{
			ID: "17", Title: "Average memory access time", Section: "evaluation", Kind: study.Stacks, Axes: study.Axes{Y: "ns"}, Marks: stacksOf(points, "17", latencyParts),
			Colors: map[string]string{"host DRAM": "part-1", "CXL link": "part-2", "index": "part-3", "SSD DRAM": "part-4", "flash and queue": "part-5"},
			Says:   "SkyByte-Full reduces the access time by 14.19 and has 1.39 times DRAM-only's.", Remark: "Shares are inputs, times in the queue are not; SkyByte-Full is held out. A part's difference is measured against the whole. Reads that a switch hides are not in it, so that dlrm's and radix's SkyByte-Full are too small here. " + notDLRM + " The plotting script subtracts surplus requests of dlrm and radix.",
		},
		{
			ID: "18", Title: "Writes to flash", Section: "evaluation", Kind: study.Bars, Axes: study.Axes{Y: "× Base-CSSD"}, Marks: programBars(points),
			Says: "SkyByte-Full writes 23.08 times less.", Remark: "Programs of SkyByte-P, and dlrm's of SkyByte-WP, are inputs, others follow from footprints, or are held out. dlrm and srad are not reached with SkyByte-Full, which programs less here: why the published one programs more pages of both than SkyByte-WP is not explained. Base-CSSD programs every page that leaves the cache, clean or dirty (evict-clean), which a device need not: the reduction hangs on that.",
		},
		{
			ID: "19", Title: "Time over the size of the write log", Section: "evaluation", Kind: study.Lines, Axes: study.Axes{X: "log, MB", Y: "× 64 MB", LogX: true, Least: 0.5}, Marks: sizeLines(points, "19", usualLog),
			Says: "From 16 MB on the log is large enough.", Remark: heldOut + " " + anotherB + " Nominal sizes: the log has 7/8 of them. With a small log compaction is booked ahead of time (run-ahead), which makes much of the shape.",
		},
		{
			ID: "20", Title: "Writes to flash over the size of the write log", Section: "evaluation", Kind: study.Lines, Axes: study.Axes{X: "log, MB", Y: "programs", LogX: true, LogY: true}, Marks: sizeLines(points, "20", ""),
			Says: "A larger log merges more writes to a page.", Remark: "Held out, but for dlrm and YCSB-B at 64 MB, which are inputs. " + anotherB + " dlrm's programs with a small log are not reached.",
		},
		{
			ID: "21", Title: "Time over the size of the device's DRAM", Section: "evaluation", Kind: study.Lines, Axes: study.Axes{X: "DRAM, GB", Y: "× SkyByte-Full with 0.5 GB", LogX: true, LogY: true}, Marks: dramLines(points),
			Says: "SkyByte needs less DRAM for the same speed.", Remark: heldOut + " " + anotherB + " Residency over the size of the cache is fitted to flash reads of the same sweep. The host has four times as much DRAM; times are of the average core. Of all figures this one is reached least: " + notDLRM + " All of srad is relative to its SkyByte-Full, which is too fast here.",
		},
		{
			ID: "22", Title: "Kinds of flash", Section: "evaluation", Kind: study.Lines, Axes: study.Axes{X: "read, µs", Y: "million cycles", LogX: true, LogY: true}, Marks: flashLines(points),
			Says: "SkyByte-Full gains most where flash is slow, and more threads hide more.", Remark: heldOut + " " + anotherB + " Drawn over the time of a read: ULL 3, ULL2 4, SLC 25, MLC 50 µs; how long programs take differs too. YCSB-B's ULL of SkyByte-P is an input. " + notDLRM + " " + notSRAD,
		},
		{
			ID: "23", Title: "Other ways to migrate pages", Section: "evaluation", Kind: study.Bars, Axes: study.Axes{Y: "× SkyByte-C", Most: 1.2}, Marks: barsOf(points, "23", elapsed),
			Says: "SkyByte-CP is up to 1.21 times as fast as SkyByte-CT and AstriFlash-CXL.", Remark: heldOut + " That sampled pages stay armed is read from the reports of SkyByte-CT. dlrm's bars of AstriFlash-CXL, CT and WCT, and some others, are literals. dlrm's SkyByte-C, to which it is relative, is not reached, and srad is too fast with SkyByte-Full and WCT.",
		},
		{
			ID: "paper2", Title: "Figure 2 on the device that the paper describes", Section: "ours", Kind: study.Bars, Axes: study.Axes{Y: "× DRAM-only"}, Marks: barsOf(points, "paper2", elapsed),
			Says:   "Behind the link programs take 1.2 to 8.2 times as long as in DRAM, a third to nine tenths of the published 1.5 to 24.5.",
			Remark: "The same cells as in Figure 2, not counted again, with device=paper. No slowdown is as large as published. What the paper's text does not have makes the difference: where one die of a channel works at a time (one-lun) and clean pages are programmed too (evict-clean), all seven are 1.03 to 1.46 times what is published. one-lun alone gets dlrm to 0.8 of it and bfs-dense, srad, radix and tpcc to 1.05 to 1.34, bc and ycsb only to 0.43 and 0.53; evict-clean alone changes none by more than a tenth, as many dies program at a time.",
		},
		{
			ID: "paper", Title: "Figure 14 on the device that the paper describes", Section: "ours", Kind: study.Bars, Axes: study.Axes{Y: "× Base-CSSD", Most: 1.3}, Marks: barsOf(points, "paper", elapsed),
			Says:   "DRAM-only and SkyByte-Full take a part of Base-CSSD's time.",
			Remark: "The same cells as in Figure 14, not counted again, with device=paper instead of the published simulator's: many dies a channel and a bus, of which the paper does not say what it carries. 0.8 GB/s are assumed, which is usual; without a limit Base-CSSD is flattered more.",
		},
		{
			ID: "raw", Title: "Where a raw run differs from Figure 14", Section: "data", Kind: study.Bars, Axes: study.Axes{Y: "× Base-CSSD", Most: 1.3}, Marks: rawBars(points),
			Colors: map[string]string{figureSeries: "part-1", rawSeries: "part-2"},
			Says:   "The reports of the same trace and design, normalized alike.", Remark: "The artifact's reports, not the paper: a few differ from run to run, others by single digits or much more. Ours stands beside both; the table compares with the reports.",
		},
		listed("mix", "Requests in the reports of 8 threads", "data", "What the recipes were fitted to.", "The artifact's reports, not the paper. Inputs: agreement says that the numbers fit together."),
		listed("T1", "Workloads", "evaluation", "Seven workloads of 8 to 16 GB with 1 to 123 misses a thousand instructions.", "Inputs. Footprints and stores of the paper are of whole programs, before the caches; pages and written requests are those of the measured traces and their reports."),
		listed("T3", "Latency of a flash read", "evaluation", "Reads take from 3.3 µs, which is the flash, to 25.7 µs with its queue.", heldOut+" The table is of SkyByte-WP with 8 threads; a data file has SkyByte-Full with more. The series of bfs-dense and srad are doubted."),
		listed("T4", "Kinds of flash", "evaluation", "Four kinds of flash.", "Settings of Figure 22. The artifact's code, which runs here, programs ULL in 80 µs where the table has 100."),
	}
}

func listed(id, title, section, says, remark string) study.Figure {
	return study.Figure{ID: id, Title: title, Section: section, Kind: study.Table, Says: says, Remark: remark}
}

var (
	linesAxes   = study.Axes{X: "lines of the page", Y: "share of pages", Most: 1, Left: 1, Right: 64}
	linePanels  = []string{bc, dlrm, radix, ycsbA}
	linesRemark = "Of Base-CSSD's cache with a sixteenth of the footprint, of which the curve is drawn; means are compared for all seven sizes. The published curves are of longer traces than those of other figures; nothing was fitted to them."
)

// of returns the points of a figure that are computed and of one of the quantities, any
// if there are none.
func of(points []study.Point, figure string, quantities ...string) (list []*study.Point) {
	for i := range points {
		if p := &points[i]; p.Figure == figure && p.NotComputed == "" && (len(quantities) == 0 || slices.Contains(quantities, p.Quantity)) {
			list = append(list, p)
		}
	}
	return list
}

// find is the mark of what look finds.
func find(m study.Mark, p *study.Point, look study.Look) study.Mark {
	m.Y, m.Fits, m.Known = look(p)
	return m
}

// barsOf draws a group a workload, a bar a system.
func barsOf(points []study.Point, figure, quantity string) func(study.Look) []study.Mark {
	list := of(points, figure, quantity)
	return func(look study.Look) (marks []study.Mark) {
		for _, p := range list {
			marks = append(marks, find(study.Mark{Panel: p.Of, Series: titles[p.System], System: p.System}, p, look))
		}
		return marks
	}
}

// stacksOf draws a group a workload, a bar a system or policy, of parts.
func stacksOf(points []study.Point, figure string, parts []string) func(study.Look) []study.Mark {
	list, called := of(points, figure, parts...), names()
	return func(look study.Look) (marks []study.Mark) {
		for _, p := range list {
			m := study.Mark{Panel: p.Of, Series: titles[p.System], System: p.System, Part: called[p.Quantity]}
			if p.At != "" {
				m.Series, m.System = p.At, ""
			}
			marks = append(marks, find(m, p, look))
		}
		return marks
	}
}

// one is a place whose value is 1, because p next to it is relative to it: it is known
// when that is.
func one(m study.Mark, p *study.Point, look study.Look) study.Mark {
	if _, _, known := look(p); known {
		m.Y, m.Fits, m.Known = 1, true, true
	}
	return m
}

// linesOver draws SkyByte-Full over what a figure varies, one panel a workload. Values are
// relative to the one at first, which is 1; behind a point's number stands the unit.
func linesOver(points []study.Point, figure string, first float64, unit string) func(study.Look) []study.Mark {
	list := of(points, figure)
	return func(look study.Look) (marks []study.Mark) {
		last := ""
		for _, p := range list {
			m := study.Mark{Panel: p.Of, Series: titles[complete], System: complete, X: first}
			if p.Of != last {
				marks, last = append(marks, one(m, p, look)), p.Of
			}
			m.X = study.Number(strings.TrimSuffix(p.At, unit))
			marks = append(marks, find(m, p, look))
		}
		return marks
	}
}

// Series of where a raw run differs.
const (
	figureSeries = "Figure 14"
	rawSeries    = "Raw run"
)

// rawBars draws a group a cell: Figure 14's value and the raw run's.
func rawBars(points []study.Point) func(study.Look) []study.Mark {
	list, drawn := of(points, "raw"), of(points, "14", elapsed)
	return func(look study.Look) (marks []study.Mark) {
		for _, p := range list {
			m := study.Mark{Panel: p.Of + ", " + titles[p.System], Series: figureSeries}
			if k := slices.IndexFunc(drawn, func(x *study.Point) bool { return x.Of == p.Of && x.System == p.System }); k >= 0 {
				marks = append(marks, find(m, drawn[k], look))
			}
			m.Series = rawSeries
			marks = append(marks, find(m, p, look))
		}
		return marks
	}
}

// programBars are relative to Base-CSSD, as the paper draws them.
func programBars(points []study.Point) func(study.Look) []study.Mark {
	list := of(points, "18")
	return func(look study.Look) (marks []study.Mark) {
		var first study.Mark
		for _, p := range list {
			m := find(study.Mark{Panel: p.Of, Series: titles[p.System], System: p.System}, p, look)
			if p.System == base {
				first = m
			}
			m.Known = m.Known && first.Known && first.Y > 0
			if m.Y /= first.Y; !m.Known {
				m.Y = 0
			}
			marks = append(marks, m)
		}
		return marks
	}
}

// sizeLines draw over the nominal size of the log. usual is the size that others are
// relative to, if they are.
func sizeLines(points []study.Point, figure, usual string) func(study.Look) []study.Mark {
	list := of(points, figure)
	return func(look study.Look) (marks []study.Mark) {
		for i, p := range list {
			m := study.Mark{Panel: p.Of, Series: titles[logPromoted], System: logPromoted, X: study.Number(strings.TrimSuffix(p.At, "MB"))}
			if usual != "" && m.X == 128 && list[i-1].Of == p.Of {
				first := m
				first.X = study.Number(strings.TrimSuffix(usual, "MB"))
				marks = append(marks, one(first, p, look))
			}
			marks = append(marks, find(m, p, look))
		}
		return marks
	}
}

func dramLines(points []study.Point) func(study.Look) []study.Mark {
	list := of(points, "21")
	return func(look study.Look) (marks []study.Mark) {
		for _, p := range list {
			m := study.Mark{Panel: p.Of, Series: titles[p.System], System: p.System, X: study.Number(strings.TrimSuffix(p.At, " GB"))}
			if p.System == complete && m.X == 1 {
				first := m
				first.X = 0.5
				marks = append(marks, one(first, p, look))
			}
			marks = append(marks, find(m, p, look))
		}
		return marks
	}
}

// readTimes are those of the kinds of flash in microseconds.
var readTimes = map[string]float64{"ULL": 3, "ULL2": 4, "SLC": 25, "MLC": 50}

func flashLines(points []study.Point) func(study.Look) []study.Mark {
	list := of(points, "22")
	return func(look study.Look) (marks []study.Mark) {
		for _, p := range list {
			kind, threads, _ := strings.Cut(p.At, ", ")
			m := study.Mark{Panel: p.Of, Series: titles[p.System], System: p.System, X: readTimes[kind]}
			if threads != "" {
				m.Series += ", " + threads
			}
			marks = append(marks, find(m, p, look))
		}
		return marks
	}
}

// cdf are the points of the curves of Figures 5 and 6.
func cdf(points []study.Point, figure string) func(study.Look) []study.Mark {
	list := of(points, figure)
	return func(look study.Look) (marks []study.Mark) {
		for _, p := range list {
			if at := strings.IndexAny(p.Quantity, "0123456789"); at > 0 {
				marks = append(marks, find(study.Mark{Panel: p.Of, Series: titles[base], System: base, X: study.Number(p.Quantity[at:])}, p, look))
			}
		}
		return marks
	}
}

// curves are those of Figures 5 and 6: over lines, the share of pages with at most as
// many.
func curves(points []study.Point, r *cxlssd.Result) (list []report.Curve) {
	if r == nil {
		return nil
	}
	for _, f := range []struct {
		figure string
		lines  *[65]int64
	}{{"5", &r.LinesRead}, {"6", &r.LinesWritten}} {
		drawn := slices.IndexFunc(points, func(p study.Point) bool { return p.Figure == f.figure && p.At == drawnRatio })
		if drawn < 0 {
			continue
		}
		c := report.Curve{Chart: f.figure, By: points[drawn].Of, Name: titles[base]}
		for k := 1; k < len(f.lines); k++ {
			c.X, c.Y = append(c.X, float64(k)), append(c.Y, upTo(f.lines, k))
		}
		list = append(list, c)
	}
	return list
}
