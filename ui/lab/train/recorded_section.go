package train

import (
	"fmt"
	"strconv"

	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// account is the section that says what a recording is and what became of it.
func account(w Workload) *report.Section {
	x := w.imported
	if x == nil {
		return &report.Section{Text: []string{"This workload was made of no recording."}}
	}
	s := &report.Section{Text: []string{fmt.Sprintf("%s, label %s: %s. Labels, from the most that is known: L3, L2, L1m, L1, E2, E1m, E1; T and M cannot be simulated.", x.Format, x.Label, labelled[x.Label])}}
	if x.cannot != "" {
		s.Text = append(s.Text, sentence(x.cannot))
		s.Notes = append(append(s.Notes, x.Recording.Notes...), x.Advice...)
	} else {
		r := x.account
		s.Text = append(append(s.Text, w.Origin), r.Warnings...)
		s.Tables = append(s.Tables, accountTable(r), tallies(r))
		if len(r.Classes) > 0 {
			s.Tables = append(s.Tables, classTable(r))
		}
		s.Notes = append(append(s.Notes, r.Notes...), r.Advice...)
	}
	if len(x.Picture.Roles) > 0 && len(x.Picture.Times) > 0 {
		s.Tables = append(s.Tables, picturePeaks(&x.Picture), pictureOver(&x.Picture))
	}
	return s
}

// accountTable is what became of the launches of the step.
func accountTable(r *recording.Report) report.Table {
	t := report.Table{Key: "step", Title: "Step " + r.Step + ", one of " + strconv.Itoa(r.Steps) + " that can be chosen", Head: []string{"", "Recorded"}}
	add := func(head string, c report.Cell) { t.Rows = append(t.Rows, fact(head, c)) }
	of := func(head string, x, all unit.Time) {
		add(head, report.Textf("%v%s", x, share(int64(x), int64(all))).Exactly(x))
	}
	add("Launches", report.Textf("%d", r.Launches))
	add("Kernels made of them", report.Textf("%d", r.Kernels))
	add("Time of all launches", report.Textf("%v", r.Summed))
	of("In launches whose tensors are known", r.Covered, r.Summed)
	of("Beside other launches", max(0, r.Summed+r.Added-r.Busy), r.Summed+r.Added)
	of("Idle, left out", r.Span-r.Busy, r.Span)
	if m := r.Moved; m != nil {
		add("Moved to "+m.To.Name, report.Textf("%v became %v, ± %d %%", m.Before, m.After, r.Band).
			Part("before", float64(m.Before)/float64(unit.Second), "s").Part("after", float64(m.After)/float64(unit.Second), "s").Part("band", float64(r.Band), "%"))
		of("By the shapes of kernels", m.ByShape, m.Before)
		of("By their classes", m.ByClass, m.Before)
		of("As recorded", m.Kept, m.Before)
	}
	of("Communication", r.Communication, r.Summed)
	add("Left out for want of tensors", report.Textf("%d launches, %v", r.Dropped, r.Lost).Part("launches", float64(r.Dropped), "").Part("time", float64(r.Lost)/float64(unit.Second), "s"))
	add("Peak of the tensors", report.Textf("%v", r.Rebuilt))
	counter := report.Textf("not recorded")
	if r.Counter > 0 {
		counter = report.Textf("%v", r.Counter)
	}
	add("Peak by the recording's counter", counter)
	add("Resident, of no known tensor", report.Textf("%v", r.Resident))
	return t
}

// classTable is how long the kernels of each class take on the GPU that was chosen, and how far off
// that is.
func classTable(r *recording.Report) report.Table {
	t := report.Table{Key: "classes", Title: "Kernels by class on the GPU that was chosen; eight of ten of a class are within its band", Head: []string{"Class", "Kernels", "Recorded", "There", "Of known shape", "Band"}}
	for i := range r.Classes {
		c := &r.Classes[i]
		before := report.DashCell()
		if c.Before > 0 {
			before = report.Textf("%v", c.Before)
		}
		t.Rows = append(t.Rows, report.Row{Head: prose.Capital(c.Class.Word()), Cells: []report.Cell{
			report.Textf("%d", c.Kernels), before, report.Textf("%v", c.After),
			report.Textf("%s", recording.Percent(int64(c.Shaped), int64(c.After))).With(100*float64(c.Shaped)/float64(max(1, c.After)), "%"),
			report.Textf("± %d %%", c.Band).With(float64(c.Band), "%"),
		}})
	}
	return t
}

// share prints a part in percent behind it.
func share(part, all int64) string {
	if all <= 0 {
		return ""
	}
	return " (" + recording.Percent(part, all) + ")"
}

// tallies are the tensors, by source and by role.
func tallies(r *recording.Report) report.Table {
	t := report.Table{Key: "tensors", Title: "Tensors of the step", Head: []string{"", "Tensors", "Bytes"}}
	most := unit.Bytes(1)
	for i := range r.Roles {
		most = max(most, r.Roles[i].Bytes)
	}
	add := func(head, sub string, y recording.Tally) {
		if y.Tensors > 0 {
			t.Rows = append(t.Rows, report.Row{Head: head, Sub: sub, Cells: []report.Cell{
				report.Cell{Text: strconv.Itoa(y.Tensors)}.Exactly(y.Tensors), report.Cell{Text: y.Bytes.String(), Share: min(1, float64(y.Bytes)/float64(most))}.Exactly(y.Bytes),
			}})
		}
	}
	for i, says := range [...][2]string{{"Measured", "allocations"}, {"Joined", "from another file"}, {"Estimated", "from shapes"}} {
		add(says[0], says[1], r.Sources[i])
	}
	for i := range r.Roles {
		add(prose.Capital(workload.Kind(i).String()), "role", r.Roles[i])
	}
	return t
}

// peakOf returns the place where the sum of all roles is largest.
func peakOf(p *recording.Picture) (at int, most unit.Bytes) {
	for i := range p.Times {
		if sum := sumAt(p, i); sum > most {
			at, most = i, sum
		}
	}
	return at, most
}

func sumAt(p *recording.Picture, i int) (sum unit.Bytes) {
	for r := range p.Levels {
		if i < len(p.Levels[r]) {
			sum += p.Levels[r][i]
		}
	}
	return sum
}

// picturePeaks says what memory was for when most of it was in use.
func picturePeaks(p *recording.Picture) report.Table {
	at, most := peakOf(p)
	t := report.Table{Key: "roles", Title: fmt.Sprintf("Memory by role when most was in use, %v at %v", most, p.Times[at]), Head: []string{"Role", "Bytes", "Most by itself"}}
	for r, role := range p.Roles {
		if r >= len(p.Levels) || at >= len(p.Levels[r]) {
			continue
		}
		alone := unit.Bytes(0)
		for _, b := range p.Levels[r] {
			alone = max(alone, b)
		}
		b := p.Levels[r][at]
		t.Rows = append(t.Rows, report.Row{Head: role, Cells: []report.Cell{report.Cell{Text: b.String(), Share: float64(b) / float64(max(1, most))}.Exactly(b), report.Cell{Text: alone.String()}.Exactly(alone)}})
	}
	return t
}

// moments is how many moments of a picture the table has.
const moments = 24

// pictureOver is memory by role over time: at moments between which the most counts.
func pictureOver(p *recording.Picture) report.Table {
	t := report.Table{Key: "memory", Title: "Memory over time, the most of each stretch", Head: append([]string{"Until"}, p.Roles...)}
	n := len(p.Times)
	step := max(1, (n+moments-1)/moments)
	for from := 0; from < n; from += step {
		to := min(from+step, n)
		row := report.Row{Head: p.Times[to-1].String()}
		for r := range p.Roles {
			b := unit.Bytes(0)
			for i := from; i < to && r < len(p.Levels) && i < len(p.Levels[r]); i++ {
				b = max(b, p.Levels[r][i])
			}
			row.Cells = append(row.Cells, report.Cell{Text: b.String()}.Exactly(b))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
