package cxlssd

import (
	"fmt"
	"strconv"

	core "spillway/sim/cxlssd"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
)

// localityIn is the knob that says in which cache; ofRun is that of the run.
const (
	localityIn = "locality_in"
	ofRun      = "run"
)

func localityKnobs() []knob.Info {
	k := knob.Info{
		Key: localityIn, Label: "Cache", Help: "The cache of the run, or one of pages only, as large as a share of the footprint, as in the paper's Figures 5 and 6.", Kind: knob.One, Default: ofRun,
		Choices: []knob.Choice{{Key: ofRun, Label: "the run's"}},
	}
	for _, n := range []string{"2", "4", "8", "16", "32", "64", "128"} {
		k.Choices = append(k.Choices, knob.Choice{Key: n, Label: "1/" + n + " of the footprint"})
	}
	return []knob.Info{k}
}

// locality shows how many lines of a page are used while it is in the device's cache.
func (v *view) locality() (*report.Section, error) {
	r, err := v.run(nil)
	if err != nil {
		return nil, err
	}
	if n, err := strconv.Atoi(v.look.Text(localityIn)); err == nil {
		return v.alone(r, n)
	}
	read, reads, linesRead := inRanges(&r.LinesRead)
	written, writes, linesWritten := inRanges(&r.LinesWritten)
	if reads == 0 && writes == 0 {
		return &report.Section{Text: []string{v.system.Title + ": no page is in the device's cache here, so nothing was counted."}}, nil
	}
	out := &report.Section{}
	if reads > 0 {
		out.Text = append(out.Text, used("read", &r.LinesRead, reads, linesRead))
	}
	if writes > 0 {
		out.Text = append(out.Text, used("written", &r.LinesWritten, writes, linesWritten))
	}
	out.Tables = []report.Table{usedTable("Read", read, written), moved(r, linesRead, linesWritten)}
	out.Notes = []string{"A page counts when it leaves the cache, and at the end of the run; pages with no line read, or none written, are left out of those columns."}
	return out, nil
}

// alone shows the same of a cache of a share of the footprint, with nothing around it.
func (v *view) alone(r *core.Result, ratio int) (*report.Section, error) {
	s, err := v.stream(r.Threads)
	if err != nil {
		return nil, err
	}
	pages := max(1, int(s.Pages)/ratio)
	l := s.Locality(pages)
	for n := range l.Left {
		l.Lines[n] += l.Left[n]
		l.Written[n] += l.LeftWritten[n]
	}
	touched, stays, lines := inRanges(&l.Lines)
	written, writes, linesWritten := inRanges(&l.Written)
	out := &report.Section{Text: []string{
		fmt.Sprintf("A cache of %s pages, a share of 1/%d of the footprint, serves %s of the requests.", prose.Grouped(int64(pages)), ratio, prose.Percent(part(l.Hits, l.Hits+l.Misses))),
		used("touched", &l.Lines, stays, lines),
	}}
	if writes > 0 {
		out.Text = append(out.Text, used("written", &l.Written, writes, linesWritten))
	}
	out.Tables = []report.Table{usedTable("Touched", touched, written)}
	out.Notes = []string{"The cache is empty at the start and replaces the least recently used page; threads come in the order of their clocks. The paper's Figures 5 and 6 count this way; they are under Reproduce."}
	return out, nil
}

// usedTable is two histograms of lines side by side.
func usedTable(what string, read, written []int64) report.Table {
	t := report.Table{Key: "pages", Title: "Pages by how many of their 64 lines are used while they are in the cache", Head: []string{"Lines", what + ": pages", "Share", "So many or fewer", "Written: pages", "Share", "So many or fewer"}}
	var a, b, reads, writes int64
	for i := range read {
		reads, writes = reads+read[i], writes+written[i]
	}
	for i := range lineRanges {
		a, b = a+read[i], b+written[i]
		t.Rows = append(t.Rows, report.Row{Head: rangeName(i), Cells: []report.Cell{
			report.CountCell(read[i]), shareCell(read[i], reads), shareCell(a, reads),
			report.CountCell(written[i]), shareCell(written[i], writes), shareCell(b, writes),
		}})
	}
	return t
}

// used says how much of a page is used.
func used(how string, h *[65]int64, pages, lines int64) string {
	var few int64
	for n := 1; n <= 16; n++ {
		few += h[n]
	}
	return fmt.Sprintf("Of the %s pages with a line %s, on average %s of 64 lines are; %s of these pages have at most 16 lines %s, %s all 64.",
		prose.Grouped(pages), how, prose.Fixed(part(lines, pages), 1), prose.Percent(part(few, pages)), how, prose.Percent(part(h[64], pages)))
}

// moved compares the bytes that were asked for with those that flash moved.
func moved(r *core.Result, read, written int64) report.Table {
	t := report.Table{Key: "moved", Title: "Lines that flash moved for them", Head: []string{"", "Lines used in the cache", "Lines moved by flash", "Moved a line used"}}
	for _, x := range []struct {
		head        string
		used, pages int64
	}{{"Read", read, r.UserReads}, {"Written", written, programs(r)}} {
		ratio := report.DashCell()
		if x.used > 0 {
			y := part(64*x.pages, x.used)
			ratio = report.Textf("%s", prose.Fixed(y, 2)).With(y, "")
		}
		t.Rows = append(t.Rows, report.Row{Head: x.head, Cells: []report.Cell{report.CountCell(x.used), report.CountCell(64 * x.pages), ratio}})
	}
	return t
}
