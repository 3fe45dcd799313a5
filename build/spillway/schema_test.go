package main

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"spillway/build/effort"
	"spillway/ui/lab/all"
	"spillway/ui/schema"
)

// What run --json prints is as the published schema says.
func TestRunSchema(t *testing.T) {
	const file = "../../public/schema/run-2.json"
	var results []schema.Result
	for _, d := range all.Labs {
		if l := d.New(); l.Inline {
			results = append(results, schema.Result{Lab: l.Name, Type: reflect.TypeOf(l.Result)})
		}
	}
	text, err := schema.OfRuns("run:2", "What spillway run --json prints", "An array of objects, one a system. Newer programs may add members.", reflect.TypeFor[ownRun](), results)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.MkdirAll("../../public/schema", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if was, err := os.ReadFile(file); err != nil || !bytes.Equal(was, text) {
		t.Errorf("%s is not what the type says; if that is meant, run go test with -update (%v)", file, err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("run.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("run.json")
	if err != nil {
		t.Fatal(err)
	}
	weights := t.TempDir() + "/w.bin"
	if err := os.WriteFile(weights, bytes.Repeat([]byte("weights "), 100), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"run", "lab=train", "system=g10", "batch=16", "--json"},
		{"run", "lab=train", "system=uvm,g10", "batch=16", "gpu_memory=0.02", "--json"},
		{"run", "lab=store", "workload=pairs", "--json"},
		{"run", "lab=compress", "--json"},
		{"run", "lab=compress", "system=naive", "gpu_memory=1", "--json"},
		{"run", "lab=compress", "file=" + weights, "exact=yes", "--json"},
	} {
		_, out, errs := run(t, args...)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(out)))
		if err == nil {
			err = s.Validate(doc)
		}
		if err != nil || errs != "" {
			t.Errorf("%v: %v %s", args, err, errs)
		}
	}
	base := `{"program":"","workload":"","lab":"compress","system":"naive","setup":"","fits":true,"reason":"","values":{},"notes":[],"about":"","origin":"","hash":""`
	for _, wrong := range []string{`{}`, `"x"`, `[{"lab":"train"}]`, `[1]`, `[` + base + `}]`, `[` + base + `,"result":{}}]`, `[` + base + `,"result":{"programs":[{}]}}]`} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(wrong)))
		if err != nil || s.Validate(doc) == nil {
			t.Errorf("%s passes (%v)", wrong, err)
		}
	}
}

// Exports of every laboratory come out of the command, as a file too: a share of them, at
// night all.
func TestExportCommand(t *testing.T) {
	count := 0
	for _, d := range all.Labs {
		l := d.New()
		for i, e := range l.Exports {
			if count++; !effort.Takes(count, 3) {
				continue
			}
			out := t.TempDir() + "/x." + e.Ext
			args := []string{"export", e.Key, "lab=" + l.Name, "system=" + l.Systems[1].Name}
			code, text, errs := run(t, args...)
			if code != exitOK || errs != "" || text == "" {
				t.Fatalf("%v: exit code %d, %s", args, code, errs)
			}
			if i > 0 && !effort.Nightly() {
				continue // a file is one, whatever is in it
			}
			if code, empty, _ := run(t, append(args, "--out", out)...); code != exitOK || empty != "" {
				t.Errorf("%v: exit code %d", args, code)
			}
			if data, err := os.ReadFile(out); err != nil || string(data) != text {
				t.Errorf("%s is another file, %v", out, err)
			}
		}
	}
	for _, args := range [][]string{
		{"export"},
		{"export", "lab=train"},
		{"export", "timeline"},
		{"export", "timeline", "lab=train"},
		{"export", "timeline", "lab=train", "system=uvm,g10"},
		{"export", "x", "lab=train", "system=uvm"},
		{"export", "timeline", "lab=train", "system=uvm", "gpu_memory=0.02"},
		{"export", "timeline", "lab=train", "system=uvm", "color=red"},
		{"export", "timeline", "lab=nobody", "system=uvm"},
	} {
		if code, out, errs := run(t, args...); code == exitOK || out != "" || errs == "" {
			t.Errorf("%v: exit code %d, %q", args, code, errs)
		}
	}
}
