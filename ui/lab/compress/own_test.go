package compress

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
	"spillway/ui/lab/own"
)

const byCost = "policy=%23By+what+it+costs@allow=remote*memory/link<=p1 p1=0.4 "

// A policy of one's own runs under its title and is in the JSON; without one it is Buddy, and what is
// wrong stops nobody else.
func TestOwn(t *testing.T) {
	l := New()
	u := labtest.Setup(t, &l, byCost+"link=50")
	rep, raw, err := l.Run(u, own.Name, nil, nil)
	if err != nil || !rep.Fits || rep.Called != "By what it costs" {
		t.Fatalf("%v, %+v", err, rep)
	}
	if text, err := l.JSON(raw); err != nil || !json.Valid(text) || !strings.Contains(string(text), `"sha256": "`+raw.(*result).Script.SHA256) {
		t.Errorf("JSON without the policy, %v", err)
	}
	mine, _, err := l.Run(labtest.Setup(t, &l, ""), own.Name, nil, nil)
	buddy, _, err2 := l.Run(labtest.Setup(t, &l, ""), "per-allocation-16x", nil, nil)
	if err != nil || err2 != nil || fmt.Sprint(mine.Values) != fmt.Sprint(buddy.Values) {
		t.Errorf("without a policy it is not Buddy: %v, %v", err, err2)
	}
	for _, s := range l.Sections {
		if s.Key == "allocations" || s.Key == "thresholds" {
			if _, err := l.Section(s.Key, knob.NewSetup(s.Knobs), u, own.Name, nil, nil); err != nil {
				t.Errorf("%s: %v", s.Key, err)
			}
		}
	}
	labtest.Misspelt(t, &l, "policy=allow=overflw<1", "naive", `Policy 1:7: overflw is unknown; do you mean overflow? (in "allow=overflw<1")`)
}

// What people start from runs, and is what it is called.
func TestPlace(t *testing.T) {
	l := New()
	labtest.Place(t, &l)
	labtest.Policies(t, &l, "contents=dl", 2)
}

// The preset's sentence is so: on the slow link the policy gives up a little memory and wins the time
// back, at 150 GB/s both choose the same.
func TestOwnPreset(t *testing.T) {
	l := New()
	at := slices.IndexFunc(l.Presets, func(p lab.Preset) bool { return slices.Contains(p.Systems, own.Name) })
	values := func(set, system, key string) float64 {
		r, _, err := l.Run(labtest.Setup(t, &l, l.Presets[at].Set+set), system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := r.Value(l.Quantity(key))
		return v
	}
	const buddy = "per-allocation-16x"
	if mine, its := values("", own.Name, "ratio"), values("", buddy, "ratio"); mine < 1.36 || mine > its {
		t.Errorf("ratio %v, Buddy %v", mine, its)
	}
	if mine, its := values("", own.Name, "time"), values("", buddy, "time"); mine > 1.03 || its < 1.2 {
		t.Errorf("time %v, Buddy %v", mine, its)
	}
	if mine, its := values(" link=150", own.Name, "ratio"), values(" link=150", buddy, "ratio"); mine != its {
		t.Errorf("at 150 GB/s ratio %v, Buddy %v", mine, its)
	}
}
