// Package question is What if: what is asked, the runs that answer it, and what came out.
package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/order"
	"spillway/sim/prose"
	"spillway/ui/model/files"
	"spillway/ui/model/form"
	"spillway/ui/model/results"
	"spillway/ui/model/runs"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// A Question is that of the view "What if", what is known about it and what is under way
// for it: the plan of runs, and what asks for it, turns its settings, and says what came out.
type Question struct {
	*core
	*controls
	*variation
	*searches
	*turns
	*answers
}

// core is what is asked, planned and known.
type core struct {
	// Rev counts changes of what is known.
	Rev int

	room  *workspace.Workspace
	files *files.Files
	form  *form.Form
	runs  *runs.Runs
	store *results.Store
	asker *results.Asker

	now       *plan             // of the question
	confirmed string            // the plan that shall be run, by its key
	stopped   string            // the plan that was cancelled
	drafts    map[string]string // what is typed into fields of the question and cannot be read
	last      string            // the question that drafts are about
	effects   *plan             // of what the settings bring, nil if nobody asked
	opened    bool              // somebody wants the form
	cards     []Card            // what the questions that are ready answer; none before it has come
	place     string            // the value of the varied setting that is looked at; empty for that which is set
	fetch     func()            // asks for these, nil once it has

	vary   *variation
	search *searches
	turns  *turns
}

// New returns the question of a laboratory. fetch asks for what the questions that are ready
// answer, which comes back through [Question.Ship].
func New(w *workspace.Workspace, f *files.Files, g *form.Form, r *runs.Runs, s *results.Store, fetch func()) *Question {
	a := &core{room: w, files: f, form: g, runs: r, store: s, asker: s.ValueAsker(), drafts: map[string]string{}, fetch: fetch}
	a.asker.Told, a.asker.Ended = w.Draw, a.ended
	a.vary, a.search, a.turns = &variation{a}, &searches{a}, &turns{a}
	return &Question{core: a, controls: &controls{a}, variation: a.vary, searches: a.search, turns: a.turns, answers: &answers{a}}
}

// A task is one run.
type task struct{ setup, system string }

// A variant is one change of the settings.
type variant struct {
	setup   string // its text; empty is that of all defaults
	can     bool   // it can be set
	problem string // why it cannot
}

// A plan is the runs that answer a question. A search adds to it as it goes.
type plan struct {
	key      string // equal for equal plans
	kind     string
	setup    *knob.Setup // the settings as they were when it was made
	systems  []string
	variants []variant
	order    []int // in which variants are run, so that little shows much
	axes     []Axis
	base     string            // the text of setup, of Effects and Buy
	changes  []change          // of Effects and Buy
	halved   []halving         // of Matters
	seeded   []int             // of Matters: variants with other seeds
	seeds    []string          // of a curve: other seeds, by which every point has so many variants more
	adaptive []*adaptiveSearch // of Find, by systems but bounds; of Effects one
	problem  string            // why it cannot be run
}

// text is a setting of the question.
func (a *core) text(key string) string { return a.room.State.Ask.Text(key) }

// Kind is what is asked.
func (a *core) Kind() string { return a.text(state.AskKey) }

// Of is the place of the quantity that is looked at.
func (a *core) Of() int { return a.room.Info.Quantity(a.text(state.OfKey)) }

// outcome is what is known of a run, nil if nothing.
func (a *core) outcome(t task) *results.Outcome { return a.store.Outcome(a.run(t)) }

// run is a task as the store knows it.
func (a *core) run(t task) results.Run {
	return results.Run{Setup: t.setup, System: t.system, Files: a.files.NumberNow()}
}

// of is the outcome of a variant with a system, nil if it is not known.
func (a *core) of(p *plan, v int, system string) *results.Outcome {
	x := &p.variants[v]
	if !x.can {
		return &results.Outcome{Problem: x.problem}
	}
	return a.outcome(task{x.setup, system})
}

