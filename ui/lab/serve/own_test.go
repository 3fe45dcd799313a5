package serve

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
	"spillway/ui/lab/own"
)

// tight is a setup in which every tier is too small, and blocks are few.
const tight = "gpu=rtx-4090 weights=fp8 kv=fp8 spare=12500 requests=100 input=1600 output=20 groups=24 shared=1500 host=2 rate=6 "

// A policy of one's own runs under its title, and everything that is said of other systems is said of it; without one it is
// the system with the same tiers.
func TestOwn(t *testing.T) {
	l := New()
	run := func(set, system string) (title string, notes []string, r *result) {
		t.Helper()
		rep, raw, err := l.Run(labtest.Setup(t, &l, set), system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r = raw.(*result)
		if rep.Fits != r.Ran() || rep.Reason != r.Refused || rep.Foresees != strings.Contains(set, "answer") {
			t.Errorf("%s: %q, foresees %v", set, rep.Reason, rep.Foresees)
		}
		return rep.Called, rep.Notes, r
	}
	const second = tight + "policy=%23Twice@write=uses>p1 p1=1"
	title, notes, r := run(second, own.Name)
	if title != "Twice" || !slices.ContainsFunc(notes, func(s string) bool { return strings.HasPrefix(s, "The policy Twice (") }) {
		t.Errorf("%s: %q", title, notes)
	}
	if r.title() != title || r.System != own.Name || r.Script.Text != "#Twice@write=uses>p1" || len(r.knee.points) != len(loads) {
		t.Errorf("%s, %+v", r.System, r.Script)
	}
	text, err := l.JSON(r)
	if err != nil || !json.Valid(text) || !strings.Contains(string(text), `"SHA256": "`+r.Script.SHA256) {
		t.Errorf("JSON without the policy, %v", err)
	}
	_, _, never := run(strings.Replace(second, "p1=1", "p1=9", 1), own.Name)
	if never.Write.Bytes >= r.Write.Bytes || r.Write.Bytes == 0 {
		t.Errorf("the dial turns nothing: %v and %v are written", never.Write.Bytes, r.Write.Bytes)
	}
	for _, set := range []string{"", "second=1", "policy_tiers=host", "policy_tiers=hbm"} {
		title, _, mine := run(tight+set, own.Name)
		system := tiersOf[0]
		if _, tiers, ok := strings.Cut(set, "tiers="); ok {
			system = tiers
		}
		_, _, theirs := run(tight+set, system)
		mine.System = theirs.System
		if title != "" || l.Hash(mine) != l.Hash(theirs) {
			t.Errorf("%s: %q is not %s without a policy", set, title, system)
		}
	}
	if title, notes, _ := run(tight+"policy=admit=-answer", own.Name); title != "Yours (knows the future)" || len(notes) < 3 {
		t.Errorf("%s: %q", title, notes)
	}
	if _, _, r := run(tight+"requests=2000 policy=evict=age policy_work=1", own.Name); !strings.HasPrefix(r.Refused, "gave up after ") || !strings.HasSuffix(r.Refused, "raise Policy work") {
		t.Errorf("a million operations are enough: %q", r.Refused)
	}
	// Enough for the load that is set, and not for all others: there is no knee, and the page says why.
	_, notes, r = run(tight+"policy=evict=-last policy_work=1", own.Name)
	if !r.Ran() || !r.knee.short || len(r.knee.points) > 0 || !strings.Contains(notes[len(notes)-1]+notes[0]+notes[1], "too little for its knee") {
		t.Errorf("ran %v, %+v, %q", r.Ran(), r.knee, notes)
	}
	labtest.Misspelt(t, &l, tight+"policy=evict=lst", "hbm", `Policy 1:7: lst is unknown; do you mean last? (in "evict=lst")`)
}

// All sections show a policy as any other system, and say why where a run was given up.
func TestSectionsOfOwn(t *testing.T) {
	l := New()
	for _, set := range []string{"policy=write=uses%3E1", "policy=evict=age policy_work=1"} {
		u := labtest.Setup(t, &l, tight+set)
		for _, s := range l.Sections {
			if s.Key == lab.WhyKey { // which asks about two
				continue
			}
			if x, err := l.Section(s.Key, knob.NewSetup(s.Knobs), u, own.Name, nil, nil); err != nil || len(x.Text) == 0 && len(x.Tables) == 0 {
				t.Errorf("%s, %s: %v", set, s.Key, err)
			}
		}
	}
}

// What people start from runs, and is what it is called.
func TestPlace(t *testing.T) {
	l := New()
	labtest.Place(t, &l)
	labtest.Policies(t, &l, tight, 2)
	for _, e := range asks.Examples {
		u := labtest.Setup(t, &l, tight)
		if err := u.Set(own.TextKey, e.Text); err != nil {
			t.Fatal(err)
		}
		if rep, _, err := l.Run(u, own.Name, nil, nil); err != nil || !rep.Fits || rep.Called != e.Title {
			t.Errorf("%s: %v %+v", e.Title, err, rep)
		}
	}
}
