package skybyte

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/study"
)

// all returns the points in the order of the paper.
func all() []study.Point {
	var list []study.Point
	for _, points := range [][]study.Point{
		slowdowns(), waits(), bound(), touched(), thresholds(), schedulers(), workloads(), designs(), threads(), mixes(), latencies(), programs(),
		reads(), nands(), logTimes(), logPrograms(), sizes(), types(), others(), raws(), papers(), reports(),
	} {
		list = append(list, points...)
	}
	for i := range list {
		if p := &list[i]; p.NotComputed == "" {
			p.Note = notes(p)
		}
	}
	return list
}

// full are the workloads that run at full scale, the others at a quarter: they are so
// small that a quarter has too few requests.
var full = []string{bfs, srad, tpcc}

// scaleOf is the divisor of a workload's size.
func scaleOf(workload string) int {
	if slices.Contains(full, workload) {
		return 1
	}
	return 4
}

// set is the setup of a workload with what differs from the default.
func set(workload string, differs ...string) string {
	return strings.Join(append([]string{fmt.Sprintf("workload=%s scale=%d", workload, scaleOf(workload))}, differs...), " ")
}

// switching is how many threads the designs that switch have by default.
func switching(workload string) int {
	if workload == srad {
		return 48
	}
	return 24
}

// threaded is set with as many threads.
func threaded(workload string, threads int, differs ...string) string {
	if threads == switching(workload) {
		return set(workload, differs...)
	}
	return set(workload, append([]string{fmt.Sprintf("threads=%d", threads)}, differs...)...)
}

// workloadOf is the laboratory's name of a published workload. The paper calls both
// YCSB-A and YCSB-B ycsb.
func workloadOf(name, ycsb string) string {
	switch name {
	case "ycsb":
		return ycsb
	case "ycsbB":
		return ycsbB
	}
	return name
}

// systemOf is the laboratory's name of a published design: "SkyByte-WP".
func systemOf(name string) string { return strings.ToLower(name) }

// point is a published number of a workload. limit is the largest factor, less 1, by
// which it may be too large or too small.
func point(figure, quantity, system, workload, setup string, value, limit float64, unit string) study.Point {
	return study.Point{
		Figure: figure, Quantity: quantity, System: system, Set: setup, Of: workload, Fits: true, Value: value, Unit: unit,
		Limit: limit, Below: limit / (1 + limit),
	}
}

// share is a point whose limit is absolute.
func share(figure, quantity, system, workload, setup string, value, limit float64, unit string) study.Point {
	p := point(figure, quantity, system, workload, setup, value, 0, unit)
	if p.Limit = limit; value != 0 {
		p.Limit = limit / value
	}
	p.Below = 0
	return p
}

// over makes a point relative to another run.
func over(p study.Point, system, setup string) study.Point {
	p.RelativeTo = system
	if setup != p.Set {
		p.RelativeToSet = setup
	}
	return p
}

// aside is a point that nothing here computes.
func aside(figure, of, at, quantity, value, unit, why string) study.Point {
	return study.Point{Figure: figure, Of: of, At: at, Quantity: quantity, Unit: unit, NotComputed: why, Fits: true, Value: study.Number(value)}
}

// millions are a published number in millions.
func millions(text string) float64 { return study.Number(text) / 1e6 }

// Limits of points: usual is what is proposed for most figures, inputs for what recipes
// were tuned with.
const (
	usual  = 0.25
	inputs = 0.15
)

func slowdowns() (list []study.Point) {
	for _, f := range table("fig02_dram_vs_cxlssd.csv") {
		w := workloadOf(f[0], ycsbA)
		list = append(list,
			point("2", cycles, dram, w, set(w), millions(f[1]), 0.20, "M"),
			point("2", cycles, base, w, set(w), millions(f[2]), 0.20, "M"),
			over(point("2", elapsed, base, w, set(w), study.Number(f[2])/study.Number(f[1]), 0.20, "×"), dram, set(w)))
	}
	return list
}

