package chart

import (
	"math"

	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// farAway is how many times as far as the longest bar the best possible is when a chart does
// not draw it: bars could not be read.
const farAway = 2.5

// room is what lies between the best possible and the best that is known of a quantity, by its
// place; nil where nothing is proved of it. said is that in a sentence, also where the best
// possible is too far away to be drawn.
func (d *drawing) room(at int, unit string) (r *Room, said string) {
	if at < 0 || d.Floor == nil || !d.Info.Bounded(d.Info.Quantities[at].Key) {
		return nil, ""
	}
	q, f := &d.Info.Quantities[at], &d.Info.Floor
	if !d.Floor.Fits {
		return nil, sentence("Best possible: " + inner(d.Floor.Reason))
	}
	least, ok := d.Floor.Value(at)
	if !ok || !finite(least) || least <= 0 {
		return nil, ""
	}
	var best *Run
	top := 0.0
	for _, x := range d.runs {
		v, ok := x.value(at)
		if !ok || x.Stale || x.System.Unbounded || x.System.Bound && x.System.Name != f.Known || faster(q, v, least) {
			continue // it holds for all but these
		}
		if best == nil || float64(q.Better)*v > float64(q.Better)*top {
			best, top = x, v
		}
	}
	if best == nil {
		return nil, ""
	}
	text := "best possible"
	if f.Whom != "" {
		text += " " + f.Whom
	}
	text += " " + With(Cell(q, least), unit)
	said = sentence(capital(text) + "; " + best.System.Title + " is " + within(ratioOf(q, top, least)))
	if q.Better > 0 && least > farAway*top {
		return nil, said
	}
	return &Room{q.Shown(least), q.Shown(top), text}, said
}

// faster reports whether a value is better than what is proven to be the best.
func faster(q *report.Quantity, v, least float64) bool {
	return float64(float64(q.Better)*v) > float64(float64(q.Better)*least)+float64(1e-9*math.Abs(least))
}

// ratioOf is how many times as good as a value the best possible is.
func ratioOf(q *report.Quantity, v, least float64) float64 {
	if q.Better < 0 {
		return v / least
	}
	return least / v
}

// within says how near something is to the best possible that is so many times as good.
func within(times float64) string {
	switch less := prose.Less(1, times); { // by how much it is less than what is possible
	case times < 1.0005:
		return "as good as is possible"
	case less < 0.01:
		return "within 1 % of what is possible"
	case times < 1.995:
		return "at " + Digits(100*(1-less), 2) + " % of what is possible"
	}
	return "within a factor of " + Digits(times, 2) + " of what is possible"
}

// possible says how near a run is to what is possible at best, empty where nobody knows. What
// is proved of a single system is less than what any could do, and said to be of it.
func (r *Run) possible(info *lab.Info) string {
	x, ok := r.value(info.Quantity(info.Floor.Headroom))
	if !ok || info.Floor.System == "" || !info.Bounded(info.Say.Quantity) || x < 1-1e-9 {
		return ""
	}
	if r.System.Floor != "" { // not the one that is drawn
		return within(x) + " for it"
	}
	return within(x)
}
