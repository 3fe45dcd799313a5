package labtest

import (
	"math"
	"slices"
	"testing"

	"spillway/sim/study"
	"spillway/ui/lab"
)

// papers checks what every paper of a laboratory must hold: its own data, systems that the
// laboratory has, runs whose settings it reads, and figures that say what they show, with
// nothing known and with everything.
func papers(t *testing.T, l *lab.Lab) {
	for _, p := range l.Studies() {
		if err := p.Check(); err != nil {
			t.Error(err)
		}
		for _, name := range p.Systems {
			if !slices.ContainsFunc(l.Systems, func(s lab.System) bool { return s.Name == name }) {
				t.Errorf("%s: the laboratory has no system %q", p.Key, name)
			}
		}
		for _, r := range p.Runs() {
			u, err := l.Read(r.Set)
			if err == nil {
				err = l.Check(u)
			}
			if err != nil {
				t.Errorf("%s, %s: %v", p.Key, r.Name, err)
			}
		}
		for i := range p.Figures {
			if f := &p.Figures[i]; f.Says == "" || f.Title == "" {
				t.Errorf("%s does not say what it shows", p.Name(f.ID))
			}
		}
		sheets(t, p)
	}
}

// sheets draws every figure with nothing known, where nothing is judged, and with values
// that differ by system alone, where everything has its place and is judged.
func sheets(t *testing.T, p *study.Paper) {
	var outcomes []study.Outcome
	for _, r := range p.Runs() {
		o := study.Outcome{Run: r.Name, Fits: true, Rebuilt: true}
		for range p.Of(r.Name) {
			o.Values = append(o.Values, float64(1+slices.Index(p.Systems, r.System)))
		}
		outcomes = append(outcomes, o)
	}
	for i := range p.Figures {
		f := &p.Figures[i]
		name := p.Name(f.ID)
		none, err := p.Sheet(f.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		if none.Tally.Known != 0 {
			t.Errorf("%s: %d numbers are known when nothing is", name, none.Tally.Known)
		}
		if len(f.Analyses) > 0 {
			continue // drawn from what the analysis finds, which nobody can invent
		}
		some, err := p.Sheet(f.ID, outcomes)
		if err != nil {
			t.Fatal(err)
		}
		if len(none.Drawing.Published) != len(some.Drawing.Ours) || len(none.Drawing.Ours) != len(some.Drawing.Ours) {
			t.Errorf("%s has %d places for what is published, %d and %d for ours", name, len(none.Drawing.Published), len(none.Drawing.Ours), len(some.Drawing.Ours))
			continue
		}
		for i, m := range some.Drawing.Ours {
			if !m.Known || m.Fits && math.IsNaN(m.Y) || none.Drawing.Ours[i].Known {
				t.Errorf("%s: %+v is not known when everything is, or known when nothing is", name, m)
			}
		}
		for i := range some.Rows {
			if r := &some.Rows[i]; !r.Aside && r.Status == "" {
				t.Errorf("%s: %+v is not judged when everything is known", name, r)
			}
		}
		for _, c := range some.Claims {
			if !c.Known {
				t.Errorf("%s: the claim %s is not known when everything is", name, c.ID)
			}
		}
	}
}
