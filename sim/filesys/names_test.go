package filesys

import (
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// turns are calls of threads that make one each, in the order of the threads.
type turns struct {
	calls []call.Call
	made  []bool
}

func (*turns) Woken() []int32 { return nil }

func (x *turns) Next(thread int32, _ unit.Time, c *call.Call) call.State {
	if x.made[thread] {
		return call.Done
	}
	x.made[thread] = true
	*c = x.calls[thread]
	c.Changed = call.Unknown
	return call.Ready
}

// What changes names that another call is changing is answered after it, on every file system: a
// directory that is being made is removed, renamed or gets a file when it is there, and one in
// which a name is being removed goes after that.
func TestNamesTakeTurns(t *testing.T) {
	// Directory 1 has directory 2, with file 3; 4 and 5 are not there.
	nodes := []call.Node{{Parent: -1, Dir: true}, {Dir: true}, {Parent: 1, Dir: true}, {Parent: 2, Size: 5000}}
	mkdir := call.Call{Code: call.Mkdir, Node: 4, Dir: 1}
	for name, calls := range map[string][]call.Call{
		"remove what is made":       {mkdir, {Code: call.Rmdir, Node: 4}},
		"rename what is made":       {mkdir, {Code: call.Rename, Node: 4}},
		"make in what is made":      {mkdir, {Code: call.Create, Node: 5, Dir: 4}},
		"remove what is emptied":    {{Code: call.Unlink, Node: 3}, {Code: call.Rmdir, Node: 2}},
		"remove what a file leaves": {{Code: call.Rename, Node: 3}, {Code: call.Rmdir, Node: 2}},
		"rename over what is made":  {mkdir, {Code: call.Rename, Node: 2, Over: 4}},
	} {
		for i := range Systems {
			if Systems[i].Off {
				continue
			}
			s := machine.Default()
			w := &call.Workload{Name: "turns", Scale: 1, Threads: 2, Nodes: nodes, Most: 6, Start: func() call.Source {
				return &turns{calls, make([]bool, 2)}
			}}
			var to [2]unit.Time
			r, err := Run(w, &s, Systems[i].Name, &Watch{Called: func(c Called) { to[c.Thread] = c.To }}, nil)
			if err != nil || r.Failed > 0 {
				t.Fatalf("%s, %s: %d failed, %v", Systems[i].Name, name, r.Failed, err)
			}
			if to[1] <= to[0] {
				t.Errorf("%s, %s: the second ended at %v, the first at %v", Systems[i].Name, name, to[1], to[0])
			}
		}
	}
}
