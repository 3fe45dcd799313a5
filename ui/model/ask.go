package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/ui/exec"
	"spillway/ui/model/calls"
	"spillway/ui/model/state"
)

// An Ask is the question of the view "What if", what is known about it and what
// is under way for it.
type Ask struct {
	// Rev counts changes of what is known.
	Rev int

	room   *Room
	known  map[string]*Outcome // by key of the run
	oldest []string            // keys of known
	jobs   []*batch
	under  map[string]bool // keys of the runs in jobs

	now     *plan             // of the question
	agreed  string            // the plan that shall be run, by its key
	stopped string            // the plan that was cancelled
	drafts  map[string]string // what is typed into fields of the question and cannot be read
	last    string            // the question that drafts are about
	effects *plan             // of what the settings bring, nil if nobody asked

	begun time.Time // when what is under way began
	done  int       // runs since
	rate  float64   // runs in a second, as last measured; 0 if never
}

// An Outcome is what one run of a question gave.
type Outcome struct {
	Values  []float64 // by the laboratory's quantities; nil if there are none
	Problem string    // what contradicts in the settings, or why the system cannot run it
	Unfit   bool      // the system cannot run it
	Error   string    // what went wrong
}

// Value returns the at-th value, and whether there is one.
func (o *Outcome) Value(at int) (float64, bool) {
	if o == nil || at < 0 || at >= len(o.Values) || math.IsNaN(o.Values[at]) {
		return 0, false
	}
	return o.Values[at], true
}

// A task is one run.
type task struct{ setup, system string }

// A batch is the runs of one job.
type batch struct {
	picks []task
	call  *calls.Call
}

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
	base     string   // the text of setup, of Effects and Buy
	changes  []change // of Effects and Buy
	walks    []*walk  // of Find, by systems but bounds; of Effects one
	problem  string   // why it cannot be run
}

func newAsk(r *Room) *Ask {
	return &Ask{room: r, known: map[string]*Outcome{}, under: map[string]bool{}, drafts: map[string]string{}}
}

// mostKnown is how many outcomes are kept: of the training laboratory, with 54
// quantities and a setup text of 240 bytes, 860 bytes each were measured, which is
// ten megabytes. It must be more than the mostRuns of one question.
const mostKnown = 12000

// text is a setting of the question.
func (a *Ask) text(key string) string { return a.room.State.Ask.Text(key) }

// Kind is what is asked.
func (a *Ask) Kind() string { return a.text(state.AskKey) }

// Of is the place of the quantity that is looked at.
func (a *Ask) Of() int { return a.room.Info.Quantity(a.text(state.OfKey)) }

// key is equal for equal runs.
func (a *Ask) key(t task) string {
	return runKey(t.setup, t.system, a.room.number())
}

// outcome is what is known of a run, nil if nothing.
func (a *Ask) outcome(t task) *Outcome {
	key := a.key(t)
	if o := a.known[key]; o != nil {
		return o
	}
	if r := a.room.cache.get(key); r != nil { // Explore has run it
		o := &Outcome{Values: r.Values}
		if !r.Fits {
			o.Unfit, o.Problem = true, r.Reason
		}
		a.learn(key, o)
		return o
	}
	return nil
}

// learn keeps what came of a run.
func (a *Ask) learn(key string, o *Outcome) {
	if a.known[key] == nil {
		a.oldest = append(a.oldest, key)
	}
	a.known[key] = o
	if len(a.oldest) > mostKnown {
		for _, key := range a.oldest[:mostKnown/10] {
			delete(a.known, key)
		}
		a.oldest = slices.Delete(a.oldest, 0, mostKnown/10)
	}
}

// forgetFailed forgets what failed, so that it can be tried again.
func (a *Ask) forgetFailed() {
	a.oldest = slices.DeleteFunc(a.oldest, func(key string) bool {
		failed := a.known[key].Error != ""
		if failed {
			delete(a.known, key)
		}
		return failed
	})
}

// of is the outcome of a variant with a system, nil if it is not known.
func (a *Ask) of(p *plan, v int, system string) *Outcome {
	x := &p.variants[v]
	if !x.can {
		return &Outcome{Problem: x.problem}
	}
	return a.outcome(task{x.setup, system})
}

// refresh starts what the question needs and stops what it no longer does.
func (a *Ask) refresh() {
	a.Rev++
	s := &a.room.State
	if text := s.Ask.String(); text != a.last {
		a.last = text
		clear(a.drafts)
	}
	if a.effects != nil && (a.effects.key != a.planKey(state.Effects) || s.View != state.Explore && s.View != state.WhatIf) {
		a.effects = nil
	}
	if s.View != state.WhatIf {
		a.agreed = ""
		a.feed()
		return
	}
	if key := a.planKey(a.Kind()); a.now == nil || a.now.key != key {
		a.now = a.make(a.Kind())
	}
	if a.now.key != a.stopped && a.soon() {
		a.agreed = a.now.key
	}
	a.feed()
}

