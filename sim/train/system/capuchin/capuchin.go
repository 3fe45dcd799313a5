// Package capuchin runs one iteration to see when tensors are used, and then swaps some
// of them to host memory and computes others again.
//
// Source: Capuchin (Peng et al., ASPLOS 2020), §4 and §5. No code was published, so
// this is a reconstruction.
//
// Model: the first iteration is the measured one. It runs in passive mode: when memory
// is short, the tensors used longest ago leave, and they come back when they are
// needed. Then a plan is made. Its candidates are the pairs of consecutive accesses of a
// tensor, evicted access and back access, that have the peak between them: the kernels
// during which more is alive than GPU memory holds. With s the time of a swap one way,
// the free time of a candidate is (back access − s) − (evicted access + s). Swaps are
// chosen in order of decreasing free time as long as they are hidden. For what then is
// still needed each candidate has the cheaper of two costs, a swap's exposed time and
// the time of computing the tensor again from the nearest tensors that are there, and
// the least cost a byte is chosen until the need is met. A swapped tensor leaves at its
// evicted access and sets out for its way back at an in-trigger, the latest access that
// is early enough; each time it is late nevertheless the trigger moves earlier by a
// share of s. A recomputed tensor is given up at its evicted access and computed when
// its back access needs it. What no plan foresees is done in passive mode.
//
// Parameters: capuchin_feedback. GPU and host memory, the links, the clock.
//
// Departures from the paper:
//
//  1. The need is counted for every kernel, what is alive then less GPU memory; the
//     paper compares one sum. A candidate must help at a kernel where memory is short.
//  2. A link takes one tensor at a time, which the paper leaves to the feedback. Here a
//     chosen swap uses up the link's time during the kernels after its evicted access
//     and before its back access, and only what is left hides others. Without that
//     every swap of a long network looks hidden.
//  3. The exposed time of a swap is how long the first kernel that is short of memory
//     waits for its end, and the back access for its return. Free time alone does not
//     say when memory is needed.
//  4. Ties go to the tensor that comes first in the workload.
//  5. Weights and optimizer state are candidates like others, also from their last
//     access to the first one of the next iteration; they are never computed again.
//  6. A recomputation costs the kernels back to what is there at the back access. What
//     has been swapped out is charged with its way back, a tensor that is recomputed
//     itself with its kernels. One on which chosen recomputations depend is charged
//     once more for each that cannot keep it: a result is kept for up to 32 kernels where
//     the plan has room. These costs are those at the time of choice.
//  7. No kernel runs again that has no input (it reads training data), or that writes a
//     global tensor which another kernel uses, or whose inputs have been overwritten.
//     A running statistic that only its own kernel uses is no obstacle: in TensorFlow,
//     on which the paper stands, another kernel writes it.
//  8. Random kernels, as dropout, run again with the same random numbers; the state of
//     the generator takes no memory.
//  9. An in-trigger that moves earlier stops where the plan has no room for the tensor.
//     The paper keeps it out of the peak if it can.
//  10. Size-fitting: the tensor used longest ago that is at least as large as what is
//     needed and at most twice as large leaves alone; without one, those used longest
//     ago leave until it is enough.
//  11. Memory has no fragments.
package capuchin

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/system"
)

// Feedback is how much earlier an in-trigger gets each time its tensor is late.
var Feedback = system.Param{
	Key: "capuchin_feedback", Label: "Capuchin: feedback", Unit: "%", Scale: 1, Min: 0, Max: 100, Default: 5,
	Help:   "When a tensor comes too late its way back begins earlier by this share of the time that its swap takes, in every iteration.",
	Source: "Capuchin (ASPLOS 2020), §4.4",
}

// warm is how many iterations run before those of the options: the measured one, and
// some in which the in-triggers settle.
const warm = 4

// System is Capuchin.
var System = system.System{
	Name:   "capuchin",
	Title:  "Capuchin",
	Paper:  "Capuchin (ASPLOS 2020)",
	About:  "Measures one iteration; then swaps what the links can hide and computes the rest again. A reconstruction: no code is public.",
	Family: "DeepUM's comparison", Off: true,
	Look:   14,
	Params: []*system.Param{&Feedback},
	Runtime: func(o *system.Options) engine.Runtime {
		return engine.Runtime{
			Memory: engine.Arena, Pool: 1, Swap: engine.Swap{Warm: warm},
			Swapper: func(r *engine.SwapRun) (engine.Swapper, error) {
				return newPolicy(r, Feedback.Of(o)), nil
			},
		}
	},
}
