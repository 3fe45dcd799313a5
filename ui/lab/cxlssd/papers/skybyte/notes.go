package skybyte

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/study"
)

// doubtful begins what is said of a published number that something contradicts.
const doubtful = study.Doubtful

// doubted reports whether a note says why a published number is doubted.
func doubted(note string) bool { return strings.HasPrefix(note, doubtful) }

// A doubt is why published numbers are doubted: those of the figure, workload, system
// and place that it names; what is empty is any, but a figure.
type doubt struct {
	figures      string // separated by spaces
	of           string
	system       string
	at, quantity string
	why          string
}

// Cells of Figure 14 that also appear in other figures.
const (
	bcDRAM      = "the raw run of 8 threads, and Figure 2, have 280.2 M cycles; with these SkyByte-Full would be faster than DRAM-only"
	radixDRAM   = "the raw run of 8 threads, and Figure 2, have 737.4 M cycles; with these SkyByte-Full would be faster than DRAM-only"
	tpccDRAM    = "the raw run of 8 threads, and Figure 2, have 94.1 M cycles; with these SkyByte-Full would be faster than DRAM-only"
	radixP      = "the raw run, and Figure 22, have 1775.7 M cycles, which differ in one digit; with these it would be slower than Base-CSSD"
	tpccW       = "the raw run, and Figure 22, have 148.3 M cycles, which differ in one digit; with these it would be slower than Base-CSSD"
	tpccWP      = "the raw run has 119.9 M cycles, and Figure 15 has 120.5 M"
	tpccFull    = "the raw run of 24 threads, and Figure 15, have 90.1 M cycles, which differ in two digits; Figure 10 adds up to them"
	bfsTrace    = "the raw run is of another trace of 8.48 M requests, and cannot confirm it; CP and WP differ by exactly 12 000 000 cycles"
	programs1   = "below the time that the published number of programs takes on 16 channels"
	tpccC       = "the reports have 3648 programs, and the artifact's other file 3423"
	noneTpcc    = "the reports of SkyByte-P have no program"
	literal23   = "a literal: its digits are those of another cell, and the difference is round"
	diluted     = "retries of the simulator count as requests and dilute it"
	identical16 = "raw runs of 16 and 32 MB are identical"
	identical64 = "raw runs of 64 and 128 MB are identical"
	fitted      = "an input: the recipe is fitted to it"
	trailing    = "the series of bfs-dense and srad have the same last digits at all numbers of threads"
)

var doubts = []doubt{
	{"14", bc, dram, "", "", bcDRAM},
	{"14", radix, dram, "", "", radixDRAM},
	{"14", tpcc, dram, "", "", tpccDRAM},
	{"14", radix, promoted, "", "", radixP},
	{"14", tpcc, logged, "", "", tpccW},
	{"14", tpcc, logPromoted, "", "", tpccWP},
	{"14", tpcc, complete, "", "", tpccFull},
	{"14", bfs, promoted, "", "", bfsTrace},
	{"14", bfs, logPromoted, "", "", bfsTrace},
	{"22", bfs, promoted, "ULL", "", bfsTrace},
	{"22", bfs, logPromoted, "ULL", "", bfsTrace},
	{"15", bfs, "", "", "", "relative to SkyByte-WP, of which " + bfsTrace},
	{"14", bfs, switchedPro, "", "", "near the time that the published number of programs takes, and exactly 12 000 000 cycles less than WP"},
	{"14", bfs, switched, "", "", programs1 + " (by 1.40)"},
	{"14", dlrm, switched, "", "", programs1 + " (by 1.07)"},
	{"14", dlrm, switchedPro, "", "", programs1 + " (by 1.12)"},
	{"17", bc, dram, "", "", "45.6 ns, where the raw run of DRAM-only has 73.6 ns"},
	{"17", ycsbA, base, "", "", diluted + ": 9.3 M requests where the others have 5.8 M; without them it is about 1144 ns"},
	{"mix 3", ycsbA, base, "", hostPart, diluted},
	{"mix 3", ycsbA, base, "", hitPart, diluted},
	{"mix 3", ycsbA, base, "", missPart, diluted},
	{"mix 3", ycsbB, base, "", hostPart, diluted},
	{"mix 3", ycsbB, base, "", hitPart, diluted},
	{"mix 3", ycsbB, base, "", missPart, diluted},
	{"mix 3", dlrm, base, "", hitPart, diluted},
	{"mix 3", dlrm, base, "", missPart, diluted},
	{"18", tpcc, promoted, "", "", noneTpcc},
	{"18", tpcc, switchedPro, "", "", noneTpcc},
	{"18", tpcc, switched, "", "", tpccC},
	{"18", tpcc, logged, "", "", "the reports have 3625 programs"},
	{"19 20", tpcc, "", "16MB", "", identical16},
	{"19 20", tpcc, "", "32MB", "", identical16},
	{"19 20", tpcc, "", "64MB", "", identical64},
	{"19 20", tpcc, "", "128MB", "", identical64},
	{"19 20", srad, "", "64MB", "", identical64},
	{"19 20", srad, "", "128MB", "", identical64},
	{"21", bc, base, "0.125 GB", "", "the time allows 3 to 5 times fewer misses than SkyByte-W's has with nearly the same cache"},
	{"21", bc, base, "0.25 GB", "", "the time allows 3 to 5 times fewer misses than SkyByte-W's has with nearly the same cache"},
	{"22", tpcc, promoted, "", "", "contradicts Figure 14 and the raw run, in which nothing is programmed"},
	{"T3", bfs, "", "", "", trailing + "; the raw value of SkyByte-WP, 3.1 µs of another trace, stands in dlrm's row"},
	{"T3", srad, complete, "", "", trailing},
	{"T1", bfs, "", "", intensity, "the reports of Base-CSSD and DRAM-only, which Figures 2 and 14 have, count 2.3 requests a thousand instructions; those of SkyByte-P and WP are of another trace with 132, to which 122.9 is near"},
	{"23", dlrm, astriflash, "", "", literal23},
	{"23", dlrm, sampled, "", "", literal23},
	{"23", dlrm, logSampled, "", "", literal23},
	{"23", dlrm, switchedPro, "", "", programs1 + " (by 1.12)"},
	{"23", dlrm, complete, "", "", "relative to SkyByte-C, which is " + programs1 + " (by 1.07)"},
	{"23", bfs, "", "", "", "relative to SkyByte-C, which is " + programs1 + " (by 1.40)"},
	{"23", radix, sampled, "", "", literal23},
	{"23", radix, switchedPro, "", "", "20 000 000 cycles less than in Figure 14"},
	{"23", srad, sampled, "", "", literal23},
	{"23", tpcc, complete, "", "", "as in Figure 14; Figure 15 has 90.1 M cycles, and Figure 10 adds up to them"},
	{"23", tpcc, astriflash, "", "", "the raw run of these cycles is of SkyByte-CP"},
}

