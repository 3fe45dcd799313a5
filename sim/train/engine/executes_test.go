package engine_test

import (
	"strings"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/engine/enginetest"
	"spillway/sim/train/engine/paged"
	"spillway/sim/train/engine/pool"
	"spillway/sim/train/engine/unlimited"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
)

// A program with what a memory model does not execute is refused before anything runs.
func TestProgramsAreExecutedOrRefused(t *testing.T) {
	policy := func(*pool.Run) (pool.Policy, error) { panic("it began") }
	for _, tt := range []struct {
		name string
		rt   engine.Runtime
		op   program.Op
		want string
	}{
		{"paged, recompute", paged.Memory{}, program.Op{At: 1, Kind: program.Recompute}, "operation 0 of the program is recompute, before kernel 1; unified memory in pages executes none"},
		{"paged, barrier", paged.Memory{}, program.Op{Kind: program.Barrier}, "is barrier"},
		{"arena, barrier", pool.Memory{Policy: policy}, program.Op{Kind: program.Barrier}, "an arena executes none"},
		{"unlimited, evict", unlimited.Memory{}, program.Op{Kind: program.Evict, To: machine.SSD}, "unlimited memory executes none"},
		{"blocks, prefetch", blocks.Memory{}, program.Op{Kind: program.Prefetch}, "unified memory in blocks executes none"},
		{"no such kernel", paged.Memory{}, program.Op{At: 100}, "before kernel 100; there are"},
		{"no such tensor", paged.Memory{}, program.Op{Tensor: 100}, "about tensor 100; there are"},
	} {
		_, err := engine.Run(enginetest.Workload(1), &program.Program{Ops: []program.Op{tt.op}}, engine.Config{Runtime: tt.rt, Iterations: 1})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
