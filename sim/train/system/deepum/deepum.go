// Package deepum is DeepUM: unified memory with a driver that learns from faults what
// kernels need, and brings it before they need it.
//
// Source: DeepUM (ASPLOS 2023), §3 to §5. No code is public: this is a reconstruction.
//
// Model: an execution ID is a kernel with its arguments. The execution table has,
// for each, records of the three before it and the one that came after; the most recent
// record whose three are the same predicts. A block table for each execution ID has,
// for each block that faulted, those that faulted right after it, most recent first.
// Only faults are recorded, in order of arrival.
//
// At each launch the chain is extended until it has so many predicted kernels as the
// degree of prefetching says. To extend it is to follow the successors in the table of
// one more kernel from its start until none is left that was not met; what is neither
// on the GPU nor queued is queued. A fault of a block that was not queued puts those
// that follow it in the running kernel before all others. What the chain names is
// protected: neither pre-evicted nor evicted for a prefetch. Pre-eviction holds some
// memory free; a block that leaves and has no memory in use is dropped instead of
// copied.
//
// Parameters: [Degree], [Rows], [Ways], [Successors], [Prefetch], [PreEvict],
// [Invalidate], [Ready], [Lookup], and those of unified memory.
//
// Departures from the paper, and what it leaves open: (1) a fault brings the whole block,
// as the driver's prefetches do, also for a row of a table (so that DLRM may take longer than with unified memory; the result says so), and counts as [FaultsPerBlock] faults, whatever
// [system.UMPagesPerFault] and [system.UMDriverPrefetch] are; the text may mean single pages for what is not learned
// yet, which would make the first iteration as slow as plain unified memory. (2) A block's row is its number modulo the rows. (3) In a full row the entry goes
// whose block faulted longest ago; prefetching does not count as use. (4) The start of a
// kernel is a predecessor like any block, with as many successors; the paper has a
// single start block. (5) The end block is recorded but stops nothing; a kernel's
// walk ends when all that its table leads to has been met. (6) A fault does not restart
// the chain; only a launch of another kernel than predicted does, and its walk then
// begins with the running kernel. (7) Blocks that wait to be brought after the last
// launch that was expected to need them are left out. (8) Predicted kernels count as
// history for further predictions. (9) Of several records with the same history the most
// recent counts. (10) "No free space left" is [Ready] chunks. (11) Keeping tables and
// following launches takes no time, as it is on other processors; looking up whether a
// victim is expected takes what [Lookup] says.
//
// Validation: with 75.8 % of memory usable, which is fitted as the time of a block is,
// times of Figure 9(b) are met within 6 % for GPT-2 and ResNet (12 rows), BERT-Large is
// 5 to 15 % and BERT-Base 1 to 35 % too fast, and tables are within 18 % of Table 4 but
// for BERT-Base's, which are 71 to 156 % too large, and DLRM's, which are 6 to 69 % too
// small. Figure 11's best degree of 32 is met where a look-up takes 50 ns: else more is
// always a little better, as nothing costs more with it.
package deepum

import (
	"slices"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/system"
	"spillway/sim/unit"
)

const paper = "DeepUM (ASPLOS 2023)"

// Degree is how many kernels the chain predicts.
var Degree = system.Param{
	Key: "deepum_degree", Label: "DeepUM degree", Unit: "kernels", Scale: 1, Min: 1, Max: 1024, Default: 32,
	Help: "How many kernels ahead DeepUM prefetches, and whose blocks it protects.", Source: paper + ", Figure 11",
}

// Rows is how many rows a block table has.
var Rows = system.Param{
	Key: "deepum_rows", Label: "DeepUM rows", Unit: "", Scale: 1, Min: 1, Max: 1 << 16, Default: 2048,
	Help: "Rows of each of DeepUM's block tables (NumRows).", Source: paper + ", Table 6: Config9",
}

// Ways is how many blocks have room in a row.
var Ways = system.Param{
	Key: "deepum_ways", Label: "DeepUM ways", Unit: "", Scale: 1, Min: 1, Max: 64, Default: 2,
	Help: "How many blocks fit into a row of a block table (Assoc).", Source: paper + ", Table 6: Config9",
}

// Successors is how many blocks are known to follow one.
var Successors = system.Param{
	Key: "deepum_successors", Label: "DeepUM successors", Unit: "", Scale: 1, Min: 1, Max: 64, Default: 4,
	Help: "How many successors of a block a block table knows (NumSuccs).", Source: paper + ", Table 6: Config9",
}

