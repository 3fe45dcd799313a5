package train

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"spillway/sim/policy"
	"spillway/sim/train/result"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
	"spillway/ui/lab/own"
)

const twentyGiB = "model=bert-base batch=256 gpu_memory=20 mode=corrected "

// A policy of one's own runs under its title, and everything that is said of other systems is said
// of it.
func TestOwn(t *testing.T) {
	l := New()
	run := func(set, system string) (*lab.Lab, string, []string, *result.Result, bool) {
		t.Helper()
		u, err := l.Read(twentyGiB + set)
		if err != nil {
			t.Fatal(err)
		}
		rep, raw, err := l.Run(u, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return &l, rep.Called, rep.Notes, raw.(*result.Result), rep.Foresees
	}
	_, title, notes, r, future := run("policy=%23Largest+first@evict=size*p1", own.Name)
	if title != "Largest first" || future || !slices.ContainsFunc(notes, func(s string) bool { return strings.HasPrefix(s, "The policy Largest first (") }) {
		t.Errorf("%s: %q", title, notes)
	}
	text, err := l.JSON(r)
	if err != nil || !json.Valid(text) || !strings.Contains(string(text), `"sha256":"`+r.Policy.SHA256) && !strings.Contains(string(text), `"sha256": "`+r.Policy.SHA256) {
		t.Errorf("JSON without the policy, %v", err)
	}
	if _, _, _, same, _ := run("policy=%23Largest+first%0A%0A+evict+=+size+*+p1", own.Name); l.Hash(same) != l.Hash(r) {
		t.Error("typed with blanks it is another run")
	}
	if _, _, _, other, _ := run("policy=%23Largest+first@evict=size*p1 p1=0", own.Name); other.Time() == r.Time() {
		t.Error("the dial turns nothing")
	}
	if _, title, _, _, future := run("policy=evict=truth", own.Name); title != "Yours (knows the future)" || !future {
		t.Errorf("%s: foresees %v", title, future)
	}
	// G10, written.
	_, _, _, mine, _ := run("policy=score=benefit", own.Name)
	_, _, _, g10, _ := run("", "g10")
	if mine.Time() != g10.Time() || mine.Time() == 0 {
		t.Errorf("%d cycles, G10 %d", mine.Time(), g10.Time())
	}
	if _, _, _, r, _ := run("policy=score=benefit policy_work=1", own.Name); !r.Fits || r.Policy.Work > own.Million {
		t.Errorf("%+v", r.Policy)
	}
	// What is wrong says where, and runs nothing.
	u, err := l.Read(twentyGiB + "policy=evict=age@host=agee<1")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Run(u, "uvm", nil, nil); err != nil {
		t.Errorf("what somebody writes stops others: %v", err)
	}
	_, _, err = l.Run(u, own.Name, nil, nil)
	var at *policy.Error
	if want := `Policy 2:6: agee is unknown; do you mean age? (in "host=agee<1")`; err == nil || err.Error() != want || !errors.As(err, &at) {
		t.Errorf("%v, want %s", err, want)
	}
}

// What people start from runs, and is what it is called.
func TestPlace(t *testing.T) {
	l := New()
	labtest.Place(t, &l)
	labtest.Policies(t, &l, twentyGiB, 2)
}
