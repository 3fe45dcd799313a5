package question

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/order"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/model/state"
)

// What matters: every number of the setup is halved and doubled, one at a time, with the system
// in focus. Where random numbers decide, other seeds say what is noise.

// A halving is one number with its places among a plan's variants, -1 where it cannot be so.
type halving struct {
	key, label, from string
	texts            [2]string // half and double, for people
	at               [2]int
}

// Of what matters is shown: so many settings, and other seeds are so many. Below told nothing changes.
const (
	mostMatters = 10
	otherSeeds  = 2
)

// seeds are other seeds than that of a setup, none where nothing is random.
func (a *core) seeds(u *knob.Setup) (list []string) {
	seed := a.room.Info.Say.Seed
	if k := u.Knob(seed); k != nil && !u.Hidden(seed) && u.Moot(seed) == "" {
		v, _ := strconv.Atoi(u.Text(seed)) // it is a whole number
		for i := range otherSeeds {
			list = append(list, strconv.Itoa(v+i+1))
		}
	}
	return list
}

// planMatters plans each number halved and doubled.
func (a *turns) planMatters(p *plan) {
	u := p.setup
	seed := a.room.Info.Say.Seed
	p.systems = p.systems[:0]
	p.systems = append(p.systems, a.room.Focus())
	p.variants = []variant{{setup: u.String(), can: true}}
	add := func(key, text string) int {
		x, v := a.change(key, text)
		if !x.can || v.Text(key) != text {
			return -1
		}
		p.variants = append(p.variants, x)
		return len(p.variants) - 1
	}
	for _, text := range a.seeds(u) {
		if at := add(seed, text); at >= 0 {
			p.seeded = append(p.seeded, at)
		}
	}
	for i := range u.Knobs() {
		k := &u.Knobs()[i]
		if k.Kind != knob.Number || k.Derived || k.Key == seed || u.Hidden(k.Key) || u.Moot(k.Key) != "" {
			continue
		}
		v, err := knob.ParseDecimal(u.Text(k.Key), k.Scale)
		if err != nil || v < 2 {
			continue
		}
		low, high := k.Min, k.Max
		if l := u.Limit(k.Key); l != nil {
			low, high = max(low, l.Min), min(high, l.Max)
		}
		h := halving{key: k.Key, label: k.Label, from: report.WithUnit(u.Text(k.Key), k.Unit), at: [2]int{-1, -1}}
		for side, to := range [2]int64{v / 2, 2 * v} {
			if to < low || to > high || side == 0 && v%2 != 0 && k.Scale == 1 {
				continue
			}
			text := knob.Decimal(to, k.Scale)
			h.at[side], h.texts[side] = add(k.Key, text), report.WithUnit(text, k.Unit)
		}
		if h.at[0] >= 0 || h.at[1] >= 0 {
			p.halved = append(p.halved, h)
		}
	}
}

// A Matter is what half and twice as much of one setting do, ready to be shown.
type Matter struct {
	Label, From string
	Texts       [2]string // what it is then
	Says        [2]string // the change, or why there is none
	Bars        [2]string // styles of bars from the middle; empty if there is none
	Noise       bool      // other seeds do as much
	most        float64
}

