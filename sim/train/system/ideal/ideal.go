// Package ideal is a GPU with unlimited memory: the bound no system can beat.
//
// Source: G10 paper, §7.1 ("Ideal").
//
// Model: the sum of all kernels' execution times.
package ideal

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/unlimited"
	"spillway/sim/train/system"
)

// System is the ideal GPU.
var System = system.System{
	Name:    "ideal",
	Title:   "Ideal",
	Paper:   "G10 (MICRO 2023), §7.1",
	About:   "A GPU with unlimited memory: no data ever moves.",
	Look:    0,
	Runtime: func(*system.Options) engine.Runtime { return unlimited.Memory{} },
}
