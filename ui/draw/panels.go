package draw

import (
	"math"
	"slices"

	"spillway/ui/chart"
)

// few is up to how many points of a line are marked; of longer lines some are.
const few = 12

// panels draws curves, in one chart or in small ones side by side.
func (p *svgWriter) panels(f *chart.Figure, b box) {
	c := f.Panels
	n := len(c.Names)
	single := n == 1 && c.Names[0] == ""
	top := p.legend(b, p.lines(c))
	perRow := min(3, max(n, 1))
	if n == 4 || c.Together {
		perRow = 2
	}
	rows := (n + perRow - 1) / perRow
	each := box{w: b.w / float64(perRow), h: (b.h - top) / float64(max(rows, 1))}
	all := span{}
	for k := range n {
		all.add(p.extent(f, k, 1, &c.Y)...)
	}
	for k := range n {
		reach := all
		if !c.Together {
			reach = span{}
			reach.add(p.extent(f, k, 1, &c.Y)...)
		}
		if c.Limit != nil {
			reach.add(c.Limit.At)
		}
		name := c.Y.Name
		if !single && c.Names[k] != "" {
			if name = c.Names[k]; c.Y.Name != "" {
				name += ", " + c.Y.Name
			}
		}
		in := box{b.x + float64(each.w*float64(k%perRow)), b.y + top + float64(each.h*float64(k/perRow)), each.w, each.h}
		if !single {
			in.w -= 16
		}
		p.panel(f, k, in, reach, name)
	}
}

// lines are the keys of the legend.
func (p *svgWriter) lines(c *chart.Panels) (keys []key) {
	for _, name := range c.Legend {
		for i := range c.Series {
			s := &c.Series[i]
			if s.Name != name || !p.shown(name) {
				continue
			}
			switch s.Shape {
			case chart.Area:
				keys = append(keys, p.swatch(name, &s.Look))
			case chart.Marks:
				keys = append(keys, key{name, func(x, y float64) { p.mark(x, y, s) }})
			default:
				keys = append(keys, p.sample(name, &s.Look))
			}
			break
		}
	}
	for i := range c.Series {
		if c.Series[i].Ghost {
			keys = append(keys, key{"Baseline", func(x, y float64) {
				ink := color("--text-2")
				p.line(x-11, y, x+11, y, p.ink(nil, &ink)+` stroke-dasharray="3 3"`)
			}})
			break
		}
	}
	for i := range c.Series {
		if s := &c.Series[i]; s.Shape == chart.Rings {
			ink, name := color("--text-2"), "Published"
			if slices.ContainsFunc(c.Series, func(s chart.Series) bool { return s.Doubted }) {
				name += doubted
			}
			keys = append(keys, key{name, func(x, y float64) { p.ring(x, y, ink) }})
			break
		}
	}
	return keys
}

// extent lists the values of a panel's series: axis 0 across, 1 upright.
func (p *svgWriter) extent(f *chart.Figure, panel, axis int, a *chart.Axis) (list []float64) {
	for i := range f.Panels.Series {
		s := &f.Panels.Series[i]
		if s.Panel != panel || !p.shown(s.Name) {
			continue
		}
		for xs := numbers(f, s.Points); len(xs) > 1; xs = xs[2:] {
			if x := xs[axis]; x > 0 || !a.Log {
				list = append(list, x)
			}
		}
	}
	return list
}

