package main

import (
	"bytes"
	_ "embed" // letters
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
)

// Places that show a picture with an address take no SVG. So a chart is painted here as PNG: of what
// package draw writes, rectangles, circles, lines, areas and text, with letters that are lines,
// too. It is the same on every machine, for which a renderer of the system would not do.

// cardWidth and cardHeight are what such places want, in pixels.
const cardWidth, cardHeight = 1200, 630

// cardMargin is around the chart, in pixels.
const cardMargin = 24

// A canvas is a picture that is painted on, in the units of a drawing.
type canvas struct {
	*image.RGBA
	scale, left, top float64
}

// paint draws an SVG of package draw as a picture for a card.
func paint(svg string) ([]byte, error) {
	c := &canvas{RGBA: image.NewRGBA(image.Rect(0, 0, cardWidth, cardHeight))}
	for i := range c.Pix {
		c.Pix[i] = 0xff
	}
	d := xml.NewDecoder(strings.NewReader(svg))
	patterns := map[string]string{} // by ID, what they have as ground
	pattern, skipped := "", 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch e := token.(type) {
		case xml.EndElement:
			switch name := e.Name.Local; {
			case skipped > 0 && (name == "metadata" || name == "clipPath"):
				skipped--
			case name == "pattern":
				pattern = ""
			}
		case xml.StartElement:
			a := attributes(e)
			if pattern != "" {
				if e.Name.Local == "rect" && patterns[pattern] == "" {
					patterns[pattern] = a["fill"]
				}
				continue
			}
			if skipped > 0 {
				continue
			}
			if ground, ok := strings.CutPrefix(a["fill"], "url(#"); ok {
				a["fill"] = patterns[strings.TrimSuffix(ground, ")")]
			}
			switch e.Name.Local {
			case "svg":
				c.fit(measure(a["width"]), measure(a["height"]))
			case "metadata", "clipPath":
				skipped++
			case "pattern":
				pattern = a["id"]
			case "rect":
				c.rect(a)
			case "circle":
				c.dot(measure(a["cx"]), measure(a["cy"]), measure(a["r"]), ink(a["fill"]))
			case "path":
				if err := c.path(a); err != nil {
					return nil, err
				}
			case "text":
				var text struct {
					Said string `xml:",chardata"`
				}
				if err := d.DecodeElement(&text, &e); err != nil {
					return nil, err
				}
				c.text(a, text.Said)
			}
		}
	}
	if c.scale == 0 {
		return nil, errors.New("this is no drawing")
	}
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, c)
	return b.Bytes(), err
}

// fit makes a drawing of a size as large as it can be.
func (c *canvas) fit(width, height float64) {
	c.scale = min((cardWidth-2*cardMargin)/width, (cardHeight-2*cardMargin)/height)
	c.left, c.top = (cardWidth-float64(c.scale*width))/2, (cardHeight-float64(c.scale*height))/2
}

func attributes(e xml.StartElement) map[string]string {
	a := map[string]string{}
	for _, x := range e.Attr {
		a[x.Name.Local] = x.Value
	}
	return a
}

// measure reads a number; 0 where there is none.
func measure(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64) // package draw writes numbers
	return v
}

// ink reads a color as #rrggbb; transparent where there is none.
func ink(text string) color.RGBA {
	v, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 32)
	if err != nil || len(text) != 7 {
		return color.RGBA{}
	}
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff}
}

// blend covers a share of a pixel, in 256ths.
func (c *canvas) blend(x, y int, ink color.RGBA, share int) {
	if share <= 0 || ink.A == 0 || !(image.Point{x, y}).In(c.Rect) {
		return
	}
	p := c.Pix[c.PixOffset(x, y):]
	for i, v := range [3]uint8{ink.R, ink.G, ink.B} {
		p[i] = uint8((int(p[i])*(256-share) + int(v)*share) / 256)
	}
}

// rect fills a rectangle to parts of pixels.
func (c *canvas) rect(a map[string]string) {
	from := c.at(measure(a["x"]), measure(a["y"]))
	x0, y0, x1, y1 := from.x, from.y, from.x+float64(c.scale*measure(a["width"])), from.y+float64(c.scale*measure(a["height"]))
	fill := ink(a["fill"])
	in := func(at int, from, to float64) float64 {
		return max(0, min(float64(at)+1, to)-max(float64(at), from))
	}
	for y := int(max(y0, 0)); float64(y) < min(y1, cardHeight); y++ {
		for x := int(max(x0, 0)); float64(x) < min(x1, cardWidth); x++ {
			c.blend(x, y, fill, int(256*float64(in(x, x0, x1)*in(y, y0, y1))))
		}
	}
}

