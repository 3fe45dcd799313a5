package lab

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"spillway/sim/cause"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
)

// A Question asks why one system is slower or faster than another.
type Question struct {
	Lab   *Lab
	Setup *knob.Setup
	Base  *knob.Setup // the baseline's settings, nil without one
	// System is in focus, and Against what it is compared with: a system, with the settings of
	// Base where there are any, WhyBaseline or WhyUsual.
	System, Against string
	Files           Files // of the setups' workload
}

// A Pick is a run that somebody wants: a setup text and a system.
type Pick struct{ Setup, System string }

// A Known is what a pick gave: values by the laboratory's quantities, or why there are none.
type Known struct {
	Values []float64
	Reason string
}

// asked is a question with its two sides.
type asked struct {
	*Question
	time         *report.Quantity
	at           int     // its place
	tick         float64 // of the time in its values, so that parts add up exactly
	focus, other side
	n            int // causes
}

// A side is what is compared: a system with settings.
type side struct {
	*System
	title string
	setup *knob.Setup
	still bool // it is a bound, of which nothing is cured
	runs  map[cause.Set]*Known
	t     []int64 // by what is cured
	parts []int64 // by cause
	needs *Needs  // nil if nobody knows
}

// ticks is how finely times are told apart: a millionth of a millionth of a second, where they
// are in seconds.
func ticks(unit string) float64 {
	if unit == "s" {
		return 1e-12
	}
	return 1e-9
}

// ask finds the two sides. Without an error there may be one side alone: the other is then empty.
func (q *Question) ask() (*asked, error) {
	w := &q.Lab.Why
	at := q.Lab.Quantity(w.Time)
	if at < 0 {
		return nil, fmt.Errorf("%s does not say why systems are slow", q.Lab.Title)
	}
	a := &asked{Question: q, time: &q.Lab.Quantities[at], at: at, n: len(w.Causes)}
	a.tick = ticks(a.time.Unit)
	if a.time.Scale != 0 {
		a.tick *= a.time.Scale
	}
	var err error
	if a.focus, err = a.side(q.System, q.Setup); err != nil {
		return nil, err
	}
	against := q.Against
	switch {
	case against == WhyBaseline && q.Base == nil:
		return nil, fmt.Errorf("there is no baseline to compare with: pin one first")
	case against == WhyBaseline:
		if a.other, err = a.side(q.System, q.Base); err == nil {
			a.other.title = "the baseline"
		}
		return a, err
	case against == WhyUsual:
		against = ""
		for i := range q.Lab.Systems {
			if s := &q.Lab.Systems[i]; s.Usual && !s.Variant && s != a.focus.System {
				against = s.Name
			}
		}
		against = cmp.Or(against, w.Bound)
	}
	if against == "" || against == a.focus.Name && q.Base == nil {
		return a, nil
	}
	a.other, err = a.side(against, cmp.Or(q.Base, q.Setup))
	if q.Base != nil {
		a.other.title = "the kept " + a.other.title
	}
	return a, err
}

func (a *asked) side(system string, u *knob.Setup) (side, error) {
	s, err := a.Lab.System(system)
	if err != nil {
		return side{}, err
	}
	return side{System: s, title: s.Title, setup: u, still: s.Bound, runs: map[cause.Set]*Known{}, t: make([]int64, 1<<a.n)}, nil
}

// sides are those that there are.
func (a *asked) sides() []*side {
	if a.other.System == nil {
		return []*side{&a.focus}
	}
	return []*side{&a.focus, &a.other}
}

// sets are what is cured in the runs of a side, those that suffice for a sentence or all.
func (a *asked) sets(s *side, all bool) []cause.Set {
	list := cause.Sets(a.n)
	switch {
	case s.still:
		return list[:1]
	case all:
		return list[cause.First(a.n):]
	}
	return list[:cause.First(a.n)]
}

// each calls f of every run, those for the sentence first, and says how many these are.
func (a *asked) each(f func(*side, cause.Set) error) (first int, err error) {
	for _, all := range []bool{false, true} {
		for _, s := range a.sides() {
			for _, set := range a.sets(s, all) {
				if all && s.still {
					continue
				}
				if err := f(s, set); err != nil {
					return 0, err
				}
				if !all {
					first++
				}
			}
		}
	}
	return first, nil
}

