package draw

import (
	"math"
	"slices"

	"spillway/ui/chart"
)

// thick is the most that a bar measures across.
const thick = 22

// doubted follows the name of published values in a legend where some are doubted.
const doubted = " (" + chart.Doubted + ": doubted)"

// bars draws horizontal bars, one a row.
func (p *svgWriter) bars(f *chart.Figure, b box) {
	bars := f.Bars
	var parts []*chart.Part
	for i := range bars.Parts {
		if len(bars.Parts) == 1 || p.shown(bars.Parts[i].Name) {
			parts = append(parts, &bars.Parts[i])
		}
	}
	was := map[int]float64{}
	for g := numbers(f, bars.Ghost); len(g) > 1; g = g[2:] {
		was[int(g[0])] = g[1]
	}
	bands := map[int]span{}
	for g := numbers(f, bars.Band); len(g) > 2; g = g[3:] {
		s := span{}
		s.add(g[1])
		s.add(g[2])
		bands[int(g[0])] = s
	}
	var keys []key
	if len(bars.Parts) > 1 {
		for _, part := range parts {
			if part.Look != nil {
				keys = append(keys, p.swatch(part.Name, part.Look))
			}
		}
	}
	sums := len(bars.Parts) > 1
	if len(was) > 0 {
		keys = append(keys, key{"Baseline", func(x, y float64) { p.ghost(x-9, x+6, y, 10, sums) }})
	}
	top := p.legend(b, keys)
	whole := make([]float64, len(bars.Rows))
	reach := span{}
	reach.add(0)
	names, behind := 0.0, 76.0
	if bars.Limit != nil {
		reach.add(1.02 * bars.Limit.At)
		top += 16
	}
	if r := bars.Room; r != nil {
		reach.add(1.02 * r.Least)
		top += 16
	}
	from := numbers(f, bars.From) // of a waterfall
	for i := range bars.Rows {
		if len(from) > 0 {
			whole[i] = from[i]
			reach.add(from[i])
		}
		for _, part := range parts {
			whole[i] += numbers(f, part.Values)[i]
		}
		reach.add(whole[i])
		if x, ok := was[i]; ok {
			reach.add(x)
		}
		if s, ok := bands[i]; ok {
			reach.add(s.high)
		}
		names = max(names, measure(bars.Rows[i].Name, usual))
		behind = max(behind, measure(bars.Rows[i].End, usual)+14)
	}
	names = min(names, 0.3*b.w)
	behind = min(behind, 0.35*b.w)
	axis := chart.Axis{}
	if bars.Max > 0 {
		axis.Max = &bars.Max
	}
	in := box{b.x + names + 10, b.y + top + 4, b.w - names - 10 - behind, b.h - top - 38}
	s := grown(&axis, reach, false, in.x, in.x+in.w, int(in.w/80))
	p.below(in, &s, s.ticks(int(in.w/80)), bars.Unit, true)
	if r := bars.Room; r != nil {
		from, to := s.inside(min(r.Least, r.Known)), s.inside(max(r.Least, r.Known))
		room := color("--room")
		p.rect(box{from, in.y, to - from, in.h}, p.ink(&room, nil))
	}
	row := in.h / float64(max(len(bars.Rows), 1))
	for i := range bars.Rows {
		y := in.y + float64(row*(float64(i)+0.5))
		high := min(thick, 0.8*row)
		p.row(f, i, parts, &s, box{in.x, y - float64(high/2), 0, high})
		end := s.inside(whole[i])
		if len(from) > 0 {
			end = max(end, s.inside(from[i]))
			if i+1 < len(from) {
				p.base(s.inside(whole[i]), y, s.inside(whole[i]), y+row)
			}
		}
		if x, ok := was[i]; ok {
			p.ghost(s.at(0), s.inside(x), y, high, sums)
			end = max(end, s.inside(x))
		}
		if b, ok := bands[i]; ok {
			ink := color("--text")
			p.line(s.inside(b.low), y, s.inside(b.high), y, p.ink(nil, &ink)+` stroke-width="2"`)
			end = max(end, s.inside(b.high))
		}
		p.text(in.x-8, y, fit(bars.Rows[i].Name, usual, names), 0, color("--text"), ends+level)
		behind := box{end + 4, y - float64(row/2), measure(bars.Rows[i].End, usual) + 4, row}
		if bars.Limit != nil {
			p.limit(s.inside(bars.Limit.At), 1.5, "--limit", behind)
		}
		if bars.Room != nil {
			p.limit(s.inside(bars.Room.Least), 1, "--text", behind)
		}
		p.text(end+6, y, bars.Rows[i].End, 0, color("--text"), level)
	}
	p.base(in.x, in.y, in.x, in.y+in.h)
	if bars.Limit != nil {
		p.text(s.inside(bars.Limit.At), in.y-5, fit(bars.Limit.Text, usual, b.w/2), 0, color("--limit"), middle)
	}
	if r := bars.Room; r != nil { // its text stands to the right of the line where there is room
		at := s.inside(r.Least)
		if right := b.x + b.w - at; right > measure(r.Text, usual) || right > at-b.x {
			p.text(at-2, in.y-5, fit(r.Text, usual, right), 0, color("--text"), begins)
		} else {
			p.text(at+2, in.y-5, fit(r.Text, usual, at-b.x), 0, color("--text"), ends)
		}
	}
}

