package draw

import (
	"math"
	"strconv"
	"strings"

	"spillway/sim/portable"
	"spillway/ui/chart"
)

// A scale puts values into a drawing.
type scale struct {
	low, high float64 // of the axis
	from, to  float64 // pixels of low and high
	log       bool
	powers    bool // labels are powers of ten
}

// at is the pixel of a value.
func (s *scale) at(x float64) float64 {
	low, high := s.low, s.high
	if s.log {
		x, low, high = portable.Log10(x), portable.Log10(low), portable.Log10(high)
	}
	if high == low {
		return s.from
	}
	return s.from + (s.to-s.from)*(x-low)/(high-low)
}

// inside is the pixel of a value, or of the nearer end where it is outside.
func (s *scale) inside(x float64) float64 {
	return s.at(min(max(x, s.low), s.high))
}

// A span is the least and greatest of some numbers.
type span struct {
	low, high float64
	some      bool
}

func (s *span) add(xs ...float64) {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		if !s.some {
			s.low, s.high, s.some = x, x, true
		}
		s.low, s.high = min(s.low, x), max(s.high, x)
	}
}

// step is 1, 2 or 5 times a power of ten, the first that is not below x.
func step(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return 1
	}
	power := 1.0
	for ; power > x; power /= 10 {
	}
	for ; power*10 <= x; power *= 10 {
	}
	for _, k := range []float64{1, 2, 5, 10} {
		if power*k >= x*(1-1e-9) {
			return power * k
		}
	}
	return power * 10
}

// grown is a scale of values, from and to these pixels, with about n steps. An end
// that the axis does not say is a round number; tight ends are as the values have
// them.
func grown(a *chart.Axis, s span, tight bool, from, to float64, n int) scale {
	out := scale{from: from, to: to, log: a.Log}
	if a.Log {
		return logarithmic(a, s, out)
	}
	if !s.some {
		s = span{low: 0, high: 1}
	}
	out.low, out.high = s.low, s.high
	if !tight {
		out.low, out.high = min(s.low, 0), max(s.high, 0)
	}
	if a.Min != nil {
		out.low = *a.Min
	}
	if a.Max != nil {
		out.high = *a.Max
	}
	if out.high <= out.low {
		out.high = out.low + 1
	}
	if d := step((out.high - out.low) / float64(max(n, 1))); !tight {
		if a.Min == nil {
			out.low = math.Floor(float64(out.low/d)+1e-9) * d
		}
		if a.Max == nil {
			out.high = math.Ceil(float64(out.high/d)-1e-9) * d
		}
	}
	return out
}

func logarithmic(a *chart.Axis, s span, out scale) scale {
	if !s.some || s.low <= 0 {
		s.low = 1
	}
	s.high = max(s.high, s.low)
	out.powers = s.high >= 5e4 || s.low < 5e-4
	out.low, out.high = math.Pow10(int(math.Floor(portable.Log10(s.low)+1e-9))), math.Pow10(int(math.Ceil(portable.Log10(s.high)-1e-9)))
	if a.Min != nil && *a.Min > 0 {
		out.low = *a.Min
	}
	if a.Max != nil && *a.Max > 0 {
		out.high = *a.Max
	}
	if out.high <= out.low {
		out.high = out.low * 10
	}
	return out
}

// A tick is a value that an axis names.
type tick struct {
	at   float64
	text string
}

// ticks are about n values of a scale.
func (s *scale) ticks(n int) []tick {
	var list []tick
	if s.log {
		first, last := int(math.Ceil(portable.Log10(s.low)-1e-9)), int(math.Floor(portable.Log10(s.high)+1e-9))
		each := max(1, (last-first+n)/max(n, 1))
		for k := first; k <= last; k += each {
			list = append(list, tick{math.Pow10(k), s.label(math.Pow10(k), k)})
		}
		return list
	}
	d := step((s.high - s.low) / float64(max(n, 1)))
	for k := math.Ceil(s.low/d - 1e-9); k*d <= s.high+float64(d*1e-9) && len(list) < 100; k++ {
		list = append(list, tick{k * d, s.label(k*d, 0)})
	}
	return list
}

func (s *scale) label(x float64, power int) string {
	if !s.powers {
		return strings.Replace(chart.Digits(x, 4), "-", "−", 1)
	}
	if power == 0 {
		return "1"
	}
	return "10" + raised.Replace(strconv.Itoa(power))
}

var raised = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// named are the places of an axis that has names for them.
func named(labels []string) []tick {
	list := make([]tick, len(labels))
	for i, text := range labels {
		list[i] = tick{float64(i), text}
	}
	return list
}

// widest is the width of the widest label.
func widest(list []tick) (w float64) {
	for _, t := range list {
		w = max(w, measure(t.text, usual))
	}
	return w
}

// below draws the labels and lines of a horizontal axis, and its name under them.
func (p *svgWriter) below(b box, s *scale, list []tick, name string, lines bool) {
	grid, ink := color("--grid"), color("--text-2")
	until := b.x - 20
	for _, t := range list {
		x := s.at(t.at)
		if lines {
			p.line(x, b.y, x, b.y+b.h, p.ink(nil, &grid))
		}
		if half := float64(measure(t.text, usual) / 2); x-half >= until {
			p.text(x, b.y+b.h+15, t.text, 0, ink, middle)
			until = x + half + 6
		}
	}
	p.text(b.x+float64(b.w/2), b.y+b.h+30, fit(name, usual, b.w+60), 0, ink, middle)
}

// beside draws the labels and lines of a vertical axis.
func (p *svgWriter) beside(b box, s *scale, list []tick) {
	grid, ink := color("--grid"), color("--text-2")
	for _, t := range list {
		y := s.at(t.at)
		p.line(b.x, y, b.x+b.w, y, p.ink(nil, &grid))
		p.text(b.x-6, y, t.text, 0, ink, ends+level)
	}
}

// base draws the line that bars stand on.
func (p *svgWriter) base(x1, y1, x2, y2 float64) {
	c := color("--axis")
	p.line(x1, y1, x2, y2, p.ink(nil, &c))
}

// A key is a name in a legend with its sign.
type key struct {
	name string
	sign func(x, y float64) // draws it around a place, 22 wide
}

// legend writes keys from the left, in as many rows as they need; it returns how
// high that is.
func (p *svgWriter) legend(b box, keys []key) float64 {
	if len(keys) == 0 {
		return 0
	}
	x, y := b.x, b.y+8
	for _, k := range keys {
		w := 22 + 5 + measure(k.name, usual) + 12
		if x > b.x && x+w > b.x+b.w {
			x, y = b.x, y+20
		}
		k.sign(x+11, y)
		p.text(x+27, y, fit(k.name, usual, b.w-30), 0, color("--text-2"), level)
		x += w
	}
	return y - b.y + 12
}

// swatch is the key of an area.
func (p *svgWriter) swatch(name string, l *chart.Look) key {
	return key{name, func(x, y float64) { p.rect(box{x - 7, y - 5, 14, 10}, p.filled(l, false)) }}
}

// sample is the key of a line.
func (p *svgWriter) sample(name string, l *chart.Look) key {
	return key{name, func(x, y float64) {
		c := color(l.Color)
		p.line(x-11, y, x+11, y, p.ink(nil, &c)+` stroke-width="1.8"`+dash(l.Pattern))
		p.symbol(l.Mark, x, y, 6, p.ink(&c, nil))
	}}
}
