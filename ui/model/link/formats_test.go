package link

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/model/state"
)

// meaning is everything that a state says, as a setup text.
func meaning(s *state.State) string {
	var p []knob.Pair
	add := func(prefix string, u *knob.Setup) {
		for i := range u.Knobs() {
			if k := &u.Knobs()[i]; !k.Derived {
				p = append(p, knob.Pair{Key: prefix + k.Key, Text: u.Text(k.Key)})
			}
		}
	}
	add("", s.Setup)
	p = append(p, knob.Pair{Key: "systems", Text: strings.Join(s.On, ",")}, knob.Pair{Key: "view", Text: string(s.View)})
	if s.View == state.Reproduce {
		p = append(p, knob.Pair{Key: "figure", Text: s.Figure})
	}
	add("look:", s.Look)
	add("ask:", s.Ask)
	if s.Base != nil {
		add("base:", s.Base)
	}
	if s.View == compare {
		for i, k := range s.Shown {
			p = append(p, knob.Pair{Key: fmt.Sprint("run:", i), Text: k.Name + "|" + k.System + "|" + k.Setup})
		}
	}
	return knob.Join(p, " ")
}

// Links of formats 2 and 3 are out there and mean what they meant. The tables
// hold, for each, what the last program with format 3 (f51de4b) read out of it,
// and the link of today that it becomes. The "is" lines never change.
func TestFormats(t *testing.T) {
	i := trainLab().Info
	for _, path := range []string{"testdata/format2.txt", "testdata/format3.txt"} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		if len(lines) < 60 {
			t.Fatalf("%s has %d lines", path, len(lines))
		}
		var out strings.Builder
		for at := 0; at+2 < len(lines); at += 3 {
			fragment, is, now := lines[at], lines[at+1], lines[at+2]
			s := readBy(t, fragment, readAs)
			got := texts(t, meaning(&s))
			s = read(t, fragment)
			for key, text := range texts(t, strings.TrimPrefix(is, "is ")) {
				if readable.Replace(got[key]) != readable.Replace(text) {
					t.Errorf("%s\n%s is %q, was %q", fragment, key, got[key], text)
				}
				if strings.HasPrefix(key, "base:") || strings.HasPrefix(key, "run:") {
					delete(got, key)
				}
			}
			for key := range got {
				if k := i.Setup().Knob(strings.TrimPrefix(key, "base:")); k != nil && got[key] == k.Default {
					continue // a setting that came later, as it was when there was none
				}
				if strings.HasPrefix(key, "base:") || strings.HasPrefix(key, "run:") {
					t.Errorf("%s\nhas %s now", fragment, key)
				}
			}
			link := Encode(&i, &s)
			if again := read(t, link); !equal(&s, &again) {
				t.Errorf("%s\nbecomes     %s\nwhich means %s", fragment, link, Encode(&i, &again))
			}
			becomes(t, &s, fragment, "now "+link, now)
			out.WriteString(fragment + "\n" + is + "\nnow " + link + "\n")
		}
		if *update {
			if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// readable gives back what older links escape without need.
var readable = strings.NewReplacer("%3D", "=", "%28", "(", "%29", ")", "%2A", "*")

// becomes holds the link that an older one becomes against the one in the table:
// it means the same, and is the same where no system has come since.
func becomes(t *testing.T, s *state.State, fragment, got, want string) {
	t.Helper()
	if got == want || *update {
		return
	}
	today := trainLab().Info
	come := len(state.FirstSystems(&today)) > len(seven().Systems)
	if was := read(t, strings.TrimPrefix(want, "now ")); !equal(s, &was) || !come {
		t.Errorf("%s\ngot  %s\nwant %s", fragment, got, want)
	}
}

// TestByHand: a laboratory that somebody wrote by hand opens, whatever version stands before it; what may
// be cut off is said to be, and is still of that laboratory.
func TestByHand(t *testing.T) {
	for _, fragment := range []string{"#lab=serve", "v=4&lab=serve", "#v=4&lab=serve", "v=4-by-hand&lab=serve"} {
		l, err := Parse(fragment)
		if err != nil || l.Lab != "serve" {
			t.Errorf("%s: %+v, %v", fragment, l, err)
		}
	}
	info := trainLab().Info
	l, err := Parse("#lab=train&view=whatif")
	if s, bad := Read(&info, l.Pairs); err != nil || bad != nil || s.View != state.WhatIf || !s.Setup.Equal(state.Opening(&info).Setup) {
		t.Errorf("a view of what a laboratory opens on: %s, %v, %v", s.Setup, err, bad)
	}
	l, err = Parse("v=4&lab=serve&preset=x")
	if err == nil || l.Lab != "serve" || !strings.Contains(err.Error(), "has no end") {
		t.Errorf("cut off: %+v, %v", l, err)
	}
	l, err = Parse("v=4&x=1&lab=serve")
	if err == nil || l.Lab != "serve" {
		t.Errorf("cut off behind the laboratory: %+v, %v", l, err)
	}
}
