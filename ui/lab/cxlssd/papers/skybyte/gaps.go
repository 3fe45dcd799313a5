package skybyte

import (
	"spillway/sim/study"
)

// why explains differences: what agrees by its note, a gap by its reason, if it is
// recorded with the value that it has.
func why(known study.Gaps) func(r *study.Row) string {
	return func(r *study.Row) string {
		switch {
		case r.Status != study.Gap:
			return r.Note
		case known.Known(r):
			return reason(r)
		}
		return ""
	}
}

// reason is why a number is not reached, as far as that is known, or why what is
// published is doubted; "" if nobody knows.
func reason(r *study.Row) string {
	text := cause(r)
	switch {
	case doubted(r.Note) && r.Of != dlrm, text == "": // where it is doubted nothing is to be explained, but for dlrm, which is off anyway
		return r.Note
	case r.Note != "":
		return r.Note + "; " + text
	}
	return text
}

// cause is why a number is not reached.
func cause(r *study.Row) string {
	for i := range causes {
		if c := &causes[i]; c.match(r.Point) {
			return c.why
		}
	}
	return ""
}

const (
	dlrmBase   = "with pairs of threads that share pages dlrm waits 347 thousand times in Base-CSSD where its report has 340 thousand (192 with sharing=0), and its average core takes 0.81 of the published cycles, SkyByte-P three quarters; the slowest core is farther off: instructions are equal for all threads here, and 40 to 100 M a core in the report. What the rest is, is not explained"
	dlrmOver   = "relative to dlrm's Base-CSSD, which is not reached: " + dlrmBase
	dlrmLog    = "how often dlrm's outputs are written again is fitted to the programs of SkyByte-WP with 64 MB and to the written share: nothing else was fitted, and why other logs differ is not explained"
	dlrmCache  = "no report has dlrm with another cache, so what of it is resident then is a guess"
	sradFull   = "srad is too fast with SkyByte-Full: the published run programs 1.46 times as many pages as srad writes, each with half of its lines, here each is programmed once; why, and whether this is what takes the time, is not explained"
	sradOver   = "relative to srad's SkyByte-Full, which is too fast here, as in Figure 14, for a reason that is not explained"
	smallLog   = "not explained: with a small log compactions are booked one after the other from when they begin, which was not switched"
	largeLog   = "not explained: with a log that holds all of srad's lines every page is left to the run's beginning"
	longer     = "the published curves are of longer traces, and nothing was fitted to them"
	tpccSlow   = "not explained: tpcc's flash reads are as many as published, but slow ones cost less here"
	tpccMLC    = "of tpcc the published SkyByte-P, W and WP are alike with MLC, as if each had the programs of W; here P has none, as in its reports, WP and Full have the 2512 that warming left in their log, and W has 3625"
	tpccCache  = "not explained: what of tpcc is resident in a small cache is fitted to flash reads of Base-CSSD alone"
	bcCache    = "not explained: popularity of pages is known by its distribution only"
	bfsLatency = "not explained: reads and programs of bfs-dense are as many as published"
	counted    = "not explained: of reads that a switch hides only the replay counts here"
	radixQueue = "not explained: radix's reads queue more here"
	radixLess  = "that SkyByte-P makes radix slower is not explained: it has as many reads and programs as Base-CSSD, and seven of eight requests in host DRAM"
	hostTraces = "a few requests of the trace go to host DRAM whatever the design; the recipe has none"
)

