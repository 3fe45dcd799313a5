package bytefs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/study"
)

// figures returns the figures and tables in the order of the paper.
func figures(g *grid) []study.Figure {
	list := []study.Figure{
		{
			ID: "abstract", Title: "The two numbers of the abstract", Section: "abstract", Kind: study.Bars, Axes: study.Axes{Y: "×"}, Marks: g.texted("abstract"),
			Says:   "ByteFS is up to 2.7 times as fast as the best of the others, and writes up to 5.1 times less.",
			Remark: "The only numbers that are known from the paper itself. The first is not reached, the second is. The first is the largest, over the ten workloads, of what ByteFS gains over the fastest of the other four; the second the largest, over four workloads, of what another writes to the device over what ByteFS does: create, varmail, fileserver and webproxy, which write files and change names. That choice is ours, and decides the number: where names alone change it is up to 21, and over all ten 70, in oltp, of which ByteFS writes nothing but its log.",
		},
		{
			ID: "6", Title: "Throughput of Filebench", Section: "evaluation", Kind: study.Bars, Axes: study.Axes{Y: "× Ext4"}, Marks: g.throughput("6", overExt4(workloads)),
			Says:   "ByteFS is 6.0 times as fast as Ext4 in create, 4.1 in oltp, 2.2 in fileserver and 1.3 in webproxy, and 1.9 times as fast as F2FS in varmail.",
			Remark: "The whole comparison: ten workloads on five file systems, at 1/64 of their size and oltp at a tenth of its length, as they were measured. Fileserver is fitted, by the share of fresh pages that differ; create, webproxy and oltp are held out. What makes them is in the figure of facts below; the next has what the text says relative to F2FS, and its means.",
		},
		{
			ID: ratios, Title: "Throughput over F2FS, and means", Section: "evaluation", Kind: study.Bars, Axes: study.Axes{Y: "×"}, Marks: g.throughput(ratios, g.groups(ratios, micros)),
			Read:   "Each panel is relative to the system that it names; micro is the mean of the five micro benchmarks.",
			Says:   "In the micro benchmarks ByteFS is 2.5 times as fast as Ext4 on average.",
			Remark: "Those numbers of the text that are not of one workload over Ext4. Not reached: create over F2FS, of which one write pointer takes more than from ByteFS, and the mean that it is part of.",
		},
		{
			ID: "7", Title: "YCSB", Section: "evaluation", Kind: study.Bars, Axes: study.Axes{Y: "× Ext4"}, Marks: g.throughput("7", append(overExt4(stores), g.groups("7", stores)...)),
			Says:   "ByteFS is 2.4 times as fast as F2FS with RocksDB, and its reads take 2.3 times less on average and 2.0 times less at the tail.",
			Remark: "Not reached. A tree of sorted runs stands in for RocksDB. The last panels are means of the six workloads, relative to F2FS. What is counted may not be what the paper counts: throughput is of the file system's calls, not of the store's operations, and reads are all of its read calls, those of merging runs (128 KiB each) among them. The paper does not say which tail it means, here it is 99 %.",
		},
		{
			ID: "8", Title: "Metadata traffic", Section: "evaluation", Kind: study.Bars, Axes: study.Axes{Y: "× ByteFS", LogY: true, Least: 0.5}, Marks: g.reductions("8", metaBytes, changing, "mean of 7", "most"),
			Says:   "ByteFS moves up to 25.3 times less metadata than Ext4 and 17.2 times less than F2FS, 11.4 and 6.1 times on average.",
			Remark: "Figures 8 to 10. What another moves between host and device over what ByteFS does, of all structures but data. Of stat, webserver and oltp there is next to nothing to reduce; they are in no mean. The largest over F2FS, mkdir's, is half of what is published: Linux keeps a small directory in one block with its inode.",
		},
		{
			ID: "9", Title: "Metadata written, by structure", Section: "evaluation", Kind: study.Stacks, Axes: study.Axes{Y: "KB a call"}, Marks: g.stacks("9", writtenBy),
			Colors: partColors(), Says: "Ext4 writes whole blocks for small changes, into its journal and in place; F2FS nodes and tables.", Remark: "Nothing is published but shares, which the figure of the composition has.",
		},
		{
			ID: "10", Title: "Metadata read, by structure", Section: "evaluation", Kind: study.Stacks, Axes: study.Axes{Y: "KB a call"}, Marks: g.stacks("10", readBy),
			Colors: partColors(), Says: "ByteFS reads 43 % less metadata than NOVA.", Remark: "That mean is in the figure of metadata traffic. NOVA and PMFS load what the published branch of them does (as_issued): NOVA next to nothing. With loads for every call ByteFS reads 65 % less than NOVA.",
		},
		{
			ID: "11", Title: "Flash traffic", Section: "evaluation", Kind: study.Bars, Axes: study.Axes{Y: "× ByteFS", LogY: true, Least: 0.5}, Marks: g.reductions("11", pages, flashing, "mean of 9"),
			Says:   "On average flash has 2.9 times as much traffic with Ext4, 2.1 with F2FS, 3.2 with NOVA and 2.2 with PMFS.",
			Remark: "Pages read and programmed, those of cleaning and of garbage collection among them; stat reaches no flash. What stays in the SSD's DRAM at the end (Pages left in the SSD's DRAM) is not counted, which favours ByteFS: with it Ext4's mean is 2.2 instead of 2.6, F2FS' 2.7 instead of 3.1. Means hang on whether fresh pages are compared: see what decides the comparison.",
		},
		{
			ID: "12", Title: "What each mechanism brings", Section: "evaluation", Kind: study.Bars, Axes: study.Axes{Y: "× Ext4"}, Marks: g.mechanisms(),
			Says:   "Varmail and fileserver gain from the dual interface and the log, webproxy from the interface, oltp from the log and the choice of the interface.",
			Remark: "Its numbers are not public. ByteFS-Select, the choice without the log, is not in the paper. Every value is the mean of three seeds. Fileserver gains nothing from the log here; with 16 MB of DRAM (ssd_dram=16) it gains 1.5.",
		},
		{
			ID: "13", Title: "Flash and link latency", Section: "evaluation", Kind: study.Lines, Axes: study.Axes{X: "read of flash, µs", Y: "× F2FS with 40 µs", LogX: true, LogY: true, Left: 2, Right: 100, Least: 0.3, Most: 6}, Marks: g.sensitive(),
			Colors: map[string]string{linkSeries(nova): "part-3", linkSeries(byteFS): "part-4"},
			Says:   "ByteFS is ahead of F2FS and NOVA with every flash; over a link of 175 ns both it and NOVA gain, and NOVA stays behind.",
			Remark: "Its curves are not public, so nothing but these statements is compared. Every value is the mean of three seeds. Drawn over the time of a read: flash of 3 µs programs in 80, of 20, 40 and 80 in 30, 60 and 120. A link of 175 ns loads and stores a line in that; it is drawn for 3 and 40 µs.",
		},
		{
			ID: "14", Title: "Size of the log", Section: "evaluation", Kind: study.Lines, Axes: study.Axes{X: "log, MB", Y: "× 256 MB", LogX: true, Left: 50, Right: 600}, Marks: g.logs(), Read: "Throughput and pages programmed of ByteFS.",
			Colors: map[string]string{speedSeries: "part-1", programSeries: "part-2"},
			Says:   "Throughput rises with the log, from 64 to 512 MB.", Remark: "Its curves are not public. Every value is the mean of three seeds.",
		},
		listed("T1", "Devices", "background", "A memory-semantic SSD loads a line in 4.8 µs and stores one in 0.6.", "Settings and no results."),
		listed("T2", "Amplification", "background", "Ext4 writes up to 6.2 times what programs do, F2FS up to 2.1 times.", "The paper does not say what traffic is divided by. Both readings are computed: by what of the bytes that programs asked for had to reach the SSD (reads that the page cache had not, writes that were written back), and by the traffic of data. They are of Ext4 and F2FS, which feel neither payload nor fresh pages. Workloads of which no data are written back are left out. Not reached, and not explained: 6.21 of fileserver."),
		listed("T3", "Interface by structure", "design", "Metadata are written by bytes and read by blocks.", "As shares of bytes, of varmail: 100 % is what the table calls byte, 0 % what it calls block. Where it has both interfaces it says no share, so that there is nothing to compare; 2 interfaces are listed."),
		listed("mix", "What traffic consists of", "background", "Inodes are 35 % of what Ext4 writes, and its journal 31 % of its traffic.", "The paper counts over its profile of Filebench and oltp, which is taken as the mean of the five macro workloads. F2FS' nodes count as inodes, its table of their addresses as data pointers. Neither payload nor fresh pages change it: it is of Ext4 and F2FS."),
		listed("recovery", "Recovery", "evaluation", "After a crash the log of 256 MB is recovered in 4.2 s.", "Inputs: the section of crashes takes its rates from them. Nothing is left to compare."),
		listed("costs", "Costs of mechanisms", "design", "An index of 21 MB finds a line in 89 ns; a page is compared in 936 cycles; 16 % of the page cache are duplicates.", "All but the duplicates are inputs or not in the model."),
		listed("runs", "Runs in the artifact", "artifact", "An early ByteFS makes one store a directory, and six a file.", "Not the paper: reports of a development version whose file data never reach the device, with the threads of its branch. Its ByteFS appends one entry of a log where the paper's changes lines in place, so that it stores less; and it issues loads that the paper's reads in blocks. Counters are of the whole run with what was made before it."),
		listed("fractions", "How much of a page is touched", "artifact", "Nearly all accesses touch one or two lines.", "Not reliable: the histograms contradict the counters of the same runs. Nothing is compared."),
	}
	at := slices.IndexFunc(list, func(f study.Figure) bool { return f.ID == "T1" })
	return slices.Insert(list, at, g.switched()...)
}

