package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spillway/ui/lab/all"
)

// steering has what a terminal would obey, or show in another order.
const steering = "\x1b[2J\x1b]0;owned\a\r\u009b1m\u202egnp\u2069\x7f"

// What a file says reaches nobody's terminal as it is: not what ran, not messages, not
// results, not exports to a terminal.
func TestNothingSteersATerminal(t *testing.T) {
	name, err := json.Marshal("a" + steering)
	if err != nil {
		t.Fatal(err)
	}
	text := `{"format":"spillway-trace","version":1,"name":` + string(name) + `,"origin":` + string(name) + `,"times":"measured","tensors":[{"name":"w","bytes":4096,"kind":"weight"}],"kernels":[{"name":` + string(name) + `,"time_ps":5000000,"in":[0],"out":[]}]}`
	file := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	csv := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(csv, []byte("time_us,client,op,tensor,bytes,next\n0,c\x1b[2J,create,t\x1b[2J,4096,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"run", "lab=train", "system=ideal", "file=" + file},
		{"run", "lab=train", "system=ideal", "file=" + file, "--json"},
		{"run", file},
		{"run", file, "--json"},
		{"inspect", file},
		{"inspect", file, "--json"},
		{"sweep", "lab=train", "system=ideal", "file=" + file, "--vary", "gpu_memory=1,2", "--csv"},
		{"convert", file},
		{"run", "lab=store", "system=lru", "file=" + csv},
		{"run", "lab=store", "file=" + csv, "entry=\x1b[2J"},
		{"run", "\x1b[2J"},
		{"\x1b[2J"},
	} {
		var out, errs bytes.Buffer
		s := shell{labs: all.Labs, out: &out, errs: &errs, screen: true}
		s.command(args)
		all := out.String() + errs.String()
		if all == "" {
			t.Errorf("%q says nothing", args)
		}
		if at := strings.IndexAny(all, "\x1b\a\r\x7f\u009b\u202e\u2069"); at >= 0 {
			t.Errorf("%q: %q", args, all[max(0, at-40):min(len(all), at+40)])
		}
		if args[len(args)-1] == "--json" && !json.Valid(out.Bytes()) {
			t.Errorf("%q: no JSON any more: %s", args, all)
		}
	}
}

// A character in two pieces is one.
func TestPlainWriter(t *testing.T) {
	var b bytes.Buffer
	p := &plainWriter{to: &b}
	for _, piece := range []string{"µ\xe2\x80", "\x93\xc2", "x\xff\n\t", "\xe2\x80", "\xae"} {
		if n, err := p.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got, want := b.String(), "µ–\\xc2x\\xff\n\t\\u202e"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
