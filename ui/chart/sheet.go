package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/ui/lab"
)

// Heights of drawings of papers, in pixels.
const (
	columnsHeight = 400
	panelHeight   = 236
	panelTop      = 48
)

// Sheet returns a figure of a paper: what was published, and ours. Its table is
// made by [Differences], because it is long and seldom open.
func Sheet(s *study.Sheet, info *lab.Info) View {
	v := View{
		ID: s.Paper + "-" + s.Figure, Title: study.Headed(s.Figure, s.Title), Mode: s.Note,
		Note: strings.TrimSpace(s.Note + " " + sentence(s.Tally.Verdict)), Alt: s.Drawing.Describe(),
		Results: len(s.Drawing.Published) + len(s.Drawing.Curves), sheet: s,
	}
	d := &paperDrawing{Drawing: &s.Drawing, info: info}
	switch s.Drawing.Kind {
	case study.Table:
		return v
	case study.Bars, study.Stacks:
		v.Height, v.Figure = columnsHeight, d.columns()
		v.Width = 50 + 14*len(v.Figure.Columns.Labels)
		v.Text = "Bars: this simulator."
		if published(s) {
			v.Text += " Ticks: the published values."
		}
	default:
		v.Height, v.Figure = panelTop+panelRows(len(s.Drawing.Panels))*panelHeight, d.panels()
		v.Width = 640
		what := "Lines"
		if s.Drawing.Kind == study.Dots {
			what = "Dots"
		}
		v.Text = what + ": this simulator."
		if published(s) {
			v.Text += " Circles: the published values."
		}
	}
	if slices.ContainsFunc(s.Drawing.Published, func(m study.Mark) bool { return m.Doubted }) {
		v.Text += " " + Doubted + ": the published value is doubted."
	}
	if s.Drawing.Read != "" {
		v.Text += " " + s.Drawing.Read
	}
	if len(s.Drawing.Panels) == 0 {
		v.Empty, v.Results = "Not run yet. No values were published for this figure.", 0
	}
	return v
}

// published reports whether a value of the figure was published.
func published(s *study.Sheet) bool {
	return slices.ContainsFunc(s.Drawing.Published, func(m study.Mark) bool { return m.Known })
}

// panelRows is in how many rows n small charts stand; charts.js puts them there.
func panelRows(n int) int {
	columns := min(3, max(n, 1))
	if n == 4 {
		columns = 2
	}
	return max(1, (n+columns-1)/columns)
}

// A paperDrawing is a figure of a paper while it is drawn.
type paperDrawing struct {
	*study.Drawing
	info *lab.Info
}

// look is that of the i-th series: of its system, of its color, of its place.
func (d *paperDrawing) look(s *study.Series, i int) Look {
	if s.Color != "" {
		return Look{"--" + s.Color, i % patterns, i % marks}
	}
	if d.info != nil && s.System != "" {
		if system, err := d.info.System(s.System); err == nil && !d.shared(s.System) {
			return SystemLook(system)
		}
	}
	return Look{"--part-" + strconv.Itoa(i%parts), i % patterns, i % marks}
}

// shared reports whether several series are about one system, so that its look
// would not tell them apart.
func (d *paperDrawing) shared(system string) bool {
	n := 0
	for i := range d.Series {
		if d.Series[i].System == system {
			n++
		}
	}
	return n > 1
}

func indexOf(list []study.Series, name string) int {
	return slices.IndexFunc(list, func(s study.Series) bool { return s.Name == name })
}