// switched are the charts of the numbers of the text under every variant.
func (g *grid) switched() (list []study.Figure) {
	list = append(list, study.Figure{
		ID: switchedFacts, Title: "What of the measurement makes the gains", Section: "ours", Kind: study.Bars, Axes: study.Axes{Y: "×", LogY: true, Least: 0.5}, Marks: g.switching(switchedFacts),
		Colors: factColors(), Read: "One panel a published ratio, one bar a fact: what can be read of how it was measured, added to those at its left.",
		Says:   "In oltp ByteFS is 1.8 times as fast as Ext4 on an SSD that writes all channels, 3.1 on the emulator, which writes one at a time, and 3.9 with the script's memory and warm-up; 4.1 is published. Nothing of that is fitted.",
		Remark: "The emulated SSD fills a block of one channel before it goes to the next, so that at any time one program of 60 µs is under way: file systems that program more lose more. Who waits for a program, O_SYNC and what ends a run follow; the last, the share of fresh pages that differ, is fitted to fileserver alone. Where a bar passes the published number no one fact explains it: see what each does alone below. The order decides how much each brings; the section How it was measured, under Explore, has it in other orders.",
	})
	for _, x := range []struct{ id, of, remark string }{
		{switchedExt4, "throughput over Ext4", "The share that brings fileserver to what is published makes create twice as fast as it is without."},
		{switchedF2FS, "throughput over the others", "The first panel is the abstract's: the largest gain over the fastest of the other four."},
		{switchedBytes, "metadata and bytes written", "The first panel is the abstract's, the largest over four workloads; metadata are the means and the largest of Figure 8."},
		{switchedFlash, "flash traffic", "Means of nine workloads, as in Figure 11. The share of pages with a duplicate, of ByteFS, is in the table."},
	} {
		list = append(list, study.Figure{
			ID: x.id, Title: "What decides the comparison: " + x.of, Section: "ours", Kind: study.Bars, Axes: study.Axes{Y: "×", LogY: true, Least: 0.5}, Marks: g.switching(x.id),
			Colors: variantColors(), Read: "One panel a published ratio, one bar a fact of the measurement turned over alone; the first has them all. The others are in the table.",
			Says:   "How it was measured decides more than the file systems do.",
			Remark: "The same numbers as above, not counted again, and as doubted as there. Nothing fitted: fresh pages count as changed. Own cache, blind writes and readers that compute 80 µs are in no comparison: the first two are of the published branch of ByteFS alone, which is not what was measured, and the last hangs on a compiler. " + x.remark,
		})
	}
	return list
}

