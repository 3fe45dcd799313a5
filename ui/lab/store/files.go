//go:build !lean

package store

import (
	"errors"
	"fmt"

	"spillway/sim/store/ops"
	"spillway/traces/opstrace"
	"spillway/ui/lab"
)

// mostBytes is how large a trace may be.
const mostBytes = 512 << 20

// A source is opened traces.
type source struct {
	names  []string
	traces []*ops.Trace
	notes  []string
}

// open reads traces of operations.
func open(files []lab.File) (lab.Files, error) {
	s := &source{}
	var errs []error
	for _, f := range files {
		if !opstrace.Sniff(f.Data) {
			errs = append(errs, fmt.Errorf("%s: not a trace of store operations (CSV with a header line of time_us,client,op,tensor,bytes,next, or JSON Lines with the same keys). Training workloads belong into the laboratory of training memory", f.Name))
			continue
		}
		data, err := f.All(mostBytes)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		t, err := opstrace.Decode(f.Name, data)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.names, s.traces = append(s.names, f.Name), append(s.traces, t)
	}
	if len(s.traces) == 0 {
		return nil, errors.Join(errs...)
	}
	for _, err := range errs {
		s.notes = append(s.notes, err.Error())
	}
	return s, nil
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
