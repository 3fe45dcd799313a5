package all_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/exec"
	"spillway/ui/lab"
	labs "spillway/ui/lab/all"
	"spillway/ui/model/calls"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
	"spillway/ui/model/tour"
)

// A walk is the runs of one laboratory's tour, each made once.
type walk struct {
	*testing.T
	lab  lab.Lab
	runs map[string]*report.Report
}

// report is a system's at a stop.
func (w *walk) report(stop int, system string) *report.Report {
	w.Helper()
	s, err := tour.StopState(&w.lab.Info, &w.lab.Tour[stop])
	if err != nil {
		w.Fatalf("stop %s: %v", w.lab.Tour[stop].Key, err)
	}
	key := system + " " + s.Setup.String()
	if w.runs[key] == nil {
		if w.runs[key], _, err = w.lab.Run(s.Setup, system, nil, nil); err != nil {
			w.Fatalf("stop %s, %s: %v", w.lab.Tour[stop].Key, key, err)
		}
	}
	return w.runs[key]
}

// value is what a fact is about; without a system it is zero.
func (w *walk) value(stop int, v lab.Value) float64 {
	w.Helper()
	if v.System == "" {
		return 0
	}
	x, ok := w.report(stop-v.Back, v.System).Value(w.lab.Quantity(v.Quantity))
	if !ok {
		w.Errorf("stop %s: %s has no %s", w.lab.Tour[stop].Key, v.System, v.Quantity)
	}
	return x
}

// Everything that a tour says is true of the runs that it shows, and what it shows
// is there.
func TestToursAreTrue(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every stop of every tour")
	}
	for _, door := range labs.Labs {
		w := &walk{t, door.New(), map[string]*report.Report{}}
		if n := len(w.lab.Tour); n > 0 && n < 6 { // a laboratory may have none
			t.Errorf("%s: a tour of %d stops", door.Name, n)
		}
		seen := map[string]bool{}
		for i := range w.lab.Tour {
			stop := &w.lab.Tour[i]
			if seen[stop.Key] || stop.Title == "" || stop.Look == "" {
				t.Errorf("%s: stop %q", door.Name, stop.Key)
			}
			seen[stop.Key] = true
			w.blanks(i)
			w.looks(i)
			w.sweeps(i)
			if stop.Show == "" && len(stop.Facts) == 0 {
				t.Errorf("%s, stop %s: nothing is claimed, or nothing proves it", door.Name, stop.Key)
			}
			for k := range stop.Facts {
				f := &stop.Facts[k]
				if l, r, n := w.value(i, f.Left), w.value(i, f.Right), cmp.Or(f.Times, 1); l <= n*r {
					t.Errorf("%s, stop %s: %+v is %v, not more than %v times %+v, which is %v", door.Name, stop.Key, f.Left, l, n, f.Right, r)
				}
			}
		}
	}
}

// blanks checks that every number of a stop's text can be filled in, and that no
// other stands there.
func (w *walk) blanks(i int) {
	stop := &w.lab.Tour[i]
	s, err := tour.StopState(&w.lab.Info, stop)
	if err != nil {
		w.Fatal(err)
	}
	for _, b := range stop.Blanks() {
		if b[0] == "knob" {
			if s.Setup.Knob(b[1]) == nil {
				w.Errorf("stop %s: no knob %q", stop.Key, b[1])
			}
			continue
		}
		if !slices.Contains(s.On, b[0]) {
			w.Errorf("stop %s: %s is not compared", stop.Key, b[0])
			continue
		}
		w.value(i, lab.Value{System: b[0], Quantity: b[1]})
	}
	if text := stop.Filled(func(what, key string) string {
		if at := w.lab.Quantity(key); what != "knob" && at >= 0 {
			return chart.With("2", w.lab.Quantities[at].Unit)
		}
		return "2"
	}); strings.Contains(text, "× times") || strings.Contains(text, "% percent") {
		w.Errorf("stop %s: %s", stop.Key, text)
	}
	for word := range strings.FieldsSeq(stop.Filled(func(string, string) string { return "" })) {
		if strings.ContainsAny(word, "0123456789") && !strings.HasPrefix(word, "G10") && !strings.HasPrefix(word, "GPT-2") && !strings.HasPrefix(word, "Ext4") && !strings.HasPrefix(word, "F2FS") && word != "1" {
			w.Errorf("stop %s: %q is written down", stop.Key, word)
		}
	}
}