// panel draws one chart.
func (p *svgWriter) panel(f *chart.Figure, k int, b box, reach span, name string) {
	c := f.Panels
	in := box{b.x, b.y + 26, b.w - 14, b.h - 26 - 38}
	sy := grown(&c.Y, reach, false, in.y+in.h, in.y, int(in.h/45))
	list := sy.ticks(int(in.h / 45))
	left := widest(list) + 10
	in.x, in.w = in.x+left, in.w-left
	across := span{}
	across.add(p.extent(f, k, 0, &c.X)...)
	sx := grown(&c.X, across, true, in.x, in.x+in.w, int(in.w/80))
	marks, lines := sx.ticks(int(in.w/80)), true
	if len(c.X.Labels) > 0 {
		marks, lines = named(c.X.Labels), false
		sx.low, sx.high = min(sx.low, 0), max(sx.high, float64(len(marks)-1))
	}
	p.beside(in, &sy, list)
	p.below(in, &sx, marks, c.X.Name, lines)
	p.text(b.x, b.y+14, fit(name, usual, b.w), 0, color("--text-2"), begins)
	p.put("<g", p.clip(box{in.x - 6, in.y - 6, in.w + 12, in.h + 12}), ">\n")
	if c.Room[1] > 0 {
		fill := color("--room")
		p.room(numbers(f, c.Room), p.ink(&fill, nil), &sx, &sy)
	}
	for i := len(c.Series) - 1; i >= 0; i-- { // areas, the highest first
		if s := &c.Series[i]; s.Panel == k && s.Shape == chart.Area && p.shown(s.Name) {
			p.area(numbers(f, s.Points), s, &sx, &sy)
		}
	}
	for i := range c.Series {
		if s := &c.Series[i]; s.Panel == k && s.Shape != chart.Area && p.shown(s.Name) {
			if s.Band[1] > 0 {
				fill := color(s.Look.Color)
				p.room(numbers(f, s.Band), p.ink(&fill, nil)+` fill-opacity="0.18"`, &sx, &sy)
			}
			p.series(numbers(f, s.Points), s, &sx, &sy, i, len(c.Names) == 1)
		}
	}
	p.put("</g>\n")
	p.base(in.x, in.y+in.h, in.x+in.w, in.y+in.h)
	p.limits(c, k, in, &sx, &sy)
}

// limits draws the lines across and upright with their names.
func (p *svgWriter) limits(c *chart.Panels, k int, in box, sx, sy *scale) {
	if c.Limit != nil && c.Limit.At >= sy.low && c.Limit.At <= sy.high {
		ink, y := color("--limit"), sy.at(c.Limit.At)
		p.line(in.x, y, in.x+in.w, y, p.ink(nil, &ink)+` stroke-width="1.5"`)
		if k == 0 {
			p.text(in.x+in.w-4, y-5, c.Limit.Text, 0, ink, ends)
		}
	}
	if c.Here != nil && c.Here.At >= sx.low && c.Here.At <= sx.high {
		ink, x := color("--text-2"), sx.at(c.Here.At)
		p.line(x, in.y, x, in.y+in.h, p.ink(nil, &ink)+dash(1))
		if x > in.x+float64(in.w/2) {
			p.text(x-6, in.y+12, c.Here.Text, 0, ink, ends)
		} else {
			p.text(x+6, in.y+12, c.Here.Text, 0, ink, begins)
		}
	}
}

// room draws a band whose points are x, lower and upper edge.
func (p *svgWriter) room(points []float64, ink string, sx, sy *scale) {
	var low, high []float64
	for ; len(points) > 2; points = points[3:] {
		low, high = append(low, points[0], points[1]), append(high, points[0], points[2])
	}
	lows, highs := placed(low, sx, sy), placed(high, sx, sy)
	for i := range min(len(lows), len(highs)) {
		back := slices.Clone(lows[i])
		slices.Reverse(back)
		p.put(`<path d="`)
		p.way(append(slices.Clone(highs[i]), back...), false)
		p.put(`Z"`, ink, "/>\n")
	}
}

// A point is one of a series, in pixels.
type point struct{ x, y float64 }

// placed are the points of a series in the drawing, in runs without gaps. Points
// that fall on the one before them are left out.
func placed(points []float64, sx, sy *scale) (runs [][]point) {
	var run []point
	for ; len(points) > 1; points = points[2:] {
		x, y := points[0], points[1]
		if math.IsNaN(x) || math.IsNaN(y) || sx.log && x <= 0 || sy.log && y <= 0 {
			if len(run) > 0 {
				runs, run = append(runs, run), nil
			}
			continue
		}
		at := point{sx.at(x), sy.at(y)}
		if n := len(run); n > 0 && px(run[n-1].x) == px(at.x) && px(run[n-1].y) == px(at.y) {
			continue
		}
		run = append(run, at)
	}
	if len(run) > 0 {
		runs = append(runs, run)
	}
	return runs
}

