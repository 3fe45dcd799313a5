package engine

import (
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// run runs w on a GPU that holds everything: the sum of kernel times.
func (Unlimited) run(w *workload.Workload, _ *program.Program, c Config) (*result.Result, error) {
	cycles := kernelTimes(w, c).exec
	r := newResult(c, cycles)
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
	if c.Record != nil {
		c.Record.finish(0)
	}
	if c.Drive != nil {
		r.SSD = c.delivered(&result.Traffic{}, &result.Traffic{})
	}
	return r, nil
}
