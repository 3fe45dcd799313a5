package sweep

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/order"
	"spillway/sim/report"
)

// A Goal is what a search looks for: the smallest or the largest value of a knob
// with which a system does what is wanted.
type Goal struct {
	Base   *knob.Setup
	Range  Range
	System string
	// Than is the system compared with, at the same setup; empty for the want's
	// bound, and for Fits.
	Than    string
	Want    Want
	Largest bool
	// Precision is how far the answer may be from the exact one, as a share of it;
	// 0 is to the last of the knob's own steps.
	Precision float64
}

// UsualPrecision is 1 % of a knob that is measured in parts of its unit, and the
// exact answer for one that is counted.
func UsualPrecision(k *knob.Info) float64 {
	if k.Scale == 1 {
		return 0
	}
	return 0.01
}

// A Probe is one value that a search has tried.
type Probe struct {
	X     int64 // in the knob's base units
	Text  string
	Y     Reading
	Than  Reading // of the system compared with, or the bound
	Holds bool

	untaken int
}

// Search looks for a goal. It asks in rounds:
//
//	for runs := s.Next(); len(runs) > 0; runs = s.Next() {
//		for i, r := range runs {
//			s.Take(i, measured(r))
//		}
//	}
//
// The first round climbs the whole range by one factor, the others narrow down
// where the answer begins, and look a little around it. What it asks depends on
// nothing but the readings.
type Search struct {
	goal   Goal
	info   *knob.Info
	runs   []Run   // of this round
	of     []place // of every run: the probe it is for
	round  []Probe
	probes []Probe // of all rounds before, by X
	looks  int     // how often it looked around an edge
}

// A place says which reading of which probe a run gives.
type place struct {
	probe int
	than  bool
}

const (
	// rungs is how many values the first round tries. With half of an order of
	// magnitude between two of them a range of four orders is seen.
	rungs = 9
	// deepest is the first rung above the range's beginning, as a part of its end.
	deepest = 4096
	// inside is how many values a later round tries: as many as keep two processors
	// busy.
	inside = 2
	// steps is how many values are tried on each side of an edge that was found, to
	// see whether it is ragged, and looks how often: if one behind it holds, it is
	// the answer so far, and its edge is looked for.
	steps = 4
	looks = 3
)

// NewSearch starts a search. The error says what of the goal cannot be.
func NewSearch(g Goal) (*Search, error) {
	k := g.Base.Knob(g.Range.Key)
	switch {
	case k == nil:
		return nil, fmt.Errorf("unknown setting %q", g.Range.Key)
	case k.Kind != knob.Number:
		return nil, fmt.Errorf("%s is no number", k.Label)
	case g.Range.From > g.Range.To:
		return nil, errors.New("the range ends before it begins")
	case g.Want.Test == Within && g.Than == "":
		return nil, errors.New("a share needs a system to compare with")
	case g.Want.Test == Within && !(g.Want.Share >= 0):
		return nil, errors.New("a share is 0 or more")
	case !(g.Precision >= 0 && g.Precision < 1):
		return nil, errors.New("the precision is a share below 1")
	}
	s := &Search{goal: g, info: k}
	s.ask(s.ladder())
	return s, nil
}

// Goal returns what is looked for.
func (s *Search) Goal() *Goal { return &s.goal }

// ladder lists the values of the first round.
func (s *Search) ladder() []int64 {
	lo, hi := s.goal.Range.From, s.goal.Range.To
	if lo == hi {
		return []int64{lo}
	}
	if lo < 0 {
		return spread(s.info, lo, hi, rungs, false, exactly)
	}
	list := spread(s.info, max(lo, hi/deepest, 1), hi, rungs, true, exactly)
	if list[0] > lo {
		list = slices.Insert(list, 0, lo)
	}
	return list
}

// ask begins a round that tries these values.
func (s *Search) ask(values []int64) {
	s.runs, s.of, s.round = nil, nil, nil
	for _, x := range values {
		p := Probe{X: x, Text: knob.Decimal(x, s.info.Scale)}
		u := s.goal.Base.Clone()
		if err := u.Apply([]knob.Pair{{Key: s.info.Key, Text: p.Text}}); err != nil {
			p.Y.Problem = OneLine(err)
			s.round = append(s.round, p)
			continue
		}
		p.Than = Reading{Fits: true, Value: s.goal.Want.Bound}
		s.runs, s.of = append(s.runs, Run{u, s.goal.System}), append(s.of, place{len(s.round), false})
		p.untaken = 1
		if s.goal.Than != "" && s.goal.Want.Test != Fits {
			s.runs, s.of = append(s.runs, Run{u, s.goal.Than}), append(s.of, place{len(s.round), true})
			p.untaken = 2
		}
		s.round = append(s.round, p)
	}
}

