package filesys

import (
	"fmt"
	"path"
	"slices"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/traces/handed"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// A source is opened recordings. Their Names are unique.
type source struct {
	list  []*load.Recording
	notes []string
}

// accept takes over recordings of calls.
func accept(found []byte, _ []lab.File) (lab.Files, error) {
	h, err := wire.Read[handed.Calls](found)
	if err != nil {
		return nil, err
	}
	s := &source{notes: h.Notes}
	for _, r := range h.Recordings {
		base := r.Name
		for n := 2; slices.ContainsFunc(s.list, func(o *load.Recording) bool { return o.Name == r.Name }); n++ {
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
		// What was written is not in a recording, and hardly any program writes only zeros.
		if r.Blocks {
			list[i] = lab.Entry{Name: r.Name, Info: recorded(r), Knobs: []lab.EntryKnob{{Key: "open_loop"}}, Systems: []string{core.Alone.Name}}
			continue
		}
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
	if r.Blocks {
		return fmt.Sprintf("%s: %s to the SSD alone, of %s of %v", r.Format, prose.Count(calls, "request"), prose.Count(int64(r.Most)-1, "device"), touched(r))
	}
	return fmt.Sprintf("%s: %s of %s, %s files and directories of %v", r.Format, prose.Count(calls, "call"), prose.Count(int64(len(r.Threads)), "thread"), prose.Grouped(int64(r.Most)-1), touched(r))
}

// Notes implements lab.Files.
func (s *source) Notes() []string {
	list := slices.Clone(s.notes)
	for _, r := range s.list {
		for _, n := range append(missing(r), r.Notes...) {
			list = append(list, path.Base(r.Name)+": "+n)
		}
	}
	return append(list, "Names of files, directories and programs are not kept, nor is anything that was read or written.")
}

// missing says how much data a recording lacks.
func missing(r *load.Recording) []string {
	n := r.LeftOut()
	if n == 0 {
		return nil
	}
	return []string{report.Missing + fmt.Sprintf("%v went by calls that are left out, such as %s.", unit.Bytes(n), r.Unmatched[0].What)}
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
	x := &work{Workload: w, about: recorded(r) + ".", origin: "From " + path.Base(r.Name) + ".", notes: append(missing(r), r.Notes...), recorded: true, touches: touched(r)}
	return x, nil
}
