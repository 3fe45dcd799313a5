package view

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	"spillway/ui/model/form"
	"spillway/ui/model/runs"
	"spillway/ui/model/state"
)

// Picture is the drawing of the first screen: places that hold bytes and links
// between them, with the numbers of the system in focus. It is where one turns
// the knobs of what is drawn.
type Picture struct {
	*App
	chosen string // key of the part whose knobs are shown, empty if none is
	parts  []part
	rows   int  // of the drawing
	stale  bool // its numbers are of other settings
	widths []string
}

// A part is a place or a link as it is drawn, in the order of the drawing.
type part struct {
	Key, Title, Class string
	Product           string // which it is, of those that can be bought
	Size, Used        string // of a place
	Fill              string // style of its bar
	Place             string // style: where it is drawn
	Lanes             []lane // of a link
	Label             string // everything in words
	knobs             []string
	slot              string // the derived knob with its products
}

// A lane is one direction of a link.
type lane struct {
	Class             string // which way it goes
	Rate, Bytes, Busy string
	Style             string // how busy it is
}

// Compute finds what the drawing shows now.
func (c *Picture) Compute() {
	c.parts = c.parts[:0]
	if c.Info.Picture == nil || len(c.Info.Picture.Places) == 0 {
		return
	}
	at := slices.IndexFunc(c.Runs.List, func(r runs.Run) bool { return r.System.Name == c.Focus() })
	c.stale = at >= 0 && c.Runs.List[at].Stale
	c.rows, c.widths = 0, c.widths[:0]
	c.branch(&c.Info.Picture.Places[0], 1, map[string]bool{})
}

// branch draws a place and, to its right, what hangs on it: each link with what
// hangs on that in rows of its own.
func (c *Picture) branch(p *lab.Place, column int, drawn map[string]bool) {
	drawn[p.Key] = true
	at, top := len(c.parts), c.rows
	c.parts = append(c.parts, c.place(p))
	width := "minmax(100px,1.3fr)"
	if isHub(c.parts[at]) {
		width = "30px"
	}
	if len(c.widths) < column { // else something above it has decided
		c.widths = append(c.widths, width, "minmax(128px,1fr)")
	}
	for i := range c.Info.Picture.Links {
		k := &c.Info.Picture.Links[i]
		other := k.To
		if k.To == p.Key {
			other = k.From
		}
		if k.From != p.Key && k.To != p.Key || drawn[k.Key] {
			continue
		}
		drawn[k.Key] = true
		row, link := c.rows, len(c.parts)
		c.parts = append(c.parts, c.link(k, p))
		if next := slices.IndexFunc(c.Info.Picture.Places, func(x lab.Place) bool { return x.Key == other }); next >= 0 && !drawn[other] {
			c.branch(&c.Info.Picture.Places[next], column+2, drawn)
		} else {
			c.rows++
		}
		c.parts[link].Place = gridArea(column+1, row, c.rows)
	}
	if c.rows == top { // nothing hangs on it
		c.rows++
	}
	c.parts[at].Place = gridArea(column, top, c.rows)
}

// columns is the style of the drawing's columns.
func (c *Picture) columns() string {
	return "--columns:" + strings.Join(c.widths[:max(0, len(c.widths)-1)], " ")
}

// gridArea is the place of a part in the drawing, in rows from top to end.
func gridArea(column, top, end int) string {
	return fmt.Sprintf("grid-column:%d;grid-row:%d/%d", column, top+1, end+1)
}

// focused is the report of the system in focus; nil if there is none.
func (c *Picture) focused() *report.Report {
	for i := range c.Runs.List {
		if r := &c.Runs.List[i]; r.System.Name == c.Focus() && r.Shown() {
			return r.Report
		}
	}
	return nil
}

// value returns a quantity of the system in focus.
func (c *Picture) value(key string) (q *report.Quantity, v float64, ok bool) {
	r, at := c.focused(), c.Info.Quantity(key)
	if r == nil || at < 0 {
		return nil, 0, false
	}
	v, ok = r.Value(at)
	return &c.Info.Quantities[at], v, ok
}

// amount prints a quantity of the system in focus, "" if there is none.
func (c *Picture) amount(key string) string { return c.amountOf(key, 1) }

// amountOf prints a part of it.
func (c *Picture) amountOf(key string, part float64) string {
	q, v, ok := c.value(key)
	if !ok {
		return ""
	}
	return inFewLetters(q.Shown(v)/part, q.Unit)
}

