package engine

import (
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// times holds the duration of every kernel, in cycles, noise included.
type times struct {
	exec       []unit.Cycles // all data resident
	inputFault []unit.Cycles // inputs fault; at least exec
	fault      []unit.Cycles // inputs and outputs fault; at least inputFault
}

// kernelTimes converts the kernel times of w to cycles of c's clock. A kernel
// lasts at least one cycle. Noise is drawn once a kernel and scales all three
// (published simulator; G10 paper §7.6).
func kernelTimes(w *workload.Workload, c Config) times {
	n := len(w.Kernels)
	t := times{make([]unit.Cycles, n), make([]unit.Cycles, n), make([]unit.Cycles, n)}
	for i := range w.Kernels {
		k := &w.Kernels[i]
		host := c.Machine.Clock.PublishedCycles(k.HostTime)
		t.exec[i] = host + max(1, c.Machine.Clock.PublishedCycles(k.Time))
		t.inputFault[i] = max(t.exec[i], host+c.Machine.Clock.PublishedCycles(k.InputFault))
		t.fault[i] = max(t.inputFault[i], host+c.Machine.Clock.PublishedCycles(k.Fault))
	}
	if c.Noise > 0 && !c.exact() {
		t.perturb(float64(c.Noise)/1000, c.Seed)
	}
	return t
}

// Ideal returns how long each kernel of w takes in a run with c when all data is
// resident.
func Ideal(w *workload.Workload, c Config) []unit.Cycles { return kernelTimes(w, c).exec }

// exact reports whether kernel times have no error whatever the noise.
func (c *Config) exact() bool {
	return Is[Pool](c.Runtime) && c.Quirks.Has(quirk.ExactArena)
}

// FaultTime returns how long the kernels of w take when all their data faults,
// one after the other, in a run with c: what the published simulator calls
// pf_exe_time.
func FaultTime(w *workload.Workload, c Config) (sum unit.Cycles) {
	for _, d := range kernelTimes(w, c).fault {
		sum += d
	}
	return sum
}

// newResult starts the result of a run whose kernels take exec when all data is
// resident.
func newResult(c Config, exec []unit.Cycles) *result.Result {
	r := &result.Result{Mode: c.Quirks.String(), Fits: true, Clock: c.Machine.Clock}
	for _, d := range exec {
		r.Ideal += d
	}
	return r
}

// report chooses the iteration that figures show.
func report(r *result.Result, q quirk.Set) {
	r.Reported = len(r.Iterations) - 1
	if q.Has(quirk.FasterIteration) {
		for i := range r.Iterations {
			if r.Iterations[i].Time < r.Iterations[r.Reported].Time {
				r.Reported = i
			}
		}
	}
}

// liveBytes returns the bytes of live tensors during each kernel: globals, and
// what is between birth and death.
func liveBytes(w *workload.Workload) []unit.Bytes {
	return vitality.Analyze(w).Live(w)
}
