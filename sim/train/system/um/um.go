// Package um is unified memory as the GPU's driver has it: what DeepUM starts from and
// is compared with.
//
// Source: DeepUM (ASPLOS 2023), §2.2, §2.3 and Figure 9 ("UM").
//
// Model: no plan and no prefetching but, as an option, the driver's own by density. A
// kernel that comes to a block of 2 MiB of which it misses pages stalls while the driver
// handles the faults, evicts a block if memory is full, and brings the pages. Victims are
// drawn from the blocks that migrated longest ago. All of that is one after the other.
// Values of tensors that are dead move too.
//
// Parameters: [system.UMParams], [system.UMPagesPerFault], [system.UMDriverPrefetch].
//
// Departures from the paper: (1) the paper does not say how long the driver needs for a
// fault and for a block; both are fitted to its Figure 9(b). (2) What its Table 5 counts
// is not a page for every fault in transformers, so that pages per counted fault is a
// parameter. (3) Strict order of migration makes iterations jump where memory is a
// little short, as the paper's do not; a window of victims softens that, and is fitted
// to the faults of BERT-Base. (4) Time is the mean of what thousands of threads wait
// for, who fault in batches in no known order; here one visit faults at a time.
package um

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/system"
)

// System is UM.
var System = system.System{
	Name:   "um",
	Title:  "UM",
	Paper:  "DeepUM (ASPLOS 2023), §2.2 and Figure 9",
	About:  "Unified memory as the driver has it: kernels fault on blocks of 2 MiB, which the driver brings while they wait; what migrated longest ago makes room. A reconstruction: the driver's costs are fitted.",
	Family: "DeepUM's comparison",
	Off:    true,
	Look:   7,
	Params: []*system.Param{&system.UMUsable, &system.UMPagesPerFault, &system.UMFaultTime, &system.UMBlockTime, &system.UMVictims, &system.UMDriverPrefetch, &system.UMWarmup},
	Runtime: func(o *system.Options) engine.Runtime {
		return blocks.Memory{Rules: system.UMBlocks(o)}
	},
}
