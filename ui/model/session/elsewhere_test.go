package session_test

import (
	"strings"
	"testing"

	"spillway/ui/exec"
	labs "spillway/ui/lab/all"
	"spillway/ui/model/calls"
	"spillway/ui/model/palette"
	"spillway/ui/model/session"
)

// deaf is a host that does nothing.
type deaf struct{}

func (deaf) Start(*exec.Job, calls.Priority) {}
func (deaf) Raise(int, calls.Priority)       {}
func (deaf) Stop([]int)                      {}
func (deaf) Recorded(string)                 {}
func (deaf) Answered(string)                 {}

func (deaf) Fetch(string, bool)        {}
func (deaf) Stored(string) string      { return "" }
func (deaf) Store(string, string) bool { return false }

// everywhere are the entries of all laboratories, and their tabs.
func everywhere(t *testing.T) (all []palette.Entry, tabs []session.Tab) {
	t.Helper()
	for _, door := range labs.Labs {
		l := door.New()
		tabs = append(tabs, session.Tab{Name: l.Name, Title: l.Title})
		h := deaf{}
		n := session.New([]session.Tab{{Name: l.Name, Title: l.Title}}, "lab="+l.Name, h)
		info := l.Complete()
		n.Enter(&info, "")
		all = append(append(all, palette.Entries(n)...), palette.Figures(l.Name, l.Studies())...)
		for _, x := range info.Asked {
			if found := palette.Find(palette.Commands(n), strings.Fields(x.Words)[0], 5); len(found) == 0 || !has(found, x.ID) {
				t.Errorf("%s: %q does not lead to %q, but to %v", l.Name, x.Words, x.ID, found)
			}
		}
	}
	return all, tabs
}

func has(list []palette.Command, id string) bool {
	for _, c := range list {
		if c.ID == id {
			return true
		}
	}
	return false
}

// TestPaletteElsewhere: what another laboratory has is found, also by other words; what is
// misspelt has something near.
func TestPaletteElsewhere(t *testing.T) {
	all, tabs := everywhere(t)
	h := newHost(t, quick)
	h.Tabs = tabs
	list := palette.Everything(h.Session, all)
	for query, want := range map[string]string{
		"crash":                    "in filesys section crash",
		"safe":                     "in filesys section crash",
		"ext4":                     "in filesys focus ext4",
		"context":                  "in llm knob sequence",
		"radix":                    "in cxlssd preset radix-sort",
		"write log":                "in cxlssd knob log",
		"power":                    "in filesys section crash",
		"g10":                      "system g10",
		"strace":                   "in filesys files",
		"blktrace":                 "in filesys files",
		"pytorch profiler":         "press pick-files-button",
		"safetensors":              "in compress files",
		"figure 11":                "figure g10.11",
		"buddy figure 11":          "in compress figure buddy.11",
		"how long do drives last?": "in llm section life",
		"what is the write log":    "in cxlssd knob log",
	} {
		if found := palette.Find(list, query, 5); !has(found, want) {
			t.Errorf("%q finds %v, not %q", query, found, want)
		}
	}
	for query, want := range map[string]string{"radux sort": "in cxlssd preset radix-sort"} {
		if found := palette.Find(list, query, 5); len(found) > 0 {
			t.Errorf("%q finds %v", query, found)
		}
		if near := palette.Nearest(list, query, 3); !has(near, want) {
			t.Errorf("near %q is %v, not %q", query, near, want)
		}
	}
	if near := palette.Nearest(list, "xyzzy", 3); len(near) > 0 {
		t.Errorf("near nonsense: %v", near)
	}
}
