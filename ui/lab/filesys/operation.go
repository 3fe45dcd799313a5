package filesys

import (
	"fmt"
	"math/bits"
	"strings"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// opCall is the knob that says which call.
const opCall = "op_call"

// opFirst is the choice that takes the call that changes most.
const opFirst = "main"

func operationKnobs() []knob.Info {
	k := knob.Info{
		Key: opCall, Label: "Call", Help: "Which call of the workload is shown.", Kind: knob.One, Default: opFirst,
		Choices: []knob.Choice{{Key: opFirst, Label: "the one that moves most"}},
	}
	for _, name := range codeNames {
		k.Choices = append(k.Choices, knob.Choice{Key: name, Label: name})
	}
	return []knob.Info{k}
}

// An act is what calls of one code did in a system.
type act struct {
	calls int64
	// Bytes that their own steps move, by structure.
	bytes [plan.Structures][device.Interfaces][device.Directions]int64
	plans []planned
}

// A planned is a list of steps and how many calls had just these.
type planned struct {
	steps string
	calls int64
}

// mostPlans is how many different lists of steps are told apart.
const mostPlans = 200

// planOf writes the steps of a call: what they do, not to which page.
func planOf(steps []plan.Step) string {
	var list []string
	last, n := "", 1
	flush := func() {
		switch {
		case last == "":
		case n > 1:
			list = append(list, fmt.Sprintf("%d × %s", n, last))
		default:
			list = append(list, last)
		}
	}
	for i := range steps {
		text := stepText(&steps[i])
		if text == "" {
			continue
		}
		if text == last {
			n++
			continue
		}
		flush()
		last, n = text, 1
	}
	flush()
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, "; ")
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

// add counts a call.
func (a *act) add(steps []plan.Step) {
	a.calls++
	for i := range steps {
		s := &steps[i]
		switch s.Kind {
		case plan.BlockRead:
			a.bytes[s.Structure][device.Block][device.Reads] += stepBytes(s)
		case plan.BlockWrite:
			a.bytes[s.Structure][device.Block][device.Writes] += stepBytes(s)
		case plan.ByteRead:
			a.bytes[s.Structure][device.Byte][device.Reads] += stepBytes(s)
		case plan.ByteWrite:
			a.bytes[s.Structure][device.Byte][device.Writes] += stepBytes(s)
		}
	}
	text := planOf(steps)
	for i := range a.plans {
		if a.plans[i].steps == text {
			a.plans[i].calls++
			return
		}
	}
	if len(a.plans) < mostPlans {
		a.plans = append(a.plans, planned{text, 1})
	}
}

// usual is the list of steps that most calls had.
func (a *act) usual() planned {
	var best planned
	for _, x := range a.plans {
		if x.calls > best.calls {
			best = x
		}
	}
	return best
}

// moves is all that calls of a code move, by a mean call.
func (a *act) moves(d device.Direction) float64 {
	var n int64
	for s := range a.bytes {
		n += a.bytes[s][device.Block][d] + a.bytes[s][device.Byte][d]
	}
	return float64(n) / float64(max(1, a.calls))
}

// operation shows one call in every system.
func (v *view) operation(knobs *knob.Setup) (*report.Section, error) {
	systems := v.compared()
	acts := make([][call.Codes]act, len(systems))
	jobs := make([]job, len(systems))
	for i, x := range systems {
		jobs[i] = job{x, *v.s, &core.Watch{Steps: func(c *call.Call, steps []plan.Step) { acts[i][c.Code].add(steps) }}}
	}
	results, err := v.all(jobs)
	if err != nil {
		return nil, err
	}
	code := v.chosen(knobs.Text(opCall), acts)
	if code == call.Codes {
		var has []string
		for c := range call.Codes {
			if acts[0][c].calls > 0 {
				has = append(has, codeNames[c])
			}
		}
		return &report.Section{Text: []string{fmt.Sprintf("No %s is called here. This workload calls %s.", knobs.Text(opCall), listed(has))}}, nil
	}
	of := make([]*act, len(systems))
	for i := range acts {
		of[i] = &acts[i][code]
	}
	steps := report.Table{Title: fmt.Sprintf("The steps of a usual %s", codeNames[code]), Head: []string{"System", "Steps, one after the other", "Calls with just these"}}
	for i, x := range systems {
		u := of[i].usual()
		steps.Rows = append(steps.Rows, report.Row{Head: x.Title, Cells: []report.Cell{{Text: capital(u.steps)}, shareCell(u.calls, of[i].calls)}})
	}
	return &report.Section{
		Text:   []string{said(code, systems, of, results)},
		Tables: []report.Table{moves(code, systems, of, results), steps},
		Notes: []string{
			"Bytes are those of the call's own steps. What a write leaves in the page cache is written by a later fsync, or in the background, and so is the second copy of what Ext4 has in its journal and what F2FS keeps for its checkpoint: the last rows have all of the run, divided by all of its calls.",
			"Where steps are written with one after the other, those of the SSD that belong together run at the same time.",
		},
	}, nil
}

// chosen returns the call that a view shows; Codes if there is none of it.
func (v *view) chosen(name string, acts [][call.Codes]act) call.Code {
	if name != opFirst {
		for c, x := range codeNames {
			if x == name && acts[0][c].calls > 0 {
				return call.Code(c)
			}
		}
		return call.Codes
	}
	best, most := call.Codes, -1.0
	for c := range call.Codes {
		var n float64
		for i := range acts {
			n += acts[i][c].moves(device.Writes)*1e6 + acts[i][c].moves(device.Reads)
		}
		if acts[0][c].calls > 0 && n > most {
			best, most = c, n
		}
	}
	return best
}

// said is the finding: who moves least and who most.
func said(code call.Code, systems []*core.System, of []*act, results []*core.Result) string {
	total := func(i int) float64 { return of[i].moves(device.Writes) + of[i].moves(device.Reads) }
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
		return fmt.Sprintf("A %s moves nothing between host and SSD itself, in no file system: what it changes stays in the page cache until something writes it back.", codeNames[code])
	}
	part := func(i int) string {
		t := &results[i].Tallies[code]
		return fmt.Sprintf("%s moves %s and takes %v", systems[i].Title, amount(total(i)), mean(t.Time, t.Count))
	}
	return fmt.Sprintf("A %s, in the mean of %s calls: %s; %s.", codeNames[code], grouped(of[0].calls), part(low), part(high))
}

