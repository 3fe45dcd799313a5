package filesys

import (
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// recorded returns the workload of a recording of threads on files of so many bytes.
func recorded(t testing.TB, s *machine.Setup, files int, size int64, threads [][]call.Call) *call.Workload {
	t.Helper()
	r := load.Recording{Name: "recording", Nodes: []call.Node{{Dir: true}}, Threads: threads}
	for range files {
		r.Nodes = append(r.Nodes, call.Node{Size: size})
	}
	r.Most = int32(len(r.Nodes))
	for i, calls := range threads {
		for range calls {
			r.Order = append(r.Order, int32(i))
		}
	}
	w, err := load.Replay(&r, s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A recording pays for no benchmark program: 16 threads that stat take what stat takes.
func TestNoBenchmarkProgram(t *testing.T) {
	s := machine.Default()
	s.Scale = 1
	s.Device.Capacity = unit.GiB
	threads := make([][]call.Call, 16)
	for i := range threads {
		for range 100 {
			threads[i] = append(threads[i], call.Call{Code: call.Stat, Node: int32(i + 1)})
		}
	}
	for _, generated := range []bool{false, true} {
		w := recorded(t, &s, 16, 100, threads)
		if w.Generated {
			t.Error("a recording is generated")
		}
		w.Generated = generated
		r, err := Run(w, &s, "ext4", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if thinks := r.Ledger[Thinks] > 0; thinks != generated {
			t.Errorf("generated %v: programs compute %v", generated, r.Ledger[Thinks])
		}
	}
	s = machine.Default()
	if w := recipe(t, "stat", &s); !w.Generated {
		t.Error("a recipe is not generated")
	}
}