func listed(id, title, section, says, remark string) study.Figure {
	return study.Figure{ID: id, Title: title, Section: section, Kind: study.Table, Says: says, Remark: remark}
}

// partColors are those of structures.
func partColors() map[string]string {
	colors := map[string]string{}
	for i, s := range structures[firstMeta:] {
		colors[s.name] = fmt.Sprintf("part-%d", 1+i)
	}
	return colors
}

// factColors are those of the facts.
func factColors() map[string]string {
	colors := map[string]string{}
	for i, v := range facts {
		colors[v.name] = fmt.Sprintf("part-%d", i)
	}
	return colors
}

// variantColors are those of the variants.
func variantColors() map[string]string {
	colors := map[string]string{}
	for i, v := range variants[:drawn] {
		colors[v.name] = fmt.Sprintf("part-%d", i)
	}
	return colors
}

// find is the mark of what look finds.
func find(m study.Mark, p *study.Point, look study.Look) study.Mark {
	if m.Y, m.Fits, m.Known = look(p); !m.Known {
		m.Y = 0
	}
	return m
}

// of returns the points of a figure that are computed.
func (g *grid) of(figure string) (list []*study.Point) {
	for i := range g.list {
		if p := &g.list[i]; p.Figure == figure && p.NotComputed == "" {
			list = append(list, p)
		}
	}
	return list
}

