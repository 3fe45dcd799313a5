package cxlssd

import (
	"fmt"
	"path"
	"slices"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/unit"
	"spillway/traces/handed"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// A source is opened address traces. Their Names are unique.
type source struct {
	list   []*stream.Recording
	notes  []string
	handed bool // addresses were gone before
}

// accept takes over address traces.
func accept(found []byte, _ []lab.File) (lab.Files, error) {
	h, err := wire.Read[handed.Accesses](found)
	if err != nil {
		return nil, err
	}
	s := &source{notes: h.Notes, handed: h.Handed}
	for _, r := range h.Recordings {
		base := r.Name
		for n := 2; slices.ContainsFunc(s.list, func(o *stream.Recording) bool { return o.Name == r.Name }); n++ {
			r.Name = fmt.Sprintf("%s (%d)", base, n)
		}
		s.list = append(s.list, r)
	}
	return s, nil
}

// Entries implements lab.Files.
func (s *source) Entries() []lab.Entry {
	list := make([]lab.Entry, len(s.list))
	for i, r := range s.list {
		// Its footprint is what it is, so the device is not made smaller.
		stands := unsaidNeutral
		if r.Gaps == stream.GapInstructions {
			stands = unsaidInstructions
		}
		list[i] = lab.Entry{Name: r.Name, Info: recorded(r), Set: "scale=1 unsaid=" + stands, Knobs: []lab.EntryKnob{{Key: "split"}, {Key: "llc"}}}
		if !r.Missed && !r.Sampled {
			list[i].Set += " llc=16" // as SkyByte's Table II has it
		}
	}
	return list
}

// recorded describes a recording in numbers.
func recorded(r *stream.Recording) string {
	writes, all := r.Requests()
	threads := "1 thread"
	if n := len(r.Threads); n != 1 {
		threads = fmt.Sprintf("%d threads", n)
	}
	what := "accesses"
	switch {
	case r.Sampled && r.Missed:
		what = "sampled misses of the last-level cache"
	case r.Sampled:
		what = "sampled accesses"
	case r.Missed:
		what = "misses of the last-level cache"
	}
	return fmt.Sprintf("%s: %s, %d %s, %d %% of them writes, %v touched", r.Format, threads, all, what, (writes*200+all)/max(2*all, 1), unit.Bytes(r.Pages)*unit.Page)
}

// Notes implements lab.Files.
func (s *source) Notes() []string {
	list := slices.Clone(s.notes)
	for _, r := range s.list {
		name := path.Base(r.Name)
		for _, n := range r.Notes {
			list = append(list, name+": "+n)
		}
		if r.Passed != "" {
			list = append(list, name+": "+r.Passed)
		}
	}
	if !s.handed {
		list = append(list, "Addresses do not leave this page: pages have numbers in the order in which they are first touched, and names of threads and programs are not kept.")
	}
	return list
}

// find returns the recording with this name.
func (s *source) find(name string) (*stream.Recording, error) {
	for _, r := range s.list {
		if r.Name == name {
			return r, nil
		}
	}
	return nil, fmt.Errorf("the opened files hold no %q; choose another under Workload", name)
}

// standIn says what stands in for what a recording does not say.
func standIn(s *settings) string {
	r := &s.Recipe
	why := fmt.Sprintf("A recording does not say what a request costs on the chip, how loads overlap, or how full the device is at the start. Here a request costs %d cycles, up to %d loads in a row overlap, each with a probability of %s, and %s of the cache is full, with promotion %s",
		r.OnChip, r.Outstanding, knob.Decimal(r.Overlap, 1000), prose.Percent(part(r.Fill, 1000)), prose.Percent(part(r.FillPromote, 1000)))
	w, err := stream.Find(s.Workload)
	of := neutralRecipe()
	switch said := unsaidOf(r); {
	case said == unsaidOf(&of):
		return why + ": numbers that favour no bundled workload. Recipe has them."
	case err == nil && said == unsaidOf(&w.Recipe):
		return why + ": as fitted to " + w.Title + ", which need not be like the recording. Recipe has these numbers."
	}
	return why + ", as Recipe has it."
}

// unsaidOf is a recipe without what a recording says.
func unsaidOf(r *stream.Recipe) [5]int64 {
	return [...]int64{int64(r.OnChip), r.Outstanding, r.Overlap, r.Fill, r.FillPromote}
}

// neutralRecipe has the neutral numbers, and nothing else.
func neutralRecipe() (r stream.Recipe) {
	for _, k := range stream.Knobs() {
		for _, n := range neutral {
			if n.key == k.Key {
				_ = k.Parse(&r, n.text) // lab.New has checked it
			}
		}
	}
	return r
}

// ways is how many ways a last-level cache before a recording has.
const ways = 16

// entry returns the recording that the settings name: with its gaps in cycles, behind
// a last-level cache, and with as many threads as are made of it.
func entry(s *settings, f lab.Files) (*trace, error) {
	from, ok := f.(*source)
	if !ok {
		return nil, errNoFiles
	}
	r, err := from.find(s.Entry)
	if err != nil {
		return nil, err
	}
	t := &trace{about: recorded(r) + ".", origin: "From " + path.Base(r.Name) + "."}
	t.notes = slices.Clone(r.Notes)
	note := func(format string, a ...any) { t.notes = append(t.notes, fmt.Sprintf(format, a...)) }
	requests, capped := r.Stream(s.Recipe.CPI, s.Setup.Clock)
	if capped > 0 {
		note("Gaps of more than %d cycles are cut to that: %d of them.", int64(stream.MaxGap), capped)
	}
	switch r.Gaps {
	case stream.NoGaps:
		note("The trace does not say what lies between accesses: each one follows the one before at once.")
	case stream.GapInstructions:
		note("Between accesses lie instructions; each takes %s cycles (set under Recipe).", knob.Decimal(s.Recipe.CPI, 1000))
	}
	note("%s", standIn(s))
	switch {
	case s.LLC > 0:
		through, err := requests.Filter(s.LLC, ways)
		if err != nil {
			return nil, err
		}
		note("Of %d accesses %d missed the last-level cache of %v in front of the recording, which wrote %d lines back and holds %d dirty lines at the end.", through.Accesses, through.Misses, s.LLC, through.WriteBacks, through.Left)
		if r.Missed || r.Sampled {
			note("The recording has only what missed a last-level cache, or a sample: a cache in front of it would mean nothing.")
		}
		requests = through.Stream
	case !r.Missed && !r.Sampled:
		note("The recording has all accesses, and no cache is in front of it: set a last-level cache under Workload.")
	}
	if n := len(requests.Threads) * int(s.Split); s.Split > 1 {
		if requests, err = requests.Split(n); err != nil {
			return nil, err
		}
	}
	recipe := s.Recipe
	recipe.Classes = nil
	t.Workload = &stream.Workload{Name: "recording", Title: path.Base(r.Name), About: t.about, Origin: t.origin, Recipe: recipe, Recorded: requests, Seed: s.Setup.Seed}
	return t, nil
}
