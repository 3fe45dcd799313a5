package llm

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/ui/lab/labtest"
	"spillway/ui/lab/own"
)

// fourLayers is memory for a part of four layers.
const fourLayers = "model=llama3-8b layers=4 batch=8 sequence=1024 gpu_memory=16 "

// A policy of one's own runs under its title, and everything that is said of other systems is said
// of it; without one it is TERAIO-Mixed.
func TestOwn(t *testing.T) {
	l := New()
	run := func(set, system string) (string, []string, *result) {
		t.Helper()
		u, err := l.Read(fourLayers + set)
		if err != nil {
			t.Fatal(err)
		}
		rep, raw, err := l.Run(u, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return rep.Called, rep.Notes, raw.(*result)
	}
	title, notes, r := run("policy=%23By+size@score=size*relief*p1", own.Name)
	if !r.Ran() || title != "By size" || !slices.ContainsFunc(notes, func(s string) bool { return strings.HasPrefix(s, "The policy By size (") }) {
		t.Errorf("%s: %s, %q", title, r.Reason, notes)
	}
	text, err := l.JSON(r)
	if err != nil || !json.Valid(text) || !strings.Contains(string(text), `"sha256": "`+r.Policy.SHA256) {
		t.Errorf("JSON without the policy, %v", err)
	}
	if _, _, same := run("policy=%23By+size%0A%0A+score+=+size+*+relief+*+p1", own.Name); l.Hash(same) != l.Hash(r) {
		t.Error("typed with blanks it is another run")
	}
	if _, _, none := run("policy=%23By+size@score=size*relief*p1 p1=0", own.Name); none.Moves != 0 {
		t.Errorf("the dial turns nothing: %d moves", none.Moves)
	}
	title, _, r = run("", own.Name)
	if _, _, want := run("", "teraio-mixed"); title != "Yours" || r.Time != want.Time || r.Time == 0 {
		t.Errorf("%s takes %v, TERAIO-Mixed %v", title, r.Time, want.Time)
	}
	if _, _, r := run("policy=score=relief policy_work=1", own.Name); r.Ran() && r.Policy.Work > own.Million {
		t.Errorf("%+v", r.Policy)
	}
	labtest.Misspelt(t, &l, fourLayers+"policy=score=reliev", "teraio-mixed", `Policy 1:7: reliev is unknown; do you mean relief? (in "score=reliev")`)
}

// What people start from runs, and is what it is called.
func TestPlace(t *testing.T) {
	l := New()
	labtest.Place(t, &l)
	labtest.Policies(t, &l, fourLayers, 2)
}

// What the document says that a line brings is so on one GPU.
func TestOwnFinding(t *testing.T) {
	effort.Natively(t)
	if testing.Short() {
		t.Skip("plans of eight billion parameters")
	}
	l := New()
	u, err := l.Read("node=one-4090 model=llama3-8b batch=4 sequence=2048 micro=1 precision=bf16 recompute=full policy=host=idle>20*drive_time")
	if err != nil {
		t.Fatal(err)
	}
	var time [2]float64
	for i, system := range []string{own.Name, "teraio-mixed"} {
		rep, raw, err := l.Run(u, system, nil, nil)
		if err != nil || !rep.Fits {
			t.Fatalf("%s: %v", system, err)
		}
		time[i] = float64(raw.(*result).Time)
	}
	if share := time[0] / time[1]; share < 0.90 || share > 0.93 {
		t.Errorf("%.3f of TERAIO-Mixed's time", share)
	}
}