// texted draws the numbers of the text of a figure, one panel each.
func (g *grid) texted(figure string) func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for _, p := range g.of(figure) {
			panel := map[string]string{speed: "throughput", written: "bytes written"}[p.Quantity]
			marks = append(marks, find(study.Mark{Panel: panel, Series: titles[byteFS], System: byteFS}, p, look))
		}
		return marks
	}
}

// finder finds values of a figure's probes.
func (g *grid) finder(figure string, look study.Look) *finder {
	return &finder{grid: g, look: look, figure: figure, known: true}
}

// mark is that of a value, if its finder knew all that it is made of.
func (f *finder) mark(m study.Mark, value float64) study.Mark {
	if m.Known = f.known && !math.IsNaN(value) && !math.IsInf(value, 0); m.Known {
		m.Y, m.Fits = value, true
	}
	return m
}

// published is the point of a figure about a workload or mean, nil if there is none.
func published(points []*study.Point, quantity, of, at string) *study.Point {
	for _, p := range points {
		if p.Quantity == quantity && p.Of == of && p.At == at {
			return p
		}
	}
	return nil
}

// A group is a panel of the figures of throughput: a quantity relative to a system, as a
// mean over workloads, of which the paper has a number by the name of of.
type group struct {
	panel, quantity, of, base string
	over                      []string
}

// overExt4 are the groups of workloads relative to Ext4.
func overExt4(workloads []string) (groups []group) {
	for _, w := range workloads {
		groups = append(groups, group{w, speed, w, ext4, []string{w}})
	}
	return groups
}

// groups are those of a figure's points: of one workload, or a mean of several.
func (g *grid) groups(figure string, means []string) (groups []group) {
	for _, p := range g.of(figure) {
		over, short := []string{p.Of}, p.Of
		if strings.HasPrefix(p.Of, "mean") {
			over, short = means, "mean"
			if figure == ratios {
				short = "micro"
			}
		}
		if p.Quantity != speed {
			short = map[string]string{readTime: "reads", readTail: "tail"}[p.Quantity]
		}
		rival := strings.TrimPrefix(p.At, "over ")
		groups = append(groups, group{short + " / " + rival, p.Quantity, p.Of, systemOf(rival), over})
	}
	return groups
}

// throughput draws a group a panel, a bar a system, with what is published of ByteFS.
func (g *grid) throughput(figure string, groups []group) func(study.Look) []study.Mark {
	points := g.of(figure)
	return func(look study.Look) (marks []study.Mark) {
		for _, x := range groups {
			for _, s := range systems[:5] {
				f := g.finder(figure, look)
				m := f.mark(study.Mark{Panel: x.panel, Series: titles[s], System: s}, mean(x.over, func(w string) float64 {
					v := f.value(x.quantity, s, w) / f.value(x.quantity, x.base, w)
					if x.quantity != speed {
						v = 1 / v
					}
					return v
				}))
				if p := published(points, x.quantity, x.of, "over "+titles[x.base]); s == byteFS && p != nil {
					m = find(m, p, look)
				}
				marks = append(marks, m)
			}
		}
		return marks
	}
}

