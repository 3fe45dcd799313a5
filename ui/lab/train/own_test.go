package train

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
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
	labtest.Misspelt(t, &l, twentyGiB+"policy=evict=age@host=agee<1", "uvm", `Policy 2:6: agee is unknown; do you mean age? (in "host=agee<1")`)
}

// What people start from runs, and is what it is called.
func TestPlace(t *testing.T) {
	l := New()
	labtest.Place(t, &l)
	labtest.Policies(t, &l, twentyGiB, 2)
}

// What the document says that a few lines bring is so.
func TestOwnFinding(t *testing.T) {
	effort.Natively(t)
	l := New()
	const (
		perByte = "policy=%23Benefit+per+byte@score=benefit/size"
		ahead   = "policy=%23Room+ahead@evict=next@leave=next>100+and+size>8MiB+and+free<capacity/4@ahead=40"
	)
	for _, x := range []struct {
		set    string
		better string   // the policy
		than   []string // systems
	}{
		{"model=gpt2-l-pytorch batch=3 times=estimated gpu_memory=16 mode=corrected ", perByte, []string{"g10", "deepum+", "sentinel", "autotm"}},
		{"model=gpt2-l-pytorch batch=3 times=estimated gpu_memory=16 mode=corrected ", ahead, []string{"g10"}},
		{twentyGiB + "times=as-paper ", perByte, []string{"g10"}},
		{twentyGiB + "times=as-paper ", ahead, []string{"g10", "deepum+", "sentinel", "autotm"}},
	} {
		u, err := l.Read(x.set + x.better)
		if err != nil {
			t.Fatal(err)
		}
		time := func(system string) float64 {
			rep, _, err := l.Run(u, system, nil, nil)
			if err != nil || !rep.Fits {
				t.Fatalf("%s: %v, %+v", system, err, rep)
			}
			v, _ := rep.Value(l.Quantity("iteration_s"))
			return v
		}
		mine := time(own.Name)
		for _, system := range x.than {
			if v := time(system); v <= mine {
				t.Errorf("%s%s takes %v s, %s %v s", x.set, x.better, mine, system, v)
			}
		}
	}
}
