package cxlssd

import (
	"fmt"
	"strconv"

	core "spillway/sim/cxlssd"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab/cxlssd/papers/skybyte"
)

// windowRequests are the requests per 1000 instructions, in hundredths, that the artifact's
// reports have of the window that it runs, by name of the workload.
//
// source: SkyByte artifact, reports in its history (commit 594005b), 8 threads, of the runs
// that count no request twice.
var windowRequests = map[string]int64{"bc": 3945, "bfs-dense": 234, "dlrm": 505, "radix": 712, "srad": 745, "tpcc": 100, "ycsb-a": 9081, "ycsb-b": 8818}

// profile says what the threads ask for.
func (v *view) profile() (*report.Section, error) {
	r, err := v.run(nil)
	if err != nil {
		return nil, err
	}
	s, err := v.stream(r.Threads)
	if err != nil {
		return nil, err
	}
	p := s.Profile()
	if p.Requests == 0 {
		return &report.Section{Text: []string{"The threads ask for nothing."}}, nil
	}
	out := &report.Section{
		Text:   []string{v.asks(p, len(s.Threads)), reused(p, v.s.DRAM/unit.Bytes(max(1, r.Scale)))},
		Tables: []report.Table{v.asked(p, r), linesTable(p), reuseTable(p), hotTable(p), sharesTable(p)},
		Notes:  []string{"Reuse counts the other pages asked for since the last request to a page, in the order of the threads' clocks: a cache that replaces the least recently used page hits where that is fewer than its own pages."},
	}
	if v.w.Recorded == nil {
		said := "Table I of the paper is of whole programs; the artifact runs a window of each, which touches far fewer pages. Its writes are stores among all loads and stores, before the caches; here they are of what misses these."
		if v.fitted() {
			said += " The recipe is fitted to the window."
		} else {
			said += " The recipe was changed: it is no longer the one that is fitted to the window."
		}
		out.Notes = append(out.Notes, said)
	}
	return out, nil
}

// asks sums up a profile.
func (v *view) asks(p *stream.Profile, threads int) string {
	var lines int64
	for n, pages := range p.Lines {
		lines += int64(n) * pages
	}
	return fmt.Sprintf("%d threads make %s requests, %s of them writes, to %s pages: %v. Of a page that is touched, %s of 64 lines are, by %s requests.",
		threads, prose.Grouped(p.Requests), prose.Percent(part(p.Writes, p.Requests)), prose.Grouped(p.Touched), unit.Bytes(p.Touched)*unit.Page,
		prose.Fixed(part(lines, p.Touched), 1), prose.Fixed(part(p.Requests, p.Touched), 1))
}

// reused says how much of it a cache of a size would hold.
func reused(p *stream.Profile, cache unit.Bytes) string {
	pages := int64(cache / unit.Page)
	var held int64
	last := 0
	for i, n := range p.Reuse {
		if i > 0 && 1<<i > pages {
			break
		}
		held += n
		last = i
	}
	return fmt.Sprintf("%s of the requests are the first to their page, and %s come after at most %s other pages, which a cache of %v, as the device's DRAM is here, would hold.",
		prose.Percent(part(p.First, p.Requests)), prose.Percent(part(held, p.Requests)), prose.Grouped(1<<last-1), cache)
}

// fitted reports whether the recipe is the bundled one.
func (v *view) fitted() bool {
	w, err := stream.Find(v.w.Name)
	return err == nil && v.w.Recorded == nil && recipeText(&w.Recipe) == recipeText(&v.w.Recipe)
}

// asked counts what is asked for, and compares that of a recipe with what was published.
func (v *view) asked(p *stream.Profile, r *core.Result) report.Table {
	t := report.Table{Key: "profile", Title: "What is asked for", Head: []string{"", "Here"}}
	recipe := v.w.Recorded == nil
	of := skybyte.Original{}
	if recipe {
		t.Title, t.Head = "Beside what was published of the original", append(t.Head, "At full scale", "The artifact's window", "The paper's Table I")
		of = skybyte.OriginalOf(v.w.Name)
	}
	none := report.Textf("–")
	known := func(x float64, places int, unitName string) report.Cell {
		if x == 0 {
			return none
		}
		return report.Textf("%s", report.WithUnit(prose.Fixed(x, places), unitName)).With(x, unitName)
	}
	size := func(pages int64) report.Cell {
		if pages == 0 {
			return none
		}
		return report.Textf("%v", unit.Bytes(pages)*unit.Page)
	}
	add := func(head string, here report.Cell, published ...report.Cell) {
		cells := []report.Cell{here}
		if recipe {
			cells = append(cells, published...)
		}
		t.Rows = append(t.Rows, report.Row{Head: head, Cells: cells})
	}
	count := func(n int64) report.Cell { return report.CountCell(n) }
	add("Requests", count(p.Requests), count(p.Requests*r.Scale), none, none)
	add("Pages touched", count(p.Touched), count(p.Touched*r.Scale), countOr(of.Pages), none)
	add("Footprint", size(p.Touched), size(p.Touched*r.Scale), size(of.Pages), known(of.Footprint, 2, "GB"))
	writes := shareCell(p.Writes, p.Requests)
	add("Writes", writes, writes, none, known(of.Stores, 0, "%"))
	if instructions := v.w.Recipe.Instructions; recipe && instructions > 0 {
		x := 1000 * part(p.Requests*r.Scale, instructions)
		perK := report.Textf("%s", prose.Fixed(x, 2)).With(x, "")
		add("Requests per 1000 instructions", perK, perK, known(float64(windowRequests[v.w.Name])/100, 2, ""), known(of.Misses, 1, ""))
	}
	add("Computing of the thread that computes longest, without waiting", report.Textf("%v", v.s.Clock.Time(unit.Cycles(p.Cycles))), none, none, none)
	runs := report.Textf("%s, the longest of %s pages", prose.Grouped(p.RunCount), prose.Grouped(longestRun(p))).With(float64(p.RunCount), "").Part("longest_pages", float64(longestRun(p)), "")
	add("Ranges of touched pages with consecutive numbers", runs, none, none, none)
	return t
}

