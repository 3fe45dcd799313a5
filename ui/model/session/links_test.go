package session_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab/all"
	"spillway/ui/lab/train"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
)

// A link that names a laboratory opens that laboratory, also without a version: alone as its
// tab does, with a preset what the preset shows.
func TestLinksThatNameALaboratory(t *testing.T) {
	for _, d := range all.Labs {
		i := d.New().Info
		l, err := link.Parse("#lab=" + i.Name)
		if err != nil || l.Lab != i.Name || !l.Empty {
			t.Errorf("lab=%s: %+v, %v", i.Name, l, err)
		}
		for k := range i.Presets {
			text := "lab=" + i.Name + "&preset=" + i.Presets[k].Key
			l, err := link.Parse(text)
			if err != nil || l.Lab != i.Name || l.Empty {
				t.Errorf("%s: %+v, %v", text, l, err)
			}
			s, err := link.Read(&i, l.Pairs)
			want := state.Default(&i)
			want.Begin(&i, &i.Presets[k])
			if got := link.Encode(&i, &s); err != nil || got != link.Encode(&i, &want) {
				t.Errorf("%s shows %s, %v", text, got, err)
			}
		}
	}
	h := visit(t, "lab=bakery")
	h.enter()
	if h.Laboratory.Info.Name != "bakery" || h.Notice != "" {
		t.Errorf("%s, %q", h.Laboratory.Info.Name, h.Notice)
	}
}

// training is the laboratory that most tests are about.
var training = sync.OnceValue(train.New)

// What mail programs do to links is undone or said.
func TestLinksOnTheirWay(t *testing.T) {
	i := training().Info
	s := state.Opening(&i)
	_ = s.Setup.Set("gpu_memory", "32")
	_ = s.Setup.Set("entry", "Größe 1,5 & mehr")
	_ = s.Setup.Set("host_memory", "96")
	link := link.Encode(&i, &s)
	cut := strings.Index(link, "&systems=")
	for _, tt := range []struct {
		what, link, says string
		exact            bool
	}{
		{"as it was", link, "", true},
		{"with #", "#" + link, "", true},
		{"at the end of a sentence", link + ").", "", true},
		{"as HTML", strings.ReplaceAll(link, "&", "&amp;"), "", true},
		{"wrapped", link[:40] + "\r\n" + link[40:], "", true},
		{"escaped more", strings.NewReplacer(",", "%2C", ":", "%3A", "+", "%20").Replace(link), "", true},
		{"with something added", link + "&utm_source=mail", "", true},
		{"cut off in the sum", link[:len(link)-2], "", true},
		{"cut off behind a setting", link[:cut], `cut off after "gpu_memory=32`, false},
		{"cut off in a setting", link[:cut+14], `cut off after "host_memory=96"`, false},
		{"cut off at once", link[:8], "cut off after its beginning", false},
		{"changed", strings.Replace(link, "gpu_memory=32", "gpu_memory=33", 1), "changed or lost on its way", false},
		{"one setting lost", strings.Replace(link, "&gpu_memory=32", "", 1), "changed or lost on its way", false},
		{"damaged", strings.Replace(link, "gpu_memory=32", "gpu_memory=%3", 1), "changed or lost on its way", false},
		{"of a newer one", strings.Replace(link, "v=4", "v=5&color=red", 1), "newer Spillway (format 5", true},
		{"by hand", "v=4-by-hand&lab=train&preset=gpt2-xl-rtx-4090&gpu_memory=32", "", false},
		{"by hand, with blanks", "v=4-by-hand lab=train gpu_memory=32", "", false},
	} {
		h := visit(t, tt.link)
		if (tt.says == "") != (h.Notice == "") || !strings.Contains(h.Notice, tt.says) {
			t.Errorf("%s: notice %q; want %q", tt.what, h.Notice, tt.says)
		}
		if tt.exact && h.Link() != link {
			t.Errorf("%s: shows %s\nwant %s", tt.what, h.Link(), link)
		}
		if h.Info.Name != "train" {
			t.Errorf("%s: shows %s", tt.what, h.Info.Name)
		}
	}
	h := visit(t, link[:cut+14])
	if got := h.State.Setup.Text("gpu_memory"); got != "32" || h.State.Setup.Text("model") != "gpt2-xl-pytorch" {
		t.Errorf("of a link that was cut off %s is left", h.State.Setup)
	}
}

// Zooming is in the link, and no step.
func TestZoomLink(t *testing.T) {
	h := visit(t, "v=4-by-hand&lab=train&preset=g10-paper&batch=16&zoom=memory:12.5-40")
	if h.Notice != "" || h.State.Zoomed() != "memory:12.5-40" {
		t.Fatalf("%q: %s", h.Notice, h.State.Zoomed())
	}
	h.SetZoom("kernels", 0, 33_33)
	h.SetZoom("memory", 12_50, 39_00)
	if link := h.Link(); !strings.Contains(link, "&zoom=memory:12.5-39,kernels:0-33.33&end=") || h.CanUndo() {
		t.Errorf("link %s, undo %t", link, h.CanUndo())
	}
	h.Type("batch", "17")
	h.SetZoom("kernels", 0, 100_00)
	h.Undo()
	if h.State.Zoomed() != "memory:12.5-39" || h.State.Setup.Text("batch") != "16" {
		t.Errorf("after undo %s", h.State.Zoomed())
	}
	shown := h.Link()
	h.do()
	h.Visit(strings.Replace(strings.Replace(shown, "12.5-39", "50-60", 1), "v=4&", "v=4-by-hand&", 1))
	if h.State.Zoomed() != "memory:50-60" || h.CanUndo() {
		t.Errorf("a link that only zooms: %s, undo %t", h.State.Zoomed(), h.CanUndo())
	}
	for _, bad := range []string{"memory", "memory:1", "memory:5-5", "memory:6-5", "memory:-1-5", "memory:0-101", ":0-1", "memory:a-b"} {
		i := h.Info
		if _, err := link.Read(i, []knob.Pair{{Key: "zoom", Text: bad}}); err == nil || !strings.Contains(err.Error(), "no part of a chart") {
			t.Errorf("zoom=%s: %v", bad, err)
		}
	}
}

// The links in LINKS.md open, and are what it says they are.
func TestLinksExplained(t *testing.T) {
	data, err := os.ReadFile("../link/LINKS.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, text := range strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' || r == '`' || r == '#' }) {
		if !strings.HasPrefix(text, "v=4") || !strings.Contains(text, "&lab=") {
			continue
		}
		n++
		if h := visit(t, text); h.Notice != "" && strings.Contains(text, "end=") || h.State.Setup.Text("gpu_memory") != "32" {
			t.Errorf("%s: %s, %s", text, h.Notice, h.State.Setup)
		}
	}
	if n != 2 {
		t.Errorf("%d links", n)
	}
}
