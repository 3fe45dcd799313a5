package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
	"spillway/ui/model/calls"
	"spillway/ui/model/session"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// answering is a session's host that does jobs at once.
type answering struct {
	bench exec.Executor
	jobs  []*exec.Job
}

func (h *answering) Start(j *exec.Job, _ calls.Priority) { h.jobs = append(h.jobs, j) }
func (*answering) Stop([]int)                            {}
func (*answering) Raise(int, calls.Priority)             {}
func (*answering) Recorded(string)                       {}
func (*answering) Answered(string)                       {}

func (*answering) Fetch(string, bool)        {}
func (*answering) Stored(string) string      { return "" }
func (*answering) Store(string, string) bool { return false }

func (h *answering) work(n *session.Session) {
	for len(h.jobs) > 0 {
		j := h.jobs[0]
		h.jobs = h.jobs[1:]
		a := h.bench.Do(j, nil)
		n.Answer(&a)
	}
}

// resultsOf is what the page saves for a link.
func resultsOf(t *testing.T, l lab.Lab, fragment string) []byte {
	t.Helper()
	h := &answering{bench: exec.Executor{Lab: l}}
	n := session.New([]session.Tab{{Name: l.Name, Title: l.Title}}, fragment, h)
	info := l.Complete()
	n.Enter(&info, "")
	if n.Notice != "" || len(n.Runs.Problems) > 0 {
		t.Fatal(fragment, n.Notice, n.Runs.Problems)
	}
	h.work(n)
	var out string
	n.Output.Export("https://example.org/schema/results-3.json", func(text, problem string) {
		if problem != "" {
			t.Fatal(problem)
		}
		out = text
	})
	h.work(n)
	return []byte(out)
}

// compiled is the published schema; strict refuses members that it does not have.
func compiled(t *testing.T, strict bool) *jsonschema.Schema {
	t.Helper()
	text, err := resultsSchema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if strict {
		closed(doc)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("results.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("results.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// closed makes every object of a schema refuse unknown members.
func closed(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["required"]; ok {
			v["additionalProperties"] = false
		}
		for _, x := range v {
			closed(x)
		}
	case []any:
		for _, x := range v {
			closed(x)
		}
	}
}

// edges are links beside what a laboratory opens on: nothing fits, a drive is
// simulated, clients do wrong.
var edges = map[string][]string{
	"train": {
		"v=3&lab=train&model=bert-base&batch=64&gpu_memory=0.02", "v=3&lab=train&model=bert-base&batch=64&mode=corrected&gpu_memory=4&ssd=990-pro",
		"v=3&lab=train&model=resnet-50&times=estimated&systems=g10&mode=binary-gigabytes,link-overcommit",
	},
	"store": {"v=3&lab=store&workload=pairs", "v=3&lab=store&gpu_memory=0.01&client_memory=100", "v=3&lab=store&workload=networks&clients=3&gpu_memory=1", "v=3&lab=store&workload=networks&shared_compute=0"},
}

// Every laboratory's results are as the published schema says, and nothing is in
// them that it does not have.
func TestResultsSchema(t *testing.T) {
	strict, open := compiled(t, true), compiled(t, false)
	for _, d := range all.Labs {
		l := d.New()
		for _, link := range append([]string{"v=3&lab=" + l.Name}, edges[l.Name]...) {
			text := resultsOf(t, l, link)
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := strict.Validate(doc); err != nil {
				t.Errorf("%s: %.2000v", link, err)
			}
			runs, _ := doc.(map[string]any)["runs"].([]any)
			if len(runs) == 0 || doc.(map[string]any)["$schema"] == nil {
				t.Errorf("%s: %.300s", link, text)
			}
			runs[0].(map[string]any)["new"] = 1
			if strict.Validate(doc) == nil || open.Validate(doc) != nil {
				t.Errorf("%s: members that come later are for the strict schema alone", l.Name)
			}
			runs[0].(map[string]any)["result"] = map[string]any{}
			if open.Validate(doc) == nil {
				t.Errorf("%s: a result without anything passes", l.Name)
			}
		}
	}
}

// What is published stays: of each laboratory that there was.
func TestSchemaIsStable(t *testing.T) {
	text, err := resultsSchema()
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/results-3.json"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		Properties map[string]json.RawMessage
		Defs       map[string]json.RawMessage `json:"$defs"`
	}
	var was, is schema
	if err := json.Unmarshal(want, &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &is); err != nil {
		t.Fatal(err)
	}
	delete(was.Properties, "lab") // the list of laboratories grows
	for name, part := range was.Properties {
		if string(is.Properties[name]) != string(part) {
			t.Errorf("member %s is\n%s\nand was\n%s", name, is.Properties[name], part)
		}
	}
	for name, part := range was.Defs {
		if string(is.Defs[name]) != string(part) {
			t.Errorf("%s is\n%s\nand was\n%s\nif that is meant, run go test with -update", name, is.Defs[name], part)
		}
	}
	if !strings.Contains(string(text), `"const": "train"`) {
		t.Error("a laboratory is missing")
	}
}
