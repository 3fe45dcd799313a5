package session_test

import (
	"strings"
	"testing"
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
