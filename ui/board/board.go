// Package board makes a paper's scoreboard: how far ours are from all of its numbers, as HTML.
//
// It is in the laboratories' programs, whose papers have the numbers, and not in the page's, which
// everybody loads. The page puts the text where it belongs; what can be pressed has data-figure.
// Dots are paths, one a figure and basis, because a page of thousands of elements would be slow:
// data-rows has the row of each.
package board

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"spillway/sim/portable"
	"spillway/sim/prose"
	"spillway/sim/study"
)

// The drawing of all numbers, in pixels.
const (
	width, height   = 800, 236
	left, right     = 44, 8
	top, bottom     = 14, 210
	most            = 4   // times the published value, and its inverse: what is beyond sits on the edge
	zone            = 0.2 // that is shaded around equal
	labels          = 5   // letters of a figure's name, and more where columns are wide
	thumbs, thumb   = 8, 34
	barWide, bandOf = 120, 100
)

var (
	classes = []string{"held", "fitted", "doubted"} // by study.Basis
	words   = []string{"held out", "fitted or counted", "doubted"}
)

// HTML returns the scoreboard, with the tallies and scores that the paper's Tallies has: of every
// figure, and last of everything. It is empty while nothing is known.
func HTML(p *study.Paper, tallies []study.Tally, scores []study.Score) string {
	all, t := &scores[len(scores)-1], &tallies[len(tallies)-1]
	if all.Of == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<h2 class="headline">%d of %d published numbers are met; half of all are within %s.</h2>`, t.Compared-t.Gap, t.Compared, percent(max(all.Median, 0.01)))
	b.WriteString(`<div class="board-top"><figure class="figure board-all"><figcaption class="fine">Every number, ours over published, by figure or table. Pressing a dot opens its figure and its row.</figcaption><div class="paper-scroll" tabindex="0" role="region" aria-label="Every number, wider than narrow windows">`)
	dots(&b, p, scores)
	b.WriteString(`</div>`)
	legend(&b, p, scores)
	b.WriteString(`</figure><div class="figure board-far"><h3>How far off</h3><table class="board-close"><tbody>`)
	for k, limit := range study.Closeness {
		share := float64(all.Close[k]) / float64(all.Of)
		fmt.Fprintf(&b, `<tr><th scope="row">within %s</th><td>%s</td><td>%s</td></tr>`, percent(limit), bar(share, 0), percent(share))
	}
	b.WriteString(`</tbody></table>`)
	if all.Pairs > 0 {
		fmt.Fprintf(&b, `<p class="fine">Of %d pairs of systems with different published values %s are in the same order here.</p>`, all.Pairs, percent(float64(all.Agree)/float64(all.Pairs)))
	}
	if t.Holds+t.Near+t.Differs > 0 {
		fmt.Fprintf(&b, `<p class="fine">Statements of the text that hold: %d, that are near: %d, that differ: %d.</p>`, t.Holds, t.Near, t.Differs)
	}
	b.WriteString(`</div></div><ul class="board-figures">`)
	for i := range p.Figures {
		if s := &scores[i]; s.Of > 0 {
			card(&b, p, &p.Figures[i], &tallies[i], s)
		}
	}
	b.WriteString(`</ul>`)
	return b.String()
}

// dots draws every number.
func dots(b *strings.Builder, p *study.Paper, scores []study.Score) {
	n := 0
	for i := range p.Figures {
		if len(scores[i].Dots) > 0 {
			n++
		}
	}
	wide := float64(width-left-right) / float64(n)
	y := func(ratio float64) float64 {
		x := float64(-1)
		if ratio > 0 {
			x = max(-1, min(1, portable.Log(ratio)/portable.Log(most)))
		}
		return (top+bottom)/2 - float64(x*(bottom-top)/2)
	}
	fmt.Fprintf(b, `<svg viewBox="0 0 %d %d" role="img" aria-label="Dots: ours over published, from a quarter to four times, by figure. The figures below say the same in numbers, and their tables have every one."><rect class="zone" x="%d" y="%.1f" width="%d" height="%.1f"/>`, width, height, left, y(1+zone), width-left-right, y(1-zone)-y(1+zone))
	for _, at := range []struct {
		ratio float64
		text  string
	}{{4, "4×"}, {2, "2×"}, {1, "equal"}, {0.5, "½"}, {0.25, "¼"}} {
		fmt.Fprintf(b, `<path class="grid" d="M%d %.1fH%d"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`, left, y(at.ratio), width-right, left-6, y(at.ratio)+4, at.text)
	}
	k := 0
	for i := range p.Figures {
		list := scores[i].Dots
		if len(list) == 0 {
			continue
		}
		f := &p.Figures[i]
		x := left + float64(wide*float64(k))
		k++
		fmt.Fprintf(b, `<g data-figure="%s"><rect class="column" x="%.1f" width="%.1f" height="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`, html.EscapeString(p.Name(f.ID)), x, wide, height, x+float64(wide/2), height-6, html.EscapeString(short(f.ID, wide)))
		for basis, class := range classes {
			var marks, rows []string
			for j := range list {
				if d := &list[j]; int(d.Basis) == basis {
					place := x + float64(wide*(0.12+float64(0.76*(float64(j)+0.5)/float64(len(list)))))
					marks, rows = append(marks, fmt.Sprintf("M%.1f %.1fh0", place, y(d.Ratio))), append(rows, strconv.Itoa(d.Row))
				}
			}
			if len(rows) > 0 {
				fmt.Fprintf(b, `<path class="dots %s" d="%s" data-rows="%s"/>`, class, strings.Join(marks, ""), strings.Join(rows, " "))
			}
		}
		b.WriteString(`</g>`)
	}
	b.WriteString(`</svg>`)
}

