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
	"spillway/sim/prose"
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
		said := stepText(&steps[i])
		if said == "" {
			continue
		}
		if said != last {
			flush()
			last, n = said, 0
		}
		n++
	}
	flush()
	return list
}

// stepTable has the steps of each system below its name.
func stepTable(code call.Code, systems []*core.System, ops []core.Operation, lists [][]string) report.Table {
	t := report.Table{Key: "steps", Title: fmt.Sprintf("The steps of a usual %s, one after the other", codeNames[code]), Head: []string{"Step"}}
	most := 0
	alike := report.Row{Head: "Calls with exactly these"}
	for i, x := range systems {
		t.Head = append(t.Head, x.Title)
		most = max(most, len(lists[i]))
		alike.Cells = append(alike.Cells, shareCell(ops[i].Alike, ops[i].Noted))
	}
	for n := range most {
		r := report.Row{Head: strconv.Itoa(n + 1)}
		for _, list := range lists {
			if n < len(list) {
				r.Cells = append(r.Cells, report.Cell{Text: list[n]})
			} else {
				r.Cells = append(r.Cells, report.DashCell())
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
		return fmt.Sprintf("%s %s of %s", what, prose.Count(int64(bits.OnesCount64(s.Lines)), "line"), name)
	}
	switch s.Kind {
	case plan.CPU:
		return fmt.Sprintf("CPU %v", s.For)
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
func (v *view) operation() (*report.Section, error) {
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
	code := chosen(v.look.Text(opCall), results[0])
	if code == call.Codes {
		var has []string
		for c := range call.Codes {
			if results[0].Tallies[c].Count > 0 {
				has = append(has, codeNames[c])
			}
		}
		return &report.Section{Text: []string{fmt.Sprintf("This workload never calls %s. It calls %s.", v.look.Text(opCall), prose.List(has))}}, nil
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
			"Bytes are means over all such calls: first what the call itself moves, then what else the run moves, divided by the same number of calls: other calls, the background (write-back, journal, checkpoint) and what is still to be written at the end. All rows together add up to the run's totals.",
			"Steps are those that most such calls have, after a quarter of the run. Shown are the file systems of the paper's comparison and the one in focus, whatever is chosen above.",
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

// changes reports whether a call is one for which others write: it changes something or
// makes it durable.
func changes(code call.Code) bool {
	return code != call.Open && code != call.Read && code != call.Close && code != call.Stat
}

// each is a sum over the calls of an operation as the mean of one.
func each(n int64, op *core.Operation) float64 { return float64(n) / float64(max(1, op.Count)) }

// all is what all calls of an operation move themselves, and the run besides.
func all(op *core.Operation) (own, rest int64) {
	for s := range op.Own {
		for i := range op.Own[s] {
			own += op.Own[s][i][device.Reads] + op.Own[s][i][device.Writes]
		}
		rest += op.Rest[s][device.Reads] + op.Rest[s][device.Writes]
	}
	return own, rest
}

// said is the finding: who moves least and who most; where others write for a call what
// the run moves for each.
func said(code call.Code, systems []*core.System, ops []core.Operation, results []*core.Result) string {
	total := func(i int) float64 {
		own, rest := all(&ops[i])
		if changes(code) {
			own += rest
		}
		return each(own, &ops[i])
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
		return fmt.Sprintf("A call of %s moves nothing between host and SSD, in any file system.", codeNames[code])
	}
	part := func(i int) string {
		t := &results[i].Tallies[code]
		return fmt.Sprintf("%s %s (the call itself takes %v)", systems[i].Title, prose.Bytes(total(i)), mean(t.Time, t.Count))
	}
	said := "A call of %s itself moves, on average: %s; %s."
	if changes(code) {
		said = "For each %s the run moves, other calls and the background included: %s; %s."
	}
	return fmt.Sprintf(said, codeNames[code], part(low), part(high))
}

// moves is the table of structures and interfaces.
func moves(code call.Code, systems []*core.System, ops []core.Operation, results []*core.Result) report.Table {
	t := report.Table{Key: "moves", Title: fmt.Sprintf("What a call of %s moves, and the run besides for each", codeNames[code]), Head: []string{"Structure and interface"}}
	for _, x := range systems {
		t.Head = append(t.Head, x.Title)
	}
	row := func(head string, value func(i int) report.Cell) {
		r := report.Row{Head: head}
		for i := range systems {
			r.Cells = append(r.Cells, value(i))
		}
		t.Rows = append(t.Rows, r)
	}
	bytes := func(head string, always bool, of func(op *core.Operation) int64) {
		for i := range ops {
			always = always || of(&ops[i]) > 0
		}
		if always {
			row(head, func(i int) report.Cell { return report.BytesCell(each(of(&ops[i]), &ops[i])) })
		}
	}
	words := [device.Interfaces][device.Directions]string{{"read as blocks", "written as blocks"}, {"loaded by bytes", "stored by bytes"}}
	besides := [device.Directions]string{"read besides", "written besides"}
	for s := range structures {
		name := prose.Capital(structures[s].label) + ", "
		for _, d := range []device.Direction{device.Writes, device.Reads} {
			for i := range device.Interfaces {
				bytes(name+words[i][d], false, func(op *core.Operation) int64 { return op.Own[s][i][d] })
			}
			bytes(name+besides[d], false, func(op *core.Operation) int64 { return op.Rest[s][d] })
		}
	}
	bytes("All, the call itself", true, func(op *core.Operation) int64 { own, _ := all(op); return own })
	bytes("All, besides", true, func(op *core.Operation) int64 { _, rest := all(op); return rest })
	bytes("All, of the run for each", true, func(op *core.Operation) int64 { own, rest := all(op); return own + rest })
	row("Flash pages, programmed in the run for each", func(k int) report.Cell {
		n := sum(results[k].Device.FlashPrograms)
		if n == 0 {
			return report.DashCell()
		}
		return report.Textf("%s", prose.ThreeDigits(each(n, &ops[k]))).With(each(n, &ops[k]), "")
	})
	row("Time, mean of all such calls", func(k int) report.Cell { y := &results[k].Tallies[code]; return report.TimeCell(mean(y.Time, y.Count)) })
	return t
}
