package session_test

import (
	"slices"
	"strings"
	"testing"

	"spillway/ui/model/link"
	"spillway/ui/model/palette"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
)

// first is the ID of the best command for a query.
func first(t *testing.T, n *session.Session, query string) string {
	t.Helper()
	found := palette.Find(palette.Commands(n), query, 5)
	if len(found) == 0 {
		t.Errorf("%q finds nothing", query)
		return ""
	}
	return found[0].ID
}

func TestPaletteFinds(t *testing.T) {
	h := newHost(t, quick)
	for query, want := range map[string]string{
		"ssd_read":        "knob ssd_read",
		"ssd read":        "knob ssd_read",
		"ssd-read":        "knob ssd_read",
		"what-if":         "view whatif",
		"g10 gds":         "system g10-gds",
		"G10-GDS":         "system g10-gds",
		"gpu memory":      "knob gpu_memory",
		"gpt-2 xl":        "",
		"explore":         "view explore",
		"what if":         "view whatif",
		"flashn":          "system flashneuron",
		"resnet-152 corr": "preset resnet-152-corrected",
		"save csv":        "save csv",
		"keys":            "topic Keys",
		"thrash":          "term Thrashing",
		"tour":            "tour 1",
		"slowdwn":         "chart slowdown",
		"survive":         "section survive",
	} {
		if got := first(t, h.Session, query); want != "" && got != want {
			t.Errorf("%q finds %q first, not %q", query, got, want)
		}
	}
	if found := palette.Find(palette.Commands(h.Session), "gpt-2 xl", 9); !slices.ContainsFunc(found, func(c palette.Command) bool { return c.ID == "workload gpt2-xl" }) {
		t.Errorf("no workload among %v", found)
	}
	if found := palette.Find(palette.Commands(h.Session), "xyzzy quux", 9); len(found) != 0 {
		t.Errorf("%v", found)
	}
	if all := palette.Find(palette.Commands(h.Session), "", 7); len(all) != 7 {
		t.Errorf("%d without a query", len(all))
	}
}

// Everything that is shown is among the commands, each once.
func TestPaletteHasEverything(t *testing.T) {
	h := newHost(t, quick)
	seen := map[string]bool{}
	for _, c := range palette.Commands(h.Session) {
		if seen[c.ID] || c.Title == "" || c.Kind == "" {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
	}
	var want []string
	for _, tab := range h.Tabs {
		want = append(want, "lab "+tab.Name)
	}
	for i := range h.Info.Systems {
		want = append(want, "system "+h.Info.Systems[i].Name)
	}
	for i := range h.Info.Presets {
		want = append(want, "preset "+h.Info.Presets[i].Key)
	}
	for _, f := range h.Form.Forms() {
		for _, g := range f.Groups {
			for i := range g.Fields {
				want = append(want, "knob "+g.Fields[i].Key)
			}
		}
	}
	for _, topic := range h.Info.Help {
		want = append(want, "topic "+topic.Title)
	}
	for _, term := range palette.Glossary(h.Info) {
		want = append(want, "term "+term.Name)
	}
	for _, id := range want {
		if !seen[id] {
			t.Errorf("%s is not found", id)
		}
	}
}

// Every command that is the page's to do does something.
func TestPaletteObeys(t *testing.T) {
	for _, c := range palette.Commands(newHost(t, quick).Session) {
		h := newHost(t, quick)
		show, err := palette.Obey(h.Session, c.ID)
		verb, what, _ := strings.Cut(c.ID, " ")
		switch verb {
		case "press", "topic", "term", "save":
			if err == nil {
				t.Errorf("%s is the page's", c.ID)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		ok := true
		switch verb {
		case "view":
			ok = h.State.View == state.View(what)
		case "preset":
			ok = h.Preset() == what
		case "workload":
			ok = h.State.Setup.Text("model") == what
		case "system":
			ok = slices.Contains(h.State.On, what) != slices.Contains(newHost(t, quick).State.On, what)
		case "chart", "section":
			ok = show != "" && h.State.View == state.Explore
		case "figure":
			ok = h.State.View == state.Reproduce && h.State.Figure == what
		case "tour":
			ok = h.Tour.Number() == 1
		}
		if !ok {
			t.Errorf("%s did nothing", c.ID)
		}
	}
	h := newHost(t, quick)
	if _, err := palette.Obey(h.Session, "brew coffee"); err == nil {
		t.Error("there is a command that there is not")
	}
}

func TestTour(t *testing.T) {
	h := newHost(t, quick)
	before := h.State.Setup.String()
	h.Tour.GoTo(0)
	h.Tour.GoTo(99)
	if h.Laboratory.Tour.Stop() != nil || h.Tour.AtStop() {
		t.Error("a tour of no stop")
	}
	for i := range h.Info.Tour {
		h.Tour.GoTo(i + 1)
		if h.Notice != "" || !h.Tour.AtStop() || h.Laboratory.Tour.Stop().Key != h.Info.Tour[i].Key {
			t.Errorf("stop %d: %s", i+1, h.Notice)
		}
		// A stop is a link.
		at, err := link.Parse(h.Link())
		if err != nil {
			t.Fatal(err)
		}
		s, err := link.Read(h.Info, at.Pairs)
		if err != nil || !s.Setup.Equal(h.State.Setup) || s.View != h.State.View {
			t.Errorf("stop %d is no link: %v", i+1, err)
		}
	}
	h.Tour.GoTo(1)
	h.Choose("batch", "2")
	if h.Tour.AtStop() {
		t.Error("at the stop with other settings")
	}
	h.Undo()
	h.Undo()
	if got := h.State.Setup.String(); got != before {
		t.Errorf("after the tour: %s, before: %s", got, before)
	}
	h.Tour.End()
	if h.Laboratory.Tour.Stop() != nil {
		t.Error("the tour goes on")
	}
}
