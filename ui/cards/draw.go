package cards

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/ui/chart"
)

// A card's chart, in pixels.
const (
	width, height           = 330, 150
	left, right, up, bottom = 38, 92, 16, 24
	names                   = 104 // of rows, at the left
	apart                   = 13  // of names at the right, at least
	letters                 = 17  // of a name at most
	aside                   = 13  // of a line of a name at the right
	labelled                = 16  // of a label of a row
	wide                    = 6.5 // a letter, about
	leading                 = 12  // from line to line
)

// SVG returns the chart of a question. Its colors are the page's.
func SVG(p *Picture) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" aria-hidden="true">`, width, height)
	if p.X == "" {
		rows(&b, p)
	} else {
		lines(&b, p)
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// highest is the end of an axis that begins at 0, and its steps.
func highest(p *Picture) (top, step float64) {
	for i := range p.Lines {
		for _, v := range slices.Concat(p.Lines[i].Values, p.Lines[i].High) {
			if v != nil {
				top = max(top, *v)
			}
		}
	}
	if top <= 0 {
		return 1, 1
	}
	step = 1
	for step > top {
		step /= 10
	}
	for step*10 <= top {
		step *= 10
	}
	for _, k := range []float64{0.2, 0.5, 1} {
		if float64(k*step)*3 >= top {
			step *= k
			break
		}
		if k == 1 {
			step *= 2
		}
	}
	if step*2 >= top*1.6 {
		step /= 2
	}
	return max(top*1.02, step), step
}

func short(name string) string { return clipped(name, letters) }

func clipped(name string, n int) string {
	if r := []rune(name); len(r) > n {
		return strings.TrimSpace(string(r[:n-1])) + "…"
	}
	return name
}

func number(x float64) string {
	switch {
	case x >= 1e6:
		return chart.Digits(x/1e6, 3) + " M"
	case x >= 1e4:
		return chart.Digits(x/1e3, 3) + " k"
	}
	return chart.Digits(x, 3)
}

func text(b *strings.Builder, x, y float64, anchor, class, s string) {
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f"`, x, y)
	if anchor != "" {
		fmt.Fprintf(b, ` text-anchor="%s"`, anchor)
	}
	if class != "" {
		fmt.Fprintf(b, ` class="%s"`, class)
	}
	b.WriteString(`>` + html.EscapeString(s) + `</text>`)
}

// lines draws a line a system over what is varied.
func lines(b *strings.Builder, p *Picture) {
	top, step := highest(p)
	low := 0.0
	for i := range p.Lines {
		for _, v := range p.Lines[i].Values {
			if v != nil {
				low = min(low, *v)
			}
		}
	}
	y := func(v float64) float64 { return bottomOf() - float64((v-low)/(top-low)*(bottomOf()-up)) }
	x := func(i int) float64 {
		return left + float64(float64(i)/float64(max(1, len(p.Labels)-1))*(width-left-right))
	}
	for v := float64(0); v <= top; v += step {
		fmt.Fprintf(b, `<path class="grid" d="M%d %.1fH%d"/>`, left, y(v), width-right)
		text(b, left-5, y(v)+4, "end", "", number(v))
	}
	text(b, 0, 9, "", "", p.Quantity)
	for i, l := range p.Labels {
		text(b, x(i), height-10, "middle", "", l)
	}
	lowest := unitOf(b, p)
	if p.Now >= 0 {
		fmt.Fprintf(b, `<path class="now" d="M%.1f %dV%.1f"/>`, x(p.Now), up, bottomOf())
	}
	type end struct {
		y          float64
		name, role string
	}
	var ends []end
	for _, role := range []string{"", B, A} { // A lies on top
		for i := range p.Lines {
			l := &p.Lines[i]
			if l.Role != role {
				continue
			}
			band(b, l, x, y)
			var d strings.Builder
			open, last := false, math.NaN()
			for k, v := range l.Values {
				if v == nil {
					open = false
					continue
				}
				fmt.Fprintf(&d, "%s%.1f %.1f", map[bool]string{false: "M", true: "L"}[open], x(k), y(*v))
				open, last = true, y(*v)
			}
			if d.Len() == 0 {
				continue
			}
			fmt.Fprintf(b, `<path class="line %s" d="%s"/>`, l.Role, &d)
			if role != "" {
				ends = append(ends, end{last, l.Name, role})
			}
		}
	}
	if len(ends) == 2 && math.Abs(ends[0].y-ends[1].y) < apart {
		mid := (ends[0].y + ends[1].y) / 2
		up := 1.0
		if ends[0].y < ends[1].y {
			up = -1
		}
		ends[0].y, ends[1].y = mid+float64(up*apart/2), mid-float64(up*apart/2)
	}
	if len(ends) == 2 && ends[0].y > ends[1].y {
		ends[0], ends[1] = ends[1], ends[0]
	}
	for _, e := range slices.Backward(ends) {
		list := inLines(e.name, aside, 2)
		tall := float64(leading * (len(list) - 1))
		y := min(e.y+4+float64(tall/2), lowest) // of the last line
		lowest = y - tall - apart
		for i, l := range list {
			text(b, width-right+5, y-tall+float64(leading*float64(i)), "", e.role, l)
		}
	}
}

// unitOf writes what is varied behind the labels of the axis, in two lines where one is too
// short, and returns how far down names above it may stand.
func unitOf(b *strings.Builder, p *Picture) float64 {
	_, unit, _ := strings.Cut(p.X, ", ")
	unit = cmp.Or(unit, p.X)
	at := float64(width - right + 12)
	if n := len(p.Labels); n > 0 {
		at = max(at, float64(width-right)+float64(wide/2*float64(len([]rune(p.Labels[n-1]))))+4)
	}
	list := inLines(unit, int((width-at)/wide), 2)
	y := float64(height - 10 - float64(leading/2*float64(max(0, len(list)-1))))
	for i, l := range list {
		text(b, at, y+float64(leading*float64(i)), "", "", l)
	}
	return y - leading
}

// inLines breaks a text between words into at most so many lines, of at most so many letters
// each: what is longer still is cut.
func inLines(says string, fit, most int) (list []string) {
	words := strings.Fields(says)
	for len(words) > 0 {
		n := 1
		for n < len(words) && (len(list) == most-1 || len([]rune(strings.Join(words[:n+1], " "))) <= fit) {
			n++
		}
		list, words = append(list, clipped(strings.Join(words[:n], " "), fit)), words[n:]
	}
	return list
}

// band draws what other seeds make of a line, where every point has both ends.
func band(b *strings.Builder, l *Line, x func(int) float64, y func(float64) float64) {
	if len(l.Low) < 2 || slices.Contains(l.Low, nil) || slices.Contains(l.High, nil) {
		return
	}
	letter := "M"
	fmt.Fprintf(b, `<path class="band %s" d="`, l.Role)
	for i, v := range l.High {
		fmt.Fprintf(b, "%s%.1f %.1f", letter, x(i), y(*v))
		letter = "L"
	}
	for i, v := range slices.Backward(l.Low) {
		fmt.Fprintf(b, "L%.1f %.1f", x(i), y(*v))
	}
	b.WriteString(`Z"/>`)
}

func bottomOf() float64 { return height - bottom }

// rows draws a row a choice, each with A, and B below it.
func rows(b *strings.Builder, p *Picture) {
	top, _ := highest(p)
	text(b, 0, 9, "", "", p.Quantity)
	key := float64(width)
	for _, role := range []string{B, A} {
		if l := p.of(role); l != nil && l.Name != "" {
			text(b, key, 9, "end", role, short(l.Name))
			key -= 12 + float64(wide*float64(len([]rune(short(l.Name)))))
		}
	}
	n := len(p.Labels)
	each := float64(height-up-2) / float64(max(n, 1))
	for i, label := range p.Labels {
		at := up + float64(float64(i)*each)
		class := ""
		if i == p.Now {
			class = "set"
		}
		list := inLines(label, labelled, max(1, min(2, int(each/leading))))
		for k, l := range list {
			text(b, 0, at+float64(each/2)+4+float64(leading*(float64(k)-float64(float64(len(list)-1)/2))), "", class, l)
		}
		var shown []*Line
		for k := range p.Lines {
			if l := &p.Lines[k]; l.Values[i] != nil && (l.Role != "" || l.Name == "") {
				shown = append(shown, l)
			}
		}
		if len(shown) == 2 && shown[0].Role == B {
			shown[0], shown[1] = shown[1], shown[0]
		}
		high := min(12, (each-4)/float64(max(1, len(shown))))
		longest := 1.0 // of the bars: what stands behind the first stands behind both
		for k, l := range shown {
			v := *l.Values[i]
			y := at + float64((each-float64(high*float64(len(shown))))/2) + float64(high*float64(k))
			long := max(1, float64(max(0, v)/top*(width-names-50)))
			fmt.Fprintf(b, `<rect class="bar %s" x="%d" y="%s" width="%.1f" height="%s"/>`, l.Role, names, strconv.FormatFloat(y, 'f', 1, 64), long, strconv.FormatFloat(high-1, 'f', 1, 64))
			longest = max(longest, long)
		}
		if len(shown) > 0 {
			text(b, names+longest+4, at+float64(each/2)+4, "", "", number(*shown[0].Values[i]))
		}
	}
}
