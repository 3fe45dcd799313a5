package labtest

import (
	"fmt"
	"slices"
	"testing"

	"spillway/sim/cause"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// cures checks that what a laboratory says makes systems slow can be cured: with every preset
// each set of causes is settings that are allowed, and each cure changes how long some system
// takes with what runs quickly.
func cures(t *testing.T, l *lab.Lab, q Quick) {
	if !l.Causes() {
		t.Skip("it does not say why")
	}
	n, w := len(l.Why.Causes), &l.Why
	if at := l.Quantity(w.Time); at < 0 || l.Quantities[at].Better >= 0 {
		t.Fatalf("%q is no quantity of which less is better", w.Time)
	}
	if w.Bound != "" && !slices.ContainsFunc(l.Systems, func(s lab.System) bool { return s.Name == w.Bound && s.Bound }) {
		t.Errorf("there is no system %q that is a bound", w.Bound)
	}
	if w.Parts != "" && !slices.ContainsFunc(l.Charts, func(c report.Chart) bool { return c.ID == w.Parts && c.Sum == w.Time }) {
		t.Errorf("there is no chart %q whose parts add up to %s", w.Parts, w.Time)
	}
	if n > cause.Most || (n > 0) == (w.Parts != "") {
		t.Fatalf("%d causes, and parts of %q: want 1 to %d causes or a chart", n, w.Parts, cause.Most)
	}
	sets := []string{q.Set}
	for i := range l.Presets {
		sets = append(sets, l.Presets[i].Set)
	}
	for _, set := range sets {
		u := Setup(t, l, set)
		for _, cured := range cause.Sets(n) {
			v, err := l.Cure(u, cured)
			if err == nil {
				err = l.Check(v)
			}
			if err != nil {
				t.Errorf("%s, cured %04b: %v", set, cured, err)
				continue
			}
			if again := Setup(t, l, v.String()); !again.Equal(v) {
				t.Errorf("%s, cured %04b: %s is read as %s", set, cured, v, again)
			}
		}
	}
	if testing.Short() || n == 0 {
		return
	}
	at, acts := l.Quantity(l.Why.Time), make([]bool, n)
	for _, set := range append([]string{q.Set}, q.Cure...) {
		u := Setup(t, l, set)
		value := func(system string, cured cause.Set) (float64, bool) {
			v, err := l.Cure(u, cured)
			if err != nil {
				t.Fatal(err)
			}
			r, _, err := l.Run(v, system, nil, nil)
			if err != nil {
				t.Fatalf("%s, %s, cured %04b: %v", set, system, cured, err)
			}
			return r.Value(at)
		}
		for i := range l.Systems {
			s := &l.Systems[i]
			if s.Bound || s.Variant || !slices.Contains(acts, false) {
				continue
			}
			before, ok := value(s.Name, 0)
			for c := range n {
				if ok && !acts[c] {
					after, ok := value(s.Name, 1<<c)
					acts[c] = ok && after != before
				}
			}
		}
	}
	for c, acts := range acts {
		if !acts {
			t.Errorf("to cure %s changes no system's time", l.Why.Causes[c].Key)
		}
	}
}

// needs checks that what waits are for are the causes, and that some wait of the systems is for one.
func needs(t *testing.T, l *lab.Lab, q Quick) {
	if len(l.Why.Causes) == 0 || !l.Timed {
		t.Skip("nobody waits, or nobody says for what")
	}
	u := Setup(t, l, q.Set)
	said := 0
	for _, system := range q.Systems {
		n, err := l.Needs(u, system, nil)
		if err != nil { // a closed formula, or a bound
			continue
		}
		for i, c := range l.Why.Causes {
			if r := n.Resources[i+1]; r.Key != c.Key || r.Label != c.Title {
				t.Errorf("%s waits for %+v, cause %d is %s", system, r, i, c.Key)
			}
		}
		if n.Most() > 0 {
			said++
		}
	}
	if said == 0 {
		t.Error("no wait is for anything")
	}
}

// why checks the answer to why a system is as fast as it is.
func why(t *testing.T, l *lab.Lab, q Quick) {
	if !l.Causes() {
		t.Skip("it does not say why")
	}
	u := Setup(t, l, q.Set)
	for _, system := range q.Systems {
		for _, against := range []string{lab.WhyUsual, l.Why.Bound, q.Systems[0]} {
			about := fmt.Sprintf("%s: why %s against %q", q.Set, system, against)
			ask := &lab.Question{Lab: l, Setup: u, System: system, Against: against}
			picks, first, err := ask.Picks()
			if err != nil {
				t.Fatalf("%s: %v", about, err)
			}
			known := make([]lab.Known, len(picks))
			for i, p := range picks {
				r, _, err := l.Run(Setup(t, l, p.Setup), p.System, nil, nil)
				if err != nil {
					t.Fatalf("%s: %v", about, err)
				}
				known[i] = lab.KnownOf(r)
			}
			for _, have := range []int{first, len(picks)} {
				s, err := ask.Answer(known[:have])
				if err != nil {
					t.Errorf("%s: %v", about, err)
					continue
				}
				Section(t, about, s)
			}
		}
	}
}