// looks checks that what a stop outlines has something in it.
func (w *walk) looks(i int) {
	stop := &w.lab.Tour[i]
	s, err := tour.StopState(&w.lab.Info, stop)
	if err != nil {
		w.Fatal(err)
	}
	focus := s.Look.Text(state.FocusKey)
	if !slices.Contains(s.On, focus) || s.View == state.Explore && !w.report(i, focus).Fits {
		w.Errorf("stop %s: %s is in focus, and is not compared or cannot run it", stop.Key, focus)
	}
	if key, ok := strings.CutPrefix(stop.Look, "section-"); ok {
		at := w.lab.Info.Section(key)
		if at == nil {
			w.Errorf("stop %s: there is no section %q", stop.Key, key)
			return
		}
		view := knob.NewSetup(at.Knobs)
		for _, k := range at.Knobs {
			if err := view.Set(k.Key, s.Look.Text(k.Key)); err != nil {
				w.Error(err)
			}
		}
		if x, err := w.lab.Section(key, view, s.Setup, focus, nil, nil); err != nil || len(x.Tables)+len(x.Maps)+len(x.Text) == 0 {
			w.Errorf("stop %s: section %s has nothing, %v", stop.Key, key, err)
		}
		return
	}
	id, ok := strings.CutPrefix(stop.Look, "figure-")
	if !ok {
		return
	}
	c := &chart.Context{Info: &w.lab.Info, Setup: s.Setup, Focus: focus}
	var runs []chart.Run
	for k := range w.lab.Systems {
		x := chart.Run{System: &w.lab.Systems[k], On: slices.Contains(s.On, w.lab.Systems[k].Name)}
		if x.On {
			x.Report = w.report(i, x.System.Name)
		}
		runs = append(runs, x)
	}
	views := chart.Views(c, runs)
	if at := slices.IndexFunc(views, func(v chart.View) bool { return v.ID == id }); at < 0 || views[at].Absent || views[at].Empty != "" {
		w.Errorf("stop %s: nothing is in the chart %q", stop.Key, id)
	}
}

// sweeps checks that a setting which a stop varies may have every value, and that the first and
// the last of them do not give the same.
func (w *walk) sweeps(i int) {
	stop := &w.lab.Tour[i]
	show, err := knob.Pairs(stop.Show)
	if err != nil {
		w.Fatal(err)
	}
	text := func(key string) string {
		if at := slices.IndexFunc(show, func(p knob.Pair) bool { return p.Key == key }); at >= 0 {
			return show[at].Text
		}
		return ""
	}
	if text("view") != "whatif" || text("ask") != "vary" {
		return
	}
	s, err := tour.StopState(&w.lab.Info, stop)
	if err != nil {
		w.Fatal(err)
	}
	var hashes []string
	values := strings.Split(text("ask-values"), ",")
	for k, value := range values {
		if err := s.Setup.Set(text("ask-vary"), value); err != nil {
			w.Errorf("stop %s: %v", stop.Key, err)
		}
		if err := w.lab.Check(s.Setup); err != nil {
			w.Errorf("stop %s, %s: %v", stop.Key, value, err)
		}
		if k > 0 && k < len(values)-1 {
			continue
		}
		_, raw, err := w.lab.Run(s.Setup, s.Look.Text(state.FocusKey), nil, nil)
		if err != nil {
			w.Fatalf("stop %s, %s: %v", stop.Key, value, err)
		}
		hashes = append(hashes, w.lab.Hash(raw))
	}
	if len(hashes) < 2 || hashes[0] == hashes[1] {
		w.Errorf("stop %s: %s give the same", stop.Key, text("ask-values"))
	}
}

// deaf is a host that does nothing.
type deaf struct{}

func (deaf) Start(*exec.Job, calls.Priority) {}
func (deaf) Stop([]int)                      {}
func (deaf) Raise(int, calls.Priority)       {}
func (deaf) Fetch(string, bool)              {}
func (deaf) Stored(string) string            { return "" }
func (deaf) Store(string, string) bool       { return false }

// A section that a stop is about is open while the stop is shown, and its results are
// waited for.
func TestToursOpenSections(t *testing.T) {
	for _, door := range labs.Labs {
		l := door.New()
		n := session.New([]session.Tab{{Name: l.Name, Title: l.Title}}, "", deaf{})
		n.Enter(&l.Info, "")
		open := func() (keys []string) {
			for _, v := range n.Sections.Views() {
				if v.Open && v.Folded {
					keys = append(keys, "section-"+v.Key)
				}
			}
			return keys
		}
		for i := range l.Tour {
			n.Tour.GoTo(i + 1)
			look, now := l.Tour[i].Look, open()
			about := strings.HasPrefix(look, "section-")
			if s := l.Info.Section(strings.TrimPrefix(look, "section-")); about && s.Folded && !slices.Equal(now, []string{look}) || !about && len(now) > 0 {
				t.Errorf("%s, stop %s about %s: open are %v", l.Name, l.Tour[i].Key, look, now)
			}
			if n.Tour.Ready() == about {
				t.Errorf("%s, stop %s: it is ready: %v", l.Name, l.Tour[i].Key, n.Tour.Ready())
			}
		}
	}
}

// Words are explained once, each in one sentence.
func TestGlossary(t *testing.T) {
	for _, door := range labs.Labs {
		l := door.New()
		seen := map[string]bool{}
		for _, x := range append(lab.Terms(), l.Glossary...) {
			if seen[strings.ToLower(x.Name)] {
				t.Errorf("%s: %s stands there twice", door.Name, x.Name)
			}
			seen[strings.ToLower(x.Name)] = true
			if !strings.HasSuffix(x.Is, ".") || strings.Contains(x.Is, ". ") || len(x.Is) > 160 {
				t.Errorf("%s: %s is not one short sentence: %s", door.Name, x.Name, x.Is)
			}
		}
	}
}