// columns draws a bar for each panel and series, and across it a tick where the
// published value is. Parts stand on one another.
func (d *paperDrawing) columns() *Figure {
	f := &Figure{Columns: &Columns{Stacked: d.Kind == study.Stacks, Y: d.y()}}
	c := f.Columns
	width := len(d.Series) + 1 // one place stays empty between panels
	places := len(d.Panels) * width
	c.Labels = make([]string, places)
	for k, name := range d.Panels {
		c.Groups = append(c.Groups, Group{name, k * width, len(d.Series)})
		for i := range d.Series {
			c.Labels[k*width+i] = d.Series[i].Name
		}
	}
	kinds := d.Series
	if c.Stacked {
		kinds = d.Parts
	}
	bars := make([][]float64, len(kinds))
	for i := range bars {
		bars[i] = slices.Repeat([]float64{math.NaN()}, places)
	}
	var ticks []float64
	doubted := make([]bool, places)
	level, over, there := make([]float64, places), make([]float64, places), make([]bool, places)
	for i := range d.Published {
		m, u := &d.Published[i], &d.Ours[i]
		at := slices.Index(d.Panels, m.Panel)*width + indexOf(d.Series, m.Series)
		kind := indexOf(d.Series, m.Series)
		first, last := true, true
		if c.Stacked {
			kind = indexOf(d.Parts, m.Part)
			first, last = kind == 0, kind == len(d.Parts)-1
		}
		if !there[at] {
			there[at] = m.Known || u.Known
		}
		if u.Known && u.Fits {
			bars[kind][at] = u.Y
			over[at] += u.Y
		}
		if text := fitting(m, u); text != "" {
			if first {
				c.Notes = append(c.Notes, Note{At: at, Text: text})
			}
			continue
		}
		if !m.Known {
			continue
		}
		if level[at] += m.Y; !c.Stacked || !d.Whole || !last {
			ticks = append(ticks, float64(at), level[at])
			name := m.Panel + " " + m.Series + tickName(c.Stacked, m.Part)
			if m.Doubted {
				name += ", doubted"
			}
			c.Names = append(c.Names, name)
		}
		doubted[at] = doubted[at] || m.Doubted
	}
	for k := range d.Panels {
		for i := range d.Series {
			if at := k*width + i; !there[at] {
				c.Notes = append(c.Notes, Note{At: at, Text: Dash})
			}
		}
	}
	for i := range c.Notes {
		c.Notes[i].Over = over[c.Notes[i].At]
	}
	for at := range doubted {
		if !doubted[at] {
			continue
		}
		high := max(over[at], level[at])
		if c.Y.Max != nil {
			high = min(high, *c.Y.Max)
		}
		c.Notes = append(c.Notes, Note{At: at, Over: high, Text: Doubted})
	}
	for i := range kinds {
		look := d.look(&kinds[i], i)
		c.Kinds = append(c.Kinds, Part{Name: kinds[i].Name, Look: &look, Values: f.add(bars[i]...)})
	}
	c.Ticks = f.add(ticks...)
	return f
}

func tickName(stacked bool, part string) string {
	if !stacked {
		return ", published"
	}
	return ", published, up to and with " + part
}

// fitting says who cannot run it, "" if nobody says so.
func fitting(published, ours *study.Mark) string {
	switch {
	case published.Known && !published.Fits && ours.Known && ours.Fits:
		return "fits only here"
	case published.Known && !published.Fits:
		return Unfit
	case ours.Known && !ours.Fits && published.Known:
		return "does not fit here"
	case ours.Known && !ours.Fits:
		return Unfit
	}
	return ""
}

// y is the vertical axis.
func (d *paperDrawing) y() Axis {
	a := Axis{Name: d.Axes.Y, Unit: unitOf(d.Axes.Y), Log: d.Axes.LogY, Min: end(d.Axes.Least), Max: end(d.Axes.Most)}
	if a.Min == nil && !a.Log {
		a.Min = new(float64(0))
	}
	return a
}

// unitOf is the unit in an axis's name: "s" of "time, s".
func unitOf(name string) string {
	if at := strings.LastIndex(name, ", "); at >= 0 {
		return name[at+2:]
	}
	return name
}

// x is the horizontal axis.
func (d *paperDrawing) x() Axis {
	a := Axis{Name: d.Axes.X, Log: d.Axes.LogX, Min: end(d.Axes.Left), Max: end(d.Axes.Right)}
	if a.Min == nil && d.Axes.FromZero {
		a.Min = new(float64(0))
	}
	return a
}

func end(x float64) *float64 {
	if x == 0 {
		return nil
	}
	return new(x)
}

// panels draws one small chart a panel: our curves, published rings.
func (d *paperDrawing) panels() *Figure {
	f := &Figure{Panels: &Panels{Names: d.Panels, X: d.x(), Y: d.y()}}
	p := f.Panels
	shape := Line
	if d.Kind == study.Dots {
		shape = Dots
	}
	for k, panel := range d.Panels {
		for i := range d.Series {
			s := &d.Series[i]
			look := d.look(s, i)
			if s.System == "" || d.shared(s.System) {
				look.Pattern = i % patterns // lines of one thing differ in their dashes too
			}
			var xs, ys, px, py, qx, qy []float64
			published := false
			for j := range d.Published {
				m, u := &d.Published[j], &d.Ours[j]
				if m.Panel != panel || m.Series != s.Name {
					continue
				}
				if u.Known && u.Fits && d.Kind != study.Curves && d.drawable(u.X, u.Y) {
					xs, ys = append(xs, u.X), append(ys, u.Y)
				}
				published = published || m.Known
				switch {
				case !m.Known || !m.Fits || !d.drawable(m.X, m.Y):
				case m.Doubted:
					qx, qy = append(qx, m.X), append(qy, m.Y)
				default:
					px, py = append(px, m.X), append(py, m.Y)
				}
			}
			for j := range d.Curves {
				if c := &d.Curves[j]; c.By == panel && c.Name == s.Name {
					cx, cy := d.points(c)
					xs, ys = append(xs, cx...), append(ys, cy...)
				}
			}
			p.Series = append(p.Series, Series{Panel: k, Name: s.Name, Shape: shape, Look: look, Points: f.points(xs, ys), Picks: f.add()})
			if published {
				p.Series = append(p.Series, Series{Panel: k, Name: s.Name + ", published", Shape: Rings, Look: look, Points: f.points(px, py), Picks: f.add()})
			}
			if len(qx) > 0 {
				p.Series = append(p.Series, Series{Panel: k, Name: s.Name + ", published", Shape: Rings, Look: look, Doubted: true, Points: f.points(qx, qy), Picks: f.add()})
			}
		}
	}
	if len(d.Series) > 1 {
		for i := range d.Series {
			p.Legend = append(p.Legend, d.Series[i].Name)
		}
	}
	return f
}