// Follow starts what the question needs and stops what it no longer does.
func (a *core) Follow() {
	a.Rev++
	s := &a.room.State
	if text := s.Ask.String(); text != a.last {
		a.last, a.place = text, ""
		clear(a.drafts)
	}
	if a.effects != nil && (a.effects.key != a.planKey(state.Effects) || s.View != state.Explore && s.View != state.WhatIf) {
		a.effects = nil
	}
	if s.View != state.WhatIf {
		a.confirmed = ""
		a.feed()
		return
	}
	if fetch := a.fetch; fetch != nil && len(a.room.Info.Cards) > 0 {
		a.fetch = nil
		fetch()
	}
	if key := a.planKey(a.Kind()); a.now == nil || a.now.key != key {
		a.now = a.make(a.Kind())
	}
	if !a.Untouched() && a.now.key != a.stopped && a.cheap() {
		a.confirmed = a.now.key
	}
	a.feed()
}

// What is over soon need not be asked for: so many runs, or seconds if it is
// known how long a run takes.
const (
	cheapRuns    = 150
	cheapSeconds = 10
)

func (a *core) cheap() bool {
	x := a.count(a.now)
	if a.many() && x.Known < x.All+len(a.now.adaptive) {
		return false // some systems take long; who compares none of them need not wait for them
	}
	lacks := x.All - x.Known
	return lacks <= cheapRuns && (a.store.Rate() == 0 || float64(lacks) < cheapSeconds*a.store.Rate())
}

// many reports whether the question is about systems that are not compared.
func (a *core) many() bool {
	kind := a.Kind()
	return (kind == state.Find || kind == state.Rank) && a.text(state.AmongKey) != state.Compared
}

// among lists the systems that a question is about.
func (a *core) among(kind string) []string {
	which := a.text(state.AmongKey)
	if kind != state.Find && kind != state.Rank || which == state.Compared {
		return slices.Clone(a.room.State.On)
	}
	var list []string
	for i := range a.room.Info.Systems {
		if s := &a.room.Info.Systems[i]; !s.Variant || which == state.Twins {
			list = append(list, s.Name)
		}
	}
	return list
}

// floor is the system that says how much is possible at best where a question is about a
// quantity that it bounds; empty where it has nothing to say.
func (a *core) floor(kind string) string {
	switch at := a.Of(); {
	case at < 0 || !a.room.Info.Bounded(a.room.Info.Quantities[at].Key):
	case kind == state.Rank, kind == state.Vary && a.text(state.Vary2Key) == state.NoKnob:
		return a.room.Info.Floor.System
	}
	return ""
}

// planKey is equal for equal plans.
func (a *core) planKey(kind string) string {
	s := &a.room.State
	parts := []string{kind, a.files.Runs(), strings.Join(s.On, ","), fmt.Sprint(a.files.NumberNow()), a.floor(kind)}
	switch kind {
	case state.Vary:
		parts = append(parts, a.text(state.VaryKey), a.text(state.ValuesKey), a.text(state.Vary2Key), a.text(state.Values2Key))
	case state.Find:
		parts = append(parts, a.text(state.VaryKey), a.text(state.RangeKey), a.text(state.OfKey), a.text(state.FindKey), a.text(state.WithinKey), a.text(state.AmongKey))
	case state.Rank:
		parts = append(parts, a.text(state.AmongKey))
	case state.Matters:
		parts = append(parts, a.room.Focus())
	}
	return strings.Join(parts, "|")
}

// make returns the plan of a question.
func (a *core) make(kind string) *plan {
	p := &plan{key: a.planKey(kind), kind: kind, setup: a.files.Meanwhile(a.room.State.Setup).Clone(), systems: a.among(kind)}
	p.problem = a.runs.Blocked()
	if len(p.systems) == 0 {
		p.problem = "No system is selected. Choose at least one under Systems."
	}
	if f := a.floor(kind); f != "" && !slices.Contains(p.systems, f) {
		p.systems = append(p.systems, f)
	}
	if p.problem != "" {
		return p
	}
	switch kind {
	case state.Vary:
		a.vary.planVary(p)
	case state.Find:
		a.search.planFind(p)
	case state.Effects:
		a.turns.planEffects(p)
	case state.Matters:
		a.turns.planMatters(p)
	case state.Buy:
		a.turns.planBuy(p)
	case state.Rank:
		p.variants = []variant{{setup: p.setup.String(), can: true}}
	}
	if p.order == nil {
		p.order = make([]int, len(p.variants))
		for i := range p.order {
			p.order[i] = i
		}
	}
	return p
}

