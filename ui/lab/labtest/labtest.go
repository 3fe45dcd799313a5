// Package labtest is what every laboratory must hold, whatever it is about. ui/lab/all
// puts it to all of its list; a laboratory's own tests add what only it can know. Only
// tests import it.
package labtest

import (
	"math"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// Report checks a report: values are finite and within their measure's bounds, curves are
// well formed, a refusal has a reason, and no text was made wrong.
func Report(t testing.TB, l *lab.Lab, about string, r *report.Report) {
	t.Helper()
	if !r.Fits && len(r.Reason) < len("no room") {
		t.Errorf("%s: it cannot run and says %q", about, r.Reason)
	}
	if r.Fits && len(r.Values) != len(l.Quantities) {
		t.Fatalf("%s: %d values of %d quantities", about, len(r.Values), len(l.Quantities))
	}
	for i, v := range r.Values {
		if !l.Within(i, v) {
			t.Errorf("%s: %s is %v, outside the bounds of its measure", about, l.Quantities[i].Key, v)
		}
	}
	for _, c := range r.Curves {
		if len(c.X) != len(c.Y) || len(c.X) == 0 || c.Line() && !slices.IsSorted(c.X) || c.Picks != nil && len(c.Picks) != len(c.X) {
			t.Errorf("%s: curve %s %s has %d and %d points, or goes back", about, c.Chart, c.Name, len(c.X), len(c.Y))
		}
		if slices.ContainsFunc(c.Y, func(y float64) bool { return math.IsNaN(y) || math.IsInf(y, 0) }) {
			t.Errorf("%s: curve %s %s has points that are no numbers", about, c.Chart, c.Name)
		}
		if !slices.ContainsFunc(l.Charts, func(x report.Chart) bool { return x.ID == c.Chart }) {
			t.Errorf("%s: a curve is of the chart %q, which is not there", about, c.Chart)
		}
	}
	if len(r.Caveats) > 3 {
		t.Errorf("%s: %d caveats: who reads that many?", about, len(r.Caveats))
	}
	for _, text := range slices.Concat(r.Notes, r.Caveats, []string{r.Reason, r.Lead, r.About, r.Origin}) {
		if strings.Contains(text, "%!") || strings.Contains(text, "NaN") {
			t.Errorf("%s: it says %q", about, text)
		}
	}
}

// Links checks that every preset is as links that name it: written and read it is the
// same.
func Links(t testing.TB, l *lab.Lab) {
	t.Helper()
	for _, p := range l.Presets {
		u := read(t, l, p.Set)
		if again := read(t, l, u.String()); !again.Equal(u) {
			t.Errorf("%s, %s: %s is read as %s", l.Name, p.Key, u, again)
		}
	}
}

func read(t testing.TB, l *lab.Lab, text string) *knob.Setup {
	t.Helper()
	u, err := l.Read(text)
	if err != nil {
		t.Fatalf("%s: %s: %v", l.Name, text, err)
	}
	return u
}

// Quick is how a laboratory runs in milliseconds, for [Knobs].
type Quick struct {
	// Set is the setup, and For another one where a knob, by its key, needs it.
	Set string
	For map[string]string
	// After is set when a knob, by its key, was: what it brought along would take long.
	After map[string]string
	// Long are the knobs of which the largest value, or any above the setup's, is left
	// to others.
	Long    []string
	Systems []string
}

// Knobs sets every number to its ends and every choice to each of its texts: it runs, in
// good order, or a sentence says what to do.
func Knobs(t testing.TB, l *lab.Lab, q Quick) {
	t.Helper()
	for i := range l.Knobs {
		k := &l.Knobs[i]
		set := q.Set
		if other, ok := q.For[k.Key]; ok {
			set = other
		}
		for _, text := range texts(k, slices.Contains(q.Long, k.Key)) {
			about := l.Name + ", " + k.Key + "=" + text
			u := read(t, l, set)
			if err := u.Set(k.Key, text); err != nil {
				t.Errorf("%s: %v", about, err)
				continue
			}
			if err := u.Read(q.After[k.Key]); err != nil {
				t.Errorf("%s: %v", about, err)
			}
			if err := l.Check(u); err != nil {
				helps(t, about, err)
				continue
			}
			for _, system := range q.Systems {
				r, _, err := l.Run(u, system, nil, nil)
				if err != nil {
					helps(t, about+", "+system, err)
					continue
				}
				Report(t, l, about+", "+system, r)
			}
		}
	}
}

// texts are the ends of a number, without the upper one of a long one, and all texts of a
// choice.
func texts(k *knob.Info, long bool) []string {
	var list []string
	switch {
	case k.Kind == knob.Number && long:
		return []string{knob.Decimal(k.Min, k.Scale)}
	case k.Kind == knob.Number:
		return []string{knob.Decimal(k.Min, k.Scale), knob.Decimal(k.Max, k.Scale)}
	case k.Kind != knob.One && k.Kind != knob.Many || long:
		return nil
	}
	for _, c := range slices.Concat(k.Sets, k.Choices) {
		list = append(list, c.Key)
	}
	return list
}

// helps checks that a refusal says what to do.
func helps(t testing.TB, about string, err error) {
	t.Helper()
	for _, word := range []string{"help", "lower", "raise", "must", "set ", "smaller", "larger", "more", "less", "choose", "open", "want", "at most", "at least"} {
		if strings.Contains(err.Error(), word) {
			return
		}
	}
	t.Errorf("%s: %v: it does not say what to do", about, err)
}
