package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/order"
	"spillway/sim/portable"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// Headline says who wins, why, and who cannot run it, in a few sentences made from the runs.
func Headline(info *lab.Info, runs []Run) string {
	says, why, refused := verdict(info, runs)
	for _, more := range []string{why, refused} {
		if more != "" {
			says += " " + more
		}
	}
	return says
}

// Verdict says who wins, in one sentence, and why: what the system that everybody knows spends
// its time on, what else matters of the best, and how near it is to what is possible. why may be
// empty. Those that cannot run it say so in their own place.
func Verdict(info *lab.Info, runs []Run) (says, why string) {
	says, why, _ = verdict(info, runs)
	return says, why
}

func verdict(info *lab.Info, runs []Run) (says, why, refused string) {
	h := headline{info: info, say: &info.Say, at: info.Quantity(info.Say.Quantity)}
	var yardstick []contender
	rs := visible(runs)
	waiting, answer, cancelled := 0, "", false
	for _, r := range rs {
		cancelled = cancelled || r.Status == Cancelled
		switch {
		case r.waits():
			waiting++
		case r.Stale: // cancelled: what it has is of other settings
		case r.unfit():
			h.refused = append(h.refused, r.System.Title)
			h.nothing, answer = r.Report.Nothing, orElse(answer, r.Report.Answer)
		case !r.shown():
		case r.System.Bound:
			if x, ok := r.value(h.at); ok && r.System.Name != info.Floor.System {
				h.bound, h.bounded = x, true
				h.bounds = append(h.bounds, contender{r, x})
			}
		case r.System.Yardstick:
			if x, ok := r.value(h.at); ok {
				yardstick = append(yardstick, contender{r, x})
			}
		default:
			if x, ok := r.value(h.at); ok {
				h.done = append(h.done, contender{r, x})
			}
		}
	}
	if len(h.done) == 0 {
		h.done = yardstick
	}
	switch {
	case len(rs) == 0:
		return "No system is selected.", "", ""
	case len(h.done) == 0 && waiting > 0:
		return "Computing…", "", ""
	case len(h.done) == 0 && len(h.refused) > 0 && h.nothing:
		return orElse(answer, "There is nothing to run."), "", ""
	case len(h.done) == 0 && answer != "":
		return answer, h.refusal(), ""
	case len(h.done) == 0 && len(h.refused) > 0:
		return h.refusal(), "", ""
	case len(h.done) == 0 && cancelled:
		return "Cancelled: nothing was computed with these settings.", "", ""
	case len(h.done) == 0:
		return "No system has a result to compare.", "", ""
	}
	front := h.instead()
	h.quantity, h.waits = &info.Quantities[h.at], waiting > 0
	says, why = h.winner()
	says = front + says
	if a := h.done[0].Report.Answer; a != "" {
		if len(h.done) > 1 {
			why = says + why
		}
		says = a
	}
	why += h.regret()
	if len(h.refused) > 0 {
		refused = h.refusal()
	}
	if waiting > 0 {
		says = "So far: " + says
	}
	return says, strings.TrimSpace(why), refused
}

// instead has another quantity decide where all values are zero, and returns what is said of that.
func (h *headline) instead() string {
	x := h.say.Instead
	if x.Quantity == "" || slices.ContainsFunc(h.done, func(c contender) bool { return c.value != 0 }) {
		return ""
	}
	at := h.info.Quantity(x.Quantity)
	var list []contender
	for _, c := range h.done {
		if v, ok := c.Run.value(at); ok {
			list = append(list, contender{c.Run, v})
		}
	}
	if len(list) < len(h.done) {
		return ""
	}
	say := *h.say
	say.Quantity, say.Most, say.Than, say.Instead = x.Quantity, x.Most, x.Than, lab.Instead{}
	h.say, h.at, h.done, h.bounds, h.bounded = &say, at, list, nil, false
	return x.Says + " "
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
	waits    bool // some are still to come
	bound    float64
	bounded  bool
	bounds   []contender // systems that are no contestants, but for the floor's
}

type contender struct {
	*Run
	value float64
}

