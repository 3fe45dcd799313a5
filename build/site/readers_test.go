package main

import (
	"context"
	"path"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	labs "spillway/ui/lab/all"
)

// readers are packages that no laboratory's program may have: those that read what
// people drop, JSON and archives. The program that reads files has them, once for all.
var readers = []string{
	"encoding/json", "archive/...", "compress/...", "github.com/goccy/go-json/...",
	"spillway/traces", "spillway/traces/...", "spillway/ui/files", "spillway/ui/bundle",
}

// plain are packages below traces that read nothing: what crosses, how networks that come
// with a laboratory are made, and what writes exports.
var plain = []string{"spillway/traces/handed", "spillway/traces/recording", "spillway/traces/zoo", "spillway/traces/eager", "spillway/traces/networks", "spillway/traces/g10", "spillway/traces/quote", "spillway/traces/chrometrace", "spillway/traces/slicetable", "spillway/traces/speedscope", "spillway/traces/protobuf", "spillway/traces/chakra/write", "spillway/traces/requests/conversation", "spillway/traces/requests/lengths"}

// A laboratory's program gets what was found in files, and reads none.
func TestProgramsReadNoFiles(t *testing.T) {
	effort.Natively(t)
	t.Chdir("../..")
	if err := writeSources(); err != nil {
		t.Fatal(err)
	}
	for _, door := range labs.Labs {
		out, err := run(context.Background(), []string{"GOOS=js", "GOARCH=wasm", "GOFLAGS=-trimpath"}, "go", "list", "-deps", "./"+path.Join(programs, door.Name))
		if err != nil {
			t.Fatal(err)
		}
		for p := range strings.Lines(string(out)) {
			p = strings.TrimSpace(p)
			covers := func(name string) bool { return effort.Covers(name, p) }
			if slices.ContainsFunc(readers, covers) && !slices.Contains(plain, p) {
				t.Errorf("the program of %s has %s", door.Name, p)
			}
		}
	}
}
