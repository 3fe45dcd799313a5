package filesys

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/crash"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/promise"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// Keys of the section and of its knobs.
const (
	safeKey   = "safe"
	safeWay   = "safe_way"
	safeCache = "safe_cache"
	safeTear  = "safe_tear"
	safeFault = "safe_fault"
	safeCall  = "safe_call"
)

const (
	asShown     = "shown"  // the way of the workload that is shown
	asOpened    = "opened" // the same of a recording, else the first way
	sectors     = "512"
	mostSteps   = 80     // of a history, in a table
	mostColumns = 120    // of the map; where there are more calls, several share one
	safeCalls   = 20_000 // of a recording that is shown
	safeMade    = 2000   // of a workload that is generated
	none        = "none"
)

// promises has them as people read them.
var promises = [promise.Kinds]struct{ head, says string }{
	promise.Lost:     {"Synced and lost", "what a sync had made durable is older or gone"},
	promise.Nameless: {"Name lost", "a file is gone whose name another was to take, and the other has not got it"},
	promise.Mixed:    {"Renamed, not whole", "a file has taken the name of another without what had been written to it"},
	promise.Half:     {"Half overwritten", "a file is partly old and partly new, or empty, and nothing is there to mend it"},
	promise.Foreign:  {"Never written", "a file shows what nobody wrote to it"},
	promise.Damaged:  {"Damaged", "the replay of a commit without its blocks ruins files that were there"},
}

// faults are the mistakes that file systems can make.
var faults = []knob.Choice{
	{Key: none, Label: "none"},
	{Key: string(machine.NoBarrier), Label: "no barriers", Help: "No file system flushes the write buffer."},
	{Key: string(machine.CommitFirst), Label: "commit before data", Help: "Ext4 and ByteFS commit sizes and places before they write the data."},
	{Key: string(machine.RenameInTwo), Label: "rename in two transactions", Help: "Ext4 and ByteFS remove the old file in a transaction of its own."},
	{Key: string(machine.NodeFirst), Label: "node before data", Help: "F2FS writes the node of an fsync before the data."},
}

func safeSection() lab.Section {
	way := knob.Info{Key: safeWay, Label: "Way of saving", Help: "What the program calls.", Kind: knob.One, Default: asOpened}
	way.Choices = []knob.Choice{{Key: asOpened, Label: "the opened recording, else an editor", Help: "What the recording that is opened calls; where none is, a safe save as editors have it."}}
	for _, w := range promise.Ways() {
		way.Choices = append(way.Choices, knob.Choice{Key: w.Key, Label: w.Title, Help: w.About})
	}
	way.Choices = append(way.Choices, knob.Choice{Key: asShown, Label: "the workload that is shown", Help: "The first calls of the workload, or of the recording that is opened."})
	return lab.Section{
		Key: safeKey, Title: "Is my program's way of saving safe?", Run: true, Folded: true,
		About: "The power fails at every moment, the SSD keeps any of the blocks that were not flushed, and what each file system then finds is held against what it had promised.",
		Knobs: []knob.Info{
			way,
			{Key: safeCache, Label: "Write buffer of the SSD", Help: "Whether it outlives the failure.", Kind: knob.One, Default: string(machine.Volatile), Choices: []knob.Choice{
				{Key: string(machine.Volatile), Label: "lost", Help: "As in SSDs without capacitors: what is not flushed may be lost, in any order."},
				{Key: string(machine.Protected), Label: "kept", Help: "As in the paper's SSD."},
			}},
			{Key: safeTear, Label: "Written at once", Help: "What the SSD writes wholly or not at all.", Kind: knob.One, Default: "4096", Choices: []knob.Choice{{Key: "4096", Label: "4096 B"}, {Key: sectors, Label: "512 B"}}},
			{Key: safeFault, Label: "Mistake of the file system", Help: "What it does wrong, to see what the rule is for.", Kind: knob.One, Default: none, Choices: faults},
			{Key: safeCall, Label: "After call", Help: "Which call was the last to begin when the power fails. 0 is the worst moment; any other stays when a mistake is switched on.", Kind: knob.Number, Scale: 1, Min: 0, Max: safeCalls, Default: "0"},
		},
	}
}

