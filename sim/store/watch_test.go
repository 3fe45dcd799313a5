package store

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"spillway/sim/unit"
)

// A watch changes nothing, has all time of every client and all bytes, and what it
// has could happen.
func TestWatch(t *testing.T) {
	moved := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		trace, s := randomTrace(r, 100), randomSetup(r)
		for _, p := range Policies() {
			want, err := Run(trace, s, p)
			if err != nil {
				t.Fatal(err)
			}
			var w struct {
				Slices []Slice
				Moves  []Move
			}
			got, err := Watched(trace, s, p, &Watch{
				Slice: func(x Slice) { w.Slices = append(w.Slices, x) },
				Move:  func(m Move) { w.Moves = append(w.Moves, m) },
			})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, %s: watched it differs: %v", seed, p.Name, err)
			}
			at := make([]unit.Time, len(got.Clients))
			parts := make([][Parts]unit.Time, len(got.Clients))
			for _, x := range w.Slices {
				if x.Start != at[x.Client] || x.End <= x.Start {
					t.Fatalf("seed %d, %s: slice %+v after %v", seed, p.Name, x, at[x.Client])
				}
				at[x.Client] = x.End
				parts[x.Client][x.Part] += x.End - x.Start
			}
			for c := range got.Clients {
				if parts[c] != got.Clients[c].Parts {
					t.Errorf("seed %d, %s: client %d: slices %v, parts %v", seed, p.Name, c, parts[c], got.Clients[c].Parts)
				}
			}
			var out, back unit.Bytes
			ends := map[bool]unit.Time{}
			for _, m := range w.Moves {
				if m.Start < ends[m.Back] || m.End < m.Start {
					t.Fatalf("seed %d, %s: move %+v after %v", seed, p.Name, m, ends[m.Back])
				}
				if ends[m.Back] = m.End; m.Back {
					back += m.Bytes
				} else {
					out += m.Bytes
				}
			}
			if moved += len(w.Moves); out != got.Evicted || back != got.Fetched+got.Prefetched {
				t.Errorf("seed %d, %s: %v out and %v back; evicted %v, fetched %v, prefetched %v", seed, p.Name, out, back, got.Evicted, got.Fetched, got.Prefetched)
			}
		}
	}
	if moved == 0 {
		t.Error("nothing moves")
	}
}
