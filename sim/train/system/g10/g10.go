// Package g10 plans tensor migrations before the run: it knows when tensors
// are idle and how busy the links will be.
//
// # Source
//
// G10 (MICRO 2023), §4.2 to §4.5 and Algorithm 1; the scheduler of its public
// artifact.
//
// # Model
//
// Time is counted in kernels. The planner keeps, for every kernel, an estimate
// of the bytes in GPU memory, of the planned bytes in host memory, and of the
// bytes that cross the SSD and the link, each way.
//
//  1. Every intermediate tensor is allocated just before its birth and freed
//     at its death (prealloc.go).
//  2. While memory is over the target, all idle periods are ordered by benefit:
//     size times the time over capacity that moving the tensor away would
//     relieve, given how long the links need (benefit.go, best.go). The best is moved to
//     the SSD, or to the host when the SSD is busy just then (move.go).
//  3. Prefetches of moved tensors are brought forward while there is room
//     (prefetch.go).
//  4. If memory is still over capacity, there is a last resort (resort.go).
//
// G10-GDS may use only the SSD, G10-Host the SSD and the host, both without
// unified memory (§7.2).
//
// # Parameters
//
// [Safety] is the margin on transfer times. From the
// machine: capacities, bandwidths, both latencies, allocation cost. As published the target
// is 99 % of GPU memory. [Arena] moves the plan's tensors without unified memory, and
// [system.CopyAhead] copies them ahead then; the paper has neither, nor
// [system.Spare].
//
// # Departures
//
// With all quirks on, none from the artifact is known. With a quirk off, the
// planner does what the paper says instead; these choices are ours:
//
//  1. §4.3 speaks of a ratio of benefit and cost, Algorithm 1 orders by benefit
//     alone. We follow Algorithm 1, as the artifact does. Cost enters through
//     the time the links need, which shortens the relief.
//  2. A period too short to move the tensor out and in with the margin helps
//     nothing. The artifact leaves it in the list and examines it again and
//     again; without [quirk.ZeroBenefit] it is dropped. Likewise host memory is
//     then counted only for moves that are made.
//  3. The artifact stops planning allocation and freeing once memory is under
//     the target. Without [quirk.DoubleInput] every intermediate tensor is
//     freed when it dies (§4.2), always.
//  4. Without [quirk.OneLink] SSD, host and GPU have a lane each, and a
//     transfer takes from two of them. With it, and without
//     [quirk.WeightsIgnoreLanes], a host transfer takes from the SSD's room only
//     what the link has left less than the SSD needs; the artifact takes it again
//     at each transfer.
//  5. Without [quirk.SymmetricSSD] margins use the SSD's write rate for
//     the way out and its read rate for the way in.
//  6. The target stays at 99 % of GPU memory, where Algorithm 1 says capacity:
//     no published run was made with another headroom.
//  7. Without [quirk.ArenaForGDS] G10-GDS and G10-Host plan as G10 does, within
//     their tiers, and run on the paged engine.
//  8. A tensor that no kernel uses takes no memory.
//  9. Where no move helps and kernels are still over capacity, Algorithm 1 ends
//     and pages fault. Without [quirk.ZeroBenefit] there is a last resort
//     (resort.go): a second plan lets kernels wait for as long as the links need
//     for what is left, in a third nothing moves by plan; that which runs fastest
//     in this simulator, with the kernel times the planner knows, is taken.
//  10. Without [quirk.ZeroBenefit] what the run may have evicted is prefetched (once more)
//     one kernel before its use: what returned early, and what was idle while
//     memory is over capacity. The paper has one prefetch a period. It is a repetition:
//     where the SSD is busy all the time, as with ResNet-152 at batch 1280 and warm kernels,
//     tensors that were asked for 68 kernels ahead come on a fault with memory to spare, and
//     the last prefetch before the fault is this one.
//  11. Without [quirk.SSDBenefit] the benefit is that of the destination a move
//     would have: the SSD unless it is full while the tensor would leave, as in
//     Algorithm 1, or would relieve nothing. A move that then cannot be made
//     is judged again by the other destination.
//  12. Without [quirk.EagerOvershoot] memory is mapped ahead of a tensor's birth
//     only where, after all moves, the plan has room for it without a break until
//     then; else at its birth. As published it takes pages from live tensors.
package g10

import (
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/paged"
	"spillway/sim/train/engine/pool"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/swapplan"
	"spillway/sim/train/system"
	"spillway/sim/workload"
)

// Safety is the margin on transfer times.
var Safety = system.Param{
	Key: "safety", Config: "delta_parameter", Label: "Planner safety margin", Unit: "", Scale: 1000, Min: 0, Max: 10000, Default: 500,
	Help: "Share of a transfer's time that G10's planner adds as a margin.", Source: system.ArtifactConfigs,
}

// Arena follows G10's plan without unified memory.
var Arena = system.Param{
	Key: "g10_arena", Label: "G10 without unified memory", Unit: "", Scale: 1, Max: 1, Default: 0,
	Help:   "1 moves whole tensors of G10's plan in an arena, where nothing faults page by page; whatever still does not fit leaves, the one that is needed last first.",
	Source: "no publication has it; to compare G10's plan with others",
}

// planned are the quirks of G10's plan and of the engines that run it.
const planned = paged.Quirks | quirk.NoPromotion | quirk.FreeSkipsMoving | pool.Quirks |
	quirk.ZeroBenefit | quirk.UnstableSort | quirk.DoubleInput | quirk.EagerOvershoot |
	quirk.WrapSlip | quirk.WeightsIgnoreLanes | quirk.HandTuned

