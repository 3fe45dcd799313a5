package main

import (
	"os"
	"path/filepath"
	"testing"

	"spillway/build/artifact"
)

// TestCorpus opens the recordings beside this repository: of none is anything read that is known to
// be otherwise, and none is refused without saying what to do.
func TestCorpus(t *testing.T) {
	dir := artifact.Traces(t)
	if dir == "" {
		t.Skip("recordings of other people are not beside this repository")
	}
	rows, err := run(dir, "truths.json")
	if err != nil {
		t.Fatal(err)
	}
	rights := 0
	for _, r := range rows {
		switch r.verdict {
		case misleading, unclear:
			t.Errorf("%s: %s: %s", verdicts[r.verdict], r.name, r.why)
		case right:
			rights++
		}
	}
	if rights < 20 {
		t.Errorf("%d files are read right", rights)
	}
}

// TestJudge: a number that is not so is misleading, a refusal that says nothing is unclear.
func TestJudge(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("config.json", `{"model_type":"llama","hidden_size":64,"intermediate_size":128,"num_hidden_layers":2,"num_attention_heads":4,"num_key_value_heads":2,"vocab_size":256,"torch_dtype":"bfloat16"}`)
	write("letter.txt", "Dear all,\nhere it is.\n")
	write("corpus.json", `[{"file":"config.json","parameters":7}]`)
	rows, err := run(dir, "")
	if err != nil || len(rows) != 2 || rows[0].verdict != misleading || rows[1].verdict != clear {
		t.Errorf("%+v, %v", rows, err)
	}
	if show(rows) {
		t.Error("nothing is said to be wrong")
	}
	write("corpus.json", `[{"file":"missing.json"}]`)
	if _, err := run(dir, ""); err == nil {
		t.Error("a row names a file that is not there")
	}
}
