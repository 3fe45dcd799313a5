package filesys

import (
	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/plan"
	"spillway/sim/knob"
	"spillway/traces/handed"
	"spillway/ui/wire"
)

// Carry implements lab.Carrier: a bundle has the one recording, with numbers for names.
func (s *source) Carry(u *knob.Setup) ([]byte, error) {
	r, err := s.find(u.Text("entry"))
	if err != nil {
		return nil, nil // nothing of the files is used
	}
	return wire.Marshal(&handed.Calls{Recordings: []*load.Recording{r}})
}

// calls hands over what all threads ask for, at the times at which they do in a run.
func calls(v *seen) ([]byte, error) {
	w := v.Workload
	m := w.machine(v.Settings)
	r := load.Recording{Name: w.Name, Nodes: w.Nodes, Most: w.Most, Threads: make([][]call.Call, w.Threads), Blocks: w.Blocks}
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
	return wire.Marshal(&handed.Calls{Recordings: []*load.Recording{&r}})
}
