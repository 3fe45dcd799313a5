package main

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"spillway/ui/chart"
)

// glyph is the width of a letter of the page's widest font, in pixels, and gap what is
// between a text and its bar.
const glyph, gap = 7.4, 6

// svg draws the bars of a chart, in the colors of the page's theme. It stands
// until the chart library has come; bars are in percent of what the texts beside
// them leave, so that it fits any window.
func svg(v *chart.View) string {
	f := v.Figure
	if f == nil || f.Bars == nil {
		return ""
	}
	const top, below = 8, 28
	row := float64(v.Height-top-below) / float64(max(1, len(f.Bars.Rows)))
	longest, names, ends := f.Bars.Max, 0, 0
	value := func(p *chart.Part, i int) float64 { return f.Data[p.Values[0]+i] }
	for i, r := range f.Bars.Rows {
		names, ends = max(names, utf8.RuneCountInString(r.Name)), max(ends, utf8.RuneCountInString(r.End))
		sum := 0.0
		for k := range f.Bars.Parts {
			sum += value(&f.Bars.Parts[k], i)
		}
		longest = max(longest, sum)
	}
	var b strings.Builder
	left, right := glyph*float64(names)+gap, glyph*float64(ends)+gap
	fmt.Fprintf(&b, `<svg class="static" height="%d" aria-hidden="true" style="overflow:visible;margin-left:%.1fpx;width:calc(100%% - %.1fpx)">`, v.Height, left, left+right)
	for i, r := range f.Bars.Rows {
		y := float64(top) + row*(float64(i)+0.5)
		fmt.Fprintf(&b, `<text y="%.1f" dx="%d" text-anchor="end" dominant-baseline="central">%s</text>`, y, -gap, html.EscapeString(r.Name))
		x := 0.0
		for k := range f.Bars.Parts {
			p := &f.Bars.Parts[k]
			look := p.Look
			if look == nil {
				look = r.Look
			}
			width := 0.0
			if longest > 0 {
				width = 100 * value(p, i) / longest
			}
			fmt.Fprintf(&b, `<rect x="%.2f%%" y="%.1f" width="%.2f%%" height="%.1f" style="fill:var(%s)"/>`, x, y-min(11, 0.36*row), width, min(22, 0.72*row), look.Color)
			x += width
		}
		fmt.Fprintf(&b, `<text x="%.2f%%" y="%.1f" dx="%d" dominant-baseline="central">%s</text>`, x, y, gap, html.EscapeString(r.End))
	}
	b.WriteString("</svg>")
	return b.String()
}
