package link

import (
	"os"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
	"spillway/ui/model/bakery"
	"spillway/ui/model/state"
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
	const kept state.View = "explore, beside kept runs"
	longest := ""
	for _, d := range all.Labs {
		i := d.New().Complete()
		for k := range i.Presets {
			for _, v := range []state.View{state.Explore, state.WhatIf, kept, state.Timeline, state.Reproduce} {
				for _, what := range []string{"as it is", "turned", "turned and compared", "one system less"} {
					s := state.Opening(&i)
					s.View, s.Setup = v, state.OfPreset(&i, &i.Presets[k])
					if v == kept {
						s.View = state.Explore
					}
					switch what {
					case "turned":
						turn(s.Setup, 4)
					case "turned and compared":
						s.Base = s.Setup.Clone()
						turn(s.Setup, 2)
					case "one system less":
						s.Toggle(&i, s.On[1])
					}
					_ = s.Look.Set(state.FocusKey, s.On[1])
					switch v {
					case state.Explore:
						s.ZoomInto(state.Zoom{Chart: i.Charts[len(i.Charts)-1].ID, From: 12_34, To: 56_78})
					case state.WhatIf:
						_ = s.Ask.Set(state.ValuesKey, "8..64")
						_ = s.Ask.Set(state.ShowKey, state.ShowEach)
					case kept:
						_ = s.Look.Set(lab.WhyKey, lab.WhyKept)
						s.Shown = []state.Kept{{Name: "now", System: s.On[0], Setup: s.Setup.String()}, {Name: "then", System: s.On[1], Setup: state.OfPreset(&i, &i.Presets[k]).String()}}
					case state.Timeline:
						s.At = "12izn51e.4zf0jjy.1.15bc6zdd"
					case state.Reproduce:
						s.Figure = i.Papers[0].Key + ".14"
					}
					link := Encode(&i, &s)
					if len(link) > mostLink {
						t.Errorf("%s, %s, %s, %s: %d characters: %s", i.Name, i.Presets[k].Key, v, what, len(link), link)
					}
					if len(link) > len(longest) {
						longest = link
					}
					l, err := Parse(link)
					if err != nil || l.Lab != i.Name {
						t.Fatalf("%s: %v", link, err)
					}
					if back, err := Read(&i, l.Pairs); err != nil || !equal(&s, &back) {
						t.Errorf("%s\nreads as %s (%v)", link, Encode(&i, &back), err)
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
			line := i.Name + " " + i.Presets[k].Key + ":" + setupSum(state.OfPreset(&i, &i.Presets[k]))
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
	i := bakery.New().Info
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
	s := state.Default(&then)
	s.Setup = state.OfPreset(&then, &then.Presets[1])
	_ = s.Setup.Set("portions", "19")
	link := Encode(&then, &s)
	if !strings.Contains(link, "preset=feast:") || !strings.Contains(link, "&portions=19&") {
		t.Fatalf("link %s", link)
	}
	l, err := Parse(link)
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
	s.Base = state.OfPreset(&now, &now.Presets[1])
	_ = s.Look.Set(lab.WhyKey, lab.WhyKept)
	s.Shown = []state.Kept{{Name: "a", System: "oven", Setup: s.Base.String()}}
	s.Setup = now.Setup()
	link = Encode(&now, &s)
	if strings.Count(link, "preset=feast:") != 2 {
		t.Errorf("link %s", link)
	}
	now.Knobs = append(slices.Clone(now.Knobs), knob.Info{Key: "newest", Label: "Newest", Scale: 1, Min: 0, Max: 9, Default: "7"})
	l, err = Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	got, err = Read(&now, l.Pairs)
	if err != nil || got.Base.Text("watts") != "950" || got.Base.Text("newest") != "7" || !strings.Contains(got.Shown[0].Setup, "watts=950") {
		t.Errorf("%v: %s", err, Encode(&now, &got))
	}
}

// A system that is new, and more than can be told, change no link silently.
func TestSystemsThen(t *testing.T) {
	i := trainLab().Info
	i.Systems = []lab.System{{Name: "dream"}, {Name: "oven"}, {Name: "a-long-name"}}
	text := systemsText(&i, []string{"dream", "a-long-name"})
	if !strings.HasPrefix(text, "3:") || !strings.HasSuffix(text, ",-oven") {
		t.Fatalf("systems %s", text)
	}
	for n := range 6 {
		i.Systems = slices.Insert(i.Systems, 1+n%2, lab.System{Name: "new" + string(rune('a'+n))})
		s := state.Default(&i)
		err := ReadSystems(&s, &i, text)
		if want := []string{"dream", "a-long-name"}; n < mostNew && (err != nil || !slices.Equal(s.On, want)) {
			t.Errorf("with %d new ones %v, %v", n+1, s.On, err)
		}
		if n >= mostNew && (err == nil || len(s.On) != len(i.Systems)-1) {
			t.Errorf("with %d new ones %v, %v", n+1, s.On, err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	i := trainLab().Info
	s := state.Opening(&i)
	turn(s.Setup, 4)
	for b.Loop() {
		_ = Encode(&i, &s)
	}
}
