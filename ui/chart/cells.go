package chart

import (
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
)

// Sizes of grids of cells, in pixels.
const (
	cellsHeight = 400 // about, of the cells alone
	cellLeast   = 4
	cellMost    = 18
	cellsAround = 104 // legend, names and axes
)

// Cells returns a section's map as a chart; look are the knobs of the view.
func Cells(id string, m *report.Map, look *knob.Setup) View {
	v := View{ID: id, Title: m.Title, Help: m.Help, Results: 1, Picks: m.Pick.Key != ""}
	if len(m.Cells) == 0 || m.Columns*len(m.Rows)*len(m.Grids) != len(m.Cells) || len(m.Classes) > report.Levels {
		v.Results, v.Empty = 0, "There are no cells."
		return v
	}
	step := max(m.Step, 1)
	h := &Heat{Names: m.Grids, X: Axis{Name: m.X}, Y: Axis{Name: m.Y, Labels: m.Rows}, Dense: true}
	f := &Figure{Heat: h}
	for i := range m.Columns {
		h.X.Labels = append(h.X.Labels, strconv.Itoa(m.From+i*step))
	}
	for i, name := range m.Classes {
		h.Looks = append(h.Looks, Part{Name: name, Look: &Look{Color: level(i, len(m.Classes))}})
	}
	who := make([]float64, len(m.Cells))
	for i, c := range m.Cells {
		if who[i] = float64(c); int(c) >= len(m.Classes) {
			who[i] = -1
		}
	}
	h.Values, h.Who = f.add(), f.add(who...)
	if len(m.Pick.First) == len(m.Rows) {
		for _, n := range m.Pick.First {
			f.Data = append(f.Data, float64(n))
		}
		h.Picks = Column{len(f.Data) - len(m.Rows), len(m.Rows)}
		h.Here = here(m, look)
		h.Step = m.Step
	}
	v.Figure = f
	v.Height = cellsAround + len(m.Rows)*min(max(cellsHeight/len(m.Rows), cellLeast), cellMost)
	v.count(m)
	v.File = cellsCSV(m)
	return v
}

// level is the color of a class.
func level(i, of int) string {
	if of > 1 {
		i = (i*(report.Levels-1) + (of-1)/2) / (of - 1)
	}
	return "--level-" + strconv.Itoa(i)
}

// here is the column and row that would be picked to set what is set now.
func here(m *report.Map, look *knob.Setup) []int {
	pairs, err := knob.Pairs(m.Pick.Set)
	if err != nil || look == nil {
		return nil
	}
	for _, p := range pairs {
		if look.Text(p.Key) != p.Text {
			return nil
		}
	}
	now, err := strconv.ParseInt(look.Text(m.Pick.Key), 10, 64)
	if err != nil {
		return nil
	}
	for row, first := range m.Pick.First {
		if at := (now - first) / int64(max(m.Step, 1)); now >= first && at < int64(m.Columns) && m.Cells[row*m.Columns+int(at)] != report.NoCell {
			return []int{int(at), row}
		}
	}
	return nil
}

// count says how many cells are of each class, in words and as a table.
func (v *View) count(m *report.Map) {
	size := m.Columns * len(m.Rows)
	v.Table = report.Table{Title: m.Title, Head: append([]string{"Cells"}, m.Grids...)}
	if len(m.Grids) == 1 {
		v.Table.Head[1] = "Number"
		v.Table.Head = append(v.Table.Head, "Share")
	}
	for _, name := range m.Classes {
		v.Table.Rows = append(v.Table.Rows, report.Row{Head: name})
	}
	var said []string
	for g := range m.Grids {
		var counts [256]int
		all := 0
		for _, c := range m.Cells[g*size : (g+1)*size] {
			counts[c]++
			if int(c) < len(m.Classes) {
				all++
			}
		}
		var parts []string
		for i, name := range m.Classes {
			row := &v.Table.Rows[i]
			row.Cells = append(row.Cells, report.Cell{Text: Count(int64(counts[i]))})
			share := Percent(float64(counts[i]), float64(all))
			if len(m.Grids) == 1 {
				row.Cells = append(row.Cells, report.Cell{Text: share})
			}
			if counts[i] > 0 {
				parts = append(parts, name+" "+share)
			}
		}
		text := Count(int64(all)) + " cells: " + prose.List(parts)
		if m.Grids[g] != "" {
			text = m.Grids[g] + ", " + text
		}
		said = append(said, text)
	}
	v.Text = sentence(strings.Join(said, "; "))
	v.Alt = v.Text
}

// cellsCSV has a line for every row, with the classes as they are called.
func cellsCSV(m *report.Map) string {
	head := []string{m.Y}
	if len(m.Grids) > 1 {
		head = append([]string{"grid"}, head...)
	}
	for i := range m.Columns {
		head = append(head, strconv.Itoa(m.From+i*max(m.Step, 1)))
	}
	rows := [][]string{head}
	for at := 0; at < len(m.Cells); at += m.Columns {
		k := at / m.Columns
		line := []string{m.Rows[k%len(m.Rows)]}
		if len(m.Grids) > 1 {
			line = slices.Insert(line, 0, m.Grids[k/len(m.Rows)])
		}
		for _, c := range m.Cells[at : at+m.Columns] {
			text := ""
			if int(c) < len(m.Classes) {
				text = m.Classes[c]
			}
			line = append(line, text)
		}
		rows = append(rows, line)
	}
	return csvText(rows)
}