func (h *headline) refusal() string {
	if cannot, ok := strings.CutPrefix(orElse(h.say.Cannot, "cannot run it"), "cannot "); ok && len(h.done) == 0 && len(h.refused) > 2 {
		return "None of the " + strconv.Itoa(len(h.refused)) + " that are compared can " + cannot + "."
	}
	return prose.List(h.refused) + " " + orElse(h.say.Cannot, "cannot run it") + "."
}

// lower reports whether less is better.
func (h *headline) lower() bool { return h.quantity.Better < 0 }

// winner names the best and how far ahead it is of the system that everybody knows.
func (h *headline) winner() (says, why string) {
	order.Stable(h.done, func(a, b contender) int {
		switch better := a.value > b.value; {
		case a.value == b.value:
			return 0
		case better != h.lower():
			return -1
		}
		return 1
	})
	best := h.done[0]
	if h.say.None != "" && h.gainless(best.value) {
		return sentence(h.say.None), ""
	}
	rival := h.rival()
	if h.say.Perfect != "" && h.perfect(best.value) {
		s := prose.List(h.titles(func(x contender) bool { return h.perfect(x.value) })) + ": " + h.say.Perfect
		if rival.Run != nil && !h.perfect(rival.value) {
			s += ", " + h.times(best, rival)
		}
		return s + ".", h.besides(best.Run) + h.spends(best, rival)
	}
	if few := best.Report.Few; len(h.done) > 1 && few != "" {
		return "Cannot tell: " + few + ".", h.spent(best, rival)
	}
	if len(h.done) > 1 && h.uncertain(best, h.done[1]) {
		return h.cannotTell(best, h.done[1]), h.spent(best, rival)
	}
	if len(h.done) == 1 && !h.waits && !best.System.Yardstick && best.Report.Answer == "" {
		return h.alone(best) + ".", h.loss(best.Run) + h.besides(best.Run) + h.left(best.Run)
	}
	s := best.System.Title + " " + orElse(h.say.Most, "is first")
	if level := h.titles(func(x contender) bool { return h.alike(best, x) }); len(level) > 1 {
		s = prose.List(level) + " are level"
	}
	if !best.System.Yardstick && best.Report.Answer == "" { // nothing is 100 % of itself
		s += ": " + h.value(best.value) + best.within(h.info, h.quantity) + h.price(best.Run)
		if h.say.Over != "" && best.value > 100 {
			s += " (" + h.say.Over + ")"
		}
	}
	if rival.Run != nil && !h.alike(best, rival) {
		s += ", " + h.times(best, rival)
	}
	return s + ".", h.spent(best, rival) + h.besides(best.Run) + h.left(best.Run)
}

// regret says how far what somebody wrote is from the best of the others, and from the nearest
// bound that it does not pass; empty where nobody wrote anything, or some are still to come.
func (h *headline) regret() (s string) {
	mine := slices.IndexFunc(h.done, func(x contender) bool { return x.System.Follows != "" })
	if mine < 0 || h.waits {
		return ""
	}
	yours := h.done[mine]
	off := func(x contender) string {
		switch d := 100 * prose.More(yours.value, x.value); {
		case x.value == 0 && yours.value != 0: // no percentage says how far
			return "above " + x.System.Title
		case x.value == 0 || math.Abs(d) < 0.05:
			return "level with " + x.System.Title
		case d < 0:
			return Digits(-d, 2) + " % below " + x.System.Title
		default:
			return Digits(d, 2) + " % above " + x.System.Title
		}
	}
	for _, x := range h.done {
		if x.System.Follows == "" {
			s = off(x) + ", the best of the others"
			break
		}
	}
	near := -1
	for i, x := range h.bounds {
		if y, z := h.oriented(x, yours); y >= z && (near < 0 || h.nearer(x, h.bounds[near])) {
			near = i
		}
	}
	if near >= 0 {
		if s != "" {
			s += ", and "
		}
		s += off(h.bounds[near]) + ", a bound"
	}
	if s == "" {
		return ""
	}
	quantity, _, _ := strings.Cut(h.quantity.Label, ",") // "Speed, of DRAM-only's"
	return " " + yours.System.Title + " is " + s + ", in " + inner(quantity) + "."
}

// nearer reports whether bound a is the lesser of two.
func (h *headline) nearer(a, b contender) bool {
	x, y := h.oriented(a, b)
	return x < y
}

