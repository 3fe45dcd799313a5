package filesys

import (
	"fmt"
	"strconv"
	"strings"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/crash"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// Keys of the section and of its knobs.
const (
	crashKey   = "crash"
	crashCalls = "crash_calls"
	crashFault = "crash_fault"
)

// soonFull is the DRAM of an SSD whose cleaning makes a mistake, at scale: 3 000 calls of
// most workloads fill it several times.
const soonFull = 128 * unit.KiB

// mostLost is how many files the tables of a crash list.
const mostLost = 40

// crashSection is the power failure. When it comes is a number of the section: there is no
// way to it from a moment of the curves or of the log's map, which are of the whole run,
// while only its beginning is recorded.
func crashSection() lab.Section {
	return lab.Section{
		Key: crashKey, Title: "Power fails", Run: true, Folded: true,
		About: "Cut the power at any moment: what is left after recovery, and does each file system keep what fsync promised?",
		Knobs: []knob.Info{
			{Key: crashKey, Label: "Power fails at", Unit: "%", Help: "When the power fails, as a share of the time that the recorded calls take.", Kind: knob.Number, Scale: 100, Min: 0, Max: 100 * 100, Default: "60"},
			{Key: crashCalls, Label: "Calls recorded", Help: "How many calls are recorded, from the first one on.", Kind: knob.Number, Scale: 1, Min: 10, Max: 20_000, Default: "3000"},
			{
				Key: crashFault, Label: "Firmware bug", Help: "A bug of an SSD with a log. Each breaks one rule, to show what the rule is for.", Kind: knob.One, Default: string(crash.Correct),
				Choices: []knob.Choice{
					{Key: string(crash.Correct), Label: "none"},
					{Key: string(crash.MergesOpen), Label: "cleaning merges lines that have not committed"},
					{Key: string(crash.IgnoresTx), Label: "recovery ignores the TxLog"},
					{Key: string(crash.KeepsLines), Label: "a block write leaves older lines in the log"},
					{Key: string(crash.InIDOrder), Label: "recovery goes by transaction numbers"},
					{Key: string(crash.MapsTooSoon), Label: "a page is entered before it is programmed"},
				},
			},
		},
	}
}

// A cutOff is a system after a power failure.
type cutOff struct {
	system *core.System
	run    *crash.Run
	report *crash.Report
}

// crash cuts the power of all systems at the same time.
func (v *view) crash() (*report.Section, error) {
	percent, _ := strconv.ParseFloat(v.look.Text(crashKey), 64)
	calls, _ := strconv.ParseInt(v.look.Text(crashCalls), 10, 64)
	mistake := crash.Mistake(v.look.Text(crashFault))
	setup := *v.s
	if mistake == crash.MapsTooSoon || mistake == crash.MergesOpen {
		setup.Device.DRAM = min(setup.Device.DRAM, soonFull*unit.Bytes(setup.Scale))
	}
	// The one in focus says when; of the others timers go on until then.
	w, err := v.unprepared()
	if err != nil {
		return nil, err
	}
	first, err := crash.Record(w, &setup, v.system.Name, calls, 0)
	if err != nil {
		return nil, err
	}
	length := first.Time()
	if setup.Device.DRAM != v.s.Device.DRAM { // a moment stays when a mistake is switched on
		if length, err = v.length(w, calls); err != nil {
			return nil, err
		}
	}
	at := unit.Time(unit.MulDiv(int64(length), int64(float64(percent*100)+0.5), 100*100))
	list := v.compared()
	cut := make([]cutOff, len(list))
	var f *cutOff
	for i, x := range list {
		r := first
		if x == v.system {
			f = &cut[i]
		} else if r, err = crash.Record(w, &setup, x.Name, calls, at); err != nil {
			return nil, err
		}
		cut[i] = cutOff{system: x, run: r}
		if cut[i].report, err = crash.Crash(r, r.Before(at), &setup, mistake); err != nil {
			return nil, err
		}
		if v.p != nil {
			v.p(i+1, len(list))
		}
	}
	out := &report.Section{
		Text:   []string{v.afterCrash(f, at), canLose(f.system, v.s)},
		Tables: []report.Table{crashes(cut)},
		Notes: []string{
			fmt.Sprintf("%s run from cold caches. Every system loses power %v after the start; one that has answered them all by then has been idle since, apart from its timers.", v.w.upTo(calls), at),
			"An answered call is no promise: only an fsync or a synchronous write promises that what was written before it lasts. A promise is broken if those data are older or gone after recovery.",
			"Recovery is the time that the SSD takes: for ByteFS the published 0.9 s to load and 2.7 s to scan 256 MB, at this scale and fill; for Ext4 and F2FS reading journal and nodes; for NOVA and PMFS it is not modelled.",
		},
	}
	switch {
	case mistake != crash.Correct:
		out.Text = append(out.Text, mistaken(f, mistake))
		if setup.Device.DRAM < v.s.Device.DRAM {
			out.Notes = append(out.Notes, fmt.Sprintf("This is a bug in cleaning, so here the SSD has %v of DRAM instead of %v: the recorded calls then fill the log and have it cleaned.", setup.Device.DRAM/unit.Bytes(setup.Scale), v.s.Device.DRAM/unit.Bytes(setup.Scale)))
		}
	case f.report.Wrong > 0:
		out.Text = append(out.Text, fmt.Sprintf("With the switches under Fidelity, %s not as committed transactions and blocks left them: %s.", are(f.report.Wrong, "line"), f.report.First))
	}
	if err := v.scrub(out, f, &setup, length, mistake); err != nil {
		return nil, err
	}
	if t := fates(f); len(t.Rows) > 0 {
		out.Tables = append(out.Tables, t)
	}
	if t := lost(f); len(t.Rows) > 0 {
		out.Tables = append(out.Tables, t)
	}
	if n := len(f.report.Nodes); n > mostLost {
		out.Notes = append(out.Notes, fmt.Sprintf("The last table shows %d of %s files and directories.", mostLost, prose.Grouped(int64(n))))
	}
	return out, nil
}

// length is how long the recorded calls take without a mistake.
func (v *view) length(w *call.Workload, calls int64) (unit.Time, error) {
	r, err := crash.Record(w, v.s, v.system.Name, calls, 0)
	if err != nil {
		return 0, err
	}
	return r.Time(), nil
}

// scrub adds a map of what a failure does to the system in focus at every percent of the time,
// and says which is the worst.
func (v *view) scrub(out *report.Section, c *cutOff, s *machine.Setup, length unit.Time, mistake crash.Mistake) error {
	const moments = 101
	at := make([]int, moments)
	for i := range at {
		at[i] = c.run.Before(unit.Time(unit.MulDiv(int64(length), int64(i), moments-1)))
	}
	list, err := crash.Scan(c.run, at, s, mistake)
	if err != nil {
		return err
	}
	m := report.Map{
		ID: "crash", Title: "When the power fails", Help: "What a failure does to the system in focus at every percent of the time; pick one to let it fail there.",
		Grids: []string{""}, X: "% of the time", Y: "System", Columns: moments, Rows: []string{c.system.Title},
		Classes: []string{"as it should be", "lines of the SSD are wrong", "promises are broken"},
		Pick:    report.Pick{Section: crashKey, Key: crashKey, First: []int64{0}},
	}
	worst, harm := -1, [2]int64{}
	for i, r := range list {
		class := byte(0)
		switch {
		case r.Broken > 0:
			class = 2
		case r.Wrong > 0:
			class = 1
		}
		m.Cells = append(m.Cells, class)
		if x := [2]int64{r.Broken, r.Wrong}; x[0] > harm[0] || x[0] == harm[0] && x[1] > harm[1] {
			worst, harm = i, x
		}
	}
	out.Maps = []report.Map{m}
	if worst >= 0 {
		out.Text = append(out.Text, fmt.Sprintf("The worst moment is at %d %%: %s wrong then, and %s broken.", worst, are(harm[1], "line"), are(harm[0], "promise")))
	}
	return nil
}

// fated counts the calls with a fate.
func fated(r *crash.Report, fate crash.Fate) (n int64) {
	for code := range r.Fates {
		n += r.Fates[code][fate]
	}
	return n
}

// afterCrash says what became of the system in focus.
func (v *view) afterCrash(c *cutOff, at unit.Time) string {
	r := c.report
	said := c.system.Title + " has promised nothing yet."
	switch {
	case r.Broken > 0:
		said = fmt.Sprintf("%s breaks its promise: of %s that should be durable, %s not.", c.system.Title, prose.Count(r.Promises, "file"), are(r.Broken, "file"))
	case r.Promises == 1:
		said = c.system.Title + " keeps its promise: the one file that should be durable is as promised."
	case r.Promises > 0:
		said = fmt.Sprintf("%s keeps its promise: all %s that should be durable are as promised.", c.system.Title, prose.Count(r.Promises, "file"))
	}
	said += fmt.Sprintf(" It loses power after %v, before step %s of %s that are recorded, when %s answered.", at, prose.Grouped(int64(r.Event+1)), prose.Grouped(int64(len(c.run.Events))), are(r.Answered, "call"))
	said += fmt.Sprintf(" %s lost and %s brought back by recovery; %s from what programs saw.",
		are(fated(r, crash.Discarded)+fated(r, crash.Torn), "change"), are(fated(r, crash.Replayed), "change"), differ(int64(len(r.Nodes))))
	if logs(c.system) {
		said += fmt.Sprintf(" Recovery scans %s of the log, applies %s and drops %s from %s.", prose.Count(r.Lines, "line"), prose.Grouped(r.Applied), prose.Grouped(r.Thrown), prose.Count(r.Open, "open transaction"))
	}
	return said
}

// are is a count with its verb.
func are(n int64, word string) string {
	if n == 1 {
		return "1 " + word + " is"
	}
	return prose.Count(n, word) + " are"
}

// differ is a count of files with its verb.
func differ(n int64) string {
	if n == 1 {
		return "1 file differs"
	}
	return prose.Count(n, "file") + " differ"
}

// canLose says what a file system may lose.
func canLose(x *core.System, s *machine.Setup) string {
	return strings.ReplaceAll(x.Loses, "{commit}", fmt.Sprint(s.Host.Commit/unit.Time(s.Scale)))
}

// mistaken says what a mistake of the firmware does.
func mistaken(c *cutOff, mistake crash.Mistake) string {
	switch r := c.report; {
	case !logs(c.system):
		return "This bug is one of an SSD with a log, and " + c.system.Title + " has none."
	case r.Wrong == 0 && mistake == crash.InIDOrder:
		return "This bug never harms ByteFS: it draws a transaction's number once it has all its locks, so numbers and log have the same order."
	case r.Wrong == 0 && mistake == crash.MergesOpen:
		return "This bug does no harm at this moment, and hardly ever does to ByteFS: its transactions are open for a few microseconds, and their pages are hardly ever cleaned just then."
	case r.Wrong == 0 && mistake == crash.KeepsLines:
		return "This bug does no harm at this moment: no page in use was written by bytes and then as a block while the log still had the bytes. Oltp at scale 256 with payload=share has such pages."
	case r.Wrong == 0:
		return "This bug does no harm at this moment: every line is as committed transactions and blocks left it. Try another moment."
	default:
		return fmt.Sprintf("With this bug %s not as committed transactions and blocks left them: %s.", are(r.Wrong, "line"), r.First)
	}
}

// crashes compares the systems.
func crashes(cut []cutOff) report.Table {
	t := report.Table{Key: "systems", Title: "After the power failed", Head: []string{"System", "Calls answered", "Files promised", "Broken", "Changes kept", "Replayed", "Gone", "Torn", "Open transactions", "Files that differ", "Recovery"}}
	for i := range cut {
		c, r := &cut[i], cut[i].report
		recovery := report.Textf("%v", r.Recovery)
		switch {
		case c.system.Memory == device.PageBuffer:
			recovery = report.DashCell()
		case r.Recovery == 0:
			recovery = report.Textf("nothing to do")
		}
		row := report.Row{Head: c.system.Title, Cells: []report.Cell{
			report.CountCell(r.Answered), report.CountCell(r.Promises),
			report.Cell{Text: prose.Grouped(r.Broken), Best: r.Broken > 0}.Exactly(int64(r.Broken)),
			report.CountCell(fated(r, crash.Kept)), report.CountCell(fated(r, crash.Replayed)), report.CountCell(fated(r, crash.Discarded)), report.CountCell(fated(r, crash.Torn)),
			report.CountCell(r.Open), report.CountCell(int64(len(r.Nodes))), recovery,
		}}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// fates lists what became of changes, by call.
func fates(c *cutOff) report.Table {
	t := report.Table{Key: "calls", Title: c.system.Title + ": what became of changes", Head: []string{"Call", "Kept", "Replayed", "Gone", "Torn"}}
	for code := range call.Codes {
		row, all := report.Row{Head: codeNames[code]}, int64(0)
		for fate := range crash.Fates {
			n := c.report.Fates[code][fate]
			all += n
			row.Cells = append(row.Cells, report.CountCell(n))
		}
		if all > 0 {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// lost is the tree before and after.
func lost(c *cutOff) report.Table {
	t := report.Table{Key: "files", Title: c.system.Title + ": files and directories before and after", Head: []string{"", "Before", "After", "Pages written", "Older or gone", "Promised", ""}}
	for _, l := range c.report.Nodes[:min(len(c.report.Nodes), mostLost)] {
		name := "File "
		if l.Dir {
			name = "Directory "
		}
		var says []string
		switch {
		case l.Broken:
			says = append(says, "promise broken")
		case l.Before && !l.After:
			says = append(says, "gone")
		case !l.Before && l.After:
			says = append(says, "is back")
		}
		if l.Moved {
			says = append(says, "in its old directory")
		}
		switch {
		case !l.Before || !l.After:
		case l.Size > 0 && l.Recovered == 0:
			says = append(says, "empty")
		case l.Missing > 0:
			says = append(says, "older data")
		}
		if len(says) == 0 {
			says = []string{"other size"}
		}
		t.Rows = append(t.Rows, report.Row{Head: name + strconv.Itoa(int(l.Node)), Cells: []report.Cell{
			exists(l.Before, l.Size), exists(l.After, l.Recovered),
			report.CountCell(l.Pages), report.CountCell(l.Missing), report.CountCell(l.Promised), report.Textf("%s", strings.Join(says, ", ")),
		}})
	}
	return t
}

// exists is a file's size, if it is there.
func exists(is bool, size int64) report.Cell {
	if !is {
		return report.DashCell()
	}
	return report.Textf("%v", unit.Bytes(size))
}

// unprepared is the workload without what comes before it, so that what is recorded for a power
// failure begins with the workload's own calls.
func (v *view) unprepared() (*call.Workload, error) {
	if v.w.recorded || !v.s.Prepared && v.s.WarmTime == 0 {
		return v.w.Workload, nil
	}
	m := *v.s
	m.Prepared, m.WarmTime = false, 0
	return v.said.generated(&m)
}
