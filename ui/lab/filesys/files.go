//go:build !lean

package filesys

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/plan"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/unit"
	"spillway/traces/fscalls"
	"spillway/ui/lab"
)

// A source is opened recordings. Their Names are unique.
type source struct {
	list  []*load.Recording
	notes []string
}

// open reads recordings of calls, one a file.
func open(files []lab.File) (lab.Files, error) {
	s := &source{}
	var errs []error
	for i := range files {
		r, err := read(&files[i])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.add(files[i].Name, r)
	}
	if len(s.list) == 0 {
		return nil, refuse(errs)
	}
	for _, err := range errs {
		s.notes = append(s.notes, err.Error())
	}
	return s, nil
}

// add adds a recording; one without a name is called as its file.
func (s *source) add(name string, r *load.Recording) {
	if r.Name == "" {
		r.Name = name
	}
	base := r.Name
	for n := 2; slices.ContainsFunc(s.list, func(o *load.Recording) bool { return o.Name == r.Name }); n++ {
		r.Name = fmt.Sprintf("%s (%d)", base, n)
	}
	s.list = append(s.list, r)
}

// read reads one file.
func read(f *lab.File) (*load.Recording, error) {
	in := io.NopCloser(bytes.NewReader(f.Data))
	if f.Stream != nil {
		var err error
		if in, err = f.Stream(); err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", f.Name, err)
		}
	}
	r, err := fscalls.Read(f.Name, in)
	return r, errors.Join(err, in.Close())
}

// refuse says what would be taken, behind why nothing was.
func refuse(errs []error) error {
	if slices.ContainsFunc(errs, func(err error) bool { return errors.As(err, new(*fscalls.NotTraceError)) }) {
		errs = append(errs, fmt.Errorf("recordings of calls are: %s. Address traces belong into the laboratory CXL-SSD", strings.Join(fscalls.Takes(), "; ")))
	}
	return errors.Join(errs...)
}

// Entries implements lab.Files.
func (s *source) Entries() []lab.Entry {
	list := make([]lab.Entry, len(s.list))
	for i, r := range s.list {
		// What was written is not in a recording, and hardly any program writes only zeros.
		list[i] = lab.Entry{Name: r.Name, Info: recorded(r), Set: "payload=random", Knobs: []lab.EntryKnob{{Key: "open_loop"}}}
	}
	return list
}

// touched is how much files have at most: those that exist, as large as they become.
func touched(r *load.Recording) (sum unit.Bytes) {
	sizes := make([]int64, r.Most)
	for i := range r.Nodes {
		sizes[i] = r.Nodes[i].Size
	}
	for _, t := range r.Threads {
		for i := range t {
			switch c := &t[i]; {
			case c.Code == call.Write && c.Flags&call.Append != 0:
				sizes[c.Node] += c.Length
			case c.Code == call.Write:
				sizes[c.Node] = max(sizes[c.Node], c.Offset+c.Length)
			}
		}
	}
	for _, n := range sizes {
		sum += unit.Bytes(n)
	}
	return sum
}

// recorded describes a recording in numbers.
func recorded(r *load.Recording) string {
	var calls int64
	for _, t := range r.Threads {
		calls += int64(len(t))
	}
	return fmt.Sprintf("%s: %s of %s, %s files and directories, %v of data", r.Format, prose.Count(calls, "call"), prose.Count(int64(len(r.Threads)), "thread"), prose.Grouped(int64(r.Most)-1), touched(r))
}

// Notes implements lab.Files.
func (s *source) Notes() []string {
	list := slices.Clone(s.notes)
	for _, r := range s.list {
		for _, n := range r.Notes {
			list = append(list, path.Base(r.Name)+": "+n)
		}
	}
	return append(list, "Names of files, directories and programs are not kept, and nothing that was read or written.")
}

// Carry implements lab.Carrier: a bundle has the one recording, with numbers for names.
func (s *source) Carry(u *knob.Setup) ([]lab.File, error) {
	r, err := s.find(u.Text("entry"))
	if err != nil {
		return nil, nil // nothing of the files is used
	}
	var b bytes.Buffer
	if err := fscalls.Encode(&b, r); err != nil {
		return nil, err
	}
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' {
			return c
		}
		return '-'
	}, path.Base(r.Name))
	return []lab.File{{Name: strings.TrimLeft(name[:min(len(name), 80)], ".") + ".fscalls", Data: b.Bytes()}}, nil
}

// find returns the recording with this name.
func (s *source) find(name string) (*load.Recording, error) {
	for _, r := range s.list {
		if r.Name == name {
			return r, nil
		}
	}
	return nil, fmt.Errorf("the opened files hold no %q; choose another under Workload", name)
}

// entry returns the recording that the settings name.
func entry(s *settings, f lab.Files) (*work, error) {
	from, ok := f.(*source)
	if !ok {
		return nil, errNoFiles
	}
	r, err := from.find(s.Entry)
	if err != nil {
		return nil, err
	}
	m := s.machine()
	w, err := load.Replay(r, &m)
	if err != nil {
		return nil, err
	}
	x := &work{Workload: w, about: recorded(r) + ".", origin: "From " + path.Base(r.Name) + ".", notes: slices.Clone(r.Notes), recorded: true, touches: touched(r)}
	return x, nil
}

// calls writes what all threads ask for, at the times at which they do in a run.
func calls(v *seen) ([]byte, error) {
	w := v.Workload
	m := w.machine(v.Settings)
	r := load.Recording{Name: w.Name, Nodes: w.Nodes, Most: w.Most, Threads: make([][]call.Call, w.Threads)}
	_, err := core.Run(w.Workload, &m, v.System, &core.Watch{Record: func(e plan.Event) {
		if e.Moment == plan.Began && int(e.Thread) < len(r.Threads) {
			c := e.Of
			c.At = e.At
			r.Threads[e.Thread] = append(r.Threads[e.Thread], c)
			r.Order = append(r.Order, e.Thread)
		}
	}}, nil)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = fscalls.Encode(&b, &r)
	return b.Bytes(), err
}
