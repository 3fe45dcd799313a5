package skybyte

import (
	"fmt"
	"math"
	"slices"

	"spillway/sim/portable"
	"spillway/sim/study"
)

type outcomes = func(run string) *study.Outcome

// A finder finds the value of a claim among points.
type finder struct {
	points []study.Point
	look   study.Look
	known  bool
}

// value is that of a point: of Figure 14's cycles, say. It clears known where there is none.
func (f *finder) value(figure, quantity, system, workload, at string) float64 {
	i := slices.IndexFunc(f.points, func(p study.Point) bool {
		return p.Figure == figure && p.Quantity == quantity && p.System == system && p.Of == workload && p.At == at && p.NotComputed == ""
	})
	if i < 0 {
		f.known = false
		return math.NaN()
	}
	v, fits, known := f.look(&f.points[i])
	if !fits || !known {
		f.known = false
	}
	return v
}

// workloadsOf are those of most figures, in the order of the tables.
var workloadsOf = []string{bc, bfs, dlrm, radix, srad, tpcc, ycsbA}

// geomean is the geometric mean over workloads.
func geomean(list []string, of func(workload string) float64) float64 {
	logs := 0.0
	for _, w := range list {
		logs += portable.Log(of(w))
	}
	return portable.Exp(logs / float64(len(list)))
}

// least and most are over workloads.
func least(list []string, of func(workload string) float64) float64 {
	v := math.Inf(1)
	for _, w := range list {
		v = min(v, of(w))
	}
	return v
}

func most(list []string, of func(workload string) float64) float64 {
	return -least(list, func(w string) float64 { return -of(w) })
}

// faster is how many times as fast as one system another is in Figure 14.
func (f *finder) faster(slow, fast, workload string) float64 {
	return f.value("14", cycles, slow, workload, "") / f.value("14", cycles, fast, workload, "")
}

// fewer is how many times fewer pages than by one system are written by another.
func (f *finder) fewer(many, few, workload string) float64 {
	return f.value("18", programmed, many, workload, "") / f.value("18", programmed, few, workload, "")
}

// migrated is a system's time in Figure 23 relative to SkyByte-C's.
func (f *finder) migrated(system, workload string) float64 {
	return f.value("23", elapsed, system, workload, "")
}

const shipped = "The shipped data do not give exactly the number of the text."

