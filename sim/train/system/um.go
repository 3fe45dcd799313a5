package system

import (
	"spillway/sim/train/engine"
	"spillway/sim/unit"
)

// The parameters of unified memory in blocks, which the systems on it share.
var (
	UMUsable = Param{
		Key: "um_usable", Label: "Usable GPU memory", Unit: "%", Scale: 10_000, Min: 100_000, Max: 1_000_000, Default: 1_000_000,
		Help: "Part of GPU memory that blocks may take; the rest is the driver's and the framework's.", Source: "a choice",
	}
	UMPagesPerFault = Param{
		Key: "um_pages_per_fault", Label: "Pages per counted fault", Unit: "", Scale: 1000, Min: 1, Max: 512_000, Default: 4300,
		Help: "How many missing pages one fault stands for that the driver counts.", Source: "fitted to DeepUM (ASPLOS 2023), Table 5: transformers; 0.9 for convolutional networks",
	}
	UMFaultTime = Param{
		Key: "um_fault_time", Label: "Time of a fault", Unit: "us", Scale: int64(unit.Microsecond), Min: 0, Max: int64(unit.Millisecond), Default: 1_700_000,
		Help: "What the driver needs for each counted fault.", Source: "fitted to DeepUM (ASPLOS 2023), Figure 9(b)",
	}
	UMBlockTime = Param{
		Key: "um_block_time", Label: "Time of a block", Unit: "us", Scale: int64(unit.Microsecond), Min: 0, Max: int64(unit.Millisecond), Default: int64(30 * unit.Microsecond),
		Help: "What the driver needs for each block moved, in either direction.", Source: "DeepUM (ASPLOS 2023), Figure 9(b): 9.5 to 10 GB/s of a link of 12.5",
	}
	UMVictims = Param{
		Key: "um_victims", Label: "Victims to draw from", Unit: "blocks", Scale: 1, Min: 1, Max: 1 << 20, Default: 800,
		Help: "A block that must leave is one of so many that migrated longest ago.", Source: "fitted to DeepUM (ASPLOS 2023), Table 5: BERT-Base",
	}
	UMDriverPrefetch = Param{
		Key: "um_driver_prefetch", Label: "Driver's own prefetch", Unit: "", Scale: 1, Min: 0, Max: 1, Default: 0,
		Help: "The driver brings what lies around faults when half of it is there.", Source: "a choice",
	}
	UMWarmup = Param{
		Key: "um_warmup", Label: "Warm-up", Unit: "iterations", Scale: 1, Min: 0, Max: 64, Default: 6,
		Help: "Iterations that run before those which are reported.", Source: "a choice: until the tables of DeepUM are complete",
	}
)

// UMParams returns the parameters of unified memory in blocks.
func UMParams() []*Param {
	return []*Param{&UMUsable, &UMPagesPerFault, &UMFaultTime, &UMBlockTime, &UMVictims, &UMDriverPrefetch, &UMWarmup}
}

// UMBlocks returns how the block memory model works with options.
func UMBlocks(o *Options) engine.Blocks {
	return engine.Blocks{
		Usable: UMUsable.Of(o), PerFault: UMPagesPerFault.Of(o),
		Counted: unit.Time(UMFaultTime.Of(o)), PerBlock: unit.Time(UMBlockTime.Of(o)),
		Window: UMVictims.Of(o), Density: UMDriverPrefetch.Of(o) != 0, Warm: UMWarmup.Of(o), Seed: o.Seed,
	}
}
