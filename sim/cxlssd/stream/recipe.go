package stream

import (
	"errors"
	"fmt"

	"spillway/sim/knob"
	"spillway/sim/unit"
)

// MaxRequests bounds the requests of a stream: 8 bytes each, 512 MB.
const MaxRequests = 64 << 20

// maxThreads bounds the threads of a stream.
const maxThreads = 4096

func checkThreads(n int) error {
	if n < 1 || n > maxThreads {
		return fmt.Errorf("%d threads are not possible; want 1 to %d", n, maxThreads)
	}
	return nil
}

// Check reports what is wrong with a recipe.
func (r *Recipe) Check() error {
	return errors.Join(knob.CheckAll(Knobs(), r), checkClasses(r.Classes))
}

// reports is where most numbers of the recipes come from.
const reports = "fitted to the SkyByte artifact's reports: Table I as measured, Figures 2 and 4, slowest and average core with 8 threads"

// Knobs returns the numbers of a recipe; its classes are a text (see [ParseClasses]).
func Knobs() []knob.Knob[Recipe] {
	number := func(k knob.Info, ref func(*Recipe) *int64) knob.Knob[Recipe] {
		if k.Scale == 0 {
			k.Scale = 1
		}
		if k.Source == "" {
			k.Source = reports
		}
		return knob.Int(k, ref)
	}
	onchip := knob.Int(knob.Info{Key: "onchip", Label: "On-chip cost", Unit: "cycles", Scale: 1, Max: 1e6, Help: "What every request costs its core before it reaches memory: pipeline, caches, network.", Source: reports}, func(r *Recipe) *unit.Cycles { return &r.OnChip })
	dram := knob.Int(knob.Info{Key: "dram_latency", Label: "DRAM latency", Unit: "ns", Scale: int64(unit.Nanosecond), Max: int64(unit.Millisecond), Help: "How long a request takes where all is in DRAM.", Source: "SkyByte artifact, average latency of the DRAM-only run"}, func(r *Recipe) *unit.Time { return &r.DRAM })
	stores := knob.Int(knob.Info{
		Key: "stores", Label: "Stores without a log", Scale: 1, Kind: knob.One, Max: int64(Buffered),
		Help: "What a store costs its core in designs without a write log.", Source: "chosen by the published times of SkyByte-C",
		Choices: []knob.Choice{
			{Key: "0", Label: "wait, as loads do", Word: "stores wait"},
			{Key: "2", Label: "enter the store buffer", Word: "stores are buffered"},
		},
	}, func(r *Recipe) *Stores { return &r.Stores })
	return []knob.Knob[Recipe]{
		number(knob.Info{Key: "insts", Label: "Instructions", Unit: "M", Scale: 1e6, Max: 1e15, Help: "Instructions of all threads together, in millions.", Source: "SkyByte artifact, reports"}, func(r *Recipe) *int64 { return &r.Instructions }),
		number(knob.Info{Key: "cpi", Label: "Cycles an instruction", Scale: 1000, Max: 1e6, Help: "Cycles an instruction takes between two requests."}, func(r *Recipe) *int64 { return &r.CPI }),
		onchip, dram,
		number(knob.Info{Key: "overlap", Label: "Overlap", Scale: 1000, Max: 1000, Help: "Probability that a core goes on without waiting for a load.", Idle: []knob.Idle{{While: "outstanding=1", Why: "one load at a time: set outstanding above 1"}}}, func(r *Recipe) *int64 { return &r.Overlap }),
		number(knob.Info{Key: "outstanding", Label: "Outstanding loads", Scale: 1, Min: 1, Max: 64, Help: "How many loads a core can have under way.", Source: "assumed"}, func(r *Recipe) *int64 { return &r.Outstanding }),
		number(knob.Info{Key: "visits", Label: "Visits at a time", Scale: 1, Min: 1, Max: 64, Help: "Page visits that a thread has under way, one line of each in turn."}, func(r *Recipe) *int64 { return &r.Visits }),
		stores,
		number(knob.Info{Key: "heavy", Label: "Heavy threads", Scale: 1, Max: 8, Help: "How many of every eight threads do the heavy share of all visits; 0 shares equally."}, func(r *Recipe) *int64 { return &r.Heavy }),
		number(knob.Info{Key: "heavy_share", Label: "Heavy share", Scale: 1000, Max: 1000, Help: "Share of all visits that the heavy threads do together.", Idle: []knob.Idle{{While: "heavy=0", Why: "no heavy threads: set heavy above 0"}}}, func(r *Recipe) *int64 { return &r.HeavyShare }),
		number(knob.Info{Key: "sharing", Label: "Threads that share pages", Scale: 1, Max: 8, Help: "How many threads in a row walk over the same pages, each with its part of their lines, in classes that are walked in order: they wait for the same flash reads.", Source: "SkyByte artifact, the report of dlrm with Base-CSSD: 340,002 waits for 196 k reads of flash (594005b, output/dlrm-8-baseType3)", Zero: "each has its own"}, func(r *Recipe) *int64 { return &r.Sharing }),
		number(knob.Info{Key: "demote_dirty", Label: "Dirty demotions", Scale: 1000, Max: 1000, Help: "Probability that a promotion into full host DRAM costs a program.", Source: "fitted to programs of SkyByte-P in the artifact's reports"}, func(r *Recipe) *int64 { return &r.DemoteDirty }),
		number(knob.Info{Key: "demote_most", Label: "Host DRAM full up to", Unit: "MiB", Scale: 1, Max: 1 << 30, Help: "The largest host DRAM, at full scale, that starts out full.", Source: "SkyByte artifact, warm-up snapshots and programs of SkyByte-P"}, func(r *Recipe) *int64 { return &r.DemoteMost }),
		number(knob.Info{Key: "fill", Label: "Cache full at the start", Scale: 1000, Max: 1000, Help: "Share of the device's cache that holds other programs' pages at the start.", Source: "SkyByte artifact, warm-up snapshots"}, func(r *Recipe) *int64 { return &r.Fill }),
		number(knob.Info{Key: "fill_promote", Label: "The same with promotion", Scale: 1000, Max: 1000, Help: "Share of the device's cache that holds other programs' pages at the start, in designs that promote pages.", Source: "SkyByte artifact, warm-up snapshots"}, func(r *Recipe) *int64 { return &r.FillPromote }),
		number(knob.Info{Key: "switching", Label: "Threads with switches", Scale: 1, Min: 1, Max: 256, Help: "Threads in designs that switch them.", Source: "SkyByte artifact, configurations"}, func(r *Recipe) *int64 { return &r.Switching }),
	}
}
