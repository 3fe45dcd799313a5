package bytefs_test

import (
	"fmt"

	"spillway/sim/filesys"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/study"
)

// laboratory runs without the page's laboratory, until that is there.
func laboratory() func(p *study.Paper, r study.Run) (*study.Outcome, error) {
	return func(p *study.Paper, r study.Run) (*study.Outcome, error) {
		pairs, err := knob.Pairs(r.Set)
		if err != nil {
			return nil, err
		}
		s := machine.Default()
		var recipe *load.Recipe
		for _, x := range pairs {
			if x.Key == "workload" {
				if recipe, err = load.Find(x.Text); err != nil {
					return nil, err
				}
				continue
			}
			found := false
			for _, k := range machine.Knobs() {
				if k.Key == x.Key {
					found = true
					if err := k.Parse(&s, x.Text); err != nil {
						return nil, err
					}
				}
			}
			if !found {
				return nil, fmt.Errorf("no knob %s", x.Key)
			}
		}
		w, err := load.Generate(recipe, &s)
		if err != nil {
			return nil, err
		}
		res, err := filesys.Run(w, &s, r.System, nil, nil)
		if err != nil {
			return nil, err
		}
		return p.Outcome(r.Name, &report.Report{Fits: true}, nil, res)
	}
}
