package filesys

import (
	"fmt"
	"strconv"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/device"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// log shows the log over time, and what cleaning did.
func (v *view) log() (*report.Section, error) {
	r, err := core.Run(v.w.Workload, v.s, v.system.Name, nil, nil)
	if err != nil {
		return nil, err
	}
	if !logs(v.system) {
		return &report.Section{Text: []string{v.without(r)}}, nil
	}
	out := &report.Section{Text: []string{v.logged(r)}}
	out.Tables = append(out.Tables, v.written(r))
	if merged(r) > 0 {
		out.Tables = append(out.Tables, mergedLines(r))
	}
	out.Notes = []string{
		"A line takes 68 bytes of its half, its transaction included, until that half is emptied, even if it has been replaced or made void since.",
		"Cleaning reads a page only if the page has content and the log lacks some of its lines.",
	}
	return out, nil
}

// without is about a system that has no log.
func (v *view) without(r *core.Result) string {
	said := v.system.Title + " has no log on the SSD"
	if v.system.Memory == device.PageBuffer {
		n := r.Device.BufferHits + r.Device.BufferMisses
		return said + fmt.Sprintf(": its DRAM is a buffer of pages, which serves %s of %s accesses; a miss reads a page of flash and may program another. Choose ByteFS to see a log.", prose.Percent(part(r.Device.BufferHits, n)), prose.Grouped(n))
	}
	return said + ": it uses block commands alone. Choose ByteFS to see a log."
}

// merged is how many pages cleaning programmed.
func merged(r *core.Result) (n int64) {
	for _, x := range r.Device.Merged {
		n += x
	}
	return n
}

// logged says what the log took and gave.
func (v *view) logged(r *core.Result) string {
	d := &r.Device
	said := fmt.Sprintf("%s stores %s in a log of %v: %s of them replace a line that is still there, %s are made void by a block write or because their page is freed.",
		v.system.Title, prose.Count(d.Appended, "line"), unit.Bytes(logSize(v.s, v.system.Name)), prose.Percent(part(d.Replaced, d.Appended)), prose.Percent(part(d.Voided, d.Appended)))
	pages := merged(r)
	if pages == 0 {
		return said + " It never fills far enough to be cleaned."
	}
	var lines int64
	for n, of := range d.Merged {
		lines += int64(n) * of
	}
	said += fmt.Sprintf(" Its halves swap %s, and cleaning programs %s, each with %s lines on average.", often(d.Swaps), prose.Count(d.FlashPrograms[device.ByCleaning], "page"), prose.Fixed(part(lines, pages), 1))
	if d.Full > 0 {
		said += fmt.Sprintf(" %s had to wait for room.", prose.Count(d.Full, "store"))
	}
	return said
}

// often is a count of times.
func often(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return prose.Grouped(n) + " times"
}

// written lists what the log did.
func (v *view) written(r *core.Result) report.Table {
	t := report.Table{Key: "log", Title: "What the log did", Head: []string{"", "In the run", "A call"}}
	d := &r.Device
	row := func(head string, n int64) {
		t.Rows = append(t.Rows, report.Row{Head: head, Cells: []report.Cell{report.CountCell(n), report.Textf("%s", prose.ThreeDigits(perCall(n, r))).With(perCall(n, r), "")}})
	}
	row("Lines stored", d.Appended)
	row("Lines that replace one still in the log", d.Replaced)
	row("Lines made void by a block, or because their page is freed", d.Voided)
	row("Reads that the log serves alone", d.LogHits)
	row("Reads that it serves in part, flash the rest", d.LogPartial)
	row("COMMIT", d.Commits)
	row("Pages programmed by cleaning", d.FlashPrograms[device.ByCleaning])
	row("Pages read by cleaning, for lines that the log lacks", d.FlashReads[device.ByCleaning])
	row("Lines of open transactions that cleaning carries to the other half", d.Carried)
	row("Stores that waited for room", d.Full)
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

// mergedLines is how many lines of a page cleaning takes at once.
func mergedLines(r *core.Result) report.Table {
	sums := make([]int64, len(lineRanges))
	at, all, lines := 0, merged(r), int64(0)
	for n := 1; n < len(r.Device.Merged); n++ {
		if n > lineRanges[at] {
			at++
		}
		sums[at] += r.Device.Merged[n]
		lines += int64(n) * r.Device.Merged[n]
	}
	t := report.Table{Key: "merged", Title: fmt.Sprintf("Lines merged into a page that cleaning has programmed: %s on average", prose.Fixed(part(lines, all), 1)), Head: []string{"Lines", "Pages", "Share", "So many or fewer"}}
	var sum int64
	for i, n := range sums {
		sum += n
		t.Rows = append(t.Rows, report.Row{Head: rangeName(i), Cells: []report.Cell{report.CountCell(n), shareCell(n, all), shareCell(sum, all)}})
	}
	return t
}