// A tried is a system with what was found on it.
type tried struct {
	system *core.System
	trials []promise.Trial
}

// breaks counts broken promises of a kind, over all paces.
func (t *tried) breaks(k promise.Kind) (n int64) {
	for i := range t.trials {
		for _, b := range t.trials[i].Found.Breaks {
			if b.Kind == k {
				n++
			}
		}
	}
	return n
}

// images counts what was looked at, and what breaks a promise.
func (t *tried) images() (all, bad int64) {
	for i := range t.trials {
		all += t.trials[i].Found.Images
		bad += t.trials[i].Found.Bad
	}
	return all, bad
}

// by are images and those with a broken promise by the call that began last, from 1.
func (t *tried) by() (all, bad []int64) {
	for i := range t.trials {
		h := t.trials[i].History
		at, under := 0, 0
		for _, m := range t.trials[i].Found.Moments {
			for ; at < m.Event; at++ {
				if h.Events[at].Moment == plan.Began {
					under = int(h.Events[at].Call)
				}
			}
			for len(all) <= under {
				all, bad = append(all, 0), append(bad, 0)
			}
			all[under] += int64(m.Images)
			bad[under] += int64(m.Bad)
		}
	}
	return all, bad
}

// worst is the trial and the break that shows best what goes wrong: of the kind that comes
// first, with the fewest blocks lost; nil if nothing does.
func (t *tried) worst() (trial *promise.Trial, b *promise.Break) {
	for i := range t.trials {
		list := t.trials[i].Found.Breaks
		for k := range list {
			if b == nil || list[k].Kind < b.Kind || list[k].Kind == b.Kind && len(list[k].Lost) < len(b.Lost) {
				trial, b = &t.trials[i], &list[k]
			}
		}
	}
	return trial, b
}

// safe tries a way of saving on all systems.
func (v *view) safe() (*report.Section, error) {
	m := *v.s
	m.Device.Cache = machine.Cache(v.look.Text(safeCache))
	if f := v.look.Text(safeFault); f != none {
		m.Mistake = machine.Mistake(f)
	}
	search := promise.Default()
	search.Torn = v.look.Text(safeTear) == sectors
	way, w := v.way(), (*call.Workload)(nil)
	if way != nil {
		m = *promise.Machine(&m)
	} else {
		var err error
		if w, err = v.unprepared(); err != nil {
			return nil, err
		}
	}
	systems := v.compared()
	list := make([]tried, len(systems))
	var focus *tried
	for i, x := range systems {
		t := &list[i]
		t.system = x
		var err error
		if way != nil {
			t.trials, err = promise.Try(way.Recording, &m, x.Name, search, promise.Paces(&m)...)
		} else {
			t.trials, err = beginning(w, &m, x, search, v.w.looked())
		}
		if err != nil {
			return nil, err
		}
		if x == v.system {
			focus = t
		}
		if v.p != nil {
			v.p(i+1, len(systems))
		}
	}
	out := &report.Section{Text: []string{focus.says() + others(list, focus)}, Tables: []report.Table{verdicts(list)}, Maps: []report.Map{moments(list)}}
	if way != nil {
		out.Text = append(out.Text, way.Title+": "+way.About)
	}
	if at := slices.IndexFunc(list, func(t tried) bool { _, b := t.worst(); return b != nil }); at >= 0 {
		if _, b := focus.worst(); b == nil {
			focus = &list[at]
		}
	}
	if err := v.shows(out, focus, way, &m, search); err != nil {
		return nil, err
	}
	n, _ := strconv.Atoi(v.look.Text(safeCall))
	if t, ok := during(list, n, out.Maps[0].Step); ok {
		out.Tables = append(out.Tables, t)
	}
	out.Notes = told(way, &m, &search, v.w)
	return out, nil
}

