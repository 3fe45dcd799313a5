package draw

import (
	"math"
	"slices"

	"spillway/ui/chart"
)

// heat draws maps of two knobs: a cell for every pair of points.
func (p *svgWriter) heat(f *chart.Figure, b box) {
	h := f.Heat
	if h.Dense {
		p.cells(f, b)
		return
	}
	m := &maps{svgWriter: p, h: h, values: numbers(f, h.Values)}
	if len(h.Looks) > 0 {
		m.who = numbers(f, h.Who)
	}
	var keys []key
	for i := range h.Looks {
		if k := &h.Looks[i]; k.Look != nil && slices.Contains(m.who, float64(i)) {
			keys = append(keys, p.swatch(k.Name, k.Look))
		}
	}
	m.reach.add(m.values...)
	top := p.legend(b, keys)
	n := max(len(h.Names), 1)
	perRow := min(3, n)
	if n == 4 {
		perRow = 2
	}
	w, high := b.w/float64(perRow), (b.h-top)/float64((n+perRow-1)/perRow)
	for k := range h.Names {
		m.draw(k, box{b.x + float64(w*float64(k%perRow)), b.y + top + float64(high*float64(k/perRow)), w - 12, high})
	}
}

// maps are what all maps of a figure share.
type maps struct {
	*svgWriter
	h           *chart.Heat
	values, who []float64
	reach       span
}

// draw draws one map.
func (m *maps) draw(k int, b box) {
	h := m.h
	nx, ny := len(h.X.Labels), len(h.Y.Labels)
	if nx*ny == 0 {
		return
	}
	left := 0.0
	for _, text := range h.Y.Labels {
		left = max(left, min(measure(text, usual), 110))
	}
	name := h.Y.Name
	if len(h.Names) > 1 {
		name = h.Names[k] + " · " + name
	}
	m.text(b.x, b.y+14, fit(name, usual, b.w), 0, color("--text-2"), begins)
	in := box{b.x + left + 8, b.y + 24, b.w - left - 8, b.h - 24 - 38}
	cell := box{w: in.w / float64(nx), h: in.h / float64(ny)}
	for i := range nx * ny {
		m.cell(k*nx*ny+i, box{in.x + float64(cell.w*float64(i%nx)), in.y + in.h - float64(cell.h*float64(i/nx+1)), cell.w - 1, cell.h - 1})
	}
	for i, text := range h.Y.Labels {
		m.text(in.x-6, in.y+in.h-float64(cell.h*(float64(i)+0.5)), fit(text, usual, 110), 0, color("--text-2"), ends+level)
	}
	s := scale{low: -0.5, high: float64(nx) - 0.5, from: in.x, to: in.x + in.w}
	m.below(in, &s, named(h.X.Labels), h.X.Name, false)
	if len(h.Here) == 2 {
		ink := color("--text")
		m.rect(box{in.x + float64(cell.w*float64(h.Here[0])) + 1, in.y + in.h - float64(cell.h*float64(h.Here[1]+1)) + 1, cell.w - 3, cell.h - 3}, ` fill="none"`+m.ink(nil, &ink)+` stroke-width="2"`)
	}
}

// cell draws one pair of points: who is best there, or the value as a color.
func (m *maps) cell(at int, b box) {
	v := m.values[at]
	text := m.h.Marks[at]
	ground := color("--bg")
	switch {
	case math.IsNaN(v):
	case m.who != nil:
		if who := int(m.who[at]); who >= 0 && who < len(m.h.Looks) && m.h.Looks[who].Look != nil {
			look := m.h.Looks[who].Look
			m.rect(b, m.filled(look, false))
			m.said(b, m.h.Looks[who].Name, color(look.Color), look.Pattern != 0)
			return
		}
	default:
		text = chart.Digits(v, 4)
		const shades = 32 // few colors make a small file
		share := 0.5
		if m.reach.high > m.reach.low {
			share = math.Round(shades*(v-m.reach.low)/(m.reach.high-m.reach.low)) / shades
		}
		ground = mixed(color("--accent"), color("--panel"), 0.06+float64(0.94*share))
	}
	m.rect(b, m.ink(&ground, nil))
	m.said(b, text, ground, false)
}

// said writes a text into a cell where there is room, on a ground of its own where
// the cell has a pattern.
func (m *maps) said(b box, text string, ground paint, own bool) {
	w := measure(text, usual)
	if text == "" || b.h < 13 || b.w < w+4 {
		return
	}
	if own {
		m.rect(box{b.x + float64(b.w/2) - float64(w/2) - 2, b.y + float64(b.h/2) - 7, w + 4, 14}, m.ink(&ground, nil))
	}
	m.text(b.x+float64(b.w/2), b.y+float64(b.h/2), text, 0, over(ground, color("--text"), color("--panel")), middle+level)
}