// A point is in pixels.
type point struct{ x, y float64 }

// at is a place of the drawing. A product stands by itself, here and elsewhere, because some
// processors would round it together with the sum.
func (c *canvas) at(x, y float64) point {
	return point{c.left + float64(c.scale*x), c.top + float64(c.scale*y)}
}

// dot fills a circle.
func (c *canvas) dot(x, y, r float64, fill color.RGBA) {
	at := c.at(x, y)
	c.stroke([][]point{{at, at}}, c.scale*r, fill)
}

// stroke draws lines with round ends and a half width; where they cross they are no darker.
func (c *canvas) stroke(lines [][]point, half float64, ink color.RGBA) {
	box := image.Rectangle{image.Point{cardWidth, cardHeight}, image.Point{}}
	for _, line := range lines {
		for _, p := range line {
			box.Min.X, box.Max.X = min(box.Min.X, int(p.x-half)-1), max(box.Max.X, int(p.x+half)+2)
			box.Min.Y, box.Max.Y = min(box.Min.Y, int(p.y-half)-1), max(box.Max.Y, int(p.y+half)+2)
		}
	}
	box = box.Intersect(c.Rect)
	if box.Empty() {
		return
	}
	near := make([]float64, box.Dx()*box.Dy())
	for i := range near {
		near[i] = math.Inf(1)
	}
	for _, line := range lines {
		for i := range max(len(line)-1, 0) {
			from, to := line[i], line[i+1]
			x0, x1 := max(int(min(from.x, to.x)-half)-1, box.Min.X), min(int(max(from.x, to.x)+half)+2, box.Max.X)
			y0, y1 := max(int(min(from.y, to.y)-half)-1, box.Min.Y), min(int(max(from.y, to.y)+half)+2, box.Max.Y)
			for y := y0; y < y1; y++ {
				for x := x0; x < x1; x++ {
					at := &near[(y-box.Min.Y)*box.Dx()+x-box.Min.X]
					*at = min(*at, distance(point{float64(x) + 0.5, float64(y) + 0.5}, from, to))
				}
			}
		}
	}
	for i, d := range near {
		share := min(max(half+0.5-math.Sqrt(d), 0), 1)
		c.blend(box.Min.X+i%box.Dx(), box.Min.Y+i/box.Dx(), ink, int(256*share))
	}
}

// distance is the square of how far a point is from a line.
func distance(p, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	along := 0.0
	if length := float64(dx*dx) + float64(dy*dy); length > 0 {
		along = min(max((float64((p.x-a.x)*dx)+float64((p.y-a.y)*dy))/length, 0), 1)
	}
	x, y := p.x-a.x-float64(along*dx), p.y-a.y-float64(along*dy)
	return float64(x*x) + float64(y*y)
}

// path draws lines and fills areas; of its commands package draw uses M, L, H, V and Z.
func (c *canvas) path(a map[string]string) error {
	var lines [][]point
	var at point
	text := a["d"]
	closed := false
	for text != "" {
		command := text[0]
		end := strings.IndexAny(text[1:], "MLHVZ") + 1
		if end == 0 {
			end = len(text)
		}
		values := strings.FieldsFunc(text[1:end], func(r rune) bool { return r == ' ' || r == ',' })
		text = text[end:]
		for len(values) > 0 {
			switch {
			case command == 'H':
				at.x, values = measure(values[0]), values[1:]
			case command == 'V':
				at.y, values = measure(values[0]), values[1:]
			case (command == 'M' || command == 'L') && len(values) > 1:
				at, values = point{measure(values[0]), measure(values[1])}, values[2:]
			default:
				return fmt.Errorf("a path has %c with %d numbers", command, len(values))
			}
			if command == 'M' {
				lines, command = append(lines, nil), 'L'
			}
			if len(lines) == 0 {
				return errors.New("a path begins nowhere")
			}
			last := &lines[len(lines)-1]
			*last = append(*last, c.at(at.x, at.y))
		}
		if command == 'Z' && len(lines) > 0 {
			last := &lines[len(lines)-1]
			*last, closed = append(*last, (*last)[0]), true
		}
	}
	if fill := ink(a["fill"]); closed && fill.A > 0 {
		c.fill(lines, fill)
	}
	if width, line := measure(a["stroke-width"]), ink(a["stroke"]); line.A > 0 {
		if a["stroke-width"] == "" {
			width = 1
		}
		c.stroke(lines, c.scale*width/2, line)
	}
	return nil
}

