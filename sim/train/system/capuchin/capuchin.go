// Package capuchin runs one iteration to see when tensors are used, and then swaps some
// of them to host memory and computes others again.
//
// Source: Capuchin (Peng et al., ASPLOS 2020), §4 and §5. No code was published, so
// this is a reconstruction.
//
// Model: the first iteration is the measured one. It runs in passive mode: when memory
// is short, the tensors used longest ago leave, and they come back when they are
// needed. Then a plan is made. Its candidates are pairs of consecutive accesses of a
// tensor, evicted access and back access, which have some of the peak between them: the
// kernels during which more is alive than GPU memory holds. With s the time of a swap
// one way, the free time of a candidate is (back access − s) − (evicted access + s).
// Swaps are chosen in order of decreasing free time as long as they are hidden. For what
// is still needed each candidate has the cheaper of a swap, of which part is exposed,
// and of computing the tensor again from the nearest tensors that are there; what costs
// least for the memory it saves is chosen, until the need is met. A swapped tensor
// leaves at its evicted access and sets out for its way back at an in-trigger, the latest
// access that is early enough; each time it is late nevertheless the trigger moves
// earlier by a share of s. A recomputed tensor is given up at its evicted access and
// computed when its back access needs it; what else that brings back stays until it is
// used or room is needed. What no plan foresees is done in passive mode.
//
// Parameters: capuchin_feedback, [system.Spare]. GPU and host memory, the links, the clock.
//
// Departures from the paper:
//
//  1. The need is counted for every kernel: what is alive then less GPU memory. The
//     paper compares one sum. A candidate must help at a kernel where memory is short,
//     and what it saves is bytes times the time for which it is short.
//  2. A link takes one tensor at a time, which the paper leaves to the feedback. Here a
//     chosen swap uses up the link's time during the kernels after its evicted access
//     and before its back access, and only what is left hides others. Without that
//     every swap of a long network looks hidden.
//  3. The exposed time of a swap is how long the first kernel that is short of memory
//     waits for its end, and how long the back access waits if it sets out s before. Free
//     time alone does not say when memory is needed.
//  4. Ties go to the tensor that comes first in the workload.
//  5. Nothing is chosen that costs more than a swap one way, as long as a kernel that is
//     short of memory can wait for tensors that have been chosen and are on their way.
//     Where they would come back while memory is short they come back later.
//  6. Weights, gradients and optimizer state are candidates like others, also from their last
//     access to the first one of the next iteration; what keeps its value is never
//     computed again. Tensors smaller than a 32768th of GPU memory, 1 MiB of 32 GiB, are
//     no candidates, and leave in passive mode only when nothing else can.
//  7. A recomputation costs the kernels back to what is there at the back access. What
//     has been swapped out is charged with its way back, a tensor that is recomputed
//     itself with its kernels, unless its own back access is within 32 kernels: then it
//     is kept and computed once. A tensor on which chosen recomputations depend is charged
//     once more for each that cannot keep it. When all is chosen the recomputations are
//     priced again, as their sources may have become recomputations since; where memory
//     is still short, sources that nothing is planned for are charged with their way back
//     too. What costs more than a swap one way then is left to passive mode. Memory for
//     what comes back besides is not planned.
//  8. No kernel runs again that has no input (it reads training data), or that writes a
//     tensor which keeps its value and another kernel uses, or whose inputs have been
//     overwritten. A running statistic that only its own kernel uses is no obstacle: in
//     TensorFlow, on which the paper stands, another kernel writes it.
//  9. Random kernels, as dropout, run again with the same random numbers; the state of
//     the generator takes no memory.
//  10. An in-trigger that moves earlier stops where the plan has no room for the tensor.
//     The paper keeps it out of the peak if it can.
//  11. Size-fitting: the tensor used longest ago that is at least as large as what is
//     needed and at most twice as large leaves alone; without one, those used longest
//     ago leave until it is enough.
//  12. The plan reckons with links at their full rate, and with a copy for every
//     swap. What host memory does not hold, beside the swaps chosen before, goes to the SSD,
//     which the paper does not have, and is priced so. A copy that is still good is not made
//     again.
//  13. Memory has no fragments.
//  14. A plan that makes an iteration take longer than the measured one is given up, and
//     passive mode goes on; the first planned iteration does not count, as it begins with
//     what passive mode left. The result says so.
//  15. Prices change with every choice. With 2^21 candidates priced those that are known
//     stay, and with 2^27 kernels looked at no more recomputations are considered. It takes
//     a network of thousands of layers that must nearly all leave to come to that.
package capuchin

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/system"
)

// Feedback is how much earlier an in-trigger gets each time its tensor is late.
var Feedback = system.Param{
	Key: "capuchin_feedback", Label: "Capuchin: feedback", Unit: "%", Scale: 1, Min: 0, Max: 100, Default: 5,
	Help:   "When a tensor comes too late, its way back begins earlier in the next iteration, by this share of the time that its swap takes.",
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
	Note:   "A reconstruction: Capuchin's code is not public.",
	Family: "DeepUM's comparison", Off: true, Recomputes: true,
	Look:   14,
	Quirks: swap.Quirks,
	Params: []*system.Param{&Feedback, &system.Spare},
	Effort: system.Effort{Pairs: 64}, // gaps by the kernels in them
	Runtime: func(o *system.Options) engine.Runtime {
		return swap.Memory{
			Rules: swap.Rules{Warm: warm},
			Swapper: func(r *swap.Run) (swap.Swapper, error) {
				return newPolicy(r, Feedback.Of(o)), nil
			},
		}
	},
}
