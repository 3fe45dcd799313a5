package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"spillway/sim/train"
	study "spillway/sim/train/papers/g10"
)

// A PaperChart is a figure of the paper: our values over the published ones.
type PaperChart struct {
	Chart
	Height int // in pixels
}

// Chart draws a figure from what is known; published values are always there.
func (p *Reproduction) Chart(id string) PaperChart {
	i := p.index(id)
	if i < 0 {
		return PaperChart{Chart: Chart{ID: "paper-claims", options: o{}}}
	}
	f := &p.Figures[i]
	c := PaperChart{Chart: Chart{ID: "paper-" + f.ID, Title: "Figure " + f.ID + ": " + f.Title}}
	s := p.Standing(id)
	v := s.Verdict()
	c.Note = p.Times(id) + " " + capital(v.Text) + "."
	if f.Memory() {
		p.drawMemory(f, &c)
		return c
	}
	published := f.Marks(p.points[i], study.AsPublished)
	ours := f.Marks(p.points[i], p.ours)
	c.Alt = describeMarks(published, ours)
	if f.Kind == study.Bars || f.Kind == study.Stacks {
		drawBars(f, &c, published, ours)
	} else {
		p.drawLines(i, &c, published, ours)
	}
	return c
}

// describeMarks says how many values agree.
func describeMarks(published, ours []study.Mark) string {
	known, same := 0, 0
	for i := range ours {
		if ours[i].Known {
			if known++; ours[i].Fits == published[i].Fits && ours[i].Y == published[i].Y {
				same++
			}
		}
	}
	return fmt.Sprintf("%d published values; %d of them computed here, %d of these the same. The table below has all of them.", len(published), known, same)
}

