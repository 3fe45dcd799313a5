package filesys

import (
	"fmt"
	"math/bits"
	"strconv"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
	"spillway/sim/knob"
	"spillway/sim/report"
)

// opCall is the knob that says which call.
const opCall = "op_call"

// opFirst is the choice that takes the call that says most.
const opFirst = "main"

func operationKnobs() []knob.Info {
	k := knob.Info{
		Key: opCall, Label: "Call", Help: "Which call of the workload is shown.", Kind: knob.One, Default: opFirst,
		Choices: []knob.Choice{{Key: opFirst, Label: "the workload's first that changes something"}},
	}
	for _, name := range codeNames {
		k.Choices = append(k.Choices, knob.Choice{Key: name, Label: name})
	}
	return []knob.Info{k}
}

// planOf writes the steps of a call: what they do, not to which page.
func planOf(steps []plan.Step) []string {
	var list []string
	last, n := "", 0
	flush := func() {
		switch {
		case n == 1:
			list = append(list, last)
		case n > 1:
			list = append(list, fmt.Sprintf("%d × %s", n, last))
		}
	}
	for i := range steps {
		text := stepText(&steps[i])
		if text == "" {
			continue
		}
		if text != last {
			flush()
			last, n = text, 0
		}
		n++
	}
	flush()
	return list
}

// stepTable has the steps of each system below its name.
func stepTable(code call.Code, systems []*core.System, ops []core.Operation, lists [][]string) report.Table {
	t := report.Table{Title: fmt.Sprintf("The steps of a usual %s, one after the other", codeNames[code]), Head: []string{"Step"}}
	most := 0
	alike := report.Row{Head: "Calls with just these"}
	for i, x := range systems {
		t.Head = append(t.Head, x.Title)
		most = max(most, len(lists[i]))
		alike.Cells = append(alike.Cells, shareCell(ops[i].Alike, ops[i].Count))
	}
	for n := range most {
		r := report.Row{Head: strconv.Itoa(n + 1)}
		for _, list := range lists {
			if n < len(list) {
				r.Cells = append(r.Cells, report.Cell{Text: list[n]})
			} else {
				r.Cells = append(r.Cells, dash)
			}
		}
		t.Rows = append(t.Rows, r)
	}
	t.Rows = append(t.Rows, alike)
	return t
}

// stepText is a step in words, empty for one that takes nothing of anybody.
func stepText(s *plan.Step) string {
	name := structures[s.Structure].label
	blocks := func(what string) string {
		if s.N == 1 {
			return what + " a block of " + name
		}
		return fmt.Sprintf("%s %d blocks of %s", what, s.N, name)
	}
	lines := func(what string) string {
		return fmt.Sprintf("%s %s of %s", what, many(int64(bits.OnesCount64(s.Lines)), "line"), name)
	}
	switch s.Kind {
	case plan.CPU:
		return fmt.Sprintf("CPU %v", s.For)
	case plan.Section:
		return fmt.Sprintf("section %v", s.For)
	case plan.Hold:
		return "lock"
	case plan.Release:
		return "unlock"
	case plan.BlockRead:
		return blocks("read")
	case plan.BlockWrite:
		return blocks("write")
	case plan.ByteRead:
		return lines("load")
	case plan.ByteWrite:
		return lines("store")
	case plan.Commit:
		return "COMMIT"
	case plan.Wait:
		return "wait for the commit"
	}
	return ""
}

// operation shows one call in every system.
func (v *view) operation(knobs *knob.Setup) (*report.Section, error) {
	systems := v.compared()
	notes := make([]*core.Operations, len(systems))
	jobs := make([]job, len(systems))
	for i, x := range systems {
		notes[i] = core.NewOperations(v.w.Calls / 4) // caches are warm then
		jobs[i] = job{x, *v.s, &core.Watch{Steps: notes[i].Note}}
	}
	results, err := v.all(jobs)
	if err != nil {
		return nil, err
	}
	code := chosen(knobs.Text(opCall), results[0])
	if code == call.Codes {
		var has []string
		for c := range call.Codes {
			if results[0].Tallies[c].Count > 0 {
				has = append(has, codeNames[c])
			}
		}
		return &report.Section{Text: []string{fmt.Sprintf("No %s is called here. This workload calls %s.", knobs.Text(opCall), listed(has))}}, nil
	}
	ops := make([]core.Operation, len(systems))
	lists := make([][]string, len(systems))
	for i := range systems {
		ops[i] = notes[i].Explain(code, results[i])
		lists[i] = planOf(ops[i].Steps)
	}
	return &report.Section{
		Text:   []string{said(code, systems, ops, results)},
		Tables: []report.Table{moves(code, systems, ops, results), stepTable(code, systems, ops, lists)},
		Notes: []string{
			"Shown is the call whose steps are met most, after a quarter of the run. Later: what the background wrote in the whole run, in equal parts for all calls that change something; a write to the page cache, the second copy of what Ext4 has in its journal and F2FS's checkpoint are there.",
			"Flash pages are those that were programmed for a structure, divided as the bytes that were written of it. With ByteFS many calls share one.",
		},
	}, nil
}