// Picks are the runs that answer, in the order in which they are worth it: the first of them
// are enough for a sentence.
func (q *Question) Picks() (list []Pick, first int, err error) {
	a, err := q.ask()
	if err != nil {
		return nil, 0, err
	}
	first, err = a.each(func(s *side, set cause.Set) error {
		u, err := a.Lab.Cure(s.setup, set)
		if err == nil {
			list = append(list, Pick{u.String(), s.Name})
		}
		return err
	})
	return list, first, err
}

// explained is [Lab.Explain].
func explained(q *Question, known []Known) (s *report.Section, wants []Pick, err error) {
	picks, enough, err := q.Picks()
	switch n := len(known); {
	case err != nil:
		return nil, nil, err
	case n == 0:
		return &report.Section{Offers: q.Offers()}, picks[:enough], nil
	case n < len(picks):
		wants = picks
	}
	if s, err = q.Answer(known); s != nil {
		s.CSV = report.Data(s.Tables)
	}
	return s, wants, err
}

// Offers are what a system may be compared with.
func (q *Question) Offers() []report.Offers {
	list := []report.Offer{{Text: WhyUsual, Label: "the usual"}, {Text: WhyBaseline, Label: "the baseline"}}
	for i := range q.Lab.Systems {
		if s := &q.Lab.Systems[i]; s.Name != q.Lab.Floor.System || s.Name == q.Lab.Why.Bound {
			list = append(list, report.Offer{Text: s.Name, Label: s.Title})
		}
	}
	return []report.Offers{{Key: WhyKey, Choices: list}}
}

