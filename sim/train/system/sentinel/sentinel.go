// Package sentinel moves tensors between host and GPU memory in intervals of layers,
// the tensors of the next interval while the present one computes.
//
// Source: Sentinel (Ren et al., HPCA 2021), in its GPU version, with V100 and TensorFlow.
// No code was published and its text was not at hand in full, so this is a
// reconstruction.
//
// Model: one iteration is profiled, which gives the lifetime of every tensor and how
// often it is used. Short-lived tensors, born and dead within one layer, live in a
// reserved pool and never move. The others are long-lived. The layers are cut into
// migration intervals of equal length. When an interval begins, the tensors that the
// next one uses are sent for, in order of use, and what neither uses leaves, that which
// is used furthest away first. The length is the smallest for which what comes fits into
// memory beside the pool and what is in use, and takes no longer than the interval
// computes; it and some others are tried for two iterations each, the second of which is
// timed, and the fastest stays. A kernel whose tensors have not come waits.
//
// Parameters: sentinel_interval. GPU and host memory, the links, the clock.
//
// Departures from the paper:
//
//  1. A workload has no layers. Here a layer begins at a kernel that uses a weight which
//     the layer before has not used, if that one has used a weight, and after 16 kernels at
//     the latest; 8, 4, 2 or 1 where the tensors of 16 do not fit into GPU memory. So a
//     convolution and the normalization behind it are two, and the update of each weight
//     is one.
//  2. Long-lived tensors move whole. The paper puts tensors of equal lifetime and
//     access count on pages of their own, so that no hot page carries cold data; a
//     tensor here shares no page with another, which is the same with nothing lost to
//     false sharing but the end of each tensor's last page.
//  3. The profiled iteration brings tensors when they are needed. In the paper they are
//     in pinned host memory meanwhile and every access is a fault or remote, which takes
//     longer; it happens once and is not in what is reported.
//  4. The pool is as large as the most that short-lived tensors take at once. It is kept
//     free by the plan; tensors are not placed apart.
//  5. When everything fits nothing moves. Tensors leave only as far as the present
//     interval, the next one and the pool need the memory.
//  6. When what was to come is not there as its interval begins, the paper tries in two
//     iterations whether to wait or to read it in host memory, and keeps the faster. Here
//     it always waits, and each kernel only for its own tensors: the engine has no
//     remote access.
//  7. The lengths tried are the one computed, its half, quarter, double and fourfold, as
//     far as they fit. Where no length hides all that moves, the computed one is that
//     which leaves least exposed.
//  8. Memory has no fragments.
//  9. What host memory does not hold goes to the SSD, which the paper does not have; the
//     plan then reckons with the SSD's rates, else with the host link's.
package sentinel

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/system"
)

// Interval is the length of a migration interval.
var Interval = system.Param{
	Key: "sentinel_interval", Label: "Sentinel: interval", Unit: "layers", Scale: 1, Min: 0, Max: 4096, Default: 0,
	Help:   "Length of a migration interval; 0 to compute some and take the best of them.",
	Source: "Sentinel (HPCA 2021): chosen at run time",
}

// System is Sentinel.
var System = system.System{
	Name:   "sentinel",
	Title:  "Sentinel",
	Paper:  "Sentinel (HPCA 2021)",
	About:  "Profiles one iteration; then brings the tensors of the next few layers while these compute, and evicts what neither uses. A reconstruction: no code is public.",
	Note:   "A reconstruction: Sentinel's code is not public.",
	Family: "DeepUM's comparison", Off: true,
	Look:   15,
	Quirks: swap.Quirks,
	Params: []*system.Param{&Interval},
	Runtime: func(o *system.Options) engine.Runtime {
		return swap.Memory{
			Rules: swap.Rules{Warm: 1 + trials*trial},
			Swapper: func(r *swap.Run) (swap.Swapper, error) {
				return newPolicy(r, Interval.Of(o))
			},
		}
	},
}