// Matters lists the settings that change most first; zone is the style of what other seeds do,
// empty where nothing is random.
func (a *turns) Matters() (list []Matter, zone string) {
	p := a.now
	if p == nil || p.kind != state.Matters || p.problem != "" || len(p.systems) == 0 {
		return nil, ""
	}
	base := a.vary.cell(p, 0, p.systems[0]).Value
	// change is how far a ratio is from 1, so that twice and half are as far: 0.5 and -0.5.
	change := func(at int) (far, ratio float64) {
		if at < 0 {
			return math.NaN(), 0
		}
		v := a.vary.cell(p, at, p.systems[0]).Value
		switch {
		case !(base > 0 && v > 0):
			return math.NaN(), 0
		case v > base:
			return 1 - base/v, v / base
		}
		return v/base - 1, v / base
	}
	seeds := float64(0)
	for _, at := range p.seeded {
		if x, _ := change(at); math.Abs(x) > seeds {
			seeds = math.Abs(x)
		}
	}
	scale := max(seeds, told)
	var all [][2]float64
	for i := range p.halved {
		h := &p.halved[i]
		m := Matter{Label: h.label, From: h.from, Texts: h.texts}
		var both [2]float64
		for side, at := range h.at {
			x, ratio := change(at)
			both[side] = x
			switch c := (Cell{}); {
			case at < 0:
				m.Texts[side], m.Says[side] = "", "not possible"
			case math.IsNaN(x):
				if c = a.vary.cell(p, at, p.systems[0]); c.Known {
					m.Says[side] = "cannot run"
				}
				if c.Problem != "" && !c.Unfit {
					m.Says[side] = "not possible"
				}
			default:
				m.Says[side] = Signed(ratio - 1)
				m.most = max(m.most, math.Abs(x))
			}
		}
		m.Noise = m.most <= max(seeds, told)
		scale = max(scale, m.most)
		list, all = append(list, m), append(all, both)
	}
	for i := range list {
		for side, x := range all[i] {
			if !math.IsNaN(x) {
				list[i].Bars[side] = span(min(0, x), max(0, x), scale)
			}
		}
	}
	order.Stable(list, func(x, y Matter) int {
		switch {
		case x.most > y.most:
			return -1
		case x.most < y.most:
			return 1
		}
		return 0
	})
	if seeds > 0 {
		zone = span(-seeds, seeds, scale)
	}
	return list[:min(len(list), mostMatters)], zone
}

// span is the style of what lies between two changes, in a field from -scale to scale.
func span(from, to, scale float64) string {
	percent := func(x float64) string { return strconv.FormatFloat(50*x/scale, 'f', 1, 64) + "%" }
	return "left:calc(50% + " + percent(from) + ");width:" + percent(to-from)
}

// saysMatters is the finding.
func (c *Shown) saysMatters() string {
	if c.Progress.Known < c.Progress.All || len(c.matters) == 0 {
		return ""
	}
	sys, _ := c.room.Info.System(c.room.Focus()) // of the laboratory's own
	var told []string
	for i := range c.matters {
		m := &c.matters[i]
		if m.Noise || len(told) == 2 {
			break
		}
		text := m.Label + ":"
		for side, word := range [2]string{"half of it", "twice as much"} {
			if m.Says[side] == "" || m.Texts[side] == "" {
				continue
			}
			if side == 1 && text != m.Label+":" {
				text += ","
			}
			text += " " + word + " " + m.Says[side]
		}
		told = append(told, text)
	}
	if len(told) == 0 {
		return "No setting alone changes " + lowered(c.asked().Label) + " of " + sys.Title + "."
	}
	label, changes, _ := strings.Cut(told[0], ":")
	text := label + " matters most to " + sys.Title + ":" + changes + "."
	if len(told) > 1 {
		text += " Then " + lowered(told[1]) + "."
	}
	if c.zone != "" {
		text += " What is grey changes no more than another seed does."
	}
	return text
}

// mattersTable is the same as files have it.
func (c *Shown) mattersTable() report.Table {
	t := report.Table{Title: "Change of " + c.asked().Label, Head: []string{"Setting", "Now", "Half", "changes", "Twice", "changes"}}
	for i := range c.matters {
		m := &c.matters[i]
		t.Rows = append(t.Rows, report.Row{Head: m.Label, Cells: []report.Cell{{Text: m.From}, {Text: m.Texts[0]}, {Text: m.Says[0]}, {Text: m.Texts[1]}, {Text: m.Says[1]}}})
	}
	return t
}

// An Along is one point of a curve: who is best there, and what all have.
type Along struct {
	Label string
	Says  string
	Text  string // of the setting, for Explore
	Rows  []AlongRow
	// Setup is that of the point, and Report what is known of the system in focus there; nil if nothing.
	Setup  *knob.Setup
	Report *report.Report
}

// An AlongRow is one system at a point.
type AlongRow struct{ Title, Value, Style, Class string }

// Points is how many points one curve has; 0 where there is none to go along.
func (a *answers) Points() int {
	if a.Kind() != state.Vary || a.Problem() != "" || len(a.vary.Axes()) != 1 {
		return 0
	}
	return len(a.vary.Axes()[0].Texts)
}

