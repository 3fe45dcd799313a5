package cxlssd

import (
	"fmt"

	core "spillway/sim/cxlssd"
	"spillway/sim/prose"
	"spillway/sim/report"
)

// quirks turns every switch over, alone.
func (v *view) quirks() (*report.Section, error) {
	r, err := v.run(nil)
	if err != nil {
		return nil, err
	}
	t := report.Table{Key: "switches",
		Title: "Time and flash programs of " + v.system.Title + " with one switch flipped",
		Head:  []string{"Switch", "Now as", "Time if flipped", "Change", "Programs if flipped"},
	}
	most, by := "", 0.0
	same, apart := 0, 0 // change nothing; do not concern the design
	var notes []string
	effects, err := core.Effects(v.w.Workload, v.s, v.system, r, v.p)
	if err != nil {
		return nil, err
	}
	for _, e := range effects {
		q, x := &core.Quirks[e.Switch], e.Result
		name, now := fmt.Sprintf("%d %s", e.Switch+1, q.Key), "paper"
		if e.On {
			now = "artifact"
		}
		notes = append(notes, fmt.Sprintf("%s. The artifact: %s The paper: %s (%s)", name, q.Text, q.Paper, q.Source))
		row := report.Row{Head: name, Cells: []report.Cell{{Text: now}}}
		if !e.Concerned {
			apart++
			row.Cells = append(row.Cells, report.Textf("–"), report.Textf("does not apply"), report.Textf("–"))
			t.Rows = append(t.Rows, row)
			continue
		}
		change := part(int64(x.Time), int64(r.Time)) - 1
		if x.Time == r.Time && programs(x) == programs(r) {
			same++
		}
		if size := max(change, -change); size > by {
			most, by = fmt.Sprintf("%d, %s: %s if it is flipped", e.Switch+1, q.Key, prose.Signed(change)), size
		}
		row.Cells = append(row.Cells, report.TimeCell(x.Time), report.Cell{Text: prose.Signed(change), Share: min(1, max(change, -change))}.WithShare(change), report.CountCell(programs(x)))
		t.Rows = append(t.Rows, row)
	}
	out := &report.Section{Tables: []report.Table{t}}
	if most == "" {
		out.Text = []string{fmt.Sprintf("%s takes %v, whichever of the %d switches is flipped.", v.system.Title, r.Time, len(core.Quirks))}
	} else {
		out.Text = []string{fmt.Sprintf("%s takes %v and programs flash %s times. The switch that matters most to its time is number %s; of the %d that apply %d change neither.", v.system.Title, r.Time, prose.Grouped(programs(r)), most, len(core.Quirks)-apart, same)}
	}
	out.Notes = append(notes, "Each row is a run with this switch flipped and all others as they are now. A switch about a part that the design lacks is not run. Switches are set under Fidelity.")
	return out, nil
}
