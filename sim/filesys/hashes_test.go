package filesys

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"spillway/build/golden"
	"spillway/build/golden/change"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
)

// TestHashes runs every system on every workload at a 256th, as the paper and as the
// artifact have it, and compares what comes out with the golden file: the same bytes
// natively and as WebAssembly. With -update it is written anew.
func TestHashes(t *testing.T) {
	var runs []golden.Run
	for _, recipes := range load.Recipes() {
		for i := range Systems {
			for _, preset := range []string{"paper", "artifact"} {
				s := machine.Default()
				if preset == "artifact" {
					s = machine.Artifact()
				}
				s.Scale = 256
				w := recipe(t, recipes.Name, &s)
				res, err := Run(w, &s, Systems[i].Name, nil, nil)
				if err != nil {
					t.Fatalf("%s on %s: %v", w.Name, Systems[i].Name, err)
				}
				if broken := laws(&s, w, res); broken != "" {
					t.Errorf("%s on %s, %s:%s", w.Name, Systems[i].Name, preset, broken)
				}
				text, err := json.Marshal(res)
				if err != nil {
					t.Fatal(err)
				}
				name := w.Name + " " + Systems[i].Name + " " + preset
				runs = append(runs, golden.Run{Line: fmt.Sprintf("%s %d ps %x", name, res.Time, sha256.Sum256(text)), Run: change.Run{Name: name, Values: known(res)}})
			}
		}
	}
	golden.Runs(t, append(runs, runsAlone(t)...))
}

// runsAlone are those of the SSD by itself.
func runsAlone(t *testing.T) (runs []golden.Run) {
	for _, p := range load.Patterns() {
		for _, streams := range []int64{1, 2} {
			s := machine.Default()
			s.Scale, s.Device.Streams, s.Device.CollectOwn = 256, streams, streams == 1
			res := alone(t, pattern(t, p.Name, &s), &s)
			text, err := json.Marshal(res)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s %s streams-%d", p.Name, Alone.Name, streams)
			runs = append(runs, golden.Run{Line: fmt.Sprintf("%s %d ps %x", name, res.Time, sha256.Sum256(text)), Run: change.Run{Name: name, Values: known(res)}})
		}
	}
	return runs
}

// known is what people know of a result.
func known(r *Result) []change.Value {
	var bytes [device.Directions]int64
	for _, by := range r.Device.Bytes {
		for _, both := range by {
			for way, n := range both {
				bytes[way] += n
			}
		}
	}
	sum := func(of [device.Whys]int64) (n int64) {
		for _, x := range of {
			n += x
		}
		return n
	}
	return []change.Value{
		change.Int("time_ps", r.Time),
		change.Int("calls", r.Calls),
		change.Int("written_bytes", bytes[device.Writes]),
		change.Int("read_bytes", bytes[device.Reads]),
		change.Int("flash_programs", sum(r.Device.FlashPrograms)),
		change.Int("flash_reads", sum(r.Device.FlashReads)),
		change.Int("commits", r.Commits),
	}
}
