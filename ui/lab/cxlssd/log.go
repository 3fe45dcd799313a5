package cxlssd

import (
	"fmt"
	"strconv"

	core "spillway/sim/cxlssd"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// mostCompactions is how many a table lists.
const mostCompactions = 40

// A compaction is one, as the watch is told of it.
type compaction struct {
	from, to     unit.Time
	pages, lines int64
}

// log shows the write log over time, and what compactions did.
func (v *view) log() (*report.Section, error) {
	if !v.design().Log {
		return &report.Section{Text: []string{v.system.Title + " has no write log: choose a design with one, such as SkyByte-W or SkyByte-Full."}}, nil
	}
	var list []compaction
	r, err := v.run(&core.Watch{Compaction: func(from, to unit.Time, pages, lines int64) {
		list = append(list, compaction{from, to, pages, lines})
	}})
	if err != nil {
		return nil, err
	}
	out := &report.Section{Text: []string{v.logged(r, list)}}
	without, err := v.without()
	if err != nil {
		return nil, err
	}
	out.Text = append(out.Text, v.saved(r, without))
	if own, _ := losses(&result{r, r, *v.s, v.w}); own != "" {
		out.Text = append(out.Text, own)
	}
	out.Tables = append(out.Tables, v.written(r, without))
	if r.CompactionPrograms > r.WarmPrograms {
		out.Tables = append(out.Tables, mergedLines(r))
	}
	if len(list) > 0 {
		out.Tables = append(out.Tables, compactions(list))
	}
	if len(list) > mostCompactions {
		out.Notes = append(out.Notes, fmt.Sprintf("The table has the first %d of %d compactions; the export “Compactions” has all.", mostCompactions, len(list)))
	}
	if r.LeftPages > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%s pages are still to be programmed when the run ends, beside %s that were: neither they nor their time is counted.", prose.Grouped(r.LeftPages), prose.Grouped(r.CompactionPrograms+r.EvictionPrograms+r.DemotionPrograms)))
	}
	if r.WarmPrograms > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%s of the programs, and %s reads, are for what the log held after warming: they are charged when the run begins, and the lines of their pages are not counted.", prose.Grouped(r.WarmPrograms), prose.Grouped(r.WarmReads)))
	}
	return out, nil
}

// logged says what the log took and gave.
func (v *view) logged(r *core.Result, list []compaction) string {
	said := fmt.Sprintf("%s: %s writes are appended to a log of %s slots; %s of them replace a line that is still in it.",
		v.system.Title, prose.Grouped(r.Appends), prose.Grouped(r.Slots), prose.Percent(part(r.Replaced, r.Appends)))
	if len(list) == 0 && r.CompactionPrograms == 0 {
		return said + " It is never compacted."
	}
	var lines int64
	for n, pages := range r.Merged {
		lines += int64(n) * pages
	}
	pages := r.CompactionPrograms - r.WarmPrograms
	if pages == 0 {
		return said + " It never fills far enough to be compacted."
	}
	many := "A compaction programs"
	if r.Compactions > 1 {
		many = prose.Grouped(r.Compactions) + " compactions program"
	}
	return said + fmt.Sprintf(" %s %s pages, each with %s lines of the log on average.", many, prose.Grouped(pages), prose.Fixed(part(lines, pages), 1))
}

// without runs the design without its log.
func (v *view) without() (*core.Result, error) {
	s, name := *v.s, core.OwnDesign
	if v.system.Written && s.Script != nil {
		c := *s.Script
		c.Policy, name = c.Without("compact"), v.system.Name
		s.Script = &c
	} else {
		s.Own = v.design()
	}
	s.Own.Log, s.Own.Own, s.Own.Written = false, false, false
	return whole(core.Run(v.w.Workload, &s, name, nil, nil))
}

// saved compares with the design without a log.
func (v *view) saved(r, without *core.Result) string {
	a, b := programs(without), programs(r)
	switch {
	case b == 0 && a == 0:
		return "Flash is not written, with or without the log."
	case b == 0:
		return fmt.Sprintf("Without the log flash would be programmed %s times, with it never.", prose.Grouped(a))
	case !r.Lasts():
		return fmt.Sprintf("Without the log flash would be programmed %s times. With it what the run writes is still in the log when it ends, and the %s programs are those of what the log began with: they say nothing of what it saves. The run would take %v instead of %v.", prose.Grouped(a), prose.Grouped(b), without.Time, r.Time)
	case a >= b:
		return fmt.Sprintf("Without the log flash would be programmed %s times, %s times as often, and the run would take %v instead of %v.", prose.Grouped(a), prose.Fixed(part(a, b), 1), without.Time, r.Time)
	}
	return fmt.Sprintf("Without the log flash would be programmed %s times, less than with it, and the run would take %v instead of %v.", prose.Grouped(a), without.Time, r.Time)
}