// change returns the settings with one knob changed, as the form does it.
func (a *core) change(key, text string) (variant, *knob.Setup) {
	r := a.room
	u := r.State.Setup.Clone()
	if _, err := u.Choose(key, text); err != nil {
		return variant{problem: prose.Capital(err.Error()) + "."}, u
	}
	if e := r.Info.Entry; r.Info.LeavesEntry(key) && u.Text(e) != "" {
		_ = u.Set(e, "") // another workload than that of the opened file
	}
	return variant{setup: u.String(), can: true}, u
}

// count says how many runs of a plan's variants are known, failed, and how many
// there are.
func (a *core) count(p *plan) (x Progress) {
	for v := range p.variants {
		if !p.variants[v].can {
			continue
		}
		for _, system := range p.systems {
			x.All++
			if o := a.of(p, v, system); o != nil {
				x.Known++
				x.fail(o)
			}
		}
	}
	return x
}

// fail counts an outcome that failed.
func (p *Progress) fail(o *results.Outcome) {
	if o != nil && o.Error != "" {
		p.Failed, p.Error = p.Failed+1, cmp.Or(p.Error, o.Error)
	}
}

// feed hands to the workers what is wanted, and takes back what is not.
func (a *core) feed() {
	var list []*plan
	if a.now != nil && a.confirmed == a.now.key && a.room.State.View == state.WhatIf {
		list = append(list, a.now)
	}
	if a.effects != nil {
		list = append(list, a.effects)
	}
	var wanted []results.Run
	for _, t := range a.wanted(list) {
		wanted = append(wanted, a.run(t))
	}
	a.asker.Wants(wanted)
}

// wanted lists the runs that plans lack, those under way too.
func (a *core) wanted(plans []*plan) []task {
	var list []task
	for _, p := range plans {
		systems := slices.Clone(p.systems)
		order.Stable(systems, a.store.Cheaper)
		for _, v := range p.order {
			for _, system := range systems {
				if !p.variants[v].can || a.of(p, v, system) != nil {
					continue
				}
				list = append(list, task{p.variants[v].setup, system})
			}
		}
		for _, w := range p.adaptive {
			list = append(list, a.search.step(p, w)...)
		}
	}
	return list
}

// ended takes what came of runs.
func (a *core) ended([]*results.Want) {
	a.Rev++
	a.feed()
	a.room.Draw()
}

// Active reports whether anything of the question waits or computes.
func (a *core) Active() bool { return a.asker.Active() }

// Run runs what the question needs; what failed is tried again.
func (a *core) Run() {
	if a.now == nil {
		return
	}
	a.store.ForgetFailed()
	a.opened = true
	a.now = a.make(a.now.kind)
	a.confirmed, a.stopped = a.now.key, ""
	a.Follow()
}

// Cancel stops what runs for the question; what is known stays.
func (a *core) Cancel() {
	if a.now != nil {
		a.stopped = a.now.key
	}
	a.confirmed, a.effects = "", nil
	a.Rev++
	a.feed()
}

// Rest stops what is under way in a laboratory that is left.
func (a *core) Rest() {
	a.confirmed, a.effects = "", nil
	a.feed()
}

// A Progress says how far the runs of a question are.
type Progress struct {
	Known, All int
	Failed     int    // of the known
	Error      string // of the first that failed
	Active     bool
	Seconds    float64 // still to go, as far as can be told; 0 if that is unknown
}

// Percent is the progress from 0 to 100.
func (p Progress) Percent() int {
	if p.All == 0 {
		return 0
	}
	return 100 * p.Known / p.All
}

// Progress tells about the question that is shown.
func (a *core) Progress() Progress { return a.progress(a.now) }

func (a *core) progress(p *plan) Progress {
	if p == nil {
		return Progress{}
	}
	x := a.count(p)
	x.Active = a.Active()
	for _, w := range p.adaptive {
		x.Known, x.All = x.Known+w.known, x.All+w.all
		for _, t := range w.asked {
			x.fail(a.outcome(t))
		}
	}
	if rate := a.store.Rate(); rate > 0 {
		x.Seconds = float64(x.All-x.Known) / rate
	}
	return x
}

// Problem is why the question cannot be answered, empty if it can.
func (a *core) Problem() string {
	if a.now == nil {
		return ""
	}
	return a.now.problem
}
