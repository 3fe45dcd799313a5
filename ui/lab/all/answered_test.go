package all_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"spillway/build/effort"
	"spillway/build/golden"
	"spillway/ui/cards"
	"spillway/ui/headless"
	"spillway/ui/lab/all"
)

// answered is of how many cards one is computed anew with each commit: some take ten seconds.
const answered = 9

// What the questions that are ready answer is recorded beside each laboratory: it is on their
// cards before anything has run. It is written with
//
//	go test ./ui/lab/all -run '^TestAnswered$/^llm$' -update
func TestAnswered(t *testing.T) {
	effort.Natively(t)
	k := 0
	for _, door := range all.Labs {
		l := door.New()
		if len(l.Cards) == 0 {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			name := filepath.Join("..", door.Package, "cards.json")
			var was []cards.Picture
			if text, err := os.ReadFile(name); err == nil {
				if err := json.Unmarshal(text, &was); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			is := make([]cards.Picture, len(l.Cards))
			for i := range l.Cards {
				k++
				if !golden.Update() && (testing.Short() && l.Name == "llm" || !effort.Takes(k, answered)) {
					continue
				}
				n, err := headless.Card(door.New(), i)
				if err != nil {
					t.Fatalf("%s: %v", l.Cards[i].Question, err)
				}
				is[i] = cards.Of(n, l.Cards[i].Question)
				if golden.Update() {
					continue
				}
				if effort.WithExamples() {
					continue // they bring systems that nothing recorded here has
				}
				a, b := marshal(t, is[i:i+1]), []byte(nil)
				if i < len(was) {
					b = marshal(t, was[i:i+1])
				}
				if !bytes.Equal(a, b) {
					t.Errorf("%s: it is\n%s\nand in %s\n%s", l.Cards[i].Question, a, name, b)
				}
			}
			if golden.Update() {
				if err := os.WriteFile(name, marshal(t, is), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(was) != len(l.Cards) {
				t.Fatalf("%s has %d of %d answers", name, len(was), len(l.Cards))
			}
			for i := range was {
				if was[i].Question != l.Cards[i].Question || was[i].Says == "" || len(was[i].Lines) == 0 {
					t.Errorf("%s: %q is answered by %q", name, l.Cards[i].Question, was[i].Says)
				}
			}
		})
	}
}

// marshal writes pictures a line each, and arrays on one.
func marshal(t *testing.T, list []cards.Picture) []byte {
	t.Helper()
	var b bytes.Buffer
	for i := range list {
		text, err := json.Marshal(&list[i])
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(map[bool]string{true: "[\n", false: ",\n"}[i == 0])
		b.Write(text)
	}
	b.WriteString("\n]\n")
	return b.Bytes()
}
