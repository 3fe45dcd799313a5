package model

import (
	"os"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
)

// mostLink is how long a link is in ordinary use.
const mostLink = 200

// turn turns a handful of a setup's numbers a little.
func turn(u *knob.Setup, n int) {
	for k := range u.Knobs() {
		x := &u.Knobs()[k]
		v, err := knob.ParseDecimal(u.Text(x.Key), max(x.Scale, 1))
		if x.Kind != knob.Number || x.Always || err != nil || n == 0 || v == 0 || len(u.Text(x.Key)) > 6 || u.Hidden(x.Key) {
			continue
		}
		if u.Set(x.Key, knob.Decimal(v+v/2, x.Scale)) == nil {
			n--
		}
	}
}

// Every preset in every view, settings that were turned, a baseline, a question, a
// zoom: the links are short, and say what they said.
func TestLinksAreShort(t *testing.T) {
	longest := ""
	for _, d := range all.Labs {
		i := d.New().Complete()
		for k := range i.Presets {
			for _, v := range []View{Explore, WhatIf, Compare, Reproduce} {
				for _, what := range []string{"as it is", "turned", "turned and compared", "one system less"} {
					s := Opening(&i)
					s.View, s.Setup = v, preset(&i, &i.Presets[k])
					switch what {
					case "turned":
						turn(s.Setup, 4)
					case "turned and compared":
						s.Base = s.Setup.Clone()
						turn(s.Setup, 2)
					case "one system less":
						s.Toggle(&i, s.On[1])
					}
					_ = s.Look.Set(FocusKey, s.On[1])
					switch v {
					case Explore:
						s.zoom(Zoom{i.Charts[len(i.Charts)-1].ID, 12_34, 56_78})
					case WhatIf:
						_ = s.Ask.Set(valuesKey, "8..64")
						_ = s.Ask.Set(showKey, ShowEach)
					case Compare:
						s.Shown = []Kept{{"now", s.On[0], s.Setup.String()}, {"then", s.On[1], preset(&i, &i.Presets[k]).String()}}
					case Reproduce:
						s.Figure = i.Papers[0].Key + ".14"
					}
					link := s.Encode(&i)
					if len(link) > mostLink {
						t.Errorf("%s, %s, %s, %s: %d characters: %s", i.Name, i.Presets[k].Key, v, what, len(link), link)
					}
					if len(link) > len(longest) {
						longest = link
					}
					l, err := ReadLink(link)
					if err != nil || l.Lab != i.Name {
						t.Fatalf("%s: %v", link, err)
					}
					if back, err := Read(&i, l.Pairs); err != nil || !equal(&s, &back) {
						t.Errorf("%s\nreads as %s (%v)", link, back.Encode(&i), err)
					}
				}
			}
		}
	}
	t.Logf("the longest has %d characters: %s", len(longest), longest)
}

