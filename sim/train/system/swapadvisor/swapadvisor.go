// Package swapadvisor searches for a memory allocation whose swap plan takes least
// time, with a genetic algorithm.
//
// Source: SwapAdvisor (Huang et al., ASPLOS 2020). No code is public: this is a
// reconstruction from the paper.
//
// Model: GPU memory is pools of chunks, each pool for a class of tensor sizes. A planner
// walks the kernels in order. What needs a chunk of its class when none is free takes
// that of the tensor of the class whose next use is furthest away (Belady), among those
// the kernel does not use. The victim's way out begins when its last use is over, not
// when its chunk is needed. Its way back begins as early as a chunk of the class is free
// from then on, in the order of next uses, but not before its way out has ended, and
// at most so many kernels ahead. Weights that are never evicted before their first use
// or after their last are on the GPU when an iteration begins; the others come for
// their first use and leave after their last. A genetic algorithm searches for classes,
// numbers of chunks and what else the planner depends on; how fit an individual is says
// a simulation of kernels and of both directions of the link.
//
// Parameters: [Population], [Generations] (0: only the planner, on the individuals that
// the search would begin with), the run's seed, and [system.CopyAhead], which the paper does
// not have.
//
// Departures from the paper:
//
//  1. The order of kernels is fixed. The paper's individuals are an order and an
//     allocation; a program here cannot reorder kernels. So the search has the
//     allocation, how far ahead tensors come back, and a priority for each tensor, by
//     which its distance counts more or less when a victim is chosen.
//  2. Classes are ranges of sizes, and a class's chunks have the size of its largest
//     tensor. The search begins with the ranges that need least memory, for each number
//     of classes up to [mostClasses], with chunks shared out by what tensors would use,
//     and with random ones.
//  3. Ties: of equally distant victims the larger, then that with the lower number;
//     tensors with the same next use come back in the order of their numbers.
//  4. The paper bounds neither lead nor depth. Here the farthest that a tensor comes
//     ahead is searched, from one kernel to an iteration, and a tensor's way out has
//     ended when it has in the simulation without any coming early.
//  5. Population and generations are smaller than the paper's (100 and half an hour): a
//     plan is to take seconds. Selection is by tournaments of three, the two best
//     survive, and a gene changes in one of ten. The search ends before when the best
//     plan hides everything, when ten generations have found none better, or when its
//     [budget] of work is used up, after some 2500 individuals for BERT-base. Where none of
//     them has a plan it goes on, by who lacks least memory, up to [enough] individuals.
//  6. A tensor that nobody has written since it came back is not copied again.
package swapadvisor

import (
	"fmt"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/swapplan"
	"spillway/sim/train/system"
	"spillway/sim/workload"
)

// Population is how many individuals live at a time.
var Population = system.Param{
	Key: "swapadvisor_population", Label: "SwapAdvisor population", Unit: "", Scale: 1, Min: 4, Max: 1000, Default: 24,
	Help:   "How many allocations SwapAdvisor's genetic search keeps at a time.",
	Source: "chosen for a plan in seconds; SwapAdvisor (ASPLOS 2020) has 100",
}

// Generations is how often they multiply.
var Generations = system.Param{
	Key: "swapadvisor_generations", Label: "SwapAdvisor generations", Unit: "", Scale: 1, Min: 0, Max: 10000, Default: 20,
	Help:   "How many generations SwapAdvisor's genetic search runs; 0 takes the best plan that it would begin with.",
	Source: "chosen for a plan in seconds; SwapAdvisor (ASPLOS 2020) searches for half an hour",
}

// System is SwapAdvisor.
var System = system.System{
	Name:   "swapadvisor",
	Title:  "SwapAdvisor",
	Paper:  "SwapAdvisor (ASPLOS 2020)",
	About:  "A genetic search chooses memory pools; a planner swaps what is used furthest in the future. A reconstruction from the paper.",
	Note:   "SwapAdvisor is a reconstruction from its paper; its genetic search has the memory allocation but not the order of kernels, and takes seconds instead of half an hour.",
	Family: "DeepUM's comparison",
	Off:    true,
	Look:   13,
	Quirks: swap.Quirks,
	Params: []*system.Param{&Population, &Generations, &system.CopyAhead},
	Reads:  "seed",
	Search: search,
	Effort: system.Effort{Tried: func(o *system.Options) float64 {
		return float64(Population.Of(o)) * float64(Generations.Of(o)+1) / 10
	}},
	Runtime: func(*system.Options) engine.Runtime {
		return swap.Memory{HostOnly: true, Swapper: swapplan.Follow}
	},
}

func search(w *workload.Workload, m *machine.Machine, o *system.Options, progress func(done, total int)) (*program.Program, error) {
	l := swapplan.LoadOf(w)
	if err := l.Fits(m.GPUMemory); err != nil {
		return nil, err
	}
	s := newSearch(newPlanner(l, m), int(Population.Of(o)), uint64(o.Seed))
	generations := int(Generations.Of(o))
	if progress != nil {
		total := s.size * (generations + 1)
		s.tell = func() { progress(min(s.tried, total), total) }
	}
	s.begin()
	for range generations {
		if s.done() {
			break
		}
		s.generation()
	}
	if generations > 0 && s.all[0].time == swapplan.Never {
		s.persist()
	}
	if best := s.all[0]; best.time < swapplan.Never {
		stays, _ := s.plan(&best)
		if err := l.Check(stays, m); err != nil {
			return nil, err
		}
		p := swapplan.Program(stays, nil)
		p.Rounds = s.tried
		if system.CopyAhead.Of(o) != 0 {
			p = swapplan.CopyAhead(w, p)
		}
		return p, nil
	}
	return nil, &system.DoesNotFit{Reason: fmt.Sprintf(
		"no plan was found in %d tries, which does not say that there is none: no division of memory into pools that was tried has chunks for every kernel's tensors in the %v of the GPU and leaves no more away than the %v of host memory hold; more memory or a smaller batch would help",
		s.tried, m.GPUMemory, m.HostMemory)}
}
