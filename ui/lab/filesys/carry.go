//go:build !lean

package filesys

import (
	"bytes"
	"path"
	"strings"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/plan"
	"spillway/sim/knob"
	"spillway/traces/fscalls"
	"spillway/ui/lab"
)

// Carry implements lab.Carrier: a bundle has the one recording, with numbers for names.
func (s *source) Carry(u *knob.Setup) ([]lab.File, lab.Files, error) {
	r, err := s.find(u.Text("entry"))
	if err != nil {
		return nil, nil, nil // nothing of the files is used
	}
	var b bytes.Buffer
	if err := fscalls.Encode(&b, r); err != nil {
		return nil, nil, err
	}
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' {
			return c
		}
		return '-'
	}, path.Base(r.Name))
	f := lab.File{Name: strings.TrimLeft(name[:min(len(name), 80)], ".") + ".fscalls", Data: b.Bytes()}
	back, err := fscalls.Read(f.Name, bytes.NewReader(f.Data))
	if err == nil && back.Name == "" {
		back.Name = f.Name
	}
	return []lab.File{f}, &source{list: []*load.Recording{back}}, err
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
