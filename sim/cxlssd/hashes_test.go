package cxlssd

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"spillway/build/golden"
	"spillway/build/golden/change"
	"spillway/sim/cxlssd/stream"
)

// recipe returns a bundled workload; tests share them, and with them their streams.
func recipe(t *testing.T, name string) *stream.Workload {
	t.Helper()
	if recipes[name] == nil {
		w, err := stream.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		recipes[name] = w
	}
	return recipes[name]
}

var recipes = map[string]*stream.Workload{}

// TestHashes runs every design on every recipe at a 64th, as the artifact and as the
// paper has it, and compares what comes out with the golden file: the same bytes
// natively and as WebAssembly. With -update it is written anew.
func TestHashes(t *testing.T) {
	var runs []golden.Run
	list := stream.Recipes()
	for k := range list {
		w := recipe(t, list[k].Name)
		for i := range Systems {
			for _, preset := range []string{"artifact", "paper"} {
				s := Default()
				if preset == "paper" {
					s = Paper()
				}
				s.Scale = 64
				res, err := Run(w, &s, Systems[i].Name, nil, nil)
				if err != nil {
					t.Fatalf("%s on %s: %v", w.Name, Systems[i].Name, err)
				}
				if broken := laws(t, w.At(s.Scale), &s, Systems[i].Name, res); broken != "" {
					t.Errorf("%s on %s, %s:%s", w.Name, Systems[i].Name, preset, broken)
				}
				text, err := json.Marshal(res)
				if err != nil {
					t.Fatal(err)
				}
				name := w.Name + " " + Systems[i].Name + " " + preset
				runs = append(runs, golden.Run{Line: fmt.Sprintf("%s %d ps %x", name, res.Time, sha256.Sum256(text)), Run: change.Run{Name: name, Values: []change.Value{
					change.Int("time_ps", res.Time),
					change.Int("switches", res.Switches),
					change.Int("flash_reads", res.UserReads+res.CompactionReads+res.CollectionReads),
					change.Int("flash_programs", res.EvictionPrograms+res.CompactionPrograms+res.DemotionPrograms+res.CollectionPrograms),
					change.Int("compactions", res.Compactions),
					change.Int("promotions", res.Promotions),
				}}})
			}
		}
	}
	golden.Runs(t, runs)
}