// longestRun is how many pages the longest range has.
func longestRun(p *stream.Profile) int64 {
	if len(p.Runs) == 0 {
		return 0
	}
	return p.Runs[0]
}

func countOr(n int64) report.Cell {
	if n == 0 {
		return report.Textf("–")
	}
	return report.CountCell(n)
}

// linesTable says how much of pages is touched.
func linesTable(p *stream.Profile) report.Table {
	t := report.Table{Key: "lines", Title: "Pages by how many of their lines are touched, and written", Head: []string{"Lines", "Touched: pages", "Share", "Written: pages", "Share"}}
	a, touched, _ := inRanges(&p.Lines)
	b, written, _ := inRanges(&p.Written)
	for i := range lineRanges {
		t.Rows = append(t.Rows, report.Row{Head: rangeName(i), Cells: []report.Cell{report.CountCell(a[i]), shareCell(a[i], touched), report.CountCell(b[i]), shareCell(b[i], written)}})
	}
	return t
}

// reuseTable says how soon pages are asked for again.
func reuseTable(p *stream.Profile) report.Table {
	t := report.Table{Key: "reuse", Title: "Requests by how many other pages came since the last to the same page", Head: []string{"Other pages", "Requests", "Share", "Cumulated"}}
	var sum int64
	row := func(head string, n int64) {
		sum += n
		t.Rows = append(t.Rows, report.Row{Head: head, Cells: []report.Cell{report.CountCell(n), shareCell(n, p.Requests), shareCell(sum, p.Requests)}})
	}
	last := 0
	for i, n := range p.Reuse {
		if n > 0 {
			last = i
		}
	}
	var between int64
	first := 0
	for i := 0; i <= last; i++ {
		between += p.Reuse[i]
		if i > 0 && i%3 != 0 && i != last { // three powers of two a row
			continue
		}
		switch {
		case i == 0:
			row("none", between)
		case i == 1 && first == 1:
			row("1", between)
		default:
			row(prose.Grouped(1<<(first-1))+" to "+prose.Grouped(1<<i-1), between)
		}
		between, first = 0, i+1
	}
	row("the first to its page", p.First)
	return t
}

// hotTable says how uneven requests are among pages.
func hotTable(p *stream.Profile) report.Table {
	t := report.Table{Key: "hot", Title: "Share of the requests that the most asked pages have", Head: []string{"Pages", "Size", "Of all pages", "Of the requests"}}
	for i, x := range p.Hot {
		if i%3 != 0 && i != len(p.Hot)-1 {
			continue
		}
		n := min(int64(1)<<i, p.Touched)
		if i == len(p.Hot)-1 {
			n = p.Touched
		}
		t.Rows = append(t.Rows, report.Row{Head: prose.Grouped(n), Cells: []report.Cell{report.Textf("%v", unit.Bytes(n)*unit.Page), shareCell(n, p.Touched), shareCell(x, 1_000_000)}})
	}
	return t
}

// sharesTable says how uneven they are among threads.
func sharesTable(p *stream.Profile) report.Table {
	var top int64
	for _, n := range p.ByThread {
		top = max(top, n)
	}
	t := report.Table{Key: "threads",
		Title: fmt.Sprintf("Requests by thread; the largest has %s times the mean", prose.Fixed(part(top*int64(len(p.ByThread)), p.Requests), 2)),
		Head:  []string{"Thread", "Requests", "Share"},
	}
	for i, n := range p.ByThread {
		t.Rows = append(t.Rows, report.Row{Head: strconv.Itoa(i + 1), Cells: []report.Cell{report.CountCell(n), shareCell(n, p.Requests)}})
	}
	return t
}
