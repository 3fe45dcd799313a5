package lab_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/ui/lab"
)

// A brew is the settings of an invented laboratory.
type brew struct {
	Bean, File string
	Grams      int64
}

// A pot is what it runs, a cup its result.
type (
	pot struct{ bean string }
	cup struct {
		system, bean string
		grams        int64
	}
)

// beans are its opened files.
type beans []lab.Entry

func (b beans) Entries() []lab.Entry { return b }
func (b beans) Notes() []string      { return nil }

// seen is a section that says all that it is told.
func seen(key string) func(*lab.View[brew, pot, cup]) (*report.Section, error) {
	return func(v *lab.View[brew, pot, cup]) (*report.Section, error) {
		return &report.Section{Text: []string{fmt.Sprint(key, v.Look, v.Settings.Grams, v.Workload.bean, v.System)}}, nil
	}
}

// A cafe is an invented laboratory whose workloads are counted when they load.
func cafe(loads *int) lab.Spec[brew, pot, cup] {
	return lab.Spec[brew, pot, cup]{
		Info: lab.Info{
			Name:    "cafe",
			Systems: []lab.System{{Name: "drip", Title: "Drip"}, {Name: "press", Title: "Press", Look: 1}},
			Charts:  []report.Chart{{ID: "strength", Of: []string{"strength"}, By: []report.Variant{{Key: "time"}}}},
			Panels:  []lab.Panel{{Key: "what"}},
			Say:     lab.Say{Quantity: "strength"}, Entry: "ground",
		},
		Default: brew{Bean: "mocha", Grams: 7},
		Knobs: map[string][]knob.Knob[brew]{"what": {
			{Info: knob.Info{Key: "bean", Label: "Bean", Help: "Which.", Kind: knob.One, Choices: []knob.Choice{{Key: "mocha"}, {Key: "java", Set: "grams=9"}}}, Word: func(s *brew) *string { return &s.Bean }},
			knob.Int(knob.Info{Key: "grams", Label: "Grams", Help: "How many.", Scale: 1, Min: 1, Max: 50}, func(s *brew) *int64 { return &s.Grams }),
			{Info: knob.Info{Key: "ground", Label: "File", Help: "Opened.", Kind: knob.Word}, Word: func(s *brew) *string { return &s.File }},
		}},
		Check: func(s *brew) error {
			if s.Bean == "java" && s.Grams > 20 {
				return errors.New("too strong")
			}
			return nil
		},
		Accept: func([]byte, []lab.File) (lab.Files, error) { return beans{{Name: "a"}}, nil },
		Source: func(s *brew) string { return s.Bean + s.File },
		Load: func(s *brew, f lab.Files) (pot, error) {
			*loads++
			if s.File == "none" {
				return pot{}, errors.New("no such file")
			}
			return pot{s.Bean}, nil
		},
		Run: func(w pot, s *brew, system string, _ lab.Progress) (cup, error) {
			if s.Grams == 13 {
				return cup{}, errors.New("unlucky")
			}
			return cup{system, w.bean, s.Grams}, nil
		},
		Report: func(w pot, s *brew, r cup) *report.Report {
			return &report.Report{Fits: s.Grams < 40, Curves: []report.Curve{{Chart: "foam"}, {Chart: "warmth", X: []float64{1}, Y: []float64{2}}}}
		},
		Measures: []report.Measure[*lab.Run[brew, pot, cup]]{
			{Quantity: report.Quantity{Key: "strength"}, Most: 30, Of: func(r *lab.Run[brew, pot, cup]) float64 { return float64(r.Result.grams) }},
			{Quantity: report.Quantity{Key: "rest_g"}, Of: func(*lab.Run[brew, pot, cup]) float64 { return report.None() }},
		},
		JSON: func(r cup) ([]byte, error) { return []byte(r.bean), nil },
		Hash: func(r cup) string { return r.system },
		Sections: []lab.Shown[brew, pot, cup]{
			{Section: lab.Section{Key: "foam", Run: true, Knobs: []knob.Info{{Key: "milk", Label: "Milk", Help: "How much.", Scale: 1, Max: 9, Default: "0"}}}, Show: seen("foam")},
			{Section: lab.Section{Key: "menu"}, Show: seen("menu")},
		},
		Studies: []lab.Study[brew, pot, cup]{lab.Reproduce[brew, pot, cup](lab.PaperInfo{Key: "taste", Title: "Taste"}, func() *study.Paper {
			return &study.Paper{
				Key: "taste", Systems: []string{"drip"}, Names: map[string]string{"drip": "Drip", "strength": "strength"},
				Points:  []study.Point{{Figure: "1", Quantity: "strength", System: "drip", Set: "bean=java", Value: 9, Fits: true}},
				Figures: []study.Figure{{ID: "1", Analyses: []study.Run{{Name: "smell", Set: "bean=mocha"}}}},
			}
		}, study.Reader[string, struct{}]{Analyze: func(run, bean string) (*study.Outcome, error) {
			if run != "smell" {
				return nil, fmt.Errorf("taste has no run %q", run)
			}
			return &study.Outcome{Run: run, Fits: true, Reason: bean}, nil
		}}, func(w pot) string { return w.bean }, nil)},
		Complete: func(i *lab.Info) { i.About = "complete" },
	}
}

