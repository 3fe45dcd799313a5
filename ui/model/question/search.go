package question

import (
	"cmp"
	"math"
	"strconv"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/sweep"
	"spillway/ui/lab"
	"spillway/ui/model/results"
	"spillway/ui/model/state"
)

// An adaptiveSearch is a question that asks for runs in rounds, each after what the last has
// told.
type adaptiveSearch struct {
	asks interface {
		Next() []sweep.Run
		Take(i int, r sweep.Reading)
	}
	after  func() // does what is to be done after a round; may be nil
	system string // that a search is about
	search *sweep.Search

	round      []task // of this round
	asked      []task // of all rounds
	over       bool
	failed     string // what went wrong with a run, so that it stopped; empty if nothing
	known, all int    // runs
}

// searches look for the least or most of a setting that still does.
type searches struct{ *core }

// step takes what is known of a search's round, and begins the next when all of it
// is; it returns what is lacking. A run that failed says nothing, so that the search
// stops there.
func (a *searches) step(p *plan, w *adaptiveSearch) (lacks []task) {
	for !w.over && w.failed == "" {
		if w.round == nil {
			a.begin(w)
			continue
		}
		for _, t := range w.round {
			if a.outcome(t) == nil {
				lacks = append(lacks, t)
			}
		}
		if w.known = w.all - len(lacks); len(lacks) > 0 {
			return lacks
		}
		for _, t := range w.round {
			w.failed = cmp.Or(w.failed, a.outcome(t).Error)
		}
		if w.failed != "" {
			return nil
		}
		for i, t := range w.round {
			w.asks.Take(i, a.reading(a.outcome(t)))
		}
		w.round = nil
	}
	return nil
}

// begin asks a search for its next round.
func (a *searches) begin(w *adaptiveSearch) {
	runs := w.asks.Next()
	w.over = len(runs) == 0
	texts := map[*knob.Setup]string{}
	for _, r := range runs {
		if texts[r.Setup] == "" {
			texts[r.Setup] = r.Setup.String()
		}
		w.round = append(w.round, task{texts[r.Setup], r.System})
	}
	w.all += len(runs)
	w.asked = append(w.asked, w.round...)
	if w.after != nil {
		w.after()
	}
}

// reading is an outcome that did not fail, as searches take it.
func (a *searches) reading(o *results.Outcome) sweep.Reading {
	switch {
	case o.Unfit:
		return sweep.Reading{Reason: o.Problem}
	case o.Problem != "":
		return sweep.Reading{Problem: o.Problem}
	}
	r := sweep.Reading{Fits: true, Value: report.None()}
	if v, ok := o.Value(a.Of()); ok {
		r.Value = v
	}
	return r
}

// bound is the system that nothing exceeds, nil if there is none.
func (a *searches) bound() *lab.System { return a.room.Info.Ideal(a.room.State.On) }

// sweepRange reads the values among which is searched; an empty text is all.
func sweepRange(u *knob.Setup, key, text string) (sweep.Range, error) {
	if text != "" {
		text = "=" + text
	}
	r, err := sweep.ParseRange(u, key+text)
	if err != nil {
		err = textProblem(err)
	}
	return r, err
}

// manyPrecision is how exact an answer is where all systems are searched, as a share
// of it: to the last sample it would take some of them minutes.
const manyPrecision = 0.01

