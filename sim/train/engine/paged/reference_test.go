package paged

import (
	"errors"
	"math"
	"math/big"
	"slices"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// This file is the paged memory model in its simplest form: every page is an
// object, every batch is an event, and lists are slices. It is slow on purpose.
// The engine must agree with it in every number (differential_test.go).

// errStuck says that a blocked kernel can never start.
var errStuck = errors.New("reference: a blocked kernel can never start")

// A refPage is one page.
type refPage struct {
	tensor workload.TensorID
	loc    machine.Tier
	moving bool // in one of the queues
	begins bool // queued by plan, the first of its tensor: a cost is due before it moves
}

// A refModel is one run.
type refModel struct {
	w     *workload.Workload
	p     *program.Program
	c     engine.Config
	sets  *workload.Sets
	vital *vitality.Analysis
	times engine.Times

	pages  [][]*refPage // by tensor
	recent []*refPage   // resident pages, oldest first
	cursor *refPage     // next victim; nil is the end of the list

	gpuPages, hostPages, hostUsed int

	// Queues, first come first served.
	pfSSD, pfHost, pfNew    []*refPage // faults, by where the page is
	preSSD, preHost, preNew []*refPage // prefetches
	outSSD, outHost         []*refPage // evictions by plan

	refQuotas
	owed       [4]unit.Cycles       // costs due: SSD out, SSD in, host out, host in
	both       bool                 // the SSD does both in the next batch
	alone      []refSSD             // by iteration: what it moved while it did one thing
	mixed      []refSSD             // while it did both
	known      map[refUse]refQuotas // by the paths that are busy
	allocation unit.Cycles          // of a page

	kernel, iteration int
	ended             unit.Cycles // of the previous iteration
	blocked           bool
	firstTime         unit.Cycles
	penalty, mapping  unit.Cycles
	mapped            int // free pages that a framework gave back
	wait              map[*refPage]bool
	moves             int // page moves since the kernel blocked

	events  []refEvent
	windows [][2]unit.Cycles // when pages were on the move; the last may be open
	open    bool

	logs []refLog
	res  *result.Result
}

// A refSSD is what an SSD has read and written, in pages.
type refSSD struct{ in, out int }

// refQuotas are what a batch may move.
type refQuotas struct {
	period            unit.Cycles
	nLinkIn, nLinkOut int
	nHostIn, nHostOut int
	nIn, nOut, nAlloc int
}

type refEvent struct {
	at    unit.Cycles
	begin bool // a kernel begin, else a batch
}

type refLog struct {
	iteration, kernel int
	start, end, exec  unit.Cycles // exec: when it began to execute
}

// refRun runs p in the paged memory model, page by page.
func refRun(w *workload.Workload, p *program.Program, c engine.Config) (*result.Result, error) {
	r := &refModel{
		w: w, p: p, c: c,
		sets: engine.Sets(w, c.Quirks), vital: vitality.Analyze(w), times: engine.KernelTimes(w, c),
		gpuPages:  int(math.Round(float64(c.Machine.GPUMemory)/4096)) - int(w.HeldPages()),
		hostPages: refHostPages(c),
		kernel:    -1,
		wait:      map[*refPage]bool{},
		known:     map[refUse]refQuotas{},
		res:       &result.Result{Fits: true, Clock: c.Machine.Clock},
	}
	for _, d := range r.times.Exec {
		r.res.Ideal += d
	}
	held := w.Held()
	for t := range w.Tensors {
		loc := machine.Nowhere
		if w.Tensors[t].Global && !held[t] {
			loc = machine.SSD
		}
		var pages []*refPage
		for range w.Tensors[t].Pages() {
			pages = append(pages, &refPage{tensor: workload.TensorID(t), loc: loc})
		}
		r.pages = append(r.pages, pages)
	}
	for k := range w.Kernels {
		if n := len(r.pagesOf(r.sets.All[k])); n > r.gpuPages {
			return nil, errStuck
		}
	}
	r.quotas(refUse{})
	r.schedule(0, true)
	if r.has(quirk.EarlyBatch) {
		r.schedule(0, false)
	} else {
		r.schedule(r.period, false)
	}
	for {
		// The earliest event; of equals, the one scheduled first.
		next := 0
		for i := range r.events {
			if r.events[i].at < r.events[next].at {
				next = i
			}
		}
		e := r.events[next]
		r.events = slices.Delete(r.events, next, next+1)
		if !e.begin {
			if err := r.batch(e.at); err != nil {
				return nil, err
			}
		} else if r.begin(e.at) {
			break
		}
	}
	r.account()
	report(r.res, c.Quirks)
	if c.Drive != nil {
		r.drive()
	}
	r.res.Kernels = r.res.Kernels[r.res.Reported*len(w.Kernels):][:len(w.Kernels)]
	return r.res, nil
}

func (r *refModel) has(q quirk.Set) bool { return r.c.Quirks.Has(q) }

func (r *refModel) schedule(at unit.Cycles, begin bool) {
	r.events = append(r.events, refEvent{at, begin})
}

func (r *refModel) pagesOf(set []workload.TensorID) (ps []*refPage) {
	for _, t := range set {
		ps = append(ps, r.pages[t]...)
	}
	return ps
}

// A refUse is what carries something, or should.
type refUse struct {
	hostIn, hostOut, read, write bool
	both                         bool // the SSD reads and writes at once
	ways                         bool // the GPU's link goes both ways at once
}

// quotas derives what the next batch may move. Whichever of the three paths is
// busy should get 32 pages or more. A drive may be slower when it does both, and so
// may the link.
func (r *refModel) quotas(u refUse) {
	host, read, write, both := u.hostIn || u.hostOut, u.read, u.write, u.both
	m := &r.c.Machine
	r.both = both
	readRate, writeRate := m.SSDRead, m.SSDWrite
	if d := r.c.Drive; d != nil && both {
		readRate, writeRate = d.MixedRead, d.MixedWrite
	} else if d != nil {
		readRate, writeRate = d.Read, d.Write
	}
	if r.has(quirk.SymmetricSSD) {
		writeRate = readRate
	}
	allocCycles := math.Round(float64(float64(float64(m.AllocRate)/1e9*4096)/1e6) * float64(m.Clock))
	r.allocation = max(1, unit.Cycles(allocCycles))
	if r.has(quirk.CoarseBatch) {
		batch, gpu := float64(m.BatchPages), float64(m.GPULink)/1e9
		share := func(rate unit.Bandwidth) int { return int(float64(batch/gpu) * (float64(rate) / 1e9)) }
		r.period = max(1, unit.Cycles(float64(batch*4096)/(float64(gpu*1e9)/float64(m.Clock))))
		r.nLinkIn, r.nLinkOut = int(batch), int(batch)
		r.nHostIn, r.nHostOut, r.nIn, r.nOut = share(m.HostLink), share(m.HostLink), share(readRate), share(writeRate)
		r.nAlloc = int(r.period / r.allocation)
		return
	}
	known, ok := r.known[u]
	if ok {
		r.refQuotas = known
		return
	}
	in, out := m.GPULink, m.GPULink
	if u.ways && m.DuplexLoss > 0 {
		total := unit.Bandwidth(big.NewInt(0).Div(new(big.Int).Mul(big.NewInt(2*int64(m.GPULink)), big.NewInt(1000-m.DuplexLoss)), big.NewInt(1000)).Int64())
		wants := func(host, ssd bool, rate unit.Bandwidth) (sum unit.Bandwidth) {
			if host {
				sum += m.HostLink
			}
			if ssd {
				sum += rate
			}
			return sum
		}
		if w := wants(u.hostOut, u.write, writeRate); w > 0 {
			in = min(in, max(total/2, total-w))
		}
		if w := wants(u.hostIn, u.read, readRate); w > 0 {
			out = min(out, max(total/2, total-w))
		}
	}
	for batch := m.BatchPages; batch <= 1<<30; batch *= 2 {
		// The least whole number of cycles in which the GPU's link carries the batch.
		need := new(big.Rat).Mul(big.NewRat(batch*4096, int64(m.GPULink)), big.NewRat(int64(m.Clock), 1))
		cycles, rest := new(big.Int).QuoRem(need.Num(), need.Denom(), new(big.Int))
		if r.period = unit.Cycles(cycles.Int64()); rest.Sign() > 0 {
			r.period++
		}
		pages := func(rate unit.Bandwidth) int {
			n := new(big.Rat).Mul(big.NewRat(int64(rate), 4096), big.NewRat(int64(r.period), int64(m.Clock)))
			return int(new(big.Int).Quo(n.Num(), n.Denom()).Int64())
		}
		r.nLinkIn, r.nLinkOut = pages(in), pages(out)
		r.nHostIn, r.nHostOut, r.nIn, r.nOut = pages(m.HostLink), pages(m.HostLink), pages(readRate), pages(writeRate)
		if r.nLinkIn >= 32 && r.nLinkOut >= 32 && (!host || r.nHostIn >= 32) && (!read || r.nIn >= 32) && (!write || r.nOut >= 32) {
			break
		}
	}
	r.nAlloc = max(1, int(r.period/r.allocation))
	r.known[u] = r.refQuotas
}

// begin is the kernel-begin event. It reports whether the run is over.
func (r *refModel) begin(now unit.Cycles) bool {
	first := !r.blocked // not a retry
	if first {
		if r.kernel >= 0 && !r.has(quirk.DeadWriteback) {
			r.dropDead()
		}
		r.kernel++
		if r.kernel == len(r.w.Kernels) {
			r.kernel = 0
			r.iteration++
			r.ended = now
		}
		if r.iteration == r.c.Iterations {
			return true
		}
		if r.kernel == 0 {
			r.res.Iterations = append(r.res.Iterations, result.Iteration{})
			r.alone, r.mixed = append(r.alone, refSSD{}), append(r.mixed, refSSD{})
		}
	}
	r.resetCursor()
	if first {
		if r.kernel == 0 && r.iteration > 0 {
			r.hints(len(r.w.Kernels))
		}
		r.hints(r.kernel)
	}
	k := r.kernel
	set := r.pagesOf(r.sets.All[k])
	arrived := len(r.pfSSD)+len(r.pfHost)+len(r.pfNew) == 0
	for _, p := range set {
		arrived = arrived && p.loc == machine.GPU && !p.moving
	}
	if !arrived {
		r.block(now, set)
		if len(r.pfSSD)+len(r.pfHost)+len(r.pfNew) > 0 || slices.ContainsFunc(set, func(p *refPage) bool { return p.loc != machine.GPU || p.moving }) {
			return false
		}
	}
	start, end := now, now+r.times.Exec[k]
	if r.blocked {
		start = r.firstTime
		if r.has(quirk.OverlapFaults) {
			end = max(r.firstTime+r.times.Exec[k]+r.penalty+r.mapping, now)
		} else {
			end = now + r.penalty + r.mapping + r.times.Exec[k]
			if r.has(quirk.ProfilePenalty) { // a profiled time that contains the transfers
				end = max(r.firstTime+r.penalty+r.mapping, now) + r.times.Exec[k]
			}
		}
	}
	if !r.has(quirk.ArrivalOrder) {
		for _, p := range set {
			r.recent = slices.DeleteFunc(r.recent, func(q *refPage) bool { return q == p })
			r.recent = append(r.recent, p)
		}
		r.resetCursor()
	}
	r.logs = append(r.logs, refLog{r.iteration, k, start, end, now})
	r.res.Kernels = append(r.res.Kernels, result.Kernel{
		Start: start - r.ended, End: end - r.ended, Ideal: r.times.Exec[k],
		GPU: unit.Bytes(len(r.recent)+int(r.w.HeldPages())) * 4096, Host: unit.Bytes(r.hostUsed) * 4096,
	})
	r.blocked = false
	clear(r.wait)
	r.schedule(end, true)
	return false
}

// dropDead frees what the kernel that has just ended was the last to need.
func (r *refModel) dropDead() {
	for _, t := range r.sets.All[r.kernel] {
		if !r.w.Tensors[t].Global && int(r.vital.Death[t]) <= r.kernel+1 {
			for _, p := range r.pages[t] {
				r.unqueue(p)
				r.free(p)
			}
		}
	}
}

// hints issues the program's operations for kernel at.
func (r *refModel) hints(at int) {
	for _, op := range r.p.Ops {
		if int(op.At) != at {
			continue
		}
		first := r.c.Machine.TransferCost > 0 && !r.has(quirk.LinkOvercommit)
		for _, p := range r.pages[op.Tensor] {
			if op.Kind == program.Prefetch && r.stays(p) {
				r.unqueue(p)
			}
			if p.moving {
				if op.Kind != program.Free || r.has(quirk.FreeSkipsMoving) {
					continue
				}
				r.unqueue(p)
			}
			switch {
			case op.Kind == program.Free:
				r.free(p)
			case op.Kind == program.Prefetch && p.loc != machine.GPU:
				push(map[machine.Tier]*[]*refPage{machine.Nowhere: &r.preNew, machine.SSD: &r.preSSD, machine.Host: &r.preHost}[p.loc], p)
			case op.Kind == program.Evict && p.loc == machine.GPU:
				push(map[machine.Tier]*[]*refPage{machine.SSD: &r.outSSD, machine.Host: &r.outHost}[op.To], p)
			}
			if p.moving && p.loc != machine.Nowhere {
				p.begins, first = first, false
			}
		}
	}
}

// stays reports whether p, which is wanted, is queued to leave but need not go.
func (r *refModel) stays(p *refPage) bool {
	return p.moving && p.loc == machine.GPU && !r.has(quirk.OwnVictims)
}

// faultQueue returns the queue for a missing page by where it is.
func (r *refModel) faultQueue(loc machine.Tier) *[]*refPage {
	return map[machine.Tier]*[]*refPage{machine.Nowhere: &r.pfNew, machine.SSD: &r.pfSSD, machine.Host: &r.pfHost}[loc]
}

// block raises faults for what the current kernel, whose pages are set, misses.
func (r *refModel) block(now unit.Cycles, set []*refPage) {
	k := r.kernel
	isInput := func(t workload.TensorID) bool { return slices.Contains(r.sets.Inputs[k], t) }
	outputs := slices.DeleteFunc(slices.Clone(r.sets.Outputs[k]), isInput)
	var missed [2]result.Faults
	var total [2]int
	for side, tensors := range [][]workload.TensorID{r.sets.Inputs[k], outputs} {
		for _, p := range r.pagesOf(tensors) {
			total[side]++
			if r.stays(p) {
				r.unqueue(p)
			}
			f := &missed[side]
			switch {
			case p.moving:
				f.Moving++
				for _, q := range []*[]*refPage{&r.preNew, &r.preSSD, &r.preHost} {
					if !r.has(quirk.NoPromotion) && slices.Contains(*q, p) {
						r.unqueue(p)
						push(r.faultQueue(p.loc), p)
					}
				}
				continue
			case p.loc == machine.GPU:
				continue
			case p.loc == machine.Host:
				f.Host++
			case p.loc == machine.SSD:
				f.SSD++
			case p.loc == machine.Nowhere:
				f.Unallocated++
			}
			push(r.faultQueue(p.loc), p)
		}
	}
	for _, p := range set {
		if p.moving {
			r.wait[p] = true
		}
	}
	f := &r.res.Iterations[r.iteration].Faults
	for _, m := range missed {
		f.Moving += m.Moving
		f.Host += m.Host
		f.SSD += m.SSD
		f.Unallocated += m.Unallocated
	}
	if !r.blocked {
		r.blocked, r.firstTime, r.penalty, r.mapping, r.moves = true, now, 0, 0, 0
	}
	if r.has(quirk.ProfilePenalty) {
		r.penalty = r.profilePenalty(missed, total)
	} else {
		r.penalty += r.faultCost(missed)
	}
	for !r.has(quirk.CoarseBatch) && len(r.pfNew) > 0 && len(r.recent) < r.gpuPages { // free memory is mapped at once
		p := r.pfNew[0]
		r.pfNew = r.pfNew[1:]
		p.loc, p.moving = machine.GPU, false
		delete(r.wait, p)
		if r.recent = append(r.recent, p); r.mapped > 0 { // given back, and mapped since
			r.mapped--
		} else {
			r.mapping += r.allocation
		}
		r.mapped = min(r.mapped, r.gpuPages-len(r.recent))
	}
}

func refHostPages(c engine.Config) int {
	if c.Runtime.NoHost() {
		return 0
	}
	return int(c.Machine.HostMemory / 4096)
}

// faultCost is the cost of handling faults batch by batch.
func (r *refModel) faultCost(missed [2]result.Faults) unit.Cycles {
	m := &r.c.Machine
	var all, ssd int64
	fresh := int64(len(r.recent) - r.gpuPages) // free pages are mapped without a fault
	for _, f := range missed {
		all += f.Host + f.SSD
		ssd += f.SSD
		fresh += f.Unallocated
	}
	if fresh > 0 {
		all += fresh
	}
	var cost unit.Cycles
	for ; all > 0; all -= m.FaultBatch {
		cost += m.Clock.CyclesUp(m.FaultLatency)
	}
	for ; ssd > 0; ssd -= m.FaultBatch {
		cost += m.Clock.CyclesUp(m.SSDLatency)
		if r.c.Runtime.(Memory).SplitTables {
			cost += m.Clock.CyclesUp(m.FaultLatency)
		}
	}
	return cost
}

// profilePenalty is the published cost of faults, from profiled kernel times in
// whole seconds. Rates are in bytes per millisecond.
func (r *refModel) profilePenalty(missed [2]result.Faults, total [2]int) unit.Cycles {
	m, k := &r.c.Machine, r.kernel
	seconds := func(c unit.Cycles) float64 { return float64(int64(c) / int64(m.Clock)) }
	t00, t10, t11 := seconds(r.times.Fault[k])*1000, seconds(r.times.InputFault[k])*1000, seconds(r.times.Exec[k])*1000
	slowdown := [2]float64{t00 - t10, t10 - t11} // engine.KernelTimes has put them in order
	read := float64(float64(m.SSDRead)/1e9*1e9) / 1000
	link := float64(float64(m.GPULink)/1e9*1e9) / 1000
	system, access := float64(int64(m.FaultLatency/unit.Microsecond)), float64(int64(m.SSDLatency/unit.Microsecond))
	var size, miss, ssd, rate, ssdRate [2]float64
	for i, f := range missed {
		size[i] = float64(total[i] * 4096)
		n := float64(f.Host + f.SSD + f.Unallocated)
		if total[i] > 0 {
			miss[i] = n / float64(total[i])
		}
		if n > 0 {
			ssd[i] = float64(f.SSD) / n
		}
		rate[i] = 1063004400
		if slowdown[i] != 0 {
			rate[i] = size[i] / slowdown[i]
		}
		if ssd[i] != 0 {
			ssdRate[i] = min(rate[i]*system/(system+access), read)
		}
	}
	var ssdTime, hostTime float64
	left := link - max(ssdRate[0], ssdRate[1])
	for i := range missed {
		rate[i] = min(rate[i], left)
		if ssd[i] != 0 {
			ssdTime += miss[i] * ssd[i] * size[i] / ssdRate[i]
		}
		hostTime += miss[i] * (1 - ssd[i]) * size[i] / rate[i]
	}
	penalty := ssdTime
	if ssdTime < hostTime {
		penalty = hostTime
	}
	if cycles := penalty / 1000 * float64(m.Clock); !math.IsInf(cycles, 0) && !math.IsNaN(cycles) {
		return unit.Cycles(cycles)
	}
	return 0
}

func push(q *[]*refPage, p *refPage) {
	*q = append(*q, p)
	p.moving = true
}

func pop(q *[]*refPage) *refPage {
	p := (*q)[0]
	*q = (*q)[1:]
	return p
}

// unqueue takes p out of the queue it is in, if any.
func (r *refModel) unqueue(p *refPage) {
	for _, q := range r.queues() {
		*q = slices.DeleteFunc(*q, func(o *refPage) bool { return o == p })
	}
	p.moving, p.begins = false, false
	delete(r.wait, p)
}

func (r *refModel) queues() []*[]*refPage {
	return []*[]*refPage{&r.pfSSD, &r.pfHost, &r.pfNew, &r.preSSD, &r.preHost, &r.preNew, &r.outSSD, &r.outHost}
}

// free gives up p, which is in no queue.
func (r *refModel) free(p *refPage) {
	switch p.loc {
	case machine.GPU:
		r.remove(p)
		r.mapped++
	case machine.Host:
		r.hostUsed--
	}
	p.loc = machine.Nowhere
}

// remove takes p out of GPU memory. A cursor on it jumps to the oldest page.
func (r *refModel) remove(p *refPage) {
	i := slices.Index(r.recent, p)
	r.recent = slices.Delete(r.recent, i, i+1)
	if r.cursor == p {
		r.cursor = r.pageAt(0)
	}
}

// pageAt returns the i-th oldest resident page, or nil.
func (r *refModel) pageAt(i int) *refPage {
	if i < len(r.recent) {
		return r.recent[i]
	}
	return nil
}

// position is the inverse of pageAt.
func (r *refModel) position(p *refPage) int {
	if p == nil {
		return len(r.recent)
	}
	return slices.Index(r.recent, p)
}

// seek returns the first resident page from position i on that ok accepts, or nil.
func (r *refModel) seek(i int, ok func(*refPage) bool) *refPage {
	for ; i < len(r.recent); i++ {
		if ok(r.recent[i]) {
			return r.recent[i]
		}
	}
	return nil
}

// atRest reports whether p may leave: it does not move, and the current kernel
// does not use it.
func (r *refModel) atRest(p *refPage) bool {
	return !p.moving && (r.has(quirk.OwnVictims) || !r.required(p))
}

// required reports whether the current kernel uses p.
func (r *refModel) required(p *refPage) bool {
	return slices.Contains(r.sets.All[r.kernel], p.tensor)
}

// outsideWindow reports whether no kernel of the look-ahead window uses p.
func (r *refModel) outsideWindow(p *refPage) bool {
	for i := range r.c.Runtime.(Memory).Window {
		if slices.Contains(r.sets.All[(r.kernel+i)%len(r.w.Kernels)], p.tensor) {
			return false
		}
	}
	return true
}

func (r *refModel) resetCursor() {
	if r.c.Runtime.(Memory).Window > 0 {
		r.cursor = r.seek(0, r.outsideWindow)
	} else {
		r.cursor = r.seek(0, r.atRest)
	}
}

// victim picks the page that leaves next and moves the cursor past it. It
// returns nil when no page may leave.
func (r *refModel) victim(fault bool) *refPage {
	var v *refPage
	if r.c.Runtime.(Memory).Window > 0 {
		if fault {
			v = r.seek(0, r.atRest)
			if v == r.cursor {
				r.cursor = r.pageAt(r.position(v) + 1)
			}
			return v
		}
		v = r.seek(r.position(r.cursor), r.outsideWindow)
	} else {
		v = r.seek(r.position(r.cursor), r.atRest)
		if v == nil {
			v = r.seek(0, r.atRest)
		}
	}
	r.cursor = nil
	if v != nil {
		r.cursor = r.pageAt(r.position(v) + 1)
	}
	return v
}

// A refBatch counts what a batch has moved.
type refBatch struct{ alloc, in, inSSD, inHost, out, toSSD, toHost int }

// batch is the migration event.
func (r *refModel) batch(now unit.Cycles) error {
	var b refBatch
	idle, paid := true, false
	for _, q := range r.queues() {
		idle = idle && len(*q) == 0
	}
	if !idle && !r.open {
		r.windows, r.open = append(r.windows, [2]unit.Cycles{now, math.MaxInt64}), true
	} else if idle && r.open {
		r.windows[len(r.windows)-1][1], r.open = now, false
	}
	before, did := r.refQuotas, r.alone
	if r.both {
		did = r.mixed
	}
	if idle {
		r.quotas(refUse{})
	} else {
		m := refMigration{refModel: r, refQuotas: r.refQuotas}
		m.run()
		b = m.refBatch
		stopped := m.stopped
		paid = m.paid
		r.quotas(refUse{
			hostIn:  len(r.pfHost)+len(r.preHost) > 0,
			hostOut: len(r.outHost) > 0 || b.toHost > 0 || stopped && !m.full(),
			read:    len(r.pfSSD)+len(r.preSSD) > 0,
			write:   len(r.outSSD) > 0 || b.toSSD > 0 || stopped && m.full(),
			both:    b.inSSD > 0 && b.toSSD > 0,
			ways:    b.in > 0 && b.out > 0,
		})
	}
	did[r.iteration].in += b.inSSD
	did[r.iteration].out += b.toSSD
	sameQuotas := before == r.refQuotas
	tr := &r.res.Iterations[r.iteration].Traffic
	tr.SSDIn += unit.Bytes(b.inSSD) * 4096
	tr.HostIn += unit.Bytes(b.inHost) * 4096
	tr.SSDOut += unit.Bytes(b.toSSD) * 4096
	tr.HostOut += unit.Bytes(b.toHost) * 4096
	if r.blocked && len(r.pfSSD)+len(r.pfHost)+len(r.pfNew)+len(r.wait) == 0 {
		r.schedule(now, true)
	} else if r.blocked {
		// A batch that changes nothing repeats for ever. Pages of a blocked
		// kernel that come and go may settle in the end; the model gives up
		// when they have filled memory 64 times (1 random case in 10,000
		// takes longer and ends).
		r.moves += b.in + b.alloc
		if b.in+b.out+b.alloc == 0 && !paid && sameQuotas || r.moves > 64*(r.gpuPages+1) {
			return errStuck
		}
	}
	r.schedule(now+r.period, false)
	return nil
}

// drive computes the mean rates of the drive in the reported iteration.
func (r *refModel) drive() {
	d, alone, mixed := *r.c.Drive, r.alone[r.res.Reported], r.mixed[r.res.Reported]
	if r.has(quirk.SymmetricSSD) {
		d.Write, d.MixedWrite = d.Read, d.MixedRead
	}
	mean := func(one, two unit.Bandwidth, a, b int) unit.Bandwidth {
		if a+b == 0 {
			return one
		}
		var took unit.Time // each rounded up to a picosecond
		for rate, pages := range map[*unit.Bandwidth]int{&one: a, &two: b} {
			ps := new(big.Rat).SetFrac(big.NewInt(int64(pages)*4096), big.NewInt(int64(*rate)))
			ps.Mul(ps, big.NewRat(1e12, 1))
			whole, rest := new(big.Int).QuoRem(ps.Num(), ps.Denom(), new(big.Int))
			took += unit.Time(whole.Int64() + int64(rest.Sign()))
		}
		n := new(big.Int).Mul(big.NewInt(int64(a+b)*4096), big.NewInt(1e12))
		return unit.Bandwidth(n.Quo(n, big.NewInt(int64(took))).Int64())
	}
	r.res.SSD = &result.SSD{
		Read: mean(d.Read, d.MixedRead, alone.in, mixed.in), Write: mean(d.Write, d.MixedWrite, alone.out, mixed.out),
		Mixed: mixed != refSSD{},
	}
}

// A refMigration is a batch at work.
type refMigration struct {
	*refModel
	refBatch
	refQuotas              // what is left of the model's
	paid      bool         // a cost took of them
	forced    machine.Tier // where evicted pages must go; Nowhere: not forced
	stopped   bool         // a page could not come in because neither host nor SSD took one
}

func (m *refMigration) full() bool { return m.hostUsed == m.hostPages }

// gate reports whether a page can come in: one is free, or one may leave. A dead
// page that is dropped goes over no link.
func (m *refMigration) gate() bool {
	if len(m.recent) < m.gpuPages || m.c.Runtime.(Memory).DropDead && !m.has(quirk.LinkOvercommit) {
		return true
	}
	return m.wayOut()
}

// wayOut reports whether a page may leave over the links.
func (m *refMigration) wayOut() bool {
	host, ssd := !m.full() && m.toHost < m.nHostOut, m.full() && m.toSSD < m.nOut
	if m.has(quirk.LinkOvercommit) {
		host, ssd = !m.full(), m.toSSD < m.nOut
	}
	if m.out >= m.nLinkOut {
		return false
	}
	m.stopped = m.stopped || !host && !ssd
	return host || ssd
}

func (m *refMigration) run() {
	if m.full() {
		m.forced = machine.SSD
	}
	for lane := range m.owed {
		m.pay(lane)
	}
	for m.toSSD < m.nOut && m.out < m.nLinkOut && len(m.outSSD) > 0 {
		if m.charge(m.outSSD[0], 0) {
			continue
		}
		m.evict(pop(&m.outSSD), m.or(machine.SSD))
	}
	for (m.full() && m.toSSD < m.nOut || !m.full() && m.toHost < m.nHostOut) && m.out < m.nLinkOut && len(m.outHost) > 0 {
		lane := 2
		if m.full() {
			lane = 0
		}
		if m.charge(m.outHost[0], lane) {
			continue
		}
		m.evict(pop(&m.outHost), m.or(machine.Host))
	}
	m.fetch(&m.pfSSD, 1)
	m.fetch(&m.pfHost, 3)
	m.allocate(&m.pfNew, true)
	if m.fetchAhead(&m.preSSD, 1) {
		m.fetchAhead(&m.preHost, 3)
	}
	m.allocate(&m.preNew, false)
	if m.c.Runtime.(Memory).Rescue && m.blocked && len(m.wait) > 0 && m.in+m.out == 0 {
		m.fetch(&m.preSSD, 1)
		m.fetch(&m.preHost, 3)
		m.allocate(&m.preNew, true)
	}
}

// lane returns what a lane has moved, and what it may.
func (m *refMigration) lane(i int) (moved, quota *int) {
	return []*int{&m.toSSD, &m.inSSD, &m.toHost, &m.inHost}[i], []*int{&m.nOut, &m.nIn, &m.nHostOut, &m.nHostIn}[i]
}

// charge makes a lane pay for the transfer that p begins, if it does.
func (m *refMigration) charge(p *refPage, lane int) bool {
	if !p.begins {
		return false
	}
	p.begins = false
	m.owed[lane] += m.c.Machine.Clock.CyclesUp(m.c.Machine.TransferCost)
	m.pay(lane)
	return true
}

// pay takes page by page off what a lane may move in this batch, while that is left and
// the lane owes the time of another page.
func (m *refMigration) pay(lane int) {
	moved, quota := m.lane(lane)
	whole := &m.refModel.refQuotas
	share := []int{whole.nOut, whole.nIn, whole.nHostOut, whole.nHostIn}[lane]
	lost := 0
	for *quota > *moved && int64(lost+1)*int64(whole.period) <= int64(m.owed[lane])*int64(share) {
		*quota--
		lost++
	}
	if lost > 0 {
		m.owed[lane] -= whole.period * unit.Cycles(lost) / unit.Cycles(share)
		m.paid = true
	}
}

// or returns where a page goes that is to go to a tier.
func (m *refMigration) or(to machine.Tier) machine.Tier {
	if !m.has(quirk.LinkOvercommit) {
		if m.full() {
			return machine.SSD
		}
		return to
	}
	if m.forced != machine.Nowhere {
		return m.forced
	}
	return to
}

func (m *refMigration) fetch(q *[]*refPage, lane int) {
	n, quota := m.lane(lane)
	if !m.has(quirk.LinkOvercommit) && *n >= *quota {
		return
	}
	for len(*q) > 0 && m.in < m.nLinkIn && m.alloc < m.nAlloc && m.gate() {
		if m.charge((*q)[0], lane) && *n == *quota {
			return
		}
		if !m.place((*q)[0], true) {
			return
		}
		pop(q)
		m.alloc++
		m.in++
		if *n++; *n == *quota {
			return
		}
	}
}

// fetchAhead reports false when no page may leave for a prefetch.
func (m *refMigration) fetchAhead(q *[]*refPage, lane int) bool {
	n, quota := m.lane(lane)
	for len(*q) > 0 && *n < *quota && m.in < m.nLinkIn && m.gate() {
		if m.charge((*q)[0], lane) {
			continue
		}
		if !m.place((*q)[0], false) {
			return false
		}
		pop(q)
		m.alloc++
		m.in++
		*n++
	}
	return true
}

func (m *refMigration) allocate(q *[]*refPage, fault bool) {
	for len(*q) > 0 && m.alloc < m.nAlloc && m.gate() {
		if !m.place((*q)[0], fault) {
			return
		}
		pop(q)
		m.alloc++
	}
}

// place brings p in. It reports false when no page may leave for it.
func (m *refMigration) place(p *refPage, fault bool) bool {
	if len(m.recent) >= m.gpuPages {
		before := m.cursor
		v := m.victim(fault || m.required(p))
		if v == nil {
			return false
		}
		to := machine.Host
		if m.c.Runtime.(Memory).DropDead && !m.vital.Alive(m.w, v.tensor, workload.KernelID(m.kernel)) {
			to = machine.Nowhere
		} else if !m.wayOut() { // it stays the next victim
			if m.cursor = v; m.c.Runtime.(Memory).Window > 0 && (fault || m.required(p)) {
				m.cursor = before
			}
			return false
		} else {
			to = m.or(to)
		}
		m.evict(v, to)
	}
	if p.loc == machine.Host {
		m.hostUsed--
		if m.forced == machine.SSD {
			m.forced = machine.Nowhere
		}
	}
	p.loc, p.moving = machine.GPU, false
	delete(m.wait, p)
	m.recent = append(m.recent, p)
	m.mapped = min(m.mapped, m.gpuPages-len(m.recent))
	return true
}

// evict moves p, which is in no queue, out of the GPU.
func (m *refMigration) evict(p *refPage, to machine.Tier) {
	m.remove(p)
	p.loc, p.moving = to, false
	switch to {
	case machine.Host:
		m.out++
		m.toHost++
		m.hostUsed++
		if m.toHost == m.nHostOut || m.full() {
			m.forced = machine.SSD
		}
	case machine.SSD:
		m.out++
		m.toSSD++
		if m.toSSD == m.nOut {
			m.forced = machine.Host
		}
	}
	if m.required(p) {
		push(m.faultQueue(to), p)
		m.wait[p] = true
	}
}

// account splits the time of every kernel by whether pages were on the move.
func (r *refModel) account() {
	var before unit.Cycles
	for i, l := range r.logs {
		var covered unit.Cycles
		for _, win := range r.windows {
			covered += max(0, min(win[1], l.end)-max(win[0], before))
		}
		it := &r.res.Iterations[l.iteration]
		total, ideal := l.end-before, r.times.Exec[l.kernel]
		overlap, stall := covered+ideal-total, total-ideal
		compute := total - covered
		if overlap < 0 && r.has(quirk.OverlapFaults) {
			it.Doubled -= overlap
			compute, overlap = compute+overlap, 0
		}
		if !r.has(quirk.OverlapFaults) {
			var executing unit.Cycles
			for _, win := range r.windows {
				executing += max(0, min(win[1], l.end)-max(win[0], l.exec))
			}
			overlap = min(ideal, executing)
			compute, stall = ideal-overlap, total-ideal
		}
		it.Time += total
		it.Compute += compute
		it.Overlap += overlap
		it.Stall += stall
		before = r.logs[i].end
	}
}
