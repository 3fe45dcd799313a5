package session_test

import (
	"strings"
	"testing"

	"spillway/ui/lab"
)

// What the settings began with is known by its name until other ones are begun with.
func TestBegan(t *testing.T) {
	h := visit(t, "")
	presets := h.Info.Presets
	is := func(when string, at int, exactly bool) {
		t.Helper()
		if p := h.Began(); p == nil || p.Key != presets[at].Key || (h.Preset() == p.Key) != exactly {
			t.Errorf("%s: it began with %v, is %q; want %s, %v; %s %s", when, p, h.Preset(), presets[at].Key, exactly, h.State.Setup, h.Notice)
		}
	}
	is("at first", 0, true)
	h.UsePreset(presets[1].Key)
	h.Type("gpu_memory", "33")
	is("typed", 1, false)
	h.UsePreset(presets[0].Key)
	is("chosen", 0, true)
	h.Undo()
	is("undone", 1, false)
	h.Undo()
	is("undone twice", 1, true)
	// A link says it, or it is what differs least.
	h = visit(t, "v=4-by-hand&lab=train&preset="+presets[1].Key+"&batch=33")
	is("named in a link", 1, false)
	h = visit(t, "v=4-by-hand&lab=train&"+strings.ReplaceAll(presets[0].Set, " ", "&")+"&gpu_memory=33")
	is("like it", 0, false)
}

// What the run in focus is compared with is one of those that are compared.
func TestSideFollows(t *testing.T) {
	h := visit(t, "v=4-by-hand&lab=train&systems=ideal,uvm,g10&focus=g10")
	is := func(when, key string) {
		t.Helper()
		for _, o := range h.Sides() {
			if o.Chosen != (o.Key == key) {
				t.Errorf("%s: %+v, want %s", when, o, key)
			}
		}
	}
	h.Against("ideal")
	is("chosen", "ideal")
	h.ToggleSystem("ideal")
	is("left out", lab.WhyUsual)
	h.ToggleSystem("ideal")
	is("compared again", "ideal")
	h.SetFocus("ideal")
	is("in focus", lab.WhyUsual)
	h.SetFocus("g10")
	h.Baseline.Toggle()
	h.Against(lab.WhyBaseline)
	is("the baseline", lab.WhyBaseline)
	h.Baseline.Toggle()
	is("unpinned", lab.WhyUsual)
	h.Timeline.SetAgainst("ideal", false)
	if h.ToggleSystem("ideal"); h.Timeline.Against() != "" {
		t.Errorf("over time beside %q, which is not compared", h.Timeline.Against())
	}
}
