package llm

import (
	"fmt"
	"path"
	"slices"

	"spillway/sim/knob"
	core "spillway/sim/llm"
	"spillway/sim/model"
	"spillway/sim/prose"
	"spillway/traces/handed"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// A source is models in opened files. Their names are unique.
type source struct {
	list  []opened
	notes []string
}

// An opened is a model of a file.
type opened struct {
	name  string // of the entry
	file  string
	arch  model.Arch
	says  string   // of a safetensors index beside it
	notes []string // what was assumed of it, or is not simulated
}

// accept takes over models.
func accept(found []byte, _ []lab.File) (lab.Files, error) {
	h, err := wire.Read[handed.Models](found)
	if err != nil {
		return nil, err
	}
	s := &source{notes: h.Notes}
	for i := range h.Models {
		s.add(&h.Models[i])
	}
	return s, nil
}

// add adds a model, with a number if there is another of the same name. A name says what knobs
// take from an architecture, so that an entry of other files is another where those differ: the
// page keeps an entry's settings as long as its name is there.
func (s *source) add(m *handed.Model) {
	a := &m.Arch
	name := fmt.Sprintf("%s, %s, %s parameters", a.Title, prose.Count(a.Heads, "head"), prose.Grouped(a.Parameters()))
	if a.Experts > 0 {
		name += fmt.Sprintf(", %d of %s", a.Active, prose.Count(a.Experts, "expert"))
	}
	base := name
	for n := 2; slices.ContainsFunc(s.list, func(o opened) bool { return o.name == name }); n++ {
		name = fmt.Sprintf("%s (%d)", base, n)
	}
	s.list = append(s.list, opened{name: name, file: m.File, arch: m.Arch, says: m.Says, notes: m.Notes})
}

// Entries implements lab.Files.
func (s *source) Entries() []lab.Entry {
	list := make([]lab.Entry, len(s.list))
	for i := range s.list {
		o := &s.list[i]
		info := fmt.Sprintf("%s parameters, %s of width %s", size(&o.arch), prose.Count(o.arch.Layers, "layer"), prose.Grouped(o.arch.Hidden))
		if o.says != "" {
			info += "; " + o.says
		}
		list[i] = lab.Entry{Name: o.name, Info: info, Set: entryText(&o.arch)}
		if err := allowed(&o.arch); err != nil {
			list[i].Error, list[i].Set = err.Error(), ""
		}
	}
	return list
}

// allowed reports whether knobs take the counts of an architecture.
func allowed(a *model.Arch) error {
	for i := range archKnobs {
		k := &archKnobs[i]
		if n := *k.of(a); n < k.least || n > k.most {
			return fmt.Errorf("%s is %d; want %s to %s", k.label, n, knob.Decimal(k.least, 1), knob.Decimal(k.most, 1))
		}
	}
	return nil
}

// Notes implements lab.Files.
func (s *source) Notes() []string {
	return append(slices.Clone(s.notes), "Only the architecture is read; weights stay where they are.")
}

// entry returns the model that the settings name.
func entry(s *settings, f lab.Files) (*work, error) {
	from, ok := f.(*source)
	if !ok {
		return nil, errNoFiles
	}
	for i := range from.list {
		o := &from.list[i]
		if o.name != s.Entry {
			continue
		}
		m, err := s.resolved(&o.arch)
		if err != nil {
			return nil, err
		}
		m.Policy, _ = s.Own.Read(core.Asks()) // what is wrong with its text, its run says
		notes := slices.Clone(o.notes)
		if o.says != "" {
			notes = append(notes, o.says)
		}
		return workOf(m, fmt.Sprintf("From %s.", path.Base(o.file)), notes...)
	}
	return nil, fmt.Errorf("the opened files hold no %q; choose another under Opened files", s.Entry)
}
