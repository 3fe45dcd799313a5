package llm

import (
	"bytes"
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"spillway/sim/model"
	reader "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

const samples = "../../../traces/hf/testdata/"

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(samples + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A config.json is an entry that runs as the bundled model of the same architecture; an index
// beside it is compared.
func TestConfig(t *testing.T) {
	l := New()
	f, err := reader.Open(&l, []lab.File{{Name: "Meta-Llama-3-8B/config.json", Data: read(t, "llama-3-8b.json")}, {Name: "Meta-Llama-3-8B/model.safetensors.index.json", Data: read(t, "llama-3-8b.index.json")}})
	if err != nil {
		t.Fatal(err)
	}
	e := f.Entries()
	if len(e) != 1 || e[0].Error != "" || !strings.Contains(e[0].Info, "8.03 billion parameters, 32 layers") {
		t.Fatalf("entries are %+v", e)
	}
	u := labtest.Setup(t, &l, e[0].Set+" batch=4 micro=1 layers=4 sequence=512 gpu_memory=16 buffer_size=300")
	if err := u.Set("entry", e[0].Name); err != nil {
		t.Fatal(err)
	}
	bundled := labtest.Setup(t, &l, "model=llama3-8b batch=4 micro=1 layers=4 sequence=512 gpu_memory=16")
	for _, s := range l.Running() {
		r, raw, err := l.Run(u, s.Name, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Origin, "config.json") {
			t.Errorf("%s: it is from %q", s.Name, r.Origin)
		}
		_, other, err := l.Run(bundled, s.Name, nil, nil)
		if err != nil || l.Hash(raw) != l.Hash(other) {
			t.Errorf("%s: the opened model runs otherwise than the bundled one: %v", s.Name, err)
		}
	}
	if _, _, err := l.Run(u, "ideal", nil, nil); err == nil || !strings.Contains(err.Error(), "open them again") {
		t.Errorf("without the files: %v", err)
	}
	if err := u.Set("entry", "another"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Run(u, "ideal", f, nil); err == nil || !strings.Contains(err.Error(), "choose another under Opened files") {
		t.Errorf("an entry that is not there: %v", err)
	}
}

// Files of one title are entries of different names where they are different models: the page
// keeps the settings of an entry as long as its name is there, and they have its architecture.
func TestSameTitle(t *testing.T) {
	l := New()
	data := read(t, "llama-3-8b.json")
	opened := func(from, to string) lab.Entry {
		t.Helper()
		other := bytes.Replace(data, []byte(from), []byte(to), 1)
		if from != "" && bytes.Equal(other, data) {
			t.Fatalf("there is no %s", from)
		}
		f, err := reader.Open(&l, []lab.File{{Name: "config.json", Data: other}})
		if err != nil {
			t.Fatal(err)
		}
		return f.Entries()[0]
	}
	was := opened("", "")
	for _, x := range [][2]string{
		{`"num_key_value_heads": 8`, `"num_key_value_heads": 32`},
		{`"intermediate_size": 14336`, `"intermediate_size": 11008`},
		{`"vocab_size": 128256`, `"vocab_size": 32000`},
		{`"num_attention_heads": 32`, `"num_attention_heads": 64`},
	} {
		if e := opened(x[0], x[1]); e.Name == was.Name || e.Set == was.Set {
			t.Errorf("%s: it is %q with %s, as before", x[1], e.Name, e.Set)
		}
	}
	if e := opened("", ""); e.Name != was.Name {
		t.Errorf("the same file is %q, then %q", was.Name, e.Name)
	}
	f, err := reader.Open(&l, []lab.File{{Name: "a/config.json", Data: data}, {Name: "a/config.json", Data: bytes.Replace(data, []byte("128256"), []byte("32000"), 1)}})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range f.Entries() { // each runs its own architecture
		u := labtest.Setup(t, &l, e.Set+" batch=2 micro=1 sequence=128")
		if err := u.Set("entry", e.Name); err != nil {
			t.Fatal(err)
		}
		_, raw, err := l.Run(u, "ideal", f, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a := raw.(*result).setup.Arch; a.Vocab != []int64{128256, 32000}[i] || strings.Contains(a.Title, "changed") {
			t.Errorf("%s runs %s with a vocabulary of %d", e.Name, a.Title, a.Vocab)
		}
	}
}

// With an entry the page still shows how it is trained, and cut: what hides is in the entry's panel.
func TestKnobsWithEntry(t *testing.T) {
	l := New()
	u := l.Setup()
	for _, key := range []string{"batch", "sequence", "precision", "recompute", "micro", "tensor", "data", "zero", "layers"} {
		if u.Knob(key).Panel == u.Knob(l.Entry).Panel || l.LeavesEntry(key) {
			t.Errorf("%s hides with an entry, or leaves it", key)
		}
	}
	if !l.LeavesEntry("model") {
		t.Error("a bundled model does not leave the entry")
	}
}

// What comes with an opened model does not depend on the one before: a short sequence is not kept.
func TestEntrySets(t *testing.T) {
	l := New()
	sequence := func(name string) string {
		f, err := reader.Open(&l, []lab.File{{Name: name, Data: read(t, name)}})
		if err != nil {
			t.Fatal(err)
		}
		u := labtest.Setup(t, &l, "model=gpt2-xl")
		if err := u.Read(f.Entries()[0].Set); err != nil {
			t.Fatal(err)
		}
		return u.Text("sequence")
	}
	if s := sequence("llama-3-8b.json"); s != "2048" {
		t.Errorf("after GPT-2 a Llama has sequences of %s tokens", s)
	}
}

// An index that does not fit is said.
func TestIndexOfAnother(t *testing.T) {
	l := New()
	f, err := reader.Open(&l, []lab.File{{Name: "config.json", Data: read(t, "mistral-7b.json")}, {Name: "model.safetensors.index.json", Data: read(t, "llama-3-8b.index.json")}})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(f.Notes(), " "); !strings.Contains(notes, "index.json") {
		t.Errorf("notes are %q", notes)
	}
	if _, err := reader.Open(&l, []lab.File{{Name: "model.safetensors.index.json", Data: read(t, "llama-3-8b.index.json")}}); err == nil || !strings.Contains(err.Error(), "drop its config.json too") {
		t.Errorf("an index alone: %v", err)
	}
}

// What is no model says what would be.
func TestRefused(t *testing.T) {
	l := New()
	for text, want := range map[string]string{
		"Dear all,\nhere it is.\n":               "x.json",
		"":                                       "x.json",
		"\x89PNG\r\n\x1a\n":                      "x.json: an image (PNG), not a trace.\nWhat opens",
		`{"model_type":"unheard-of","layers":3}`: "llama",
	} {
		if _, err := reader.Open(&l, []lab.File{{Name: "x.json", Data: []byte(text)}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	f, err := reader.Open(&l, []lab.File{{Name: "x.txt", Data: []byte("no")}, {Name: "config.json", Data: read(t, "qwen2-7b.json")}})
	if err != nil || len(f.Entries()) != 1 || !strings.Contains(strings.Join(f.Notes(), " "), "x.txt") {
		t.Errorf("beside a model: %v", err)
	}
}

// Tables have all of the result.
func TestTables(t *testing.T) {
	l := New()
	u := labtest.Setup(t, &l, small)
	_, raw, err := l.Run(u, "teraio-mixed", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := raw.(*result)
	for key, want := range map[string]int{
		ledgerExport: 1 + len(r.GPUs)*(len(causes)+8) + len(r.Links), linksExport: 1 + len(r.Rates), memoryExport: 1 + len(r.Memory[0]), planExport: 1 + len(r.Job.Parts[0].Kernels),
	} {
		data, err := l.Export(key, u, "teraio-mixed", nil, lab.Origin{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
		if err != nil || len(rows) != want {
			t.Errorf("%s has %d rows, want %d: %v", key, len(rows), want, err)
		}
		if key != ledgerExport {
			continue
		}
		var sum int64
		for _, row := range rows[1 : 1+len(causes)] {
			n, err := strconv.ParseInt(row[2], 10, 64)
			if err != nil {
				t.Error(err)
			}
			sum += n
		}
		if sum != int64(r.Time) {
			t.Errorf("causes sum to %d, the iteration takes %d", sum, r.Time)
		}
	}
	u = labtest.Setup(t, &l, "model=gpt3-175b node=one-4090 batch=1 micro=1")
	if _, err := l.Export(ledgerExport, u, "zero-offload", nil, lab.Origin{}, nil); err == nil || !strings.Contains(err.Error(), "no run to write") {
		t.Errorf("of a run that is not there: %v", err)
	}
}

// Counts of all bundled models are within what knobs take.
func TestAllowed(t *testing.T) {
	for _, a := range model.Models() {
		if err := allowed(&a); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
	a := model.Models()[0]
	a.Layers = 5000
	if err := allowed(&a); err == nil || !strings.Contains(err.Error(), "want 1 to 1024") {
		t.Errorf("5000 layers: %v", err)
	}
}
