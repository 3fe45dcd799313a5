package cxlssd

import (
	"fmt"
	"strconv"

	core "spillway/sim/cxlssd"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// Knobs of a picture that Timeline is now.
const (
	threadsShow = "threads_show"
	threadsZoom = "threads_zoom"
	threadsFrom = "threads_from"

	showCause    = "cause"
	showWaits    = "waits"
	showSwitches = "switches"

	mostZoom = 100_000
)

// oldKnobs are in links of releases whose section drew threads on cores.
func oldKnobs() []knob.Info {
	return []knob.Info{
		{
			Key: threadsShow, Label: "Cells", Help: "What a cell says of its part of the time.", Kind: knob.One, Default: showCause,
			Choices: []knob.Choice{{Key: showCause, Label: "what it mostly does"}, {Key: showWaits, Label: "share that waits for memory"}, {Key: showSwitches, Label: "share that switches"}},
		},
		{
			Key: threadsZoom, Label: "Magnified", Help: "How much of the run is shown; pick a cell to look closer at it.", Kind: knob.One, Default: "1",
			Choices: []knob.Choice{{Key: "1", Label: "the whole run"}, {Key: "10", Label: "10×"}, {Key: "100", Label: "100×"}, {Key: "1000", Label: "1000×"}, {Key: "10000", Label: "10 000×"}, {Key: "100000", Label: "100 000×"}},
		},
		{Key: threadsFrom, Label: "From part", Help: "Where it begins, in parts of which the whole run has 12 for each step of the magnification.", Kind: knob.Number, Scale: 1, Max: 12 * mostZoom, Default: "0"},
	}
}

// mostThreads is how many are shown.
const mostThreads = 96

// A threadSum is what a thread did in all.
type threadSum struct {
	spent    [core.Causes]unit.Time
	cores    uint64 // a bit of each that it ran on
	switches int64
	again    int64 // of them on the page that it waited for at its last
	page     uint32
}

// threads lists what cores and threads did.
func (v *view) threads() (*report.Section, error) {
	r, err := v.run(nil)
	if err != nil {
		return nil, err
	}
	sums := make([]threadSum, r.Threads)
	watch := core.Watch{
		Span: func(on, thread int, what core.Cause, from, to unit.Time) {
			if thread < 0 || thread >= len(sums) || what == core.Idle {
				return
			}
			sums[thread].spent[what] += to - from
			sums[thread].cores |= 1 << (on & 63)
		},
		Switch: func(_, from, _ int, page uint32, _, _ unit.Time) {
			x := &sums[from]
			if x.switches++; x.switches > 1 && x.page == page {
				x.again++
			}
			x.page = page
		},
	}
	if r, err = v.run(&watch); err != nil {
		return nil, err
	}
	counts, err := v.requests(r.Threads)
	if err != nil {
		return nil, err
	}
	out := &report.Section{
		Text:   []string{v.busy(r)},
		Tables: []report.Table{coresTable(r), threadsTable(sums[:min(len(sums), mostThreads)], counts)},
	}
	if len(sums) > mostThreads {
		out.Notes = []string{fmt.Sprintf("The first %d of %d threads.", mostThreads, len(sums))}
	}
	return out, nil
}

// requests is how many requests each thread has.
func (v *view) requests(threads int) ([]int64, error) {
	s, err := v.stream(threads)
	if err != nil {
		return nil, err
	}
	list := make([]int64, len(s.Threads))
	for i := range s.Threads {
		list[i] = int64(len(s.Threads[i]))
	}
	return list, nil
}

// busy says what cores do with their time.
func (v *view) busy(r *core.Result) string {
	var all unit.Time
	for _, t := range r.Ledger {
		all += t
	}
	share := func(t unit.Time) string { return prose.Percent(part(int64(t), int64(all))) }
	of := func(causes ...core.Cause) string {
		var sum unit.Time
		for _, c := range causes {
			sum += r.Ledger[c]
		}
		return share(sum)
	}
	said := fmt.Sprintf("%s, %d threads on %d cores: the cores spend %s of their time computing, %s on what requests cost on the chip, %s waiting for memory and the log, and %s switching threads",
		v.system.Title, r.Threads, r.Cores, share(r.Ledger[core.Computes]-r.OnChip), share(r.OnChip), of(core.WaitsDRAM, core.WaitsSSD, core.WaitsLog), of(core.Switches, core.Stopped))
	if r.Ledger[core.Idle] > 0 {
		said += fmt.Sprintf("; for %s they have nothing left to do, as work is spread unevenly", of(core.Idle))
	}
	said += ". "
	if r.Switches == 0 {
		return said + "No thread is switched."
	}
	return said + fmt.Sprintf("%s switches, %s of them on a read that had switched before and was still not there.", prose.Grouped(r.Switches), prose.Percent(part(r.Repeated, r.Switches)))
}

// coresTable lists what cores did.
func coresTable(r *core.Result) report.Table {
	sum := coreTime(r)
	t := report.Table{Key: "cores",
		Title: fmt.Sprintf("Cores; the slowest takes %s times as long as the mean", prose.Fixed(part(int64(r.Time)*int64(r.Cores), int64(sum)), 2)),
		Head:  []string{"Core", "Until its threads are done", "Of the run"},
	}
	for i, x := range r.CoreTimes {
		t.Rows = append(t.Rows, report.Row{Head: strconv.Itoa(i + 1), Cells: []report.Cell{report.Textf("%v", x), shareCell(int64(x), int64(r.Time))}})
	}
	return t
}

// threadsTable lists what threads did.
func threadsTable(sums []threadSum, counts []int64) report.Table {
	t := report.Table{Key: "threads", Title: "Threads", Head: []string{"Thread", "Requests", "Share of them", "On cores", "Computes, and requests on the chip", "Waits for memory", "Switches", "of them again on the same page", "Cores it ran on"}}
	var all int64
	for _, n := range counts {
		all += n
	}
	for i := range sums {
		x := &sums[i]
		var on unit.Time
		for _, t := range x.spent {
			on += t
		}
		ran := 0
		for bits := x.cores; bits != 0; bits &= bits - 1 {
			ran++
		}
		waits := x.spent[core.WaitsDRAM] + x.spent[core.WaitsSSD] + x.spent[core.WaitsLog]
		t.Rows = append(t.Rows, report.Row{Head: strconv.Itoa(i + 1), Cells: []report.Cell{
			report.CountCell(counts[i]), shareCell(counts[i], all), report.Textf("%v", on),
			shareCell(int64(x.spent[core.Computes]), int64(on)), shareCell(int64(waits), int64(on)),
			report.CountCell(x.switches), report.CountCell(x.again), report.Textf("%d", ran),
		}})
	}
	return t
}
