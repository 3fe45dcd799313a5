package engine_test

import (
	"strings"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/enginetest"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
)

// A program with what a memory model does not execute is refused before anything runs.
func TestProgramsAreExecutedOrRefused(t *testing.T) {
	policy := func(*engine.ArenaRun) (engine.Policy, error) { panic("it began") }
	for _, tt := range []struct {
		name string
		rt   engine.Runtime
		op   program.Op
		want string
	}{
		{"paged, recompute", engine.Paged{}, program.Op{At: 1, Kind: program.Recompute}, "operation 0 of the program is recompute, before kernel 1; unified memory in pages executes none"},
		{"paged, barrier", engine.Paged{}, program.Op{Kind: program.Barrier}, "is barrier"},
		{"arena, barrier", engine.Pool{Policy: policy}, program.Op{Kind: program.Barrier}, "an arena executes none"},
		{"unlimited, evict", engine.Unlimited{}, program.Op{Kind: program.Evict, To: machine.SSD}, "unlimited memory executes none"},
		{"blocks, prefetch", engine.Blocks{}, program.Op{Kind: program.Prefetch}, "unified memory in blocks executes none"},
		{"no such kernel", engine.Paged{}, program.Op{At: 100}, "before kernel 100; there are"},
		{"no such tensor", engine.Paged{}, program.Op{Tensor: 100}, "about tensor 100; there are"},
	} {
		_, err := engine.Run(enginetest.Workload(1), &program.Program{Ops: []program.Op{tt.op}}, engine.Config{Runtime: tt.rt, Iterations: 1})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
