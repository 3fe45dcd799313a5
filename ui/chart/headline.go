package chart

import (
	"fmt"
	"math"
	"slices"

	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// Headline says who wins and why, in one or two sentences made from the runs.
func Headline(info *lab.Info, runs []Run) string {
	h := headline{info: info, say: &info.Say, at: info.Quantity(info.Say.Quantity)}
	rs := visible(runs)
	waiting := 0
	for _, r := range rs {
		switch {
		case r.waits():
			waiting++
		case r.Stale: // cancelled: what it has is of other settings
		case r.unfit():
			h.refused = append(h.refused, r.System.Title)
			h.nothing = r.Report.Nothing
		case !r.shown():
		case r.System.Bound:
			if x, ok := r.value(h.at); ok && r.System.Name != info.Floor.System {
				h.bound, h.bounded = x, true
			}
		default:
			if x, ok := r.value(h.at); ok {
				h.done = append(h.done, contender{r, x})
			}
		}
	}
	switch {
	case len(rs) == 0:
		return "No system is selected."
	case len(h.done) == 0 && waiting > 0:
		return "Computing…"
	case len(h.done) == 0 && len(h.refused) > 0 && h.nothing:
		return "There is nothing to run."
	case len(h.done) == 0 && len(h.refused) > 0:
		return h.refusal()
	case len(h.done) == 0:
		return "No system has a result to compare."
	}
	h.quantity = &info.Quantities[h.at]
	s := h.winner()
	if len(h.refused) > 0 {
		s += " " + h.refusal()
	}
	if waiting > 0 {
		s = "So far: " + s
	}
	return s
}

// A headline is one while it is made.
type headline struct {
	info     *lab.Info
	say      *lab.Say
	at       int // place of the quantity
	quantity *report.Quantity
	done     []contender // those compared, the best first
	refused  []string
	nothing  bool // there is nothing that any system could run
	bound    float64
	bounded  bool
}

type contender struct {
	*Run
	value float64
}

func (h *headline) refusal() string {
	return prose.List(h.refused) + " " + orElse(h.say.Cannot, "cannot run it") + "."
}

// lower reports whether less is better.
func (h *headline) lower() bool { return h.quantity.Better < 0 }

func (h *headline) winner() string {
	slices.SortStableFunc(h.done, func(a, b contender) int {
		switch better := a.value > b.value; {
		case a.value == b.value:
			return 0
		case better != h.lower():
			return -1
		}
		return 1
	})
	best, last := h.done[0], h.done[len(h.done)-1]
	if h.say.None != "" && h.gainless(best.value) {
		return sentence(h.say.None)
	}
	if h.say.Perfect != "" && h.perfect(best.value) {
		var ties []string
		for _, r := range h.done {
			if h.perfect(r.value) {
				ties = append(ties, r.System.Title)
			}
		}
		s := prose.List(ties) + ": " + h.say.Perfect
		if len(ties) < len(h.done) {
			s += ", " + h.times(best, last)
		}
		return s + "." + h.besides(best.Run)
	}
	if len(h.done) > 1 && h.uncertain(best, h.done[1]) {
		return h.cannotTell(best, h.done[1])
	}
	s := best.System.Title + " " + orElse(h.say.Most, "is first")
	near := best.possible(h.info)
	if near == "" || !h.say.Percent { // one yardstick is enough
		s += ", at " + h.value(best.value) + best.within(h.info, h.quantity) + h.price(best.Run)
	}
	s += near
	if len(h.done) > 1 {
		s += ", " + h.times(best, h.done[1])
		if len(h.done) > 2 {
			s += " and " + h.times(best, last)
		}
	}
	return s + "." + h.besides(best.Run) + h.loss(best.Run)
}

// besides says what else matters of the best.
func (h *headline) besides(best *Run) (s string) {
	for _, b := range h.say.Besides {
		at := h.info.Quantity(b.Quantity)
		if x, ok := best.value(at); ok {
			q := &h.info.Quantities[at]
			other, top := "", b.Other*x
			for _, r := range h.done {
				if y, ok := r.Run.value(at); ok && b.Other > 0 && y > top {
					other, top = " ("+r.System.Title+": "+Digits(q.Shown(y), 3)+")", y
				}
			}
			s += " " + fmt.Sprintf(b.Says, With(Digits(q.Shown(x), 3), q.Unit)) + other + "."
		}
	}
	return s
}

// gainless reports whether x is, as people see it, no better than what gains nothing.
func (h *headline) gainless(x float64) bool {
	if h.lower() && x > h.say.NoneAt || !h.lower() && x < h.say.NoneAt {
		return true
	}
	return Cell(h.quantity, x) == Cell(h.quantity, h.say.NoneAt)
}

// value prints a value of what decides.
func (h *headline) value(x float64) string {
	text := Percent(x, 1)
	switch {
	case h.say.Seed != "":
		text = With(Digits(h.quantity.Shown(x), 2), h.quantity.Unit)
	case !h.say.Percent:
		text = With(Digits(h.quantity.Shown(x), 4), h.quantity.Unit)
	}
	if h.say.Of != "" {
		text += " " + h.say.Of
	}
	return text
}

// price says what the best costs, where the laboratory knows that.
func (h *headline) price(best *Run) string {
	x, ok := best.value(h.info.Quantity(h.say.Price))
	switch {
	case !ok || h.say.Price == "":
		return ""
	case math.Abs(x) < 0.05:
		return " with no " + h.say.More
	case x < 0:
		return " with " + Digits(-x, 2) + " % " + h.say.Less
	}
	return " with " + Digits(x, 2) + " % " + h.say.More
}

// perfect reports whether x is as good as the bound; of shares that is the whole.
func (h *headline) perfect(x float64) bool {
	const near = 0.0005
	switch {
	case h.bounded && h.lower():
		return x <= h.bound+float64(near*math.Abs(h.bound))
	case h.bounded:
		return x >= h.bound-float64(near*math.Abs(h.bound))
	case h.say.Percent && !h.lower():
		return x > 1-near
	}
	return false
}

// times says how much better a is than b.
func (h *headline) times(a, b contender) string {
	x, y := a.value, b.value
	if h.lower() {
		x, y = y, x
	}
	switch {
	case x == y:
		return "level with " + b.System.Title
	case x <= 0 || y <= 0: // a ratio would say nothing
		return fmt.Sprintf("before %s at %s", b.System.Title, h.value(b.value))
	case x/y < 1.005 || h.chance(a, b):
		return "level with " + b.System.Title
	case h.say.Seed != "":
		return Digits(x/y, 2) + orElse(h.say.Than, "× as good as") + " " + b.System.Title
	}
	return Digits(x/y, 3) + orElse(h.say.Than, "× as good as") + " " + b.System.Title
}

// uncertain reports whether a and b change places within the band of what results rest on.
func (h *headline) uncertain(a, b contender) bool {
	for k := range min(len(a.Doubted), len(b.Doubted)) {
		x, y := a.Doubted[k], b.Doubted[k]
		if h.lower() {
			x, y = y, x
		}
		if h.say.Band != "" && a.value != b.value && x < y {
			return true
		}
	}
	return false
}

// cannotTell says that, and what both reach as estimated.
func (h *headline) cannotTell(a, b contender) string {
	band, _ := a.Run.value(h.info.Quantity(h.say.Band))
	return fmt.Sprintf("Cannot tell: %s (%s) and %s (%s) change places within ± %s %% of %s.",
		a.System.Title, h.value(a.value), b.System.Title, h.value(b.value), Digits(band, 2), h.say.Doubt)
}

// chance reports whether it is by chance that a is before b.
func (h *headline) chance(a, b contender) bool {
	x, y := a.value, b.value
	if h.lower() {
		x, y = y, x
	}
	return h.say.Seed != "" && y > 0 && (Digits(x/y, 2) == "1" || h.turns(a, b))
}

// turns reports whether other random numbers put b before a.
func (h *headline) turns(a, b contender) bool {
	for k := range min(len(a.Doubted), len(b.Doubted)) {
		if x, y := a.Doubted[k], b.Doubted[k]; x == y || x > y == h.lower() {
			return true
		}
	}
	return false
}

// loss names the largest part of what the best still loses.
func (h *headline) loss(best *Run) string {
	at := slices.IndexFunc(h.info.Charts, func(c report.Chart) bool { return c.ID == h.say.Loss })
	if at < 0 || h.say.LossSays == "" {
		return ""
	}
	d := drawing{Context: &Context{Info: h.info}, chart: &h.info.Charts[at]}
	qs, places := d.quantities()
	if len(qs) == 0 {
		return ""
	}
	s := d.stack(best, qs, places)
	part, share := s.largest()
	lost, _ := best.value(places[part])
	if all, ok := best.value(h.info.Quantity(h.say.LossOf)); share == 0 || ok && lost < all/100 {
		return ""
	}
	return " " + fmt.Sprintf(h.say.LossSays, inner(partNames(d.chart, qs)[part]), Percent(share, 1)) + "."
}
