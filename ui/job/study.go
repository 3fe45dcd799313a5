package job

import (
	"fmt"

	"spillway/sim/train"
	study "spillway/sim/train/papers/g10"
	"spillway/sim/train/result"
)

// mostDrawn is how many values of a list a chart of Figures 2 to 4 gets.
const mostDrawn = 700

// study reproduces a published run or analyzes a workload. What it answers is
// small: nothing in it grows with the number of kernels.
func (b *Bench) study(j Job, progress func(done, total int), a *Answer) error {
	w, err := b.load(j.Source)
	if err != nil {
		return err
	}
	if j.Memory {
		a.Memory = study.MemoryOf(w).Thin(mostDrawn)
		return nil
	}
	points := study.Of(j.Study)
	if len(points) == 0 {
		return fmt.Errorf("no published run is called %q", j.Study)
	}
	r, err := train.Run(w, points[0].Request(), progress)
	if err != nil {
		return err
	}
	a.Outcome = study.Measure(points, r)
	if j.Hash {
		a.Hash = result.Hash(r)
	}
	return nil
}
