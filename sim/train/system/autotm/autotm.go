// Package autotm places tensors by an optimization problem: which of them are in host
// memory between which uses, and beside which kernels they move.
//
// Source: AutoTM (Hildebrand et al., ASPLOS 2020), in the public formulation of its
// integer program, for GPUs.
//
// Model: all tensors of a kernel are on the GPU while it runs. Between two uses a
// tensor may be in host memory. Each way it moves either beside one kernel, which then
// takes as long as itself or all moves beside it, whichever is more, or between two
// kernels, when everything waits. A tensor whose value is in host memory already is not
// written back again. During every kernel what is on the GPU must fit, moving tensors
// included. Least time is sought: the sum over kernels of the longer of kernel and
// moves, and of the moves between kernels. As in the integer program moves beside a kernel
// add up whichever way they go; the link carries both ways at once, so that a run may be
// faster than what was minimized.
//
// Parameters: none of its own; [system.CopyAhead], which the paper does not have.
//
// Departures from the paper:
//
//  1. The integer program is not solved: a commercial solver needs minutes. From
//     everything on the GPU, the tensor and gap are moved, or moved for longer, that
//     relieve kernels which do not fit by most bytes for the added time, until all fit.
//     Then every gap in turn is taken back, and what no longer fits is filled anew; it
//     stays so when that is faster (1-opt), up to a bound on work ([budget]). When that is
//     all used up before ([patience]), gaps are taken in the order in which they would
//     have been best at first.
//  2. Tensors of less than a 4096th of GPU memory move only when larger ones do not
//     suffice ([small]).
//  3. GPU memory is bytes: the loop that solves again with a lower limit when the heap
//     is fragmented is left out.
//  4. A kernel has one time: the paper's has one for each place that its tensors may be
//     in, which on GPUs, where all are in GPU memory, makes no difference.
//  5. Weights come back for the next iteration as everything else does; the paper's
//     program ends with the iteration.
//  6. There is no branch and bound for small problems, whose optimum tests find
//     instead, and no bound by the relaxation of the program: how much better a plan
//     could be is not said.
package autotm

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/swapplan"
	"spillway/sim/train/system"
	"spillway/sim/workload"
)

// System is AutoTM.
var System = system.System{
	Name:   "autotm",
	Title:  "AutoTM",
	Paper:  "AutoTM (ASPLOS 2020)",
	About:  "An optimization decides which tensors are in host memory between uses and beside which kernels they move; its public formulation, solved here by a heuristic.",
	Note:   "AutoTM's integer program is solved by a heuristic here, so that its plans may be worse than the original's; beside one kernel moves at most what the program puts there.",
	Family: "DeepUM's comparison",
	Off:    true,
	Look:   12,
	Quirks: swap.Quirks,
	Params: []*system.Param{&system.CopyAhead},
	Search: search,
	Effort: system.Effort{Pairs: 64}, // gaps by the kernels in them
	Runtime: func(*system.Options) engine.Runtime {
		return swap.Memory{HostOnly: true, Swapper: swapplan.Follow}
	},
}

// search plans: the problem is set up, solved and written down as a program.
func search(w *workload.Workload, m *machine.Machine, o *system.Options, progress func(done, total int)) (*program.Program, error) {
	l := swapplan.LoadOf(w)
	if err := l.Fits(m.GPUMemory); err != nil {
		return nil, err
	}
	p := newProblem(l, m)
	p.solve(progress)
	if p.over > 0 {
		return nil, p.why()
	}
	if system.CopyAhead.Of(o) != 0 {
		return swapplan.CopyAhead(w, p.program()), nil
	}
	return p.program(), nil
}
