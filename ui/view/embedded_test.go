package view

import (
	"slices"
	"strings"
	"testing"

	"github.com/vugu/vugu"

	"spillway/ui/embed"
)

// frame is a page inside another one that shows a link and has run it.
func frame(t *testing.T, fragment, mode, only, hide string) (*stage, *Embedded) {
	t.Helper()
	s := newStage(t, fragment)
	root := NewEmbedded(s.root.App, embed.Read(mode, only, hide, "https://spillway.example/"))
	s.runner.work(s.root.Session)
	root.rev = -1
	s.drawn = s.build.RunBuild(root)
	return s, root
}

func TestEmbedded(t *testing.T) {
	for _, x := range []struct {
		mode, only, hide string
		there, gone      []string
	}{
		{"view", "", "", []string{"headline", "figure-throughput", "numbers-table", "save-throughput", "notes", "section-survive"}, []string{"settings", "drawing", "pin", "f-batch", "help"}},
		{"view", "traffic", "", []string{"headline", "figure-traffic", "numbers-traffic"}, []string{"figure-throughput", "numbers-table", "notes"}},
		{"view", "", "head,tools,tables,notes,sections", []string{"figure-throughput"}, []string{"headline", "save-throughput", "save-results", "numbers-table", "notes", "section-survive"}},
		{"edit", "memory", "", []string{"settings", "f-batch", "open-settings", "undo"}, []string{"drawing", "figure-traffic", "pick-files-button"}},
		{"edit", "", "", []string{"drawing", "settings", "numbers-table"}, []string{"pin", "link", "lab-train"}},
		{"edit", "", "settings", []string{"drawing"}, []string{"settings", "f-batch"}},
	} {
		s, _ := frame(t, small, x.mode, x.only, x.hide)
		for _, id := range append(x.there, "open-spillway", "main") {
			if !s.there(id) {
				t.Errorf("%s only=%s hide=%s lacks %s", x.mode, x.only, x.hide, id)
			}
		}
		for _, id := range x.gone {
			if s.there(id) {
				t.Errorf("%s only=%s hide=%s has %s", x.mode, x.only, x.hide, id)
			}
		}
	}
}

// The link out of a frame has what is set in it now.
func TestEmbeddedLink(t *testing.T) {
	s, root := frame(t, small, "edit", "", "")
	s.root.Type("batch", "24")
	s.drawn = s.build.RunBuild(root)
	n := s.find("open-spillway")
	at := slices.IndexFunc(n.Attr, func(a vugu.VGAttribute) bool { return a.Key == "href" })
	if at < 0 || !strings.HasPrefix(n.Attr[at].Val, "https://spillway.example/#") || !strings.Contains(n.Attr[at].Val, "batch=24") {
		t.Errorf("%+v", n.Attr)
	}
}

// A chart that there is not is said.
func TestEmbeddedLacks(t *testing.T) {
	_, root := frame(t, small, "view", "nothing", "")
	if text := root.lacking(); !strings.Contains(text, `"nothing"`) || !strings.Contains(text, "throughput") {
		t.Errorf("%q", text)
	}
	_, root = frame(t, small+"&view=whatif", "view", "nothing", "")
	if text := root.lacking(); text != "" {
		t.Errorf("%q", text)
	}
}

// Other views are there without what belongs to the page alone.
func TestEmbeddedViews(t *testing.T) {
	for view, ids := range map[string][2]string{"whatif": {"ask-says", "ask-each"}, "reproduce": {"paper-title", "reproduce-g10"}} {
		s, _ := frame(t, small+"&view="+view, "view", "", "")
		if !s.there(ids[0]) || s.there(ids[1]) {
			t.Errorf("%s: %v", view, ids)
		}
	}
}