// waits are what Figure 3 is about, as far as raw reports have it.
func waits() (list []study.Point) {
	for _, f := range table("run_summary_default_settings.csv") {
		if w := workloadOf(f[0], ycsbA); f[1] == titles[base] && w != dlrm {
			list = append(list, point("3", missPart, base, w, set(w), 100*study.Number(f[7]), usual, "%"))
		}
	}
	for _, f := range table("raw_runs.csv") {
		for k, q := range percentiles {
			list = append(list, aside("3", workloadOf(f[1], ycsbA), "", q, f[2+k], "ns", "the laboratory adds up latencies and keeps no distribution; the reports round to a bucket"))
		}
	}
	return list
}

func bound() (list []study.Point) {
	for _, f := range table("fig04_memory_bound_fraction.csv") {
		w := workloadOf(f[0], ycsbA)
		list = append(list,
			share("4", memoryBound, dram, w, set(w), study.Number(f[1]), 0.03, ""),
			share("4", memoryBound, base, w, set(w), study.Number(f[2]), 0.03, ""))
	}
	return list
}

// footprints are the full-scale footprints of Figures 5 and 6 in MiB: what the measured
// window touches.
var footprints = map[string]int{bc: 587, dlrm: 753, radix: 139, ycsbA: 679}

// ratios are those of the device's DRAM to the footprint.
var ratios = map[string]int{"1:2": 2, "1:4": 4, "1:8": 8, "1:16": 16, "1:32": 32, "1:64": 64, "1:128": 128}

// limits of lines: within how many lines of a page a share is taken.
var within = []int{1, 4, 16, 32, 63}

// drawnRatio is the one of which the curve is drawn.
const drawnRatio = "1:16"

func touched() (list []study.Point) {
	for _, f := range table("fig5_fig6_locality_cdf_digitised.csv") {
		figure, kind, _ := strings.Cut(strings.TrimPrefix(f[0], "fig"), "_")
		w := workloadOf(f[1], ycsbA)
		mib := max(1, (footprints[w]+ratios[f[2]]/2)/ratios[f[2]])
		setup := set(w, fmt.Sprintf("ssd_dram=%d", mib), fmt.Sprint("log=", float64(mib)*7/64))
		mean := share(figure, kind+meanLines, base, w, setup, study.Number(f[3]), 0.15, "")
		mean.At = f[2]
		list = append(list, mean)
		if f[2] != drawnRatio {
			continue
		}
		for k, n := range within {
			p := share(figure, fmt.Sprint(kind, n), base, w, setup, study.Number(f[4+k]), 0.15, "")
			p.At = f[2]
			list = append(list, p)
		}
	}
	return list
}

// micros are nanoseconds of a table as whole microseconds.
func micros(ns string) string { return fmt.Sprint(study.Number(ns) / 1000) }

func thresholds() (list []study.Point) {
	var first float64
	for _, f := range table("fig09_ctx_switch_threshold.csv") {
		w := workloadOf(f[0], ycsbA)
		usual9 := set(w)
		if w == srad {
			usual9 = threaded(w, 40)
		}
		if f[1] == "2000" {
			first = study.Number(f[2])
			continue
		}
		p := over(point("9", elapsed, complete, w, usual9+" threshold="+micros(f[1]), study.Number(f[2])/first, 0.15, "×"), complete, usual9)
		p.At = micros(f[1]) + " µs"
		list = append(list, p)
	}
	return list
}

func schedulers() (list []study.Point) {
	var first float64
	for _, f := range table("fig10_sched_policy.csv") {
		w, total := workloadOf(f[0], ycsbA), study.Number(f[2])+study.Number(f[3])+study.Number(f[4])
		setup := set(w)
		if f[1] == "RR" {
			first = total
		} else {
			setup = set(w, "scheduler="+strings.ToLower(f[1]))
			p := over(point("10", elapsed, complete, w, setup, total/first, 0.15, "×"), complete, set(w))
			p.At = f[1]
			list = append(list, p)
		}
		for k, q := range []string{switchPart, computePart, memoryPart} {
			p := point("10", q, complete, w, setup, millions(f[2+k]), usual, "M")
			p.At = f[1]
			list = append(list, p)
		}
	}
	return list
}

