// Package best is what no system can beat that moves data: a proven bound, not a system.
//
// Source: package bound.
//
// Model: none. The time is the bound; its waiting stands where one fractional schedule near
// it would wait.
package best

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/paged"
	"spillway/sim/train/engine/pool"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/engine/unlimited"
	"spillway/sim/train/system"
)

// System is the bound.
var System = system.System{
	Name:  "bound",
	Title: "Best possible",
	Paper: "Spillway: linear programming duality, checked with whole numbers",
	About: "No system that moves data between GPU, host and SSD can be faster: a proven bound, and nothing that runs. It does not hold for what computes values again or compresses, nor for UM and DeepUM where kernels touch rows of a table.",
	Note:  "A proven bound, not a run: whatever is moved when, an iteration takes so long. Systems that compute values again or compress may be faster. It has no traffic of its own; where it waits is that of a schedule near it that may divide tensors.",
	Look:  10, Off: true, Floor: true,
	Reads:   "gpu_memory host_memory gpu_link host_link ssd_read ssd_write",
	Quirks:  paged.Quirks | pool.Quirks | swap.Quirks,
	Runtime: func(*system.Options) engine.Runtime { return unlimited.Memory{} },
}
