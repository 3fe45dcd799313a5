// Package draw writes charts as SVG files that stand alone: vector text, both
// themes' colors, title, description and the data. It needs no browser and no
// library, and writes the same bytes wherever it runs.
package draw

import (
	"slices"
	"strings"

	"spillway/ui/chart"
)

// The themes.
const (
	Light = "light"
	Dark  = "dark"
)

// Options say how a chart is drawn.
type Options struct {
	Width   int      // in pixels; 0: 760. Charts that need more take it
	Theme   string   // Light, Dark, or empty: as the reader's system has it
	Link    string   // the address that shows the chart in Spillway
	Version string   // of Spillway
	Data    string   // as CSV, instead of the view's own
	Hide    []string // names of series and parts that are left out
}

// Sizes, in pixels.
const (
	usualWidth = 760
	leastWidth = 240
	usual      = 12.0 // of text
	titleSize  = 14.0
	small      = 11.0
	margin     = 8.0
)

// SVG draws a chart.
func SVG(v *chart.View, o Options) string {
	width := float64(max(o.Width, leastWidth, v.Width))
	if o.Width == 0 {
		width = float64(max(usualWidth, v.Width))
	}
	data := o.Data
	if data == "" {
		data = v.Data()
	}
	p := newSVGWriter(v.ID, v.Title+v.Note+o.Link+data, o.Theme)
	p.hidden = map[string]bool{}
	for _, name := range o.Hide {
		p.hidden[name] = true
	}
	y := p.writeHead(v, width)
	height := float64(max(v.Height, 60))
	b := box{margin, y, width - 2*margin, height}
	f := v.Figure
	switch {
	case v.Empty != "" || f == nil:
		p.words(b, v)
	case f.Bars != nil:
		p.bars(f, b)
	case f.Columns != nil:
		p.columns(f, b)
	case f.Panels != nil:
		p.panels(f, b)
	case f.Heat != nil:
		p.heat(f, b)
	}
	y = p.writeFoot(width, y+height+6, &o)
	return p.file(v, &o, data, width, y)
}

// file puts the drawing between what every SVG begins and ends with.
func (p *svgWriter) file(v *chart.View, o *Options, data string, width, height float64) string {
	ground := color("--panel")
	var back svgWriter
	back.theme, back.fills, back.strokes = p.theme, p.fills, p.strokes
	back.rect(box{0, 0, width, height}, back.ink(&ground, nil))
	p.fills = back.fills
	defs := p.defs()
	var b strings.Builder
	for _, t := range []string{
		`<svg xmlns="http://www.w3.org/2000/svg" id="`, p.id, `" width="`, px(width), `" height="`, px(height), `" viewBox="0 0 `, px(width), " ", px(height),
		`" role="img" aria-labelledby="`, p.id, "-t ", p.id, `-d" font-family="'Liberation Sans', Arial, Helvetica, sans-serif" font-size="`, px(usual), "\">\n",
		`<title id="`, p.id, `-t">`, escape(v.Title), "</title>\n",
		`<desc id="`, p.id, `-d">`, escape(described(v, o)), "</desc>\n",
		`<metadata><s:view xmlns:s="urn:spillway:figure:1" chart="`, escape(v.ID), `" mode="`, escape(v.Mode), `" link="`, escape(o.Link), `" setup="`, escape(v.Setup()), `" version="`, escape(o.Version), `" type="text/csv">`,
		escape(data), "</s:view></metadata>\n",
		p.style(), defs, back.String(), p.String(), "</svg>\n",
	} {
		b.WriteString(t)
	}
	return b.String()
}

// described says in words what the drawing shows, how far it can be trusted and
// where it came from.
func described(v *chart.View, o *Options) string {
	var said []string
	for _, text := range []string{v.Text, v.Alt, v.Empty, v.Help, v.Note, labelled("Fidelity: ", v.Mode), o.Link} {
		if text = strings.TrimSpace(text); text != "" {
			said = append(said, strings.TrimSuffix(text, ".")+".")
		}
	}
	if o.Link != "" {
		said[len(said)-1] = o.Link // a point would belong to it
	}
	return strings.Join(said, " ")
}

func labelled(label, text string) string {
	if text == "" {
		return ""
	}
	return label + text
}

// writeHead writes the title, what the chart is about and how far it can be trusted;
// it returns where the drawing begins.
func (p *svgWriter) writeHead(v *chart.View, width float64) float64 {
	y := 6.0
	for _, line := range wrap(v.Title, titleSize*1.06, width-2*margin, 2) {
		y += 17
		p.text(margin, y, line, titleSize, color("--text"), ` font-weight="600"`)
	}
	trust := strings.Split(v.Mode, " · ")
	about := slices.DeleteFunc(strings.Split(strings.TrimSpace(strings.TrimPrefix(v.Note, v.Mode)), " · "), func(s string) bool { return slices.Contains(trust, s) })
	for _, line := range wrap(strings.Join(about, " · "), small, width-2*margin, 3) {
		y += 15
		p.text(margin, y, line, small, color("--text-2"), "")
	}
	for _, line := range wrap(labelled("Fidelity: ", v.Mode), small, width-2*margin, 2) {
		y += 15
		p.text(margin, y, line, small, color("--text-2"), "")
	}
	return y + 12
}

// writeFoot says which program made it, as a link to the chart there; it returns how
// high the drawing is.
func (p *svgWriter) writeFoot(width, y float64, o *Options) float64 {
	if o.Version == "" && o.Link == "" {
		return y + 2
	}
	linked := strings.HasPrefix(o.Link, "https://") || strings.HasPrefix(o.Link, "http://")
	if linked {
		p.put(`<a href="`, escape(o.Link), "\">\n")
	}
	p.text(width-margin, y+9, fit(strings.TrimSpace("Spillway "+o.Version), 10, width-2*margin), 10, color("--text-2"), ends)
	if linked {
		p.put("</a>\n")
	}
	return y + 17
}

// words stand in place of a drawing: why there is none, or the table.
func (p *svgWriter) words(b box, v *chart.View) {
	text := v.Empty
	if text == "" {
		text = v.Text + " " + v.Alt
	}
	y := b.y + 14
	for _, line := range wrap(text, usual, b.w, int(b.h)/16) {
		p.text(b.x, y, line, 0, color("--text-2"), "")
		y += 16
	}
}

// shown reports whether a series or part is not left out.
func (p *svgWriter) shown(name string) bool {
	return !p.hidden[name] && !p.hidden[strings.TrimSuffix(name, ", published")]
}

// numbers are those of a column of a figure.
func numbers(f *chart.Figure, c chart.Column) []float64 { return f.Data[c[0] : c[0]+c[1]] }
