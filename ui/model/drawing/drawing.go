// Package drawing is what the drawing of the first screen says: places that hold bytes and
// links between them, with the numbers of the system in focus.
package drawing

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	"spillway/ui/model/form"
	"spillway/ui/model/runs"
	"spillway/ui/model/workspace"
)

// A Drawing is the machine that is simulated, with what moves in it.
type Drawing struct {
	room *workspace.Workspace
	form *form.Form
	runs *runs.Runs
	at   *report.Report // of another setup than the one that is set; nil if there is none
}

// New returns the drawing of a laboratory.
func New(w *workspace.Workspace, f *form.Form, r *runs.Runs) *Drawing {
	return &Drawing{room: w, form: f, runs: r}
}

// A View is the drawing as the page shows it.
type View struct {
	Parts   []Part
	Columns string // style of the columns that they stand in
	Stale   bool   // its numbers are of other settings
}

// A Part is a place or a link as it is drawn, in the order of the drawing.
type Part struct {
	Key, Title, Class string
	Product           string // which it is, of those that can be bought
	Size, Used        string // of a place
	Fill              string // style of its bar
	Place             string // style: where it is drawn
	Lanes             []Lane // of a link
	Label             string // everything in words

	knobs []string
	slot  string // the derived knob with its products
}

// Hub reports whether it is a place that has nothing to turn.
func (p *Part) Hub() bool { return len(p.knobs) == 0 }

// A Lane is one direction of a link.
type Lane struct {
	Class             string // which way it goes
	Rate, Bytes, Busy string
	Style             string // how busy it is
}

// A layout is a drawing while it is made.
type layout struct {
	*Drawing
	parts  []Part
	rows   int
	widths []string
}

// View returns what the drawing shows now.
func (d *Drawing) View() View {
	p := d.room.Info.Picture
	if p == nil || len(p.Places) == 0 {
		return View{}
	}
	l := &layout{Drawing: d}
	l.branch(&p.Places[0], 1, map[string]bool{})
	at := slices.IndexFunc(d.runs.List, func(r runs.Run) bool { return r.System.Name == d.room.Focus() })
	return View{l.parts, "--columns:" + strings.Join(l.widths[:max(0, len(l.widths)-1)], " "), at >= 0 && d.runs.List[at].Stale}
}

// ViewAt is the drawing of another setup, with the numbers of its run.
func (d *Drawing) ViewAt(u *knob.Setup, r *report.Report) View {
	was := d.room.State.Setup
	d.room.State.Setup, d.at = u, r
	v := d.View()
	d.room.State.Setup, d.at = was, nil
	return v
}

// branch draws a place and, to its right, what hangs on it: each link with what
// hangs on that in rows of its own.
func (l *layout) branch(p *lab.Place, column int, drawn map[string]bool) {
	drawn[p.Key] = true
	at, top := len(l.parts), l.rows
	l.parts = append(l.parts, l.place(p))
	width := "minmax(100px,1.3fr)"
	if l.parts[at].Hub() {
		width = "30px"
	}
	if len(l.widths) < column { // else something above it has decided
		l.widths = append(l.widths, width, "minmax(128px,1fr)")
	}
	for i := range l.room.Info.Picture.Links {
		k := &l.room.Info.Picture.Links[i]
		other := k.To
		if k.To == p.Key {
			other = k.From
		}
		if k.From != p.Key && k.To != p.Key || drawn[k.Key] {
			continue
		}
		drawn[k.Key] = true
		row, link := l.rows, len(l.parts)
		l.parts = append(l.parts, l.link(k, p))
		if next := slices.IndexFunc(l.room.Info.Picture.Places, func(x lab.Place) bool { return x.Key == other }); next >= 0 && !drawn[other] {
			l.branch(&l.room.Info.Picture.Places[next], column+2, drawn)
		} else {
			l.rows++
		}
		l.parts[link].Place = gridArea(column+1, row, l.rows)
	}
	if l.rows == top { // nothing hangs on it
		l.rows++
	}
	l.parts[at].Place = gridArea(column, top, l.rows)
}

// gridArea is the place of a part in the drawing, in rows from top to end.
func gridArea(column, top, end int) string {
	return fmt.Sprintf("grid-column:%d;grid-row:%d/%d", column, top+1, end+1)
}

// focused is the report of the system in focus; nil if there is none.
func (d *Drawing) focused() *report.Report {
	if d.at != nil {
		return d.at
	}
	for i := range d.runs.List {
		if r := &d.runs.List[i]; r.System.Name == d.room.Focus() && r.Shown() {
			return r.Report
		}
	}
	return nil
}

