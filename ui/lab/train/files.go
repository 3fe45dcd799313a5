//go:build !lean

package train

import (
	"errors"
	"fmt"
	"slices"

	"spillway/sim/knob"
	core "spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/traces"
	"spillway/traces/g10"
	"spillway/traces/jsonx"
	"spillway/ui/lab"
)

// A source is opened files as the laboratory hands them on.
type source struct {
	*traces.Source
	names     []string // unique
	condensed bool     // it was opened from what Condensed wrote
}

// open finds workloads in files.
func open(files []lab.File) (lab.Files, error) {
	if s, err := expand(files); s != nil || err != nil {
		return s, err
	}
	list := make([]traces.File, len(files))
	for i, f := range files {
		list[i] = traces.File(f)
	}
	s, err := traces.Open(list, nil)
	if err != nil {
		return nil, err
	}
	return &source{Source: s, names: names(s)}, nil
}

// names returns the entries' names, with a number where two are the same.
func names(s *traces.Source) []string {
	seen := map[string]int{}
	out := make([]string, len(s.Entries))
	for i := range s.Entries {
		name := s.Entries[i].Name
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		out[i] = name
	}
	return out
}

// Entries implements lab.Files.
func (s *source) Entries() []lab.Entry {
	out := make([]lab.Entry, len(s.names))
	for i, name := range s.names {
		from := &s.Source.Entries[i]
		e := lab.Entry{Name: name, Info: from.Detail}
		if from.Recording != nil {
			e.Knobs, e.Sections = recordingKnobs(from.Recording), []string{recordedKey}
		}
		if from.Model != "" && from.Batch > 0 {
			e.Is = knob.Join([]knob.Pair{{Key: "model", Text: from.Model}, {Key: "batch", Text: fmt.Sprint(from.Batch)}}, " ")
		}
		if from.Config != nil {
			set, err := setup(from.Config)
			if err != nil {
				e.Error = err.Error()
			}
			e.Set = set
		}
		out[i] = e
	}
	return out
}

// Notes implements lab.Files.
func (s *source) Notes() []string { return s.Source.Notes }

// encode returns a result as JSON.
func encode(r *result.Result) ([]byte, error) { return jsonx.MarshalIndent(r) }

// entry returns the workload that the settings name.
func entry(s *settings, f lab.Files) (Workload, error) {
	from, ok := f.(*source)
	if !ok {
		return Workload{}, errNoFiles
	}
	at := slices.Index(from.names, s.Entry)
	if at < 0 {
		return Workload{}, fmt.Errorf("the opened files hold no %q; choose another entry under Workload", s.Entry)
	}
	e := &from.Source.Entries[at]
	if e.Recording != nil {
		return fold(s.Entry, e.Recording, s.choices())
	}
	w, err := e.Load()
	if err != nil {
		return Workload{}, err
	}
	return about(w), nil
}

// setup returns the settings that a config file of the G10 artifact asks for:
// the paper's, as published, with the file's lines applied.
func setup(c *g10.Config) (string, error) {
	q := &core.Request{Machine: machine.G10(), Options: system.Published()}
	var errs []error
	for _, p := range c.Pairs {
		if _, err := core.Configure(q, p.Key, p.Value); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", c.Name, p.Line, err))
		}
	}
	return pairs(q), errors.Join(errs...)
}
