// Package skybyte is the evaluation of the SkyByte paper as data: what it publishes,
// how that is taken from a run, and how its figures are drawn.
//
// # Source
//
// Zhang et al.: SkyByte: Architecting an Efficient Memory-Semantic CXL-based SSD with
// OS and Hardware Co-design (HPCA 2025, arXiv 2501.10682v1), the data of its figures as
// its artifact ships them, and the reports of the simulator that lie beside them. Every
// file in published says where it is from.
//
// # What the comparison is worth
//
// The traces are not published with the artifact, so the workloads are recipes. What
// they are fitted to, and what is held out, is said once: in stream.Fitted.
//
// A number that is farther off than the tolerance of its kind is a gap; gaps.csv has
// each with its value, and gaps.go the reason. What a figure's error may be as a whole
// is in VALIDATION.md.
package skybyte

import (
	"embed"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"spillway/sim/cxlssd"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// Tolerance is the relative difference up to which a point agrees that has no limit of
// its own; all that are compared have. Up to ClaimTolerance a claim is near.
const (
	Tolerance      = 0.02
	ClaimTolerance = 0.15
)

// The systems of the laboratory that the paper compares.
const (
	dram        = "dram-only"
	base        = "base-cssd"
	promoted    = "skybyte-p"
	switched    = "skybyte-c"
	logged      = "skybyte-w"
	switchedPro = "skybyte-cp"
	logPromoted = "skybyte-wp"
	complete    = "skybyte-full"
	sampled     = "skybyte-ct"
	logSampled  = "skybyte-wct"
	astriflash  = "astriflash-cxl"
)

// systems are in the order of Figures 14 and 23, titles what the paper calls them.
var (
	systems = []string{base, promoted, switched, logged, switchedPro, logPromoted, complete, dram, astriflash, sampled, logSampled}
	titles  = map[string]string{
		base: "Base-CSSD", promoted: "SkyByte-P", switched: "SkyByte-C", logged: "SkyByte-W", switchedPro: "SkyByte-CP", logPromoted: "SkyByte-WP",
		complete: "SkyByte-Full", dram: "DRAM-Only", astriflash: "AstriFlash-CXL", sampled: "SkyByte-CT", logSampled: "SkyByte-WCT",
	}
)

// The workloads of the laboratory.
const (
	bc, bfs, dlrm, radix, srad, tpcc, ycsbA, ycsbB = "bc", "bfs-dense", "dlrm", "radix", "srad", "tpcc", "ycsb-a", "ycsb-b"
)

// The quantities that runs are measured for. Times and counts are those at full scale.
const (
	elapsed      = "elapsed" // s, of the slowest core
	mean         = "mean"    // s, of the average core
	speed        = "speed"   // 1/s
	cycles       = "cycles"  // of the slowest core, millions
	memoryBound  = "memory_bound"
	switchPart   = "switching" // parts of the slowest core's time, millions of cycles
	computePart  = "computing"
	memoryPart   = "waiting"
	amat         = "amat" // ns, and its parts
	amatHost     = "amat_host"
	amatLink     = "amat_link"
	amatIndex    = "amat_index"
	amatDRAM     = "amat_dram"
	amatFlash    = "amat_flash"
	hostPart     = "host_share" // of requests, %
	hitPart      = "hit_share"
	missPart     = "miss_share"
	writePart    = "write_share"
	programmed   = "programs" // pages written to flash
	flashReads   = "flash_reads"
	flashRead    = "flash_read" // µs
	intensity    = "intensity"  // requests a thousand instructions
	touchedPages = "pages"
	meanLines    = "_mean" // after read or write: of Figures 5 and 6
)

var percentiles = []string{"p50", "p90", "p99", "p999"}

// names are what people read.
func names() map[string]string {
	list := map[string]string{
		elapsed: "time", mean: "mean core's time", speed: "throughput", cycles: "cycles", memoryBound: "memory-bound share",
		switchPart: "context switches", computePart: "compute", memoryPart: "memory",
		amat: "memory access time", amatHost: "host DRAM", amatLink: "CXL link", amatIndex: "index", amatDRAM: "SSD DRAM", amatFlash: "flash and queue",
		hostPart: "host DRAM", hitPart: "SSD read hit", missPart: "waits for flash", writePart: "written to the log",
		programmed: "flash programs", flashReads: "flash reads", flashRead: "flash read latency", intensity: "requests", touchedPages: "pages touched",
		"read" + meanLines: "lines accessed of a page", "write" + meanLines: "lines written of a page",
		"p50": "half of the requests within", "p90": "90 % within", "p99": "99 % within", "p999": "99.9 % within",
		"footprint": "footprint", "stores": "stores", "ssd_bandwidth": "SSD bandwidth", "dram_bandwidth": "DRAM bandwidth",
		"read": "read", "program": "program", "erase": "erase",
	}
	for _, kind := range []string{"read", "write"} {
		for _, n := range within {
			list[fmt.Sprint(kind, n)] = fmt.Sprintf("pages with at most %d lines", n)
		}
	}
	maps.Copy(list, titles)
	return list
}

// Paper returns the SkyByte paper. Every call reads the tables again.
func Paper() *study.Paper {
	points := all()
	return &study.Paper{
		Fitted: isFitted,
		Key:    "skybyte", Short: "SkyByte (HPCA 2025)",
		Title:   "SkyByte: Architecting an Efficient Memory-Semantic CXL-based SSD with OS and Hardware Co-design",
		About:   "Figures 2 to 6, 9, 10 and 14 to 23, Tables I, III and IV, and the text's numbers, computed here with the artifact's settings and compared with the data that the artifact ships.",
		Remark:  inputText,
		Systems: systems, Names: names(),
		Points:  points,
		Figures: figures(points), Claims: claims(points),
		Sums:      [][]string{latencyParts, {switchPart, computePart, memoryPart}},
		Tolerance: Tolerance, Rebuilt: Tolerance, ClaimTolerance: ClaimTolerance,
		Standing: "reconstruction: recipes stand in for the paper's traces",
		Cannot:   "cannot run",
		Why:      why(study.ReadGaps(table("gaps.csv"))),
	}
}

// inputText says what the recipes know of the numbers that are compared.
const inputText = "The traces are not published with the artifact; recipes stand in for them. " + stream.Fitted + " The published data contradict themselves in places; doubted cells say why."

// Reader takes from results what the paper publishes.
var Reader = study.Reader[struct{}, *cxlssd.Result]{Measure: measure, Curves: curves}

// measure takes from a result what its points publish.
func measure(points []study.Point, _ study.Values, r *cxlssd.Result) []float64 {
	values := make([]float64, len(points))
	for i := range points {
		values[i] = math.NaN()
		if r != nil {
			values[i] = ours(points[i].Quantity, r)
		}
	}
	return values
}

// clock is that of the paper's cores, which no point changes.
const clock = 4 * unit.GHz

// inCycles is a time in millions of cycles at full scale.
func inCycles(t unit.Time, r *cxlssd.Result) float64 {
	return float64(t) * float64(r.Scale) * float64(clock) / float64(unit.Second) / 1e6
}

// inSeconds is a time in seconds at full scale.
func inSeconds(t unit.Time, r *cxlssd.Result) float64 {
	return float64(t) * float64(r.Scale) / float64(unit.Second)
}

// average is when the cores were done, on average.
func average(r *cxlssd.Result) unit.Time {
	var sum unit.Time
	for _, t := range r.CoreTimes {
		sum += t
	}
	return sum / unit.Time(max(1, len(r.CoreTimes)))
}

// requests are all that retired.
func requests(r *cxlssd.Result) (all int64) {
	for _, n := range r.Requests {
		all += n
	}
	return all
}

// ours is the value of a quantity, NaN if r does not have it.
func ours(quantity string, r *cxlssd.Result) float64 {
	scaled := func(n int64) float64 { return float64(n) * float64(r.Scale) }
	percent := func(n int64) float64 { return 100 * float64(n) / float64(max(1, requests(r))) }
	bill := func(parts ...cxlssd.Part) float64 {
		var sum unit.Time
		for _, p := range parts {
			sum += r.Bill[p]
		}
		return float64(sum) / float64(unit.Nanosecond) / float64(max(1, requests(r)))
	}
	switch quantity {
	case elapsed:
		return inSeconds(r.Time, r)
	case mean:
		return inSeconds(average(r), r)
	case speed:
		return 1 / inSeconds(r.Time, r)
	case cycles:
		return inCycles(r.Time, r)
	case memoryBound:
		return 1 - instructions(r)/inCycles(average(r), r)
	case switchPart:
		return inCycles(r.Ledger[cxlssd.Switches], r) / float64(max(1, r.Cores))
	case computePart:
		return instructions(r)
	case memoryPart:
		return inCycles(r.Time, r) - ours(switchPart, r) - instructions(r)
	case amat:
		return bill(cxlssd.PartHost, cxlssd.PartLink, cxlssd.PartIndex, cxlssd.PartDRAM, cxlssd.PartFlash, cxlssd.PartQueue)
	case amatHost:
		return bill(cxlssd.PartHost)
	case amatLink:
		return bill(cxlssd.PartLink)
	case amatIndex:
		return bill(cxlssd.PartIndex)
	case amatDRAM:
		return bill(cxlssd.PartDRAM)
	case amatFlash:
		return bill(cxlssd.PartFlash, cxlssd.PartQueue)
	case hostPart:
		return percent(r.Requests[cxlssd.HostHit])
	case hitPart:
		return percent(r.Requests[cxlssd.CacheHit] + r.Requests[cxlssd.LogRead])
	case missPart:
		return percent(r.Requests[cxlssd.Missed] + r.Requests[cxlssd.Merged])
	case writePart:
		return percent(r.Requests[cxlssd.LogWrite])
	case programmed:
		return scaled(r.EvictionPrograms + r.CompactionPrograms + r.DemotionPrograms + r.CollectionPrograms)
	case flashReads:
		return scaled(r.UserReads)
	case flashRead:
		return float64(r.UserReadTime) / float64(unit.Microsecond) / float64(max(1, r.UserReads))
	case intensity:
		return 1000 * scaled(requests(r)) / float64(max(1, recipe(r).Instructions))
	case touchedPages:
		return scaled(touchedIn(r))
	}
	for kind, lines := range map[string]*[65]int64{"read": &r.LinesRead, "write": &r.LinesWritten} {
		what, ok := strings.CutPrefix(quantity, kind)
		if !ok {
			continue
		}
		if what == meanLines {
			return meanOf(lines)
		}
		if n, err := strconv.Atoi(what); err == nil {
			return upTo(lines, n)
		}
	}
	return math.NaN()
}

// recipe is that of a run's workload; that of another is empty.
func recipe(r *cxlssd.Result) stream.Recipe {
	w, err := stream.Find(r.Workload)
	if err != nil {
		return stream.Recipe{}
	}
	return w.Recipe
}

// instructions is how long a core's share of the instructions takes without memory, in
// millions of cycles at full scale. What a request costs on the chip counts as memory.
func instructions(r *cxlssd.Result) float64 {
	s := recipe(r)
	return float64(s.Instructions) * float64(s.CPI) / 1000 / 1e6 / float64(max(1, r.Cores))
}

// touchedIn is how many pages the stream of a run touches.
func touchedIn(r *cxlssd.Result) (pages int64) {
	w, err := stream.Find(r.Workload)
	if err != nil {
		return 0
	}
	s, err := w.At(r.Scale).Streams(r.Threads)
	if err != nil {
		return 0
	}
	seen := make([]bool, s.Pages)
	for _, thread := range s.Threads {
		for _, q := range thread {
			if p := q.Page(); !seen[p] {
				seen[p] = true
				pages++
			}
		}
	}
	return pages
}

// meanOf is how much of a page, of those of which there was a line, on average there was.
func meanOf(lines *[65]int64) float64 {
	pages, sum := int64(0), int64(0)
	for k, n := range lines {
		if k > 0 {
			pages += n
			sum += int64(k) * n
		}
	}
	return float64(sum) / float64(max(1, pages)) / stream.Lines
}

// upTo is which share of the pages of which there was a line had at most n.
func upTo(lines *[65]int64, n int) float64 {
	pages, few := int64(0), int64(0)
	for k := 1; k < len(lines); k++ {
		pages += lines[k]
		if k <= n {
			few += lines[k]
		}
	}
	return float64(few) / float64(max(1, pages))
}

//go:embed published/*.csv gaps.csv
var files embed.FS

// table reads an embedded table without its heading.
func table(name string) [][]string {
	if name != "gaps.csv" {
		name = "published/" + name
	}
	text, err := files.ReadFile(name)
	if err != nil {
		panic("skybyte: " + err.Error())
	}
	return study.Records(name, string(text))
}