// alone says what the only one that was run does: it is no first of anything.
func (h *headline) alone(only contender) string {
	what := ""
	if h.say.Of == "" {
		what = inner(h.quantity.Label) + " "
	}
	var s strings.Builder
	s.WriteString(only.System.Title + ": " + what + h.value(only.value) + only.within(h.info, h.quantity) + h.price(only.Run))
	for _, b := range h.say.Alone {
		at := h.info.Quantity(b.Quantity)
		if x, ok := only.Run.value(at); ok {
			q := &h.info.Quantities[at]
			s.WriteString(", " + fmt.Sprintf(b.Says, With(Digits(q.Shown(x), h.digits()), q.Unit)))
		}
	}
	return s.String()
}

// rival is whom the best is compared with: the system that everybody knows, or without it, or
// where that is the best, the next that is behind. It has no run where there is none.
func (h *headline) rival() contender {
	for _, x := range h.done[1:] {
		if x.System.Usual {
			return x
		}
	}
	for _, x := range h.done[1:] {
		if !h.alike(h.done[0], x) {
			return x
		}
	}
	return contender{}
}

// titles names those of which yes is true.
func (h *headline) titles(yes func(contender) bool) (list []string) {
	for _, x := range h.done {
		if yes(x) {
			list = append(list, x.System.Title)
		}
	}
	return list
}

// oriented is the values of a and b so that more is better.
func (h *headline) oriented(a, b contender) (x, y float64) {
	if h.lower() {
		return b.value, a.value
	}
	return a.value, b.value
}

// alike reports whether b is not behind a as far as people care or anybody can tell.
func (h *headline) alike(a, b contender) bool {
	x, y := h.oriented(a, b)
	ahead := 1.005
	if h.say.Band != "" { // times are estimates
		ahead = 1.02
	}
	return x == y || y > 0 && x/y < ahead || h.chance(a, b)
}

// besides says what else matters of the best.
func (h *headline) besides(best *Run) (s string) {
	for _, b := range h.say.Besides {
		at := h.info.Quantity(b.Quantity)
		if x, ok := best.value(at); ok {
			q := &h.info.Quantities[at]
			say := func(x float64) string { return Digits(q.Shown(x), 3) }
			unit := q.Unit
			if b.Per > 0 {
				if x <= 0 {
					continue
				}
				say, unit = func(x float64) string { return Digits(significant(b.Per/x, 2), 2) }, b.Unit
			}
			other, top := "", math.Abs(b.Other)*x
			for _, r := range h.done {
				if y, ok := r.Run.value(at); ok && b.Other != 0 && y > top {
					other, top = " ("+r.System.Title+": "+With(say(y), unit)+")", y
				}
			}
			if b.Other < 0 && other == "" {
				continue
			}
			s += " " + fmt.Sprintf(b.Says, With(say(x), unit)) + other + "."
		}
	}
	return s
}

// significant rounds x to n digits, those in front of the point too.
func significant(x float64, n int) float64 {
	if x == 0 {
		return 0
	}
	unit := math.Pow10(int(math.Floor(portable.Log10(math.Abs(x)))) + 1 - n)
	return math.Round(x/unit) * unit
}

// gainless reports whether x is, as people see it, no better than what gains nothing.
func (h *headline) gainless(x float64) bool {
	if h.lower() && x > h.say.NoneAt || !h.lower() && x < h.say.NoneAt {
		return true
	}
	return Cell(h.quantity, x) == Cell(h.quantity, h.say.NoneAt)
}

// value prints a value of what decides: with two digits where estimates or random numbers do.
func (h *headline) value(x float64) string {
	digits := h.digits()
	text := With(Digits(h.quantity.Shown(x), digits), h.quantity.Unit)
	if h.say.Percent {
		text = Digits(100*x, digits) + " %"
	}
	if h.say.Of != "" {
		text += " " + h.say.Of
	}
	return text
}