// What is over soon need not be asked for: so many runs, or seconds if it is
// known how long a run takes.
const (
	soonRuns    = 150
	soonSeconds = 20
)

func (a *Ask) soon() bool {
	x := a.count(a.now)
	if a.many() && x.Known < x.All+len(a.now.walks) {
		return false // some systems take long; who compares none of them need not wait for them
	}
	lacks := x.All - x.Known
	return lacks <= soonRuns && (a.rate == 0 || float64(lacks) < soonSeconds*a.rate)
}

// many reports whether the question is about systems that are not compared.
func (a *Ask) many() bool {
	kind := a.Kind()
	return (kind == state.Find || kind == state.Rank) && a.text(state.AmongKey) != state.Compared
}

// among lists the systems that a question is about.
func (a *Ask) among(kind string) []string {
	which := a.text(state.AmongKey)
	if kind != state.Find && kind != state.Rank || which == state.Compared {
		return slices.Clone(a.room.State.On)
	}
	var list []string
	for i := range a.room.Info.Systems {
		if s := &a.room.Info.Systems[i]; !s.Twin || which == state.Twins {
			list = append(list, s.Name)
		}
	}
	return list
}

// planKey is equal for equal plans.
func (a *Ask) planKey(kind string) string {
	s := &a.room.State
	parts := []string{kind, a.room.runs(), strings.Join(s.On, ","), fmt.Sprint(a.room.number())}
	switch kind {
	case state.Vary:
		parts = append(parts, a.text(state.VaryKey), a.text(state.ValuesKey), a.text(state.Vary2Key), a.text(state.Values2Key))
	case state.Find:
		parts = append(parts, a.text(state.VaryKey), a.text(state.RangeKey), a.text(state.OfKey), a.text(state.FindKey), a.text(state.WithinKey), a.text(state.AmongKey))
	case state.Rank:
		parts = append(parts, a.text(state.AmongKey))
	}
	return strings.Join(parts, "|")
}

