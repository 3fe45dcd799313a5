package view

import (
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/vugu/vugu"

	"spillway/ui/chart"
	"spillway/ui/lab"
	"spillway/ui/model/drawing"
	"spillway/ui/model/form"
)

// Picture is the drawing of the first screen: places that hold bytes and links
// between them, with the numbers of the system in focus. It is where one turns
// the knobs of what is drawn.
type Picture struct {
	*App
	chosen string // key of the part whose knobs are shown, empty if none is
	view   drawing.View
}

// Compute finds what the drawing shows now.
func (c *Picture) Compute() {
	c.fresh()
	c.view = c.Drawing.View()
}

// partHTML is what stands in a part: its names and sizes, and of a link its lanes.
func partHTML(p drawing.Part) vugu.HTML {
	var text strings.Builder
	text.WriteString(tag("part-title", "", html.EscapeString(p.Title)) + some("part-product", p.Product, ""))
	if p.Size != "" {
		text.WriteString(some("part-size", p.Size, "") + tag("fill", p.Fill, ""))
	}
	text.WriteString(some("part-used", p.Used, `<span class="used-word"> used</span>`))
	for _, l := range p.Lanes {
		busy := ""
		if l.Busy != "" {
			busy = " " + html.EscapeString(l.Busy) + `<span class="busy-word"> busy</span>`
		}
		text.WriteString(tag(l.Class, l.Style, tag("lane-rate", "", html.EscapeString(l.Rate))+`<span class="pipe"><span class="flow"></span></span>`+tag("lane-load", "", html.EscapeString(l.Bytes)+busy)))
	}
	return vugu.HTML(text.String())
}

// accountHTML is where the time of the two that are compared goes.
func (c *Picture) accountHTML() vugu.HTML {
	var text strings.Builder
	text.WriteString(`<ul class="account-rows">`)
	for _, r := range c.account.Rows {
		text.WriteString(`<li>` + tag("name", "", html.EscapeString(r.Title)) + `<span class="strip" role="img" aria-label="` + html.EscapeString(r.Says) + `">`)
		for _, s := range r.Segments {
			text.WriteString(`<span class="segment" style="` + s.Style + `" title="` + html.EscapeString(s.Says) + `"></span>`)
		}
		text.WriteString(`</span>` + tag("value", "", html.EscapeString(r.Total)) + `</li>`)
	}
	text.WriteString(`</ul><ul class="account-key" aria-hidden="true">`)
	for _, s := range c.account.Key {
		text.WriteString(`<li>` + tag("swatch", s.Style, "") + ` ` + html.EscapeString(s.Name) + `</li>`)
	}
	return vugu.HTML(text.String() + `</ul>`)
}

// tag is a span with what stands in it.
func tag(class, style, inner string) string {
	return `<span class="` + class + `" style="` + style + `">` + inner + `</span>`
}

// some is a span with a text and what follows it, nothing without the text.
func some(class, text, more string) string {
	if text == "" {
		return ""
	}
	return tag(class, "", html.EscapeString(text)+more)
}

// class is the CSS class of a part.
func (c *Picture) class(p drawing.Part) string {
	if c.view.Stale {
		return p.Class + " waits"
	}
	return p.Class
}

// choose shows the knobs of a part, or hides them.
func (c *Picture) choose(key string) {
	if c.chosen == key {
		c.chosen = ""
		return
	}
	c.chosen = key
	c.Page.Near("turn")
}

func (c *Picture) isChosen(key string) string { return boolText(c.chosen == key) }

// turned is the part whose knobs are shown.
func (c *Picture) turned() *drawing.Part {
	at := slices.IndexFunc(c.view.Parts, func(p drawing.Part) bool { return p.Key == c.chosen })
	if at < 0 {
		return &drawing.Part{}
	}
	return &c.view.Parts[at]
}

func (c *Picture) editing() bool { return c.turned().Key != "" }

func (c *Picture) dials() []form.Slider { return c.Drawing.Dials(c.turned()) }

func (c *Picture) products() []form.Option { return c.Drawing.Products(c.turned()) }

func (c *Picture) pick(key string) { c.Drawing.Pick(c.turned(), key) }

func (c *Picture) typed(key string, e vugu.DOMEvent) { c.Type(key, e.PropString("target", "value")) }

func (c *Picture) turn(key string, e vugu.DOMEvent) {
	c.Drawing.Turn(c.turned(), key, e.PropString("target", "value"))
}

// close hides the knobs of the part and goes back to it.
func (c *Picture) close() {
	c.Page.Focus("draw-" + c.chosen)
	c.chosen = ""
}

// steps is the largest value of a slider.
var steps = strconv.Itoa(form.SliderSteps)

func at(d form.Slider) string { return strconv.Itoa(d.At) }

// standing is how a run ranks.
// listed are the systems of the runs, by their places.
func (c *Picture) listed() []*lab.System {
	list := make([]*lab.System, len(c.Runs.List))
	for i := range list {
		list[i] = c.Runs.List[i].System
	}
	return list
}

func (c *Picture) standing(i int) *chart.Standing { return &c.board.Rows[i] }

// chipTab is the tabindex of a system: Tab reaches one, arrows the others.
func (c *Picture) chipTab(i int) string {
	if c.Runs.List[i].System.Name == c.Focus() {
		return "0"
	}
	return "-1"
}

func (c *Picture) runClass(i int) string {
	class := "run " + strings.ReplaceAll(c.Runs.List[i].RunState(), " ", "-")
	if !c.standing(i).Bar {
		class += " barless"
	}
	if c.Runs.List[i].System.Usual {
		class += " usual"
	}
	return class
}

func (c *Picture) percent(i int) string { return strconv.Itoa(c.Runs.List[i].Percent()) }

func (c *Picture) inFocus(i int) string { return boolText(c.Runs.List[i].System.Name == c.Focus()) }

func (c *Picture) focus(i int) { c.SetFocus(c.Runs.List[i].System.Name) }

// shown keeps the place of a button that cannot be used now, so that nothing
// moves when it comes.
func (c *Picture) shown(yes bool) string {
	if yes {
		return "small"
	}
	return "small away"
}

// overTime says which run the view of one over time shows.
func (c *Picture) overTime() string {
	return "See the run of " + c.Timeline.Title() + " over time: what waits, and what for"
}

// against compares with another system, the baseline or a kept run.
func (c *Picture) against(e vugu.DOMEvent) { c.Against(e.PropString("target", "value")) }
