//go:build !lean

package cxlssd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/unit"
	"spillway/traces/address"
	"spillway/ui/lab"
)

// A source is opened address traces. Their Names are unique.
type source struct {
	list      []*address.Recording
	notes     []string
	condensed bool // it was opened from what Condensed or Carry wrote
}

// open reads address traces. Of programs that write a file for each thread all files
// are one recording.
func open(files []lab.File) (lab.Files, error) {
	s := &source{condensed: true}
	var errs []error
	var single []lab.File // with one thread each
	for i := range files {
		f := &files[i]
		if address.OfOneThread(f.Data) {
			single = append(single, *f)
			continue
		}
		s.add(f.Name, read(f), &errs)
	}
	if len(single) > 0 {
		name := single[0].Name
		if len(single) > 1 {
			name = fmt.Sprintf("%s and %d more", name, len(single)-1)
		}
		s.add(name, readThreads(single), &errs)
	}
	if len(s.list) == 0 {
		return nil, refuse(errs)
	}
	for _, err := range errs {
		s.notes = append(s.notes, err.Error())
	}
	return s, nil
}

// A reading is a recording, or why there is none.
type reading struct {
	*address.Recording
	err error
}

// add adds a recording.
func (s *source) add(name string, r reading, errs *[]error) {
	if r.err != nil {
		*errs = append(*errs, r.err)
		return
	}
	if r.Name == "" {
		r.Name, s.condensed = name, false
	}
	base := r.Name
	for n := 2; slices.ContainsFunc(s.list, func(o *address.Recording) bool { return o.Name == r.Name }); n++ {
		r.Name = fmt.Sprintf("%s (%d)", base, n)
	}
	s.list = append(s.list, r.Recording)
}

// contents opens a file for reading.
func contents(f *lab.File) (io.ReadCloser, error) {
	if f.Stream == nil {
		return io.NopCloser(bytes.NewReader(f.Data)), nil
	}
	return f.Stream()
}

// read reads one file.
func read(f *lab.File) reading {
	in, err := contents(f)
	if err != nil {
		return reading{err: fmt.Errorf("%s cannot be read: %w", f.Name, err)}
	}
	r, err := address.Read(f.Name, in)
	return reading{r, errors.Join(err, in.Close())}
}

// readThreads reads files of one thread each.
func readThreads(files []lab.File) reading {
	names := make([]string, len(files))
	for i := range files {
		names[i] = files[i].Name
	}
	r, err := address.ReadThreads(names, func(i int) (io.ReadCloser, error) { return contents(&files[i]) })
	return reading{r, err}
}

// refuse says what would be taken, behind why nothing was.
func refuse(errs []error) error {
	if slices.ContainsFunc(errs, func(err error) bool { return errors.As(err, new(*address.NotTraceError)) }) {
		errs = append(errs, fmt.Errorf("address traces are: %s. Training workloads belong into the laboratory of training memory", strings.Join(address.Takes(), "; ")))
	}
	return errors.Join(errs...)
}

// Entries implements lab.Files.
func (s *source) Entries() []lab.Entry {
	list := make([]lab.Entry, len(s.list))
	for i, r := range s.list {
		// Its footprint is what it is, so the device is not made smaller.
		stands := unsaidNeutral
		if r.Gaps == address.Instructions {
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
func recorded(r *address.Recording) string {
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
	return fmt.Sprintf("%s: %s, %d %s, %d %% of them writes, %v touched", r.Format, threads, all, what, writes*100/max(all, 1), unit.Bytes(r.Pages)*unit.Page)
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
	if !s.condensed {
		list = append(list, "Addresses do not leave this page: pages have numbers in the order in which they are first touched, and names of threads and programs are not kept.")
	}
	return list
}

// Condensed implements lab.Condenser: every recording in the binary format, some three
// bytes an access.
func (s *source) Condensed(lab.Progress) ([]lab.File, error) {
	if s.condensed {
		return nil, nil
	}
	var list []lab.File
	for _, r := range s.list {
		f, err := condense(r)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// Carry implements lab.Carrier: a bundle has the one recording, without addresses.
func (s *source) Carry(u *knob.Setup) ([]lab.File, error) {
	r, err := s.find(u.Text("entry"))
	if err != nil {
		return nil, nil // nothing of the files is used
	}
	f, err := condense(r)
	return []lab.File{f}, err
}

// condense writes a recording so that it has the same name when it is read.
func condense(r *address.Recording) (lab.File, error) {
	var b bytes.Buffer
	if err := address.Write(&b, r, address.Binary); err != nil {
		return lab.File{}, err
	}
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' {
			return c
		}
		return '-'
	}, path.Base(r.Name))
	return lab.File{Name: strings.TrimLeft(name[:min(len(name), 80)], ".") + ".address", Data: b.Bytes()}, nil
}

// find returns the recording with this name.
func (s *source) find(name string) (*address.Recording, error) {
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
	why := fmt.Sprintf("A recording does not say what a request costs on the chip, how loads overlap and how full the device is at the start. Here a request costs %d cycles, of loads that follow each other up to %d are under way, each with a probability of %s, and %s of the cache is full, with promotion %s",
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
		note("Gaps of more than %d cycles are cut to that: %d.", int64(stream.MaxGap), capped)
	}
	switch r.Gaps {
	case address.NoGaps:
		note("The trace does not say what lies between accesses: every one follows the one before at once.")
	case address.Instructions:
		note("Between accesses lie instructions; each takes %s cycles, as Recipe says.", knob.Decimal(s.Recipe.CPI, 1000))
	}
	note("%s", standIn(s))
	switch {
	case s.LLC > 0:
		through, err := requests.Filter(s.LLC, ways)
		if err != nil {
			return nil, err
		}
		note("Of %d accesses %d missed the last-level cache of %v before the recording, which wrote %d lines back; %d dirty lines are in it at the end.", through.Accesses, through.Misses, s.LLC, through.WriteBacks, through.Left)
		if r.Missed || r.Sampled {
			note("The recording is of what missed a last-level cache, or a sample: a cache before it has no meaning.")
		}
		requests = through.Stream
	case !r.Missed && !r.Sampled:
		note("No cache is before the recording, which has all accesses: set one under Last-level cache.")
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
