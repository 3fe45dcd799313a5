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

// timeColumns is how many columns a map over time has, levels how many rows the log.
const (
	timeColumns = 100
	levels      = 10
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
	if len(r.Samples) > 0 {
		out.Maps = []report.Map{v.ring(r), overTime(r)}
	}
	out.Tables = append(out.Tables, v.written(r))
	if merged(r) > 0 {
		out.Tables = append(out.Tables, mergedLines(r))
	}
	out.Notes = []string{
		"Every line takes 68 bytes of the half that it was appended to, its transaction included, until that half is empty: also one that was replaced or made void since.",
		"Cleaning reads a page only if the page has content and the log does not have all of its lines.",
	}
	return out, nil
}

// without is about a system that has no log.
func (v *view) without(r *core.Result) string {
	said := v.system.Title + " has no log on the SSD"
	if v.system.Memory == device.PageBuffer {
		n := r.Device.BufferHits + r.Device.BufferMisses
		return said + fmt.Sprintf(": the DRAM is a buffer of pages, which has %s of all accesses, of which there are %s; a miss reads a page of flash and may program another. Choose ByteFS to see a log.", prose.Percent(part(r.Device.BufferHits, n)), prose.Grouped(n))
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
	said := fmt.Sprintf("%s stores %s in a log of %v: %s of them replace a line that is still there, %s are made void by a block or because their page is freed.",
		v.system.Title, prose.Count(d.Appended, "line"), unit.Bytes(logSize(v.s, v.system.Name)), prose.Percent(part(d.Replaced, d.Appended)), prose.Percent(part(d.Voided, d.Appended)))
	pages := merged(r)
	if pages == 0 {
		return said + " It does not fill far enough to be cleaned in the run."
	}
	var lines int64
	for n, of := range d.Merged {
		lines += int64(n) * of
	}
	said += fmt.Sprintf(" Its halves take turns %s, and cleaning programs %s, with %s lines at once in the mean.", often(d.Swaps), prose.Count(d.FlashPrograms[device.ByCleaning], "page"), prose.Fixed(part(lines, pages), 1))
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
	t := report.Table{Title: "What the log did", Head: []string{"", "In the run", "A call"}}
	d := &r.Device
	row := func(head string, n int64) {
		t.Rows = append(t.Rows, report.Row{Head: head, Cells: []report.Cell{report.Textf("%s", prose.Grouped(n)), report.Textf("%s", prose.ThreeDigits(perCall(n, r)))}})
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
	t := report.Table{Title: fmt.Sprintf("Lines merged into a page that cleaning has programmed: %s in the mean", prose.Fixed(part(lines, all), 1)), Head: []string{"Lines", "Pages", "Share", "So many or fewer"}}
	var sum int64
	for i, n := range sums {
		sum += n
		t.Rows = append(t.Rows, report.Row{Head: rangeName(i), Cells: []report.Cell{report.Textf("%s", prose.Grouped(n)), shareCell(n, all), shareCell(sum, all)}})
	}
	return t
}

// columnOf is the column of a time.
func columnOf(r *core.Result, at unit.Time) int {
	return int(min(unit.MulDiv(int64(at), timeColumns, int64(max(1, r.Time))), timeColumns-1))
}

// ring draws how full the log is, and when it is cleaned.
func (v *view) ring(r *core.Result) report.Map {
	m := report.Map{
		ID: "ring", Title: "How full the log is", X: fmt.Sprintf("time, in parts of %v", max(1, r.Time/timeColumns)), Y: "tenths of the log", Grids: []string{""},
		Help:    "Each column is a part of the run, filled from below as the log is. While a half of it is cleaned the column is darker.",
		Columns: timeColumns, From: 1, Classes: []string{"free", "in use", "in use, and a half is being cleaned"},
	}
	size := max(1, logSize(v.s, v.system.Name))
	fill, cleans := make([]int64, timeColumns), make([]bool, timeColumns)
	done, last := -1, core.Sample{}
	for _, s := range r.Samples {
		at := columnOf(r, s.At)
		for ; done < at; done++ { // parts without a sample are as the last one before
			fill[done+1], cleans[done+1] = last.Log, last.Cleaning
		}
		fill[at] = max(fill[at], s.Log)
		cleans[at] = cleans[at] || s.Cleaning
		last = s
	}
	for ; done < timeColumns-1; done++ {
		fill[done+1], cleans[done+1] = last.Log, last.Cleaning
	}
	for level := levels - 1; level >= 0; level-- {
		m.Rows = append(m.Rows, fmt.Sprintf("to %d %%", (level+1)*100/levels))
		for c, n := range fill {
			class := byte(0)
			if n > 0 && (n*levels+size-1)/size > int64(level) {
				class = 1
				if cleans[c] {
					class = 2
				}
			}
			m.Cells = append(m.Cells, class)
		}
	}
	return m
}

// overTime draws what host and flash do over the run.
func overTime(r *core.Result) report.Map {
	m := report.Map{
		ID: "time", Title: "Host and flash over time", X: fmt.Sprintf("time, in parts of %v", max(1, r.Time/timeColumns)), Grids: []string{""},
		Help:    "Each row is a share of its own most: of calls answered, dirty pages, reads and programs of flash in one part of the run.",
		Columns: timeColumns, From: 1, Classes: []string{"none", "to 25 %", "to 50 %", "to 75 %", "to 100 %"},
		Rows: []string{"Calls answered", "Dirty pages", "Flash reads", "Flash programs"},
	}
	rows := make([][]int64, len(m.Rows))
	for i := range rows {
		rows[i] = make([]int64, timeColumns)
	}
	var before core.Sample
	for _, s := range r.Samples {
		at := columnOf(r, s.At)
		rows[0][at] += s.Calls - before.Calls
		rows[1][at] = max(rows[1][at], s.Dirty)
		rows[2][at] += s.Reads - before.Reads
		rows[3][at] += s.Programs - before.Programs
		before = s
	}
	for _, row := range rows {
		var top int64
		for _, n := range row {
			top = max(top, n)
		}
		for _, n := range row {
			m.Cells = append(m.Cells, quarter(n, top))
		}
	}
	return m
}

// quarter is the class of a share: none, to a quarter, a half, three quarters, all.
func quarter(x, of int64) byte {
	if x <= 0 || of <= 0 {
		return 0
	}
	return byte(min(4, 1+(4*x-1)/of))
}