func workloads() (list []study.Point) {
	pages := map[string]string{}
	for _, f := range table("trace_footprint.csv") {
		pages[f[0]] = f[2]
	}
	for _, f := range table("table1_workloads.csv") {
		// The paper's ycsb is YCSB-B; the footprint of a trace that is published is of YCSB-A.
		w, a := workloadOf(f[0], ycsbB), workloadOf(f[0], ycsbA)
		list = append(list,
			aside("T1", w, "", "footprint", f[1], "GB", "of the whole program, which warming alone touches; the measured window touches 33 to 752 MB"),
			aside("T1", w, "", "stores", f[2], "%", "of all loads and stores before the caches; what runs here is what misses them"),
			point("T1", intensity, dram, w, set(w), study.Number(f[3]), inputs, "/1000"),
			point("T1", touchedPages, dram, a, set(a), study.Number(pages[f[0]]), inputs, ""))
	}
	for _, f := range table("run_summary_default_settings.csv") {
		if w := workloadOf(f[0], ycsbA); f[1] == titles[logged] {
			list = append(list, point("T1", writePart, logged, w, set(w), 100*study.Number(f[6]), inputs, "%"))
		}
	}
	return list
}

// designSet is the setup of a design in Figures 14, 18 and 23: srad switches among 40
// threads without a log.
func designSet(system, workload string) string {
	if workload == srad && system == switched {
		return threaded(srad, 40)
	}
	return set(workload)
}

func designs() (list []study.Point) {
	var first float64
	for _, f := range table("fig14_exec_time.csv") {
		w, system := workloadOf(f[0], ycsbA), systemOf(f[1])
		setup := designSet(system, w)
		if system == base {
			first = study.Number(f[2])
		} else {
			list = append(list, over(point("14", elapsed, system, w, setup, study.Number(f[2])/first, usual, "×"), base, set(w)))
		}
		list = append(list, point("14", cycles, system, w, setup, millions(f[2]), usual, "M"))
	}
	return list
}

func threads() (list []study.Point) {
	var first float64
	for _, f := range table("fig15_threads.csv") {
		w, at := f[0], f[1]+" threads"
		if f[1] == "8" {
			first = study.Number(f[3])
		} else {
			p := over(point("15", speed, complete, w, threaded(w, int(study.Number(f[1]))), first/study.Number(f[3]), usual, "×"), logPromoted, set(w))
			p.At = at
			list = append(list, p)
		}
		list = append(list,
			aside("15", w, at, "ssd_bandwidth", f[4], "GB/s", splitBandwidth),
			aside("15", w, at, "dram_bandwidth", f[5], "GB/s", splitBandwidth))
	}
	return list
}

const splitBandwidth = "not comparable: the reports count about 8/N of the requests of N threads, and where the DRAM's is 0 the SSD's is the sum of both"

func mixes() (list []study.Point) {
	for _, f := range table("fig16_request_breakdown.csv") {
		w := workloadOf(f[0], ycsbA)
		for k, q := range []string{hostPart, hitPart, missPart, writePart} {
			limit := usual
			if study.Number(f[1+k]) <= 2 {
				limit = 2 // so few that they say little
			}
			list = append(list, point("16", q, logPromoted, w, set(w), study.Number(f[1+k]), limit, "%"))
		}
	}
	return list
}

// latencyParts are those of an access, in the order of Figure 17.
var latencyParts = []string{amatHost, amatLink, amatIndex, amatDRAM, amatFlash}

func latencies() (list []study.Point) {
	for _, f := range table("fig17_amat_breakdown.csv") {
		w, system := workloadOf(f[0], ycsbA), systemOf(f[1])
		setup := designSet(system, w)
		list = append(list, point("17", amat, system, w, setup, study.Number(f[7]), usual, "ns"))
		for k, q := range latencyParts {
			list = append(list, point("17", q, system, w, setup, study.Number(f[2+k]), usual, "ns"))
		}
	}
	return list
}