// limit draws the part of an upright line that is in a row, but not behind its text.
func (p *svgWriter) limit(x, wide float64, name string, text box) {
	if x > text.x && x < text.x+text.w {
		return
	}
	ink := color(name)
	p.rect(box{x - float64(wide/2), text.y, wide, text.h}, p.ink(&ink, nil))
}

// row draws the bar of one row.
func (p *svgWriter) row(f *chart.Figure, i int, parts []*chart.Part, s *scale, b box) {
	r := &f.Bars.Rows[i]
	sum := 0.0
	if from := numbers(f, f.Bars.From); len(from) > 0 {
		sum = from[i]
	}
	for _, part := range parts {
		look := part.Look
		if look == nil {
			look = r.Look
		}
		from := s.inside(sum)
		sum += numbers(f, part.Values)[i]
		if to := s.inside(sum); look != nil && to != from {
			p.rect(box{min(from, to), b.y, max(from, to) - min(from, to), b.h}, p.filled(look, r.Faded))
		}
	}
}

// ghost draws what the baseline had: an outline, or of sums a mark at the end.
func (p *svgWriter) ghost(from, to, y, high float64, sums bool) {
	ink, panel := color("--text"), color("--panel")
	if sums {
		p.rect(box{to - 1.25, y - float64(high/2) - 1, 2.5, high + 2}, p.ink(&ink, &panel)+` stroke-width="0.8"`)
		return
	}
	p.rect(box{from, y - float64(high/2), to - from, high}, ` fill="none"`+p.ink(nil, &ink)+` stroke-width="1.2" stroke-dasharray="4 3"`)
}