// told are the notes of what was tried.
func told(way *promise.Way, m *machine.Setup, s *promise.Search, w *work) []string {
	var list []string
	if way != nil {
		p := promise.Paces(m)
		list = append(list, fmt.Sprintf("Each list of calls runs three times: as quickly as it can, with %v before every call, so that journals commit between any two, and with %v, so that dirty pages are written and checkpoints made.", p[1], p[2]))
	} else {
		list = append(list, w.upTo(w.looked())+" run from cold caches, and then timers until all is durable.")
	}
	return append(list,
		fmt.Sprintf("All subsets of up to %d unflushed blocks are tried; of more none, all, each alone, all but each, those up to each, and %d random ones. Where there are more than %s images in a run, moments are left out evenly. So a promise that is not found broken may be all the same.", s.Whole, s.Random, prose.Grouped(s.Most)),
		"Half overwritten is judged without knowing the program: a file that is written in place is safe if another was synced just before and is whole, as a journal is. A backup (a file that was renamed, and whose name another got) may be removed once the other is whole.",
		"Ext4 has a journal without checksums and writes data before a rename that replaces a file (auto_da_alloc); F2FS flushes before the node of an fsync; PMFS has no journal here, as in ByteFS' artifact.")
}

// way is the list of calls that is chosen; nil is the workload that is shown.
func (v *view) way() *promise.Way {
	ways := promise.Ways()
	if v.look.Text(safeWay) == asOpened && !v.w.recorded {
		return &ways[0]
	}
	at := slices.IndexFunc(ways, func(w promise.Way) bool { return w.Key == v.look.Text(safeWay) })
	if at < 0 {
		return nil
	}
	return &ways[at]
}

// looked is how many calls of a workload are tried.
func (w *work) looked() int64 {
	if w.recorded {
		return safeCalls
	}
	return safeMade
}

// upTo names the first calls of a workload.
func (w *work) upTo(calls int64) string {
	if w.Calls > calls {
		return "The first " + prose.Count(calls, "call") + " of the workload"
	}
	return "All calls of the workload"
}

// beginning tries so many first calls of a workload.
func beginning(w *call.Workload, m *machine.Setup, x *core.System, search promise.Search, calls int64) ([]promise.Trial, error) {
	scaled := m.Scaled()
	run, err := crash.RecordAfter(w, m, x.Name, calls, 2*max(scaled.Host.Commit, scaled.Host.Checkpoint, scaled.Host.Expire))
	if err != nil {
		return nil, err
	}
	h, err := promise.New(run, m)
	if err != nil {
		return nil, err
	}
	return []promise.Trial{{History: h, Found: promise.Look(h, search)}}, nil
}

// says is what was found on the system in focus.
func (t *tried) says() string {
	all, bad := t.images()
	trial, b := t.worst()
	if b == nil {
		return fmt.Sprintf("%s keeps every promise in all %s that were tried.", t.system.Title, prose.Count(all, "image"))
	}
	c, _ := trial.History.Call(b.Call, b.Event)
	said := fmt.Sprintf("Not safe on %s: %s.", t.system.Title, promises[b.Kind].says)
	if b.Call > 0 {
		said += fmt.Sprintf(" It is about call %s (%s).", prose.Grouped(int64(b.Call)), called(&c))
	}
	return said + fmt.Sprintf(" %s of %s break a promise.", prose.Grouped(bad), prose.Count(all, "image"))
}

// others says on which other systems it is not safe.
func others(list []tried, focus *tried) string {
	var names []string
	for i := range list {
		if _, bad := list[i].images(); bad > 0 && &list[i] != focus {
			names = append(names, list[i].system.Title)
		}
	}
	if len(names) == 0 {
		return ""
	}
	if _, bad := focus.images(); bad == 0 {
		return " It is not safe on " + prose.List(names) + "."
	}
	return " Nor is it safe on " + prose.List(names) + "."
}

// verdicts compares the systems.
func verdicts(list []tried) report.Table {
	t := report.Table{Key: "promises", Title: "Broken promises", Head: []string{"System", "Verdict"}}
	for _, k := range promises {
		t.Head = append(t.Head, k.head)
	}
	t.Head = append(t.Head, "Images", "Of them broken")
	for i := range list {
		x := &list[i]
		all, bad := x.images()
		verdict := "safe"
		if bad > 0 {
			verdict = "not safe"
		}
		row := report.Row{Head: x.system.Title, Cells: []report.Cell{{Text: verdict, Best: bad > 0}}}
		for k := range promise.Kinds {
			n := x.breaks(k)
			row.Cells = append(row.Cells, report.Cell{Text: prose.Grouped(n), Best: n > 0}.Exactly(int64(n)))
		}
		row.Cells = append(row.Cells, report.CountCell(all), report.CountCell(bad))
		t.Rows = append(t.Rows, row)
	}
	return t
}