// drawable reports whether the axes can show the point.
func (d *paperDrawing) drawable(x, y float64) bool {
	return finite(x) && finite(y) && (x > 0 || !d.Axes.LogX) && (y > 0 || !d.Axes.LogY)
}

func (d *paperDrawing) points(c *report.Curve) (xs, ys []float64) {
	for i := range min(len(c.X), len(c.Y)) {
		if d.drawable(c.X[i], c.Y[i]) {
			xs, ys = append(xs, c.X[i]), append(ys, c.Y[i])
		}
	}
	return xs, ys
}

// Differences is the table of a sheet: every point, published and ours.
func Differences(s *study.Sheet) report.Table {
	t := report.Table{Title: s.Title, Head: []string{"What", "System", "Quantity", "Published", "Here", "Difference", "Verdict"}}
	for i := range s.Rows {
		l := &s.Rows[i]
		published, ours, diff := Published(l)
		t.Rows = append(t.Rows, report.Row{Head: l.Of, Sub: l.At, Cells: []report.Cell{
			{Text: l.Title}, {Text: join(l.Quantity, l.Unit)}, {Text: published}, {Text: ours}, {Text: diff}, {Text: l.Verdict},
		}})
	}
	return t
}

// Published returns a line's values and their difference as people read them.
func Published(l *study.Line) (published, ours, diff string) {
	published, ours, diff = Unfit, Unfit, Dash
	if l.Fits {
		published = Digits(l.Published, 6)
	}
	switch {
	case l.Status == "":
		return published, Dash, Dash
	case l.OursFits:
		ours = Digits(l.Ours, 6)
	}
	if l.Fits && l.OursFits {
		if diff = "0 %"; l.Diff != 0 {
			diff = signed(100*l.Diff) + " %"
		}
	}
	return published, ours, diff
}

// signed prints a difference with its sign; what would be nothing is not zero.
func signed(x float64) string {
	text := strings.TrimPrefix(Fixed(x, 2), "-")
	sign := "+"
	if x < 0 {
		sign = "−"
	}
	if text == "0.00" {
		return "< 0.01"
	}
	return sign + text
}

// lines is the file of a sheet.
func lines(s *study.Sheet) [][]string {
	rows := [][]string{{
		"paper", "figure", "of", "at", "system", "quantity", "setup", "unit", "published", "published_fits", "here", "here_fits",
		"difference", "status", "rebuilt", "why", "note", "source",
	}}
	if len(s.Rows) == 0 && len(s.Drawing.Curves) > 0 {
		return curveLines(s)
	}
	number := func(x float64, ok bool) string {
		if !ok || !finite(x) {
			return ""
		}
		return exact(x)
	}
	for i := range s.Rows {
		l := &s.Rows[i]
		ran := l.Status != ""
		here := ""
		if ran {
			here = strconv.FormatBool(l.OursFits)
		}
		rows = append(rows, []string{
			s.Paper, s.Figure, l.Of, l.At, l.System, l.Quantity, l.Set, l.Unit, number(l.Published, l.Fits), strconv.FormatBool(l.Fits),
			number(l.Ours, ran && l.OursFits), here, number(l.Diff, ran && l.Fits && l.OursFits), string(l.Status), strconv.FormatBool(l.Rebuilt), l.Why, l.Note, l.Source,
		})
	}
	return rows
}

// curveLines is the file of a sheet without published values: its curves.
func curveLines(s *study.Sheet) [][]string {
	rows := [][]string{{"paper", "figure", "of", "curve", orElse(s.Drawing.Axes.X, "x"), orElse(s.Drawing.Axes.Y, "y")}}
	for i := range s.Drawing.Curves {
		c := &s.Drawing.Curves[i]
		for k := range min(len(c.X), len(c.Y)) {
			if finite(c.X[k]) && finite(c.Y[k]) {
				rows = append(rows, []string{s.Paper, s.Figure, c.By, c.Name, exact(c.X[k]), exact(c.Y[k])})
			}
		}
	}
	return rows
}
