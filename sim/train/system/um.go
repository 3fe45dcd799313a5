package system

import (
	"spillway/sim/train/engine/blocks"
	"spillway/sim/unit"
)

// The parameters of unified memory as the driver has it (blocks.Memory). UM and
// DeepUM share them.
var (
	UMUsable = Param{
		Key: "um_usable", Label: "Usable GPU memory", Unit: "%", Scale: 10_000, Min: 10_000, Max: 1_000_000, Default: 1_000_000,
		Help:   "With UM and DeepUM: share of GPU memory that managed data gets. The rest is the driver's, the framework's, or lost to fragments.",
		Source: "all of it; 75.8 of 32 GiB reproduces DeepUM's Table 5 for BERT-Base, 3 % over at batch 29 (fitted)",
	}
	UMPagesPerFault = Param{
		Key: "um_pages_per_fault", Label: "Pages per counted fault", Unit: "pages", Scale: 1000, Min: 1, Max: 512_000, Default: 4300,
		Help:   "With UM: how many missing 4 KiB pages the driver counts as one fault.",
		Source: "fitted to DeepUM's Table 5: 4.3 for transformers, 0.9 for convolutional networks, 1 for DLRM",
	}
	UMFaultTime = Param{
		Key: "um_fault_time", Label: "Time per counted fault", Unit: "µs", Scale: int64(unit.Microsecond), Max: int64(unit.Millisecond), Default: 1_700_000,
		Help:   "With UM and DeepUM: how long the driver takes to handle a counted fault, besides the block and its transfer.",
		Source: "fitted to what is left of UM's times in DeepUM's Figure 9(b); one value for GPT-2 and ResNet",
	}
	UMBlockTime = Param{
		Key: "um_block_time", Label: "Time per block moved", Unit: "µs", Scale: int64(unit.Microsecond), Max: int64(10 * unit.Millisecond), Default: 30_000_000,
		Help:   "With UM and DeepUM: how long the driver needs for each block of 2 MiB it moves, in either direction, besides the transfer.",
		Source: "fitted: DeepUM moves ResNet's activations at 9.5 to 10 GB/s over a link of 12.5 GB/s (Figure 9(b))",
	}
	UMVictims = Param{
		Key: "um_victims", Label: "Victim window", Unit: "blocks", Scale: 1, Min: 1, Max: 1 << 20, Default: 800,
		Help:   "With UM and DeepUM: a victim is drawn from this many blocks that migrated longest ago; 1 takes the oldest, which falls off a cliff where memory is a little short.",
		Source: "fitted to the faults of BERT-Base in DeepUM's Table 5",
	}
	UMDriverPrefetch = Param{
		Key: "um_driver_prefetch", Label: "Driver's density prefetch", Unit: "", Scale: 1, Max: 1, Default: 0,
		Help:   "With UM: 1 brings all of an aligned group of 16 to 512 pages when more than half of it is on the GPU.",
		Source: "NVIDIA's driver has it; DeepUM's Table 5 counts faults page by page, so it is off",
	}
	UMWarmup = Param{
		Key: "um_warmup", Label: "Warm-up iterations", Unit: "", Scale: 1, Max: 64, Default: 6,
		Help:   "With UM and DeepUM: iterations before those set under Options. Addresses change between the first two, and tables are complete after about six.",
		Source: "until DeepUM's iterations settle in this simulator",
	}
)

// UMParams returns the parameters that UM and DeepUM share.
func UMParams() []*Param {
	return []*Param{&UMUsable, &UMFaultTime, &UMBlockTime, &UMVictims, &UMWarmup}
}

// UMBlocks returns how the block memory model works with o. A fault brings the pages
// that a kernel needs.
func UMBlocks(o *Options) blocks.Rules {
	return blocks.Rules{
		Usable: UMUsable.Of(o), PerFault: UMPagesPerFault.Of(o),
		Counted: unit.Time(UMFaultTime.Of(o)), PerBlock: unit.Time(UMBlockTime.Of(o)),
		Window: UMVictims.Of(o), Density: UMDriverPrefetch.Of(o) != 0,
		Warm: UMWarmup.Of(o), Seed: o.Seed,
	}
}
