package knob

import (
	"fmt"
	"strings"
	"testing"
)

// kitchen is a small laboratory: a dish with its portions, an oven with presets.
func kitchen() []Info {
	number := func(key string, def string, min, max int64) Info {
		return Info{Key: key, Label: strings.ToUpper(key[:1]) + key[1:], Scale: 1, Min: min, Max: max, Default: def}
	}
	portions := number("portions", "4", 1, 100)
	portions.Always = true
	return []Info{
		{Key: "dish", Label: "Dish", Kind: One, Default: "soup", Always: true, Choices: []Choice{
			{Key: "soup", Set: "portions=4", Limits: []Limit{{Key: "portions", Min: 1, Max: 50}}},
			{Key: "cake", Set: "portions=12", Limits: []Limit{{Key: "portions", Min: 6, Max: 20}, {Key: "heat", Choices: []string{"gas"}}}},
		}},
		portions,
		{Key: "heat", Label: "Heat", Kind: One, Default: "wood", Choices: []Choice{{Key: "wood"}, {Key: "gas", Ineffective: []string{"watts"}, Why: "gas has none"}}},
		{Key: "oven", Label: "Oven", Kind: One, Default: "old", Choices: []Choice{{Key: "old"}, {Key: "new", Set: "watts=3000 heat=gas"}}},
		{Key: "size", Label: "Size", Kind: One, Derived: true, Choices: []Choice{{Key: "small", Set: "watts=1000"}, {Key: "large", Set: "watts=3000"}}},
		number("watts", "1000", 100, 5000),
		{Key: "spice", Label: "Spice", Kind: Many, Default: "hot", Choices: []Choice{{Key: "salt"}, {Key: "chili"}}, Sets: []Choice{{Key: "hot", Set: "salt,chili"}, {Key: "mild", Set: ""}}},
		{Key: "note", Label: "Note", Kind: Word},
	}
}