// make returns the plan of a question.
func (a *Ask) make(kind string) *plan {
	p := &plan{key: a.planKey(kind), kind: kind, setup: a.room.meanwhile(a.room.State.Setup).Clone(), systems: a.among(kind)}
	p.problem = a.room.Blocked()
	if len(p.systems) == 0 {
		p.problem = "No system is selected. Choose at least one under Systems."
	}
	if p.problem != "" {
		return p
	}
	switch kind {
	case state.Vary:
		a.planVary(p)
	case state.Find:
		a.planFind(p)
	case state.Effects:
		a.planEffects(p)
	case state.Buy:
		a.planBuy(p)
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
func (a *Ask) change(key, text string) (variant, *knob.Setup) {
	r := a.room
	u := r.State.Setup.Clone()
	if err := u.Set(key, text); err != nil {
		return variant{problem: prose.Capital(err.Error()) + "."}, u
	}
	if e := r.Info.Entry; r.Info.Leaves(key) && u.Text(e) != "" {
		_ = u.Set(e, "") // another workload than that of the opened file
	}
	return variant{setup: u.String(), can: true}, u
}

// count says how many runs of a plan's variants are known, failed, and how many
// there are.
func (a *Ask) count(p *plan) (x Progress) {
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
func (p *Progress) fail(o *Outcome) {
	if o != nil && o.Error != "" {
		p.Failed, p.Error = p.Failed+1, cmp.Or(p.Error, o.Error)
	}
}

// What is under way at once: jobs enough to keep the workers busy, and so
// many runs in each that a job takes a sixth of a second.
const (
	jobsAtOnce  = 4
	mostPicks   = 24
	jobsASecond = 6
)

// feed hands to the workers what is wanted, and takes back what is not.
func (a *Ask) feed() {
	var list []*plan
	if a.now != nil && a.agreed == a.now.key && a.room.State.View == state.WhatIf {
		list = append(list, a.now)
	}
	if a.effects != nil {
		list = append(list, a.effects)
	}
	wanted := a.wanted(list)
	a.stopUnwanted(wanted)
	size := min(max(int(a.rate/jobsASecond), 1), mostPicks)
	for len(a.jobs) < jobsAtOnce {
		var picks []task
		for len(wanted) > 0 && len(picks) < size {
			t := wanted[0]
			wanted = wanted[1:]
			if key := a.key(t); !a.under[key] {
				a.under[key] = true
				picks = append(picks, t)
			}
		}
		if len(picks) == 0 {
			break
		}
		a.start(picks)
	}
	if len(a.jobs) == 0 && !a.begun.IsZero() {
		a.measure()
		a.begun, a.done = time.Time{}, 0
	}
}

// wanted lists the runs that plans lack, those under way too.
func (a *Ask) wanted(plans []*plan) []task {
	var list []task
	for _, p := range plans {
		for _, v := range p.order {
			for _, system := range p.systems {
				if !p.variants[v].can || a.of(p, v, system) != nil {
					continue
				}
				list = append(list, task{p.variants[v].setup, system})
			}
		}
		for _, w := range p.walks {
			list = append(list, a.step(p, w)...)
		}
	}
	return list
}

// stopUnwanted ends the jobs of which nothing is wanted any more.
func (a *Ask) stopUnwanted(wanted []task) {
	if len(a.jobs) == 0 {
		return
	}
	want := make(map[task]bool, len(wanted))
	for _, t := range wanted {
		want[t] = true
	}
	var stop []*calls.Call
	for _, b := range slices.Clone(a.jobs) {
		if !slices.ContainsFunc(b.picks, func(t task) bool { return want[t] }) {
			stop = append(stop, b.call)
			a.end(b)
		}
	}
	calls.Stop(stop...)
}

// end forgets a job.
func (a *Ask) end(b *batch) {
	for _, t := range b.picks {
		delete(a.under, a.key(t))
	}
	a.jobs = slices.DeleteFunc(a.jobs, func(o *batch) bool { return o == b })
}

func (a *Ask) start(picks []task) {
	if a.begun.IsZero() {
		a.begun = time.Now()
	}
	j := &exec.Job{Kind: exec.Several, Files: a.room.number()}
	for _, t := range picks {
		j.Picks = append(j.Picks, exec.Pick{Setup: t.setup, System: t.system})
	}
	b := &batch{picks: picks}
	b.call = a.room.call(j, calls.Behind, func(x *exec.Answer) { a.ran(b, x) })
	a.jobs = append(a.jobs, b)
}

// ran takes what came of a job.
func (a *Ask) ran(b *batch, x *exec.Answer) {
	a.Rev++
	keys := make([]string, len(b.picks))
	for i, t := range b.picks {
		keys[i] = a.key(t)
	}
	a.end(b)
	for i := range b.picks {
		o := &Outcome{Error: cmp.Or(x.Error, "the worker answered something else")}
		if i < len(x.Parts) {
			o = outcomeOf(&x.Parts[i])
		}
		a.learn(keys[i], o)
	}
	a.done += len(b.picks)
	a.measure()
	a.feed()
}

// outcomeOf makes an outcome of what a worker said.
func outcomeOf(p *exec.Part) *Outcome {
	switch {
	case p.Error != "":
		return &Outcome{Error: p.Error}
	case len(p.Problems) > 0:
		return &Outcome{Problem: prose.Sentences(p.Problems)}
	case p.Report == nil:
		return &Outcome{Error: "the worker answered something else"}
	case !p.Report.Fits:
		return &Outcome{Unfit: true, Problem: p.Report.Reason}
	}
	return &Outcome{Values: p.Report.Values}
}

// measure notes how fast runs come in.
func (a *Ask) measure() {
	if spent := time.Since(a.begun).Seconds(); a.done >= 8 && spent > 0 {
		a.rate = float64(a.done) / spent
	}
}

// Active reports whether anything of the question waits or computes.
func (a *Ask) Active() bool { return len(a.jobs) > 0 }

// Run runs what the question needs; what failed is tried again.
func (a *Ask) Run() {
	if a.now == nil {
		return
	}
	a.forgetFailed()
	a.now = a.make(a.now.kind)
	a.agreed, a.stopped = a.now.key, ""
	a.refresh()
}

// Cancel stops what runs for the question; what is known stays.
func (a *Ask) Cancel() {
	if a.now != nil {
		a.stopped = a.now.key
	}
	a.agreed, a.effects = "", nil
	a.Rev++
	a.feed()
}

// rest stops what is under way in a room that is left.
func (a *Ask) rest() {
	a.agreed, a.effects = "", nil
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
func (a *Ask) Progress() Progress { return a.progress(a.now) }

func (a *Ask) progress(p *plan) Progress {
	if p == nil {
		return Progress{}
	}
	x := a.count(p)
	x.Active = a.Active()
	for _, w := range p.walks {
		x.Known, x.All = x.Known+w.known, x.All+w.all
		for _, t := range w.asked {
			x.fail(a.outcome(t))
		}
	}
	if a.rate > 0 {
		x.Seconds = float64(x.All-x.Known) / a.rate
	}
	return x
}

// Problem is why the question cannot be answered, empty if it can.
func (a *Ask) Problem() string {
	if a.now == nil {
		return ""
	}
	return a.now.problem
}