// byteUnits are those of bytes, each so many of the next.
var byteUnits = []struct {
	names []string
	by    float64
}{{[]string{"TiB", "GiB", "MiB", "KiB"}, 1024}, {[]string{"TB", "GB", "MB", "kB"}, 1000}}

// inFewLetters prints an amount in few letters: of bytes in a unit that leaves no zeros in front.
func inFewLetters(v float64, unit string) string {
	for _, u := range byteUnits {
		for at := slices.Index(u.names, unit); at >= 0 && at+1 < len(u.names) && v != 0 && math.Abs(v) < 1; at++ {
			v, unit = v*u.by, u.names[at+1]
		}
	}
	return chart.With(chart.Digits(v, 3), unit)
}

// used is what is in use of a place, at the scale of the run.
func (c *Picture) used(p *lab.Place) string {
	return c.amountOf(p.Used, c.Info.Part(c.State.Setup))
}

// setting prints a part of a knob's value with three digits; the editor has all of it.
func (c *Picture) setting(key string, part float64) (text string, v float64) {
	k := c.State.Setup.Knob(key)
	if k == nil {
		return "", 0
	}
	v, err := strconv.ParseFloat(c.State.Setup.Text(key), 64)
	if err != nil {
		return c.State.Setup.Text(key), 0
	}
	v /= part
	return inFewLetters(v, k.Unit), v
}

// product names which product a slot has, "" if none.
func (c *Picture) product(slot string) string {
	k := c.State.Setup.Knob(slot)
	if k == nil {
		return ""
	}
	if x := k.Choice(c.State.Setup.Text(slot)); x != nil && x.Key != "" && !c.State.Setup.Denied(x) {
		return x.Label
	}
	return "custom"
}

func (c *Picture) place(p *lab.Place) part {
	x := part{Key: p.Key, Title: p.Title, Class: "place", Product: c.product(p.Part), slot: p.Part, Fill: "--fill:0%"}
	x.knobs = slices.Clone(p.Turn)
	if p.Size != "" {
		x.knobs = []string{p.Size}
	}
	var size float64
	x.Size, size = c.setting(p.Size, c.Info.Part(c.State.Setup))
	if x.Product == x.Size {
		x.Product = ""
	}
	unbounded := p.Unbounded && size == 0
	if unbounded {
		x.Size = "as much as it takes"
	}
	if q, v, ok := c.value(p.Used); ok {
		x.Used = c.used(p)
		if unbounded && v > 0 {
			x.Size = ""
		}
		if size > 0 {
			is := q.Shown(v) / c.Info.Part(c.State.Setup)
			x.Fill = fmt.Sprintf("--fill:%.1f%%", min(100, 100*is/size))
			if is > 1.005*size {
				x.Class += " over"
			}
		}
	} else if p.Used == "" || c.focused() != nil && c.focused().Fits {
		x.Fill = "visibility:hidden" // an empty bar would say that it is empty
	}
	if len(x.knobs) == 0 {
		x.knobs = c.sets(p.Part)
	}
	if len(x.knobs) == 0 {
		x.Class += " hub" // nothing to turn
	}
	inUse := ""
	if x.Used != "" {
		inUse = x.Used + " used"
	}
	x.Label = sentence(x.Title, x.Product, x.Size, inUse)
	return x
}

// sets are the numbers that the products of a slot set.
func (c *Picture) sets(slot string) []string {
	k := c.State.Setup.Knob(slot)
	if k == nil {
		return nil
	}
	var keys []string
	for i := range k.Choices {
		pairs, _ := knob.Pairs(k.Choices[i].Set) // lab.New has checked it
		for _, p := range pairs {
			if x := c.State.Setup.Knob(p.Key); x.Kind == knob.Number && !slices.Contains(keys, p.Key) {
				keys = append(keys, p.Key)
			}
		}
	}
	return keys
}

