package papers

import (
	"testing"

	"spillway/sim/study"
	"spillway/ui/lab"
)

// TestVerdictsAreTrue: runs that are known and not compared yet agree with nothing, nor
// does a figure that has nothing to compare with; what nothing computes does not differ.
func TestVerdictsAreTrue(t *testing.T) {
	p := &Papers{list: []*paper{{
		PaperInfo: lab.PaperInfo{Key: "p"},
		outline:   &study.Outline{Figures: []study.FigureOutline{{ID: "1"}, {ID: "2"}, {ID: "raw", Title: "Data"}}},
		runs:      []paperRun{{Run: study.Run{Figures: []string{"1", "2"}}, outcome: &study.Outcome{}}},
		tallies:   []study.Tally{{Runs: 1, Verdict: "0 of 1 runs", Points: 1}, {Runs: 1, Known: 1, Verdict: "exact"}, {Points: 1, Aside: 1, Verdict: "not computed"}, {}},
	}}}
	for name, want := range map[string]Verdict{"p.1": {"comparing", "busy"}, "p.2": {"run", "none"}, "p.raw": {"not computed", "none"}} {
		if got := p.Verdict(name); got != want {
			t.Errorf("%s: %+v; want %+v", name, got, want)
		}
	}
}

// Everything has come when 100 % is said: what is saved then lacks nothing.
func TestPercent(t *testing.T) {
	for want, s := range map[int]Progress{
		0: {}, 66: {Runs: 3, Known: 2}, 99: {Runs: 3, Known: 2, Waiting: 1, done: 1}, 100: {Runs: 3, Known: 3},
	} {
		if got := s.Percent(); got != want {
			t.Errorf("%+v: %d %%, want %d", s, got, want)
		}
	}
}
