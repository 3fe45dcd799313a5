package main

import (
	"fmt"
	"html"
	"strings"

	"spillway/ui/chart"
)

// svg draws the bars of a chart, in the colors of the page's theme. It stands
// until the chart library has come; widths are in percent, so that it fits any
// window.
func svg(v *chart.View) string {
	f := v.Figure
	if f == nil || f.Bars == nil {
		return ""
	}
	const names, ends, top, below = 24, 14, 8, 28 // percent, percent, pixels, pixels
	row := float64(v.Height-top-below) / float64(max(1, len(f.Bars.Rows)))
	longest := f.Bars.Max
	value := func(p *chart.Part, i int) float64 { return f.Data[p.Values[0]+i] }
	for i := range f.Bars.Rows {
		sum := 0.0
		for k := range f.Bars.Parts {
			sum += value(&f.Bars.Parts[k], i)
		}
		longest = max(longest, sum)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="static" width="100%%" height="%d" aria-hidden="true">`, v.Height)
	for i, r := range f.Bars.Rows {
		y := float64(top) + row*(float64(i)+0.5)
		fmt.Fprintf(&b, `<text x="%d%%" y="%.1f" dx="-6" text-anchor="end" dominant-baseline="central">%s</text>`, names, y, html.EscapeString(r.Name))
		x := float64(names)
		for k := range f.Bars.Parts {
			p := &f.Bars.Parts[k]
			look := p.Look
			if look == nil {
				look = r.Look
			}
			width := 0.0
			if longest > 0 {
				width = (100 - names - ends) * value(p, i) / longest
			}
			fmt.Fprintf(&b, `<rect x="%.2f%%" y="%.1f" width="%.2f%%" height="%.1f" style="fill:var(%s)"/>`, x, y-min(11, 0.36*row), width, min(22, 0.72*row), look.Color)
			x += width
		}
		fmt.Fprintf(&b, `<text x="%.2f%%" y="%.1f" dx="6" dominant-baseline="central">%s</text>`, x, y, html.EscapeString(r.End))
	}
	b.WriteString("</svg>")
	return b.String()
}
