package unlimited

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// Run runs w on a GPU that holds everything: the sum of kernel times.
func (Memory) Run(w *workload.Workload, _ *program.Program, c engine.Config) (*result.Result, error) {
	cycles := engine.Ideal(w, c)
	r := engine.NewResult(c, cycles)
	live := liveBytes(w)
	for it := range c.Iterations {
		var now unit.Cycles
		for k, d := range cycles {
			if it == c.Iterations-1 {
				r.Kernels = append(r.Kernels, result.Kernel{Start: now, End: now + d, Ideal: d, GPU: live[k]})
			}
			now += d
		}
		r.Iterations = append(r.Iterations, result.Iteration{Time: now, Compute: now})
	}
	r.Reported = c.Iterations - 1
	c.Record.Finish(0)
	if c.Drive != nil {
		r.SSD = c.Delivered(&result.Traffic{}, &result.Traffic{})
	}
	return r, nil
}

// liveBytes returns the bytes of live tensors during each kernel: globals, and
// what is between birth and death.
func liveBytes(w *workload.Workload) []unit.Bytes {
	return vitality.Analyze(w).Live(w)
}
