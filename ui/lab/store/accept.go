package store

import (
	"fmt"

	"spillway/sim/store/ops"
	"spillway/traces/handed"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// A source is opened traces.
type source struct {
	names  []string
	traces []*ops.Trace
	notes  []string
}

// accept takes over traces of operations.
func accept(found []byte, _ []lab.File) (lab.Files, error) {
	h, err := wire.Read[handed.Operations](found)
	if err != nil {
		return nil, err
	}
	return &source{h.Names, h.Traces, h.Notes}, nil
}

// Entries implements lab.Files.
func (s *source) Entries() []lab.Entry {
	list := make([]lab.Entry, len(s.names))
	for i, name := range s.names {
		list[i] = lab.Entry{Name: name, Info: about(s.traces[i])}
	}
	return list
}

// Notes implements lab.Files.
func (s *source) Notes() []string { return s.notes }

func entry(name string, f lab.Files) (*trace, error) {
	s, ok := f.(*source)
	if !ok {
		return nil, errNoFiles
	}
	for i, n := range s.names {
		if n == name {
			return &trace{Trace: s.traces[i], about: about(s.traces[i]), origin: "From " + name + "."}, nil
		}
	}
	return nil, fmt.Errorf("the opened files hold no %q; choose another under Workload", name)
}