// Prefetch brings blocks before they are needed.
var Prefetch = system.Param{
	Key: "deepum_prefetch", Label: "DeepUM prefetch", Unit: "", Scale: 1, Min: 0, Max: 1, Default: 1,
	Help: "Whether DeepUM brings blocks before they are needed.", Source: paper + ", §4",
}

// PreEvict makes room before it is needed.
var PreEvict = system.Param{
	Key: "deepum_pre_evict", Label: "DeepUM pre-evict", Unit: "", Scale: 1, Min: 0, Max: 1, Default: 1,
	Help: "Whether DeepUM makes room before it is needed.", Source: paper + ", §5.1",
}

// Invalidate drops blocks without memory in use.
var Invalidate = system.Param{
	Key: "deepum_invalidate", Label: "DeepUM invalidate", Unit: "", Scale: 1, Min: 0, Max: 1, Default: 1,
	Help: "Whether a block that leaves and has no memory in use is dropped instead of copied.", Source: paper + ", §5.2",
}

// Ready is how much memory pre-eviction holds free.
var Ready = system.Param{
	Key: "deepum_ready", Label: "DeepUM ready", Unit: "chunks", Scale: 1, Min: 1, Max: 4096, Default: 32,
	Help: "How many chunks of 2 MiB pre-eviction keeps free or on their way out.", Source: "a guess: the paper says \"no free space left\"",
}

// FaultsPerBlock is how many faults a missed block counts for.
var FaultsPerBlock = system.Param{
	Key: "deepum_faults_per_block", Label: "DeepUM faults per block", Unit: "", Scale: 1, Min: 1, Max: 512, Default: 5,
	Help:   "How many faults the driver handles for a block that DeepUM missed: the first brings the whole block, but some more are already on their way.",
	Source: "fitted to " + paper + ", Table 5, which it meets in the order of magnitude only",
}

// Lookup is how long looking a block up in one table takes.
var Lookup = system.Param{
	Key: "deepum_lookup", Label: "DeepUM look-up", Unit: "ns", Scale: int64(unit.Nanosecond), Max: int64(unit.Microsecond), Default: 0,
	Help:   "How long the driver takes to look a block up in one kernel's table: before a block leaves, or is spared, all kernels of the look-ahead are asked whether they need it.",
	Source: "0: no number is published. With 50, about a miss of a processor's caches, the best degree is 32 as in " + paper + ", Figure 11",
}

// System is DeepUM.
var System = system.System{
	Name:    "deepum",
	Title:   "DeepUM",
	Paper:   paper,
	About:   "Unified memory with a driver that learns from faults which blocks kernels need, and brings them before. A reconstruction: no code is public.",
	Family:  "DeepUM's comparison",
	Off:     true,
	Look:    8,
	Params:  slices.Concat([]*system.Param{&Degree, &Rows, &Ways, &Successors, &Prefetch, &PreEvict, &Invalidate, &Ready, &FaultsPerBlock, &Lookup}, system.UMParams()),
	Runtime: func(o *system.Options) engine.Runtime { return runtime(o, nil) },
}

// runtime is DeepUM's, with what spare makes for a run, which may be nil.
func runtime(o *system.Options, spare func(*blocks.Run) Spare) engine.Runtime {
	s, b := of(o), system.UMBlocks(o)
	b.Whole, b.PerFault = true, pages/FaultsPerBlock.Of(o)
	b.PerSpare = unit.Time(Lookup.Of(o) * Degree.Of(o))
	return blocks.Memory{Rules: b, Pager: func(r *blocks.Run) blocks.Pager {
		p := newPager(r, s)
		if spare != nil {
			p.spare = spare(r)
		}
		return p
	}}
}

// A Spare says whether a block must stay while room is made for what comes early. It is
// expected in so many launches: 0 is the running kernel's, and before that it is over;
// [Unexpected] if no kernel is known to need it. What it says holds until the next launch.
type Spare func(b blocks.ID, expected int64) bool

// Sparing is DeepUM that spares what somebody else says; spare makes what is asked during a run.
func Sparing(spare func(*blocks.Run) Spare) system.System {
	s := System
	s.Runtime = func(o *system.Options) engine.Runtime { return runtime(o, spare) }
	return s
}

// pages is how many pages a block has, in thousandths.
const pages = 1000 * int64(blocks.Size/unit.Page)

// of returns the settings in options.
func of(o *system.Options) settings {
	s := settings{
		geometry:   geometry{int(Rows.Of(o)), int(Ways.Of(o)), int(Successors.Of(o))},
		degree:     int(Degree.Of(o)),
		prefetch:   Prefetch.Of(o) != 0,
		invalidate: Invalidate.Of(o) != 0,
	}
	if PreEvict.Of(o) != 0 {
		s.ready = int(Ready.Of(o))
	}
	return s
}
