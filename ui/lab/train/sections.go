package train

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/train/quirk"
	"spillway/sim/workload"
	"spillway/ui/lab"
	"spillway/ui/lab/train/papers/g10"
)

// sections are the parts of the page that only this laboratory has: what was
// measured beforehand, shown without a run.
func sections() []section {
	system := knob.Info{Key: "effects_system", Label: "System", Help: "Whose iteration time is shown.", Kind: knob.One, Default: g10.Subject}
	for _, name := range g10.Systems {
		if name != g10.Bound {
			system.Choices = append(system.Choices, knob.Choice{Key: name, Label: g10.Title(name)})
		}
	}
	list := []section{
		{Show: func(v *seen) (*report.Section, error) { return account(v.Workload), nil }, Section: lab.Section{
			Key: recordedKey, Title: "What was recorded", Run: true, Entry: true,
			About: "What the recording holds, what was made of it, and how far to trust that.",
		}},
		{Show: agreements, Section: lab.Section{
			Key: measuredKey, Title: "Your measurements against the law", Run: true, Entry: true,
			About: "How your kernels compare with their estimates, by class, and the factors that correct them for your GPU.",
		}},
		{Show: survive, Section: lab.Section{
			Key: "survive", Title: "Do the G10 paper's conclusions survive?", Folded: true,
			About: "Computed beforehand on the five headline workloads and the machine of Table 2. Measured times need the artifact's profiles; the other two come with the page.",
			Knobs: []knob.Info{{Key: "survive_mode", Label: "Fidelity", Help: "Of the table.", Kind: knob.One, Default: "published", Choices: []knob.Choice{{Key: "published", Label: "As published"}, {Key: "corrected", Label: "Corrected"}}}},
		}},
		{Show: accidents, Section: lab.Section{
			Key: "effects", Title: "What changes when an accident is removed", Folded: true,
			About: "What each accident of the published simulator (the quirks under Fidelity) does by itself to the iteration time of the headline workloads, with measured kernel times. Effects do not add up: one can hide another.",
			Knobs: []knob.Info{system, {Key: "effects_mode", Label: "Against what", Help: "What the accident is removed from, or added to.", Kind: knob.One, Default: "removed", Choices: []knob.Choice{{Key: "removed", Label: "removed from as published"}, {Key: "added", Label: "added to corrected"}}}},
		}},
	}
	return append(append(list, takeSection()), learningSections()...)
}

// survive is what is left of the paper's conclusions.
func survive(v *seen) (*report.Section, error) {
	main, sums := g10.Conclusions()
	t := surviveTable(v.Look.Text("survive_mode") == "corrected")
	return &report.Section{Text: main, Tables: append([]report.Table{t}, doubtTables()...), Notes: sums}, nil
}

// accidents are what single quirks do.
func accidents(v *seen) (*report.Section, error) {
	return &report.Section{Tables: []report.Table{effectsTable(v.Look.Text("effects_system"), v.Look.Text("effects_mode") == "added")}}, nil
}

// fact is a row with one cell.
func fact(head string, c report.Cell) report.Row {
	return report.Row{Head: head, Cells: []report.Cell{c}}
}

