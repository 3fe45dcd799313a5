package all_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/study"
	"spillway/ui/lab/all"
)

// Every paper of every laboratory is sound, is about systems that are there, and
// its runs are setups that the laboratory takes as they are written.
func TestStudies(t *testing.T) {
	keys := map[string]bool{}
	for _, door := range all.Labs {
		l := door.New()
		for _, info := range l.Papers {
			p, err := l.Paper(info.Key)
			if err != nil || p.Key != info.Key {
				t.Fatalf("%s: paper %q: %v", door.Name, info.Key, err)
			}
			if err := p.Check(); err != nil {
				t.Errorf("%s: %v", door.Name, err)
			}
			if keys[p.Key] {
				t.Errorf("there are two papers %q", p.Key)
			}
			keys[p.Key] = true
			if p.Title == "" || p.Short == "" || p.About == "" || p.Tolerance <= 0 || p.Standing != "" && p.Rebuilt <= 0 {
				t.Errorf("%s: something is not said", p.Key)
			}
			for _, name := range p.Systems {
				if _, err := l.System(name); err != nil {
					t.Errorf("%s: %v", p.Key, err)
				}
			}
			for _, r := range p.Runs() {
				pairs, err := knob.Pairs(r.Set)
				u := l.Setup()
				if err == nil {
					err = u.Apply(pairs)
				}
				if err == nil {
					err = l.Check(u)
				}
				if err != nil {
					t.Errorf("%s: run %q: %v", p.Key, r.Name, err)
				}
				for _, x := range pairs {
					if got := u.Text(x.Key); got != x.Text {
						t.Errorf("%s: run %q: %s is %q in %q and %q as it runs", p.Key, r.Name, x.Key, x.Text, r.Set, got)
					}
				}
				is, err := knob.Pairs(r.Workload)
				if err != nil || slices.ContainsFunc(is, func(x knob.Pair) bool { return !slices.Contains(pairs, x) }) {
					t.Errorf("%s: run %q: %q is not in %q", p.Key, r.Name, r.Workload, r.Set)
				}
			}
			for i := range p.Figures {
				sheet, err := p.Sheet(p.Figures[i].ID, nil)
				if err != nil {
					t.Errorf("%s: %v", p.Key, err)
					continue
				}
				drawn(t, p, sheet)
			}
			whole(t, p)
		}
	}
}

// whole checks that a figure needs no other runs than those that it names: with them it
// has all that it has when everything has run.
func whole(t *testing.T, p *study.Paper) {
	t.Helper()
	runs := p.Runs()
	var everything []study.Outcome
	for _, r := range runs {
		everything = append(everything, study.Outcome{Run: r.Name, Fits: true, Values: slices.Repeat([]float64{1}, len(p.Of(r.Name)))})
	}
	for i := range p.Figures {
		id := p.Figures[i].ID
		var outcomes []study.Outcome
		for k, r := range runs {
			if slices.Contains(r.Figures, id) {
				outcomes = append(outcomes, everything[k])
			}
		}
		own, err := p.Sheet(id, outcomes)
		all, err2 := p.Sheet(id, everything)
		if err := errors.Join(err, err2); err != nil {
			t.Errorf("%s: %v", p.Name(id), err)
			continue
		}
		for k, m := range all.Drawing.Ours {
			if own.Drawing.Ours[k].Known != m.Known {
				t.Errorf("%s: its own runs do not draw %+v", p.Name(id), m)
			}
		}
		for k, c := range all.Claims {
			if own.Claims[k].Known != c.Known {
				t.Errorf("%s: its own runs do not tell %q", p.Name(id), c.Text)
			}
		}
	}
}

// drawn checks what a figure draws before anything has run.
func drawn(t *testing.T, p *study.Paper, s *study.Sheet) {
	t.Helper()
	d := &s.Drawing
	for _, x := range slices.Concat(d.Series, d.Parts) {
		if x.System != "" && !slices.Contains(p.Systems, x.System) || strings.HasPrefix(x.Color, "-") || strings.Contains(x.Color, "(") {
			t.Errorf("%s: series %+v", p.Name(s.Figure), x)
		}
	}
	if len(d.Ours) != len(d.Published) {
		t.Errorf("%s: %d marks of ours, %d published", p.Name(s.Figure), len(d.Ours), len(d.Published))
		return
	}
	for i, m := range d.Ours {
		q := d.Published[i]
		if m.Known || m.Y != 0 || m.Panel != q.Panel || m.Series != q.Series || m.Part != q.Part || m.X != q.X {
			t.Errorf("%s: with nothing known draws %+v where %+v was published", p.Name(s.Figure), m, q)
		}
	}
}