func TestSetup(t *testing.T) {
	u := NewSetup(kitchen())
	want := func(text string) {
		t.Helper()
		if got := u.String(); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	set := func(key, text string) {
		t.Helper()
		if err := u.Set(key, text); err != nil {
			t.Error(err)
		}
	}
	want("dish=soup portions=4")
	set("portions", " 7.0 ")
	want("dish=soup portions=7")
	set("dish", "cake") // brings its portions and allows gas only
	want("dish=cake portions=12 heat=gas")
	if err := u.Set("portions", "50"); err == nil || err.Error() != "Portions is 50; want 6 to 20" {
		t.Errorf("got %v", err)
	}
	if err := u.Set("heat", "wood"); err == nil || !strings.Contains(err.Error(), "not possible here; there are gas") {
		t.Errorf("got %v", err)
	}
	set("oven", "new")
	want("dish=cake portions=12 oven=new")
	if u.Text("size") != "large" || u.Moot("watts") != "gas has none" || u.Changed("watts") {
		t.Errorf("size %q, moot %q", u.Text("size"), u.Moot("watts"))
	}
	set("watts", "2000")
	if u.Text("size") != "" || !u.Changed("watts") {
		t.Errorf("size %q", u.Text("size"))
	}
	set("size", "small")
	want("dish=cake portions=12 oven=new watts=1000")
	u.Reset("watts")
	set("spice", "chili,salt")
	want("dish=cake portions=12 oven=new")
	set("spice", "chili")
	set("note", "less salt, 5 % & more")
	want("dish=cake portions=12 oven=new spice=chili note=less+salt,+5+%25+%26+more")
	v := NewSetup(kitchen())
	pairs, err := Pairs(u.String())
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Apply(pairs); err != nil || !u.Equal(v) {
		t.Errorf("read again: %v, %v", v, err)
	}
	set("spice", "")
	if u.Text("spice") != "mild" {
		t.Errorf("spice is %q", u.Text("spice"))
	}
}

func TestApplySaysEverything(t *testing.T) {
	u := NewSetup(kitchen())
	err := u.Apply([]Pair{{"dish", "stew"}, {"watts", "9"}, {"color", "red"}, {"portions", "80"}, {"spice", "sugar"}, {"note", "x"}})
	for _, want := range []string{`unknown dish "stew"; there are soup, cake`, "Watts is 9; want 100 to 5000", `unknown setting "color"`, "Portions is 80; want 1 to 50", `unknown spice "sugar"; there are hot, mild, or some of salt, chili`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
	if got := u.String(); got != "dish=soup portions=50 note=x" {
		t.Errorf("got %q", got)
	}
}

// FuzzApply applies any text: what it makes prints as a text that makes the same.
func FuzzApply(f *testing.F) {
	f.Add("dish=cake heat=gas watts=1e3 spice=salt")
	f.Add("oven=new&watts=300&size=small&note=%41+b")
	f.Add("a=%zz")
	f.Fuzz(func(t *testing.T, text string) {
		pairs, err := Pairs(text)
		if err != nil {
			return
		}
		u := NewSetup(kitchen())
		_ = u.Apply(pairs)
		again, err := Pairs(u.String())
		if err != nil {
			t.Fatalf("%q: %v", u, err)
		}
		v := NewSetup(kitchen())
		if err := v.Apply(again); err != nil || !u.Equal(v) {
			t.Errorf("%q becomes %q, which becomes %q (%v)", text, u, v, err)
		}
	})
}

func TestPairs(t *testing.T) {
	for text, want := range map[string]string{
		"":               "",
		" a=1  b=2&c=":   "a=1 b=2 c=",
		"a":              `"a" is no setting; want key=value`,
		"=1":             `"=1" is no setting; want key=value`,
		"a=%z":           `the value of a, "%z", is damaged`,
		"e=x@1,2:3/4%20": "e=x@1,2:3/4+",
	} {
		pairs, err := Pairs(text)
		got := Join(pairs, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// A derived knob shows what holds; of several the one whose companion holds, now or
// in what the settings go back to. Choosing brings the companion along.
func TestAlso(t *testing.T) {
	part := func(key, memory, speed string) Choice {
		return Choice{Key: key, Label: key, Set: "memory=" + memory, Suggests: "speed=" + speed}
	}
	number := func(key, text string) Info {
		return Info{Key: key, Label: key, Help: key, Scale: 1, Max: 100, Default: text}
	}
	u := NewSetup([]Info{
		{Key: "machine", Label: "Machine", Help: "All.", Kind: One, Default: "a", Choices: []Choice{
			{Key: "a", Set: "memory=40", Suggests: "speed=1"}, {Key: "b", Set: "memory=80", Suggests: "speed=3"},
		}},
		{Key: "part", Label: "Part", Help: "One.", Kind: One, Derived: true, Choices: []Choice{part("small", "40", "1"), part("slow", "80", "2"), part("fast", "80", "3")}},
		number("memory", "40"), number("speed", "1"),
	})
	set := func(key, text string) {
		t.Helper()
		if err := u.Set(key, text); err != nil {
			t.Fatal(err)
		}
	}
	want := func(part, speed string) {
		t.Helper()
		if u.Text("part") != part || u.Text("speed") != speed {
			t.Errorf("part %s, speed %s; want %s, %s", u.Text("part"), u.Text("speed"), part, speed)
		}
	}
	want("small", "1")
	set("part", "fast")
	want("fast", "3")
	set("speed", "9") // both are possible; the machine says neither
	want("slow", "9")
	set("machine", "b")
	want("fast", "3")
	set("speed", "9") // the machine says which
	want("fast", "9")
	set("memory", "50")
	want("", "9")
	if err := u.Apply([]Pair{{"machine", "b"}, {"speed", "2"}}); err != nil { // what is named counts more
		t.Fatal(err)
	}
	want("slow", "2")
}

// setup returns the kitchen with a text's settings.
func setup(t *testing.T, text string) *Setup {
	t.Helper()
	u := NewSetup(kitchen())
	pairs, err := Pairs(text)
	if err == nil {
		err = u.Apply(pairs)
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return u
}

func TestDiffer(t *testing.T) {
	for _, x := range []struct{ was, is, want string }{
		{"dish=soup", "dish=soup", ""},
		{"dish=soup", "dish=soup portions=8", "portions: 4, 8"},
		{"dish=soup", "dish=soup watts=2000", "watts: 1000, 2000"},
		{"dish=soup", "dish=soup size=large", "size: small, large"}, // a part stands for its numbers
		{"watts=2000", "size=large", "watts: 2000, 3000"},           // it was no part
		{"dish=soup", "oven=new", "oven: old, new"},                 // a preset stands for all that comes with it
		{"dish=soup", "oven=new watts=1500", "oven: old, new; watts: 1000, 1500"},
		{"dish=soup", "oven=new heat=wood", "oven: old, new"},
		{"dish=soup", "dish=cake heat=gas", "dish: soup, cake; heat: wood, gas"},
		{"spice=hot", "spice=chili note=x", "spice: hot, chili; note: , x"},
	} {
		var said []string
		for _, d := range Differ(setup(t, x.was), setup(t, x.is)) {
			said = append(said, d.Knob.Key+": "+d.Was+", "+d.Is)
		}
		if got := strings.Join(said, "; "); got != x.want {
			t.Errorf("%s, then %s:\n got %s\nwant %s", x.was, x.is, got, x.want)
		}
	}
}

// A setup comes back from its difference to any other.
func TestFrom(t *testing.T) {
	var all []*Setup
	for _, dish := range []string{"dish=soup", "dish=cake heat=gas"} {
		for _, oven := range []string{"", " oven=new", " oven=new heat=gas watts=1000", " oven=old heat=gas watts=3000"} {
			for _, rest := range []string{"", " portions=9", " spice=mild note=a+b"} {
				all = append(all, setup(t, dish+oven+rest))
			}
		}
	}
	for _, base := range all {
		for _, u := range all {
			pairs := u.From(base)
			v := base.Clone()
			if err := v.Apply(pairs); err != nil || !v.Equal(u) {
				t.Errorf("from %s by %v: %s, %v; want %s", base, pairs, v, err, u)
			}
			if u.Equal(base) && len(pairs) > 0 {
				t.Errorf("%s differs from itself by %v", u, pairs)
			}
		}
	}
}

// TestWithin: of two numbers of which one is within the other, whoever sets one moves the other, and
// whoever sets both so that they contradict is told.
func TestWithin(t *testing.T) {
	number := func(key, within string) Info {
		return Info{Key: key, Label: key, Kind: Number, Scale: 1, Min: 0, Max: 100, Default: "8", Within: within, WithinWhy: "a part"}
	}
	infos := []Info{number("micro", "batch"), number("batch", "")}
	infos[0].Default = "0"
	for _, tt := range []struct{ apply, micro, batch, fails string }{
		{"micro=2", "2", "8", ""},
		{"micro=16", "16", "16", ""},
		{"batch=4", "0", "4", ""},
		{"micro=4 batch=4", "4", "4", ""},
		{"batch=1 micro=2", "1", "1", "micro=2 is more than batch=1: a part; set micro to at most 1, or batch to 2 or more"},
	} {
		u := NewSetup(infos)
		err := u.Read(tt.apply)
		if said := fmt.Sprint(err); (err != nil || tt.fails != "") && said != tt.fails {
			t.Errorf("%s: got %v, want %q", tt.apply, err, tt.fails)
		}
		if u.Text("micro") != tt.micro || u.Text("batch") != tt.batch {
			t.Errorf("%s: got %v, want micro=%s batch=%s", tt.apply, u, tt.micro, tt.batch)
		}
	}
	u := NewSetup(infos)
	for _, set := range [][4]string{{"micro", "6", "6", "8"}, {"batch", "3", "3", "3"}, {"micro", "5", "5", "5"}} {
		if err := u.Set(set[0], set[1]); err != nil || u.Text("micro") != set[2] || u.Text("batch") != set[3] {
			t.Errorf("after %s=%s: %v, %v; want micro=%s batch=%s", set[0], set[1], u, err, set[2], set[3])
		}
	}
}

// TestPartsAfterTheWhole: a part that is named beside a whole machine takes its place, wherever it stands.
func TestPartsAfterTheWhole(t *testing.T) {
	number := func(key string) Info {
		return Info{Key: key, Label: key, Kind: Number, Scale: 1, Min: 0, Max: 1000, Default: "0"}
	}
	infos := []Info{
		{Key: "machine", Kind: One, Default: "none", Choices: []Choice{{Key: "none"}, {Key: "big", Set: "host=64 link=8 gpu=24"}}},
		{Key: "part", Kind: One, Derived: true, Choices: []Choice{{Key: "more", Set: "host=512"}, {Key: "fast", Set: "link=50"}}},
		number("host"), number("link"), number("gpu"),
	}
	for text, want := range map[string]string{
		"machine=big":                           "64 8 24",
		"machine=big part=more":                 "512 8 24",
		"part=fast machine=big":                 "64 50 24",
		"part=more":                             "512 0 0",
		"machine=big part=more host=5 link=100": "5 100 24",
	} {
		u := NewSetup(infos)
		if err := u.Read(text); err != nil {
			t.Error(text, err)
		}
		if got := u.Text("host") + " " + u.Text("link") + " " + u.Text("gpu"); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// TestIdle: a setting changes nothing while others are as it says, of numbers in a span and of choices among some.
func TestIdle(t *testing.T) {
	list := kitchen()
	for i := range list {
		if list[i].Key == "note" {
			list[i].Idle = []Idle{{While: "portions=1..3", Why: "few eat"}, {While: "portions=7 heat=gas,coal", Why: "gas for seven"}}
		}
	}
	for text, want := range map[string]string{
		"portions=1": "few eat", "portions=3": "few eat", "portions=4": "", "portions=7": "", "portions=7 heat=gas": "gas for seven", "portions=8 heat=gas": "",
	} {
		u := NewSetup(list)
		if err := u.Read(text); err != nil || u.Moot("note") != want {
			t.Errorf("%s: %q, %v; want %q", text, u.Moot("note"), err, want)
		}
	}
}
