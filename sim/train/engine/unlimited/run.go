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
	life := vitality.Analyze(w)
	live := life.Live(w)
	changes := make([][]workload.TensorID, len(cycles)) // of what lives, by kernel
	if c.Record != nil {
		for t := range w.Tensors {
			for _, k := range []workload.KernelID{life.Birth[t], life.Death[t]} {
				if k >= 0 && int(k) < len(changes) {
					changes[k] = append(changes[k], workload.TensorID(t))
				}
			}
		}
	}
	for it := range c.Iterations {
		var now unit.Cycles
		for k, d := range cycles {
			if it == c.Iterations-1 {
				for _, t := range changes[k] {
					c.Record.Touch(t)
				}
				c.Record.Reside(now+d, len(w.Tensors), func(t workload.TensorID) unit.Bytes {
					if !life.Alive(w, t, workload.KernelID(k)) {
						return 0
					}
					return w.Tensors[t].Bytes.Aligned()
				})
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
