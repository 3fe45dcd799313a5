package bytefs

import (
	"math"

	"spillway/sim/study"
)

// claims are the trends that the text states without a number, and those that were
// proposed as tests of a model; the bounds of the latter are ours.
func claims(g *grid) []study.Claim {
	trend := func(id, figure, text, stated, unit string, lo, hi float64, beside string, of func(f *finder) float64) study.Claim {
		made := g.made(figure, of)
		return study.Claim{
			ID: id, Figure: figure, Section: "trend", Text: text, Stated: stated, Lo: lo, Hi: hi, Unit: unit, Sharp: true, Beside: beside,
			Value: func(look study.Look, _ func(string) *study.Outcome) (float64, bool) { return made.Value(look) },
		}
	}
	// cases counts in how many of workloads something holds.
	cases := func(list []string, holds func(w string) bool) (n float64) {
		for _, w := range list {
			if holds(w) {
				n++
			}
		}
		return n
	}
	const (
		many = 1e9
		more = 1.005 // what is less than half a percent more is the same
	)
	list := []study.Claim{
		trend("create-order", "6", "In create ByteFS is faster than F2FS, and F2FS than Ext4: the lesser of the two factors is", "more than 1×", "×", more, many, "", func(f *finder) float64 {
			return min(f.gain(speed, f2fs, create, like), f.value(speed, f2fs, create)/f.value(speed, ext4, create))
		}),
		trend("behind", "6", "NOVA and PMFS are often slower than F2FS: of ten macro cases, in", "half or more", "cases", 5, 10, "", func(f *finder) (n float64) {
			for _, s := range []string{nova, pmfs} {
				n += cases(macros, func(w string) bool { return f.value(speed, s, w) < f.value(speed, f2fs, w) })
			}
			return n
		}),
		trend("smallest", "6", "Of create, fileserver, webproxy and oltp, webproxy gains least over Ext4: what the others gain least is, of it,", "more than 1×", "×", more, many, "", func(f *finder) float64 {
			return least([]string{create, fileserver, oltp}, func(w string) float64 { return f.gain(speed, ext4, w, like) }) / f.gain(speed, ext4, webproxy, like)
		}),
		trend("oltp", "6", "In oltp ByteFS is faster than Ext4 by", "more than 3×", "×", 3*more, many, "", func(f *finder) float64 { return f.gain(speed, ext4, oltp, like) }),
		trend("meta-ext4", "8", "In every micro benchmark that changes names Ext4 moves more metadata by", "more than 10×", "×", 10*more, many, "Of create 16 and of mkdir 21, but of delete and rmdir 2.0, with a commit every millisecond (commit_interval=0.001) 2.1 and 2.2, with a journal of 8 MiB (journal=8) 6: not explained.", func(f *finder) float64 {
			return least(micros[:4], func(w string) float64 { return f.less(metaBytes, ext4, w, like) })
		}),
		trend("meta-f2fs", "8", "In every micro benchmark that changes names F2FS moves more metadata by", "more than 4×", "×", 4*more, many, "Of delete 2.6 and of rmdir 1.9: F2FS has most of the nodes in the cache then. With a quarter of it for metadata (meta_share=25) it holds, 6.0.", func(f *finder) float64 {
			return least(micros[:4], func(w string) float64 { return f.less(metaBytes, f2fs, w, like) })
		}),
		trend("flash-all", "11", "Of every other the mean of flash traffic is, over ByteFS', at least", "1.8×", "×", 1.8, many, "", func(f *finder) float64 {
			return least(rivals, func(s string) float64 {
				return mean(flashing, func(w string) float64 { return f.less(pages, s, w, like) })
			})
		}),
		trend("log-gains", "12", "Varmail and fileserver gain from the log: the lesser gain of ByteFS over ByteFS without it is", "more than 1×", "×", more, many, "Varmail gains 1.1; fileserver is 5 % slower, and its seeds differ by 13 %. With 16 MB of DRAM (ssd_dram=16) both gain 1.5.", func(f *finder) float64 {
			return least([]string{varmail, fileserver}, func(w string) float64 { return f.value(speed, byteFS, w) / f.value(speed, selected, w) })
		}),
		trend("dual-gains", "12", "Varmail, fileserver and webproxy gain from the dual interface: the least gain of ByteFS-Dual over Ext4 is", "more than 1×", "×", more, many, "", func(f *finder) float64 {
			return least([]string{varmail, fileserver, webproxy}, func(w string) float64 { return f.value(speed, dual, w) / f.value(speed, ext4, w) })
		}),
		trend("proxy-dual", "12", "Webproxy needs the dual interface alone: ByteFS-Dual has, of ByteFS' throughput,", "90 to 110 %", "%", 90, 110, "", func(f *finder) float64 {
			return 100 * f.value(speed, dual, webproxy) / f.value(speed, byteFS, webproxy)
		}),
		trend("oltp-select", "12", "Oltp gains from the choice of the interface: ByteFS is faster than ByteFS-Log by", "more than 1×", "×", more, many, "", func(f *finder) float64 {
			return f.value(speed, byteFS, oltp) / f.value(speed, logged, oltp)
		}),
		trend("oltp-log", "12", "Oltp gains from the log: ByteFS is faster than ByteFS-Select by", "more than 1×", "×", more, many, "Zeros change next to nothing: 1.7 MB are written. Of random data (payload=random) 98 % go in whole pages, which a log does not gather, and it is 1.002.", func(f *finder) float64 {
			return f.value(speed, byteFS, oltp) / f.value(speed, selected, oltp)
		}),
		trend("flash-f2fs", "13", "With every flash ByteFS is ahead of F2FS: of 20 cases, in", "all", "cases", 20, 20, "Webserver with flash of 20 µs and more, by 6 to 8 %, and webproxy with 20 µs, by 2 %: F2FS has its metadata in the cache, and small files in these (with inline=0 webserver is level). With a quarter of the cache for metadata (meta_share=25) ByteFS is ahead by 3 % or more everywhere.", func(f *finder) float64 { return f.ahead(f2fs) }),
		trend("flash-nova", "13", "With every flash ByteFS is ahead of NOVA: of 20 cases, in", "all", "cases", 20, 20, "", func(f *finder) float64 { return f.ahead(nova) }),
		trend("link-nova", "13", "Over a link of 175 ns NOVA gains, in the macro workloads at least,", "more than 1×", "×", more, many, "", func(f *finder) float64 { return f.faster(nova) }),
		trend("link-bytefs", "13", "Over a link of 175 ns ByteFS gains, in the macro workloads at least,", "more than 1×", "×", more, many, "Varmail, fileserver and oltp gain 0.5 to 0.9 %, webserver nothing; webproxy loses 0.4 %, and its seeds differ by 5 %.", func(f *finder) float64 { return f.faster(byteFS) }),
		trend("link-behind", "13", "Over a link of 175 ns NOVA stays behind ByteFS: macro workloads of 5", "all", "cases", 5, 5, "", func(f *finder) float64 {
			l := latencies[linked].differs
			return cases(macros, func(w string) bool { return f.value(speed, nova, w, l...) < f.value(speed, byteFS, w, l...) })
		}),
		trend("log-speed", "14", "From 64 to 512 MB no larger log is slower: a step's throughput is at least, of the one before,", "98 %", "%", 98, many, "", func(f *finder) float64 {
			return 100 * f.steps(speed, func(before, after float64) float64 { return after / before })
		}),
		trend("log-programs", "14", "From 64 to 512 MB a larger log programs less: a step's pages are at most, of those before,", "100 %", "%", 0, 100, "Varmail's from 64 to 128 MB: its seeds give 95 to 104 %. In all other steps it programs as much or less.", func(f *finder) float64 {
			return 100 / f.steps(programs, func(before, after float64) float64 { return before / after })
		}),
	}
	return list
}

// linked is where latencies has the link of 175 ns with the usual flash, which is after
// those of flash alone.
const linked = 4

// ahead is in how many cases of workloads and flash ByteFS is faster than another.
func (f *finder) ahead(system string) (n float64) {
	for _, w := range macros {
		for _, l := range latencies[:linked] {
			if f.value(speed, byteFS, w, l.differs...) > f.value(speed, system, w, l.differs...) {
				n++
			}
		}
	}
	return n
}

// faster is what a system gains at least over a link of 175 ns.
func (f *finder) faster(system string) float64 {
	return least(macros, func(w string) float64 {
		return f.value(speed, system, w, latencies[linked].differs...) / f.value(speed, system, w)
	})
}

// steps is the least, over workloads and steps of the log's size, of what is made of a
// quantity before and after.
func (f *finder) steps(quantity string, of func(before, after float64) float64) float64 {
	v := math.Inf(1)
	for _, w := range sized {
		for i, size := range logSizes[1:] {
			v = min(v, of(f.value(quantity, byteFS, w, logOf(logSizes[i])...), f.value(quantity, byteFS, w, logOf(size)...)))
		}
	}
	return v
}
