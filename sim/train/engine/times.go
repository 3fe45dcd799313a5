package engine

import (
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Times hold the duration of every kernel of a workload, in cycles, noise included.
type Times struct {
	Exec       []unit.Cycles // all data resident
	InputFault []unit.Cycles // inputs fault; at least Exec
	Fault      []unit.Cycles // inputs and outputs fault; at least InputFault
}

// KernelTimes converts the kernel times of w to cycles of c's clock. A kernel
// lasts at least one cycle. Noise is drawn once a kernel and scales all three
// (published simulator; G10 paper §7.6).
func KernelTimes(w *workload.Workload, c Config) Times {
	n := len(w.Kernels)
	t := Times{make([]unit.Cycles, n), make([]unit.Cycles, n), make([]unit.Cycles, n)}
	for i := range w.Kernels {
		k := &w.Kernels[i]
		host := c.Machine.Clock.PublishedCycles(k.HostTime)
		t.Exec[i] = host + max(1, c.Machine.Clock.PublishedCycles(k.Time))
		t.InputFault[i] = max(t.Exec[i], host+c.Machine.Clock.PublishedCycles(k.InputFault))
		t.Fault[i] = max(t.InputFault[i], host+c.Machine.Clock.PublishedCycles(k.Fault))
	}
	if c.Noise > 0 && !c.exact() {
		t.perturb(float64(c.Noise)/1000, c.Seed)
	}
	return t
}

// Ideal returns how long each kernel of w takes in a run with c when all data is
// resident.
func Ideal(w *workload.Workload, c Config) []unit.Cycles { return KernelTimes(w, c).Exec }

// exact reports whether kernel times have no error whatever the noise.
func (c *Config) exact() bool {
	return c.Runtime != nil && c.Runtime.ExactTimes(c.Quirks)
}

// FaultTime returns how long the kernels of w take when all their data faults,
// one after the other, in a run with c: what the published simulator calls
// pf_exe_time.
func FaultTime(w *workload.Workload, c Config) (sum unit.Cycles) {
	for _, d := range KernelTimes(w, c).Fault {
		sum += d
	}
	return sum
}

// NewResult starts the result of a run whose kernels take exec when all data is
// resident: it fits, and has no iterations yet.
func NewResult(c Config, exec []unit.Cycles) *result.Result {
	r := &result.Result{Mode: c.Quirks.String(), Fits: true, Clock: c.Machine.Clock}
	for _, d := range exec {
		r.Ideal += d
	}
	return r
}
