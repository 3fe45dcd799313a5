package filesys

import (
	"fmt"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
	"spillway/sim/prose"
	"spillway/sim/quirk"
	"spillway/sim/report"
)

// concerns reports whether a switch is about something that a system has.
func concerns(q quirk.Set, x *core.System) bool {
	switch q {
	case machine.NoData, machine.NoCommit:
		return isByteFS(x)
	case machine.Inverted, machine.KeepsLines:
		return x.Memory == device.WriteLog
	case machine.StaleDirty:
		return x.Memory == device.PageBuffer
	}
	return x.Memory != device.NoMemory
}

// quirks turns every switch over, alone.
func (v *view) quirks() (*report.Section, error) {
	jobs := []job{{system: v.system, setup: *v.s}}
	var turned []int // switches of the jobs from the second on
	for i := range machine.Quirks {
		if concerns(1<<i, v.system) {
			m := *v.s
			m.Quirks ^= 1 << i
			jobs, turned = append(jobs, job{system: v.system, setup: m}), append(turned, i)
		}
	}
	results, err := v.all(jobs)
	if err != nil {
		return nil, err
	}
	r := results[0]
	t := report.Table{Key: "switches",
		Title: "Throughput and flash pages of " + v.system.Title + " with one switch flipped",
		Head:  []string{"Switch", "Now as", "Throughput if flipped", "Change", "Flash pages if flipped"},
	}
	most, by, at, same := "", 0.0, 0, 0
	var notes []string
	for i := range machine.Quirks {
		q := &machine.Quirks[i]
		name, now := fmt.Sprintf("%d %s", i+1, q.Key), "paper"
		if v.s.Quirks.Has(1 << i) {
			now = "artifact"
		}
		notes = append(notes, fmt.Sprintf("%s. The artifact: %s The paper: %s (%s)", name, q.Text, q.Paper, q.Source))
		row := report.Row{Head: name, Cells: []report.Cell{{Text: now}}}
		if at >= len(turned) || turned[at] != i {
			row.Cells = append(row.Cells, report.DashCell(), report.Textf("does not apply"), report.DashCell())
			t.Rows = append(t.Rows, row)
			continue
		}
		at++
		x := results[at]
		change := rate(x)/max(rate(r), 1e-9) - 1
		if x.Time == r.Time && flashPages(&x.Device) == flashPages(&r.Device) {
			same++
		}
		if size := max(change, -change); size > by {
			most, by = fmt.Sprintf("%d, %s: %s if it is flipped", i+1, q.Key, prose.Signed(change)), size
		}
		row.Cells = append(row.Cells, report.Textf("%s k/s", prose.ThreeDigits(rate(x))).With(1000*rate(x), "1/s"), report.Cell{Text: prose.Signed(change), Share: min(1, max(change, -change))}.WithShare(change), report.CountCell(flashPages(&x.Device)))
		t.Rows = append(t.Rows, row)
	}
	out := &report.Section{Tables: []report.Table{t}, Notes: append(notes, "Each row is a run with this switch flipped and all others as they are now. A switch about a part that the system lacks is not run. Switches are set under Fidelity.")}
	switch {
	case len(turned) == 0:
		out.Text = []string{v.system.Title + " uses block commands only, so none of these switches applies to it. When its writes are answered is set under What decides the comparison."}
	case most == "":
		out.Text = []string{fmt.Sprintf("%s answers %s thousand calls a second, whichever of the %d switches that apply to it is flipped.", v.system.Title, prose.ThreeDigits(rate(r)), len(turned))}
	default:
		out.Text = []string{fmt.Sprintf("%s answers %s thousand calls a second. The switch that matters most is number %s; %d of the %d that apply change neither throughput nor flash pages.", v.system.Title, prose.ThreeDigits(rate(r)), most, same, len(turned))}
	}
	return out, nil
}