func TestInvented(t *testing.T) {
	loads := 0
	l := lab.New(cafe(&loads))
	u := l.Setup()
	if u.String() != "" || len(l.Knobs) != 3 || l.Knobs[1].Default != "7" || l.Knobs[1].Panel != "what" {
		t.Errorf("%q, %+v", u, l.Knobs)
	}
	r, raw, err := l.Run(u, "press", nil, nil)
	if v, ok := r.Value(l.Quantity("strength")); err != nil || v != 7 || !ok || l.Hash(raw) != "press" {
		t.Errorf("%+v, %v", r, err)
	}
	if len(r.Curves) != 1 || r.Curves[0].Chart != "warmth" {
		t.Errorf("a curve without a point is one: %+v", r.Curves)
	}
	if _, ok := r.Value(l.Quantity("rest_g")); ok {
		t.Error("there is a value that there is not")
	}
	if text, err := l.JSON(raw); string(text) != "mocha" || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	if _, _, err := l.Run(u, "drip", nil, nil); err != nil || loads != 1 {
		t.Errorf("%d loads for one workload, %v", loads, err)
	}
	set := func(key, text string) {
		t.Helper()
		if err := u.Set(key, text); err != nil {
			t.Fatal(err)
		}
	}
	set("grams", "8")
	if _, _, err := l.Run(u, "drip", nil, nil); err != nil || loads != 1 {
		t.Errorf("%d loads, %v", loads, err)
	}
	set("bean", "java")
	set("grams", "21")
	for _, do := range []func() error{
		func() error { return l.Check(u) },
		func() error { _, _, err := l.Run(u, "drip", nil, nil); return err },
		func() error {
			_, err := l.Section("foam", knob.NewSetup(l.Sections[0].Knobs), u, "drip", nil, nil)
			return err
		},
	} {
		if err := do(); err == nil || err.Error() != "too strong" {
			t.Errorf("%v", err)
		}
	}
	set("grams", "13")
	if _, _, err := l.Run(u, "drip", nil, nil); err == nil || err.Error() != "unlucky" || loads != 2 {
		t.Errorf("%v, %d loads", err, loads)
	}
	set("ground", "none")
	for range 2 { // what could not be loaded is tried again
		if _, _, err := l.Run(u, "drip", nil, nil); err == nil || err.Error() != "no such file" {
			t.Error(err)
		}
	}
	set("ground", "a")
	set("grams", "5")
	if f, err := l.Accept(nil, nil); err != nil || len(f.Entries()) != 1 {
		t.Errorf("%v, %v", f, err)
	}
	g := beans{{Name: "a"}, {Name: "b"}}
	before := loads
	for _, f := range []*beans{&g, &g, {}} {
		if _, _, err := l.Run(u, "drip", f, nil); err != nil {
			t.Error(err)
		}
	}
	if loads != before+2 {
		t.Errorf("%d loads of two sets of files", loads-before)
	}
	if _, _, err := l.Run(u, "siphon", nil, nil); err == nil || err.Error() != `unknown system "siphon"; there are drip, press` {
		t.Error(err)
	}
	if i := l.Complete(); i.About != "complete" || l.About != "" {
		t.Errorf("%q, %q", i.About, l.About)
	}
	if l.Quantity("x") != -1 {
		t.Error("a quantity that there is not")
	}
}

