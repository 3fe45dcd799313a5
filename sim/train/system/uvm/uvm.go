// Package uvm is plain unified memory: pages migrate when kernels fault on them.
//
// Source: G10 paper, §7.1 ("Base UVM"); artifact policy "lru".
//
// Model: no plan. Missing pages fault; the least recently used pages leave for
// host memory, and for the SSD when that is full.
package uvm

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/paged"
	"spillway/sim/train/system"
)

// System is Base UVM.
var System = system.System{
	Name:    "uvm",
	Title:   "Base UVM",
	Paper:   "G10 (MICRO 2023), §7.1",
	About:   "Unified memory on demand: kernels fault, the least recently used pages make room.",
	Look:    1,
	Usual:   true,
	Quirks:  paged.Quirks,
	Runtime: func(*system.Options) engine.Runtime { return paged.Memory{} },
}