// Answer says why, with what came of the first Picks or of all.
func (q *Question) Answer(known []Known) (*report.Section, error) {
	a, err := q.ask()
	if err != nil {
		return nil, err
	}
	at := 0
	_, err = a.each(func(s *side, set cause.Set) error {
		if at < len(known) {
			s.runs[set] = &known[at]
			at++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return a.answer()
}

// value is a time in ticks.
func (a *asked) value(k *Known) (int64, bool) {
	if k == nil || a.at >= len(k.Values) || math.IsNaN(k.Values[a.at]) {
		return 0, false
	}
	return int64(math.Round(k.Values[a.at] / a.tick)), true
}

// amount is ticks as people read them.
func (a *asked) amount(t int64) string {
	x := float64(t) * a.tick
	if a.time.Scale != 0 {
		x /= a.time.Scale
	}
	return report.WithUnit(digits(x), a.time.Unit)
}

// digits is a number without its sign, with three digits that count.
func digits(x float64) string {
	x = math.Abs(x)
	places := 2
	for y := x; y > 0 && y < 1 && places < 8; y *= 10 {
		places++
	}
	if x >= 1 || x == 0 {
		return prose.ThreeDigits(x)
	}
	return prose.Fixed(x, places)
}

// full is a cell with ticks in full.
func (a *asked) full(c report.Cell, t int64) report.Cell { return c.With(a.shown(t), a.time.Unit) }

// signed is what a step adds.
func (a *asked) signed(t int64) string {
	switch {
	case t < 0:
		return "−" + a.amount(t)
	case t > 0:
		return "+" + a.amount(t)
	}
	return "0"
}

// shown is ticks as a chart draws them.
func (a *asked) shown(t int64) float64 {
	x := float64(t) * a.tick
	if a.time.Scale != 0 {
		x /= a.time.Scale
	}
	return x
}

// answer says what there is to say.
func (a *asked) answer() (*report.Section, error) {
	out := &report.Section{Offers: a.Offers()}
	for _, s := range a.sides() {
		if problem := a.take(s); problem != "" {
			if s == &a.other && s.still { // nothing is proved: the system stands alone
				a.other = side{}
				continue
			}
			out.Text = append(out.Text, problem)
			return out, nil
		}
	}
	if a.focus.still && a.other.System == nil {
		out.Text = append(out.Text, a.focus.title+" is a bound: choose another system, or another to compare it with.")
		return out, nil
	}
	if a.Lab.Why.SetSays != "" && !a.as(a.focus.setup) {
		out.Notes = append(out.Notes, a.Lab.Why.SetSays)
	}
	c := a.compare()
	if c.whole && !c.near() {
		a.look()
	}
	out.Title = c.title()
	out.Text = append(out.Text, c.text()...)
	if c.near() {
		return out, nil
	}
	if c.whole { // the causes are the first picture whenever there are some
		out.Falls = append(out.Falls, c.fall().Told())
		if f := c.places(); f != nil && a.Lab.Why.Parts == "" {
			out.Falls = append(out.Falls, f.Told())
		}
		out.Tables = append(out.Tables, c.table())
		if t, ok := c.longest(); ok {
			out.Tables = append(out.Tables, t)
		}
	}
	out.Notes = append(out.Notes, c.notes()...)
	return out, nil
}

// look runs both sides once more and sees what their time is for, where a run says it.
func (a *asked) look() {
	for _, s := range a.sides() {
		u, err := a.Lab.Cure(s.setup, 0)
		if err != nil || s.still || a.n == 0 {
			continue
		}
		if s.needs, err = a.Lab.Needs(u, s.Name, a.Files); err != nil {
			s.needs = nil // of a run of closed formulas, or one that is too long to be told
		}
	}
}

// needed is what a side spends for a cause, as people read it; a dash if nobody knows.
func (a *asked) needed(s *side, key string) report.Cell {
	for i := range s.needs.Resources {
		if i > 0 && s.needs.Resources[i].Key == key {
			t := s.needs.Times[i] // a tick is a picosecond
			return a.full(report.Cell{Text: a.amount(t), Share: min(float64(t)/float64(max(1, s.t[0])), 1)}, t)
		}
	}
	return report.DashCell()
}

// as reports whether settings have what all runs have.
func (a *asked) as(u *knob.Setup) bool {
	v, err := a.Lab.Cure(u, 0)
	return err == nil && v.Equal(u)
}

// take reads the times of a side; the text says why there are none.
func (a *asked) take(s *side) string {
	for set, k := range s.runs {
		t, ok := a.value(k)
		if ok {
			s.t[set] = t
		}
	}
	for _, set := range append(a.sets(s, false), a.sets(s, true)...) { // in order, so that the text is the same
		k := s.runs[set]
		if k == nil {
			continue
		}
		if _, ok := a.value(k); !ok {
			reason := cmp.Or(k.Reason, "it says no time")
			if set == 0 {
				return prose.Capital(prose.Sentences([]string{s.title + " cannot run it: " + prose.Lower(reason)}))
			}
			return prose.Sentences([]string{"Nobody can say what makes " + s.title + " slow: with " + prose.List(a.cured(set)) + " it cannot run, " + prose.Lower(reason)})
		}
	}
	if s.still {
		for set := range s.t {
			s.t[set] = s.t[0]
		}
	}
	return ""
}

// cured are what causes of a set are when they are cured.
func (a *asked) cured(set cause.Set) (list []string) {
	for c := range a.Lab.Why.Causes {
		if set.Has(c) {
			list = append(list, a.Lab.Why.Causes[c].Cured)
		}
	}
	return list
}

// A comparison is how the time of one becomes that of the other: Steps from the time From to
// that of the system in focus.
type comparison struct {
	*asked
	from  int64
	base  string // what has the time From
	steps []step
	whole bool // all runs are there
	// Of one system alone: what it loses is measured against a bound that is beyond what curing
	// all causes brings.
	beyond int64
}

// A step is what a cause adds.
type step struct {
	key, title, color string
	set               cause.Set // that cures it; 0 of what no cause is
	t                 int64
	of                [2]int64 // what it costs the system in focus, and the other
}

// allCured is what a system is compared with where nothing else is.
const allCured = "all cured"

// compare makes the steps.
func (a *asked) compare() *comparison {
	c := &comparison{asked: a, whole: a.ran()}
	all := cause.All(a.n)
	if a.other.System != nil {
		c.from, c.base = a.other.t[0], a.other.title
	} else {
		c.from, c.base = a.focus.t[all], allCured
	}
	if a.other.System != nil && a.other.still && !a.focus.still && a.focus.t[all] < a.other.t[0] && a.n > 0 {
		// Cured it is faster than the bound, which is then of another kind.
		c.beyond = a.other.t[0]
		c.from, c.base = a.focus.t[all], allCured
		a.other = side{}
	}
	if a.Lab.Why.Parts != "" {
		c.byParts()
		return c
	}
	for _, s := range a.sides() {
		at := func(set cause.Set) int64 { return s.t[set] }
		if c.whole {
			s.parts = cause.Shares(a.n, at)
		} else {
			s.parts = cause.Alone(a.n, at)
		}
	}
	rest := step{key: "rest", title: "how they decide", color: "overlap"}
	rest.of[0] = a.focus.t[all]
	if rest.of[1] = c.from; a.other.System != nil {
		rest.of[1] = a.other.t[all]
	}
	if a.other.System == nil || a.other.still {
		rest.title = "how it decides"
	}
	if rest.t = rest.of[0] - rest.of[1]; rest.t != 0 {
		c.steps = append(c.steps, rest)
	}
	for k := range a.Lab.Why.Causes {
		x := &a.Lab.Why.Causes[k]
		s := step{key: x.Key, title: x.Title, color: x.Color, set: 1 << k, of: [2]int64{a.focus.parts[k]}}
		if a.other.System != nil {
			s.of[1] = a.other.parts[k]
		}
		s.t = s.of[0] - s.of[1]
		c.steps = append(c.steps, s)
	}
	c.sort()
	return c
}

// ran reports whether all runs are there.
func (a *asked) ran() bool {
	for _, s := range a.sides() {
		if !s.still && len(s.runs) < 1<<a.n {
			return false
		}
	}
	return true
}

// byParts makes the steps of a time whose parts are its causes.
func (c *comparison) byParts() {
	ch, at := c.chart(c.Lab.Why.Parts)
	rest := c.focus.t[0] - c.from
	for k, q := range at {
		s := step{key: ch.Of[k], title: prose.Lower(c.part(ch, k)), color: colorOf(ch, k)}
		for i, side := range c.sides() {
			v, _ := c.valueOf(side, q)
			s.of[i] = int64(math.Round(v / ticks(c.time.Unit)))
		}
		if s.t = s.of[0] - s.of[1]; c.other.System == nil {
			s.t = s.of[0]
		}
		rest -= s.t
		c.steps = append(c.steps, s)
	}
	c.sort()
	if abs(rest) <= int64(2*len(c.steps)) { // what rounding leaves
		c.steps[0].t += rest
	}
}

// order puts first what is before others; what is alike stays as it is. Lists are short, and a
// general sort would be a large part of the program.
func order(n int, before func(i, k int) bool, swap func(i, k int)) {
	for i := 1; i < n; i++ {
		for k := i; k > 0 && before(k, k-1); k-- {
			swap(k, k-1)
		}
	}
}

// sort puts the largest step first.
func (c *comparison) sort() {
	order(len(c.steps), func(i, k int) bool { return abs(c.steps[i].t) > abs(c.steps[k].t) }, func(i, k int) { c.steps[i], c.steps[k] = c.steps[k], c.steps[i] })
}

func abs(x int64) int64 { return max(x, -x) }

// d is how much longer the system in focus takes.
func (c *comparison) d() int64 { return c.focus.t[0] - c.from }

// near reports whether there is nothing to explain.
func (c *comparison) near() bool {
	low, high := min(c.focus.t[0], c.from), max(c.focus.t[0], c.from)
	return cause.Near(high, low)
}

// slower and faster are the titles of the two.
func (c *comparison) slower() string {
	if c.d() > 0 {
		return c.focus.title
	}
	return c.base
}

func (c *comparison) title() string {
	switch {
	case c.other.System == nil:
		return "Why does " + c.focus.title + " take so long?"
	case c.near():
		return "Is " + c.focus.title + " slower than " + c.base + "?"
	case c.d() > 0:
		return "Why is " + c.focus.title + " slower than " + c.base + "?"
	}
	return "Why is " + c.focus.title + " faster than " + c.base + "?"
}

// share is a part of the difference in percent.
func share(part, all int64) string {
	if all == 0 {
		return "0 %"
	}
	return strconv.FormatInt(int64(math.Round(100*float64(part)/float64(all))), 10) + " %"
}

// text is the sentences: what costs most, and where it waits.
func (c *comparison) text() []string {
	first := c.focus.title + " takes " + c.amount(c.focus.t[0])
	switch {
	case c.near() && c.other.System != nil:
		return []string{first + ", as long as " + c.base + " (" + c.amount(c.from) + "): there is nothing to explain."}
	case c.near():
		return []string{first + ", and " + c.amount(c.from) + " with all causes cured: none of them costs anything."}
	case c.other.System == nil:
		first += "; with all causes cured it would take " + c.amount(c.from) + "."
	case c.d() > 0:
		first += ", " + c.amount(c.d()) + " more than " + c.base + " (" + c.amount(c.from) + ")."
	default:
		first += ", " + c.amount(c.d()) + " less than " + c.base + " (" + c.amount(c.from) + ")."
	}
	said := []string{first, c.most()}
	if text := c.alone(); text != "" {
		said = append(said, text)
	}
	if text := c.waits(); text != "" {
		said = append(said, text)
	}
	if text := c.followed(); text != "" {
		said = append(said, text)
	}
	return said
}

// most says what costs most, where one thing does.
func (c *comparison) most() string {
	const later = "Only all the runs together say which cause that is."
	parts := make([]int64, len(c.steps))
	for k := range c.steps {
		parts[k] = c.steps[k].t
	}
	for _, s := range c.sides() {
		if len(s.parts) > 0 && cause.Bound(s.parts) {
			if !c.whole {
				return later
			}
			return "No single cause can be named: those of " + s.title + " hold each other up, and curing one makes another worse."
		}
	}
	top := cause.Top(c.d(), parts)
	if top < 0 && !c.whole {
		return later
	}
	if top < 0 && len(c.steps) > 1 {
		x, y := &c.steps[0], &c.steps[1]
		return "No single cause can be named: " + x.title + " (" + c.signed(x.t) + ") and " + y.title + " (" + c.signed(y.t) + ") cost alike."
	}
	if top < 0 {
		return "No single cause can be named."
	}
	x := &c.steps[top]
	text := "What costs " + c.slower() + " most is " + x.title
	if c.other.System == nil {
		text = "What costs most is " + x.title
	}
	if text += ": " + c.amount(x.t); abs(x.t) <= abs(c.d()) {
		text += ", " + share(x.t, c.d()) + " of the difference"
	} else {
		text += ", more than the whole difference"
	}
	text += "."
	if x.set == 0 && x.key == "rest" && c.other.System != nil {
		text = "What makes the difference is " + x.title + ": with all causes cured " + c.amount(x.t) + " are left, " + share(x.t, c.d()) + " of it."
	}
	return text
}

// alone says how little one cause brings where that is far from what all bring.
func (c *comparison) alone() string {
	s := &c.focus
	if c.d() < 0 {
		s = &c.other
	}
	if s.System == nil || s.still || c.n < 2 || !c.whole {
		return ""
	}
	at := func(set cause.Set) int64 { return s.t[set] }
	all, sum, best := at(0)-at(cause.All(c.n)), int64(0), int64(0)
	for _, x := range cause.Alone(c.n, at) {
		sum, best = sum+x, max(best, x)
	}
	enough := cause.Enough(c.n, at)
	if all <= 0 || 5*sum >= 4*all || bits.OnesCount8(uint8(enough)) < 2 {
		return ""
	}
	text := "One cure alone brings " + s.title + " at most " + share(best, all) + " of what all bring"
	if enough != cause.All(c.n) {
		var names []string
		for k := range c.Lab.Why.Causes {
			if enough.Has(k) {
				names = append(names, c.Lab.Why.Causes[k].Title)
			}
		}
		text += "; " + prose.List(names) + " cured together bring " + share(at(0)-at(enough), all)
	}
	return text + "."
}

// chart is one by its ID, and the places of its quantities.
func (c *comparison) chart(id string) (*report.Chart, []int) {
	for i := range c.Lab.Charts {
		if ch := &c.Lab.Charts[i]; ch.ID == id {
			at := make([]int, len(ch.Of))
			for k, key := range ch.Of {
				at[k] = c.Lab.Quantity(key)
			}
			return ch, at
		}
	}
	return nil, nil
}

// part is what a chart's part is called.
func (c *comparison) part(ch *report.Chart, k int) string {
	if k < len(ch.Names) {
		return ch.Names[k]
	}
	label := c.Lab.Quantities[c.Lab.Quantity(ch.Of[k])].Label
	for i := len(label) - 2; i >= 0; i-- {
		if label[i:i+2] == ": " {
			return prose.Capital(label[i+2:])
		}
	}
	return label
}

func colorOf(ch *report.Chart, k int) string {
	if k < len(ch.Colors) {
		return ch.Colors[k]
	}
	return "part-" + strconv.Itoa(k%8)
}

// valueOf is a value of a side's run as it is set.
func (c *comparison) valueOf(s *side, at int) (float64, bool) {
	k := s.runs[0]
	if k == nil || at < 0 || at >= len(k.Values) || math.IsNaN(k.Values[at]) {
		return 0, false
	}
	return c.Lab.Quantities[at].Shown(k.Values[at]), true
}

// A place is a part of the ledger: where time goes.
type place struct {
	title, color string
	of           [2]float64
}

// ledger is where the time of both goes, and what all of it is.
func (c *comparison) ledger() (list []place, whole [2]float64, unit string) {
	ch, at := c.chart(c.Lab.Say.Loss)
	if ch == nil {
		return nil, whole, ""
	}
	for k, q := range at {
		p := place{title: c.part(ch, k), color: colorOf(ch, k)}
		for i, s := range c.sides() {
			p.of[i], _ = c.valueOf(s, q)
			whole[i] += p.of[i]
		}
		list = append(list, p)
	}
	if len(at) > 0 && at[0] >= 0 {
		unit = c.Lab.Quantities[at[0]].Unit
	}
	return list, whole, unit
}

// waits says where the slower one spends more.
func (c *comparison) waits() string {
	list, whole, unit := c.ledger()
	i, j := 0, 1
	if c.d() < 0 {
		i, j = 1, 0
	}
	sides := c.sides()
	if i >= len(sides) {
		return ""
	}
	most, more := -1, 0.0
	for k := range list {
		d := list[k].of[i]
		if j < len(sides) {
			d -= list[k].of[j]
		}
		if d > more {
			most, more = k, d
		}
	}
	if most < 0 || more < whole[i]/100 {
		return ""
	}
	p := &list[most]
	if j >= len(sides) {
		return "It spends most on " + prose.Lower(p.title) + ": " + prose.Fixed(100*p.of[i]/whole[i], 0) + " % of what its account has."
	}
	say := func(x float64) string { return report.WithUnit(digits(x), unit) }
	return "Where it shows most is " + prose.Lower(p.title) + ": " + say(p.of[i]) + " with " + sides[i].title + ", " + say(p.of[j]) + " with " + sides[j].title + "."
}

// followed says for what the slower one spends most, by what its waits are for.
func (c *comparison) followed() string {
	s := &c.focus
	if c.d() < 0 {
		s = &c.other
	}
	if s.System == nil || s.needs == nil {
		return ""
	}
	most := s.needs.Most()
	if most == 0 {
		return ""
	}
	t := s.needs.Times[most]
	return "Wait by wait, what " + s.title + " waits for most is " + s.needs.Resources[most].Label + ": " + c.amount(t) + ", " + share(t, s.t[0]) + " of its time."
}

// fall is the waterfall of the causes.
func (c *comparison) fall() report.Fall {
	f := report.Fall{ID: "causes", Title: "What makes it wait", Unit: c.time.Unit, Help: "From one to the other: what each cause adds, as Shapley's values of runs with causes cured. They add up exactly."}
	if c.Lab.Why.Parts != "" {
		f.Help = c.Lab.Why.Says
	}
	f.Steps = append(f.Steps, c.total(&c.other, c.base, c.from))
	least := max(abs(c.d()), max(c.from, c.focus.t[0])) / 100
	var small int64
	for k := range c.steps {
		s := &c.steps[k]
		if abs(s.t) < least {
			small += s.t
			continue
		}
		f.Steps = append(f.Steps, report.Step{Key: s.key, Name: prose.Capital(s.title), Text: c.signed(s.t), Value: c.shown(s.t), Color: s.color})
	}
	if small != 0 {
		f.Steps = append(f.Steps, report.Step{Key: "else", Name: "All else", Text: c.signed(small), Value: c.shown(small), Color: "stall"})
	}
	f.Steps = append(f.Steps, c.total(&c.focus, c.focus.title, c.focus.t[0]))
	f.Help += c.leads()
	return f
}

// leads says where a step of a waterfall leads.
func (c *comparison) leads() string {
	if !c.Lab.Timed {
		return ""
	}
	return " Press a step to see its longest wait in Timeline."
}

// total is a bar from zero.
func (c *comparison) total(s *side, title string, t int64) report.Step {
	x := report.Step{Name: prose.Capital(title), Text: c.amount(t), Value: c.shown(t), Total: true, Color: "compute"}
	if s.System != nil {
		x.Color, x.Pattern = "system-"+strconv.Itoa(s.Look%10), s.Look/10%4
	}
	return x
}

// places is the waterfall of the ledger, nil where there is none of both.
func (c *comparison) places() *report.Fall {
	ch, _ := c.chart(c.Lab.Say.Loss)
	list, whole, unit := c.ledger()
	if len(list) == 0 || c.other.System == nil {
		return nil
	}
	say := func(x float64) string { return report.WithUnit(digits(x), unit) }
	f := &report.Fall{ID: "places", Title: "Where it waits", Unit: unit, Help: "From one run of each, by “" + ch.Title + "”: what " + c.focus.title + " spends more (+) or less (−) on each thing than " + c.base + "."}
	total := func(s *side, x float64) report.Step {
		return report.Step{Name: prose.Capital(s.title), Text: say(x), Value: x, Total: true, Color: "system-" + strconv.Itoa(s.Look%10), Pattern: s.Look / 10 % 4}
	}
	f.Steps = append(f.Steps, total(&c.other, whole[1]))
	apart := func(i int) float64 { return math.Abs(list[i].of[0] - list[i].of[1]) }
	order(len(list), func(i, k int) bool { return apart(i) > apart(k) }, func(i, k int) { list[i], list[k] = list[k], list[i] })
	small := 0.0
	for k := range list {
		p := &list[k]
		d := p.of[0] - p.of[1]
		if math.Abs(d) < max(whole[0], whole[1])/100 {
			small += d
			continue
		}
		f.Steps = append(f.Steps, report.Step{Key: p.title, Name: p.title, Text: sign(d) + say(d), Value: d, Color: p.color})
	}
	if say(small) != say(0) {
		f.Steps = append(f.Steps, report.Step{Key: "else", Name: "All else", Text: sign(small) + say(small), Value: small, Color: "stall"})
	}
	f.Steps = append(f.Steps, total(&c.focus, whole[0]))
	f.Help += c.leads()
	return f
}

func sign(x float64) string {
	if x < 0 {
		return "−"
	}
	return "+"
}

// table is the waterfall's twin, with what each would take without a cause.
func (c *comparison) table() report.Table {
	alone := c.other.System == nil
	cures := c.n > 0
	t := report.Table{Key: "causes", Title: "What makes it wait", Head: []string{"Cause"}}
	for _, s := range c.sides() {
		t.Head = append(t.Head, "Costs "+s.title)
		if cures && !s.still {
			t.Head = append(t.Head, s.title+" without it")
		}
		if s.needs != nil {
			t.Head = append(t.Head, s.title+" waits for it")
		}
	}
	if !alone {
		t.Head = append(t.Head, "Difference")
	}
	row := func(key, name, sub, set string, of [2]int64, cured cause.Set, d int64, total bool) {
		r := report.Row{Head: name, Sub: sub, Set: set}
		for i, s := range c.sides() {
			cell := report.Cell{Text: c.amount(of[i])}
			if of[i] < 0 {
				cell.Text = "−" + cell.Text
			}
			if w := s.t[0]; w > 0 && of[i] > 0 {
				cell.Share = min(float64(of[i])/float64(w), 1)
			}
			r.Cells = append(r.Cells, c.full(cell, of[i]))
			if cures && !s.still {
				text := report.DashCell()
				if cured != 0 {
					text = c.full(report.Cell{Text: c.amount(s.t[cured])}, s.t[cured])
				}
				r.Cells = append(r.Cells, text)
			}
			if s.needs != nil {
				r.Cells = append(r.Cells, c.needed(s, key))
			}
		}
		if !alone {
			r.Cells = append(r.Cells, c.full(report.Cell{Text: c.signed(d), Best: total}, d))
		}
		t.Rows = append(t.Rows, r)
	}
	open := func(set cause.Set) string {
		u, err := c.Lab.Cure(c.focus.setup, set)
		if err != nil || set == 0 || u.Equal(c.focus.setup) {
			return ""
		}
		return u.String()
	}
	for k := range c.steps {
		s := &c.steps[k]
		sub := ""
		if s.set != 0 {
			sub = c.Lab.Why.Causes[bits.TrailingZeros8(uint8(s.set))].Cured
		}
		set, cured := open(s.set), s.set
		if s.key == "rest" {
			set, cured = open(cause.All(c.n)), 0
			sub = "what is left with all causes cured"
		}
		row(s.key, prose.Capital(s.title), sub, set, s.of, cured, s.t, false)
	}
	row("", "All", "", "", [2]int64{c.focus.t[0], c.from}, cause.All(c.n), c.d(), true)
	return t
}

// longest are the longest waits of the system in focus, each with its place in Timeline.
func (c *comparison) longest() (t report.Table, ok bool) {
	s := &c.focus
	u, err := c.Lab.Cure(s.setup, 0)
	if err != nil || s.needs == nil || len(s.needs.Longest) == 0 {
		return t, false
	}
	t = report.Table{Key: "longest", Title: "Longest waits of " + s.title, Head: []string{"In", "Waits", "Which is", "For", "At"}}
	set := ""
	if !u.Equal(s.setup) {
		set = u.String()
	}
	for _, w := range s.needs.Longest {
		what := report.DashCell()
		if w.For != "" {
			what.Text = w.For
		}
		took, first := c.amount(w.Took), c.amount(w.Begin)
		if w.Count > 1 {
			took, first = took+", "+strconv.Itoa(w.Count)+" times", "first at "+first
		}
		t.Rows = append(t.Rows, report.Row{Head: w.In, Set: set, At: w.At, Cells: []report.Cell{c.full(report.Cell{Text: took}, w.Took), {Text: w.What}, what, c.full(report.Cell{Text: first}, w.Begin)}})
	}
	return t, true
}

// notes are what decides how far it holds.
func (c *comparison) notes() (list []string) {
	if c.beyond > 0 {
		list = append(list, "The bound is of another cut: it says "+c.amount(c.beyond)+", and with all causes cured "+c.focus.title+" takes "+c.amount(c.from)+". So what is explained begins there.")
	}
	if c.n > 0 {
		list = append(list, "Cured is planned anew: what you could buy, and a system that plans may plan worse then.")
	}
	return list
}

// explain makes all runs of a question, one after the other, and answers it.
func (l *Lab) explain(q *Question, f Files, p Progress) (*report.Section, error) {
	q.Files = f
	picks, _, err := q.Picks()
	if err != nil {
		return nil, err
	}
	known := make([]Known, len(picks))
	for i, pick := range picks {
		if known[i], err = l.Know(pick, f); err != nil {
			return nil, err
		}
		if p != nil {
			p(i+1, len(picks))
		}
	}
	return q.Answer(known)
}

// KnownOf is what a report says.
func KnownOf(r *report.Report) Known {
	if !r.Fits {
		return Known{Reason: r.Reason}
	}
	return Known{Values: r.Values}
}

// Know makes one run. The error is of a run that broke off, or is too much work.
func (l *Lab) Know(pick Pick, f Files) (Known, error) {
	u, err := l.Read(pick.Setup)
	if err != nil {
		return Known{}, err
	}
	if err := l.Check(u); err != nil {
		return Known{Reason: err.Error()}, nil
	}
	r, _, err := l.Run(u, pick.System, f, nil)
	if err != nil {
		return Known{}, err
	}
	return KnownOf(r), nil
}
