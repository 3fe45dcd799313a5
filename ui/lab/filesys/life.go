package filesys

import (
	"fmt"
	"math"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// life says how long flash lasts.
func (v *view) life() (*report.Section, error) {
	systems := v.compared()
	results, err := v.each(systems)
	if err != nil {
		return nil, err
	}
	t := report.Table{Key: "life",
		Title: fmt.Sprintf("What is programmed, and how long %v of flash last", v.s.Device.Capacity),
		Head:  []string{"System", "Programmed a call", "A day at this rate", "Flash lasts, at this rate", "Flash lasts, at the work of the slowest", "Programmed over asked", "Programmed over written to the SSD", "Erases"},
	}
	slow := math.Inf(1)
	for _, r := range results {
		slow = min(slow, rate(r))
	}
	const day = 24 * 3600 * float64(unit.Second)
	best := 0.0
	equal := make([]float64, len(systems))
	for i, r := range results {
		equal[i] = days(r, v.s.Device.Capacity, v.s.Device.Endurance) * rate(r) / max(slow, 1e-9)
		if !math.IsNaN(equal[i]) {
			best = max(best, equal[i])
		}
	}
	for i, x := range systems {
		r := results[i]
		pages := sum(r.Device.FlashPrograms)
		written := float64(pages) * float64(unit.Page)
		row := report.Row{Head: x.Title, Cells: []report.Cell{
			report.BytesCell(perCall(pages*int64(unit.Page), r)), report.BytesCell(written / max(1, float64(r.Time)) * day),
			lasts(days(r, v.s.Device.Capacity, v.s.Device.Endurance), 0), lasts(equal[i], best),
			over(written, float64(r.Asked[device.Writes])), over(written, float64(moved(&r.Device, plan.Data, device.Writes))), countCell(r.Device.Erases),
		}}
		t.Rows = append(t.Rows, row)
	}
	return &report.Section{
		Text:   []string{v.lives(systems, results, equal)},
		Tables: []report.Table{t},
		Notes: []string{
			fmt.Sprintf("Every block can be erased %s times (Endurance), and wear is spread over all of them. The flash has its full size: throughput does not depend on the scale, but wear does.", prose.Grouped(v.s.Device.Endurance)),
			"At its own rate a faster file system wears flash out sooner, because it gets more done; at the work of the slowest all do the same amount a day.",
		},
	}, nil
}

// over is a ratio, a report.DashCell() of nothing.
func over(a, b float64) report.Cell {
	if b == 0 {
		return report.DashCell()
	}
	return report.Textf("%s", times(a/b)).With(a/b, "")
}

// lasts is a life in days; best, if there is one, is the longest.
func lasts(days, best float64) report.Cell {
	const year = 365.25
	said := prose.ThreeDigits(days/year) + " years"
	switch {
	case math.IsNaN(days) || days > 1000*year:
		said = "over 1000 years"
	case days < year:
		said = prose.ThreeDigits(days) + " days"
	}
	return report.Cell{Text: said, Best: best > 0 && days >= best}.With(days, "days")
}

// lives is the finding.
func (v *view) lives(systems []*core.System, results []*core.Result, equal []float64) string {
	at, other := 0, -1
	for i, x := range systems {
		if x == v.system {
			at = i
		}
	}
	for i := range systems {
		if i != at && !math.IsNaN(equal[i]) && (other < 0 || equal[i] > equal[other]) {
			other = i
		}
	}
	pages := sum(results[at].Device.FlashPrograms)
	if pages == 0 || other < 0 {
		return fmt.Sprintf("%s programs no flash here.", systems[at].Title)
	}
	return fmt.Sprintf("%s programs %s a call. At the same work a day its flash lasts %s as long as with %s, the best of the others.",
		systems[at].Title, prose.Bytes(perCall(pages*int64(unit.Page), results[at])), times(equal[at]/equal[other]), systems[other].Title)
}