// columns draws upright bars in groups, published values as ticks across them.
func (p *svgWriter) columns(f *chart.Figure, b box) {
	c := f.Columns
	ink := color("--text")
	var keys []key
	for i := range c.Kinds {
		if k := &c.Kinds[i]; k.Look != nil && p.shown(k.Name) {
			keys = append(keys, p.swatch(k.Name, k.Look))
		}
	}
	ticks := numbers(f, c.Ticks)
	if len(ticks) > 0 {
		name := "Published"
		if slices.ContainsFunc(c.Notes, func(n chart.Note) bool { return n.Text == chart.Doubted }) {
			name += doubted
		}
		keys = append(keys, key{name, func(x, y float64) { p.rect(box{x - 7, y - 1.5, 14, 3}, p.ink(&ink, nil)) }})
	}
	top := p.legend(b, keys) + 22
	labels := 0.0
	for _, text := range c.Labels {
		labels = max(labels, min(measure(text, usual), 112))
	}
	in := box{b.x, b.y + top, b.w, b.h - top - labels - 30}
	reach, whole := p.reach(f)
	s := grown(&c.Y, reach, false, in.y+in.h, in.y, int(in.h/45))
	list := s.ticks(int(in.h / 45))
	left := widest(list) + 10
	in.x, in.w = in.x+left, in.w-left
	p.beside(in, &s, list)
	p.text(b.x, in.y-10, c.Y.Name, 0, color("--text-2"), begins)
	each := in.w / float64(max(len(c.Labels), 1))
	middles := func(at float64) float64 { return in.x + float64(each*(at+0.5)) }
	p.uprights(f, &s, in, each)
	p.base(in.x, in.y+in.h, in.x+in.w, in.y+in.h)
	wide := min(20, 0.85*each)
	panel := color("--panel")
	for t := ticks; len(t) > 1; t = t[2:] {
		if t[1] > 0 || !s.log {
			p.rect(box{middles(t[0]) - float64(wide/2), s.inside(t[1]) - 1.5, wide, 3}, p.ink(&ink, &panel)+` stroke-width="0.5"`)
		}
	}
	for i, text := range c.Labels {
		p.upright(middles(float64(i)), in.y+in.h+7, fit(text, usual, 112), 0, color("--text"), ends+level)
	}
	for _, g := range c.Groups {
		at := in.x + float64(each*(float64(g.At)+float64(float64(g.N)/2)))
		p.text(at, in.y+in.h+labels+24, fit(g.Name, usual, each*float64(g.N+1)), 0, color("--text"), middle+` font-weight="600"`)
	}
	for _, n := range c.Notes {
		high := whole[n.At]
		if n.Text == chart.Doubted {
			high = n.Over
		}
		p.note(&n, high, &s, in, middles(float64(n.At)))
	}
}

// reach is which values columns have, and the sum of each place.
func (p *svgWriter) reach(f *chart.Figure) (reach span, whole []float64) {
	c := f.Columns
	whole = make([]float64, len(c.Labels))
	add := func(x float64) {
		if x > 0 || !c.Y.Log {
			reach.add(x)
		}
	}
	for i := range c.Kinds {
		for at, x := range numbers(f, c.Kinds[i].Values) {
			if !math.IsNaN(x) && p.shown(c.Kinds[i].Name) {
				whole[at] += x
				add(whole[at])
			}
		}
	}
	for t := numbers(f, c.Ticks); len(t) > 1; t = t[2:] {
		add(t[1])
	}
	return reach, whole
}

// uprights draws the bars.
func (p *svgWriter) uprights(f *chart.Figure, s *scale, in box, each float64) {
	c := f.Columns
	wide := min(20, 0.75*each)
	from := make([]float64, len(c.Labels))
	for i := range c.Kinds {
		k := &c.Kinds[i]
		if k.Look == nil || !p.shown(k.Name) {
			continue
		}
		for at, x := range numbers(f, k.Values) {
			if math.IsNaN(x) || s.log && x <= 0 {
				continue
			}
			low := in.y + in.h
			if from[at] > 0 || !s.log {
				low = s.inside(from[at])
			}
			if from[at] += x; !c.Stacked {
				from[at] = x
			}
			high := s.inside(from[at])
			p.rect(box{in.x + float64(each*(float64(at)+0.5)) - float64(wide/2), high, wide, low - high}, p.filled(k.Look, false))
		}
	}
}

// note writes a text over a bar, or in it where there is no room over it.
func (p *svgWriter) note(n *chart.Note, whole float64, s *scale, in box, x float64) {
	y := in.y + in.h
	if whole > 0 {
		y = s.inside(whole)
	}
	switch {
	case measure(n.Text, usual) < 12:
		p.text(x, y-5, n.Text, 13, color("--text"), middle)
	case y-in.y < measure(n.Text, 10.5)+8:
		panel := color("--panel")
		p.rect(box{x - 6.5, y + 4, 13, measure(n.Text, 10.5) + 6}, p.ink(&panel, nil))
		p.upright(x, y+7, n.Text, 10.5, color("--text"), ends+level)
	default:
		p.upright(x, y-5, n.Text, 10.5, color("--text"), level)
	}
}