// What a preset was is in links that are out there: it changes only if its former
// text stays in Was.
func TestPresetsThatLinksName(t *testing.T) {
	const path = "testdata/presets.txt"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' })
	for _, d := range all.Labs {
		i := d.New().Info
		for k := range i.Presets {
			line := i.Name + " " + i.Presets[k].Key + ":" + setupSum(preset(&i, &i.Presets[k]))
			if !slices.Contains(known, line) {
				if !*update {
					t.Errorf("%s lacks %q; -update adds it", path, line)
				}
				known = append(known, line)
			}
		}
		for _, line := range known {
			if name, text, _ := strings.Cut(line, " "); name == i.Name {
				if _, err := readPreset(&i, text); err != nil {
					t.Errorf("links with preset=%s: %v", text, err)
				}
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(known, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// changed is the bakery with two presets, the second of which was another.
func changed(was ...string) lab.Info {
	i := bakery().Info
	i.Presets = []lab.Preset{
		{Key: "plain", Title: "Plain", Set: "dish=rye"},
		{Key: "feast", Title: "A feast", Set: "dish=cake oven=gas watts=950 portions=18 spice=hot", Was: was},
	}
	return i
}

// A link to a preset that is another by now keeps its meaning where what it was is
// known; elsewhere it says so and shows what is nearest.
func TestPresetChanged(t *testing.T) {
	const before = "dish=cake oven=gas watts=900 portions=18 spice=hot"
	then := changed()
	then.Presets[1].Set = before
	s := Default(&then)
	s.Setup = preset(&then, &then.Presets[1])
	_ = s.Setup.Set("portions", "19")
	link := s.Encode(&then)
	if !strings.Contains(link, "preset=feast:") || !strings.Contains(link, "&portions=19&") {
		t.Fatalf("link %s", link)
	}
	l, err := ReadLink(link)
	if err != nil {
		t.Fatal(err)
	}
	known := changed(before)
	if got, err := Read(&known, l.Pairs); err != nil || !got.Setup.Equal(s.Setup) {
		t.Errorf("with what it was known: %s, %v", got.Setup, err)
	}
	now := changed()
	got, err := Read(&now, l.Pairs)
	if err == nil || !strings.Contains(err.Error(), `the preset "A feast" has changed since the link was made`) {
		t.Errorf("got %v", err)
	}
	if got.Setup.Text("watts") != "950" || got.Setup.Text("portions") != "19" {
		t.Errorf("the nearest is %s", got.Setup)
	}
	gone := changed()
	gone.Presets = gone.Presets[:1]
	got, err = Read(&gone, l.Pairs)
	if err == nil || !strings.Contains(err.Error(), `there is no preset "feast" any more`) || got.Setup.Text("portions") != "19" {
		t.Errorf("got %s, %v", got.Setup, err)
	}
	// A new knob changes no preset, a baseline and a run may be of presets, too.
	s.Base, s.View = preset(&now, &now.Presets[1]), Compare
	s.Shown = []Kept{{"a", "oven", s.Base.String()}}
	s.Setup = now.Setup()
	link = s.Encode(&now)
	if strings.Count(link, "preset=feast:") != 2 {
		t.Errorf("link %s", link)
	}
	now.Knobs = append(slices.Clone(now.Knobs), knob.Info{Key: "newest", Label: "Newest", Scale: 1, Min: 0, Max: 9, Default: "7"})
	l, err = ReadLink(link)
	if err != nil {
		t.Fatal(err)
	}
	got, err = Read(&now, l.Pairs)
	if err != nil || got.Base.Text("watts") != "950" || got.Base.Text("newest") != "7" || !strings.Contains(got.Shown[0].Setup, "watts=950") {
		t.Errorf("%v: %s", err, got.Encode(&now))
	}
}

// What mail programs do to links is undone or said.
func TestLinksOnTheirWay(t *testing.T) {
	i := training().Info
	s := Opening(&i)
	_ = s.Setup.Set("gpu_memory", "32")
	_ = s.Setup.Set("entry", "Größe 1,5 & mehr")
	_ = s.Setup.Set("host_memory", "96")
	link := s.Encode(&i)
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
		if tt.exact && h.State.Encode(h.Info) != link {
			t.Errorf("%s: shows %s\nwant %s", tt.what, h.State.Encode(h.Info), link)
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
	if h.Notice != "" || h.Zoomed() != "memory:12.5-40" {
		t.Fatalf("%q: %s", h.Notice, h.Zoomed())
	}
	h.SetZoom("kernels", 0, 33_33)
	h.SetZoom("memory", 12_50, 39_00)
	if link := h.State.Encode(h.Info); !strings.Contains(link, "&zoom=memory:12.5-39,kernels:0-33.33&end=") || h.CanUndo() {
		t.Errorf("link %s, undo %t", link, h.CanUndo())
	}
	h.Type("batch", "17")
	h.SetZoom("kernels", 0, 100_00)
	h.Undo()
	if h.Zoomed() != "memory:12.5-39" || h.State.Setup.Text("batch") != "16" {
		t.Errorf("after undo %s", h.Zoomed())
	}
	link := h.State.Encode(h.Info)
	h.do()
	h.Visit(strings.Replace(strings.Replace(link, "12.5-39", "50-60", 1), "v=4&", "v=4-by-hand&", 1))
	if h.Zoomed() != "memory:50-60" || h.CanUndo() {
		t.Errorf("a link that only zooms: %s, undo %t", h.Zoomed(), h.CanUndo())
	}
	for _, bad := range []string{"memory", "memory:1", "memory:5-5", "memory:6-5", "memory:-1-5", "memory:0-101", ":0-1", "memory:a-b"} {
		i := h.Info
		if _, err := Read(i, []knob.Pair{{Key: "zoom", Text: bad}}); err == nil || !strings.Contains(err.Error(), "no part of a chart") {
			t.Errorf("zoom=%s: %v", bad, err)
		}
	}
}

// A system that is new, and more than can be told, change no link silently.
func TestSystemsThen(t *testing.T) {
	i := bakery().Info
	i.Systems = []lab.System{{Name: "dream"}, {Name: "oven"}, {Name: "a-long-name"}}
	text := systemsText(&i, []string{"dream", "a-long-name"})
	if !strings.HasPrefix(text, "3:") || !strings.HasSuffix(text, ",-oven") {
		t.Fatalf("systems %s", text)
	}
	for n := range 6 {
		i.Systems = slices.Insert(i.Systems, 1+n%2, lab.System{Name: "new" + string(rune('a'+n))})
		s := Default(&i)
		err := s.readSystems(&i, text)
		if want := []string{"dream", "a-long-name"}; n < mostNew && (err != nil || !slices.Equal(s.On, want)) {
			t.Errorf("with %d new ones %v, %v", n+1, s.On, err)
		}
		if n >= mostNew && (err == nil || len(s.On) != len(i.Systems)-1) {
			t.Errorf("with %d new ones %v, %v", n+1, s.On, err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	i := training().Info
	s := Opening(&i)
	turn(s.Setup, 4)
	for b.Loop() {
		_ = s.Encode(&i)
	}
}

// The links in LINKS.md open, and are what it says they are.
func TestLinksExplained(t *testing.T) {
	data, err := os.ReadFile("LINKS.md")
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