func programs() (list []study.Point) {
	for _, f := range table("fig18_flash_writes.csv") {
		w, system := workloadOf(f[0], ycsbA), systemOf(f[1])
		list = append(list, point("18", programmed, system, w, designSet(system, w), study.Number(f[2]), usual, ""))
	}
	return list
}

func reads() (list []study.Point) {
	for _, f := range table("table3_flash_read_latency.csv") {
		w := workloadOf(f[0], ycsbA)
		p := point("T3", flashRead, logPromoted, w, set(w), study.Number(f[1]), usual, "µs")
		p.At = "8 threads"
		list = append(list, p)
	}
	for _, f := range table("flash_read_latency_vs_threads.csv") {
		w := workloadOf(f[0], ycsbA)
		p := point("T3", flashRead, complete, w, threaded(w, int(study.Number(f[1]))), study.Number(f[2])/1000, usual, "µs")
		p.At = f[1] + " threads"
		list = append(list, p)
	}
	return list
}

func nands() (list []study.Point) {
	for _, f := range table("table4_nand.csv") {
		for k, q := range []string{"read", "program", "erase"} {
			why := fmt.Sprintf("a setting and no result: flash=%s has what the artifact's code has, %s µs", strings.ToLower(f[0]), micros(f[5+k]))
			list = append(list, aside("T4", f[0]+", "+f[1], "", q, f[2+k], "µs", why))
		}
	}
	return list
}

// logOf is the knob's text for a nominal size: designs with a log have 7/8 of the
// device's DRAM, log and all.
func logOf(nominal string) string {
	return fmt.Sprint("log=", study.Number(strings.TrimSuffix(nominal, "MB"))*7/8)
}

// usualLog is the nominal size of the log by default.
const usualLog = "64MB"

func logTimes() (list []study.Point) {
	rows := table("fig19_log_size_exec.csv")
	for _, f := range rows {
		if f[1] == usualLog {
			continue
		}
		first := rows[slices.IndexFunc(rows, func(g []string) bool { return g[0] == f[0] && g[1] == usualLog })][2]
		w := workloadOf(f[0], ycsbB)
		p := over(point("19", mean, logPromoted, w, set(w, logOf(f[1])), study.Number(f[2])/study.Number(first), usual, "×"), logPromoted, set(w))
		p.At = f[1]
		list = append(list, p)
	}
	return list
}

func logPrograms() (list []study.Point) {
	for _, f := range table("fig20_log_size_flash_writes.csv") {
		w := workloadOf(f[0], ycsbB)
		setup := set(w)
		if f[1] != usualLog {
			setup = set(w, logOf(f[1]))
		}
		p := point("20", programmed, logPromoted, w, setup, study.Number(f[2]), usual, "")
		p.At = f[1]
		list = append(list, p)
	}
	return list
}

// sizeSet is the setup with so many GB of DRAM in the device: the host has four times
// as much, and the log is an eighth of 7/8.
func sizeSet(workload, gb string) string {
	if gb == "0.5" {
		return set(workload)
	}
	v := study.Number(gb)
	return set(workload, fmt.Sprint("ssd_dram=", v*1024), fmt.Sprint("host_dram=", 4*v), fmt.Sprint("log=", v*1024*7/64))
}

func sizes() (list []study.Point) {
	rows := table("fig21_ssd_dram_size.csv")
	for _, f := range rows {
		w, system := workloadOf(f[0], ycsbB), systemOf(f[1])
		if system == complete && f[2] == "0.5" {
			continue
		}
		first := rows[slices.IndexFunc(rows, func(g []string) bool {
			return g[0] == f[0] && g[2] == "0.5" && systemOf(g[1]) == complete
		})][3]
		p := over(point("21", mean, system, w, sizeSet(w, f[2]), study.Number(f[3])/study.Number(first), usual, "×"), complete, set(w))
		p.At = f[2] + " GB"
		list = append(list, p)
	}
	return list
}