// distinct returns the values of get in order of appearance.
func distinct(ms []study.Mark, get func(*study.Mark) string) []string {
	var out []string
	for i := range ms {
		if s := get(&ms[i]); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func panelOf(m *study.Mark) string  { return m.Panel }
func seriesOf(m *study.Mark) string { return m.Series }
func partOf(m *study.Mark) string   { return m.Part }

// seriesColor is the color of a system, or of the i-th other series.
func seriesColor(name string, i int) string {
	for k := range train.Systems {
		if train.Systems[k].Title == name {
			return fmt.Sprintf("var(--system-%d)", k%systemColors)
		}
	}
	return fmt.Sprintf("var(--system-%d)", (i+1)%systemColors)
}

var partColors = map[string]string{
	"Overlap": "var(--overlap)", "Compute": "var(--compute)", "Stall": "var(--stall)",
	"GPU-SSD": "var(--ssd-in)", "GPU-host": "var(--host-in)",
}

// drawBars draws one bar for each panel and series, and across it a tick where
// the published value is. Parts are stacked.
func drawBars(f *study.Figure, c *PaperChart, published, ours []study.Mark) {
	panels, names, parts := distinct(published, panelOf), distinct(published, seriesOf), distinct(published, partOf)
	width := len(names) + 1 // one place stays empty between panels
	places := len(panels) * width
	labels := make([]string, places)
	place := func(m *study.Mark) int {
		return slices.Index(panels, m.Panel)*width + slices.Index(names, m.Series)
	}
	stacked := f.Kind == study.Stacks
	kinds := names
	if stacked {
		kinds = parts
	}
	bars := make([]o, len(kinds))
	for i, name := range kinds {
		color := seriesColor(name, i)
		if stacked {
			color = partColors[name]
		}
		data := make([]any, places)
		for k := range data {
			data[k] = "-"
		}
		bars[i] = o{"type": "bar", "name": name, "data": data, "barMaxWidth": 20, "barCategoryGap": "25%", "itemStyle": o{"color": color}}
		if stacked {
			bars[i]["stack"] = "all"
		} else {
			bars[i]["barGap"] = "-100%"
		}
	}
	var ticks, notes []o
	level := make([]float64, places)
	for i := range published {
		m, u := &published[i], &ours[i]
		at := place(m)
		labels[at] = m.Series
		kind := m.Series
		if stacked {
			kind = m.Part
		}
		name := m.Panel + " " + m.Series
		if u.Known && u.Fits {
			bars[slices.Index(kinds, kind)]["data"].([]any)[at] = o{"value": round(u.Y), "name": name}
		}
		if !m.Fits || u.Known && !u.Fits {
			if m.Part == parts[0] {
				notes = append(notes, o{"value": []any{at, round(u.Y)}, "name": name, "label": o{"formatter": fitNote(m, u)}})
			}
			continue
		}
		level[at] += m.Y
		if !stacked || m.Part != parts[len(parts)-1] || f.ID == "14" { // the last part of a whole ends at 100 %
			ticks = append(ticks, o{"value": []any{at, round(level[at])}, "name": name + tickName(stacked, m.Part)})
		}
	}
	series := append([]o{}, bars...)
	series = append(series,
		o{
			"type": "scatter", "name": "Published", "symbol": "rect", "symbolSize": []int{20, 3}, "data": ticks, "z": 5,
			"itemStyle": o{"color": "var(--text)", "borderColor": "var(--panel)", "borderWidth": 0.5},
		},
		o{
			"type": "scatter", "name": totalSeries, "symbolSize": 1, "silent": true, "data": notes, "itemStyle": o{"color": "transparent"}, "z": 6,
			"label": o{"show": true, "rotate": 90, "position": "top", "align": "left", "verticalAlign": "middle", "fontSize": 10.5},
		})
	axis := o{"type": "value", "name": f.Y, "min": 0}
	if f.ID == "19" {
		axis["min"], axis["max"] = 0.99, 1.005
	}
	if f.ID == "12" {
		axis["max"] = 100
	}
	c.Height = 400
	c.options = o{
		"grid":    o{"left": 8, "right": 8, "top": 56, "bottom": 28, "containLabel": true},
		"legend":  o{"top": 0, "left": 0, "data": append(slices.Clone(kinds), "Published")},
		"tooltip": o{"trigger": "item", "unit": f.Y},
		"xAxis": []o{
			{"type": "category", "data": labels, "axisTick": o{"show": false}, "axisLabel": o{"rotate": 90, "interval": 0}},
			{"type": "category", "data": panels, "position": "bottom", "offset": 104, "axisTick": o{"show": false}, "axisLine": o{"show": false}, "axisLabel": o{"interval": 0, "fontWeight": 600}},
		},
		"yAxis":  axis,
		"series": series,
	}
	c.options["grid"].(o)["bottom"] = 8
	c.Text = "Bars: this simulator. Ticks: the published values."
}

func tickName(stacked bool, part string) string {
	if !stacked {
		return ", published"
	}
	return ", published, up to and with " + part
}

func fitNote(published, ours *study.Mark) string {
	switch {
	case !ours.Known || !published.Fits && !ours.Fits:
		return "does not fit"
	case published.Fits:
		return "does not fit here"
	}
	return "fits only here"
}

// drawLines draws one small chart a panel: our lines, published marks.
func (p *Reproduction) drawLines(figure int, c *PaperChart, published, ours []study.Mark) {
	f := &p.Figures[figure]
	names := distinct(published, seriesOf)
	b := newPanels(c, distinct(published, panelOf))
	for k, panel := range b.names {
		for i, name := range names {
			color := seriesColor(name, i)
			var line, marks [][2]float64
			for j := range published {
				m, u := &published[j], &ours[j]
				if m.Panel != panel || m.Series != name {
					continue
				}
				if u.Known && u.Fits {
					line = append(line, [2]float64{u.X, round(u.Y)})
				}
				if m.Fits {
					marks = append(marks, [2]float64{m.X, round(m.Y)})
				}
			}
			if f.Kind == study.Curves {
				line = p.curve(figure, panel, name)
			}
			b.add(k, o{
				"type": "line", "name": name, "data": orEmpty(line), "showSymbol": false, "itemStyle": o{"color": color},
				"lineStyle": o{"width": 1.8, "type": dashes[i%len(dashes)]},
			})
			b.add(k, o{
				"type": "scatter", "name": name + ", published", "data": orEmpty(marks), "symbol": "circle", "symbolSize": 7,
				"itemStyle": o{"color": "transparent", "borderColor": color, "borderWidth": 1.6},
			})
		}
	}
	x := o{"type": "value", "name": f.X, "min": "dataMin", "max": "dataMax"}
	switch {
	case f.Kind == study.Curves:
		x["min"], x["max"] = 75, 100
	case strings.HasPrefix(f.X, "batch"):
		x["min"] = 0
	}
	y := o{"type": "value", "min": 0}
	if f.LogY {
		y = o{"type": "log", "min": 1, "logBase": 10}
	}
	b.finish(names, f.Y, x, y, "axis")
	c.Text = "Lines: this simulator. Circles: the published values."
	if f.Kind == study.Curves {
		c.Text += " The circle at 100 % is the worst kernel."
	}
	if f.ID == "16" {
		c.Text += " One line a batch size."
	}
}

func orEmpty(points [][2]float64) [][2]float64 {
	if points == nil {
		return [][2]float64{}
	}
	return points
}

// curve returns our curve of Figure 13.
func (p *Reproduction) curve(figure int, panel, system string) [][2]float64 {
	for i := range p.points[figure] {
		x := &p.points[figure][i]
		if study.Network(x.Model, x.Batch) != panel || study.Title(x.System) != system {
			continue
		}
		out := p.runs[p.byName[x.Run()]].outcome
		if out == nil {
			return nil
		}
		var line [][2]float64
		for k, y := range out.Curve {
			line = append(line, [2]float64{75 + 25*float64(k)/float64(max(1, len(out.Curve)-1)), round(max(y, 1))})
		}
		return line
	}
	return nil
}

// drawMemory draws Figures 2, 3 and 4, which have no published values.
func (p *Reproduction) drawMemory(f *study.Figure, c *PaperChart) {
	var names []string
	some := false
	for _, n := range study.Studied() {
		names = append(names, n.String())
		some = some || p.memory(n) != nil
	}
	if !some {
		c.Empty = "Not run yet. The artifact publishes no values for this figure."
	}
	c.Text = "From the tensors' lifetimes; the artifact publishes no values for this figure."
	c.Alt = "Computed for " + strings.Join(names, ", ") + "; the claims below have the numbers."
	if f.Kind == study.Lengths {
		p.drawLengths(f, c, names)
		return
	}
	b := newPanels(c, names)
	for k, n := range study.Studied() {
		m := p.memory(n)
		if m == nil {
			m = &study.Memory{}
		}
		if f.Kind == study.Sizes {
			points := [][2]float64{}
			for _, g := range m.Periods {
				points = append(points, [2]float64{round(g.Micros), float64(g.Bytes)})
			}
			b.add(k, o{"type": "scatter", "name": "Inactive period", "data": points, "symbolSize": 3, "itemStyle": o{"color": "var(--system-6)", "opacity": 0.5}})
			continue
		}
		for i, list := range [][]float64{m.All, m.Active} {
			points := [][2]float64{}
			for j, y := range list {
				points = append(points, [2]float64{round(100 * float64(j) / float64(len(list))), round(100 * y)})
			}
			b.add(k, o{
				"type": "line", "name": [...]string{"All tensors", "Active tensors"}[i], "data": points, "showSymbol": false,
				"lineStyle": o{"width": 1.3, "type": dashes[i]}, "itemStyle": o{"color": [...]string{"var(--system-0)", "var(--system-6)"}[i]},
			})
		}
	}
	if f.Kind == study.Sizes {
		b.finish(nil, "bytes", o{"type": "log", "name": "length of the period, µs", "logBase": 10}, o{"type": "log", "logBase": 10}, "item")
		return
	}
	b.finish([]string{"All tensors", "Active tensors"}, f.Y, o{"type": "value", "name": "% of the iteration's kernels", "min": 0, "max": 100}, o{"type": "log", "logBase": 10, "min": 0.01, "max": 100}, "axis")
}

func (p *Reproduction) drawLengths(f *study.Figure, c *PaperChart, names []string) {
	var series []o
	for i, n := range study.Studied() {
		points := [][2]float64{}
		if m := p.memory(n); m != nil {
			for j, g := range m.Periods {
				points = append(points, [2]float64{round(100 * float64(j) / float64(max(1, len(m.Periods)-1))), round(g.Micros)})
			}
		}
		series = append(series, o{
			"type": "line", "name": names[i], "data": points, "showSymbol": false,
			"lineStyle": o{"width": 1.8, "type": dashes[i%len(dashes)]}, "itemStyle": o{"color": fmt.Sprintf("var(--system-%d)", []int{1, 3, 5, 6}[i])},
		})
	}
	c.Height = 340
	c.options = curves("periods, sorted by length, %", "µs (log)", series)
	c.options["yAxis"] = o{"type": "log", "logBase": 10, "min": 1, "name": "µs", "nameLocation": "end", "nameGap": 8}
	c.options["xAxis"].(o)["max"] = 100
	c.options["tooltip"].(o)["unit"] = "µs"
}

// A panels is a chart of small charts side by side.
type panels struct {
	chart  *PaperChart
	names  []string
	series []o
}

func newPanels(c *PaperChart, names []string) *panels { return &panels{chart: c, names: names} }

// add adds a series to the k-th panel.
func (b *panels) add(k int, s o) {
	s["xAxisIndex"], s["yAxisIndex"] = k, k
	b.series = append(b.series, s)
}

// Sizes of small charts, in pixels.
const (
	panelTop    = 56
	panelHeight = 196
	panelGap    = 40
)

// finish lays the panels out in rows of up to three.
func (b *panels) finish(legend []string, unit string, x, y o, trigger string) {
	columns := min(3, len(b.names))
	if len(b.names) == 4 {
		columns = 2
	}
	rows := (len(b.names) + columns - 1) / columns
	var grids, xs, ys []o
	for k, name := range b.names {
		w := 100 / columns
		grids = append(grids, o{
			"left": fmt.Sprintf("%d%%", k%columns*w), "width": fmt.Sprintf("%d%%", w-2), "containLabel": true,
			"top": panelTop + k/columns*(panelHeight+panelGap), "height": panelHeight - 12,
		})
		ax, ay := maps.Clone(x), maps.Clone(y)
		ax["gridIndex"], ay["gridIndex"] = k, k
		ax["nameLocation"], ax["nameGap"] = "middle", 22
		ax["axisLabel"] = o{"hideOverlap": true}
		ay["name"], ay["nameLocation"], ay["nameGap"] = name+", "+unit, "end", 8
		xs, ys = append(xs, ax), append(ys, ay)
	}
	b.chart.Height = panelTop + rows*(panelHeight+panelGap) - 8
	b.chart.options = o{"grid": grids, "xAxis": xs, "yAxis": ys, "series": b.series, "tooltip": o{"trigger": trigger, "unit": unit}}
	if legend != nil {
		b.chart.options["legend"] = o{"top": 0, "left": 0, "data": legend}
	}
}