// causes are why numbers are not reached, the first that is about one.
var causes = []doubt{
	{"2 14", dlrm, base, "", cycles, dlrmBase},
	{"14 22", dlrm, promoted, "", cycles, dlrmBase},
	{"2 14", dlrm, "", "", elapsed, dlrmOver},
	{"14", dlrm, switchedPro, "", cycles, dlrmBase},
	{"14", dlrm, logPromoted, "", cycles, dlrmBase},
	{"17", dlrm, promoted, "", "", dlrmBase},
	{"3 mix", "", "", "", missPart, "not explained: these are few, and how many hangs on what is resident at the start, of which only totals are known"},
	{"mix", "", "", "", hostPart, hostTraces},
	{"5 6", "", "", "", "", longer},
	{"9", bc, "", "", "", "bc's few reads of flash make a step as soon as they no longer switch, and which one is chance: with the seeds 1 to 5 a threshold of 60 µs takes 0.96, 0.97, 1.11, 1.12 and 1.24 of the time with 2 µs, where 1.16 is published. Why there are steps is not explained"},
	{"9", "", "", "", "", "not explained: where the knee lies"},
	{"10", srad, "", "", "", "not explained: under CFS heavy threads of srad get no more time than light ones here"},
	{"14 15 23", srad, complete, "", "", sradFull},
	{"14 23", bfs, "", "", "", bfsLatency},
	{"15", dlrm, "", "", "", "published dlrm loses from more than 24 threads, which is not explained; nothing here makes more threads slower"},
	{"15", radix, "", "", "", "radix's gain from 8 to 16 threads is balance alone, and how work is spread is fitted to one number"},
	{"16", ycsbA, "", "", "", "the literals fit neither YCSB-A's reports nor YCSB-B's"},
	{"16", dlrm, "", "", "", "no report of dlrm has them: reads and writes are fitted to Table I and to footprints"},
	{"17", dlrm, complete, "", "", counted},
	{"17", radix, complete, "", "", counted},
	{"17", ycsbA, complete, "", "", counted},
	{"17", bfs, "", "", "", bfsLatency},
	{"17", srad, "", "", "", "not explained: reads and programs of srad are as many as published"},
	{"18 20", dlrm, "", "", "", dlrmLog},
	{"18", srad, complete, "", "", sradFull},
	{"18 20", "", "", "", "", "not explained: how often pages are written again is fitted to few counts"},
	{"19", bfs, "", "0.5MB", "", "not explained: the 3313 lines that bfs-dense writes are hardly more than half of this log"},
	{"19", srad, "", "256MB", "", largeLog},
	{"19", "", "", "", "", smallLog},
	{"21", srad, "", "", "", sradOver},
	{"21", dlrm, "", "", "", dlrmCache + "; " + dlrmBase},
	{"21", tpcc, "", "", "", tpccCache},
	{"21", bc, "", "", "", bcCache},
	{"21", ycsbB, "", "", "", "residency of YCSB-B with large caches is fitted to few reports, which contradict each other"},
	{"21", "", "", "", "", "not explained: what is resident with another cache is fitted to flash reads of Base-CSSD alone"},
	{"22", dlrm, "", "", "", "with slow flash dlrm is off on both sides: no report has it"},
	{"22", tpcc, logPromoted, "MLC", "", tpccMLC},
	{"22", tpcc, complete, "MLC, 16 threads", "", tpccMLC + "; " + tpccSlow},
	{"22", tpcc, complete, "MLC, 24 threads", "", tpccMLC + "; " + tpccSlow},
	{"22", tpcc, complete, "MLC, 32 threads", "", tpccMLC + "; " + tpccSlow},
	{"22", tpcc, "", "", "", tpccSlow},
	{"22", srad, "", "", "", "with switches srad is too fast with fast flash, as in Figure 14, and waits otherwise than published for slow flash: how far its loads overlap was chosen with fast flash"},
	{"22", radix, promoted, "", "", radixLess},
	{"paper2", "", base, "", "", "on this device Base-CSSD is too fast because many dies of a channel work at a time and clean pages are not programmed: with the artifact's switches one-lun and evict-clean on, all seven slowdowns are 1.03 to 1.46 times the published ones. The bus, 0.8 GB/s, is assumed: 0.4 GB/s alone gets them to 0.51 to 1.03"},
	{"paper", "", dram, "", "", "the paper does not say what a channel's bus carries; 0.8 GB/s is assumed (channel_rate). Without a limit (channel_rate=0) Base-CSSD is nearer to DRAM-only in every workload, with 0.4 GB/s farther; which the paper's device had is not known"},
	{"paper", "", complete, "", "", "relative to Base-CSSD on the paper's device, whose bus is assumed (channel_rate)"},
	{"raw", radix, promoted, "", "", radixLess},
	{"22", "", "", "", "", "not explained: how far loads overlap is fitted to times in DRAM"},
	{"23", srad, "", "", "", sradFull},
	{"23", "", "", "", "", "relative to SkyByte-C, which is bound by programs here"},
	{"T3", radix, complete, "", "", radixQueue},
}