// byHost are the quirks of plans that may use host memory.
const byHost = quirk.EmptyWindowBusy | quirk.SSDBenefit | quirk.OneLink | quirk.HostPeak

// System is G10 with unified memory over GPU, host and SSD.
var System = system.System{
	Name:    "g10",
	Main:    true,
	Title:   "G10",
	Paper:   "G10 (MICRO 2023)",
	About:   "Plans from tensor lifetimes which idle tensors leave for SSD or host and when they return, over unified memory.",
	Look:    6,
	Quirks:  planned&^quirk.InstantSSD | byHost,
	Params:  []*system.Param{&Safety, &Arena, &system.CopyAhead, &system.Spare},
	Reads:   "transfer_cost fault_latency alloc_rate",
	Plan:    variant{host: true}.plan,
	Effort:  system.Effort{Pairs: 300},
	Runtime: variant{host: true}.runtime,
}

// GDS is G10 that moves tensors between GPU and SSD only.
var GDS = system.System{
	Name:    "g10-gds",
	Title:   "G10-GDS",
	Paper:   "G10 (MICRO 2023), §7.2",
	About:   "G10's plan with the SSD as the only place to move tensors to, without unified memory.",
	Look:    4,
	Quirks:  planned | quirk.ArenaForGDS,
	Params:  []*system.Param{&Safety, &system.Spare},
	Plan:    variant{direct: true}.plan,
	Effort:  system.Effort{Pairs: 300},
	Runtime: variant{direct: true}.runtime,
}

// Host is G10 that moves tensors between GPU, host and SSD without unified memory.
var Host = system.System{
	Name:    "g10-host",
	Title:   "G10-Host",
	Paper:   "G10 (MICRO 2023), §7.2",
	About:   "G10's plan with SSD and host memory to move tensors to, without unified memory.",
	Look:    5,
	Quirks:  planned | byHost | quirk.ArenaForGDS,
	Params:  []*system.Param{&Safety, &system.Spare},
	Plan:    variant{host: true, direct: true}.plan,
	Effort:  system.Effort{Pairs: 300},
	Runtime: variant{host: true, direct: true}.runtime,
}

// A variant says which tiers a system uses and how.
type variant struct {
	host   bool // tensors may move to host memory
	direct bool // without unified memory
	score  func(*Candidate) float64
}

// A Candidate is what is known of an idle period while moves are planned.
type Candidate struct {
	Tensor  workload.TensorID
	Benefit float64 // by which G10 chooses: bytes times µs over capacity that the move would relieve
	Size    int64   // of the tensor, in bytes
	Idle    float64 // µs
	// Start to End-1 are the kernels of the period; it would be away during Gone to Back-1. All
	// may run on into the next iteration.
	Start, End, Gone, Back int32
	Wraps                  bool // it goes on into the next iteration
}

// Scored is G10 that moves the tensor with the greatest score next, as long as there is one
// above 0. A period is asked about whenever its benefit is reckoned anew. No score may be
// infinite, or no number.
func Scored(score func(*Candidate) float64) system.System {
	s, v := System, variant{host: true, score: score}
	s.Plan, s.Runtime = v.plan, v.runtime
	return s
}

// runtime is how the variant runs.
func (v variant) runtime(o *system.Options) engine.Runtime {
	if v.direct && o.Quirks.Has(quirk.ArenaForGDS) {
		return pool.Memory{Scale: 4, Policy: newDirect, SSDOnly: !v.host}
	}
	if v.inArena(o) {
		return swap.Memory{Swapper: follow}
	}
	return paged.Memory{SSDOnly: !v.host, SplitTables: v.direct}
}

// inArena reports whether the plan is followed without unified memory.
func (v variant) inArena(o *system.Options) bool {
	return v.host && !v.direct && (Arena.Of(o) != 0 || system.CopyAhead.Of(o) != 0)
}

// follow makes what follows a plan in an arena.
func follow(r *swap.Run) (swap.Swapper, error) {
	f := swap.NewFollower(r)
	f.Room = r.Furthest
	return f, nil
}

// plan decides all migrations of one iteration.
func (v variant) plan(w *workload.Workload, m *machine.Machine, o *system.Options) (*program.Program, error) {
	p, err := v.migrations(w, m, o)
	if err == nil && v.inArena(o) && system.CopyAhead.Of(o) != 0 {
		p = swapplan.CopyAhead(w, p)
	}
	return p, err
}

// migrations is the plan without copies made ahead.
func (v variant) migrations(w *workload.Workload, m *machine.Machine, o *system.Options) (*program.Program, error) {
	s := newPlanner(v, w, m, o, nil)
	p := s.program()
	if !s.resorts() {
		return p, nil
	}
	wait := s.missing()
	if wait == nil {
		return p, nil
	}
	// Nothing moves by plan.
	none := newPlanner(v, w, m, o, nil)
	none.allocate()
	none.mapAhead()
	nothing := none.finish()
	if best := v.faster(w, m, o, p, newPlanner(v, w, m, o, wait).program(), nothing); best != nil {
		return best, nil
	}
	return nothing, nil
}

// program plans all migrations.
func (s *planner) program() *program.Program {
	s.allocate()
	for s.rounds < len(s.periods) && s.round() {
	}
	s.mapAhead()
	s.prefetchEagerly()
	switch {
	case s.arena:
		s.dropForGood()
	case s.resorts():
		s.guard()
	}
	return s.finish()
}

// finish puts the operations in order.
func (s *planner) finish() *program.Program {
	system.SortBy(s.quirks, s.ops, func(o program.Op) float64 { return float64(o.At) })
	return &program.Program{Ops: s.ops, Rounds: s.rounds}
}
