package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"spillway/build/effort"
	"spillway/ui/exec"
	"spillway/ui/headless"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
	"spillway/ui/model/link"
	"spillway/ui/model/output"
	"spillway/ui/model/session"
	"spillway/ui/schema"
)

// compiled is a schema that JSON can be held against.
func compiled(t *testing.T, text []byte, err error) *jsonschema.Schema {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valid holds JSON against a schema.
func valid(t *testing.T, s *jsonschema.Schema, text, what string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err == nil {
		err = s.Validate(doc)
	}
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// What the page saves of a preset and what the command prints of its runs is the same, and as the
// schemas say: of every laboratory the preset that is least work and a share of the others, at
// night all.
func TestPresetsAreTheSame(t *testing.T) {
	var inline, every []schema.Result
	for _, d := range all.Labs {
		l := d.New()
		r := schema.Result{Lab: l.Name, Type: reflect.TypeOf(l.Result)}
		if every = append(every, r); l.Inline {
			inline = append(inline, r)
		}
	}
	text, err := schema.OfRuns("run:2", "", "", reflect.TypeFor[ownRun](), inline)
	runs := compiled(t, text, err)
	text, err = schema.OfResults(output.ResultsFile(), every)
	results := compiled(t, text, err)
	count := 0
	for _, d := range all.Labs {
		l := d.New()
		info := l.Complete()
		least, fewest := -1, 0
		for i := range info.Presets {
			if n := work(t, &l, &info, i); least < 0 || n < fewest {
				least, fewest = i, n
			}
		}
		for i := range info.Presets {
			if count++; i == least || !testing.Short() && effort.Takes(count, 12) {
				samePreset(t, &l, &info, i, runs, results)
			}
		}
	}
}

// work is how many steps all systems of a preset take.
func work(t *testing.T, l *lab.Lab, info *lab.Info, i int) (n int) {
	t.Helper()
	u, err := headless.State(info, info.Presets[i].Key, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range u.On {
		steps, err := l.Steps(u.Setup, name)
		if err != nil {
			t.Fatal(err)
		}
		n += steps
	}
	return n
}

// samePreset compares what page and command say of a preset.
func samePreset(t *testing.T, l *lab.Lab, info *lab.Info, i int, runs, results *jsonschema.Schema) {
	t.Helper()
	what := l.Name + " " + info.Presets[i].Key
	u, err := headless.State(info, info.Presets[i].Key, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &raws{bench: exec.Executor{Lab: *l}}
	page := session.New([]session.Tab{{Name: l.Name, Title: l.Title}}, link.Encode(info, u), h)
	page.Enter(info, "")
	h.work(page)
	saved := ""
	page.Output.Export("", func(data, problem string) { saved = data + problem })
	h.work(page)
	valid(t, results, saved, what+", as the page saves it")
	code, out, errs := run(t, "run", "lab="+l.Name, "system="+strings.Join(u.On, ","), "--setup", u.Setup.String(), "--json")
	if code != exitOK && !strings.Contains(out, `"fits": false`) {
		t.Fatalf("%s: exit code %d: %s", what, code, errs)
	}
	valid(t, runs, out, what+", as the command prints it")
	var file struct{ Runs []ownRun }
	var printed []ownRun
	if err := json.Unmarshal([]byte(saved), &file); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := json.Unmarshal([]byte(out), &printed); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if len(file.Runs) != len(printed) || len(printed) != len(u.On) {
		t.Fatalf("%s: the page has %d runs, the command %d", what, len(file.Runs), len(printed))
	}
	for k := range printed {
		a, b := file.Runs[k], printed[k]
		if l.Inline && !bytes.Equal(compact(t, a.Result), compact(t, b.Result)) {
			t.Errorf("%s, %s: results are not the same", what, b.System)
		}
		a.Program, a.Result, b.Program, b.Result = "", nil, "", nil
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: the page has %+v, the command %+v", what, a, b)
		}
	}
}

// compact is JSON without blanks.
func compact(t *testing.T, text []byte) []byte {
	t.Helper()
	if len(text) == 0 {
		return nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
