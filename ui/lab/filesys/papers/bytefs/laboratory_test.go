package bytefs_test

import (
	"spillway/sim/study"
	"spillway/ui/lab/filesys"
)

// laboratory runs as the page does.
func laboratory() func(p *study.Paper, r study.Run) (*study.Outcome, error) {
	l := filesys.New()
	return func(p *study.Paper, r study.Run) (*study.Outcome, error) {
		o, _, err := l.Measure(p, r.Name, r.Set, nil, nil)
		return o, err
	}
}