// short is what has room under a column so wide: the label, else the first letters of the ID.
func short(id string, wide float64) string {
	if label := study.Label(id); wide >= roomy && label != "" {
		return label
	}
	if r, most := []rune(id), max(labels, int(wide/letter)); len(r) > most {
		return string(r[:most])
	}
	return id
}

// roomy is how wide a column is that has room for "Figure 12" under it, letter how wide a letter is.
const roomy, letter = 70, 8

// legend says what colors mean, and how near the numbers of each are.
func legend(b *strings.Builder, p *study.Paper, scores []study.Score) {
	b.WriteString(`<p class="fine board-legend">`)
	for basis, class := range classes {
		n, near := 0, 0
		for i := range p.Figures {
			for _, d := range scores[i].Dots {
				if int(d.Basis) == basis {
					n++
					if math.Abs(d.Ratio-1) <= zone {
						near++
					}
				}
			}
		}
		if n > 0 {
			fmt.Fprintf(b, `<span class="board-key %s">%s: %d, of these %d within %s</span> `, class, words[basis], n, near, percent(zone))
		}
	}
	b.WriteString(`</p>`)
}

// card is a figure in small.
func card(b *strings.Builder, p *study.Paper, f *study.Figure, t *study.Tally, s *study.Score) {
	label, title := study.Label(f.ID), f.Title
	if label == "" {
		label, title = title, ""
	}
	fmt.Fprintf(b, `<li><button type="button" data-figure="%s"><b>%s</b> <span class="fine">%s</span><span class="board-title">%s</span>`, html.EscapeString(p.Name(f.ID)), html.EscapeString(label), basis(s), html.EscapeString(title))
	small(b, s)
	share := 0.0
	if t.Compared > 0 {
		share = float64(t.Compared-t.Gap) / float64(t.Compared)
	}
	fmt.Fprintf(b, `%s<span class="board-met"><span><b>%d</b> of %d met</span><span>%s<span class="sr"> median error</span></span></span>`, bar(share, 1-share), t.Compared-t.Gap, t.Compared, percent(s.Median))
	if s.Pairs > 0 {
		fmt.Fprintf(b, `<span class="fine">order: %s of %s</span>`, percent(float64(s.Agree)/float64(s.Pairs)), prose.Count(int64(s.Pairs), "pair"))
	}
	b.WriteString(`</button></li>`)
}

// basis says what most of a figure's numbers are.
func basis(s *study.Score) string {
	var n [3]int
	for _, d := range s.Dots {
		n[d.Basis]++
	}
	for k := range n {
		if n[k] == len(s.Dots) {
			return words[k]
		}
	}
	most := 0
	for k := range n {
		if n[k] > n[most] {
			most = k
		}
	}
	return fmt.Sprintf("%d of %d %s", n[most], len(s.Dots), words[most])
}

// small draws the first numbers of a figure: ours as bars, published as lines.
func small(b *strings.Builder, s *study.Score) {
	list := s.Dots
	n := 0
	for n < min(len(list), thumbs) && list[n].Point.Quantity == list[0].Point.Quantity {
		n++
	}
	high := 0.0
	for _, d := range list[:n] {
		high = max(high, d.Published, d.Ours)
	}
	var ours, published strings.Builder
	wide := float64(barWide) / float64(n)
	for i, d := range list[:n] {
		if high <= 0 {
			break
		}
		h := func(v float64) float64 { return float64(max(0, v) / high * (thumb - 2)) }
		x := float64(wide * float64(i))
		fmt.Fprintf(&ours, "M%.1f %dV%.1fh%.1fV%dz", x+float64(wide*0.15), thumb, thumb-h(d.Ours), wide*0.7, thumb)
		fmt.Fprintf(&published, "M%.1f %.1fh%.1f", x, thumb-h(d.Published), wide)
	}
	fmt.Fprintf(b, `<svg class="board-thumb" viewBox="0 0 %d %d" aria-hidden="true" preserveAspectRatio="none"><path class="ours" d="%s"/><path class="published" d="%s"/></svg>`, barWide, thumb, &ours, &published)
}

// bar draws a share that is met, and one that is off.
func bar(met, off float64) string {
	return fmt.Sprintf(`<svg class="board-bar" viewBox="0 0 %d 6" aria-hidden="true" preserveAspectRatio="none"><rect class="met" width="%.1f" height="6"/><rect class="off" x="%.1f" width="%.1f" height="6"/></svg>`, bandOf, bandOf*met, bandOf*met, bandOf*off)
}

// percent prints a share for people.
func percent(x float64) string {
	switch {
	case x == 0:
		return "0 %"
	case x < 0.005:
		return "under 1 %"
	case x >= 10:
		return fmt.Sprintf("a factor of %.0f", 1+x)
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}