// Next returns what must be run next, nothing when the search is over. While
// readings are missing it is the same again.
func (s *Search) Next() []Run {
	for {
		if len(s.round) == 0 || slices.ContainsFunc(s.round, func(p Probe) bool { return p.untaken > 0 }) {
			return s.runs
		}
		for _, p := range s.round {
			p.Holds = p.Y.Problem == "" && s.goal.Want.holds(p.Y, p.Than)
			s.probes = append(s.probes, p)
		}
		order.Stable(s.probes, func(a, b Probe) int { return compare(a.X, b.X) })
		s.ask(s.between())
	}
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Take takes what the i-th run of this round said.
func (s *Search) Take(i int, r Reading) {
	p := &s.round[s.of[i].probe]
	if p.untaken--; s.of[i].than {
		p.Than = r
	} else {
		p.Y = r
	}
}

// edge returns the places of the probe that is the answer so far and of its
// neighbour that does not hold; -1 for what there is not.
func (s *Search) edge() (holds, fails int) {
	n := len(s.probes)
	if s.goal.Largest {
		for i := n - 1; i >= 0; i-- {
			if s.probes[i].Holds {
				if i == n-1 {
					return i, -1
				}
				return i, i + 1
			}
		}
		return -1, -1
	}
	i := slices.IndexFunc(s.probes, func(p Probe) bool { return p.Holds })
	return i, max(i, 0) - 1
}

// between lists the values of the next round: inside the gap where the answer
// begins, nothing when that is narrow enough.
func (s *Search) between() []int64 {
	holds, fails := s.edge()
	if holds < 0 || fails < 0 {
		return nil
	}
	a, b := s.probes[min(holds, fails)].X, s.probes[max(holds, fails)].X
	gap := float64(b) - float64(a)
	if b-a == 1 || gap <= s.goal.Precision*math.Abs(float64(s.probes[holds].X)) {
		return s.around(s.probes[holds].X, s.probes[fails].X)
	}
	if b-a <= inside+1 {
		var list []int64
		for x := a + 1; x < b; x++ {
			list = append(list, x)
		}
		return list
	}
	factor := 1.0
	if a > 0 {
		factor = root(float64(b)/float64(a), inside+1)
	}
	var list []int64
	for i := range inside {
		x := a + (b-a)/(inside+1)*int64(i+1)
		if a > 0 {
			x = min(max(int64(float64(float64(a)*raise(factor, i+1))+0.5), a+1), b-1)
		}
		x = s.plain(x, a, b)
		if len(list) == 0 || x > list[len(list)-1] {
			list = append(list, x)
		}
	}
	return list
}

// around lists values on both sides of an edge, up to a tenth of the answer away,
// that have not been tried: an edge may be ragged.
func (s *Search) around(answer, not int64) []int64 {
	if s.looks == looks {
		return nil
	}
	s.looks++
	step := max(answer/10, -(answer/10), steps) / steps
	if not < answer {
		step = -step
	}
	var list []int64
	add := func(x int64) {
		half := max(step, -step) / 2
		x = s.plain(x, x-half, x+half)
		tried := slices.ContainsFunc(s.probes, func(p Probe) bool { return p.X == x })
		if x >= s.goal.Range.From && x <= s.goal.Range.To && !tried && !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	for i := range int64(steps) {
		add(answer - step*(i+1))
		add(not + step*(i+1))
	}
	return list
}

// plain returns a value near x between a and b that has few digits.
func (s *Search) plain(x, a, b int64) int64 {
	for digits := 1; digits <= 17; digits++ {
		r := rounded(s.info, x, digits)
		if r > a && r < b && max(r-x, x-r) <= (b-a)/8 {
			return r
		}
	}
	return x
}

// An Answer is what a search found.
type Answer struct {
	// At is the place of the answer among Probes, -1 if nothing in the range holds.
	At int
	// Not is the place of its neighbour that does not hold, -1 if there is none: all
	// of that side hold.
	Not int
	// Dip is nil if more of the knob only ever helps (or, of a largest value, only
	// ever hurts). Else it is the places of two probes, the lower first, that say
	// otherwise: the answer is one that holds, but perhaps not the only edge.
	Dip *[2]int
	// Sure is the place from which on all that was tried holds, upwards for a
	// smallest value and downwards for a largest; -1 if there is none. Without a Dip
	// it is At.
	Sure int
	// Probes is the curve that was walked, by X.
	Probes []Probe
}

// Answer returns what was found, so far if the search is not over.
func (s *Search) Answer() Answer {
	a := Answer{Probes: s.probes, Sure: -1}
	a.At, a.Not = s.edge()
	for i := range s.probes {
		if !s.goal.Largest {
			i = len(s.probes) - 1 - i
		}
		if !s.probes[i].Holds {
			break
		}
		a.Sure = i
	}
	for i := 1; i < len(s.probes); i++ {
		if low, high := s.probes[i-1].Holds, s.probes[i].Holds; low != high && low != s.goal.Largest {
			a.Dip = &[2]int{i - 1, i}
			break
		}
	}
	if a.At < 0 {
		a.Not = -1
	}
	return a
}

// Say is the answer for people, in sentences; system and than are names.
func (s *Search) Say(system, than string) string {
	a := s.Answer()
	which, beyond := "smallest", "below"
	if s.goal.Largest {
		which, beyond = "largest", "above"
	}
	if s.goal.Than == "" {
		than = ""
	}
	with := func(i int) string { return s.info.Label + " " + s.text(a.Probes[i].Text) }
	last := len(a.Probes) - 1
	switch {
	case last < 0:
		return "Nothing has run yet."
	case a.At < 0:
		text := fmt.Sprintf("No %s from %s to %s %s", s.none(), a.Probes[0].Text, s.text(a.Probes[last].Text), s.goal.Want.gives(system, than))
		if near := s.nearest(); near >= 0 {
			p := &a.Probes[near]
			text += fmt.Sprintf("; it comes nearest, with %s, at %s", s.goal.Want.value(p.Y.Value, s.goal.Want.apart(p.Than.Value)), s.text(p.Text))
		}
		return text + "." + s.hint(a)
	case a.Not < 0:
		text := fmt.Sprintf("With %s, the %s of the range, %s %s.", with(a.At), which, system, s.goal.Want.say(than))
		if a.Dip == nil {
			text += " So it does with all others that were tried."
		}
		return text + s.hint(a)
	}
	text := fmt.Sprintf("%s is the %s with which %s %s; with %s, next %s, it does not", with(a.At), which, system, s.goal.Want.say(than), s.text(a.Probes[a.Not].Text), beyond)
	if why := a.Probes[a.Not].Y.Why(); why != "" {
		text += ": " + strings.TrimSuffix(why, ".")
	}
	return text + "." + s.hint(a)
}

// label is the knob's label inside a sentence.
func (s *Search) label() string { return lower(s.info.Label) }

// none is what there is none of: "number of drives", "GPU memory".
func (s *Search) none() string {
	label := s.label()
	if first, _, _ := strings.Cut(label, " "); s.info.Unit == "" && strings.HasSuffix(first, "s") {
		return "number of " + label
	}
	return label
}

// text puts the knob's unit behind a number.
func (s *Search) text(number string) string {
	return report.WithUnit(number, s.info.Unit)
}

// hint is what to say of an answer that is not the only edge.
func (s *Search) hint(a Answer) string {
	if a.Dip == nil {
		return ""
	}
	low, high := a.Probes[a.Dip[0]], a.Probes[a.Dip[1]]
	better, from, yes, no := "More", "From %s upwards", low.Text, s.text(high.Text)
	if s.goal.Largest {
		better, from, yes, no = "Less", "Up to %s", high.Text, s.text(low.Text)
	}
	text := fmt.Sprintf(" %s is not always better here: it holds with %s and not with %s.", better, yes, no)
	if a.Sure >= 0 {
		text += fmt.Sprintf(" "+from+" all that were tried hold.", s.text(a.Probes[a.Sure].Text))
	}
	return text
}

// nearest returns the place of the probe that misses by the least, the first of
// equals, or -1.
func (s *Search) nearest() int {
	best, least := -1, math.Inf(1)
	for i := range s.probes {
		p := &s.probes[i]
		if p.Y.ok() && p.Than.ok() && math.Abs(p.Y.Value-p.Than.Value) < least {
			best, least = i, math.Abs(p.Y.Value-p.Than.Value)
		}
	}
	if s.goal.Want.Test == Fits {
		return -1
	}
	return best
}