func TestSection(t *testing.T) {
	loads := 0
	l := lab.New(cafe(&loads))
	view := knob.NewSetup(l.Sections[0].Knobs)
	if err := view.Set("milk", "3"); err != nil {
		t.Fatal(err)
	}
	s, err := l.Section("menu", knob.NewSetup(nil), l.Setup(), "drip", nil, nil)
	if err != nil || s.Text[0] != "menu 7drip" || loads != 0 {
		t.Errorf("%+v, %v, %d loads", s, err, loads)
	}
	if s, err = l.Section("foam", view, l.Setup(), "drip", nil, nil); err != nil || s.Text[0] != "foammilk=3 7mochadrip" || loads != 1 {
		t.Errorf("%+v, %v, %d loads", s, err, loads)
	}
	if _, err = l.Section("steam", view, l.Setup(), "drip", nil, nil); err == nil || err.Error() != `laboratory cafe has no section "steam"` {
		t.Error(err)
	}
}

func TestMeasure(t *testing.T) {
	loads := 0
	l := lab.New(cafe(&loads))
	p, err := l.Paper("taste")
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := l.Paper("taste"); again != p {
		t.Error("a paper is built twice")
	}
	if _, err := l.Paper("smell"); err == nil || err.Error() != `unknown paper "smell"; there are taste` {
		t.Error(err)
	}
	o, raw, err := l.Measure(p, "drip bean=java", "bean=java", nil, nil)
	if err != nil || !o.Fits || !reflect.DeepEqual(o.Values, []float64{9}) || l.Hash(raw) != "drip" {
		t.Errorf("%+v, %v", o, err)
	}
	o, raw, err = l.Measure(p, "smell", "bean=mocha", nil, nil)
	if err != nil || raw != nil || o.Reason != "mocha" {
		t.Errorf("%+v, %v", o, err)
	}
	o, _, err = l.Measure(p, "drip bean=java", "bean=mocha grams=45", nil, nil)
	if err != nil || o.Fits || o.Values != nil {
		t.Errorf("%+v, %v", o, err)
	}
	for set, want := range map[string]string{
		"bean=java grams=30":    "too strong",
		"bean=java grams=13":    "unlucky",
		"bean=tea":              `unknown bean "tea"`,
		"tea":                   "want key=value",
		"bean=java ground=none": "no such file",
	} {
		if _, _, err := l.Measure(p, "drip bean=java", set, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", set, err)
		}
	}
	if _, _, err := l.Measure(p, "nothing", "", nil, nil); err == nil || !strings.Contains(err.Error(), `has no run "nothing"`) {
		t.Error(err)
	}
	p = &study.Paper{Key: "plain"}
	if _, _, err := l.Measure(p, "nothing", "", nil, nil); err == nil || err.Error() != `plain has no run "nothing"` {
		t.Error(err)
	}
}

