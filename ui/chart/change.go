package chart

import (
	"math"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// A change is how a value differs from the baseline's.
type change struct {
	known    bool
	was, is  float64 // in the quantity's unit
	better   int     // which values are: as in a Quantity
	percents bool    // they are percents: their difference is in points
}

func differ(q *report.Quantity, was, is float64) change {
	return change{true, q.Shown(was), q.Shown(is), q.Better, q.Unit == "%"}
}

// change is that of a run's sum of quantities; unknown without a baseline.
func (d *drawing) change(r *Run, qs []*report.Quantity, at []int) change {
	was, ok := d.sum(r.before, qs, at)
	if !ok {
		return change{}
	}
	is, ok := d.sum(r.value, qs, at)
	return change{ok, was, is, qs[0].Better, qs[0].Unit == "%"}
}

// sum adds up the values that there are, in their quantities' units.
func (*drawing) sum(value func(i int) (float64, bool), qs []*report.Quantity, at []int) (total float64, some bool) {
	for k, q := range qs {
		if x, ok := value(at[k]); ok {
			total, some = total+q.Shown(x), true
		}
	}
	return total, some
}

// same is the ratio below which nobody is told of a change, in parts of one.
const same = 0.00005

// some reports whether there is a change to tell of.
func (c change) some() bool { return c.known && math.Abs(c.is-c.was) > same*math.Abs(c.was) }

// amount says the change with its sign, "+8.3 %", and nothing of no change.
func (c change) amount() string {
	if !c.some() {
		return ""
	}
	diff := c.is - c.was
	sign := "+"
	if diff < 0 {
		sign = "−"
	}
	switch ratio := c.is / c.was; {
	case c.percents:
		return sign + Digits(math.Abs(diff), 2) + " points"
	case c.was == 0:
		return "from 0"
	case c.is == 0:
		return "to 0"
	case ratio >= 10:
		return Digits(ratio, 3) + "×"
	}
	percent := Digits(100*math.Abs(diff/c.was), 2)
	if diff < 0 && percent == "100" { // "all of it less, better" reads as its opposite
		return "to almost 0"
	}
	return sign + percent + " %"
}

// text says the change and whether it is one for the better.
func (c change) text() string {
	text := c.amount()
	if text == "" || c.better == 0 {
		return text
	}
	if (c.is > c.was) == (c.better > 0) {
		return text + Better
	}
	return text + Worse
}

// What a change of a value that may be better or worse ends with.
const (
	Better = ", better"
	Worse  = ", worse"
)

// behind puts the change behind a value.
func behind(text string, c change) string {
	if amount := c.amount(); amount != "" {
		return text + " (" + amount + ")"
	}
	return text
}

// Before says what a change of settings did, in a sentence made from the runs and
// their baselines: "Twice the host memory makes G10 8 % faster; FlashNeuron gains
// most, 31 %." It is empty while there is nothing to compare.
func Before(c *Context, runs []Run) string {
	if c.Base == nil || c.Setup == nil {
		return ""
	}
	differences := knob.Differ(c.Base, c.Setup)
	if len(differences) == 0 {
		return ""
	}
	s := &step{say: &c.Info.Say}
	for _, r := range visible(runs) {
		if r.waits() || r.Stale {
			return ""
		}
		s.add(c.Info, r)
	}
	subject, many := Subject(differences)
	effect := s.effect(subject, many)
	if effect == "" {
		return ""
	}
	return sentence(strings.Join(append([]string{effect}, s.changes()...), "; "))
}

// A step is what a change of settings did, while it is put into words.
type step struct {
	say           *lab.Say
	moved         []moved
	lost, won     []string // what no longer runs, and what runs now
	best, bestWas *moved
}

// A moved is a system with how many times as good it is as before.
type moved struct {
	title string
	gain  float64
	is    float64 // how good, to compare with others: more is better
	was   float64
}

// add adds a system.
func (s *step) add(info *lab.Info, r *Run) {
	switch {
	case r.System.Bound || r.Before == nil:
	case r.unfit() && r.Before.Fits:
		s.lost = append(s.lost, r.System.Title)
	case r.shown() && !r.Before.Fits:
		s.won = append(s.won, r.System.Title)
	default:
		for _, key := range append(info.Say.Change[:len(info.Say.Change):len(info.Say.Change)], info.Say.Quantity) {
			at := info.Quantity(key)
			is, ok := r.value(at)
			was, before := r.before(at)
			if !ok || !before || is <= 0 || was <= 0 {
				continue
			}
			if info.Quantities[at].Better < 0 {
				is, was = 1/is, 1/was
			}
			s.moved = append(s.moved, moved{r.System.Title, is / was, is, was})
			return
		}
	}
}

// still is how far a gain may be from 1 and be none.
const still = 0.005

// effect says what the change did to the best system.
func (s *step) effect(subject string, many bool) string {
	verb := func(one, more string) string {
		if many {
			return more
		}
		return one
	}
	if len(s.moved) == 0 {
		switch {
		case len(s.won) > 0:
			won := s.won
			s.won = nil
			return subject + verb(" makes it fit with ", " make it fit with ") + prose.List(won)
		case len(s.lost) > 0:
			lost := s.lost
			s.lost = nil
			return subject + verb(" leaves ", " leave ") + prose.List(lost) + " without a way to run it"
		}
		return ""
	}
	nothing := true
	for i := range s.moved {
		m := &s.moved[i]
		nothing = nothing && math.Abs(m.gain-1) < still
		if s.best == nil || m.is > s.best.is {
			s.best = m
		}
		if s.bestWas == nil || m.was > s.bestWas.was {
			s.bestWas = m
		}
	}
	switch g := s.best.gain; {
	case nothing:
		return subject + verb(" changes", " change") + " next to nothing"
	case math.Abs(g-1) < still:
		return subject + verb(" leaves ", " leave ") + s.best.title + " as it was"
	case g > 1:
		return subject + verb(" makes ", " make ") + s.best.title + " " + s.more(g)
	default:
		return subject + verb(" makes ", " make ") + s.best.title + " " + s.less(g)
	}
}

// less says how much worse something is that is g times as good.
func (s *step) less(g float64) string {
	return Digits(100*(1-g), 2) + " % " + orElse(s.say.Slower, "worse")
}

// more says how much better something is that is g times as good.
func (s *step) more(g float64) string {
	if g >= 2 {
		return Digits(g, 3) + strings.TrimSuffix(orElse(s.say.Than, "× as good as"), " as")
	}
	return Digits(100*(g-1), 2) + " % " + orElse(s.say.Faster, "better")
}

// changes says who else gained and lost, who runs now or no longer, and who is
// first if it was another.
func (s *step) changes() (said []string) {
	var most, least *moved
	for i := range s.moved {
		if m := &s.moved[i]; m != s.best {
			if most == nil || m.gain > most.gain {
				most = m
			}
			if least == nil || m.gain < least.gain {
				least = m
			}
		}
	}
	if most != nil && most.gain >= 1+still {
		word := " gains "
		if most.gain > s.best.gain && len(s.moved) > 2 {
			word = " gains most, "
		}
		said = append(said, most.title+word+gained(most.gain))
	}
	if least != nil && least.gain <= 1-still {
		said = append(said, least.title+" loses "+Digits(100*prose.Less(least.gain, 1), 2)+" %")
	}
	if len(s.lost) > 0 {
		said = append(said, prose.List(s.lost)+" no longer "+run(s.lost)+" it")
	}
	if len(s.won) > 0 {
		said = append(said, prose.List(s.won)+" now "+run(s.won)+" it")
	}
	if s.best != nil && s.best != s.bestWas && s.best.is > s.bestWas.is*(1+still) && s.bestWas.was > s.best.was*(1+still) {
		said = append(said, s.best.title+" is now ahead of "+s.bestWas.title)
	}
	return said
}

func run(names []string) string {
	if len(names) == 1 {
		return "runs"
	}
	return "run"
}

func gained(g float64) string {
	if g >= 2 {
		return "a factor of " + Digits(g, 3)
	}
	return Digits(100*(g-1), 2) + " %"
}
