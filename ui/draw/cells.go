package draw

import (
	"strings"

	"spillway/ui/chart"
)

// cells draws grids of many small cells, each of a class, the first row on top.
func (p *svgWriter) cells(f *chart.Figure, b box) {
	h := f.Heat
	var keys []key
	for i := range h.Looks {
		if h.Looks[i].Look != nil {
			keys = append(keys, p.swatch(h.Looks[i].Name, h.Looks[i].Look))
		}
	}
	top := p.legend(b, keys)
	w := b.w / float64(max(len(h.Names), 1))
	who := numbers(f, h.Who)
	size := len(h.X.Labels) * len(h.Y.Labels)
	if size == 0 {
		return
	}
	for k := range h.Names {
		p.grid(h, who[k*size:(k+1)*size], k, box{b.x + float64(w*float64(k)), b.y + top, w - 12, b.h - top})
	}
}

// grid draws one of them: neighbors of a row that are alike are one rectangle.
func (p *svgWriter) grid(h *chart.Heat, who []float64, k int, b box) {
	nx, ny := len(h.X.Labels), len(h.Y.Labels)
	left := 0.0
	for _, text := range h.Y.Labels {
		left = max(left, min(measure(text, usual), 110))
	}
	name := h.Y.Name
	if h.Names[k] != "" {
		name = h.Names[k] + " · " + name
	}
	p.text(b.x, b.y+14, fit(name, usual, b.w), 0, color("--text-2"), begins)
	in := box{b.x + left + 8, b.y + 24, b.w - left - 8, b.h - 24 - 38}
	cell := box{w: in.w / float64(nx), h: in.h / float64(ny)}
	for i := range h.Looks {
		if !p.shown(h.Looks[i].Name) || h.Looks[i].Look == nil {
			continue
		}
		var d strings.Builder
		for at := 0; at < nx*ny; {
			n := 1
			for at%nx+n < nx && who[at+n] == who[at] {
				n++
			}
			if int(who[at]) == i {
				wide := px(cell.w * float64(n))
				for _, t := range []string{"M", px(in.x + float64(cell.w*float64(at%nx))), " ", px(in.y + float64(cell.h*float64(at/nx))), "h", wide, "v", px(cell.h), "h-", wide, "z"} {
					d.WriteString(t)
				}
			}
			at += n
		}
		if d.Len() > 0 {
			ink := color(h.Looks[i].Look.Color)
			p.put(`<path d="`, d.String(), `"`, p.ink(&ink, nil), ` shape-rendering="crispEdges"/>`, "\n")
		}
	}
	frame := color("--axis")
	p.rect(in, ` fill="none"`+p.ink(nil, &frame))
	for i := 0; i < ny; i += stride(ny, cell.h, usual+4) {
		p.text(in.x-6, in.y+float64(cell.h*(float64(i)+0.5)), fit(h.Y.Labels[i], usual, 110), 0, color("--text-2"), ends+level)
	}
	s := scale{low: -0.5, high: float64(nx) - 0.5, from: in.x, to: in.x + in.w}
	p.below(in, &s, named(h.X.Labels), h.X.Name, false)
	if len(h.Here) == 2 && k == 0 {
		ink := color("--text")
		p.rect(box{in.x + float64(cell.w*float64(h.Here[0])) - 1, in.y + float64(cell.h*float64(h.Here[1])) - 1, cell.w + 2, cell.h + 2}, ` fill="none"`+p.ink(nil, &ink)+` stroke-width="2"`)
	}
}

// stride is how many rows have one label, so that labels do not touch.
func stride(rows int, each, room float64) int {
	n := 1
	for n < rows && each*float64(n) < room {
		n *= 2
	}
	return n
}