// moments is a map of when promises break: by system and by the call that began last. A cell
// that is picked is the moment.
func moments(list []tried) report.Map {
	m := report.Map{
		ID: "safe", Title: "When the power fails", Help: "Of the images of each moment how many break a promise; pick one to see it below.",
		Grids: []string{""}, X: "Call that began last", Y: "System", From: 1,
		Classes: []string{"all promises kept", "broken in a few images", "broken in many", "broken in most"},
		Pick:    report.Pick{Section: safeKey, Key: safeCall},
	}
	for i := range list {
		all, _ := list[i].by()
		m.Columns = max(m.Columns, len(all)-1, 1)
	}
	if m.Step = (m.Columns + mostColumns - 1) / mostColumns; m.Step > 1 {
		m.Help = fmt.Sprintf("Of the images of each moment how many break a promise; a cell is the worst of %d calls. Pick one to see that below.", m.Step)
	}
	m.Columns = (m.Columns + m.Step - 1) / m.Step
	for i := range list {
		all, bad := list[i].by()
		m.Rows = append(m.Rows, list[i].system.Title)
		m.Pick.First = append(m.Pick.First, 1)
		for from := 1; from <= m.Columns*m.Step; from += m.Step {
			class := byte(report.NoCell)
			for c := from; c < min(from+m.Step, len(all)); c++ {
				if all[c] == 0 {
					continue
				}
				worst := byte(3)
				switch n := bad[c]; {
				case n == 0:
					worst = 0
				case 10*n < all[c]:
					worst = 1
				case 2*n < all[c]:
					worst = 2
				}
				if class == report.NoCell || worst > class {
					class = worst
				}
			}
			m.Cells = append(m.Cells, class)
		}
	}
	return m
}

