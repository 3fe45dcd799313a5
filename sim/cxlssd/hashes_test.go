package cxlssd

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"spillway/sim/cxlssd/stream"
)

var update = flag.Bool("update", false, "rewrite testdata/hashes.golden")

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
	var b strings.Builder
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
