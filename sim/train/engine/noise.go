package engine

import (
	"spillway/sim/train/published"
	"spillway/sim/unit"
)

// perturb multiplies every kernel's times by its own uniform factor from
// [1-s, 1+s), clamped to [0.1, 1.9]. The planner does not see it (G10 paper
// §7.6, "profiling errors"; the artifact calls s a standard deviation).
func (t *Times) perturb(s float64, seed int64) {
	gen := uint32(seed)
	if seed == 1 {
		gen = published.DefaultSeed
	}
	rnd := published.NewTwister(gen)
	for i := range t.Exec {
		r := min(max(rnd.Uniform(1-s, 1+s), 0.1), 1.9)
		scale := func(c unit.Cycles) unit.Cycles { return max(1, unit.Cycles(float64(c)*r)) }
		t.Exec[i], t.InputFault[i], t.Fault[i] = scale(t.Exec[i]), scale(t.InputFault[i]), scale(t.Fault[i])
	}
}