// first are calls in the order in which one is chosen that says most of a file system.
var first = []call.Code{call.Create, call.Mkdir, call.Unlink, call.Rmdir, call.Rename, call.Fsync, call.Fdatasync, call.Write, call.Truncate, call.Read, call.Stat, call.Open, call.Close}

// chosen returns the call that a view shows; Codes if there is none of it.
func chosen(name string, r *core.Result) call.Code {
	for _, c := range first {
		if r.Tallies[c].Count > 0 && (name == opFirst || name == codeNames[c]) {
			return c
		}
	}
	return call.Codes
}

// all is what a usual call moves, now and later.
func all(op *core.Operation) (now, later int64) {
	for s := range op.Bytes {
		for i := range op.Bytes[s] {
			now += op.Bytes[s][i][device.Reads] + op.Bytes[s][i][device.Writes]
		}
		later += op.Later[s]
	}
	return now, later
}

// said is the finding: who moves least and who most.
func said(code call.Code, systems []*core.System, ops []core.Operation, results []*core.Result) string {
	total := func(i int) int64 {
		now, later := all(&ops[i])
		return now + later
	}
	low, high := 0, 0
	for i := range systems {
		if total(i) < total(low) {
			low = i
		}
		if total(i) > total(high) {
			high = i
		}
	}
	if total(high) == 0 {
		return fmt.Sprintf("A usual %s moves nothing between host and SSD, in no file system.", codeNames[code])
	}
	part := func(i int) string {
		t := &results[i].Tallies[code]
		return fmt.Sprintf("%s moves %s and takes %v in the mean", systems[i].Title, amount(float64(total(i))), mean(t.Time, t.Count))
	}
	return fmt.Sprintf("A usual %s, with what is written for it later: %s; %s.", codeNames[code], part(low), part(high))
}

// moves is the table of structures and interfaces.
func moves(code call.Code, systems []*core.System, ops []core.Operation, results []*core.Result) report.Table {
	t := report.Table{Title: fmt.Sprintf("What a usual %s moves", codeNames[code]), Head: []string{"Structure and interface"}}
	for _, x := range systems {
		t.Head = append(t.Head, x.Title)
	}
	row := func(what, how string, value func(i int) report.Cell) {
		r := report.Row{Head: what + ", " + how}
		for i := range systems {
			r.Cells = append(r.Cells, value(i))
		}
		t.Rows = append(t.Rows, r)
	}
	any := func(of func(op *core.Operation) int64) bool {
		for i := range ops {
			if of(&ops[i]) > 0 {
				return true
			}
		}
		return false
	}
	words := [device.Interfaces][device.Directions]string{{"read as blocks", "written as blocks"}, {"loaded by bytes", "stored by bytes"}}
	for s := range structures {
		for _, d := range []device.Direction{device.Writes, device.Reads} {
			for i := range device.Interfaces {
				bytes := func(op *core.Operation) int64 { return op.Bytes[s][i][d] }
				if any(bytes) {
					row(capital(structures[s].label), words[i][d], func(k int) report.Cell { return bytesCell(float64(bytes(&ops[k]))) })
				}
			}
		}
		later := func(op *core.Operation) int64 { return op.Later[s] }
		if any(later) {
			row(capital(structures[s].label), "written later", func(k int) report.Cell { return bytesCell(float64(later(&ops[k]))) })
		}
	}
	row("All", "now and later", func(k int) report.Cell {
		now, later := all(&ops[k])
		return bytesCell(float64(now + later))
	})
	row("Flash pages", "programmed for it", func(k int) report.Cell {
		var n int64
		for _, x := range ops[k].Pages {
			n += x
		}
		return few1000(n)
	})
	row("Time", "mean of all such calls", func(k int) report.Cell { y := &results[k].Tallies[code]; return long(mean(y.Time, y.Count)) })
	return t
}

// few1000 is a number in thousandths, of which nothing is a dash.
func few1000(n int64) report.Cell {
	if n == 0 {
		return dash
	}
	return text("%s", few(float64(n)/1000))
}