// moves is the table of structures and interfaces.
func moves(code call.Code, systems []*core.System, of []*act, results []*core.Result) report.Table {
	t := report.Table{Title: fmt.Sprintf("What a %s moves, mean of all", codeNames[code]), Head: []string{"Structure and interface"}}
	for _, x := range systems {
		t.Head = append(t.Head, x.Title)
	}
	row := func(head, sub string, value func(i int) report.Cell) {
		r := report.Row{Head: head, Sub: sub}
		for i := range systems {
			r.Cells = append(r.Cells, value(i))
		}
		t.Rows = append(t.Rows, r)
	}
	words := [device.Interfaces][device.Directions]string{{"read as blocks", "written as blocks"}, {"loaded by bytes", "stored by bytes"}}
	for s := range structures {
		for _, d := range []device.Direction{device.Writes, device.Reads} {
			for i := range device.Interfaces {
				any := false
				for _, a := range of {
					any = any || a.bytes[s][i][d] > 0
				}
				if any {
					row(capital(structures[s].label), words[i][d], func(k int) report.Cell {
						return bytesCell(float64(of[k].bytes[s][i][d]) / float64(max(1, of[k].calls)))
					})
				}
			}
		}
	}
	row("All of the call's own", "both ways", func(k int) report.Cell { return bytesCell(of[k].moves(device.Writes) + of[k].moves(device.Reads)) })
	row("Time of the call", "from the call to its answer", func(k int) report.Cell { y := &results[k].Tallies[code]; return long(mean(y.Time, y.Count)) })
	row("Over the link, all of the run", "for each of its calls", func(k int) report.Cell {
		c := &results[k].Device
		return bytesCell(perCall(moved(c, plan.Data, device.Reads)+moved(c, plan.Data, device.Writes), results[k]))
	})
	row("Flash pages, all of the run", "programmed and read, for each of its calls", func(k int) report.Cell {
		c := &results[k].Device
		return text("%s + %s", few(perCall(sum(c.FlashPrograms), results[k])), few(perCall(sum(c.FlashReads), results[k])))
	})
	return t
}

var _ = unit.Page