// claims are what the text states about the figures, and the trends that were proposed
// as tests of a model.
func claims(points []study.Point) []study.Claim {
	// claim is one that a finder computes.
	claim := func(c study.Claim, of func(f *finder) float64) study.Claim {
		c.Value = func(look study.Look, _ outcomes) (float64, bool) {
			f := &finder{points, look, true}
			v := of(f)
			return v, f.known && !math.IsNaN(v)
		}
		return c
	}
	// about is a number of the text, rounded to two decimals.
	about := func(id, figure, text, stated, unit string, value float64, beside string, of func(f *finder) float64) study.Claim {
		return claim(study.Claim{ID: id, Figure: figure, Section: "evaluation", Text: text, Stated: stated, Lo: value - 0.005, Hi: value + 0.005, Unit: unit, Even: 1, Beside: beside}, of)
	}
	// trend is one without a number: the value must be from lo to hi.
	trend := func(id, figure, text, stated, unit string, lo, hi float64, beside string, of func(f *finder) float64) study.Claim {
		return claim(study.Claim{ID: id, Figure: figure, Section: "trend", Text: text, Stated: stated, Lo: lo, Hi: hi, Unit: unit, Sharp: true, Beside: beside}, of)
	}
	speedup := func(system string) func(f *finder) float64 {
		return func(f *finder) float64 {
			return geomean(workloadsOf, func(w string) float64 { return f.faster(base, system, w) })
		}
	}
	ratio := func(slow, fast string) func(f *finder) float64 {
		return func(f *finder) float64 {
			return geomean(workloadsOf, func(w string) float64 { return f.faster(slow, fast, w) })
		}
	}
	// counted is of how many workloads something holds.
	counted := func(list []string, holds func(f *finder, w string) bool) func(f *finder) float64 {
		return func(f *finder) (n float64) {
			for _, w := range list {
				if holds(f, w) {
					n++
				}
			}
			return n
		}
	}
	ofDRAM := func(f *finder) float64 {
		return 100 * geomean(workloadsOf, func(w string) float64 { return f.faster(dram, complete, w) })
	}
	const slack = 1.05
	list := []study.Claim{
		about("speedup-p", "14", "SkyByte-P is, in the geometric mean, faster than Base-CSSD by", "1.84×", "×", 1.84, shipped, speedup(promoted)),
		about("speedup-w", "14", "SkyByte-W is faster than Base-CSSD by", "2.16×", "×", 2.16, shipped, speedup(logged)),
		about("speedup-cp", "14", "SkyByte-CP is faster than Base-CSSD by", "2.79×", "×", 2.79, shipped, speedup(switchedPro)),
		about("speedup-wp", "14", "SkyByte-WP is faster than Base-CSSD by", "2.95×", "×", 2.95, shipped, speedup(logPromoted)),
		about("speedup-full", "14", "SkyByte-Full is faster than Base-CSSD by", "6.11×", "×", 6.11, "The shipped data give 4.57 for the geometric mean and 5.93 for the arithmetic one: 6.11 is of neither.", speedup(complete)),
		claim(study.Claim{ID: "speedup-full-shipped", Figure: "14", Section: "shipped data", Text: "SkyByte-Full is faster than Base-CSSD by, from the shipped data,", Stated: "4.57×", Lo: 4.565, Hi: 4.575, Unit: "×", Even: 1}, speedup(complete)),
		claim(study.Claim{ID: "speedup-most", Figure: "14", Section: "evaluation", Text: "On some workload SkyByte-Full is faster than Base-CSSD by up to", Stated: "16.35×", Lo: 16.345, Hi: 16.355, Unit: "×", Even: 1, Beside: "It is dlrm's, whose Base-CSSD is not reached."}, func(f *finder) float64 {
			return most(workloadsOf, func(w string) float64 { return f.faster(base, complete, w) })
		}),
		claim(study.Claim{ID: "speedup-least", Figure: "14", Section: "evaluation", Text: "On every workload SkyByte-Full is faster than Base-CSSD by at least", Stated: "1.61×", Lo: 1.605, Hi: 1.615, Unit: "×", Even: 1}, func(f *finder) float64 {
			return least(workloadsOf, func(w string) float64 { return f.faster(base, complete, w) })
		}),
		about("switching", "14", "Context switches make SkyByte-Full faster than SkyByte-WP by", "1.55×", "×", 1.55, "", ratio(logPromoted, complete)),
		about("logging", "14", "The write log makes SkyByte-Full faster than SkyByte-CP by", "1.64×", "×", 1.64, "SkyByte-CP gains less here than published (2.43 of 2.79×), SkyByte-Full nearly as much; why is not explained.", ratio(switchedPro, complete)),
		claim(study.Claim{ID: "of-dram", Figure: "14", Section: "abstract", Text: "SkyByte-Full reaches, of DRAM-only's speed,", Stated: "75 %", Lo: 74.5, Hi: 75.5, Unit: "%", Beside: "The cells of Figure 14 give 77.5 %. Its DRAM-only of bc, radix and tpcc takes less time than in Figure 2 and in the raw runs; the next row has it with those. SkyByte-Full has 24 or 48 threads, DRAM-only 8."}, ofDRAM),
		claim(study.Claim{ID: "of-dram-raw", Figure: "14", Section: "raw runs", Text: "SkyByte-Full reaches, of DRAM-only's speed as the raw runs have it (594005b, output),", Stated: "96.1 %", Lo: 96.05, Hi: 96.15, Unit: "%", Beside: "SkyByte-Full has 24 or 48 threads, DRAM-only 8."}, ofDRAM),
		claim(study.Claim{ID: "cheaper", Figure: "14", Section: "evaluation", Text: "A GB of DRAM costs, of one of flash, (4.28 and 0.27 dollars)", Stated: "15.9×", Lo: 15.8, Hi: 15.9, Unit: "×"}, func(*finder) float64 { return 4.28 / 0.27 }),
		claim(study.Claim{ID: "cost-effective", Figure: "14", Section: "evaluation", Text: "For its price SkyByte-Full is, of DRAM-only, as fast as", Stated: "11.8×", Lo: 11.75, Hi: 11.95, Unit: "×", Even: 1, Beside: "The ratio of speeds times that of prices a GB; DRAM of the device and the host is not counted."}, func(f *finder) float64 {
			return 4.28 / 0.27 * geomean(workloadsOf, func(w string) float64 { return f.faster(dram, complete, w) })
		}),
		about("traffic", "18", "SkyByte-Full writes fewer pages to flash than Base-CSSD by", "23.08×", "×", 23.08, "The shipped data give 20.1. Base-CSSD programs clean pages too (evict-clean). Here it is more, as SkyByte-Full programs less of dlrm and srad than published.", func(f *finder) float64 {
			return geomean(workloadsOf, func(w string) float64 { return f.fewer(base, complete, w) })
		}),
		claim(study.Claim{ID: "traffic-shipped", Figure: "18", Section: "shipped data", Text: "SkyByte-Full writes fewer pages to flash than Base-CSSD by, from the shipped data,", Stated: "20.1×", Lo: 20.05, Hi: 20.15, Unit: "×", Even: 1, Beside: "Base-CSSD programs clean pages too (evict-clean). Here it is more, as SkyByte-Full programs less of dlrm (a third) and srad than published."}, func(f *finder) float64 {
			return geomean(workloadsOf, func(w string) float64 { return f.fewer(base, complete, w) })
		}),
		about("amat", "17", "SkyByte-Full reduces the memory access time, of Base-CSSD's, by", "14.19×", "×", 14.19, "The shipped data give 12.96. Here it is more, which is not explained: of reads that a switch hides only the replay counts, and nothing switches that.", func(f *finder) float64 {
			return geomean(workloadsOf, func(w string) float64 {
				return f.value("17", amat, base, w, "") / f.value("17", amat, complete, w, "")
			})
		}),
		about("amat-dram", "17", "SkyByte-Full's memory access time is, of DRAM-only's,", "1.39×", "×", 1.39, "The shipped data give 1.38. Here it is less, most of all in dlrm, which is not explained: of reads that a switch hides only the replay counts, and nothing switches that.", func(f *finder) float64 {
			return geomean(workloadsOf, func(w string) float64 {
				return f.value("17", amat, complete, w, "") / f.value("17", amat, dram, w, "")
			})
		}),
		claim(study.Claim{ID: "slowdown-least", Figure: "2", Section: "motivation", Text: "Behind the link a program takes at least, of its time in DRAM,", Stated: "1.5×", Lo: 1.45, Hi: 1.55, Unit: "×", Even: 1}, func(f *finder) float64 {
			return least(workloadsOf, func(w string) float64 { return f.value("2", elapsed, base, w, "") })
		}),
		claim(study.Claim{ID: "slowdown-most", Figure: "2", Section: "motivation", Text: "Behind the link a program takes up to, of its time in DRAM,", Stated: "31.4×", Lo: 31.35, Hi: 31.45, Unit: "×", Even: 1, Beside: "The largest of the shipped values is 24.5, dlrm's, which is not reached here."}, func(f *finder) float64 {
			return most(workloadsOf, func(w string) float64 { return f.value("2", elapsed, base, w, "") })
		}),
		about("migration-mean", "23", "SkyByte-CP is, on average, faster than SkyByte-CT and AstriFlash-CXL by", "1.09×", "×", 1.09, "The geometric mean over both and all workloads. The shipped data have literals here.", func(f *finder) float64 {
			return geomean(workloadsOf, func(w string) float64 {
				cp := f.migrated(switchedPro, w)
				return math.Sqrt(f.migrated(sampled, w) / cp * f.migrated(astriflash, w) / cp)
			})
		}),
		about("migration-most", "23", "SkyByte-CP is faster than SkyByte-CT or AstriFlash-CXL by at most", "1.21×", "×", 1.21, "dlrm's: in the shipped data 1.35, of literals.", func(f *finder) float64 {
			return most(workloadsOf, func(w string) float64 {
				return max(f.migrated(sampled, w), f.migrated(astriflash, w)) / f.migrated(switchedPro, w)
			})
		}),
		trend("never-hurts", "14", "A mechanism that is added never costs more than 5 %: workloads where P, C, W, CP, WP and Full keep to it", "7 of 7", "workloads", 7, 7, "tpcc's WP is slower than its P in the raw run too.", counted(workloadsOf, func(f *finder, w string) bool {
			ok := true
			for _, pair := range [][2]string{{promoted, switchedPro}, {switched, switchedPro}, {promoted, logPromoted}, {logged, logPromoted}, {switchedPro, complete}, {logPromoted, complete}} {
				ok = ok && f.faster(pair[0], pair[1], w) >= 1/slack
			}
			return ok
		})),
		trend("full-best", "14", "SkyByte-Full is, up to 5 %, the fastest with flash: workloads", "7 of 7", "workloads", 7, 7, "", counted(workloadsOf, func(f *finder, w string) bool {
			return least([]string{base, promoted, switched, logged, switchedPro, logPromoted}, func(s string) float64 { return f.faster(s, complete, w) }) >= 1/slack
		})),
		trend("dram-bound", "14", "No system is faster than DRAM-only with as many threads: workloads where Base-CSSD, P, W and WP keep to it", "7 of 7", "workloads", 7, 7, "A promoted page takes 46 ns (fixed-host), DRAM-only as it was measured 50 to 80: with that switch off all seven keep to it.", counted(workloadsOf, func(f *finder, w string) bool {
			return least([]string{base, promoted, logged, logPromoted}, func(s string) float64 { return f.faster(s, dram, w) }) >= 1
		})),
		trend("dlrm-w", "14", "The write log alone takes, of dlrm's time, away", "more than 80 %", "%", 80, 100, "Base-CSSD's dlrm is not reached, so that less is left to take away.", func(f *finder) float64 { return 100 * (1 - 1/f.faster(base, logged, dlrm)) }),
		trend("p-alone", "14", "Promotion alone takes, of the time of bc and ycsb, away at least", "more than 70 %", "%", 70, 100, "", func(f *finder) float64 {
			return 100 * (1 - 1/least([]string{bc, ycsbA}, func(w string) float64 { return f.faster(base, promoted, w) }))
		}),
		trend("p-streams", "14", "Promotion alone takes, of the time of radix and srad, away at most", "less than 10 %", "%", -20, 10, "srad's, which SkyByte-P makes faster here than published; why is not explained. Of radix, whose published time of SkyByte-P is doubted, it takes less away.", func(f *finder) float64 {
			return 100 * (1 - 1/most([]string{radix, srad}, func(w string) float64 { return f.faster(base, promoted, w) }))
		}),
		trend("c-little", "14", "Context switches alone take, of the time of bc and ycsb, away at most", "less than 25 %", "%", -20, 25, "", func(f *finder) float64 {
			return 100 * (1 - 1/most([]string{bc, ycsbA}, func(w string) float64 { return f.faster(base, switched, w) }))
		}),
		trend("c-most", "14", "Context switches alone help dlrm, radix and bfs-dense more than bc and ycsb: by, of these, at least", "more than 1×", "×", 1, 100, "Published times of dlrm and bfs-dense with SkyByte-C are below what their programs take.", func(f *finder) float64 {
			return least([]string{dlrm, radix, bfs}, func(w string) float64 { return f.faster(base, switched, w) }) /
				most([]string{bc, ycsbA}, func(w string) float64 { return f.faster(base, switched, w) })
		}),
		trend("programs-10", "18", "With a log flash is written, for bc, dlrm, radix and ycsb, less by at least", "10×", "×", 10, 1e6, "", func(f *finder) float64 {
			return least([]string{bc, dlrm, radix, ycsbA}, func(w string) float64 {
				return least([]string{logged, logPromoted, complete}, func(s string) float64 { return f.fewer(base, s, w) })
			})
		}),
		trend("programs-some", "18", "With a log flash is written, for srad, tpcc and bfs-dense, less by at least", "1.2×", "×", 1.2, 1e6, "tpcc's W is doubted: the reports have more programs than Base-CSSD's.", func(f *finder) float64 {
			return least([]string{srad, tpcc, bfs}, func(w string) float64 {
				return least([]string{logged, logPromoted, complete}, func(s string) float64 { return f.fewer(base, s, w) })
			})
		}),
		trend("threshold-3", "9", "A threshold of 3 µs in place of 2 changes the time by at most", "1.5 %", "%", 0, 1.5, "Probably chance: reads of bfs-dense and srad queue behind programs, whose times any change moves. Not explained further.", func(f *finder) float64 {
			return 100 * most(thresholdOf, func(w string) float64 { return math.Abs(f.value("9", elapsed, complete, w, "3 µs") - 1) })
		}),
		trend("threshold-80", "9", "A threshold of 80 µs costs, of the time with 2, at least", "1.15×", "×", 1.15, 100, "bc's, which makes its step at 4 µs already.", func(f *finder) float64 {
			return least(thresholdOf, func(w string) float64 { return f.value("9", elapsed, complete, w, "80 µs") })
		}),
		trend("round-robin", "10", "No policy is better than round robin by more than 5 %: of its time the best takes", "more than 0.95×", "×", 0.95, 10, "bc's under CFS, of which other seeds (1 to 3) make 0.95, 0.96 and 0.97.", func(f *finder) float64 {
			return least([]string{bc, radix, srad, tpcc}, func(w string) float64 {
				return min(f.value("10", elapsed, complete, w, "Random"), f.value("10", elapsed, complete, w, "CFS"))
			})
		}),
	}
	list = append(list,
		trend("threads-grow", "15", "From 24 to 48 threads bfs-dense still gains, of its throughput,", "more than 1.2×", "×", 1.2, 10, "", func(f *finder) float64 {
			return f.value("15", speed, complete, bfs, "48 threads") / f.value("15", speed, complete, bfs, "24 threads")
		}),
		trend("threads-saturate", "15", "From 24 to 48 threads bc, tpcc and ycsb gain at most", "less than 1.1×", "×", 0.9, 1.1, "", func(f *finder) float64 {
			return most([]string{bc, tpcc, ycsbA, ycsbB}, func(w string) float64 {
				return f.value("15", speed, complete, w, "48 threads") / f.value("15", speed, complete, w, "24 threads")
			})
		}),
		trend("threads-dlrm", "15", "From 24 to 48 threads dlrm loses: of its throughput it keeps", "less than 1×", "×", 0.5, 1, "Not reproduced.", func(f *finder) float64 {
			return f.value("15", speed, complete, dlrm, "48 threads") / f.value("15", speed, complete, dlrm, "24 threads")
		}),
	)
	for _, x := range []struct {
		workload string
		least    float64
		beside   string
	}{{dlrm, 1.3, "With pairs of threads that share pages what takes time is waiting for these, less the log; with sharing=0 it is more."}, {srad, 2, ""}, {tpcc, 1.5, ""}} {
		list = append(list, trend("log-"+x.workload, "19", "With a log of 0.5 MB "+x.workload+" takes, of its time with 64,", fmt.Sprintf("more than %g×", x.least), "×", x.least, 100, x.beside, func(f *finder) float64 {
			return f.value("19", mean, logPromoted, x.workload, "0.5MB")
		}))
	}
	return append(list,
		trend("log-others", "19", "With a log of 0.5 MB the times of bc, bfs-dense, radix and ycsb change by at most", "4 %", "%", 0, 4, "bfs-dense's: what it writes is hardly more than half of this log, which decides when it is compacted. The others hold.", func(f *finder) float64 {
			return 100 * most([]string{bc, bfs, radix, ycsbB}, func(w string) float64 { return math.Abs(f.value("19", mean, logPromoted, w, "0.5MB") - 1) })
		}),
		trend("log-16", "19", "With a log of 16 MB in place of 64 the slowest takes, of its time,", "less than 1.15×", "×", 0.9, 1.15, "", func(f *finder) float64 {
			return most(sizedOf, func(w string) float64 { return f.value("19", mean, logPromoted, w, "16MB") })
		}),
		trend("log-programs", "20", "With a log of 0.5 MB dlrm, srad and tpcc write, of their programs with 64, at least", "more than 1.3×", "×", 1.3, 1000, "", func(f *finder) float64 {
			return least([]string{dlrm, srad, tpcc}, func(w string) float64 {
				return f.value("20", programmed, logPromoted, w, "0.5MB") / f.value("20", programmed, logPromoted, w, "64MB")
			})
		}),
		trend("dram-base", "21", "From 0.125 to 2 GB Base-CSSD gains, in bc, dlrm, ycsb and tpcc, at least", "more than 2×", "×", 2, 100, "dlrm's, of which no report has another cache. bc, ycsb and tpcc are above 1.8.", func(f *finder) float64 {
			return least([]string{bc, dlrm, ycsbB, tpcc}, func(w string) float64 { return f.gains(base, w) })
		}),
		trend("dram-bfs", "21", "From 0.125 to 2 GB Base-CSSD gains in bfs-dense", "less than 1.8×", "×", 0.9, 1.8, "", func(f *finder) float64 { return f.gains(base, bfs) }),
		trend("dram-streams", "21", "From 0.125 to 2 GB Base-CSSD gains, in radix and srad, at most", "less than 1.05×", "×", 0.95, 1.05, "", func(f *finder) float64 {
			return most([]string{radix, srad}, func(w string) float64 { return f.gains(base, w) })
		}),
		trend("dram-full", "21", "From 0.125 to 2 GB SkyByte-Full gains at most", "less than 1.6×", "×", 0.9, 1.6, "tpcc's: its written lines just fill the half of a log of 14 MiB from which it is compacted.", func(f *finder) float64 {
			return most(sizedOf, func(w string) float64 { return f.gains(complete, w) })
		}),
		trend("flash-full", "22", "With 24 threads SkyByte-Full is the fastest with every kind of flash: cases", "28 of 28", "cases", 28, 28, "The other one is tpcc with MLC, where SkyByte-P programs nothing, as in its reports, and SkyByte-Full waits for 2512 programs of what warming left in its log (warm-charged); without these it takes 0.55 of P's time. The published P of this figure is as slow as W, which programs.", func(f *finder) (n float64) {
			for _, w := range sizedOf {
				for kind := range readTimes {
					ours := f.value("22", cycles, complete, w, kind+", 24 threads")
					if least([]string{promoted, logged, logPromoted}, func(s string) float64 { return f.value("22", cycles, s, w, kind) }) >= ours {
						n++
					}
				}
			}
			return n
		}),
		trend("flash-bc", "22", "From ULL to MLC SkyByte-Full with 24 threads takes longer, in bc, by", "less than 1.2×", "×", 1, 1.2, "", func(f *finder) float64 { return f.slower(bc) }),
		trend("flash-tpcc", "22", "From ULL to MLC SkyByte-Full with 24 threads takes longer, in tpcc, by", "3.5×", "×", 3.15, 3.85, "Slow reads cost tpcc less here; how its loads depend on each other is not known.", func(f *finder) float64 { return f.slower(tpcc) }),
		trend("flash-ycsb", "22", "From ULL to MLC SkyByte-Full with 24 threads takes longer, in ycsb, by", "2.7×", "×", 2.4, 3, "", func(f *finder) float64 { return f.slower(ycsbB) }),
		trend("flash-dlrm", "22", "With MLC dlrm waits for programs: of SkyByte-Full's time with 24 threads SkyByte-W takes", "less than 1.25×", "×", 0.8, 1.25, "Not reproduced: dlrm is not bound by them here.", func(f *finder) float64 {
			return f.value("22", cycles, logged, dlrm, "MLC") / f.value("22", cycles, complete, dlrm, "MLC, 24 threads")
		}),
	)
}

// thresholdOf are the workloads of Figure 9, sizedOf those of Figures 19 to 22.
var (
	thresholdOf = []string{bc, bfs, srad, tpcc}
	sizedOf     = []string{bc, bfs, dlrm, radix, srad, tpcc, ycsbB}
)

// gains is how many times as fast a system is with 2 GB as with 0.125.
func (f *finder) gains(system, workload string) float64 {
	return f.value("21", mean, system, workload, "0.125 GB") / f.value("21", mean, system, workload, "2 GB")
}

// slower is how many times as long SkyByte-Full takes with MLC as with ULL.
func (f *finder) slower(workload string) float64 {
	return f.value("22", cycles, complete, workload, "MLC, 24 threads") / f.value("22", cycles, complete, workload, "ULL, 24 threads")
}