// reductions draws a group a workload, a bar a rival: what it moves over what ByteFS
// does; then their mean and, if the text has it, maximum, with what is published.
func (g *grid) reductions(figure, quantity string, workloads []string, of ...string) func(study.Look) []study.Mark {
	points := g.of(figure)
	return func(look study.Look) (marks []study.Mark) {
		for _, panel := range append(slices.Clone(workloads), of...) {
			over, list := mean, workloads
			switch {
			case panel == "most":
				over = most
			case !slices.Contains(of, panel):
				list = []string{panel}
			}
			for _, s := range rivals {
				f := g.finder(figure, look)
				m := f.mark(study.Mark{Panel: panel, Series: titles[s], System: s}, over(list, func(w string) float64 { return f.less(quantity, s, w, like) }))
				if p := published(points, quantity, panel, "less than "+titles[s]); p != nil {
					m = find(m, p, look)
				}
				marks = append(marks, m)
			}
		}
		return marks
	}
}

// stacks draws a group a workload, a bar a system, of structures.
func (g *grid) stacks(figure, before string) func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for _, w := range changing {
			for _, s := range systems[:5] {
				for _, part := range structures[firstMeta:] {
					m := study.Mark{Panel: w, Series: titles[s], System: s, Part: part.name}
					marks = append(marks, find(m, g.find(figure, before+part.key, s, set(w)), look))
				}
			}
		}
		return marks
	}
}

// mechanisms draws Figure 12: relative to Ext4.
func (g *grid) mechanisms() func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for _, w := range macros {
			for _, s := range []string{dual, logged, selected, byteFS} {
				f := g.finder("12", look)
				marks = append(marks, f.mark(study.Mark{Panel: w, Series: titles[s], System: s}, f.value(speed, s, w)/f.value(speed, ext4, w)))
			}
		}
		return marks
	}
}

// linkSeries is a system behind a link of 175 ns in Figure 13.
func linkSeries(system string) string { return titles[system] + ", 175 ns" }

// sensitive draws Figure 13: over the time of a read, relative to F2FS with the usual flash.
func (g *grid) sensitive() func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for _, w := range macros {
			for _, s := range latent {
				for i, l := range latencies {
					m := study.Mark{Panel: w, Series: titles[s], System: s, X: l.read}
					if i >= linked {
						m.Series, m.System = linkSeries(s), ""
						if s == f2fs {
							continue // it does not use it
						}
					}
					f := g.finder("13", look)
					marks = append(marks, f.mark(m, f.value(speed, s, w, l.differs...)/f.value(speed, f2fs, w)))
				}
			}
		}
		return marks
	}
}

// Series of Figure 14.
const (
	speedSeries   = "throughput"
	programSeries = "flash pages programmed"
)

// logs draws Figure 14: over the size of the log, relative to 256 MB.
func (g *grid) logs() func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for _, w := range sized {
			for _, x := range []struct{ quantity, series string }{{speed, speedSeries}, {programs, programSeries}} {
				for _, size := range logSizes {
					m := study.Mark{Panel: w, Series: x.series, X: float64(size)}
					f := g.finder("14", look)
					marks = append(marks, f.mark(m, f.value(x.quantity, byteFS, w, logOf(size)...)/f.value(x.quantity, byteFS, w)))
				}
			}
		}
		return marks
	}
}

// switching draws the numbers of a figure under every variant, one panel each.
func (g *grid) switching(figure string) func(study.Look) []study.Mark {
	return func(look study.Look) (marks []study.Mark) {
		for _, p := range g.of(figure) {
			if p.Quantity == duplicates || slices.ContainsFunc(variants[drawn:], func(v variant) bool { return v.name == p.At }) {
				continue // a share, on an axis of ratios; or one bar too many
			}
			marks = append(marks, find(study.Mark{Panel: p.Of, Series: p.At}, p, look))
		}
		return marks
	}
}
