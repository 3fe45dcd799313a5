package cxlssd

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	core "spillway/sim/cxlssd"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
	"spillway/ui/lab/own"
)

const (
	smallOwn = "workload=ycsb-b scale=64 "
	readers  = "policy=%23Readers+first@promote=hits>=p1+and+read>written p1=3"
)

// A policy of one's own runs under its title, and everything that is said of other systems is said of it;
// without one it is Own design, and the mechanisms of that stand in for rules that it has not.
func TestOwn(t *testing.T) {
	l := New()
	run := func(set, system string) (title string, notes []string, r *result) {
		t.Helper()
		rep, raw, err := l.Run(labtest.Setup(t, &l, smallOwn+set), system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r = raw.(*result)
		if rep.Fits != (r.GaveUp == "") || rep.Reason != r.GaveUp || rep.Foresees != strings.Contains(set, "total") {
			t.Errorf("%s: %q, foresees %v", set, rep.Reason, rep.Foresees)
		}
		return rep.Called, rep.Notes, r
	}
	title, notes, r := run(readers, own.Name)
	if title != "Readers first" || !slices.ContainsFunc(notes, func(s string) bool { return strings.HasPrefix(s, "The policy Readers first (") }) {
		t.Errorf("%s: %q", title, notes)
	}
	if r.title() != title || r.System != own.Name || r.Script.Text != "#Readers first@promote=hits>=p1 and read>written" || r.design().Promote != core.Written || !r.design().Log {
		t.Errorf("%s, %+v", r.System, r.Script)
	}
	text, err := l.JSON(r)
	if err != nil || !json.Valid(text) || !strings.Contains(string(text), `"SHA256": "`+r.Script.SHA256) {
		t.Errorf("JSON without the policy, %v", err)
	}
	if _, _, other := run(strings.Replace(readers, "p1=3", "p1=1", 1), own.Name); other.Time == r.Time {
		t.Error("the dial turns nothing")
	}
	if _, _, other := run(readers+" own_log=0", own.Name); other.Slots != 0 || r.Slots == 0 {
		t.Error("what the policy does not say is not as in Own design")
	}
	for _, set := range []string{"", "own_switch=0 own_promote=miss mode=paper"} {
		title, _, mine := run(set, own.Name)
		_, _, design := run(set, core.OwnDesign)
		mine.System = design.System
		if title != "" || l.Hash(mine) != l.Hash(design) {
			t.Errorf("%s: %q is not Own design without a policy", set, title)
		}
	}
	if title, notes, _ := run("policy=promote=total>64", own.Name); title != "Yours (knows the future)" || len(notes) < 3 {
		t.Errorf("%s: %q", title, notes)
	}
	if _, _, r := run("policy=promote=backlog>hits policy_work=1", own.Name); !strings.HasPrefix(r.GaveUp, "gave up at request ") || !strings.HasSuffix(r.GaveUp, "raise Policy work") {
		t.Errorf("a million operations are enough: %q", r.GaveUp)
	}
	labtest.Misspelt(t, &l, smallOwn+"policy=promote=hist>3", "skybyte-full", `Policy 1:9: hist is unknown; do you mean hits? (in "promote=hist>3")`)
}

// All sections show a policy as any other design, with each of its rules, and none of a run that was given up.
func TestSectionsOfOwn(t *testing.T) {
	l := New()
	for _, set := range []string{readers, "policy=compact=log_used>=log_half", "policy=switch=merged"} {
		for _, s := range l.Sections {
			if s.Key != lab.WhyKey { // which asks about two
				shown(t, &l, s.Key, "", smallOwn+set, own.Name)
			}
		}
	}
}

// What people start from runs, and is what it is called.
func TestPlace(t *testing.T) {
	l := New()
	labtest.Place(t, &l)
	labtest.Policies(t, &l, "workload=ycsb-b scale=64", 2)
}

// The preset's sentence is so: where a promotion costs something, who waits for more hits is several times as
// fast as SkyByte-Full, and where it costs nothing, slower.
func TestOwnPreset(t *testing.T) {
	l := New()
	at := slices.IndexFunc(l.Presets, func(p lab.Preset) bool { return slices.Contains(p.Systems, own.Name) })
	time := func(set, system string) float64 {
		r, _, err := l.Run(labtest.Setup(t, &l, l.Presets[at].Set+set), system, nil, nil)
		if err != nil || !r.Fits {
			t.Fatalf("%s: %v, %+v", system, err, r)
		}
		v, _ := r.Value(l.Quantity("time_ms"))
		return v
	}
	if mine, full := time("", own.Name), time("", "skybyte-full"); mine*2.5 > full {
		t.Errorf("the policy takes %v ms, SkyByte-Full %v", mine, full)
	}
	const free = " promote_copy=0 shootdown=0"
	if first, full, late := time(free+" p1=1", own.Name), time(free, "skybyte-full"), time(free, own.Name); first >= full || full >= late {
		t.Errorf("if it is free, at the first hit %v ms, SkyByte-Full %v, the policy %v", first, full, late)
	}
}
