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
	t := report.Table{Title: "Step " + r.Step + ", one of " + strconv.Itoa(r.Steps) + " that can be chosen", Head: []string{"", "Recorded"}}
	add := func(head, text string) { t.Rows = append(t.Rows, fact(head, text)) }
	add("Launches", strconv.Itoa(r.Launches))
	add("Kernels made of them", strconv.Itoa(r.Kernels))
	add("Time of all launches", r.Summed.String())
	add("In launches whose tensors are known", r.Covered.String()+share(int64(r.Covered), int64(r.Summed)))
	add("Beside other launches", max(0, r.Summed+r.Added-r.Busy).String()+share(int64(r.Summed+r.Added-r.Busy), int64(r.Summed+r.Added)))
	add("Idle, left out", (r.Span-r.Busy).String()+share(int64(r.Span-r.Busy), int64(r.Span)))
	if m := r.Moved; m != nil {
		add("Moved to "+m.To.Name, fmt.Sprintf("%v became %v, ± %d %%", m.Before, m.After, r.Band))
		add("By the shapes of kernels", m.ByShape.String()+share(int64(m.ByShape), int64(m.Before)))
		add("By their classes", m.ByClass.String()+share(int64(m.ByClass), int64(m.Before)))
		add("As recorded", m.Kept.String()+share(int64(m.Kept), int64(m.Before)))
	}
	add("Communication", r.Communication.String()+share(int64(r.Communication), int64(r.Summed)))
	add("Left out for want of tensors", fmt.Sprintf("%d launches, %v", r.Dropped, r.Lost))
	add("Peak of the tensors", r.Rebuilt.String())
	counter := "not recorded"
	if r.Counter > 0 {
		counter = r.Counter.String()
	}
	add("Peak by the recording's counter", counter)
	add("Resident, of no known tensor", r.Resident.String())
	return t
}

// classTable is how long the kernels of each class take on the GPU that was chosen, and how far off
// that is.
func classTable(r *recording.Report) report.Table {
	t := report.Table{Title: "Kernels by class on the GPU that was chosen; eight of ten of a class are within its band", Head: []string{"Class", "Kernels", "Recorded", "There", "Of known shape", "Band"}}
	for i := range r.Classes {
		c := &r.Classes[i]
		before := "–"
		if c.Before > 0 {
			before = c.Before.String()
		}
		t.Rows = append(t.Rows, report.Row{Head: prose.Capital(c.Class.Word()), Cells: []report.Cell{
			{Text: strconv.Itoa(c.Kernels)}, {Text: before}, {Text: c.After.String()}, {Text: recording.Percent(int64(c.Shaped), int64(c.After))}, {Text: fmt.Sprintf("± %d %%", c.Band)},
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
	t := report.Table{Title: "Tensors of the step", Head: []string{"", "Tensors", "Bytes"}}
	most := unit.Bytes(1)
	for i := range r.Roles {
		most = max(most, r.Roles[i].Bytes)
	}
	add := func(head, sub string, y recording.Tally) {
		if y.Tensors > 0 {
			t.Rows = append(t.Rows, report.Row{Head: head, Sub: sub, Cells: []report.Cell{
				{Text: strconv.Itoa(y.Tensors)}, {Text: y.Bytes.String(), Share: min(1, float64(y.Bytes)/float64(most))},
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
	t := report.Table{Title: fmt.Sprintf("Memory by role when most was in use, %v at %v", most, p.Times[at]), Head: []string{"Role", "Bytes", "Most by itself"}}
	for r, role := range p.Roles {
		if r >= len(p.Levels) || at >= len(p.Levels[r]) {
			continue
		}
		alone := unit.Bytes(0)
		for _, b := range p.Levels[r] {
			alone = max(alone, b)
		}
		b := p.Levels[r][at]
		t.Rows = append(t.Rows, report.Row{Head: role, Cells: []report.Cell{{Text: b.String(), Share: float64(b) / float64(max(1, most))}, {Text: alone.String()}}})
	}
	return t
}

// moments is how many moments of a picture the table has.
const moments = 24

// pictureOver is memory by role over time: at moments between which the most counts.
func pictureOver(p *recording.Picture) report.Table {
	t := report.Table{Title: "Memory over time, the most of each stretch", Head: append([]string{"Until"}, p.Roles...)}
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
			row.Cells = append(row.Cells, report.Cell{Text: b.String()})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
