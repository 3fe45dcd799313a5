package own

import "spillway/sim/policy"

// The parts of the simulator that ask rules. A text is for one of them.
const (
	arena   = "arena"   // whole tensors that the engine brings (package swap)
	planner = "planner" // G10's plan (package g10)
	driver  = "driver"  // DeepUM's driver (package deepum)
)

// The features of the place, in its order.
const (
	featSize = iota
	featLast
	featUses
	featGlobal
	featHostTime
	featSSDTime
	featCapacity
	featKernels
	featNext
	featAge
	featDirty
	featShort
	featFree
	featHostFree
	featKernel
	featIteration
	featTruth
	featBenefit
	featIdle
	featSpan
	featAway
	featWraps
	featExpected
	featActive
	featDials // p1 to p4
)

// thing is what rules of the arena are about.
const thing = "tensor"

// Asks is what training asks a policy of somebody's own, and what it lets it know. Names and
// meanings stay for ever: links have them.
func Asks() *policy.Place {
	inArena, inPlan, inDriver, sized := []string{arena}, []string{planner}, []string{driver}, []string{arena, planner}
	return &policy.Place{
		Lab: "train", Title: "Training memory", Without: "evict = -last: tensors that were used longest ago make room, and come back when they are needed",
		Rules: []policy.Rule{
			{Name: "evict", Each: true, Seam: arena, Thing: thing, Default: "-last", Help: "Of the tensors on the GPU that no kernel uses now the one with the greatest number leaves, until what is needed has room; of equal ones that which was used longest ago. Kernels wait for their tensors; nothing faults."},
			{Name: "leave", Seam: arena, Thing: thing, Condition: true, Help: "Whether a tensor leaves as soon as a kernel that uses it has ended. Without it tensors leave for room alone."},
			{Name: "host", Seam: arena, Thing: thing, Condition: true, Help: "Whether a tensor that leaves goes to host memory; else, and where that is full, it goes to the SSD. Without it host memory is first."},
			{Name: "ahead", Each: true, Seam: arena, Thing: thing, Help: "How many kernels before its next use a tensor is asked for, as soon as there is room: asked when a kernel that uses it has ended. From the second iteration on, for the order is learned in the first. Without it tensors come when they are needed."},
			{Name: "score", Each: true, Seam: planner, Help: "Instead of evict: G10 plans, over unified memory, and of all idle periods the tensor of that with the greatest number moves next, as long as kernels are over capacity and the number is above 0. G10's own is: score = benefit."},
			{Name: "spare", Seam: driver, Condition: true, Help: "Instead of evict: DeepUM's driver learns what to bring, and does not make room for it with blocks of which this holds. DeepUM's own is: spare = expected >= 0."},
		},
		Events: []policy.Event{
			{Name: "used", Seam: arena, Thing: thing, Help: "A kernel that uses the tensor has ended, and it will be used again."},
			{Name: "evicted", Seam: arena, Thing: thing, Help: "The tensor leaves: evict or leave chose it."},
			{Name: "came", Seam: arena, Thing: thing, Help: "The tensor is on the GPU again."},
		},
		Features: append([]policy.Feature{
			featSize:      {Name: "size", Unit: "bytes", Seams: sized, Help: "Bytes of the tensor in whole pages."},
			featLast:      {Name: "last", Thing: thing, Seams: inArena, Help: "Number, among all kernels that ran, of that which used it last, or which ran when it came."},
			featUses:      {Name: "uses", Thing: thing, Seams: inArena, Help: "How many kernels have used it."},
			featGlobal:    {Name: "global", Condition: true, Thing: thing, Seams: inArena, Help: "It keeps its value over iterations, as weights and the optimizer's state do."},
			featHostTime:  {Name: "host_time", Unit: "s", Seams: sized, Help: "How long it takes to host memory and back where nothing else moves; planned, with G10's margin."},
			featSSDTime:   {Name: "ssd_time", Unit: "s", Seams: sized, Help: "How long it takes to the SSD and back where nothing else moves; planned, with G10's margin."},
			featCapacity:  {Name: "capacity", Constant: true, Unit: "bytes", Seams: sized, Help: "GPU memory for tensors."},
			featKernels:   {Name: "kernels", Constant: true, Help: "How many kernels an iteration has."},
			featNext:      {Name: "next", Thing: thing, Seams: inArena, Live: true, Help: "How many kernels run before its next use, as the iteration before showed; 1e18 in the first, and if its value dies first."},
			featAge:       {Name: "age", Unit: "s", Thing: thing, Seams: inArena, Live: true, Help: "Time since its last use, or since it came."},
			featDirty:     {Name: "dirty", Condition: true, Thing: thing, Seams: inArena, Live: true, Help: "Its value is nowhere but on the GPU, so that leaving takes a copy."},
			featShort:     {Name: "short", Unit: "bytes", Seams: inArena, Live: true, Help: "Bytes that are missing; 0 where nothing makes room."},
			featFree:      {Name: "free", Unit: "bytes", Seams: inArena, Live: true, Help: "GPU memory that no tensor takes."},
			featHostFree:  {Name: "host_free", Unit: "bytes", Seams: inArena, Live: true, Help: "Host memory that no tensor takes."},
			featKernel:    {Name: "kernel", Seams: inArena, Live: true, Help: "Number of the kernel that runs or is next, from 0."},
			featIteration: {Name: "iteration", Seams: inArena, Live: true, Help: "Number of the iteration, from 0."},
			featTruth:     {Name: "truth", Thing: thing, Seams: inArena, Live: true, Future: true, Help: "next, known in the first iteration as well."},
			featBenefit:   {Name: "benefit", Unit: "bytes × µs", Seams: inPlan, Live: true, Source: "G10 (MICRO 2023), Algorithm 1", Help: "The tensor's bytes times the time of the kernels over capacity that the move would relieve, as links are planned so far."},
			featIdle:      {Name: "idle", Unit: "s", Seams: inPlan, Help: "How long the period lasts where nothing is missing."},
			featSpan:      {Name: "span", Seams: inPlan, Help: "How many kernels the period has."},
			featAway:      {Name: "away", Seams: inPlan, Live: true, Help: "During how many kernels the tensor would be away, as links are planned so far."},
			featWraps:     {Name: "wraps", Condition: true, Seams: inPlan, Help: "The period goes on into the next iteration."},
			featExpected:  {Name: "expected", Seams: inDriver, Live: true, Source: "DeepUM (ASPLOS 2023), §5.1", Help: "In how many launches the last is that is expected to need the block, 0 for the running one; negative if that is over, -1e18 if none is known."},
			featActive:    {Name: "active", Condition: true, Seams: inDriver, Live: true, Help: "Memory in use is in the block."},
		}, policy.DialFeatures()...),
		Examples: examples(),
	}
}