// digits is how many a value has: two where estimates or random numbers decide.
func (h *headline) digits() int {
	if h.say.Seed != "" || h.say.Band != "" {
		return 2
	}
	return 3
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
	x, y := h.oriented(a, b)
	if x <= 0 || y <= 0 { // a ratio would say nothing
		return fmt.Sprintf("before %s at %s", b.System.Title, h.value(b.value))
	}
	if gain := x/y - 1; gain < 0.05 && h.say.Faster != "" {
		return Digits(100*gain, 2) + " % " + h.say.Faster + " than " + b.System.Title
	}
	return Digits(x/y, 2) + orElse(h.say.Than, "× as good as") + " " + b.System.Title
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
	x, y := h.oriented(a, b)
	return h.say.Seed != "" && y > 0 && (Digits(x/y, 2) == "1" || h.turns(a, b))
}

// turns reports whether the bands of a and b overlap, from the lowest to the highest of their values
// with other random numbers.
func (*headline) turns(a, b contender) bool {
	return len(a.Doubted) > 0 && len(b.Doubted) > 0 && a.band().over(b.band())
}

func (c contender) band() (s span) {
	s.add(c.value)
	for _, x := range c.Doubted {
		if finite(x) {
			s.add(x)
		}
	}
	return s
}

// spent says what the rival spends on that on which the best spends less, and where there is no
// rival what the best still loses.
func (h *headline) spent(best, rival contender) string {
	if rival.Run == nil || h.say.Spends == "" {
		return h.loss(best.Run)
	}
	return h.spends(best, rival)
}

// spends says on what the rival spends more than the best.
func (h *headline) spends(best, rival contender) string {
	d, qs, places := h.ledger()
	if len(qs) == 0 || rival.Run == nil || h.say.Spends == "" {
		return ""
	}
	names := partNames(d.chart, qs)
	mine := d.stack(best.Run, qs, places)
	theirs := d.stack(rival.Run, qs, places)
	part, more, all := 0, 0.0, 0.0
	for k := range qs {
		less := theirs.parts[k] - mine.parts[k]
		all += max(less, 0)
		if less > more {
			part, more = k, less
		}
	}
	of := h.info.Quantity(h.say.LossOf)
	x, ok := rival.Run.value(of)
	if !ok {
		return ""
	}
	total := h.info.Quantities[of].Shown(x)
	if more < noCause*all || more < total/100 {
		return ""
	}
	amount := func(x float64) string {
		if x < total/1000 {
			return "none"
		}
		return With(Digits(x, 2), qs[part].Unit)
	}
	return " " + fmt.Sprintf(h.say.Spends, rival.System.Title, amount(theirs.parts[part]), amount(total), doing(inner(names[part])), best.System.Title, amount(mine.parts[part])) + "."
}

// doing is what time is spent on: a part's name, or waiting, or idle.
func doing(part string) string {
	if strings.HasPrefix(part, "waiting") || strings.HasPrefix(part, "idle") {
		return part
	}
	return "on " + part
}

// noCause is how much of the difference a part must have to be named.
const noCause = 0.2

// ledger is the chart of what time is spent on, and its quantities.
func (h *headline) ledger() (d *drawing, qs []*report.Quantity, places []int) {
	at := slices.IndexFunc(h.info.Charts, func(c report.Chart) bool { return c.ID == h.say.Loss })
	if at < 0 {
		return nil, nil, nil
	}
	d = &drawing{Context: &Context{Info: h.info}, chart: &h.info.Charts[at]}
	qs, places = d.quantities()
	return d, qs, places
}

// loss names the largest part of what the best still loses.
func (h *headline) loss(best *Run) string {
	d, qs, places := h.ledger()
	if len(qs) == 0 {
		return ""
	}
	s := d.stack(best, qs, places)
	part, share := s.largest()
	lost, _ := best.value(places[part])
	if all, ok := best.value(h.info.Quantity(h.say.LossOf)); share == 0 || h.say.LossSays == "" || ok && lost < all/100 {
		return ""
	}
	name := inner(partNames(d.chart, qs)[part])
	return " " + fmt.Sprintf(h.say.LossSays, name, doing(name), Percent(share, 1)) + "."
}

// left says how near the best is to what is possible, empty where nobody knows.
func (h *headline) left(best *Run) string {
	if near := best.possible(h.info); near != "" {
		return " " + sentence(best.System.Title+" is "+near)
	}
	return ""
}
