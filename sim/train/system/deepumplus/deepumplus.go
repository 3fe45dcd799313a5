// Package deepumplus is DeepUM+ as the G10 evaluation builds it.
//
// Source: DeepUM (ASPLOS 2023); G10 paper, §7.1 ("DeepUM+"); artifact policy
// "DEEPUM".
//
// Model: DeepUM learns which kernels follow each other and prefetches for the
// next ones. Training repeats one iteration, so the learned correlation is
// taken as perfect: before kernel i runs, the tensors of the kernel Lookahead
// places later are prefetched. Eviction for a prefetch spares what the next
// Lookahead kernels use; when that is all of memory, a blocked kernel's
// prefetches take victims like faults. Nothing is evicted early and nothing is
// freed by plan, but pages of dead tensors are dropped instead of evicted.
//
// Parameters: [Lookahead], in kernels (8 in the artifact).
//
// Departures from the DeepUM paper: (1) no correlation tables and so no warm-up
// iterations; (2) prefetches are for whole tensors, not for 2 MiB blocks; (3)
// look-ahead is counted in kernels and is fixed.
package deepumplus

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/paged"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/workload"
)

// Lookahead is how many kernels ahead DeepUM+ prefetches.
var Lookahead = system.Param{
	Key: "lookahead", Config: "prefetch_degree", Label: "DeepUM+ look-ahead", Unit: "kernels", Scale: 1, Min: 1, Max: 1024, Default: 8,
	Help: "How many kernels ahead DeepUM+ prefetches.", Source: system.ArtifactConfigs,
}

// System is DeepUM+.
var System = system.System{
	Name:   "deepum+",
	Title:  "DeepUM+",
	Paper:  "DeepUM (ASPLOS 2023), as in G10 (MICRO 2023), §7.1",
	About:  "Unified memory with correlation prefetching: the tensors of the kernel a few places ahead are fetched.",
	Look:   3,
	Quirks: paged.Quirks | quirk.NoPromotion,
	Params: []*system.Param{&Lookahead},
	Reads:  "transfer_cost",
	Plan:   plan,
	Effort: system.Effort{Past: 300_000},
	Runtime: func(o *system.Options) engine.Runtime {
		return paged.Memory{Window: int(Lookahead.Of(o)), DropDead: true, Rescue: true}
	},
}

// plan prefetches, at every kernel, the tensors of the kernel Lookahead ahead.
func plan(w *workload.Workload, _ *machine.Machine, o *system.Options) (*program.Program, error) {
	all := engine.Sets(w, o.Quirks).All
	n, ahead := len(all), int(Lookahead.Of(o))
	ops := 0
	for _, set := range all {
		ops += len(set)
	}
	p := &program.Program{Ops: make([]program.Op, 0, ops)}
	for i := range n {
		for _, t := range all[(i+ahead)%n] {
			p.Ops = append(p.Ops, program.Op{At: workload.KernelID(i), Kind: program.Prefetch, Tensor: t})
		}
	}
	return p, nil
}
