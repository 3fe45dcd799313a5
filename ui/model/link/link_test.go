package link

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"spillway/build/effort"
	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/lab/train"
	"spillway/ui/model/state"
)

// trainLab is the laboratory that format 1 was about.
var trainLab = sync.OnceValue(train.New)

var update = flag.Bool("update", false, "write what links of older formats become into testdata")

// read reads a fragment as a page with only training does.
func read(t *testing.T, fragment string) state.State { return readBy(t, fragment, Read) }

// readBy is read by another reader.
func readBy(t *testing.T, fragment string, with func(*lab.Info, []knob.Pair) (state.State, error)) state.State {
	t.Helper()
	l, err := Parse(fragment)
	if err != nil {
		t.Fatalf("%s: %v", fragment, err)
	}
	if l.Lab != "train" && l.Lab != "" { // the first
		t.Fatalf("%s is about %q", fragment, l.Lab)
	}
	i := trainLab().Info
	s, err := with(&i, l.Pairs)
	if err != nil {
		t.Fatalf("%s: %v", fragment, err)
	}
	return s
}

// seven is training with the systems that there were when these tests were
// written: those added since are on by default, and in no link that is tested.
func seven() lab.Info {
	i := trainLab().Info
	i.Systems = slices.DeleteFunc(slices.Clone(i.Systems), func(s lab.System) bool {
		return !slices.Contains([]string{"ideal", "uvm", "flashneuron", "deepum+", "g10-gds", "g10-host", "g10"}, s.Name)
	})
	return i
}

// equal reports whether both show the same. A figure that is not shown is in no link.
func equal(a, b *state.State) bool {
	return a.Setup.Equal(b.Setup) && slices.Equal(a.On, b.On) && a.View == b.View && (a.View == state.Explore || a.Figure == b.Figure) && a.Look.Equal(b.Look) &&
		(a.Base == nil) == (b.Base == nil) && (a.Base == nil || a.Base.Equal(b.Base)) && slices.Equal(a.Beside(), b.Beside()) && slices.Equal(a.Zoom, b.Zoom)
}

