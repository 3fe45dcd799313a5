package engine

import (
	"spillway/sim/program"
	"spillway/sim/result"
	"spillway/sim/workload"
)

func runArena(w *workload.Workload, p *program.Program, c Config) (*result.Result, error) {
	panic("engine: arena memory model is not written yet")
}