// way writes the path through points.
func (p *svgWriter) way(run []point, steps bool) {
	for i, at := range run {
		switch {
		case i == 0:
			p.put("M", px(at.x), " ", px(at.y))
		case steps:
			p.put("H", px(at.x), "V", px(at.y))
		default:
			p.put("L", px(at.x), " ", px(at.y))
		}
	}
}

// series draws a line or a set of points.
func (p *svgWriter) series(points []float64, s *chart.Series, sx, sy *scale, i int, alone bool) {
	c := color(s.Look.Color)
	seen := ""
	if s.Faded {
		seen = ` opacity="0.35"`
	}
	runs := placed(points, sx, sy)
	switch s.Shape {
	case chart.Dots:
		for _, run := range runs {
			for _, at := range run {
				p.symbol(0, at.x, at.y, 3, p.ink(&c, nil)+` opacity="0.5"`)
			}
		}
		return
	case chart.Rings:
		for _, run := range runs {
			for _, at := range run {
				p.ring(at.x, at.y, c)
				if s.Doubted {
					y := at.y - 6
					if y < sy.at(sy.high)+10 { // it would be cut off
						y = at.y + 15
					}
					p.text(at.x, y, chart.Doubted, 0, color("--text"), middle)
				}
			}
		}
		return
	case chart.Marks:
		for _, run := range runs {
			for _, at := range run {
				p.mark(at.x, at.y, s)
			}
		}
		return
	}
	look := ` stroke-width="1.7"` + dash(s.Look.Pattern) + seen
	if s.Ghost {
		look = ` stroke-width="1" stroke-dasharray="3 3"`
	}
	for _, run := range runs {
		p.put(`<path d="`)
		p.way(run, s.Shape == chart.Step)
		p.put(`" fill="none"`, p.ink(nil, &c), ` stroke-linejoin="round"`, look, "/>\n")
	}
	if !s.Ghost {
		p.marked(runs, s, c, seen, i, alone)
	}
}

// marked puts a line's mark on its points, or on some of many.
func (p *svgWriter) marked(runs [][]point, s *chart.Series, c paint, seen string, i int, alone bool) {
	var all []point
	for _, run := range runs {
		all = append(all, run...)
	}
	panel := color("--panel")
	if len(all) <= few {
		for _, at := range all {
			p.symbol(s.Look.Mark, at.x, at.y, 5, p.ink(&c, nil)+seen)
		}
		return
	}
	if !alone {
		return
	}
	_, shift := math.Modf(float64(float64(i) * 0.618))
	for k := range 5 { // elsewhere on every line
		at := all[int((float64(k)+shift)/5*float64(len(all)))]
		p.symbol(s.Look.Mark, at.x, at.y, 6, p.ink(&c, &panel)+` stroke-width="0.8"`+seen)
	}
}

// area draws what is under a line; what is drawn later covers it.
func (p *svgWriter) area(points []float64, s *chart.Series, sx, sy *scale) {
	panel := color("--panel")
	look := p.filled(&s.Look, false)
	if s.Faded {
		c := mixed(color(s.Look.Color), panel, 0.35)
		look = p.ink(&c, nil)
	}
	low := sy.inside(0)
	for _, run := range placed(points, sx, sy) {
		p.put(`<path d="`)
		p.way(run, false)
		p.put("V", px(low), "H", px(run[0].x), `Z"`, look, "/>\n")
		p.put(`<path d="`)
		p.way(run, false)
		p.put(`" fill="none"`, p.ink(nil, &panel), ` stroke-width="0.5"`, "/>\n")
	}
}

func (p *svgWriter) ring(x, y float64, c paint) {
	p.put(`<circle cx="`, px(x), `" cy="`, px(y), `" r="3.5" fill="none"`, p.ink(nil, &c), ` stroke-width="1.6"`, "/>\n")
}

func (p *svgWriter) mark(x, y float64, s *chart.Series) {
	c, panel := color(s.Look.Color), color("--panel")
	attrs := p.ink(&c, &panel)
	if s.Faded {
		attrs += ` opacity="0.35"`
	}
	p.symbol(3, x, y, 11, attrs)
}
