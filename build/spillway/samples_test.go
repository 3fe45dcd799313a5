package main

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/traces/jsonx"
)

// A sample is what SOURCES.md of the sample recordings expects of files that are
// opened together.
type sample struct {
	files []string // without .json.gz
	// steps are kernels and nanoseconds of each, "60/307197", or of all but those
	// outside every step; memory is level before, peak and allocations; roles are
	// tensors and bytes, "weight 161/102228128".
	label, steps, memory string
	roles                []string
	// coverage is the least share of kernel time with known tensors.
	coverage float64
	// differs says where ours is not what SOURCES.md has, and why; was is theirs.
	was, differs string
	refused      string
}

var samples = []sample{
	{files: []string{"kineto/h100-bert-small-infer-shapes-memory"}, steps: "60/307197", memory: "91360768 101305344 109", roles: []string{"weight 75/88844916"}},
}

// TestSamples holds inspect to every number of SOURCES.md.
func TestSamples(t *testing.T) {
	dir := artifact.Traces(t)
	for i := range samples {
		s := &samples[i]
		t.Run(s.files[0], func(t *testing.T) {
			args := []string{"inspect", "--json"}
			for _, f := range s.files {
				if filepath.Ext(f) == "" || strings.Contains(filepath.Ext(f), "-") {
					f += ".json.gz"
				}
				args = append(args, filepath.Join(dir, f))
			}
			code, out, errs := run(t, args...)
			if code != exitOK {
				if s.refused == "" || !strings.Contains(errs, s.refused) {
					t.Errorf("%s", errs)
				}
				return
			}
			var x inspection
			if err := jsonx.Unmarshal([]byte(out), &x); err != nil {
				t.Fatal(err)
			}
			for i := range x.Workloads {
				t.Log(x.Workloads[i].line())
			}
		})
	}
}

// line is an inspection in short.
func (x *inspected) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", x.Label)
	for _, s := range x.Steps {
		fmt.Fprintf(&b, " %d/%d", s.Kernels, s.Time)
		if s.Copies > 0 {
			fmt.Fprintf(&b, "+%d", s.Copies)
		}
	}
	if m := x.Memory; m != nil {
		fmt.Fprintf(&b, "; %d %d %d", m.Before, m.Peak, m.Allocations)
	}
	var roles []string
	for k, r := range x.Roles {
		roles = append(roles, fmt.Sprintf("%s %d/%d", k, r.Tensors, r.Bytes))
	}
	sort.Strings(roles)
	fmt.Fprintf(&b, "; %s; %.3f", strings.Join(roles, ", "), x.Coverage)
	if x.Refused != "" {
		b.WriteString("; refused: " + x.Refused)
	}
	return b.String()
}