// isFitted reports whether recipes were fitted to a point, as stream.Fitted has it: to all of some
// figures, and to single cells of others, whose remark says so.
func isFitted(x *study.Point) bool {
	return slices.Contains([]string{"2", "3", "4", "16", "mix", "T1", "T4"}, x.Figure) || strings.Contains(x.Note, "an input: ")
}

// remarks are what is said of numbers that are not doubted.
var remarks = []doubt{
	{"2", tpcc, "", "", "", "the artifact's file has this row under ycsb"},
	{"2", ycsbA, "", "", "", "the artifact's file has this row under tpcc"},
	{"16", "", "", "", "", "a literal of the plotting script"},
	{"T1", ycsbB, "", "", "", "the paper's ycsb is YCSB-B here, and YCSB-A in other figures"},
	{"18", dlrm, logPromoted, "", "", fitted},
	{"18", "", promoted, "", "", fitted},
	{"20", dlrm, "", "64MB", "", fitted},
	{"20", ycsbB, "", "64MB", "", fitted},
	{"22", ycsbB, promoted, "ULL", "", "an input: YCSB-B's costs are fitted to it"},
	{"17", dlrm, "", "", "", "the plotting script subtracts surplus requests"},
	{"17", radix, "", "", "", "the plotting script subtracts surplus requests"},
}

// match reports whether a doubt is about p.
func (d *doubt) match(p *study.Point) bool {
	is := func(what, of string) bool { return what == "" || what == of }
	return strings.Contains(" "+d.figures+" ", " "+p.Figure+" ") &&
		is(d.of, p.Of) && is(d.system, p.System) && is(d.at, p.At) && is(d.quantity, p.Quantity)
}

// notes say why a published number is doubted, what else is to be known of it, and what
// its raw run has, each cell's first of a kind.
func notes(p *study.Point) string {
	var list []string
	for i := range doubts {
		if d := &doubts[i]; d.match(p) {
			list = append(list, doubtful+d.why)
			break
		}
	}
	for i := range remarks {
		if d := &remarks[i]; d.match(p) {
			list = append(list, d.why)
			break
		}
	}
	raw := ""
	if p.Figure != "14" {
		raw = differing(p)
	} else if len(list) == 0 { // doubts of Figure 14 say it themselves
		raw = rawOf(p)
	}
	if raw != "" {
		list = append(list, raw)
	}
	return strings.Join(list, "; ")
}

// differing is what the raw run of a cell of another figure has, if it is at hand and is
// not what is drawn.
func differing(p *study.Point) string {
	for _, f := range table("raw_where_differs.csv") {
		figure := strings.TrimPrefix(strings.TrimPrefix(f[0], "fig"), "0")
		if figure != p.Figure {
			continue
		}
		w, system, at := f[1], systemOf(f[2]), f[3]
		switch figure {
		case "9":
			w, at = workloadOf(w, ycsbA), micros(at)+" µs"
		case "15":
			at += " threads"
		case "19":
			w = workloadOf(w, ycsbB)
		case "21": // the setting is host DRAM, of which there is four times as much
			w, at = workloadOf(w, ycsbB), fmt.Sprint(study.Number(strings.TrimSuffix(at, "GB"))/4)+" GB"
		case "22":
			w = workloadOf(w, ycsbB)
			if name, n, more := strings.Cut(strings.TrimPrefix(f[2], "SkyByte-"), "-"); more {
				system, at = systemOf("SkyByte-"+name), at+", "+n+" threads"
			}
		case "23":
			w = workloadOf(w, ycsbA)
		}
		if w == p.Of && system == p.System && at == p.At {
			return fmt.Sprintf("the raw run %s has %.1f M cycles where the figure has %.1f M", f[5], millions(f[6]), millions(f[4]))
		}
	}
	return ""
}

// rawOf is what the closest raw run has that differs a little, as simulations of the
// artifact differ from run to run.
func rawOf(p *study.Point) string {
	for _, f := range table("provenance_fig14_closest_raw.csv") {
		if workloadOf(f[0], ycsbA) == p.Of && systemOf(f[1]) == p.System && f[2] != "dlrm-8-assd-WP-DRAM" {
			return fmt.Sprintf("the raw run %s has %.1f M cycles", f[2], millions(f[4]))
		}
	}
	return ""
}
