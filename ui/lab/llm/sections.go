package llm

import (
	"fmt"

	"spillway/sim/knob"
	core "spillway/sim/llm"
	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// Keys of the sections.
const (
	memoryKey   = "memory"
	linksKey    = "links"
	mapKey      = "map"
	rooflineKey = "roofline"
	inactiveKey = "inactive"
	costKey     = "cost"
	recipesKey  = "recipes"
	lifeKey     = "life"
	fitsKey     = "fits"
	nextKey     = "next"
	decodeKey   = "decode"
)

func sections() []section {
	return []section{
		{Show: showing((*view).cost), Section: lab.Section{
			Key: costKey, Title: "What it costs", Run: true,
			About: "What each system trains for a dollar and a kWh, against enough GPUs to hold everything, and how long its drives live.",
		}},
		{Show: recipes, Section: lab.Section{
			Key: recipesKey, Title: "Which recipe, on which GPU", Run: true, Folded: true,
			About: "What fits without moving anything, how fast and for how much: recipes on this machine, and this model on other GPUs.",
		}},
		{Show: showing((*view).memory), Section: lab.Section{
			Key: memoryKey, Title: "Memory of every GPU", Run: true, Folded: true,
			About: "The most that each GPU's tensors take of every tier. Timeline shows it over time.",
		}},
		{Show: showing((*view).links), Section: lab.Section{
			Key: linksKey, Title: "Links", Run: true, Folded: true,
			About: "How much of its rate each link carries. Timeline shows it over time.",
		}},
		{Show: showing((*view).heat), Section: lab.Section{
			Key: mapKey, Title: "Drives and host memory", Run: true, Folded: true,
			About: "Throughput with fewer and more drives and host memory, down to none (Figure 9 of the TERAIO paper).",
		}},
		{Show: showing((*view).roofline), Section: lab.Section{
			Key: rooflineKey, Title: "How fast drives have to be", Run: true, Folded: true,
			About: "Throughput by the rate of a GPU's drives (Figure 3 of the TERAIO paper).",
		}},
		{Show: showing((*view).inactive), Section: lab.Section{
			Key: inactiveKey, Title: "Inactive periods", Run: true, Folded: true,
			About: "How long the first GPU's tensors lie unused, and how many of these periods are long enough for a trip to the drives and back (Figure 2 of the TERAIO paper).",
		}},
		{Show: showing((*view).life), Section: lab.Section{
			Key: lifeKey, Title: "Life of the drives", Run: true, Folded: true,
			About: "How much each system writes, and how long drives of each kind would last.",
		}},
		{Show: showing((*view).fits), Section: lab.Section{
			Key: fitsKey, Title: "What else fits", Run: true, Folded: true,
			About: "The largest micro-batch of this model, and the deepest model of its widths, that every system can run on this machine.",
		}},
		{Show: showing((*view).next), Section: lab.Section{
			Key: nextKey, Title: "More and less of each part", Run: true, Folded: true,
			About: "What more of each part brings the system in focus and costs, and what could go.",
		}},
		{Show: showing((*view).decode), Section: lab.Section{
			Key: decodeKey, Title: "Token rates from drives", Run: true, Folded: true,
			About: "How fast the model generates text if its weights come from drives or host memory for every token.",
			Knobs: decodeKnobs(),
		}},
	}
}

// A view is what a section is about.
type view struct {
	w      *work
	s      *core.Setup
	system *system.System
	look   *knob.Setup
	p      lab.Progress
	done   int // runs
	of     int // runs that there will be
	memo   []known
}

// showing makes a view of what is seen.
func showing(show func(*view) (*report.Section, error)) func(*seen) (*report.Section, error) {
	return func(x *seen) (*report.Section, error) {
		of, err := core.Find(x.System)
		if err != nil {
			return nil, err
		}
		if x.Workload.setup.ByFormula(of) {
			return &report.Section{Text: []string{of.Title + " moves nothing and runs by closed formulas: what it takes is in its notes and under All numbers. Choose a system that moves tensors to see this."}}, nil
		}
		return show(&view{w: x.Workload, s: &x.Workload.setup, system: of, look: x.Look, p: x.Progress})
	}
}

// parts is how finely a run's progress is told beside others.
const parts = 100

// run runs a system; it is one of v.of. Plans of runs with less are tried too.
func (v *view) run(s *core.Setup, name string, curves bool, less ...*core.Result) (*core.Result, error) {
	var told report.Progress
	if v.p != nil {
		told = func(done, total int) {
			v.p(v.done*parts+min(parts, done*parts/max(1, total)), max(1, v.of)*parts)
		}
	}
	var also []*offload.Schedule
	for _, x := range less {
		if x.Ran() && s.Options.Fallback == system.Better && v.system.Planning > 0 {
			also = append(also, x.Handed(&s.Node)...)
		}
	}
	r, err := core.RunWith(s, name, curves, told, also...)
	v.did()
	return r, err
}

// did counts a run.
func (v *view) did() {
	v.done++
	if v.p != nil {
		v.p(v.done*parts, max(v.done, v.of)*parts)
	}
}

// plain is the run of a system with the setup as it is, without curves; it is one of v.of. Runs
// are kept with the work, so that sections and the page's own run do not repeat each other.
func (v *view) plain(name string) (*core.Result, error) {
	if r := v.w.kept[name]; r != nil {
		v.did()
		return r, nil
	}
	r, err := v.run(v.s, name, false)
	if err != nil {
		return nil, err
	}
	v.w.keep(r)
	return r, nil
}

// keep keeps what a run says, without its curves and its kernels; of the ideal also its kernels.
func (w *work) keep(r *core.Result) {
	if bound(r) {
		w.ideal = r
	}
	if w.kept == nil {
		w.kept = map[string]*core.Result{}
	}
	c := *r
	c.Plan = nil
	if r.Result != nil {
		own := *r.Result
		own.Memory, own.Rates = nil, nil
		c.Result = &own
	}
	if !bound(r) {
		c.Job = nil
	}
	w.kept[r.System] = &c
}

// each runs all systems with the setup as it is.
func (v *view) each() ([]*result, error) {
	v.of = len(core.Systems)
	var list []*result
	for _, x := range core.Systems { // the ideal is the first
		r, err := v.plain(x.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, &result{Result: r, setup: *v.s, ideal: v.w.ideal})
	}
	return list, nil
}

// focus runs the system in focus with curves. A section is returned where it cannot run.
func (v *view) focus() (*result, *report.Section, error) {
	v.of = 2
	r, err := v.run(v.s, v.system.Name, true)
	if err != nil {
		return nil, nil, err
	}
	if r.Reason != "" {
		return nil, &report.Section{Text: []string{v.system.Title + " cannot run it: " + r.Reason}}, nil
	}
	ideal := r
	if !v.system.Bound {
		if ideal, err = v.plain(core.Systems[0].Name); err != nil {
			return nil, nil, err
		}
	}
	v.w.ideal = ideal
	return &result{Result: r, setup: *v.s, ideal: ideal}, nil, nil
}

// Kernels of an iteration up to which each run of a sweep is quick enough, if there are a few runs
// and if there are many.
const (
	mostOfFew  = 20_000
	mostOfMany = 10_000
)

// smaller is the setup with so small a batch that a run is quick, and what to say of it: its
// throughput against ideal is close to that of the whole batch, because micro-batches repeat: each GPU
// has two rounds of them, or one where an iteration would have more kernels than most. It depends
// on the setup alone.
func (v *view) smaller(most int64) (core.Setup, string) {
	s := *v.s
	l := &s.Layout
	micro := l.Micro
	if micro == 0 {
		micro = job.ChooseMicro(l.Batch/max(1, l.Data), l.Sequence)
	}
	small := 2 * micro * s.Node.GPUs // any way to cut divides it
	if kernels := (s.Arch.Layers + s.Arch.Encoder) * ofLayer * min(2*s.Node.GPUs, l.Batch/micro); kernels > most {
		small /= 2
	}
	if small >= l.Batch {
		return s, ""
	}
	l.Micro, l.Batch = micro, small
	return s, fmt.Sprintf("So that it does not take minutes all runs are of a batch of %s; with the whole batch of %s throughput is higher, and shares of it differ by a few points.", prose.Grouped(small), prose.Grouped(v.s.Layout.Batch))
}