func (c *Picture) link(k *lab.Link, from *lab.Place) part {
	x := part{Key: k.Key, Title: k.Title, Class: "link", Product: c.product(k.Part), slot: k.Part}
	words := []string{x.Product}
	for _, l := range k.Lanes {
		n := lane{Class: "lane on", Bytes: c.amount(l.Bytes), Style: "--busy:0"}
		if l.To == from.Key {
			n.Class = "lane back"
		}
		if v, unit, ok := c.Info.Rate(c.State.Setup, c.focused(), &l); ok {
			n.Rate = chart.With(chart.Digits(v, 3), unit)
		}
		if c.State.Setup.Moot(l.Rate) != "" {
			n.Class += " moot" // the editor says why
		}
		if _, v, ok := c.value(l.Bytes); ok && v > 0 {
			n.Class += " flows"
		}
		if _, v, ok := c.value(l.Busy); ok && !math.IsNaN(v) {
			v = min(max(v, 0), 1)
			n.Busy = chart.Percent(math.Round(100*v), 100)
			n.Style = fmt.Sprintf("--busy:%.3f;--lap:%.2fs", v, 1.2/max(v, 0.05))
		}
		if l.Rate != "" && !slices.Contains(x.knobs, l.Rate) {
			x.knobs = append(x.knobs, l.Rate)
		}
		busy := ""
		if n.Busy != "" {
			busy = n.Busy + " busy"
		}
		words = append(words, "to the "+c.placeTitle(l.To)+" "+sentence(n.Rate, n.Bytes, busy))
		x.Lanes = append(x.Lanes, n)
	}
	for _, key := range k.Turn {
		if !slices.Contains(x.knobs, key) {
			x.knobs = append(x.knobs, key)
		}
	}
	x.Label = sentence(append([]string{x.Title}, words...)...)
	return x
}

func (c *Picture) placeTitle(key string) string {
	for _, p := range c.Info.Picture.Places {
		if p.Key == key {
			return p.Title
		}
	}
	return key
}

// sentence joins what is not empty.
func sentence(words ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" }), ", ")
}

func isHub(p part) bool { return len(p.knobs) == 0 }

