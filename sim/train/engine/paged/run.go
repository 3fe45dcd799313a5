package paged

import (
	"fmt"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/link"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// A run is one run of a workload in pages. Two kinds of event exist:
// the begin of the current kernel, pending at most once, and the next migration
// batch. Earlier ones go first; at equal times, the one scheduled earlier.
type run struct {
	*residency
	w      *workload.Workload
	c      engine.Config
	rules  Memory
	ops    []program.Op
	nextOp int
	sets   *workload.Sets
	vital  *vitality.Analysis
	times  engine.Times
	shares [linkSets]share // of a batch, by the links in use
	// shareOf gives, for a set of links, the first that has the same shares.
	shareOf [linkSets]links
	used    links // in use now, the first set with these shares
	share   share // of the next batch: shares[used]
	pages   int64 // of GPU memory
	window  int
	res     *result.Result
	cost    unit.Cycles                  // of a transfer by plan; none as published
	owed    [link.Directions]unit.Cycles // of transfers that have begun, not yet paid
	// overcommit: evictions go on when the shares of host and SSD are used up
	// (quirk link-overcommit).
	overcommit bool

	kernel    workload.KernelID // the kernel whose begin ran last
	pending   bool              // a kernel begin is scheduled
	kernelAt  unit.Cycles
	batchAt   unit.Cycles
	seq       int64
	kernelSeq int64
	batchSeq  int64

	blocked   bool // the current kernel waits for pages
	since     unit.Cycles
	penalty   unit.Cycles // fault handling of the blocked kernel
	mapping   unit.Cycles // memory mapped for it at once
	moved     int64       // pages that came in since it blocked
	moveLimit int64
	gated     bool         // the last batch could not fetch for lack of room
	waiting   result.Cause // of the time since mark
	mark      unit.Cycles  // stall is booked up to here
	// hiddenUntil is when the blocked kernel's own execution ends, which hides
	// its wait until then (quirk overlap-faults).
	hiddenUntil unit.Cycles

	traffic      flow             // of the current iteration
	mixed        flow             // of that, while the SSD reads and writes at the same time
	mixedTime    unit.Cycles      // how long it has done so in this run
	mixedBefore  []result.Traffic // the same of earlier iterations
	interleaving uint32           // the last mix in which streams interleaved: batches of it do not repeat
	windowOpen   bool             // pages have been on the move since windowStart
	windowStart  unit.Cycles
	covered      unit.Cycles // closed transfer windows in all
	prevEnd      unit.Cycles // end of the previous kernel
	prevCovered  unit.Cycles
	startCovered unit.Cycles // when the current kernel began to execute
	iterationEnd unit.Cycles // end of the previous iteration
}

// Run runs w in pages.
func (m Memory) Run(w *workload.Workload, p *program.Program, c engine.Config) (*result.Result, error) {
	gpuPages := int64(c.Machine.GPUMemory+unit.Page/2) / int64(unit.Page)
	hostPages := int64(c.Machine.HostMemory / unit.Page)
	if m.SSDOnly {
		hostPages = 0
	}
	sets := engine.Sets(w, c.Quirks)
	held := w.HeldPages()
	if err := engine.KernelsFit(w, gpuPages, held); err != nil {
		return nil, err
	}
	e := &run{
		residency: newResidency(w, gpuPages-held, hostPages),
		w:         w, c: c, rules: m, ops: p.Ops, sets: sets,
		vital:  vitality.Analyze(w),
		times:  engine.KernelTimes(w, c),
		pages:  gpuPages,
		shares: batchShares(&c),
		window: m.Window, overcommit: c.Quirks.Has(quirk.LinkOvercommit),
		kernel: -1, pending: true, batchSeq: 1,
	}
	e.spare, e.record = !c.Quirks.Has(quirk.OwnVictims), c.Record
	if !e.overcommit {
		e.cost = c.Machine.Clock.CyclesUp(c.Machine.TransferCost)
	}
	e.share = e.shares[0]
	for l := range e.shareOf {
		for e.shares[e.shareOf[l]] != e.shares[l] || c.Drive != nil && (e.shareOf[l]^links(l))&ssdBoth != 0 {
			e.shareOf[l]++
		}
	}
	if !c.Quirks.Has(quirk.EarlyBatch) {
		e.batchAt = e.share.period
	}
	e.res = engine.NewResult(c, e.times.Exec)
	e.moveLimit = 64 * (gpuPages + 1)
	e.res.Iterations = make([]result.Iteration, 1, c.Iterations)
	for k := range e.window {
		e.slide(k%len(sets.All), 1)
	}
	for {
		if e.pending && (e.kernelAt < e.batchAt || e.kernelAt == e.batchAt && e.kernelSeq < e.batchSeq) {
			if done := e.begin(e.kernelAt); done {
				break
			}
		} else if err := e.migrate(); err != nil {
			return nil, err
		}
		if m.check != nil {
			m.check(e)
		}
	}
	report(e.res, c.Quirks)
	c.Record.Finish(e.res.Reported)
	if c.Drive != nil {
		e.res.SSD = c.Delivered(&e.res.Main().Traffic, &e.mixedBefore[e.res.Reported])
		if c.Mixed != nil {
			c.Mixed(e.taken())
		}
	}
	e.res.Kernels = e.res.Kernels[e.res.Reported*len(w.Kernels):][:len(w.Kernels)]
	return e.res, nil
}

// taken returns how much of the SSD's mixed rates the run took, in thousandths.
func (e *run) taken() (reads, writes int64) {
	var sum result.Traffic
	for i := range e.mixedBefore {
		sum.SSDIn += e.mixedBefore[i].SSDIn
		sum.SSDOut += e.mixedBefore[i].SSDOut
	}
	read, write := e.c.SSDRates(true)
	part := func(moved unit.Bytes, rate unit.Bandwidth) int64 {
		could := unit.MulDiv(int64(rate), int64(e.mixedTime), int64(e.c.Machine.Clock))
		return min(1000, unit.MulDiv(int64(moved), 1000, max(1, could)))
	}
	return part(sum.SSDIn, read), part(sum.SSDOut, write)
}

func (e *run) deadlock(why string) error {
	k := e.kernel
	return &engine.DoesNotFit{Reason: fmt.Sprintf("kernel %d (%s) can never start: %s; use a smaller batch, more host memory or a faster link",
		k, e.w.Kernels[k].Name, why)}
}

func (e *run) iteration() *result.Iteration { return &e.res.Iterations[len(e.res.Iterations)-1] }

// kernelDue schedules the begin of the current kernel's retry or of its successor.
func (e *run) kernelDue(at unit.Cycles) {
	e.seq++
	e.pending, e.kernelAt, e.kernelSeq = true, at, e.seq
}

func (e *run) schedule(at unit.Cycles) {
	e.seq++
	e.batchAt, e.batchSeq = at, e.seq
}

// begin is the kernel-begin event: the kernel starts if all its pages are
// there, else it faults on the missing ones and blocks. It reports whether the
// run is over.
func (e *run) begin(now unit.Cycles) (done bool) {
	e.pending = false
	if !e.blocked && !e.advance(now) {
		return true
	}
	k := e.kernel
	e.resetCursor()
	if !e.blocked {
		e.issue()
	}
	if !e.ready() {
		if e.block(now); !e.ready() {
			return false
		}
	}
	start, end := now, now+e.times.Exec[k]
	if e.blocked {
		handled := e.resumed(now, e.penalty)
		start, end = e.since, e.resumed(now, e.penalty+e.mapping)
		e.iteration().Ledger.FaultHandling += handled - e.resumed(now, 0)
		e.iteration().Ledger.Allocation += end - handled
		e.recordHandling(e.resumed(now, 0), handled, end)
		e.blocked, e.penalty, e.mapping = false, 0, 0
	}
	e.startCovered = e.coveredUntil(now)
	e.touch()
	e.log(k, start, end)
	e.kernelDue(end)
	return false
}

// resumed returns when the blocked kernel ends, whose pages have arrived now.
// The corrected penalty is work of the driver between transfers and adds to
// them; the published one is a profiled time that has the transfers in it.
func (e *run) resumed(now, penalty unit.Cycles) unit.Cycles {
	exec := e.times.Exec[e.kernel]
	switch {
	case e.c.Quirks.Has(quirk.OverlapFaults):
		return max(e.since+exec+penalty, now)
	case e.c.Quirks.Has(quirk.ProfilePenalty):
		return max(e.since+penalty, now) + exec
	}
	return now + penalty + exec
}

// recordHandling records the time of a kernel that would have ended at ready but
// for fault handling and then the mapping of memory. That comes before the kernel
// executes, unless its execution hides waits (quirk overlap-faults).
func (e *run) recordHandling(ready, handled, end unit.Cycles) {
	if !e.c.Quirks.Has(quirk.OverlapFaults) {
		exec := e.times.Exec[e.kernel]
		ready, handled, end = ready-exec, handled-exec, end-exec
	}
	e.c.Record.Stall(result.FaultHandling, ready, handled)
	e.c.Record.Stall(result.Allocation, handled, end)
}

// advance makes the next kernel current. It returns false at the end of the run.
func (e *run) advance(now unit.Cycles) bool {
	n := workload.KernelID(len(e.w.Kernels))
	if e.kernel >= 0 {
		e.finish(now)
		for _, t := range e.sets.All[e.kernel] {
			e.tensors[t].needed = false
		}
		e.barren = false
		e.slide(int(e.kernel), -1)
		e.slide((int(e.kernel)+e.window)%int(n), 1)
	}
	if e.kernel++; e.kernel == n {
		e.kernel = 0
		e.iteration().Time = now - e.iterationEnd
		e.iteration().Traffic, e.traffic = e.traffic.bytes(), flow{}
		e.mixedBefore, e.mixed = append(e.mixedBefore, e.mixed.bytes()), flow{}
		e.iterationEnd = now
		e.c.Record.EndIteration(now)
		if len(e.res.Iterations) == e.c.Iterations {
			return false
		}
		e.res.Iterations = append(e.res.Iterations, result.Iteration{})
	}
	if e.c.Progress != nil && e.kernel%64 == 0 {
		e.c.Progress((len(e.res.Iterations)-1)*int(n)+int(e.kernel), e.c.Iterations*int(n))
	}
	e.c.Record.Launch(e.kernel)
	e.neededMoving = 0
	for _, t := range e.sets.All[e.kernel] {
		e.tensors[t].needed = true
		e.neededMoving += int64(e.tensors[t].moving)
	}
	return true
}

// finish books the kernel that ends now.
func (e *run) finish(now unit.Cycles) {
	it := e.iteration()
	exec := e.times.Exec[e.kernel]
	covered := e.coveredUntil(now)
	total := now - e.prevEnd
	overlap := min(exec, covered-e.startCovered)
	if e.c.Quirks.Has(quirk.OverlapFaults) {
		// The kernel has been executing since it could have begun.
		quiet := total - (covered - e.prevCovered)
		overlap = max(0, exec-quiet)
		it.Doubled += max(0, quiet-exec)
	}
	it.Compute += exec - overlap
	it.Overlap += overlap
	it.Stall += total - exec
	e.prevEnd, e.prevCovered = now, covered
	if !e.c.Quirks.Has(quirk.DeadWriteback) {
		for _, t := range e.sets.All[e.kernel] {
			if !e.w.Tensors[t].Global && e.vital.Death[t] <= e.kernel+1 {
				e.freeTensor(t, true)
			}
		}
	}
}

// resetCursor points the victim cursor at the oldest page that may leave.
func (e *run) resetCursor() {
	if e.window > 0 {
		e.cursor = e.skipWindow(e.oldest)
	} else {
		e.cursor = e.skipHeld(e.oldest)
	}
}

// slide adds d to the window count of kernel k's tensors.
func (e *run) slide(k int, d int32) {
	if e.window == 0 {
		return
	}
	for _, t := range e.sets.All[k] {
		e.tensors[t].window += d
	}
}

// issue executes the program's operations for the current kernel, those due
// after the last kernel of the previous iteration included.
func (e *run) issue() {
	n := workload.KernelID(len(e.w.Kernels))
	wraps := e.kernel == 0 && len(e.res.Iterations) > 1
	for range e.ops {
		op := e.ops[e.nextOp]
		if op.At != e.kernel && !(wraps && op.At == n) {
			return
		}
		if e.nextOp++; e.nextOp == len(e.ops) {
			e.nextOp = 0
		}
		e.execute(op)
	}
}

func (e *run) execute(op program.Op) {
	if op.Kind == program.Free {
		e.freeTensor(op.Tensor, !e.c.Quirks.Has(quirk.FreeSkipsMoving))
		return
	}
	begins := e.cost > 0
	for i := e.tensors[op.Tensor].first; i != 0; {
		x := *e.at(i)
		if x.queue == resting {
			if q := queueOf(op, x.loc); q != resting {
				if q != preNew { // what is fresh is mapped, not moved
					e.at(i).begins, begins = begins, false
				}
				e.push(q, i)
			}
		} else if op.Kind == program.Prefetch && e.stays(&x) {
			e.unqueue(i)
		}
		i = x.next
	}
}

// queueOf returns the queue of pages at loc that op moves, or resting.
func queueOf(op program.Op, loc machine.Tier) queueID {
	switch {
	case op.Kind == program.Prefetch && loc != machine.GPU:
		return prefetchQueue[loc]
	case op.Kind == program.Evict && loc == machine.GPU && op.To == machine.SSD:
		return outSSD
	case op.Kind == program.Evict && loc == machine.GPU:
		return outHost
	}
	return resting
}

// ready reports whether the current kernel can execute: no page fault is
// open and all its pages are resident and at rest.
func (e *run) ready() bool {
	if e.faulting() {
		return false
	}
	for _, t := range e.sets.All[e.kernel] {
		if s := &e.tensors[t]; s.gpu != s.pages || s.moving != 0 {
			return false
		}
	}
	return true
}

// block raises page faults for what the current kernel misses.
func (e *run) block(now unit.Cycles) {
	k := e.kernel
	var d demand
	for _, t := range e.sets.Inputs[k] {
		d.inBytes += e.w.Tensors[t].Bytes.Aligned()
		e.fault(t, &d.in)
	}
	ins := e.sets.Inputs[k]
outputs:
	for _, t := range e.sets.Outputs[k] {
		for _, u := range ins {
			if t == u {
				continue outputs
			}
		}
		d.outBytes += e.w.Tensors[t].Bytes.Aligned()
		e.fault(t, &d.out)
	}
	f := &e.iteration().Faults
	f.Moving += d.in.Moving + d.out.Moving
	f.Host += d.in.Host + d.out.Host
	f.SSD += d.in.SSD + d.out.SSD
	f.Unallocated += d.in.Unallocated + d.out.Unallocated

	m := &e.c.Machine
	if e.c.Quirks.Has(quirk.ProfilePenalty) {
		e.penalty = d.profilePenalty(m, e.times.Exec[k], e.times.InputFault[k], e.times.Fault[k])
	} else {
		e.penalty += d.faultLatency(m, e.rules.SplitTables, e.gpuFree)
	}
	if !e.blocked {
		e.blocked, e.since, e.moved = true, now, 0
		e.mark, e.hiddenUntil = now, now
		if e.c.Quirks.Has(quirk.OverlapFaults) {
			e.hiddenUntil = now + e.times.Exec[k]
		}
	}
	if !e.c.Quirks.Has(quirk.CoarseBatch) {
		e.mapFree()
	}
	e.gated = false
	e.waiting = e.cause()
}

// mapFree gives free memory to fresh pages that the blocked kernel misses, which needs
// no migration batch. What a framework gave back is still mapped; the rest is mapped now.
func (e *run) mapFree() {
	for e.busy&faultNew.only() != 0 && e.gpuFree > 0 {
		n := min(e.gpuFree, int64(e.at(e.queues[faultNew].head).pages))
		kept := min(n, e.mapped)
		e.mapped -= kept
		e.allocate(n)
		e.land(faultNew, int32(n))
		e.mapping += unit.Cycles(n-kept) * e.share.page
	}
}

// fault queues the missing pages of t and counts all pages that are not ready.
func (e *run) fault(t workload.TensorID, f *result.Faults) {
	promote := !e.c.Quirks.Has(quirk.NoPromotion)
	for i := e.tensors[t].first; i != 0; {
		x := *e.at(i)
		switch {
		case e.stays(&x):
			e.unqueue(i)
		case x.queue != resting:
			f.Moving += int64(x.pages)
			if promote && x.queue >= preSSD && x.queue <= preNew {
				e.unqueue(i)
				e.push(faultQueue[x.loc], i)
			}
		case x.loc == machine.Nowhere:
			f.Unallocated += int64(x.pages)
			e.push(faultNew, i)
		case x.loc == machine.SSD:
			f.SSD += int64(x.pages)
			e.push(faultSSD, i)
		case x.loc == machine.Host:
			f.Host += int64(x.pages)
			e.push(faultHost, i)
		}
		i = x.next
	}
}

// stays reports whether the pages of x, which is wanted, are queued to leave but
// need not go.
func (e *run) stays(x *extent) bool { return e.spare && outQueues&x.queue.only() != 0 }

// touch renews the current kernel's pages, unless eviction goes by arrival.
func (e *run) touch() {
	if e.c.Quirks.Has(quirk.ArrivalOrder) {
		return
	}
	for _, t := range e.sets.All[e.kernel] {
		i := e.tensors[t].first
		e.removeRecent(i)
		for n := e.at(i).next; n != 0; n = e.at(i).next { // all resident: one extent will do
			e.removeRecent(n)
			e.at(i).pages += e.at(n).pages
			e.drop(n)
		}
		e.appendRecent(i)
	}
	e.resetCursor()
}

// log records the current kernel, which executes from start to end.
func (e *run) log(k workload.KernelID, start, end unit.Cycles) {
	used := e.pages - e.gpuFree
	e.record.Reside(end, len(e.tensors), func(t workload.TensorID) unit.Bytes { return unit.Bytes(e.tensors[t].gpu) * unit.Page })
	e.res.Kernels = append(e.res.Kernels, result.Kernel{
		Start: start - e.iterationEnd, End: end - e.iterationEnd, Ideal: e.times.Exec[k],
		GPU: unit.Bytes(used) * unit.Page, Host: unit.Bytes(e.hostUsed) * unit.Page,
	})
}

// alive reports whether t holds a value that is needed while the current kernel runs.
func (e *run) alive(t workload.TensorID) bool { return e.vital.Alive(e.w, t, e.kernel) }

// coveredUntil returns how long pages have been on the move up to now.
func (e *run) coveredUntil(now unit.Cycles) unit.Cycles {
	if e.windowOpen {
		return e.covered + now - e.windowStart
	}
	return e.covered
}

func (e *run) openWindow(now unit.Cycles) {
	if !e.windowOpen {
		e.windowOpen, e.windowStart = true, now
	}
}

func (e *run) closeWindow(now unit.Cycles) {
	if e.windowOpen {
		e.windowOpen = false
		e.covered += now - e.windowStart
	}
}

// report chooses the iteration that figures show.
func report(r *result.Result, q quirk.Set) {
	r.Reported = len(r.Iterations) - 1
	if q.Has(quirk.FasterIteration) {
		for i := range r.Iterations {
			if r.Iterations[i].Time < r.Iterations[r.Reported].Time {
				r.Reported = i
			}
		}
	}
}
