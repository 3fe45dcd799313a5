//go:build !lean

package train

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/workload"
	"spillway/traces"
	"spillway/traces/recording"
	"spillway/traces/spillway"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// choices are what the settings say about a recording.
func (s *settings) choices() recording.Choices {
	return recording.Choices{Step: s.Step, Unknown: recording.Unknown(s.Unknown), Roles: s.Roles}
}

// fold makes the workload of a recording that is shown under a name.
func fold(name string, r *recording.Recording, c recording.Choices) (Workload, error) {
	w, account, err := r.Fold(c)
	if err != nil && (r.Label == recording.M || r.Label == recording.T || len(r.Steps) == 0) {
		return Workload{Workload: &workload.Workload{Name: name, Times: r.Times}, imported: &imported{Recording: r, cannot: err.Error()}}, nil
	}
	if err != nil {
		return Workload{}, err
	}
	w.Name = name
	out := about(w)
	out.imported = &imported{Recording: r, account: account}
	return out, nil
}

// recordingKnobs are what can be chosen of a recording.
func recordingKnobs(r *recording.Recording) []lab.EntryKnob {
	if r.Label == recording.M || len(r.Steps) == 0 {
		return nil
	}
	usual := "the middle one"
	if r.Chosen >= 0 && r.Chosen < len(r.Steps) {
		usual = r.Steps[r.Chosen].Name + ", chosen by Spillway"
	}
	steps := []knob.Choice{{Label: usual}}
	for i := range r.Steps {
		s := &r.Steps[i]
		label := fmt.Sprintf("%s, %d kernels", s.Name, len(s.Kernels))
		if !s.Complete {
			label += ", not complete"
		}
		if s.Name != "" && len(s.Kernels) > 0 {
			steps = append(steps, knob.Choice{Key: s.Name, Label: label})
		}
	}
	return []lab.EntryKnob{{Key: stepKnob, Choices: steps}, {Key: unknownKnob}, {Key: rolesKnob}}
}

// A condensed is opened files said with less: recordings, and other workloads as
// they are. It is what the page hands to its workers instead of the files.
type condensed struct {
	Format  string
	Notes   []string
	Entries []condensedEntry
}

// A condensedEntry is a recording or the Spillway trace of a workload.
type condensedEntry struct {
	Name, Detail, Model string
	Batch               int
	Recording           *recording.Recording
	Trace               []byte
}

// condensedHead begins a condensed file. Pages and workers of other versions
// neither write nor read it: what follows says its type.
const condensedHead = "spillway condensed\n"

// Condensed implements lab.Condenser. Only recordings are worth it; what comes with
// settings of its own cannot be said so.
func (s *source) Condensed(lab.Progress) ([]lab.File, error) {
	if !slices.ContainsFunc(s.Source.Entries, func(e traces.Entry) bool { return e.Recording != nil }) || s.condensed {
		return nil, nil
	}
	c := condensed{Format: s.Format, Notes: s.Source.Notes}
	for i := range s.Source.Entries {
		e := &s.Source.Entries[i]
		one := condensedEntry{Name: e.Name, Detail: e.Detail, Model: e.Model, Batch: e.Batch, Recording: e.Recording}
		if e.Config != nil {
			return nil, nil
		}
		if e.Recording == nil {
			w, err := e.Load()
			if err != nil {
				return nil, nil // opened again it says why
			}
			if one.Trace, err = spillway.Encode(w); err != nil {
				return nil, nil
			}
		}
		c.Entries = append(c.Entries, one)
	}
	data, err := wire.Marshal(&c)
	if err != nil {
		return nil, err
	}
	return []lab.File{{Name: "opened", Data: append([]byte(condensedHead), data...)}}, nil
}

// mostCondensed is how large a condensed file may be.
const mostCondensed = 256 << 20

// expand opens a condensed file, nil if files are none.
func expand(files []lab.File) (*source, error) {
	if len(files) != 1 || !bytes.HasPrefix(files[0].Data, []byte(condensedHead)) {
		return nil, nil
	}
	data, err := files[0].All(mostCondensed)
	if err != nil {
		return nil, err
	}
	var c condensed
	if err := wire.Unmarshal(data[len(condensedHead):], &c); err != nil {
		return nil, fmt.Errorf("%s: %w", files[0].Name, err)
	}
	t := &traces.Source{Format: c.Format, Notes: c.Notes}
	for i := range c.Entries {
		one := &c.Entries[i]
		e := traces.Entry{Name: one.Name, Detail: one.Detail, Model: one.Model, Batch: one.Batch, Recording: one.Recording}
		if one.Recording == nil {
			e.Load = func() (*workload.Workload, error) { return spillway.Decode(one.Name, one.Trace) }
		}
		t.Entries = append(t.Entries, e)
	}
	return &source{Source: t, names: names(t), condensed: true}, nil
}

// Carry implements lab.Carrier: of a recording a bundle has what was made of it.
func (s *source) Carry(u *knob.Setup) ([]lab.File, error) {
	name := u.Text("entry")
	at := slices.Index(s.names, name)
	if at < 0 || s.Source.Entries[at].Recording == nil {
		return nil, nil
	}
	w, err := fold(name, s.Source.Entries[at].Recording, recording.Choices{Step: u.Text(stepKnob), Unknown: recording.Unknown(u.Text(unknownKnob)), Roles: u.Text(rolesKnob)})
	if err != nil {
		return nil, err
	}
	if w.imported.cannot != "" {
		return nil, errors.New(w.imported.cannot)
	}
	data, err := spillway.Encode(w.told())
	if err != nil {
		return nil, err
	}
	return []lab.File{{Name: fileName(name) + ".json", Data: data}}, nil
}

// fileName is a name that every system of files takes.
func fileName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	return cmp.Or(strings.Trim(plain[:min(len(plain), 80)], "-"), "workload")
}