// during compares the systems when a call was the last to begin; 0 is the one with most broken
// images of all, and the first of so many that share a cell of the map the one of these.
func during(list []tried, number, step int) (report.Table, bool) {
	from, to, says := 1, safeCalls, "At the worst moment the power fails"
	if number > 0 {
		says = "The power fails"
		if from, to = number, number; step > 1 && (number-1)%step == 0 {
			to += step - 1
		}
	}
	most := int64(0)
	for i := range list {
		_, bad := list[i].by()
		for c := from; c <= min(to, len(bad)-1); c++ {
			if bad[c] > most {
				most, number = bad[c], c
			}
		}
	}
	if number == 0 {
		return report.Table{}, false
	}
	t := report.Table{Key: "moment", Head: []string{"System", "Images", "Of them broken", "What breaks"}}
	for i := range list {
		all, bad := list[i].by()
		if number >= len(all) {
			continue
		}
		row := report.Row{Head: list[i].system.Title, Cells: []report.Cell{
			report.CountCell(all[number]), report.Cell{Text: prose.Grouped(bad[number]), Best: bad[number] > 0}.Exactly(int64(bad[number])), report.DashCell(),
		}}
		if what := list[i].at(number); what != "" {
			row.Cells[2] = report.Textf("%s", what)
		}
		if h := list[i].trials[0].History; t.Title == "" && number <= h.Calls() {
			c, _ := h.Call(int32(number), 0)
			t.Title = fmt.Sprintf("%s when call %d was the last to begin: %s", says, number, called(&c))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, len(t.Rows) > 0
}

// at says which kinds of promises were found broken when a call was the last to begin.
func (t *tried) at(number int) string {
	var seen [promise.Kinds]bool
	for i := range t.trials {
		h := t.trials[i].History
		for _, b := range t.trials[i].Found.Breaks {
			under := 0
			for k := b.Event - 1; k >= 0; k-- {
				if h.Events[k].Moment == plan.Began {
					under = int(h.Events[k].Call)
					break
				}
			}
			seen[b.Kind] = seen[b.Kind] || under == number || int(b.Call) == number
		}
	}
	var list []string
	for k := range seen {
		if seen[k] {
			list = append(list, promises[k].head)
		}
	}
	return strings.Join(list, ", ")
}

// shows adds the shortest history that shows what is wrong on a system.
func (v *view) shows(out *report.Section, t *tried, way *promise.Way, m *machine.Setup, search promise.Search) error {
	trial, b := t.worst()
	if b == nil {
		return nil
	}
	title, anew := "What leads there", ""
	if way != nil {
		_, less, err := promise.Shorten(way.Recording, m, t.system.Name, search, b.Kind, trial.Pace)
		if err != nil {
			return err
		}
		trial = less
		found := b
		for i := range less.Found.Breaks {
			if x := &less.Found.Breaks[i]; x.Kind == b.Kind {
				found = x
				break
			}
		}
		b = found
		title, anew = "The shortest history that shows it", ", its calls counted from 1"
	}
	out.Tables = append(out.Tables, history(title+", on "+t.system.Title+anew, trial.History, b))
	return nil
}

// history lists what happened until a broken promise, with what is left of it.
func history(title string, h *promise.History, b *promise.Break) report.Table {
	t := report.Table{Key: "counterexample", Title: title, Head: []string{"At", "What", "After the failure"}}
	add := func(at unit.Time, what, left string, stands bool) {
		t.Rows = append(t.Rows, report.Row{Head: fmt.Sprint(at), Cells: []report.Cell{report.Textf("%s", what), {Text: left, Best: stands}}})
	}
	from := 0
	for n, i := 0, b.Event-1; i >= 0; i-- {
		switch h.Events[i].Moment {
		case plan.Began, plan.Answered, plan.Stored, plan.Flushed, plan.Committed:
			if n++; n == mostSteps {
				from = i
			}
		}
		if from > 0 {
			break
		}
	}
	blocks, last := int64(0), "" // of the row before
	for i := from; i < b.Event; i++ {
		e := &h.Events[i]
		switch e.Moment {
		case plan.Began:
			add(e.At, fmt.Sprintf("call %d begins: %s", e.Call, called(&e.Of)), "-", false)
		case plan.Answered:
			add(e.At, fmt.Sprintf("call %d is answered", e.Call), "-", false)
		case plan.Stored:
			left := "there"
			switch {
			case slices.Contains(b.Lost, i):
				left = "lost"
			case slices.Contains(b.Torn, i):
				left = "torn"
			}
			what := strings.ToLower(structures[e.Structure].label)
			if key := fmt.Sprint(e.At, what, left); blocks > 0 && key == last {
				t.Rows = t.Rows[:len(t.Rows)-1]
			} else {
				blocks, last = 0, key
			}
			blocks++
			add(e.At, fmt.Sprintf("%s of %s in the write buffer", prose.Count(blocks, "block"), what), left, left != "there")
			continue
		case plan.Flushed:
			add(e.At, "the write buffer is flushed", "-", false)
		case plan.Committed:
			add(e.At, "COMMIT is in the log", "there", false)
		default:
			continue
		}
		blocks = 0
	}
	at := unit.Time(0)
	if b.Event > 0 {
		at = h.Events[b.Event-1].At
	}
	what := "the power fails: " + promises[b.Kind].says
	where := fmt.Sprintf("file %d", b.Node)
	if b.Page >= 0 {
		where += fmt.Sprintf(", page %d", b.Page)
	}
	add(at, what, where, true)
	return t
}

// called says what a call is.
func called(c *call.Call) string {
	said := strings.ToLower(codeNames[c.Code])
	switch c.Code {
	case call.Read, call.Write:
		said += fmt.Sprintf(" of file %d, %v from %s", c.Node, unit.Bytes(c.Length), prose.Grouped(c.Offset))
		if c.Flags&call.Append != 0 {
			said = fmt.Sprintf("append to file %d, %v", c.Node, unit.Bytes(c.Length))
		}
	case call.Rename:
		if said += fmt.Sprintf(" of file %d", c.Node); c.Over != 0 {
			said += fmt.Sprintf(" over file %d", c.Over)
		}
	case call.Truncate:
		said += fmt.Sprintf(" of file %d to %v", c.Node, unit.Bytes(c.Length))
	default:
		said += fmt.Sprintf(" of file %d", c.Node)
	}
	return said
}
