package swap

import (
	"fmt"
	"iter"
	"math"

	"spillway/sim/train/caching"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/link"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// A swapState says where a tensor's value is.
type state uint8

const (
	absent    state = iota // no value: not yet born, or dead
	resident               // on the GPU
	leaving                // on the GPU until its copy has been made
	offloaded              // in host memory or on the SSD alone
	fetching               // has memory on the GPU, which its value has not reached
	discarded              // given up; its kernel must run again
)

// A swapTensor is one tensor of a swap run.
type tensorState struct {
	size    unit.Bytes // in whole pages
	block   caching.ID
	state   state
	wanted  bool           // waits to be prefetched
	early   bool           // was asked for before it was needed, and has not been used since
	lent    bool           // computed again for another one's sake
	held    bool           // lent, and pinned while kernels run again that use it
	global  bool           // keeps its value
	copy    machine.Tier   // where a valid copy is, or Nowhere
	dest    machine.Tier   // where a copy is being made, or Nowhere
	moving  link.Direction // that moves it, or -1
	pins    int32
	serial  int32 // of its last transfer
	next    int32 // the next of its uses
	last    int32 // of the kernels that run again, the last that uses it
	older   workload.TensorID
	younger workload.TensorID // neighbours by last use among those on the GPU
}

// none is no tensor.
const none workload.TensorID = -1

// A Run is a run in an arena in which the engine brings what kernels need, as a Swapper
// may ask and tell it. Kernels and tensors are those of Workload.
type Run struct {
	Workload *workload.Workload
	Program  *program.Program
	Life     *vitality.Analysis

	sets        [][]workload.TensorID // of each kernel, in argument order
	exec        []unit.Cycles
	tensors     []tensorState
	mem         arena
	rules       Rules
	held        unit.Bytes // of GPU memory, for the whole run
	channels    [link.Directions]channel
	rates       [link.Sets][link.Directions]unit.Bandwidth // by which are busy
	latency     unit.Cycles                                // of the SSD
	cost        unit.Cycles                                // of a transfer, whatever its size
	allocRate   int64                                      // of the driver, in femtoseconds a byte
	clock       unit.Frequency
	now         unit.Cycles
	begun       unit.Cycles // the iteration
	running     bool        // a kernel of the iteration runs
	moved       bool        // inside a callback while time passes
	needing     bool        // a kernel waits for room
	lowMemory   bool        // not even a new segment fits
	mappingTime unit.Cycles // for mapping segments, not yet paid
	host        unit.Bytes  // in host memory, or on the way there
	onSSD       unit.Bytes  // on the SSD, or on the way there
	hostSize    unit.Bytes
	pending     []workload.TensorID // prefetches that wait for room; pending[first:]
	first       int
	freeing     int // transfers that give memory back when they end
	coming      int
	oldest      workload.TensorID
	youngest    workload.TensorID
	kernel      workload.KernelID   // the next one, or the one that runs
	count       int                 // iterations begun
	kernels     int64               // run, for Rules.Trim
	lent        []workload.TensorID // values that came back for a recomputation alone
	again       []workload.KernelID // those that run again
	walked      []int32             // by kernel, the last walk that came to it
	walk        int32
	rerunning   bool           // kernels run again
	replayed    []int32        // by kernel, the last iteration in which it ran again
	repeated    int64          // kernels that ran again after they had in the same iteration
	mixed       result.Traffic // while the SSD did both
	it          result.Iteration
	swapping    result.Swapping
	swapper     Swapper
	mover       Mover
	placer      Placer
	record      *engine.Record
	told        func(done, total int)
	done        int // kernels, of all iterations
	total       int
	err         error
}

// Run runs w in an arena in which the engine brings what kernels need and the
// swapper decides what leaves and what comes early. Globals have their value in host
// memory at the start, as far as it goes, else on the SSD. The work is linear in
// kernels, tensors and transfers, besides the swapper's.
func (m Memory) Run(w *workload.Workload, p *program.Program, c engine.Config) (*result.Result, error) {
	r, err := m.newRun(w, p, &c)
	if err != nil {
		return nil, err
	}
	return r.run(&c)
}

func (m Memory) newRun(w *workload.Workload, p *program.Program, c *engine.Config) (*Run, error) {
	n := len(w.Tensors)
	r := &Run{
		Workload: w, Program: p, Life: vitality.Analyze(w),
		sets: w.Sets().All, exec: engine.Ideal(w, *c), tensors: make([]tensorState, n), walked: make([]int32, len(w.Kernels)), replayed: make([]int32, len(w.Kernels)),
		rules: m.Rules, clock: c.Machine.Clock, hostSize: c.Machine.HostMemory,
		latency: c.Machine.Clock.CyclesUp(c.Machine.SSDLatency), cost: c.Machine.Clock.CyclesUp(c.Machine.TransferCost), allocRate: c.Machine.AllocRate, oldest: none, youngest: none, record: c.Record,
	}
	r.deriveRates(c)
	reserve := c.Machine.GPUMemory
	if s := r.rules.Reserve; s > 0 {
		reserve = unit.Bytes(unit.MulDiv(int64(reserve), min(s, 1e6), 1e6))
	}
	held := w.HeldPages()
	if err := engine.KernelsFit(w, int64(reserve/unit.Page), held); err != nil {
		return nil, err
	}
	r.held = unit.Bytes(held) * unit.Page
	r.mem = newArena(r.rules, reserve/unit.Page*unit.Page-r.held, n)
	for t := range r.tensors {
		x := &r.tensors[t]
		*x = tensorState{size: w.Tensors[t].Bytes.Aligned(), block: caching.None, moving: -1, global: w.Tensors[t].Global, older: none, younger: none}
		if x.global && len(r.Life.Uses(workload.TensorID(t))) > 0 {
			x.state, x.copy = offloaded, r.place(x.size, machine.Host)
		}
	}
	var err error
	if r.swapper, err = m.Swapper(r); err != nil {
		return nil, err
	}
	r.mover, _ = r.swapper.(Mover)
	r.placer, _ = r.swapper.(Placer)
	return r, nil
}

// run simulates all iterations.
func (r *Run) run(c *engine.Config) (*result.Result, error) {
	res := engine.NewResult(*c, r.exec)
	iterations := int(r.rules.Warm) + max(1, c.Iterations)
	r.told, r.total = c.Progress, iterations*len(r.exec)
	for i := range iterations {
		r.begin()
		last := i == iterations-1
		for k := range r.exec {
			end, err := r.runKernel(workload.KernelID(k))
			if err != nil {
				return nil, err
			}
			if last {
				end.Start -= r.begun
				end.End -= r.begun
				end.Ideal = r.exec[k]
				res.Kernels = append(res.Kernels, end)
			}
			if r.done++; r.done%256 == 0 || r.done == r.total {
				r.Progress()
			}
		}
		r.end(res.Ideal, last)
		res.Iterations = append(res.Iterations, r.it)
	}
	res.Reported = iterations - 1
	if n := r.rules.Warm; n > 0 {
		res.Notes = append(res.Notes, fmt.Sprintf("The first %d of %d iterations are warm-up. All begin where the one before ended; weights were outside of GPU memory at first.", n, iterations))
	}
	if n := r.it.Swapping.SSD; n > 0 {
		res.Notes = append(res.Notes, fmt.Sprintf("Host memory was full, so up to %v went to the SSD, which the publication does not have.", n))
	}
	if n, ok := r.swapper.(Noter); ok {
		res.Notes = append(res.Notes, n.Notes()...)
	}
	r.record.Finish(res.Reported)
	if c.Drive != nil {
		res.SSD = c.Delivered(&r.it.Traffic, &r.mixed)
		if c.Mixed != nil {
			c.Mixed(1000, 1000) // a channel is busy or idle
		}
	}
	return res, nil
}

// Progress tells the run's caller how far it is. A Swapper whose decision takes long calls it
// now and then, as this is where the caller may end the run.
func (r *Run) Progress() {
	if r.told != nil {
		r.told(r.done, r.total)
	}
}

// begin starts an iteration.
func (r *Run) begin() {
	r.begun = r.now
	r.it, r.mixed = result.Iteration{}, result.Traffic{}
	r.swapping, r.repeated = result.Swapping{}, 0
	r.mem.peak = r.mem.reserved()
	r.count++
}

// end closes the books of an iteration.
func (r *Run) end(ideal unit.Cycles, last bool) {
	r.countTraffic()
	for i := range link.Directions {
		r.recordPart(i)
		r.setRate(i, r.channels[i].rate)
	}
	if r.record != nil && !last {
		r.record.EndIteration(r.now)
	}
	r.it.Time = r.now - r.begun
	r.it.Stall = r.it.Time - ideal
	r.it.Compute = ideal - r.it.Overlap
	counts := r.swapping
	counts.Reserved = r.mem.peak
	r.it.Swapping = &counts
}

// runKernel brings what kernel k needs and runs it.
func (r *Run) runKernel(k workload.KernelID) (result.Kernel, error) {
	start := r.now
	r.kernel = k
	r.record.Launch(k)
	r.swapper.Launch(k)
	if r.err != nil {
		return result.Kernel{}, r.err
	}
	set := r.sets[k]
	for _, t := range set {
		r.tensors[t].pins++
	}
	if err := r.bring(set, k); err != nil {
		return result.Kernel{}, err
	}
	r.waitForMapping()
	r.running = true
	r.pass(r.exec[k])
	r.running = false
	r.record.Reside(r.now, len(r.tensors), r.Block)
	done := result.Kernel{Start: start, End: r.now, GPU: r.held + r.mem.used, Host: r.host}
	r.swapping.SSD = max(r.swapping.SSD, r.onSSD)
	r.ended(k)
	return done, r.err
}

// ended gives up what kernel k was the last to use, and tells the swapper of the rest.
func (r *Run) ended(k workload.KernelID) {
	set := r.sets[k]
	for _, t := range r.Workload.Kernels[k].Outputs {
		r.written(t)
	}
	for _, t := range set {
		x := &r.tensors[t]
		x.pins--
		x.early, x.lent = false, false
		r.use(t)
		if x.next++; int(x.next) == len(r.Life.Uses(t)) {
			x.next = 0
		}
		if r.deadAfter(t, k) {
			r.drop(t, absent)
		}
	}
	if r.kernels++; r.rules.Trim > 0 && r.kernels%r.rules.Trim == 0 {
		r.mem.trim()
	}
	if r.kernel = k + 1; int(r.kernel) == len(r.exec) {
		r.kernel = 0
	}
	r.fetchPending()
	for _, t := range set {
		if !r.deadAfter(t, k) {
			r.swapper.Used(t)
		}
	}
}

// deadAfter reports whether nobody needs t's value once kernel k has ended.
func (r *Run) deadAfter(t workload.TensorID, k workload.KernelID) bool {
	return !r.tensors[t].global && r.Life.Death[t] <= k+1
}

// bring puts the tensors of kernel k, which are pinned, on the GPU: it asks for all
// and then waits for each.
func (r *Run) bring(set []workload.TensorID, k workload.KernelID) error {
	inputs := len(r.Workload.Kernels[k].Inputs)
	for i, t := range set {
		if err := r.request(t, k, i < inputs); err != nil {
			return err
		}
	}
	for _, t := range set {
		r.await(t)
	}
	r.overwritten(k)
	for _, t := range r.Workload.Kernels[k].Outputs {
		// What is being copied must not be written.
		for r.tensors[t].moving >= 0 {
			r.wait(result.Eviction)
		}
	}
	return nil
}

// request gives t memory for kernel k and sends for its value, if it reads that.
func (r *Run) request(t workload.TensorID, k workload.KernelID, reads bool) error {
	switch x := &r.tensors[t]; x.state {
	case leaving:
		r.callBack(t)
	case fetching:
		if x.early {
			r.swapping.Late++
		}
	case offloaded:
		if err := r.room(t, k); err != nil {
			return err
		}
		if x.wanted { // the prefetch did not come to it
			x.wanted, x.early = false, true
			r.swapping.Early++
			r.swapping.Late++
		} else {
			r.swapping.Demand++
		}
		r.fetch(t, engine.OnFault)
	case discarded:
		if reads {
			return r.recompute(t, k)
		}
		return r.create(t, k)
	case absent:
		return r.create(t, k)
	}
	return nil
}

// create gives memory to t, which has no value yet.
func (r *Run) create(t workload.TensorID, k workload.KernelID) error {
	if err := r.room(t, k); err != nil {
		return err
	}
	r.tensors[t].state = resident
	r.use(t)
	return nil
}

// await waits until t has come.
func (r *Run) await(t workload.TensorID) {
	x := &r.tensors[t]
	if x.state != fetching {
		return
	}
	cause, early, from := result.HostRead, x.early, r.now
	switch {
	case early:
		cause = result.LatePrefetch
	case x.copy == machine.SSD:
		cause = result.SSDRead
	}
	for x.state == fetching && r.wait(cause) {
	}
	if by := r.now - from; early && by > 0 {
		r.swapper.Late(t, by)
	}
}

// waitForMapping waits for the mapping of new segments.
func (r *Run) waitForMapping() {
	for r.mappingTime > 0 {
		d := r.mappingTime
		r.mappingTime = 0
		r.stall(d, result.Allocation)
	}
}

// use makes t, which is on the GPU, the youngest.
func (r *Run) use(t workload.TensorID) {
	r.unlink(t)
	x := &r.tensors[t]
	if x.older = r.youngest; x.older == none {
		r.oldest = t
	} else {
		r.tensors[x.older].younger = t
	}
	r.youngest = t
}

// unlink takes t out of the order of last use.
func (r *Run) unlink(t workload.TensorID) {
	x := &r.tensors[t]
	switch {
	case x.older != none:
		r.tensors[x.older].younger = x.younger
	case r.oldest == t:
		r.oldest = x.younger
	default:
		return // it is not in it
	}
	if x.younger != none {
		r.tensors[x.younger].older = x.older
	} else {
		r.youngest = x.older
	}
	x.older, x.younger = none, none
}

// Now returns the time since the run began.
func (r *Run) Now() unit.Cycles { return r.now }

// Clock returns the tick of all times.
func (r *Run) Clock() unit.Frequency { return r.clock }

// Ended returns how many kernels have ended, of all iterations.
func (r *Run) Ended() int64 { return r.kernels }

// Iteration returns which iteration runs, from 0, warm-up included.
func (r *Run) Iteration() int { return r.count - 1 }

// Kernel returns the kernel that runs or is next.
func (r *Run) Kernel() workload.KernelID { return r.kernel }

// Exec returns how long kernel k takes when all it needs is on the GPU.
func (r *Run) Exec(k workload.KernelID) unit.Cycles { return r.exec[k] }

// TransferTime returns how long size takes between the GPU and another tier, Host or SSD, when
// nothing else moves; out is away from the GPU.
func (r *Run) TransferTime(size unit.Bytes, tier machine.Tier, out bool) unit.Cycles {
	time := r.cost + r.rates[0][link.Between(tier, out)].Cycles(size, r.clock)
	if tier == machine.SSD {
		time += r.latency
	}
	return time
}

// HostMemory returns how much of the host's memory tensors may take.
func (r *Run) HostMemory() unit.Bytes { return r.hostSize }

// HostFree returns how much of that no tensor takes.
func (r *Run) HostFree() unit.Bytes { return r.hostSize - r.host }

// Set returns the tensors of kernel k in argument order: inputs, then outputs that are
// not inputs. The slice is shared.
func (r *Run) Set(k workload.KernelID) []workload.TensorID { return r.sets[k] }

// IsResident reports whether t's value is on the GPU, on its way out or not.
func (r *Run) IsResident(t workload.TensorID) bool {
	s := r.tensors[t].state
	return s == resident || s == leaving
}

// IsOffloaded reports whether t's value is in host memory or on the SSD alone, and nothing
// brings it.
func (r *Run) IsOffloaded(t workload.TensorID) bool { return r.tensors[t].state == offloaded }

// IsLeaving reports whether t is on the GPU, but only until it has been copied.
func (r *Run) IsLeaving(t workload.TensorID) bool { return r.tensors[t].state == leaving }

// IsFetching reports whether t is on its way to the GPU, where it has memory.
func (r *Run) IsFetching(t workload.TensorID) bool { return r.tensors[t].state == fetching }

// Discarded reports whether t's value was given up.
func (r *Run) Discarded(t workload.TensorID) bool { return r.tensors[t].state == discarded }

// Dirty reports whether t's value is on the GPU and nowhere else.
func (r *Run) Dirty(t workload.TensorID) bool {
	return r.IsResident(t) && r.tensors[t].copy == machine.Nowhere
}

// Pinned reports whether a kernel needs t now: it cannot leave.
func (r *Run) Pinned(t workload.TensorID) bool { return r.tensors[t].pins > 0 }

// Movable reports whether Out would make t leave: its value is on the GPU, not on its
// way out, and no kernel needs it now.
func (r *Run) Movable(t workload.TensorID) bool {
	return r.tensors[t].state == resident && r.tensors[t].pins == 0
}

// Size returns the bytes that a transfer of t moves: whole pages.
func (r *Run) Size(t workload.TensorID) unit.Bytes { return r.tensors[t].size }

// Capacity returns how much memory tensors may take that move.
func (r *Run) Capacity() unit.Bytes { return r.mem.capacity }

// FreeBytes returns how much of Capacity no tensor takes, in one piece or not.
func (r *Run) FreeBytes() unit.Bytes { return r.mem.capacity - r.mem.used }

// Oldest returns the tensors that may leave, that which was used longest ago first.
// What came early counts as used when it came.
func (r *Run) Oldest() iter.Seq[workload.TensorID] {
	return func(yield func(workload.TensorID) bool) {
		for t := r.oldest; t != none; {
			next := r.tensors[t].younger
			if r.Movable(t) && !yield(t) {
				return
			}
			t = next
		}
	}
}

// Never is how far away the next use of a tensor is that nobody will use again.
const Never = math.MaxInt32

// NextUse returns how many kernels run before the next one that uses t, counted from
// the one that runs or is next; Never if its value dies first. Only systems that know
// the future may ask.
func (r *Run) NextUse(t workload.TensorID) int {
	x := &r.tensors[t]
	uses := r.Life.Uses(t)
	if len(uses) == 0 {
		return Never
	}
	d := int(uses[x.next] - r.kernel)
	if d < 0 {
		if !x.global {
			return Never
		}
		d += len(r.exec)
	}
	return d
}

// Offload makes t leave for host memory, or for the SSD when that is full. It reports
// whether it does: it is Movable. A tensor that need not be copied has left at once.
func (r *Run) Offload(t workload.TensorID) bool { return r.OffloadTo(t, machine.Host) }

// OffloadTo is Offload with the tier to go to: Host or SSD.
func (r *Run) OffloadTo(t workload.TensorID, to machine.Tier) bool {
	if !r.leave(t, to, engine.Planned) {
		return false
	}
	r.swapping.Ahead++
	return true
}

// Fetch brings t, which is offloaded, before it is needed. It returns false when there is no
// room now, or a kernel waits for room. A tensor that is leaving stays.
func (r *Run) Fetch(t workload.TensorID) bool {
	x := &r.tensors[t]
	switch x.state {
	case leaving:
		r.callBack(t)
		return true
	case resident, fetching:
		return true
	case offloaded:
		if r.needing || !r.tryPlace(t) {
			return false
		}
		x.wanted, x.early = false, true
		r.swapping.Early++
		r.fetch(t, engine.Planned)
		return true
	}
	return false
}

// Want brings t as soon as there is room and nothing else comes over its link, after
// those that were wanted before. A tensor that is leaving stays; one without a value,
// or on the GPU, is not wanted.
func (r *Run) Want(t workload.TensorID) {
	switch x := &r.tensors[t]; x.state {
	case leaving:
		r.callBack(t)
	case offloaded:
		if !x.wanted {
			x.wanted = true
			r.pending = append(r.pending, t)
			r.fetchPending()
		}
	}
}

// Wanted reports whether t waits to be prefetched.
func (r *Run) Wanted(t workload.TensorID) bool { return r.tensors[t].wanted }

// Discard gives up t's value; a kernel that reads it runs t's kernel again first. It
// returns false when that cannot be: t is in use, keeps its value over iterations, no
// kernel of this iteration has written it, or kernels run again for another value.
func (r *Run) Discard(t workload.TensorID) bool {
	x := &r.tensors[t]
	if r.rerunning || x.pins > 0 || x.global || x.state == absent || x.state == discarded || r.writer(t, r.kernel) < 0 {
		return false
	}
	r.drop(t, discarded)
	return true
}

// Recompute runs the kernel again that wrote t, whose value was discarded. Only Launch
// may call it.
func (r *Run) Recompute(t workload.TensorID) {
	if r.err == nil && !r.moved && r.tensors[t].state == discarded {
		r.err = r.recompute(t, r.kernel)
	}
}

// Barrier waits until nothing moves and no wanted tensor has room. Only Launch may
// call it.
func (r *Run) Barrier() {
	for !r.moved {
		cause := result.LatePrefetch
		if r.freeing > 0 || !r.channels[link.HostOut].idle() || !r.channels[link.SSDOut].idle() {
			cause = result.Eviction // or a copy of what stays until the kernel that reads it has ended
		}
		if !r.wait(cause) {
			return
		}
	}
}
