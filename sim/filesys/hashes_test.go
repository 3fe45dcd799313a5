package filesys

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
)

var update = flag.Bool("update", false, "rewrite testdata/hashes.golden")

// TestHashes runs every system on every workload at a 256th, as the paper and as the
// artifact have it, and compares what comes out with the golden file: the same bytes
// natively and as WebAssembly. With -update it is written anew.
func TestHashes(t *testing.T) {
	var b strings.Builder
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
				fmt.Fprintf(&b, "%s %s %s %d ps %x\n", w.Name, Systems[i].Name, preset, res.Time, sha256.Sum256(text))
			}
		}
	}
	const file = "testdata/hashes.golden"
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, lines := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	if len(got) != len(lines) {
		t.Fatalf("%d runs, %s has %d; write it anew with -update", len(got), file, len(lines))
	}
	for i, line := range lines {
		if got[i] != line {
			t.Errorf("line %d: %s, want %s", i+1, got[i], line)
		}
	}
}
