package store

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	core "spillway/sim/store"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
	"spillway/ui/lab/own"
)

// A policy of one's own runs under its title, and everything that is said of other systems is said
// of it; without one it is LRU.
func TestOwn(t *testing.T) {
	l := New()
	run := func(set, system string) (title string, notes []string, r *result) {
		t.Helper()
		u, err := l.Read(set)
		if err != nil {
			t.Fatal(err)
		}
		rep, raw, err := l.Run(u, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r = raw.(*result)
		if at := l.Quantity("time_s"); r.Fits() {
			if v, ok := rep.Value(at); !ok || v != seconds(r.Time) {
				t.Errorf("%s: %v", set, v)
			}
		} else if !strings.HasPrefix(rep.Reason, "gave up at operation ") || !strings.HasSuffix(rep.Reason, "raise Policy work") {
			t.Errorf("%s: %s", set, rep.Reason)
		}
		if rep.Foresees != strings.Contains(set, "truth") {
			t.Errorf("%s: foresees %v", set, rep.Foresees)
		}
		return rep.Called, rep.Notes, r
	}
	const asks = "workload=table-and-blocks policy=%23Whoever+asks@evict=next*min(size,short)*(p1+if+mine+else+1)@fetch=-next p1=4"
	title, notes, r := run(asks, own.Name)
	if title != "Whoever asks" || !slices.ContainsFunc(notes, func(s string) bool { return strings.HasPrefix(s, "The policy Whoever asks (565e04f8) was asked ") }) {
		t.Errorf("%s: %q", title, notes)
	}
	if r.Policy != own.Name || r.Script.Text != "#Whoever asks@evict=next*min(size,short)*(p1 if mine else 1)@fetch=-next" {
		t.Errorf("%s, %+v", r.Policy, r.Script)
	}
	text, err := l.JSON(r)
	if err != nil || !json.Valid(text) || !strings.Contains(string(text), `"SHA256": "`+r.Script.SHA256) {
		t.Errorf("JSON without the policy, %v", err)
	}
	// Turned, typed otherwise, and under another title.
	if _, _, other := run(strings.Replace(asks, "p1=4", "p1=1", 1), own.Name); other.Time == r.Time {
		t.Error("the dial turns nothing")
	}
	if _, _, same := run(strings.NewReplacer("@", "%0A%0A", "(p1", "(+p1+").Replace(asks), own.Name); l.Hash(same) != l.Hash(r) {
		t.Error("typed with blanks it is another run")
	}
	// What it is by default, and what others are beside it.
	for _, workload := range []string{"workload=services", "workload=late-clock prefetch=0"} {
		title, _, mine := run(workload, own.Name)
		_, _, lru := run(workload, "lru")
		mine.Result.Policy, mine.Script = lru.Policy, nil
		if title != "Yours" || l.Hash(mine) != l.Hash(lru) {
			t.Errorf("%s: %s is not LRU without a policy", workload, title)
		}
	}
	if title, notes, _ := run("policy=evict=truth", own.Name); title != "Yours (knows the future)" || len(notes) < 3 {
		t.Errorf("%s: %q", title, notes)
	}
	if _, _, r := run("workload=table-and-blocks policy=evict=age policy_work=1", own.Name); r.Fits() {
		t.Error("a million operations are enough")
	}
	labtest.Misspelt(t, &l, "policy=evict=age@fetch=agee", "lru", `Policy 2:7: agee is unknown; do you mean age? (in "fetch=agee")`)
	if _, err := l.Read("policy=" + strings.Repeat("x", 1501)); err == nil || err.Error() != "Policy: 1501 characters are more than 1500" {
		t.Error(err)
	}
}

// What people start from runs, and is what it is called.
func TestPlace(t *testing.T) {
	l := New()
	labtest.Place(t, &l)
	labtest.Policies(t, &l, "workload=table-and-blocks", 3)
}

// The preset's sentence is so: the policy is faster than all that do not try all.
func TestOwnPreset(t *testing.T) {
	l := New()
	at := slices.IndexFunc(l.Presets, func(p lab.Preset) bool { return p.Key == "own-policy" })
	u, err := l.Read(l.Presets[at].Set)
	if err != nil {
		t.Fatal(err)
	}
	time := func(system string) float64 {
		r, _, err := l.Run(u, system, nil, nil)
		if err != nil || !r.Fits {
			t.Fatalf("%s: %v, %+v", system, err, r)
		}
		v, _ := r.Value(l.Quantity("time_s"))
		return v
	}
	mine := time(own.Name)
	for _, p := range append(core.Policies(), core.Oracle()) {
		if v := time(p.Name); v <= mine {
			t.Errorf("%s takes %v s, the policy %v s", p.Name, v, mine)
		}
	}
}
