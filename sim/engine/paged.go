package engine

import (
	"spillway/sim/program"
	"spillway/sim/result"
	"spillway/sim/workload"
)

func runPaged(w *workload.Workload, p *program.Program, c Config) (*result.Result, error) {
	panic("engine: paged memory model is not written yet")
}