// surviveTable is the throughput relative to Ideal of every system on the
// headline workloads, with kernel times from three sources.
func surviveTable(corrected bool) report.Table {
	t := report.Table{Key: "throughput", Title: "Throughput, normalized to Ideal with the same kernel times; 1 is as fast. The best of a row is bold.", Head: []string{"Workload and kernel times"}}
	var systems []string
	for _, s := range g10.Systems {
		if s != g10.Bound {
			systems = append(systems, s)
			t.Head = append(t.Head, g10.Title(s))
		}
	}
	speeds := map[[3]string]float64{}
	survivals := g10.Survive()
	for i := range survivals {
		s := &survivals[i]
		speeds[[3]string{string(s.Times), s.Model, s.System}] = s.Speed(corrected)
	}
	for _, p := range g10.Headline() {
		for _, times := range []workload.TimeSource{workload.Measured, workload.ColdModel, workload.Estimated} {
			row := report.Row{Head: headline(p.Model, p.Batch), Sub: sourceName(times)}
			best := 0.0
			for _, s := range systems {
				x, ok := speeds[[3]string{string(times), p.Model, s}]
				cell := report.Cell{Text: strconv.FormatFloat(x, 'f', 3, 64), Share: x}.With(x, "")
				switch {
				case !ok:
					cell = report.DashCell()
				case x == 0:
					cell = report.Textf("does not fit")
				}
				row.Cells = append(row.Cells, cell)
				best = max(best, x)
			}
			for i := range row.Cells {
				row.Cells[i].Best = row.Cells[i].Share > 0 && row.Cells[i].Share >= best/1.001
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// doubtTables say, for each number that nobody knows, how speedups hang on it.
func doubtTables() []report.Table {
	var tables []report.Table
	for _, d := range g10.Doubts() {
		t := report.Table{
			Key: report.Slug(d.Label, "doubt"), Title: fmt.Sprintf("Mean speedup, corrected, by %s; nobody has published which is right. Bold: what everything else is computed with.", strings.ToLower(d.Label)),
			Head: []string{"Speedup and kernel times"},
		}
		for _, pair := range g10.Speedups {
			for _, times := range []workload.TimeSource{workload.Measured, workload.ColdModel, workload.Estimated} {
				list := g10.Sensitivity(&d.Doubt, times)
				row := report.Row{Head: g10.Title(pair[0]) + " over " + g10.Title(pair[1]), Sub: sourceName(times)}
				for i := range list {
					if len(t.Head) <= len(list) {
						t.Head = append(t.Head, strconv.FormatInt(list[i].Value, 10))
					}
					row.Cells = append(row.Cells, report.Cell{Text: strconv.FormatFloat(list[i].Times(pair[0], pair[1]), 'f', 2, 64), Best: list[i].Usual}.With(list[i].Times(pair[0], pair[1]), ""))
				}
				t.Rows = append(t.Rows, row)
			}
		}
		tables = append(tables, t)
	}
	return tables
}

// sourceName says a source of kernel times in a few words.
func sourceName(t workload.TimeSource) string {
	switch t {
	case workload.Measured:
		return "measured (artifact)"
	case workload.ColdModel:
		return "as the paper measured"
	}
	return "clean (law)"
}

// headline names a workload for people.
func headline(model string, batch int) string {
	title, _ := modelTitle(model)
	return fmt.Sprintf("%s, batch %d", title, batch)
}

// effectsTable says by how much each accident changes one system's iteration
// time on the headline workloads: as published when it is removed, or corrected
// when it is added.
func effectsTable(system string, added bool) report.Table {
	t := report.Table{Key: "accidents", Title: "Change of the iteration time; positive is slower, a dot is no change, 1 % or more is bold.", Head: []string{"Accident"}}
	for _, p := range g10.Headline() {
		t.Head = append(t.Head, headline(p.Model, p.Batch))
	}
	effects := g10.Effects()
	for _, q := range quirk.All() {
		row := report.Row{Head: q.Key, Sub: q.Text}
		for _, p := range g10.Headline() {
			cell := report.Cell{Text: "·"}
			for i := range effects {
				if e := &effects[i]; e.Quirk == q.Quirk && e.Model == p.Model && e.System == system {
					share, ok := e.Removed()
					if added {
						share, ok = e.Added()
					}
					cell = report.Cell{Text: changeText(share, ok), Best: ok && math.Abs(share) >= 0.01}
					if ok {
						cell = cell.WithShare(share)
					}
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
	places, percent := 1, 100*math.Abs(share)
	if percent < 0.095 {
		places = 2
	}
	return sign + strconv.FormatFloat(percent, 'f', places, 64) + " %"
}

// effectTexts says for every quirk, by its key, what its removal changes most.
func effectTexts() map[string]string {
	texts := map[string]string{}
	effects := g10.Effects()
	for _, q := range quirk.All() {
		var parts []string
		for _, s := range g10.Systems {
			var most *g10.Effect
			for i := range effects {
				if e := &effects[i]; e.Quirk == q.Quirk && e.System == s && (most == nil || larger(e, most)) {
					most = e
				}
			}
			if most == nil {
				continue
			}
			if share, ok := most.Removed(); !ok || math.Abs(share) >= 0.00005 {
				title, _ := modelTitle(most.Model)
				parts = append(parts, fmt.Sprintf("%s %s (%s)", g10.Title(s), changeText(share, ok), title))
			}
		}
		texts[q.Key] = "Removing it alone changes no headline result."
		if len(parts) > 0 {
			texts[q.Key] = "Removing it alone changes iteration times by up to: " + strings.Join(parts, ", ") + "."
		}
	}
	return texts
}

// larger reports whether a changes more than b.
func larger(a, b *g10.Effect) bool {
	x, okX := a.Removed()
	y, okY := b.Removed()
	if okX != okY {
		return !okX
	}
	return math.Abs(x) > math.Abs(y)
}
