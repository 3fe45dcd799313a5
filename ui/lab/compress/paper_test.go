package compress

import (
	"fmt"
	"strings"
	"testing"

	"spillway/build/golden"
	"spillway/sim/study"
	"spillway/ui/lab/labtest"
)

// TestVerdicts reproduces everything that the paper publishes, as Reproduce does, and
// compares with the verdicts as they are recorded: a gap that nobody has recorded is
// an error, and so is one that has closed.
func TestVerdicts(t *testing.T) {
	l := New()
	for _, p := range l.Studies() {
		var outcomes []study.Outcome
		for _, run := range p.Runs() {
			o, _, err := l.Measure(p, run.Name, run.Set, nil, nil)
			if err != nil {
				t.Fatal(run.Name, err)
			}
			outcomes = append(outcomes, *o)
		}
		rows, err := p.Rows(study.AllClaims, outcomes)
		if err != nil {
			t.Fatal(err)
		}
		for _, gap := range study.Unexpected(rows) {
			t.Errorf("not as recorded: %v", gap.String())
		}
		var b strings.Builder
		for i := range rows {
			c := p.Record(&rows[i])
			fmt.Fprintf(&b, "%s, %s, %s, %s: %s\n", c.Figure, c.Of, c.At, c.System, c.Verdict)
		}
		golden.Compare(t, "testdata/verdicts.golden", []byte(b.String()))
	}
}

// TestPublishedInTheChart draws what is published about contents beside the design
// that it is about, and nowhere else.
func TestPublishedInTheChart(t *testing.T) {
	l := New()
	for _, tt := range []struct{ set, system, want string }{
		{"contents=alexnet", "per-allocation-16x", "[150 50] [6.5 35]"},
		{"contents=alexnet link=75", "per-allocation-16x", "[150 50] [6.5 35]"},
		{"contents=dl", "per-allocation-16x", "[150] [2.2]"},
		{"contents=hpc", "per-allocation-16x", "[150] [1]"},
		{"contents=alexnet", "naive", ""},
		{"contents=vgg16", "per-allocation-16x", ""},
	} {
		r, _, err := l.Run(labtest.Setup(t, &l, tt.set), tt.system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range r.Curves {
			if c.Published {
				got = fmt.Sprint(c.X, c.Y)
			}
		}
		if got != tt.want || len(r.Curves) == 0 || r.Curves[0].Published {
			t.Errorf("%s, %s: %s; want %s", tt.set, tt.system, got, tt.want)
		}
	}
}