// flashSet adds a kind of flash to a setup.
func flashSet(setup, nand string) string {
	if nand == "ULL" {
		return setup
	}
	return setup + " flash=" + strings.ToLower(nand)
}

func types() (list []study.Point) {
	for _, f := range table("fig22_flash_latency.csv") {
		w := workloadOf(f[0], ycsbB)
		name, n, _ := strings.Cut(strings.TrimPrefix(f[2], "SkyByte-"), "-")
		system, setup, at := systemOf("SkyByte-"+name), set(w), f[1]
		if n != "" {
			setup, at = threaded(w, int(study.Number(n))), f[1]+", "+n+" threads"
		}
		p := point("22", cycles, system, w, flashSet(setup, f[1]), millions(f[3]), usual, "M")
		p.At = at
		list = append(list, p)
	}
	return list
}

func others() (list []study.Point) {
	var first float64
	for _, f := range table("fig23_alternative_migration.csv") {
		w, system := workloadOf(f[0], ycsbA), systemOf(f[1])
		if system == switched {
			first = study.Number(f[2])
			continue
		}
		list = append(list, over(point("23", elapsed, system, w, set(w), study.Number(f[2])/first, usual, "×"), switched, designSet(switched, w)))
	}
	return list
}

// raws are what raw reports have where Figure 14 differs: those of the same trace and
// design.
func raws() (list []study.Point) {
	first := map[string]float64{}
	for _, f := range table("fig14_exec_time.csv") {
		if f[1] == titles[base] {
			first[f[0]] = study.Number(f[2])
		}
	}
	for _, f := range table("provenance_fig14_closest_raw.csv") {
		w, system := workloadOf(f[0], ycsbA), systemOf(f[1])
		if w == bfs || w == dlrm {
			continue // another trace, and a run of DRAM-only with the wrong name
		}
		p := over(point("raw", elapsed, system, w, threadsOf(system, w, int(study.Number(f[3]))), study.Number(f[4])/first[f[0]], usual, "×"), base, set(w))
		p.At = f[2]
		list = append(list, p)
	}
	return list
}

// papers are Figures 2 and 14 once more, on the device that the paper describes.
func papers() (list []study.Point) {
	for _, f := range table("fig02_dram_vs_cxlssd.csv") {
		w := workloadOf(f[0], ycsbA)
		p := over(point("paper2", elapsed, base, w, set(w, "device=paper"), study.Number(f[2])/study.Number(f[1]), usual, "×"), dram, set(w, "device=paper"))
		p.Duplicate = true
		list = append(list, p)
	}
	first := 0.0
	for _, f := range table("fig14_exec_time.csv") {
		w, system := workloadOf(f[0], ycsbA), systemOf(f[1])
		switch system {
		case base:
			first = study.Number(f[2])
		case dram, complete:
			p := over(point("paper", elapsed, system, w, set(w, "device=paper"), study.Number(f[2])/first, usual, "×"), base, set(w, "device=paper"))
			p.Duplicate = true
			list = append(list, p)
		}
	}
	return list
}

// threadsOf is the setup of a design with the threads of a raw run; those that do not
// switch have eight in any case.
func threadsOf(system, workload string, threads int) string {
	if threads == 8 {
		return set(workload)
	}
	if s := threaded(workload, threads); system != switched {
		return s
	}
	return designSet(system, workload)
}

func reports() (list []study.Point) {
	for _, f := range table("run_summary_default_settings.csv") {
		w, system := workloadOf(f[0], ycsbA), systemOf(f[1])
		add := func(quantity, unit string, value float64) {
			limit := inputs
			if value == 0 {
				return
			}
			if unit == "%" && value <= 2 {
				limit = 1
			}
			list = append(list, point("mix", quantity, system, w, set(w), value, limit, unit))
		}
		add(hostPart, "%", 100*study.Number(f[3]))
		add(hitPart, "%", 100*(study.Number(f[4])+study.Number(f[5])))
		add(writePart, "%", 100*study.Number(f[6]))
		add(missPart, "%", 100*study.Number(f[7]))
		add(flashReads, "", study.Number(f[8]))
	}
	return list
}