// planFind plans a search for every system that is no bound.
func (a *searches) planFind(p *plan) {
	u, key := p.setup, a.text(state.VaryKey)
	if u.Knob(key).Kind != knob.Number {
		p.problem = u.Knob(key).Label + " is no number: it has no least and no most. Choose another setting, or vary this one."
		return
	}
	span, err := sweepRange(u, key, a.text(state.RangeKey))
	if err != nil {
		p.problem = "The range: " + prose.Capital(err.Error()) + "."
		return
	}
	bound := a.bound()
	find := a.text(state.FindKey)
	if bound == nil && find != state.Most {
		p.problem = a.room.Info.Title + " has no bound that systems could be near to. Search the most that runs."
		return
	}
	share, _ := strconv.ParseFloat(a.text(state.WithinKey), 64) // the knob has checked it
	goal := sweep.Goal{
		Base: u, Range: span, Largest: find != state.Least, Precision: sweep.UsualPrecision(u.Knob(key)),
		Want: sweep.Want{Quantity: a.room.Info.Quantities[a.Of()], Test: sweep.Fits},
	}
	if a.many() {
		goal.Precision = max(goal.Precision, manyPrecision)
	}
	if find != state.Most {
		goal.Want.Test, goal.Want.Share, goal.Than = sweep.Within, share/100, bound.Name
	}
	for _, name := range p.systems {
		sys, _ := a.room.Info.System(name) // the state has known ones only
		if sys.Bound && (find != state.Most || bound == sys) {
			continue
		}
		goal.System = name
		s, err := sweep.NewSearch(goal)
		if err != nil {
			p.problem = prose.Capital(err.Error()) + "."
			return
		}
		p.adaptive = append(p.adaptive, &adaptiveSearch{asks: s, search: s, system: name})
	}
	if len(p.adaptive) == 0 {
		p.problem = "Only bounds are selected. Choose a system under Systems."
	}
}

// A Found is what a search came to.
type Found struct {
	System *lab.System
	Over   bool
	Failed string // what went wrong, so that it is not over; empty if nothing
	Says   string // the answer in sentences
	Value  string // of the knob, empty if none was found
	SoFar  string // the same while it is not over
	Xs, Ys []float64
	Than   []float64 // of the bound; nil if it was not asked
	At     int       // of the answer among them, -1
	Texts  []string  // of Xs
	Whys   []string  // why there is no value
}

// Found lists what the searches know.
func (a *searches) Found() []Found {
	if a.now == nil || a.now.kind != state.Find || a.now.problem != "" {
		return nil
	}
	than := ""
	if b := a.bound(); b != nil {
		than = b.Title
	}
	var list []Found
	for _, w := range a.now.adaptive {
		sys, _ := a.room.Info.System(w.system)
		f := Found{System: sys, Over: w.over, Failed: w.failed, At: -1}
		answer := w.search.Answer()
		switch {
		case w.over:
			f.Says = w.search.Say(sys.Title, than)
			if f.At = answer.At; f.At >= 0 {
				f.Value = answer.Probes[f.At].Text
			}
		case answer.At >= 0:
			f.SoFar = answer.Probes[answer.At].Text
		}
		compared := w.search.Goal().Than != ""
		for i := range answer.Probes {
			x := &answer.Probes[i]
			v, _ := strconv.ParseFloat(x.Text, 64) // it is a number
			f.Xs, f.Texts = append(f.Xs, v), append(f.Texts, x.Text)
			f.Ys, f.Whys = append(f.Ys, seen(&x.Y)), append(f.Whys, x.Y.Problem+x.Y.Reason)
			if compared {
				f.Than = append(f.Than, seen(&x.Than))
			}
		}
		list = append(list, f)
	}
	return list
}

func seen(r *sweep.Reading) float64 {
	if r.Problem != "" || !r.Fits {
		return math.NaN()
	}
	return r.Value
}

// Adopt gives the searched knob a value and shows what that means.
func (a *searches) Adopt(text string) { a.adopt(a.text(state.VaryKey), text) }

func (a *searches) adopt(key, text string) {
	r := a.room
	r.State.View = state.Explore
	r.Choose(key, text)
	delete(a.room.Drafts, key)
}

// Bound is the system that nothing exceeds, nil if there is none.
func (a *searches) Bound() *lab.System { return a.bound() }

// Searched is the knob of which a value is searched.
func (a *searches) Searched() *knob.Info { return a.room.State.Setup.Knob(a.text(state.VaryKey)) }
