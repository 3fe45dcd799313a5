package serve

import (
	"reflect"
	"testing"

	"spillway/build/effort"
	"spillway/sim/timeline"
	"spillway/sim/unit"
)

// TestRecord: who looks changes nothing; what a timeline says sums to the result.
func TestRecord(t *testing.T) {
	for seed := range effort.Seeds(400) {
		w, s := random(t, seed)
		want, err := Run(w, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, line, err := Record(w, s, timeline.Window{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(r, want) {
			t.Fatalf("seed %d: another result when somebody looks", seed)
		}
		if !r.Ran() {
			if line != nil {
				t.Errorf("seed %d: a timeline of what did not run", seed)
			}
			continue
		}
		if err := line.Check(); err != nil {
			t.Fatalf("seed %d (%s): %v", seed, s.System, err)
		}
		spent := line.Spent()
		for d := range Doings {
			n := unit.Time(0)
			for i := range r.Doing {
				n += r.Doing[i][d]
			}
			if spent[d] != int64(n) {
				t.Errorf("seed %d (%s): %s for %d, in the timeline %d", seed, s.System, Doing(d), n, spent[d])
			}
		}
		// Requests of the first lanes have all their phases.
		sums := make([]map[uint8]int64, len(w.Requests))
		var moved [ways]int64
		for i := range line.Tracks {
			x := &line.Tracks[i]
			for k := range x.Begin {
				switch {
				case x.Kind == timeline.Note:
					if sums[x.Ref[k]] == nil {
						sums[x.Ref[k]] = map[uint8]int64{}
					}
					sums[x.Ref[k]][x.Cat[k]] += x.End[k] - x.Begin[k]
				case x.Kind == timeline.Link:
					for way := range ways {
						if len(x.Name) >= len(Way(way).String()) && x.Name[:len(Way(way).String())] == Way(way).String() {
							moved[way] += x.Amount[k]
						}
					}
				}
			}
		}
		if r.LinkIn.Bytes != 0 && moved[ToGPU] != int64(r.LinkIn.Bytes) || moved[FromDrives] != int64(r.Read.Bytes) {
			t.Errorf("seed %d (%s): %v moved; %d and %d", seed, s.System, moved, r.LinkIn.Bytes, r.Read.Bytes)
		}
		for id, of := range sums {
			v := &r.Requests[id]
			if of == nil || v.Preempted > 0 {
				continue
			}
			for p, n := range v.Phases {
				if of[uint8(Doings+p)] != int64(n) {
					t.Fatalf("seed %d (%s): request %d: %s for %d, in the timeline %d", seed, s.System, id, Phase(p), n, of[uint8(Doings+p)])
				}
			}
			if of[uint8(Doings+Phases)] != int64(v.Done-v.First) {
				t.Fatalf("seed %d (%s): request %d answers for %d, in the timeline %d", seed, s.System, id, v.Done-v.First, of[uint8(Doings+Phases)])
			}
		}
	}
}
