package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"spillway/build/artifact"
)

// TestInspectSays has the page's first sentence of recordings, on the machine that they open on.
func TestInspectSays(t *testing.T) {
	dir := artifact.Traces(t)
	if dir == "" {
		t.Skip("recordings of other people are not beside this repository")
	}
	for file, want := range map[string]string{
		"kineto/h100-bert-small-infer-shapes-memory.json.gz": "h100-bert-small-infer-shapes-memory.json needs 96.75 MiB; the GPU has 80 GiB, so it fits: nothing has to move, and it runs at full speed as it is.",
		"snapshot/synthetic-resnet50-step.pickle.gz":         "synthetic-resnet50-step.pickle needs 2.88 GiB at once; the GPU has 40 GiB, so it fits.",
		"kineto/mi210-gpu-only.json.gz":                      "mi210-gpu-only.json has nothing to run: times only.",
	} {
		code, out, errs := run(t, "inspect", "--json", filepath.Join(dir, file))
		var x inspection
		if err := json.Unmarshal([]byte(out), &x); code != 0 || err != nil || len(x.Workloads) != 1 || x.Workloads[0].Says != want {
			t.Errorf("%s: code %d, %v, %s: %s; want %q", file, code, err, errs, out, want)
		}
	}
}
