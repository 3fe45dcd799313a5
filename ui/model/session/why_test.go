package session_test

import (
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/sections"
	"spillway/ui/model/state"
)

// why is the section that asks why, as it is shown.
func (h *host) why() sections.View {
	h.Helper()
	for _, v := range h.Sections.Views() {
		if v.Key == lab.WhyKey {
			return v
		}
	}
	h.Fatal("nobody asks why")
	return sections.View{}
}

// Whoever opens the section has runs with causes cured made, behind all that is shown, first
// those that suffice for a sentence; what is known, as the run that is shown, is not run again.
func TestWhy(t *testing.T) {
	h := newHost(t, "v=4-by-hand&lab=bakery")
	h.do(exec.Run)
	if len(h.open(exec.Section))+len(h.open(exec.Several)) > 1 { // the menu alone
		t.Errorf("%d sections are computed", len(h.open(exec.Section)))
	}
	h.do(exec.Section)
	h.Sections.Toggle(lab.WhyKey)
	j := h.one(exec.Section)
	if j.Key != lab.WhyKey || len(j.Known) > 0 || !h.why().Busy {
		t.Errorf("%+v", j)
	}
	h.do(exec.Section)
	if v := h.why(); v.Runs != "4 runs to go." || v.Act != "Cancel" {
		t.Errorf("%q, %q", v.Runs, v.Act)
	}
	picks := 0
	for len(h.open(exec.Several)) > 0 {
		for _, j := range h.open(exec.Several) {
			if !h.bulk[j.ID] {
				t.Error("it is before what is shown")
			}
			picks += len(j.Picks)
		}
		h.do(exec.Several)
		if len(h.open(exec.Several)) == 0 && len(h.open(exec.Section)) > 0 {
			if n := len(h.one(exec.Section).Known); n != 5 && n != 8 {
				t.Errorf("an answer of %d runs", n)
			}
			h.do(exec.Section)
			if v := h.why(); v.Shown == nil || !strings.Contains(v.Shown.Text[0], "Oven takes 40.0 s") {
				t.Errorf("%+v", v.Shown)
			}
		}
	}
	v := h.why()
	if picks != 7 || v.Runs != "" || len(v.Shown.Falls) != 1 || v.Title != "Why does Oven take so long?" {
		t.Errorf("%d runs, %q: %q, %+v", picks, v.Runs, v.Title, v.Shown)
	}
	for _, f := range h.Sections.Maps(&v) {
		if f.Figure == nil || len(f.Figure.Bars.Rows) < 4 || !strings.Contains(f.CSV(), "the cold") && !strings.Contains(f.CSV(), "The cold") {
			t.Errorf("%+v: %s", f, f.CSV())
		}
	}
	for _, row := range v.Shown.Tables[0].Rows[:2] {
		link := h.Sections.Link(row)
		if link == nil {
			t.Errorf("%s leads nowhere", row.Head)
			continue
		}
		cured := newHost(t, strings.TrimPrefix(link.(string), "#"))
		if cured.State.Setup.Equal(h.State.Setup) || cured.Info.Name != "bakery" {
			t.Errorf("%s leads to %s", row.Head, link)
		}
	}
	// A row about a wait leads to its place.
	at, _ := h.Sections.Link(report.Row{At: "1a.2.0.1b"}).(string)
	if there := newHost(t, strings.TrimPrefix(at, "#")); there.State.View != state.Timeline || there.State.At != "1a.2.0.1b" || !there.State.Setup.Equal(h.State.Setup) {
		t.Errorf("a wait leads to %q", at)
	}
	if h.Sections.Link(report.Row{Head: "nothing"}) != nil {
		t.Error("a row about nothing leads somewhere")
	}
	h.Type("watts", "200")
	h.do(exec.Run)
	if j := h.one(exec.Section); j.Setup == "" {
		t.Error("other settings are not asked about")
	}
	h.do(exec.Section)
	h.Sections.Act(lab.WhyKey)
	if len(h.open(exec.Several)) > 0 || h.why().Act != "Run them" || !strings.Contains(h.why().Runs, "runs to go") {
		t.Errorf("it goes on: %q", h.why().Runs)
	}
	h.Sections.Act(lab.WhyKey)
	if len(h.open(exec.Several)) == 0 {
		t.Error("it does not begin again")
	}
	h.Sections.Toggle(lab.WhyKey)
	if len(h.open(exec.Several)) > 0 {
		t.Error("it goes on though nobody looks")
	}
}

// With a baseline what has changed since is what is explained.
func TestWhySinceBaseline(t *testing.T) {
	h := newHost(t, "v=4-by-hand&lab=bakery&view=explore&why=baseline")
	h.do(exec.Run)
	h.do(exec.Section)
	h.Sections.Toggle(lab.WhyKey)
	h.do(exec.Section)
	if v := h.why(); !strings.Contains(v.Error, "no baseline") {
		t.Errorf("%q", v.Error)
	}
	h.Baseline.Pin()
	h.Type("watts", "500")
	h.do(exec.Run)
	if j := h.one(exec.Section); j.Base == "" || j.Base == j.Setup {
		t.Errorf("%+v", j)
	}
	for range 20 {
		h.do(exec.Section)
		h.do(exec.Several)
	}
	if v := h.why(); v.Shown == nil || v.Title != "Why is Oven faster than the baseline?" {
		t.Errorf("%q %+v", v.Error, v.Shown)
	}
	h.SetView(state.WhatIf)
	h.SetView(state.Explore)
	if len(h.open(exec.Several)) > 0 {
		t.Error("what is known is run again")
	}
}

// A kept run is the other side of why: its system with its own settings, not those that are shown.
func TestWhyAgainstKept(t *testing.T) {
	h := newHost(t, "v=4-by-hand&lab=bakery")
	h.do()
	h.Saved.Keep("cold", []string{"kiln"})
	h.Type("watts", "150")
	h.Against("kept-0")
	h.do()
	if h.State.Look.Text(lab.WhyKey) != lab.WhyKept || len(h.State.Shown) != 1 || !strings.Contains(h.Link(), "&run=kiln=cold") || !strings.Contains(h.Link(), "&why=kept") {
		t.Fatalf("link %s", h.Link())
	}
	h.Sections.Toggle(lab.WhyKey)
	j := h.one(exec.Section)
	if j.View != "why=kiln" || j.System != "oven" || j.Base != h.State.Shown[0].Setup || strings.Contains(j.Base, "watts=150") || !strings.Contains(j.Setup, "watts=150") {
		t.Errorf("%+v", j)
	}
	h.do()
	v := h.why()
	if v.Shown == nil || !strings.Contains(v.Title, "the kept Kiln") {
		t.Errorf("%q: %+v, %s", v.Title, v.Shown, v.Error)
	}
	f := h.LookFields(&v)
	if len(f) != 1 || f[0].Options[len(f[0].Options)-1].Label != "kept: cold" || !f[0].Options[len(f[0].Options)-1].Chosen {
		t.Errorf("%+v", f)
	}
	h.TurnLook(lab.WhyKey, "dream")
	if h.State.Beside() != nil || h.State.Look.Text(lab.WhyKey) != "dream" || strings.Contains(h.Link(), "run=") {
		t.Errorf("link %s", h.Link())
	}
}