// written lists flash programs by reason.
func (v *view) written(r, without *core.Result) report.Table {
	t := report.Table{Key: "flash", Title: "Flash with the log and without", Head: []string{"", "With", "Without"}}
	row := func(head string, of func(r *core.Result) int64) {
		if of(r) == 0 && of(without) == 0 {
			return
		}
		t.Rows = append(t.Rows, report.Row{Head: head, Cells: []report.Cell{report.CountCell(of(r)), report.CountCell(of(without))}})
	}
	row("Programs: pages that leave the cache", func(r *core.Result) int64 { return r.EvictionPrograms })
	row("Programs: compaction", func(r *core.Result) int64 { return r.CompactionPrograms })
	row("Programs: demotion", func(r *core.Result) int64 { return r.DemotionPrograms })
	row("Programs: garbage collection", func(r *core.Result) int64 { return r.CollectionPrograms })
	row("Programs", programs)
	row("Reads for requests", func(r *core.Result) int64 { return r.UserReads })
	row("Reads for compaction", func(r *core.Result) int64 { return r.CompactionReads })
	row("Reads for garbage collection", func(r *core.Result) int64 { return r.CollectionReads })
	row("Erases", func(r *core.Result) int64 { return r.Erases })
	t.Rows = append(t.Rows, report.Row{Head: "Time", Cells: []report.Cell{report.Textf("%v", r.Time), report.Textf("%v", without.Time)}})
	return t
}

// lineRanges are the classes of histograms of lines, by their last.
var lineRanges = []int{1, 2, 4, 8, 16, 32, 63, 64}

// rangeName is what the i-th of them is called.
func rangeName(i int) string {
	first, last := 1, lineRanges[i]
	if i > 0 {
		first = lineRanges[i-1] + 1
	}
	switch {
	case last == 1:
		return "1 line"
	case first == last:
		return strconv.Itoa(last) + " lines"
	}
	return fmt.Sprintf("%d to %d lines", first, last)
}

// inRanges sums a histogram of lines by range; what has none is left out.
func inRanges(h *[65]int64) (sums []int64, all, lines int64) {
	sums = make([]int64, len(lineRanges))
	at := 0
	for n := 1; n < len(h); n++ {
		if n > lineRanges[at] {
			at++
		}
		sums[at] += h[n]
		all += h[n]
		lines += int64(n) * h[n]
	}
	return sums, all, lines
}

// mergedLines is how many lines of a page a compaction takes at once.
func mergedLines(r *core.Result) report.Table {
	sums, all, lines := inRanges(&r.Merged)
	t := report.Table{Key: "merged", Title: fmt.Sprintf("Lines merged into a page by a compaction: %s on average", prose.Fixed(part(lines, all), 1)), Head: []string{"Lines", "Pages", "Share", "So many or fewer"}}
	var sum int64
	for i, n := range sums {
		sum += n
		t.Rows = append(t.Rows, report.Row{Head: rangeName(i), Cells: []report.Cell{report.CountCell(n), shareCell(n, all), shareCell(sum, all)}})
	}
	return t
}

// compactions lists them.
func compactions(list []compaction) report.Table {
	t := report.Table{Key: "compactions", Title: "Compactions", Head: []string{"Number", "From", "Takes", "Pages", "Lines", "Lines a page", "Time a page"}}
	for i, c := range list[:min(len(list), mostCompactions)] {
		t.Rows = append(t.Rows, report.Row{Head: strconv.Itoa(i + 1), Cells: []report.Cell{
			report.TimeCell(c.from), report.TimeCell(c.to - c.from), report.CountCell(c.pages), report.CountCell(c.lines),
			report.Textf("%s", prose.Fixed(part(c.lines, c.pages), 1)).With(part(c.lines, c.pages), ""), report.TimeCell(mean(c.to-c.from, c.pages)),
		}})
	}
	return t
}
