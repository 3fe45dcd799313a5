package draw

import (
	"hash/fnv"
	"math"
	"strconv"
	"strings"

	"spillway/ui/chart"
)

// A svgWriter writes the elements of an SVG and notes which colors and patterns they
// need.
type svgWriter struct {
	strings.Builder
	id    string // begins every other ID, so that drawings can stand in one document
	theme string

	fills, strokes []paint   // used, where both themes are in the file
	patterns       []pattern // used
	clips          []box     // used
	hidden         map[string]bool
}

// A pattern is a way to fill an area besides its color.
type pattern struct {
	paint paint
	kind  int
}

// A box is a part of the drawing.
type box struct{ x, y, w, h float64 }

// newSVGWriter returns a writer for a drawing, whose IDs hang on what it draws.
func newSVGWriter(name, of, theme string) *svgWriter {
	h := fnv.New32a()
	_, _ = h.Write([]byte(of)) // it takes everything
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, name)
	return &svgWriter{id: "sp-" + clean + "-" + strconv.FormatUint(uint64(h.Sum32()), 36), theme: theme}
}

// put writes texts as they are.
func (p *svgWriter) put(texts ...string) {
	for _, t := range texts {
		p.WriteString(t)
	}
}

// px prints a length in pixels, to a tenth.
func px(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		x = 0
	}
	x = math.Round(x*10) / 10
	if x == 0 {
		return "0" // no -0
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// place is where a paint stands in a list, to which it is added.
func place(list *[]paint, c paint) string {
	for i := range *list {
		if (*list)[i] == c {
			return strconv.Itoa(i)
		}
	}
	*list = append(*list, c)
	return strconv.Itoa(len(*list) - 1)
}

// ink are the attributes of an element with a fill, a stroke, or both. The colors
// of the light theme are attributes, which every program understands; those of the
// dark one are added by a style that asks which theme is wanted.
func (p *svgWriter) ink(fill, stroke *paint) string {
	class, attrs := "", ""
	for _, x := range []struct {
		c            *paint
		name, letter string
		used         *[]paint
	}{{fill, "fill", "f", &p.fills}, {stroke, "stroke", "s", &p.strokes}} {
		if x.c == nil {
			continue
		}
		value := x.c.light
		if p.theme == Dark {
			value = x.c.dark
		}
		attrs += " " + x.name + `="` + value + `"`
		if p.theme == "" {
			class += " " + x.letter + place(x.used, *x.c)
		}
	}
	if class != "" {
		class = ` class="` + class[1:] + `"`
	}
	return class + attrs
}

// filled are the attributes of an area of a look.
func (p *svgWriter) filled(l *chart.Look, faded bool) string {
	c := color(l.Color)
	attrs := ""
	if faded {
		attrs = ` opacity="0.35"`
	}
	if l.Pattern == 0 {
		return p.ink(&c, nil) + attrs
	}
	x := pattern{c, l.Pattern}
	at := -1
	for i := range p.patterns {
		if p.patterns[i] == x {
			at = i
		}
	}
	if at < 0 {
		p.patterns, at = append(p.patterns, x), len(p.patterns)
	}
	return ` fill="url(#` + p.id + `-p` + strconv.Itoa(at) + `)"` + attrs
}

func (p *svgWriter) rect(b box, attrs string) {
	p.put(`<rect x="`, px(b.x), `" y="`, px(b.y), `" width="`, px(max(b.w, 0)), `" height="`, px(max(b.h, 0)), `"`, attrs, "/>\n")
}

func (p *svgWriter) line(x1, y1, x2, y2 float64, attrs string) {
	p.put(`<path d="M`, px(x1), " ", px(y1))
	switch {
	case y1 == y2:
		p.put("H", px(x2))
	case x1 == x2:
		p.put("V", px(y2))
	default:
		p.put("L", px(x2), " ", px(y2))
	}
	p.put(`"`, attrs, "/>\n")
}

// Where a text stands at its place, across and upright.
const (
	begins = ""
	ends   = ` text-anchor="end"`
	middle = ` text-anchor="middle"`
	level  = ` dy="0.36em"` // not dominant-baseline, which many programs do not know
)

// text writes a text; size 0 is that of most.
func (p *svgWriter) text(x, y float64, text string, size float64, c paint, attrs string) {
	if text == "" {
		return
	}
	p.put(`<text x="`, px(x), `" y="`, px(y), `"`)
	if size != 0 {
		p.put(` font-size="`, px(size), `"`)
	}
	p.put(attrs, p.ink(&c, nil), ">", escape(text), "</text>\n")
}

// upright is a text that is read from below.
func (p *svgWriter) upright(x, y float64, text string, size float64, c paint, attrs string) {
	p.text(x, y, text, size, c, attrs+` transform="rotate(-90 `+px(x)+" "+px(y)+`)"`)
}

// clip is the attribute of what is drawn inside a box only.
func (p *svgWriter) clip(b box) string {
	p.clips = append(p.clips, b)
	return ` clip-path="url(#` + p.id + "-c" + strconv.Itoa(len(p.clips)-1) + `)"`
}

// dash is the attribute of a line's pattern.
func dash(kind int) string {
	switch kind {
	case 1:
		return ` stroke-dasharray="6 4"`
	case 2:
		return ` stroke-dasharray="2 3"`
	case 3:
		return ` stroke-dasharray="8 3 2 3"`
	}
	return ""
}

// symbol draws one of the shapes that lines are told apart by.
func (p *svgWriter) symbol(kind int, x, y, size float64, attrs string) {
	r := float64(size / 2)
	switch kind {
	case 1:
		p.rect(box{x - r, y - r, size, size}, attrs)
	case 2:
		p.put(`<path d="M`, px(x), " ", px(y-r), "L", px(x+r), " ", px(y+r), "H", px(x-r), `Z"`, attrs, "/>\n")
	case 3:
		p.put(`<path d="M`, px(x), " ", px(y-r), "L", px(x+r), " ", px(y), "L", px(x), " ", px(y+r), "L", px(x-r), " ", px(y), `Z"`, attrs, "/>\n")
	default:
		p.put(`<circle cx="`, px(x), `" cy="`, px(y), `" r="`, px(r), `"`, attrs, "/>\n")
	}
}

// defs writes what the elements refer to.
func (p *svgWriter) defs() string {
	var d svgWriter
	d.theme = p.theme
	d.fills, d.strokes = p.fills, p.strokes
	panel := color("--panel")
	for i, x := range p.patterns {
		d.put(`<pattern id="`, p.id, "-p", strconv.Itoa(i), `" patternUnits="userSpaceOnUse"`)
		switch x.kind {
		case 1:
			d.put(` width="6" height="6" patternTransform="rotate(45)"><rect width="6" height="6"`, d.ink(&x.paint, nil), `/><rect width="1.8" height="6"`, d.ink(&panel, nil), "/>")
		case 3:
			d.put(` width="5" height="5"><rect width="5" height="5"`, d.ink(&x.paint, nil), `/><rect width="5" height="1.6"`, d.ink(&panel, nil), "/>")
		default:
			d.put(` width="5" height="5"><rect width="5" height="5"`, d.ink(&x.paint, nil), `/><circle cx="2.5" cy="2.5" r="1.2"`, d.ink(&panel, nil), "/>")
		}
		d.put("</pattern>\n")
	}
	for i, b := range p.clips {
		d.put(`<clipPath id="`, p.id, "-c", strconv.Itoa(i), `">`)
		d.rect(b, "")
		d.put("</clipPath>\n")
	}
	p.fills, p.strokes = d.fills, d.strokes
	if d.Len() == 0 {
		return ""
	}
	return "<defs>\n" + d.String() + "</defs>\n"
}

// style writes the dark theme's colors.
func (p *svgWriter) style() string {
	if p.theme != "" {
		return ""
	}
	var b strings.Builder
	b.WriteString("<style>@media (prefers-color-scheme:dark){")
	for i, c := range p.fills {
		b.WriteString("#" + p.id + " .f" + strconv.Itoa(i) + "{fill:" + c.dark + "}")
	}
	for i, c := range p.strokes {
		b.WriteString("#" + p.id + " .s" + strconv.Itoa(i) + "{stroke:" + c.dark + "}")
	}
	b.WriteString("}</style>\n")
	return b.String()
}