// Links of format 1 are out there and mean what they meant. The table holds, for
// each, what the last program with format 1 (f87f2f7) read out of it: the first
// entry everything, the others what differs from it; and the link of format 2
// that it becomes. New links are added to it; its "is" lines never change.
func TestFormat1(t *testing.T) {
	const path = "testdata/format1.txt"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	i := trainLab().Info
	var first map[string]string
	var out strings.Builder
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for at := 0; at+2 < len(lines); at += 3 {
		fragment, is, now := lines[at], lines[at+1], lines[at+2]
		want := texts(t, strings.TrimPrefix(is, "is"))
		if first == nil {
			first = want
		}
		s := read(t, fragment)
		for key, text := range first {
			if other, ok := want[key]; ok {
				text = other
			} else if want["entry"] != "" && (key == "model" || key == "batch" || key == "times" || key == "gpu") {
				continue // an opened file has its own
			}
			if got := said(&s, key); got != text {
				t.Errorf("%s\n%s is %q, was %q", fragment, key, got, text)
			}
		}
		for _, key := range []string{"entry", "figure"} {
			if got := said(&s, key); got != want[key] {
				t.Errorf("%s\n%s is %q, was %q", fragment, key, got, want[key])
			}
		}
		link := Encode(&i, &s)
		if again := read(t, link); !equal(&s, &again) {
			t.Errorf("%s\nbecomes     %s\nwhich means %s", fragment, link, Encode(&i, &again))
		}
		becomes(t, &s, fragment, "now "+link, now)
		out.WriteString(fragment + "\n" + is + "\nnow " + link + "\n")
	}
	if first == nil {
		t.Fatal("no links")
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// texts reads a setup text into a map.
func texts(t *testing.T, text string) map[string]string {
	t.Helper()
	pairs, err := knob.Pairs(text)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for _, p := range pairs {
		m[p.Key] = p.Text
	}
	return m
}

// said is what a state says of a key of format 1.
func said(s *state.State, key string) string {
	switch key {
	case "systems":
		return strings.Join(s.On, ",")
	case "axis":
		return s.Look.Text(state.ByKey("memory"))
	case "view":
		return string(s.View)
	case "figure":
		if s.View == state.Explore {
			return ""
		}
		return strings.TrimPrefix(s.Figure, "g10.")
	}
	return s.Setup.Text(key)
}

// wild returns a state with random texts in it.
func wild(i *lab.Info, r *rand.Rand) state.State {
	s := state.Default(i)
	for _, u := range []*knob.Setup{s.Setup, s.Look} {
		for k := range u.Knobs() {
			if x := &u.Knobs()[k]; r.IntN(3) == 0 {
				_ = u.Set(x.Key, anyText(x, r)) // what the model's limits forbid stays
			}
		}
	}
	for _, sys := range i.Systems {
		if r.IntN(2) == 0 {
			s.Toggle(i, sys.Name)
		}
	}
	if r.IntN(2) == 0 {
		s.View = state.Reproduce
		s.Figure = []string{"", "g10.2", "g10.14", "g10.claims", "other.T1"}[r.IntN(5)]
	}
	return s
}

// wilder is wild with a baseline and runs side by side.
func wilder(i *lab.Info, r *rand.Rand) state.State {
	s := wild(i, r)
	other := func() *knob.Setup {
		o := wild(i, r)
		return o.Setup
	}
	if r.IntN(2) == 0 {
		s.Base = other()
	}
	if r.IntN(2) == 0 {
		s.View, s.Figure = state.Explore, ""
		_ = s.Look.Set(lab.WhyKey, lab.WhyKept)
		for k := range r.IntN(4) {
			s.Shown = append(s.Shown, state.Kept{Name: fmt.Sprint(k, []string{"", "ü & =", "a\nb+c %"}[r.IntN(3)]), System: i.Systems[r.IntN(len(i.Systems))].Name, Setup: other().String()})
		}
	}
	return s
}

// anyText is a text that the knob has by itself.
func anyText(k *knob.Info, r *rand.Rand) string {
	switch k.Kind {
	case knob.Number:
		return knob.Decimal(k.Min+r.Int64N(k.Max-k.Min+1), k.Scale)
	case knob.One:
		return k.Choices[r.IntN(len(k.Choices))].Key
	case knob.Many:
		var list []string
		for _, c := range k.Choices {
			if r.IntN(2) == 0 {
				list = append(list, c.Key)
			}
		}
		return strings.Join(list, ",")
	}
	return []string{"", "a", "BERT/256 ü&=#,x", "100 % + 1", "v=2&lab=x"}[r.IntN(5)]
}

func TestLinksReadBack(t *testing.T) {
	i := trainLab().Info
	n := 2000
	if testing.Short() {
		n = 200
	}
	for seed := range effort.Seeds(n) {
		s := wilder(&i, rand.New(rand.NewPCG(3, seed)))
		link := Encode(&i, &s)
		back := read(t, "#"+link)
		if !equal(&s, &back) {
			t.Fatalf("%s\nreads as %s\nfor %s %v %s %s %s", link, Encode(&i, &back), s.Setup, s.On, s.View, s.Figure, s.Look)
		}
		if strings.ContainsAny(link, " \"<>#") || !strings.HasPrefix(link, "v=4&lab=train&") {
			t.Errorf("%s is no good link", link)
		}
	}
}

// A link names what is on, so that a new system is in none that is out there; a
// new setting is as it is by default.
func TestNewSystemsChangeNoOldLink(t *testing.T) {
	old := trainLab().Info
	i := old
	i.Systems = slices.Insert(slices.Clone(old.Systems), 1, lab.System{Name: "newest", Title: "Newest", Look: 99})
	i.Knobs = append(slices.Clone(old.Knobs), knob.Info{Key: "newest", Label: "Newest", Scale: 1, Min: 0, Max: 9, Default: "7"})
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		s := wild(&old, r)
		l, err := Parse(Encode(&old, &s))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(&i, l.Pairs)
		if err != nil || !slices.Equal(got.On, s.On) || got.Setup.Text("newest") != "7" {
			t.Errorf("%v: on %v, were %v", err, got.On, s.On)
		}
		if got.Setup.String() != s.Setup.String() || got.View != s.View || got.Look.Text(state.FocusKey) != s.Look.Text(state.FocusKey) {
			t.Errorf("got  %s\nwant %s", Encode(&i, &got), Encode(&old, &s))
		}
	}
	l, err := Parse("v=1&without=uvm")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read(&i, l.Pairs)
	if want := []string{"ideal", "flashneuron", "deepum+", "g10-gds", "g10-host", "g10"}; err != nil || !slices.Equal(s.On, want) {
		t.Errorf("a link of format 1 turns on %v (%v), want %v", s.On, err, want)
	}
	if d := state.Default(&i); !slices.Contains(d.On, "newest") {
		t.Error("the new system is not on at first")
	}
}

func TestLinksThatCannotBeRead(t *testing.T) {
	i := seven()
	now := state.Default(&i)
	then := now.Clone() // what until2 adds is no loss
	if err := errors.Join(then.Setup.Set("fault_batch", "256"), then.Look.Set(state.FocusKey, "uvm")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ link, want string }{
		{"v=5&lab=train&tomorrow=1", "this link was made by a newer Spillway (format 5; this one reads up to 4)"},
		{"model=bert-base", "names no version"},
		{"v=0", `the version "0", which never existed`},
		{"v=one", `the version "one", which never existed`},
		{"v=1&%zz", "damaged"},
		{"v=2&mode=%zz", "damaged"},
		{"v=2&mode", "damaged"},
		{"v=1&model=lenet-5", `unknown model "lenet-5"; of 132 the most alike are `},
		{"v=1&batch=0", "Batch size is 0; want 1 to"},
		{"v=1&gpu=abacus", `"abacus"; of 55 the most alike are `},
		{"v=1&model=resnet-50&batch=64&times=as-paper", `kernel times "as-paper" is not possible here: no other kernel times of ResNet-50 are known; there are estimated`},
		{"v=1&times=guessed", `unknown kernel times "guessed"; there are as-paper, estimated`},
		{"v=1&machine=abacus", `unknown preset "abacus"; there are g10-table-2`},
		{"v=1&gpu_memory=lots", `"lots" is not a number`},
		{"v=1&gpu_memory=0", "GPU memory is 0 GiB; want"},
		{"v=1&ssd=tape", `"tape"; there are fixed, z-nand`},
		{"v=1&mode=perfect", `unknown fidelity "perfect"; there are published, corrected, or some of profile-penalty`},
		{"v=1&without=magic", `unknown system "magic"`},
		{"v=2&systems=g10,magic", `unknown system "magic"; there are ideal, uvm`},
		{"v=1&axis=up", `"up"; there are time, kernel`},
		{"v=2&by-memory=up", `"up"; there are time, kernel`},
		{"v=2&focus=magic", `"magic"; there are ideal`},
		{"v=1&view=secret", `unknown view "secret"`},
		{"v=1&color=red", `unknown setting "color"`},
	} {
		l, err := Parse(tt.link)
		s, bad := Read(&i, l.Pairs)
		d := &now
		if len(l.Pairs) > 0 && l.Pairs[0].Text < "3" {
			d = &then
		}
		if tt.link == "v=2&focus=magic" { // then today's
			d = &state.State{Setup: then.Setup, On: then.On, View: then.View, Look: now.Look}
		}
		if err == nil {
			err = bad
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v; want %q in it", tt.link, err, tt.want)
		}
		if strings.Contains(tt.link, "resnet-50") {
			d := d.Clone()
			_ = d.Setup.Set("model", "resnet-50")
			_ = d.Setup.Set("batch", "64")
			if !equal(&s, &d) {
				t.Errorf("%s: the rest of the link is lost: %s", tt.link, Encode(&i, &s))
			}
			continue
		}
		if s.On = slices.DeleteFunc(s.On, func(string) bool { return tt.link == "v=2&systems=g10,magic" }); len(s.On) == 0 {
			s.On = d.On
		}
		if got := strings.Replace(s.Setup.String(), "batch=1 ", "batch=256 ", 1); got != d.Setup.String() || !slices.Equal(s.On, d.On) || s.View != d.View || !s.Look.Equal(d.Look) {
			t.Errorf("%s: what cannot be read must leave the default, got %s", tt.link, Encode(&i, &s))
		}
	}
	l, err := Parse("v=1&batch=8&gpu_memory=x&host_memory=64")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Read(&i, l.Pairs); err == nil || s.Setup.Text("batch") != "8" || s.Setup.Text("host_memory") != "64" {
		t.Errorf("one bad value must not lose the others: %s, %v", s.Setup, err)
	}
}

func TestLinkTexts(t *testing.T) {
	for fragment, lab := range map[string]string{"": "", "#": "", "v=1": "", "v=2&model=bert-base": "", "v=2&lab=bakery&oven=hot": "bakery"} {
		if l, err := Parse(fragment); err != nil || l.Lab != lab {
			t.Errorf("%q is about %q, %v; want %q", fragment, l.Lab, err, lab)
		}
	}
	i := seven()
	s := state.Default(&i)
	const link = "v=4&lab=train&preset=g10-paper:c9dc5&systems=7:1e78e&focus=g10&end=3f072"
	if got := Encode(&i, &s); got != link {
		t.Errorf("got  %s\nwant %s", got, link)
	}
	s.On, s.View, s.Figure = []string{"g10"}, state.Reproduce, "g10.16"
	for key, text := range map[string]string{"gpu_memory": "24.5", "entry": "BERT/256 ü&=#,x", "mode": "arrival-order,no-promotion"} {
		if err := s.Setup.Set(key, text); err != nil {
			t.Fatal(err)
		}
	}
	const other = "v=4&lab=train&preset=g10-paper:c9dc5&entry=BERT/256+%C3%BC%26=%23,x&gpu_memory=24.5&mode=arrival-order,no-promotion&systems=g10&view=reproduce&figure=g10.16&by-memory=kernel&focus=g10&end=19f57"
	if err := s.Look.Set(state.ByKey("memory"), "kernel"); err != nil {
		t.Fatal(err)
	}
	if got := Encode(&i, &s); got != other {
		t.Errorf("got  %s\nwant %s", got, other)
	}
}

// Links up to format 2 that do not name faults per batch mean 256 of them, which
// was the default.
func TestFormat2(t *testing.T) {
	for fragment, want := range map[string]string{
		"v=1&mode=corrected": "256", "v=2&lab=train&mode=corrected": "256", "v=2&mode=corrected": "256", "v=2&fault_batch=32": "32",
		"v=2&machine=rtx-4090-pcie-4-990-pro": "256", "v=3&lab=train&mode=corrected": "26", "v=3&fault_batch=256": "256",
	} {
		s := read(t, fragment)
		if got := s.Setup.Text("fault_batch"); got != want {
			t.Errorf("%s has %s faults per batch; want %s", fragment, got, want)
		}
	}
}

// FuzzReadLink reads any fragment: what it makes has a link that means the same.
func FuzzReadLink(f *testing.F) {
	f.Add("v=1&model=bert-base&batch=256&times=as-paper&gpu_memory=24.5")
	f.Add("v=1&mode=arrival-order,no-promotion&without=uvm&axis=kernel")
	f.Add("v=1&entry=a%20b&machine=x&%")
	f.Add("v=2&lab=train&systems=g10&by-memory=kernel&focus=uvm&part-gpu=h100-80&view=reproduce&figure=g10.3")
	f.Add("v=4&lab=train&preset=g10-paper:c9dc5&gpu_memory=32&systems=7:1e78e,-uvm&base=gpu_memory=24+ssd=fixed&zoom=memory:12.5-40&end=00000")
	f.Add("v=4-by-hand&preset=vit-h100&systems=g10,-g10,x&view=compare&run=name=a+system=g10+preset=none+batch=3&base=preset=nothing:1&zoom=a:1-2,b:0-100")
	f.Add("v=5&lab=train&preset=vit-h100:00000&systems=6:1e78e&zoom=::-")
	f.Add("v=2&lab=train&base=gpu_memory%3D24+ssd%3Dfixed&view=compare&run=name%3Da+system%3Dg10+batch%3D128&run=name%3D")
	i := trainLab().Info
	f.Fuzz(func(t *testing.T, fragment string) {
		l, _ := Parse(fragment)
		s, _ := Read(&i, l.Pairs)
		link := Encode(&i, &s)
		l, err := Parse(link)
		if err != nil {
			t.Fatalf("%q\nbecomes %s: %v", fragment, link, err)
		}
		again, err := Read(&i, l.Pairs)
		if got := Encode(&i, &again); err != nil || !equal(&s, &again) || got != link {
			t.Fatalf("%q\nmeans      %s\nthat means %s (%v)", fragment, link, got, err)
		}
		for cut := 1; cut < len(link); cut += 1 + len(link)/10 { // half a link is no other link
			l, err := Parse(link[:cut])
			if _, bad := Read(&i, l.Pairs); err == nil && bad == nil && !l.Empty && cut < len(link)-len("12345") {
				t.Fatalf("%s\nreads as if nothing were missing", link[:cut])
			}
		}
	})
}