// Place is the point of the curve that is looked at: where the settings are, if nobody chose one.
func (a *answers) Place() int {
	n := a.Points()
	if n == 0 {
		return 0
	}
	if a.place == "" {
		return max(0, slices.Index(a.vary.Axes()[0].Texts, a.vary.Axes()[0].Now))
	}
	return max(0, slices.Index(a.vary.Axes()[0].Texts, a.place))
}

// Look goes along the curve.
func (a *answers) Look(to string) {
	i, err := strconv.Atoi(to)
	if err != nil || i < 0 || i >= a.Points() {
		return
	}
	a.place = a.vary.Axes()[0].Texts[i]
	a.Rev++
	a.room.Draw()
}

// Along is what a point of the curve has.
func (a *answers) Along() Along {
	i := a.Place()
	x := &a.vary.Axes()[0]
	q := a.asked()
	p := Along{Label: chart.With(x.Labels[i], x.Knob.Unit), Text: x.Texts[i]}
	at := i * (1 + len(a.now.seeds))
	if o := a.of(a.now, at, a.room.Focus()); o != nil && a.now.variants[at].can {
		p.Setup, _ = a.room.Info.Read(a.now.variants[at].setup) // it was written of a setup
		p.Report = &report.Report{Fits: !o.Unfit, Values: o.Values}
	}
	type one struct {
		row AlongRow
		v   float64
	}
	var list []one
	most := float64(0)
	var usual, best *one
	for _, s := range a.Compared() {
		c := a.vary.At(s.Name, i, 0)
		o := one{AlongRow{Title: s.Title, Value: chart.Unfit}, c.Value}
		if !c.Known {
			o.row.Value = "…"
		} else if math.IsNaN(c.Value) && !c.Unfit {
			o.row.Value = chart.Dash
		}
		if !math.IsNaN(c.Value) {
			o.row.Value = chart.With(chart.Digits(q.Shown(c.Value), 3), q.Unit)
			most = max(most, q.Shown(c.Value))
		}
		switch {
		case s.Name == a.room.Focus():
			o.row.Class = "a"
		case s.Usual:
			o.row.Class = "b"
		}
		if s.Bound {
			o.row.Class = "bound"
		}
		list = append(list, o)
		if at := &list[len(list)-1]; s.Usual && !math.IsNaN(c.Value) {
			usual = &one{at.row, at.v}
		}
		if !s.Bound && !s.Yardstick && !math.IsNaN(c.Value) && (best == nil || float64(q.Better)*c.Value > float64(q.Better)*best.v) {
			best = &one{o.row, c.Value}
		}
	}
	order.Stable(list, func(x, y one) int {
		switch {
		case math.IsNaN(x.v) || math.IsNaN(y.v):
			if math.IsNaN(x.v) == math.IsNaN(y.v) {
				return 0
			} else if math.IsNaN(x.v) {
				return 1
			}
			return -1
		case float64(q.Better)*x.v > float64(q.Better)*y.v:
			return -1
		case float64(q.Better)*x.v < float64(q.Better)*y.v:
			return 1
		}
		return 0
	})
	for k := range list {
		if o := &list[k]; !math.IsNaN(o.v) && most > 0 {
			o.row.Style = "width:" + strconv.FormatFloat(max(0, 100*q.Shown(o.v)/most), 'f', 1, 64) + "%"
		}
		p.Rows = append(p.Rows, list[k].row)
	}
	switch {
	case best == nil:
		p.Says = "Nothing runs."
	case usual == nil || usual.row.Title == best.row.Title || !(usual.v > 0 && best.v > 0):
		p.Says = best.row.Title + " is best."
	default:
		r := best.v / usual.v
		if q.Better < 0 {
			r = 1 / r
		}
		p.Says = fmt.Sprintf("%s is best: %s× %s.", best.row.Title, chart.Digits(r, 2), usual.row.Title)
		if q.Better < 0 {
			p.Says = fmt.Sprintf("%s is best: %s has %s× as much.", best.row.Title, usual.row.Title, chart.Digits(r, 2))
		}
		if r < 1.02 {
			p.Says = best.row.Title + " is best, level with " + usual.row.Title + "."
		}
	}
	return p
}
