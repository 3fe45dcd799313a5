package cxlssd

import "spillway/sim/unit"

// Default returns the artifact's configuration. Sources: the artifact's configuration
// files and timing table; the paper's Table II names most of the same parts.
func Default() Setup {
	return Setup{
		Scale: 4, Seed: 1,
		Cores: 8, Clock: 4 * unit.GHz, StoreSize: 64, Scheduler: RoundRobin,
		Switch: 2 * unit.Microsecond, Threshold: 2 * unit.Microsecond,
		Access: 46 * unit.Nanosecond, Link: 40 * unit.Nanosecond, Index: 72 * unit.Nanosecond,
		DRAM: 512 * unit.MiB, Log: 56 * unit.MiB, Ways: 16, Host: 2 * unit.GiB,
		PromoteAt: 7, PromoteReset: 10_000,
		ScanPeriod: 100 * unit.Millisecond, ScanPages: 65_536,
		Read: 3 * unit.Microsecond, Program: 80 * unit.Microsecond, Erase: unit.Millisecond,
		Channels: 16, Dies: 64, Planes: 1, Blocks: 128, Pages: 256,
		Endurance: 100_000, CollectAt: 200, CollectUntil: 350,
		DRAMPrice: 4280, FlashPrice: 270,
		Quirks: Quirks.All(),
		Own:    Design{Log: true, Promote: Adaptive, Switch: true},
	}
}
