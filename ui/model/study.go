package model

import (
	"fmt"
	"math"
	"strings"

	"spillway/sim/train"
	study "spillway/sim/train/papers/g10"
	"spillway/sim/train/quirk"
	"spillway/sim/workload"
	"spillway/ui/job"
)

// What is known beforehand: measured once, shown without a run.

// A Cell is one number of a table of the study.
type Cell struct {
	Text  string
	Share float64 // length of a bar behind it, 0 to 1
	Best  bool
}

// A StudyRow is a row of a table of the study.
type StudyRow struct {
	Head, Sub string
	Cells     []Cell
}

// A StudyTable is a table of the study.
type StudyTable struct {
	Head []string // of the columns after the first
	Rows []StudyRow
}

// Conclusions says whether the G10 paper's conclusions survive: first the
// findings for each source of kernel times and mode, then the answers.
func Conclusions() (findings, answers []string) {
	all := study.Conclusions()
	return all[:len(all)-2], all[len(all)-2:]
}

// SurviveTable is the throughput relative to Ideal of every system on the
// headline workloads, with kernel times from three sources.
func SurviveTable(corrected bool) StudyTable {
	var t StudyTable
	systems := compared()
	for _, s := range systems {
		t.Head = append(t.Head, title(s))
	}
	all := study.Survive()
	for _, p := range study.Headline() {
		for _, times := range []workload.TimeSource{workload.Measured, workload.ColdModel, workload.Estimated} {
			row := StudyRow{Head: fmt.Sprintf("%s, batch %d", modelTitle(p.Model), p.Batch), Sub: sourceName(times), Cells: make([]Cell, len(systems))}
			best := 0.0
			for i, s := range systems {
				x := speed(all, times, p.Model, s, corrected)
				row.Cells[i] = Cell{Text: fixed(x, 3), Share: x}
				if x == 0 {
					row.Cells[i].Text = "does not fit"
				}
				best = max(best, x)
			}
			for i := range row.Cells {
				row.Cells[i].Best = row.Cells[i].Share >= best/1.001
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func speed(all []study.Survival, times workload.TimeSource, network, system string, corrected bool) float64 {
	for i := range all {
		if s := &all[i]; s.Times == times && s.Model == network && s.System == system {
			return s.Speed(corrected)
		}
	}
	return 0
}

// sourceName says a source of kernel times as the table's second column.
func sourceName(t workload.TimeSource) string {
	switch t {
	case workload.Measured:
		return "measured (artifact)"
	case workload.ColdModel:
		return "as the paper measured"
	}
	return "clean (roofline)"
}

// compared lists the systems of the paper's figures, without the bound.
func compared() []string {
	var names []string
	for _, s := range train.Systems {
		if s.Name != "ideal" {
			names = append(names, s.Name)
		}
	}
	return names
}

func title(system string) string { return study.Title(system) }

func modelTitle(id string) string {
	m, err := job.FindModel(id)
	if err != nil {
		return id
	}
	return m.Title
}

// EffectsTable says by how much each accident changes one system's iteration
// time on the headline workloads: as published when it is removed, or corrected
// when it is added.
func EffectsTable(system string, added bool) StudyTable {
	var t StudyTable
	for _, p := range study.Headline() {
		t.Head = append(t.Head, fmt.Sprintf("%s, batch %d", modelTitle(p.Model), p.Batch))
	}
	effects := study.Effects()
	for _, q := range quirk.All() {
		row := StudyRow{Head: q.Key, Sub: q.Text}
		for _, p := range study.Headline() {
			cell := Cell{Text: "·"}
			for i := range effects {
				if e := &effects[i]; e.Quirk == q.Quirk && e.Model == p.Model && e.System == system {
					share, ok := e.Removed()
					if added {
						share, ok = e.Added()
					}
					cell = Cell{Text: changeText(share, ok), Share: min(1, math.Abs(share)), Best: ok && math.Abs(share) >= 0.01}
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// changeText prints a relative change; a dot is none.
func changeText(share float64, ok bool) string {
	switch {
	case !ok:
		return "fits or not"
	case share == 0:
		return "·"
	case math.Abs(share) < 0.00005:
		return "< 0.01 %"
	}
	sign := "+"
	if share < 0 {
		sign = "−"
	}
	if a := 100 * math.Abs(share); a < 0.095 {
		return sign + fixed(a, 2) + " %"
	}
	return sign + fixed(100*math.Abs(share), 1) + " %"
}

// EffectTexts says for every quirk, by its key, what its removal changes most.
func EffectTexts() map[string]string {
	texts := map[string]string{}
	effects := study.Effects()
	for _, q := range quirk.All() {
		var parts []string
		for _, s := range study.Affected(q.Quirk) {
			var most *study.Effect
			for i := range effects {
				e := &effects[i]
				if e.Quirk == q.Quirk && e.System == s && (most == nil || larger(e, most)) {
					most = e
				}
			}
			if most == nil {
				continue
			}
			if share, ok := most.Removed(); !ok || math.Abs(share) >= 0.00005 {
				parts = append(parts, fmt.Sprintf("%s %s (%s)", title(s), changeText(share, ok), modelTitle(most.Model)))
			}
		}
		if len(parts) == 0 {
			texts[q.Key] = "Removing it alone changes no headline result."
			continue
		}
		texts[q.Key] = "Removing it alone changes iteration times by up to: " + strings.Join(parts, ", ") + "."
	}
	return texts
}

// larger reports whether a changes more than b.
func larger(a, b *study.Effect) bool {
	x, okX := a.Removed()
	y, okY := b.Removed()
	if okX != okY {
		return !okX
	}
	return math.Abs(x) > math.Abs(y)
}