// value returns a quantity of the system in focus.
func (d *Drawing) value(key string) (q *report.Quantity, v float64, ok bool) {
	r, at := d.focused(), d.room.Info.Quantity(key)
	if r == nil || at < 0 {
		return nil, 0, false
	}
	v, ok = r.Value(at)
	return &d.room.Info.Quantities[at], v, ok
}

// amount prints a quantity of the system in focus, "" if there is none.
func (d *Drawing) amount(key string) string { return d.amountOf(key, 1) }

// amountOf prints a part of it.
func (d *Drawing) amountOf(key string, part float64) string {
	q, v, ok := d.value(key)
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
func (d *Drawing) used(p *lab.Place) string {
	return d.amountOf(p.Used, d.room.Info.Part(d.room.State.Setup))
}

// setting prints a part of a knob's value with three digits; the editor has all of it.
func (d *Drawing) setting(key string, part float64) (text string, v float64) {
	k := d.room.State.Setup.Knob(key)
	if k == nil {
		return "", 0
	}
	v, err := strconv.ParseFloat(d.room.State.Setup.Text(key), 64)
	if err != nil {
		return d.room.State.Setup.Text(key), 0
	}
	v /= part
	return inFewLetters(v, k.Unit), v
}

// product names which product a slot has, "" if none.
func (d *Drawing) product(slot string) string {
	k := d.room.State.Setup.Knob(slot)
	if k == nil {
		return ""
	}
	if x := k.Choice(d.room.State.Setup.Text(slot)); x != nil && x.Key != "" && !d.room.State.Setup.Denied(x) {
		return x.Label
	}
	return "custom"
}

func (d *Drawing) place(p *lab.Place) Part {
	x := Part{Key: p.Key, Title: p.Title, Class: "place", Product: d.product(p.Part), slot: p.Part, Fill: "--fill:0%"}
	x.knobs = slices.Clone(p.Turn)
	if p.Size != "" {
		x.knobs = []string{p.Size}
	}
	var size float64
	x.Size, size = d.setting(p.Size, d.room.Info.Part(d.room.State.Setup))
	if x.Product == x.Size {
		x.Product = ""
	}
	unbounded := p.Unbounded && size == 0
	if unbounded {
		x.Size = "as much as it takes"
	}
	if q, v, ok := d.value(p.Room); ok && p.Room != "" {
		size = q.Shown(v) / d.room.Info.Part(d.room.State.Setup)
		x.Size = d.amountOf(p.Room, d.room.Info.Part(d.room.State.Setup))
	}
	if q, v, ok := d.value(p.Used); ok {
		x.Used = d.used(p)
		if unbounded && v > 0 {
			x.Size = ""
		}
		if size > 0 {
			is := q.Shown(v) / d.room.Info.Part(d.room.State.Setup)
			x.Fill = fmt.Sprintf("--fill:%.1f%%", min(100, 100*is/size))
			if is > 1.005*size {
				x.Class += " over"
			}
		}
	} else if p.Used == "" || d.focused() != nil && d.focused().Fits {
		x.Fill = "visibility:hidden" // an empty bar would say that it is empty
	}
	if len(x.knobs) == 0 {
		x.knobs = d.sets(p.Part)
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
func (d *Drawing) sets(slot string) []string {
	k := d.room.State.Setup.Knob(slot)
	if k == nil {
		return nil
	}
	var keys []string
	for i := range k.Choices {
		pairs, _ := knob.Pairs(k.Choices[i].Set) // lab.New has checked it
		for _, p := range pairs {
			if x := d.room.State.Setup.Knob(p.Key); x.Kind == knob.Number && !slices.Contains(keys, p.Key) {
				keys = append(keys, p.Key)
			}
		}
	}
	return keys
}

func (d *Drawing) link(k *lab.Link, from *lab.Place) Part {
	x := Part{Key: k.Key, Title: k.Title, Class: "link", Product: d.product(k.Part), slot: k.Part}
	words := []string{x.Product}
	for _, l := range k.Lanes {
		n := Lane{Class: "lane on", Bytes: d.amount(l.Bytes), Style: "--busy:0"}
		if l.To == from.Key {
			n.Class = "lane back"
		}
		if v, unit, ok := d.room.Info.Rate(d.room.State.Setup, d.focused(), &l); ok {
			n.Rate = chart.With(chart.Digits(v, 3), unit)
		}
		if d.room.State.Setup.Moot(l.Rate) != "" {
			n.Class += " moot" // the editor says why
		}
		if _, v, ok := d.value(l.Bytes); ok && v > 0 {
			n.Class += " flows"
		}
		if _, v, ok := d.value(l.Busy); ok && !math.IsNaN(v) {
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
		words = append(words, "to the "+d.placeTitle(l.To)+" "+sentence(n.Rate, n.Bytes, busy))
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

func (d *Drawing) placeTitle(key string) string {
	for _, p := range d.room.Info.Picture.Places {
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

// Dials are the sliders of what a part has to turn.
func (d *Drawing) Dials(p *Part) []form.Slider {
	var list []form.Slider
	for _, key := range p.knobs {
		list = append(list, d.form.Dial(key, p.slot))
	}
	return list
}

// Products are the choices of what a part may be.
func (d *Drawing) Products(p *Part) []form.Option {
	if p.slot == "" {
		return nil
	}
	f := d.form.Field(p.slot)
	return slices.DeleteFunc(f.Options, func(o form.Option) bool { return o.Key == "" })
}

// Pick makes a part one of its products.
func (d *Drawing) Pick(p *Part, product string) { d.room.Choose(p.slot, product) }

// Turn gives a part's setting what a slider says, whose value is a text.
func (d *Drawing) Turn(p *Part, key, at string) {
	if n, err := strconv.Atoi(at); err == nil {
		d.form.Turn(key, p.slot, n)
	}
}

// Story says what the drawing shows, for those who do not see it.
func (d *Drawing) Story() string {
	if d.room.Info.Picture == nil {
		return ""
	}
	s, err := d.room.Info.System(d.room.Focus())
	if err != nil {
		return ""
	}
	r := d.focused()
	if r == nil {
		return s.Title + " has no numbers yet."
	}
	if !d.carries() {
		var used []string
		for i := range d.room.Info.Picture.Places {
			if p := &d.room.Info.Picture.Places[i]; d.used(p) != "" {
				used = append(used, p.Title+" "+d.used(p))
			}
		}
		return s.Title + " uses: " + strings.Join(used, ", ") + "."
	}
	var moved []string
	for _, k := range d.room.Info.Picture.Links {
		for _, l := range k.Lanes {
			from := k.From
			if l.To == k.From {
				from = k.To
			}
			a, b := d.end(from), d.end(l.To)
			if _, v, ok := d.value(l.Bytes); ok && v > 0 && a != b {
				moved = append(moved, fmt.Sprintf("%s from %s to %s", d.amount(l.Bytes), a, b))
			}
		}
	}
	if len(moved) == 0 {
		return d.Busiest()
	}
	return s.Title + " moves: " + strings.Join(moved, ", ") + ". " + d.Busiest()
}

// carries reports whether the laboratory knows what links carry.
func (d *Drawing) carries() bool {
	return slices.ContainsFunc(d.room.Info.Picture.Links, func(k lab.Link) bool {
		return slices.ContainsFunc(k.Lanes, func(l lab.Lane) bool { return l.Bytes != "" || l.Busy != "" })
	})
}

// apart is what goes over links that are not drawn, "" if nothing does.
func (d *Drawing) apart() string {
	if _, v, ok := d.value(d.room.Info.Picture.Apart); !ok || v <= 0 {
		return ""
	}
	return d.amount(d.room.Info.Picture.Apart)
}

// Busiest says which link has most to do, "" if none has.
func (d *Drawing) Busiest() string {
	if d.room.Info.Picture == nil || !d.carries() {
		return ""
	}
	name, most := "", 0.0
	for _, k := range d.room.Info.Picture.Links {
		for _, l := range k.Lanes {
			if _, v, ok := d.value(l.Busy); ok && v > most {
				name, most = k.Title, v
			}
		}
	}
	s, err := d.room.Info.System(d.room.Focus())
	apart := d.apart()
	switch {
	case err != nil || d.focused() == nil:
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
func (d *Drawing) end(key string) string {
	for i := range d.room.Info.Picture.Places {
		if p := &d.room.Info.Picture.Places[i]; p.Key == key && p.Size == "" && p.Used == "" && p.Part == "" && len(p.Turn) == 0 {
			return d.room.Info.Picture.Places[0].Title
		}
	}
	return d.placeTitle(key)
}

// Hint says at what scale the drawing is, empty where it is of all of it.
func (d *Drawing) Hint() string {
	if d.room.Info.Picture == nil {
		return ""
	}
	if part := d.room.Info.Part(d.room.State.Setup); part > 1 {
		return fmt.Sprintf("The drawing shows 1/%s of everything, as it runs; settings are for the whole.", chart.Digits(part, 3))
	}
	return ""
}

// Lead says the problem before anything is solved.
func (d *Drawing) Lead() string {
	for i := range d.runs.List {
		if r := &d.runs.List[i]; r.On && r.Report != nil && r.Report.Lead != "" && (!r.Stale || r.Active()) {
			return r.Report.Lead
		}
	}
	return ""
}

// Mute reports whether the laboratory says no problem: its place is not kept then.
func (d *Drawing) Mute() bool {
	some := false
	for i := range d.runs.List {
		if r := &d.runs.List[i]; r.On && r.Report != nil {
			if r.Report.Lead != "" {
				return false
			}
			some = true
		}
	}
	return some
}