// fill fills areas, with four rows to a pixel.
func (c *canvas) fill(lines [][]point, ink color.RGBA) {
	const rows = 4
	cover := make([]float64, cardWidth+1)
	for y := range cardHeight {
		clear(cover)
		for row := range rows {
			at := float64(y) + (float64(row)+0.5)/rows
			for _, line := range lines {
				for i := range len(line) - 1 {
					a, b := line[i], line[i+1]
					if (a.y <= at) == (b.y <= at) {
						continue
					}
					x := min(max(a.x+float64((at-a.y)/(b.y-a.y)*(b.x-a.x)), 0), cardWidth)
					turn := 1.0 / rows
					if a.y > b.y {
						turn = -turn
					}
					part := x - math.Floor(x)
					cover[int(x)] += float64(turn * (1 - part))
					if int(x) < cardWidth {
						cover[int(x)+1] += float64(turn * part)
					}
				}
			}
		}
		sum := 0.0
		for x := range cardWidth {
			sum += cover[x]
			c.blend(x, y, ink, int(256*min(math.Abs(sum), 1)))
		}
	}
}

//go:embed futural.jhf
var futural string

// A letter is a glyph: from where to where it is wide, and its lines, in units of which a
// capital is 21 high.
type letter struct {
	left, right int
	lines       [][][2]int
}

// letters are those of ASCII. A line of the file has five digits of a number, three of how many pairs
// follow, then pairs of letters around R: first the borders, then points; blank and R lift the pen.
var letters = sync.OnceValue(func() (all []letter) {
	for row := range strings.Lines(futural) {
		row = strings.TrimRight(row, "\r\n")
		if len(row) < 10 {
			continue
		}
		at := func(i int) int { return int(row[i]) - 'R' }
		l := letter{left: at(8), right: at(9)}
		var line [][2]int
		for i := 10; i+1 < len(row); i += 2 {
			if row[i:i+2] == " R" {
				l.lines, line = append(l.lines, line), nil
				continue
			}
			line = append(line, [2]int{at(i), at(i + 1)})
		}
		all = append(all, letter{l.left, l.right, append(l.lines, line)})
	}
	return all
})

// plainly writes what charts have besides ASCII with letters that there are.
var plainly = strings.NewReplacer("·", ",", "\u202f", " ", "\u00a0", " ", "×", "x", "→", "->", "–", "-", "—", "-", "−", "-", "±", "+-", "µ", "u",
	"⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "’", "'", "“", `"`, "”", `"`, "…", "...")

// text writes a line.
func (c *canvas) text(a map[string]string, said string) {
	const capital, base = 21, 9 // how high, and where the line is below the middle
	size := measure(a["font-size"])
	if size == 0 {
		size = 12
	}
	em := c.scale * size * 0.72 / capital
	known := letters()
	said = strings.ReplaceAll(plainly.Replace(said), " ,", ",")
	width := 0
	glyphs := make([]letter, 0, len(said))
	for _, r := range said {
		if r < ' ' || int(r-' ') >= len(known) {
			r = '?'
		}
		glyphs = append(glyphs, known[r-' '])
		width += known[r-' '].right - known[r-' '].left
	}
	const narrow = 0.9 // these letters are wider than those that the drawing has measured
	wide := float64(em * narrow)
	from := c.at(measure(a["x"]), measure(a["y"]))
	x, y := from.x, from.y
	if dy, ok := strings.CutSuffix(a["dy"], "em"); ok {
		y += float64(c.scale * size * measure(dy))
	}
	switch a["text-anchor"] {
	case "middle":
		x -= float64(wide * float64(width) / 2)
	case "end":
		x -= float64(wide * float64(width))
	}
	half := c.scale * size / 22
	if measure(a["font-weight"]) >= 600 {
		half *= 1.6
	}
	var lines [][]point
	for _, g := range glyphs {
		for _, line := range g.lines {
			var made []point
			for _, p := range line {
				made = append(made, point{x + float64(wide*float64(p[0]-g.left)), y + float64(em*float64(p[1]-base))})
			}
			lines = append(lines, made)
		}
		x += float64(wide * float64(g.right-g.left))
	}
	c.stroke(lines, half, ink(a["fill"]))
}