// What contradicts in a declaration stops the program where it is declared.
func TestRefused(t *testing.T) {
	type spec = lab.Spec[brew, pot, cup]
	knobs := func(s *spec) []knob.Knob[brew] { return s.Knobs["what"] }
	for want, change := range map[string]func(*spec){
		`knob "view": the name is taken or empty`:           func(s *spec) { knobs(s)[1].Key = "view" },
		`knob "bean": the name is taken or empty`:           func(s *spec) { knobs(s)[1].Key = "bean" },
		`knob "": the name is taken or empty`:               func(s *spec) { knobs(s)[1].Key = "" },
		`knob "focus": the name is taken or empty`:          func(s *spec) { s.Sections[0].Knobs[0].Key = "focus" },
		`knob "grams": the name is taken or empty`:          func(s *spec) { s.Sections[0].Knobs[0].Key = "grams" },
		`knob "by-strength": the name is taken or`:          func(s *spec) { knobs(s)[1].Key = "by-strength" },
		`knob "ask": the name is kept for questions`:        func(s *spec) { knobs(s)[1].Key = "ask" },
		`knob "ask-new": the name is kept for questions`:    func(s *spec) { s.Sections[0].Knobs[0].Key = "ask-new" },
		`knob "grams": no label or help`:                    func(s *spec) { knobs(s)[1].Help = "" },
		`knob "milk": no label or help`:                     func(s *spec) { s.Sections[0].Knobs[0].Label = "" },
		`knob "grams": the default: Grams is 51; want`:      func(s *spec) { s.Default.Grams = 51 },
		`knob "bean": the default: unknown bean "tea"`:      func(s *spec) { s.Default.Bean = "tea" },
		`knob "milk": the default: milk=00 is printed "0"`:  func(s *spec) { s.Sections[0].Knobs[0].Default = "00" },
		`knob "grams": there is no knob "water"`:            func(s *spec) { knobs(s)[1].Ceiling = "water" },
		`knob "bean", choice "java": there is no knob "x"`:  func(s *spec) { knobs(s)[0].Choices[1].Set = "x=1" },
		`knob "bean", choice "java": "x" is no setting`:     func(s *spec) { knobs(s)[0].Choices[1].Set = "x" },
		`choice "java": grams=9.0 is printed "9"`:           func(s *spec) { knobs(s)[0].Choices[1].Set = "grams=9.0" },
		`choice "java": Grams is 99; want 1 to 50`:          func(s *spec) { knobs(s)[0].Choices[1].Set = "grams=99" },
		`choice "java": there is no knob "y"`:               func(s *spec) { knobs(s)[0].Choices[1].Limits = []knob.Limit{{Key: "y"}} },
		`choice "java": there is no knob "z"`:               func(s *spec) { knobs(s)[0].Choices[1].Ineffective = []string{"z"} },
		`idle while "z=1": there is no knob "z"`:            func(s *spec) { knobs(s)[1].Idle = []knob.Idle{{While: "z=1", Why: "no z"}} },
		`idle while "bean=tea": unknown bean "tea"`:         func(s *spec) { knobs(s)[1].Idle = []knob.Idle{{While: "bean=tea", Why: "no bean"}} },
		`idle while "bean=java": no setup text, or no`:      func(s *spec) { knobs(s)[1].Idle = []knob.Idle{{While: "bean=java"}} },
		`choice "java": there is no knob "w"`:               func(s *spec) { knobs(s)[0].Choices[1].Hides = []string{"w"} },
		`system "press": "drip" has look 0, too; 1 is free`: func(s *spec) { s.Systems[1].Look = 0 },
		`system "drip": the name is taken or empty`:         func(s *spec) { s.Systems[1].Name = "drip" },
		`quantity "strength": the name is taken or empty`:   func(s *spec) { s.Measures[1].Key = "strength" },
		`chart "strength": the name is taken or empty`:      func(s *spec) { s.Charts = append(s.Charts, s.Charts[0]) },
		`chart "strength": no quantity "taste"`:             func(s *spec) { s.Charts[0].Of = []string{"taste"} },
		`section "menu": the name is taken or empty`:        func(s *spec) { s.Sections[0].Key = "menu" },
		`section "menu": there is no knob "cake"`:           func(s *spec) { s.Sections[1].If = "cake" },
		`panel "what": the name is taken or empty`:          func(s *spec) { s.Panels = append(s.Panels, s.Panels[0]) },
		`the entry of files: there is no knob "folder"`:     func(s *spec) { s.Entry = "folder" },
		`the headline is about "joy", which is no`:          func(s *spec) { s.Say.Quantity = "joy" },
	} {
		loads := 0
		s := cafe(&loads)
		change(&s)
		func() {
			defer func() {
				got := fmt.Sprint(recover())
				if !strings.HasPrefix(got, "laboratory cafe: ") || !strings.Contains(got, want) || strings.Contains(got, "%!") {
					t.Errorf("got %q; want %q in it", got, want)
				}
			}()
			l := lab.New(s)
			if err := l.Valid(); err != nil {
				panic(fmt.Sprintf("laboratory %s: %v", l.Name, err))
			}
		}()
	}
}

func TestIdeal(t *testing.T) {
	two := lab.Info{Systems: []lab.System{{Name: "drip"}, {Name: "dream", Bound: true}, {Name: "press"}, {Name: "wish", Bound: true}}}
	for _, tt := range []struct {
		info     lab.Info
		compared string
		want     string
	}{
		{two, "", "dream"},
		{two, "drip press", "dream"},
		{two, "wish drip", "wish"},
		{two, "wish dream", "dream"},
		{lab.Info{Systems: two.Systems[:1]}, "drip", ""},
	} {
		got := ""
		if x := tt.info.Ideal(strings.Fields(tt.compared)); x != nil {
			got = x.Name
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.compared, got, tt.want)
		}
	}
}
