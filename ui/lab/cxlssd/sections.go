package cxlssd

import (
	"errors"

	core "spillway/sim/cxlssd"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// Keys of the sections.
const (
	billKey     = "bill"
	logKey      = "log"
	threadsKey  = "threads"
	localityKey = "locality"
	pageKey     = "page"
	profileKey  = "profile"
	costKey     = "cost"
	quirksKey   = "quirks"
	droppedKey  = "dropped"
)

func sections() []section {
	return []section{
		{Show: showing((*view).bill), Section: lab.Section{
			Key: billKey, Title: "The bill of a request", Run: true,
			About: "How requests were served, what each way costs, and what limits the run.",
			Knobs: billKnobs(),
		}},
		{Show: showing((*view).threads), Section: lab.Section{
			Key: threadsKey, Title: "Threads on cores", Run: true, Folded: true,
			About: "What every core and every thread does, in the design in focus. Timeline has it over time.",
			Old:   oldKnobs(),
		}},
		{Show: showing((*view).log), Section: lab.Section{
			Key: logKey, Title: "The write log, filling and compacting", Run: true, Folded: true,
			About: "What the log saves: the design in focus beside the same one without it. Timeline has it over time.",
		}},
		{Show: showing((*view).page), Section: lab.Section{
			Key: pageKey, Title: "The life of a page", Run: true, Folded: true,
			About: "All that happens to one page of 4 KiB, in the design in focus.",
			Knobs: pageKnobs(),
		}},
		{Show: showing((*view).locality), Section: lab.Section{
			Key: localityKey, Title: "Lines of a page that are used", Run: true, Folded: true,
			About: "How many of a page's 64 lines are read and written while it is in the device's cache, in the design in focus.",
			Knobs: localityKnobs(),
		}},
		{Show: showing((*view).profile), Section: lab.Section{
			Key: profileKey, Title: "Profile of the workload", Run: true, Folded: true,
			About: "What the threads ask for, whatever the design.",
		}},
		{Show: showing((*view).cost), Section: lab.Section{
			Key: costKey, Title: "Cost and lifetime", Run: true, Folded: true,
			About: "What memory of each kind costs, what a design does for the price, and how long its flash lasts. Prices are under Device.",
		}},
		{Show: showing((*view).dropped), Section: lab.Section{
			Key: droppedKey, Title: "What is dropped, and what it would cost to write it", Run: true, Folded: true,
			About: "Every design at both ends: dirty pages that leave host DRAM are lost, as in the artifact, or written.",
		}},
		{Show: showing((*view).quirks), Section: lab.Section{
			Key: quirksKey, Title: "What each difference between artifact and paper does", Run: true, Folded: true,
			About: "Every numbered switch flipped alone, for the design in focus.",
		}},
	}
}

// A view is what a section is about.
type view struct {
	w      *trace
	s      *core.Setup
	system *core.System
	look   *knob.Setup
	p      lab.Progress
}

// showing makes a view of what is seen.
func showing(show func(*view) (*report.Section, error)) func(*seen) (*report.Section, error) {
	return func(x *seen) (*report.Section, error) {
		m := x.Settings.machine()
		system, err := core.Find(x.System)
		if err != nil {
			return nil, err
		}
		return show(&view{x.Workload, &m, system, x.Look, x.Progress})
	}
}

// run runs the design in focus; watch may be nil.
func (v *view) run(watch *core.Watch) (*core.Result, error) {
	return whole(core.Run(v.w.Workload, v.s, v.system.Name, watch, nil))
}

// whole makes an error of a run that was given up: there is nothing to show of it.
func whole(r *core.Result, err error) (*core.Result, error) {
	if err == nil && r.GaveUp != "" {
		return nil, errors.New(r.GaveUp)
	}
	return r, err
}

// each runs designs one after the other; watch, which may be nil, watches the one in focus.
func (v *view) each(systems []*core.System, watch *core.Watch) ([]*core.Result, error) {
	list := make([]*core.Result, len(systems))
	for i, x := range systems {
		var of *core.Watch
		if x == v.system {
			of = watch
		}
		r, err := whole(core.Run(v.w.Workload, v.s, x.Name, of, nil))
		if err != nil {
			return nil, err
		}
		list[i] = r
		if v.p != nil {
			v.p(i+1, len(systems))
		}
	}
	return list, nil
}

// design is the mechanisms of the design in focus.
func (v *view) design() core.Design {
	return v.s.Mechanisms(v.system)
}

// stream is what the threads of a run ask for.
func (v *view) stream(threads int) (*stream.Stream, error) {
	return v.w.At(v.s.Scale).Streams(threads)
}
