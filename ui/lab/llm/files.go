//go:build !lean

package llm

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"

	"spillway/sim/knob"
	"spillway/sim/llm/model"
	"spillway/sim/prose"
	"spillway/traces/hf"
	"spillway/ui/lab"
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

// mostFile is how large a file may be that is read.
const mostFile = 64 << 20

// An index is a safetensors index and where it is.
type index struct {
	file string
	*hf.Index
}

// open finds models.
func open(files []lab.File) (lab.Files, error) {
	s := &source{}
	var errs []error
	var indices []index
	for i := range files {
		f := &files[i]
		data, err := f.All(mostFile)
		switch {
		case err != nil:
		case !bytes.HasPrefix(bytes.TrimLeft(data, "\xef\xbb\xbf \t\r\n"), []byte("{")):
			err = fmt.Errorf("%s is no config.json of a model; drop the one that lies beside its weights on Hugging Face, or its safetensors index", f.Name)
		case hf.IsIndex(data):
			var x *hf.Index
			if x, err = hf.ReadIndex(f.Name, data); err == nil {
				indices = append(indices, index{f.Name, x})
			}
		default:
			var m *hf.Model
			if m, err = hf.ReadConfig(f.Name, data); err == nil {
				s.add(f.Name, m)
				for _, note := range m.Notes {
					s.notes = append(s.notes, f.Name+": "+note)
				}
			}
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	if len(s.list) == 0 {
		if len(indices) > 0 {
			errs = append(errs, fmt.Errorf("%s lists tensors, but does not say how the model works; drop its config.json too", indices[0].file))
		}
		return nil, errors.Join(errs...)
	}
	for _, err := range errs {
		s.notes = append(s.notes, err.Error())
	}
	for _, x := range indices {
		s.compare(x)
	}
	return s, nil
}

// add adds a model, with a number if there is another of the same name. A name says what knobs
// take from an architecture, so that an entry of other files is another where those differ: the
// page keeps an entry's settings as long as its name is there.
func (s *source) add(file string, m *hf.Model) {
	a := m.Arch
	if a.Title == "" {
		a.Title = path.Base(file)
	}
	name := fmt.Sprintf("%s, %s, %s parameters", a.Title, prose.Count(a.Heads, "head"), prose.Grouped(a.Parameters()))
	if a.Experts > 0 {
		name += fmt.Sprintf(", %d of %s", a.Active, prose.Count(a.Experts, "expert"))
	}
	base := name
	for n := 2; slices.ContainsFunc(s.list, func(o opened) bool { return o.name == name }); n++ {
		name = fmt.Sprintf("%s (%d)", base, n)
	}
	s.list = append(s.list, opened{name: name, file: file, arch: a, notes: m.Notes})
}

// compare says whether an index fits the model in its folder, or the only one.
func (s *source) compare(x index) {
	for i := range s.list {
		o := &s.list[i]
		if len(s.list) > 1 && path.Dir(o.file) != path.Dir(x.file) {
			continue
		}
		says, ok := x.Compare(&o.arch)
		if o.says = says; !ok {
			s.notes = append(s.notes, fmt.Sprintf("%s: %s", x.file, says))
		}
	}
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
		notes := slices.Clone(o.notes)
		if o.says != "" {
			notes = append(notes, o.says)
		}
		return workOf(m, fmt.Sprintf("From %s.", path.Base(o.file)), notes...)
	}
	return nil, fmt.Errorf("the opened files hold no %q; choose another under Opened files", s.Entry)
}