// class is the CSS class of a part.
func (c *Picture) class(p part) string {
	if c.stale {
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
func (c *Picture) turned() *part {
	at := slices.IndexFunc(c.parts, func(p part) bool { return p.Key == c.chosen })
	if at < 0 {
		return &part{}
	}
	return &c.parts[at]
}

func (c *Picture) editing() bool { return c.turned().Key != "" }

func (c *Picture) dials() []form.Dial {
	p := c.turned()
	var list []form.Dial
	for _, key := range p.knobs {
		list = append(list, c.Form.Dial(key, p.slot))
	}
	return list
}

// products are the choices of what the shown part may be.
func (c *Picture) products() []form.Option {
	if c.turned().slot == "" {
		return nil
	}
	f := c.Form.Field(c.turned().slot)
	return slices.DeleteFunc(f.Options, func(o form.Option) bool { return o.Key == "" })
}

func (c *Picture) pick(key string) { c.Choose(c.turned().slot, key) }

func (c *Picture) typed(key string, e vugu.DOMEvent) { c.Type(key, e.PropString("target", "value")) }

func (c *Picture) turn(key string, e vugu.DOMEvent) {
	if at, err := strconv.Atoi(e.PropString("target", "value")); err == nil {
		c.Form.Turn(key, c.turned().slot, at)
	}
}

// story says what the drawing shows, for those who do not see it.
func (c *Picture) story() string {
	if c.Info.Picture == nil {
		return ""
	}
	s, err := c.Info.System(c.Focus())
	if err != nil {
		return ""
	}
	r := c.focused()
	if r == nil {
		return s.Title + " has no numbers yet."
	}
	if !c.carries() {
		var used []string
		for i := range c.Info.Picture.Places {
			if p := &c.Info.Picture.Places[i]; c.used(p) != "" {
				used = append(used, p.Title+" "+c.used(p))
			}
		}
		return s.Title + " uses: " + strings.Join(used, ", ") + "."
	}
	var moved []string
	for _, k := range c.Info.Picture.Links {
		for _, l := range k.Lanes {
			from := k.From
			if l.To == k.From {
				from = k.To
			}
			a, b := c.end(from), c.end(l.To)
			if _, v, ok := c.value(l.Bytes); ok && v > 0 && a != b {
				moved = append(moved, fmt.Sprintf("%s from %s to %s", c.amount(l.Bytes), a, b))
			}
		}
	}
	if len(moved) == 0 {
		return c.busiest()
	}
	return s.Title + " moves: " + strings.Join(moved, ", ") + ". " + c.busiest()
}

// carries reports whether the laboratory knows what links carry.
func (c *Picture) carries() bool {
	return slices.ContainsFunc(c.Info.Picture.Links, func(k lab.Link) bool {
		return slices.ContainsFunc(k.Lanes, func(l lab.Lane) bool { return l.Bytes != "" || l.Busy != "" })
	})
}

// apart is what goes over links that are not drawn, "" if nothing does.
func (c *Picture) apart() string {
	if _, v, ok := c.value(c.Info.Picture.Apart); !ok || v <= 0 {
		return ""
	}
	return c.amount(c.Info.Picture.Apart)
}

// busiest says which link has most to do, "" if none has.
func (c *Picture) busiest() string {
	if c.Info.Picture == nil || !c.carries() {
		return ""
	}
	name, most := "", 0.0
	for _, k := range c.Info.Picture.Links {
		for _, l := range k.Lanes {
			if _, v, ok := c.value(l.Busy); ok && v > most {
				name, most = k.Title, v
			}
		}
	}
	s, err := c.Info.System(c.Focus())
	apart := c.apart()
	switch {
	case err != nil || c.focused() == nil:
		return ""
	case name == "" && apart != "":
		return fmt.Sprintf("%s moves nothing over the links drawn; %s go over one that is not drawn.", s.Title, apart)
	case name == "":
		return s.Title + " moves nothing."
	}
	share := chart.Percent(math.Round(100*most), 100)
	if apart != "" {
		return fmt.Sprintf("With %s the busiest of the links drawn is %s: %s of the time; %s go over one that is not drawn.", s.Title, name, share, apart)
	}
	return fmt.Sprintf("With %s the busiest link is %s: %s of the time.", s.Title, name, share)
}

// end names a place, and where nothing stays, as in a switch, the first place.
func (c *Picture) end(key string) string {
	for i := range c.Info.Picture.Places {
		if p := &c.Info.Picture.Places[i]; p.Key == key && p.Size == "" && p.Used == "" && p.Part == "" && len(p.Turn) == 0 {
			return c.Info.Picture.Places[0].Title
		}
	}
	return c.placeTitle(key)
}

// close hides the knobs of the part and goes back to it.
func (c *Picture) close() {
	c.Page.Focus("draw-" + c.chosen)
	c.chosen = ""
}

// hint says what the drawing is for, and at what scale it is.
func (c *Picture) hint() string {
	text := "Parts change when pressed."
	if c.Info.Picture == nil {
		return text
	}
	if part := c.Info.Part(c.State.Setup); part > 1 {
		text += fmt.Sprintf(" Drawn is 1/%s of everything, as it runs; settings are of all of it.", chart.Digits(part, 3))
	}
	return text
}

// steps is the largest value of a slider.
var steps = strconv.Itoa(form.DialSteps)

func markStyle(d form.Mark) string {
	return "left:" + strconv.FormatFloat(float64(d.At)*100/form.DialSteps, 'f', 1, 64) + "%"
}

func at(d form.Dial) string { return strconv.Itoa(d.At) }

// lead says the problem before anything is solved.
func (c *Picture) lead() string {
	for i := range c.Runs.List {
		if r := &c.Runs.List[i]; r.On && r.Report != nil && r.Report.Lead != "" {
			return r.Report.Lead
		}
	}
	return ""
}

// mute reports whether the laboratory says no problem: its place is not kept then.
func (c *Picture) mute() bool {
	return c.lead() == "" && slices.ContainsFunc(c.Runs.List, func(r runs.Run) bool { return r.On && r.Report != nil })
}

// presets are the setups to start from.
func (c *Picture) presets() []lab.Preset { return c.Info.Presets }

func (c *Picture) holds(key string) string { return boolText(c.Preset() == key) }

// presetTab is the tabindex of a preset: Tab reaches one, arrows the others.
func (c *Picture) presetTab(i int) string {
	holds := slices.IndexFunc(c.presets(), func(p lab.Preset) bool { return p.Key == c.Preset() })
	if i == max(holds, 0) {
		return "0"
	}
	return "-1"
}

// chipTab is the same for the systems.
func (c *Picture) chipTab(i int) string {
	if c.Runs.List[i].System.Name == c.Focus() {
		return "0"
	}
	return "-1"
}

func (c *Picture) runClass(i int) string {
	return "run " + strings.ReplaceAll(c.Runs.List[i].RunState(), " ", "-")
}

func (c *Picture) percent(i int) string { return strconv.Itoa(c.Runs.List[i].Percent()) }

func (c *Picture) inFocus(i int) string { return boolText(c.Runs.List[i].System.Name == c.Focus()) }

func (c *Picture) focus(i int) { c.SetLook(state.FocusKey, c.Runs.List[i].System.Name) }

// shown keeps the place of a button that cannot be used now, so that nothing
// moves when it comes.
func (c *Picture) shown(yes bool) string {
	if yes {
		return "small"
	}
	return "small away"
}
