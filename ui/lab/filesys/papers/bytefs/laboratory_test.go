package bytefs_test

import (
	"testing"

	"spillway/sim/study"
	"spillway/ui/lab/filesys"
	paper "spillway/ui/lab/filesys/papers/bytefs"
)

// laboratory runs as the page does.
func laboratory() func(p *study.Paper, r study.Run) (*study.Outcome, error) {
	l := filesys.New()
	return func(p *study.Paper, r study.Run) (*study.Outcome, error) {
		o, _, err := l.Measure(p, r.Name, r.Set, nil, nil)
		return o, err
	}
}

// TestSetups reads the setup of every run.
func TestSetups(t *testing.T) {
	l := filesys.New()
	for _, r := range paper.Paper().Runs() {
		u, err := l.Read(r.Set)
		if err == nil {
			err = l.Check(u)
		}
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
}
