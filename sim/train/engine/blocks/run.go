package blocks

import (
	"cmp"
	layout "encoding/binary"
	"fmt"
	"slices"

	"spillway/sim/train/caching"
	"spillway/sim/train/engine"
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// The block memory model is unified memory as the driver has it (DeepUM paper, §2.2
// and §2.3). Tensors lie at addresses of a caching allocator, in blocks of 2 MiB of
// 4 KiB pages; GPU memory is handed out in chunks of a block, which a block holds that
// has any page there.
//
// A kernel visits the blocks of its tensors in lock-step, each tensor advancing by the
// same fraction, and its compute time is spread evenly over the visits. A visit needs
// the tensor's pages in that block. Where some are missing the kernel waits until they
// have come. Pages that no kernel has touched yet come without a transfer. Once touched
// they have a value, which the driver carries to wherever the block goes, even when the
// tensor is long dead: garbage.
//
// Departures from the driver: (1) GPU memory is handed out in whole chunks only; (2)
// a kernel waits for one visit at a time, where thousands of threads fault in
// batches, which the time of a counted fault stands for; (3) a page in GPU memory has no
// copy in the host's, so that what leaves is always copied.
//
// What the driver takes for a transfer is a time for each block here (Rules), not
// machine.Machine.TransferCost besides.

// A Run is a run in the block memory model, as a Pager may ask it.
type Run struct {
	Workload *workload.Workload

	rules     Rules
	mem       gpuMemory
	pager     Pager                                // nil: none
	inspect   func(*Run, Pager, workload.KernelID) // may be nil
	exec      []unit.Cycles
	host      []unit.Cycles // of exec, before the kernel
	sets      *workload.Sets
	allocator *caching.Allocator
	tensors   []tensorState
	unsettled []workload.TensorID // they have an address that the host was not checked for
	visits    []visiting          // of the running kernel
	due       []dueVisit          // those of them with a visit left, as a heap

	now       unit.Cycles
	iteration int
	running   bool // a kernel computes; else it waits
	start     unit.Cycles
	it        result.Iteration
	paging    result.Paging
	hostPages int64 // with a value, in host memory
	uncounted int64 // missing pages, in thousandths, that are less than a counted fault
	random    splitMix
	rows      [][]rowTouch      // of kernels
	rowTables []lazyTable       // that some kernel needs
	k         workload.KernelID // that runs

	in, out thread
	next    ID   // what the pager wants next, and could not begin, or None
	urgent  bool // a kernel waits for the migration thread

	ids    map[string]ExecID
	names  []uint32 // of kernels' names
	key    []byte
	record *engine.Record // of the iterations that are measured; may be nil
	since  unit.Cycles    // when the first of them began

	progress      func(done, total int) // may be nil
	done, kernels int                   // kernels that have ended, of all iterations
	workSinceTold int64                 // work since progress was told

	perBlock, perFault unit.Cycles
	perSpare           unit.Cycles
	asked              int64                       // about how many blocks the pager was asked for the last victim: it and those spared
	moving             [blockPages + 1]unit.Cycles // how long so many pages take over the link
	full, shared       unit.Bandwidth              // rates of one direction: alone, and while both are busy
}

// A blockTensor is when a tensor lives and where.
type tensorState struct {
	first, last workload.KernelID // uses; -1: none
	id          caching.ID
	at          unit.Bytes
	pages       pageExtent
}

// A visiting is how far the running kernel is with one of its tensors.
type visiting struct {
	tensor workload.TensorID
	e      pageExtent
	b, end ID
	n      int64 // blocks
	rows   bool  // it is touched in rows only
	// From one visit to the next are step rounds and rest n-ths of one; slack is what
	// rounding up has added to the next one's, in n-ths.
	step, rest, slack int64
}

// A dueVisit is when a tensor's next block is visited: in rounds, of which the largest
// tensor has one for each block, in a round in the order of the list. That is block
// j of n in the first round that is at least the same fraction of all rounds as j of n.
type dueVisit struct {
	round int64
	which int32 // of Run.visits
}

func (a dueVisit) before(b dueVisit) bool {
	return a.round < b.round || a.round == b.round && a.which < b.which
}

// A blockThread is what the migration or the eviction thread does.
type thread struct {
	b              ID
	start          unit.Cycles // of its transfer
	end            unit.Cycles // never: it is idle
	pages, garbage int64
	tensor         workload.TensorID
	all            bool // of the block's pages; else want
	want           pageSet
	awaited        bool // by a kernel
}

// Run runs w, whatever the program: its pager decides.
func (m Memory) Run(w *workload.Workload, _ *program.Program, c engine.Config) (*result.Result, error) {
	r, err := m.newRun(w, c)
	if err != nil {
		return nil, err
	}
	return r.run(c)
}

func (m Memory) newRun(w *workload.Workload, c engine.Config) (*Run, error) {
	rules := m.Rules
	if rules.PerFault <= 0 {
		return nil, fmt.Errorf("a counted fault stands for %d thousandths of a page; want 1 or more", rules.PerFault)
	}
	chunk := int64(Size)
	usable := unit.MulDiv(int64(c.Machine.GPUMemory), rules.Usable, 1_000_000) / chunk
	held := w.HeldPages() * int64(unit.Page)
	chunks := usable - (held+chunk-1)/chunk
	if chunks < 1 {
		return nil, &engine.DoesNotFit{Reason: fmt.Sprintf(
			"%v of GPU memory are usable, in chunks of 2 MiB, and %v that no kernel uses stay there; at least 2 MiB must be left; more GPU memory would help, or a larger share of it",
			unit.Bytes(usable*chunk), unit.Bytes(held))}
	}
	r := &Run{
		Workload: w, rules: rules, inspect: m.Inspect, mem: newGPUMemory(chunks, rules.Window),
		exec: engine.Ideal(w, c), host: make([]unit.Cycles, len(w.Kernels)), sets: w.Sets(),
		allocator: caching.New(0), tensors: make([]tensorState, len(w.Tensors)),
		random: splitMix(rules.Seed), rows: make([][]rowTouch, len(w.Kernels)), in: thread{end: engine.Forever}, out: thread{end: engine.Forever}, next: None,
		perBlock: c.Machine.Clock.CyclesUp(rules.PerBlock), perFault: c.Machine.Clock.CyclesUp(rules.Counted), perSpare: c.Machine.Clock.CyclesUp(rules.PerSpare),
	}
	link := min(c.Machine.GPULink, c.Machine.HostLink)
	r.full, r.shared = link, min(link, c.Machine.Beside(link))
	for n := range r.moving {
		r.moving[n] = link.Cycles(unit.Bytes(n)*unit.Page, c.Machine.Clock)
	}
	tables := map[rowKey]int32{}
	for k := range w.Kernels {
		for _, x := range w.Kernels[k].Rows {
			key := rowKey{w.Tensors[x.Tensor].Bytes, x.Row, x.Draws, x.Zipf}
			table, ok := tables[key]
			if !ok {
				table = int32(len(r.rowTables))
				tables[key] = table
				r.rowTables = append(r.rowTables, lazyTable{key: key})
			}
			r.rows[k] = append(r.rows[k], rowTouch{x.Tensor, table})
		}
		r.host[k] = min(r.exec[k]-1, c.Machine.Clock.PublishedCycles(w.Kernels[k].HostTime))
	}
	life := vitality.Analyze(w)
	for t := range r.tensors {
		x := tensorState{first: -1, last: -1, id: caching.None}
		if uses := life.Uses(workload.TensorID(t)); len(uses) > 0 {
			x.first, x.last = uses[0], uses[len(uses)-1]
		}
		r.tensors[t] = x
	}
	if m.Pager != nil {
		r.pager = m.Pager(r)
	}
	if r.pager != nil {
		r.ids = map[string]ExecID{}
		known := map[string]uint32{}
		r.names = make([]uint32, len(w.Kernels))
		for k := range w.Kernels {
			n, ok := known[w.Kernels[k].Name]
			if !ok {
				n = uint32(len(known))
				known[w.Kernels[k].Name] = n
			}
			r.names[k] = n
		}
	}
	return r, nil
}

// run simulates all iterations.
func (r *Run) run(c engine.Config) (*result.Result, error) {
	res := engine.NewResult(c, r.exec)
	kernels := make([]result.Kernel, 0, c.Iterations*len(r.exec)) // of the iterations measured
	capacity := r.mem.free
	held := unit.Bytes((r.Workload.HeldPages()+blockPages-1)/blockPages) * Size
	n := len(r.exec)
	iterations := int(r.rules.Warm) + c.Iterations
	r.progress, r.kernels = c.Progress, iterations*n
	for t := range r.tensors { // globals, on the host
		if x := &r.tensors[t]; r.Workload.Tensors[t].Global && x.first >= 0 {
			r.allocate(workload.TensorID(t))
		}
	}
	for it := range iterations {
		r.iteration, r.start = it, r.now
		r.it, r.paging = result.Iteration{}, result.Paging{}
		measured := it >= int(r.rules.Warm)
		if it == int(r.rules.Warm) {
			r.record, r.since = c.Record, r.now
		}
		for k := range r.exec {
			begin := r.now
			r.record.Launch(workload.KernelID(k))
			for _, t := range r.sets.All[k] {
				if x := &r.tensors[t]; x.id == caching.None {
					r.allocate(t)
				}
			}
			if most := r.allocator.Reserved() + r.tables(); most > c.Machine.HostMemory {
				return nil, &engine.DoesNotFit{Reason: fmt.Sprintf(
					"by kernel %d (%s) of iteration %d, %v are managed, %v of them in use; all of it must have a place in host memory, which has %v; more host memory would help, or a smaller batch",
					k, r.Workload.Kernels[k].Name, it+1, most, r.allocator.Used(), c.Machine.HostMemory)}
			}
			r.settle()
			r.launch(workload.KernelID(k))
			r.kernel(workload.KernelID(k))
			for _, t := range r.sets.All[k] {
				if x := &r.tensors[t]; x.last == workload.KernelID(k) && !r.Workload.Tensors[t].Global {
					r.work(1)
					r.mem.release(x.at, r.Workload.Tensors[t].Bytes)
					r.allocator.Free(x.id)
					x.id = caching.None
				}
			}
			if measured {
				kernels = append(kernels, result.Kernel{
					Start: begin - r.start, End: r.now - r.start, Ideal: r.exec[k],
					GPU:  held + unit.Bytes(capacity-r.mem.free)*Size,
					Host: unit.Bytes(r.hostPages) * unit.Page,
				})
			}
			if r.done++; k%64 == 63 || k == n-1 {
				r.tellProgress()
			}
		}
		r.it.Time = r.now - r.start
		r.it.Stall = r.it.Time - res.Ideal
		r.it.Compute = res.Ideal - r.it.Overlap
		r.paging.In, r.paging.Out = r.it.Traffic.HostIn, r.it.Traffic.HostOut
		r.paging.Tables, r.paging.Reserved = r.tables(), r.allocator.Reserved()
		p := r.paging
		r.it.Paging = &p
		res.Iterations = append(res.Iterations, r.it)
		if it < iterations-1 {
			r.record.EndIteration(r.now - r.since)
		}
	}
	res.Measure(c.Iterations)
	at := res.Reported - int(r.rules.Warm)
	res.Kernels = kernels[at*n:][:n:n]
	res.Notes = append(res.Notes, "A reconstruction: what the driver needs for a fault and for a block is fitted to DeepUM's Figure 9(b), as no code was public.")
	if r.rules.Warm > 0 {
		res.Notes = append(res.Notes, fmt.Sprintf("%d iterations were run; the first %d are warm-up, in which addresses and residency settle.", iterations, r.rules.Warm))
	}
	if c.Record != nil {
		c.Record.Finish(at)
		slices.SortStableFunc(c.Record.Transfers, func(a, b engine.Transfer) int { return cmp.Compare(a.End, b.End) })
	}
	if c.Drive != nil {
		res.SSD = c.Delivered(&result.Traffic{}, &result.Traffic{})
	}
	return res, nil
}

// progressEvery is after how much work progress is told: some milliseconds. A visit is 1.
const progressEvery = 4096

// work counts work, so that progress is told as often in a long kernel as between
// short ones: who listens may want to end the run.
func (r *Run) work(n int64) {
	if r.workSinceTold += n; r.workSinceTold >= progressEvery {
		r.tellProgress()
	}
}

func (r *Run) tellProgress() {
	r.workSinceTold = 0
	if r.progress != nil {
		r.progress(r.done, r.kernels)
	}
}

func (r *Run) tables() unit.Bytes {
	if r.pager == nil {
		return 0
	}
	return r.pager.Tables()
}

// allocate gives t an address. It has blocks from settle on, for which there must be
// host memory first.
func (r *Run) allocate(t workload.TensorID) {
	x := &r.tensors[t]
	r.work(1)
	x.id, _ = r.allocator.Alloc(r.Workload.Tensors[t].Bytes) // there is no limit
	x.at, _ = r.allocator.Range(x.id)
	r.unsettled = append(r.unsettled, t)
}

// settle places the tensors that got an address since the last time. Globals have a
// value on the host.
func (r *Run) settle() {
	r.mem.grow(int64((r.allocator.Top() + Size - 1) / Size))
	for _, t := range r.unsettled {
		x, w := &r.tensors[t], &r.Workload.Tensors[t]
		x.pages = r.mem.place(t, x.at, w.Bytes)
		r.work(1 + (x.pages.last-x.pages.first)/(16*blockPages)) // a block is quick
		if !w.Global {
			continue
		}
		x.pages.parts(func(b ID, lo, hi int64) {
			before := r.mem.blocks[b].valued
			if hi-lo == blockPages {
				r.mem.touch(b, nil)
			} else {
				want := span(lo, hi)
				r.mem.touch(b, &want)
			}
			r.hostPages += int64(r.mem.blocks[b].valued - before)
		})
	}
	r.unsettled = r.unsettled[:0]
}

// launch tells the pager which kernel comes.
func (r *Run) launch(k workload.KernelID) {
	if r.pager == nil {
		return
	}
	r.mem.resetWindow()
	r.pager.Launch(k, r.execID(k))
	if r.inspect != nil {
		r.inspect(r, r.pager, k)
	}
	r.startTransfers()
}

// execID interns a launch.
func (r *Run) execID(k workload.KernelID) ExecID {
	r.key = layout.LittleEndian.AppendUint32(r.key[:0], r.names[k])
	for _, list := range [2][]workload.TensorID{r.Workload.Kernels[k].Inputs, r.Workload.Kernels[k].Outputs} {
		for _, t := range list {
			r.key = layout.LittleEndian.AppendUint64(r.key, uint64(r.tensors[t].at))
		}
	}
	id, ok := r.ids[string(r.key)]
	if !ok {
		id = ExecID(len(r.ids))
		r.ids[string(r.key)] = id
	}
	return id
}

// kernel runs kernel k.
func (r *Run) kernel(k workload.KernelID) {
	var total, most int64
	r.visits, r.k = r.visits[:0], k
	for _, t := range r.sets.All[k] {
		e := r.tensors[t].pages
		v := visiting{tensor: t, e: e, b: ID(e.first / blockPages), end: ID(e.last / blockPages)}
		v.n = int64(v.end-v.b) + 1
		for _, x := range r.rows[k] {
			v.rows = v.rows || x.tensor == t
		}
		total, most = total+v.n, max(most, v.n)
		r.visits = append(r.visits, v)
	}
	// Each visit takes a part of the time, the remainder is spread.
	compute := int64(r.exec[k] - r.host[k])
	part, rest, carry := unit.Cycles(compute/total), compute%total, int64(0)
	r.compute(r.host[k])
	r.due = r.due[:0]
	for i := range r.visits {
		v := &r.visits[i]
		v.step, v.rest = most/v.n, most%v.n
		r.due = append(r.due, dueVisit{0, int32(i)}) // in order, which is a heap
	}
	for len(r.due) > 0 {
		v := &r.visits[r.due[0].which]
		r.visit(v)
		r.work(1)
		d := part
		if carry += rest; carry >= total {
			carry -= total
			d++
		}
		r.compute(d)
		if v.b++; v.b <= v.end {
			r.due[0].round += v.step
			if v.slack -= v.rest; v.slack < 0 {
				v.slack += v.n
				r.due[0].round++
			}
		} else {
			last := len(r.due) - 1
			r.due[0] = r.due[last]
			r.due = r.due[:last]
		}
		r.siftDown()
	}
}

// siftDown restores the heap of visits when its first has changed.
func (r *Run) siftDown() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(r.due); child++ {
			if r.due[child].before(r.due[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		r.due[i], r.due[least] = r.due[least], r.due[i]
		i = least
	}
}

// visit makes the pages ready of the next block of a tensor that lie in it.
func (r *Run) visit(v *visiting) {
	x := &r.mem.blocks[v.b]
	const full = uint16(blockPages)
	if !v.rows && x.on == full && x.valued == full && x.meaningful == full {
		x.unused = false
		return
	}
	base := int64(v.b) * blockPages
	lo, hi := max(0, v.e.first-base), min(blockPages, v.e.last+1-base)
	var want pageSet
	if v.rows {
		if want = r.touched(v, lo, hi); want == noPages {
			return
		}
	}
	x.unused = false
	if !v.rows && hi-lo == blockPages {
		missing := blockPages - int64(x.on)
		if missing > 0 {
			r.fault(v, nil, missing)
		}
		r.mem.touch(v.b, nil)
		if missing > 0 {
			r.startTransfers()
		}
		return
	}
	if !v.rows {
		want = span(lo, hi)
	}
	missing := int64(0)
	if x.on != full {
		if missing = want.count(); x.on != 0 {
			missing -= want.common(&r.mem.split(v.b).on)
		}
		if missing > 0 {
			r.fault(v, &want, missing)
		}
	}
	r.mem.touch(v.b, &want)
	if missing > 0 {
		r.startTransfers()
	}
}

// compute lets the running kernel run for d.
func (r *Run) compute(d unit.Cycles) {
	if r.pager == nil {
		r.now += d
		return
	}
	r.running = true
	r.advance(r.now + d)
	r.running = false
}

// wait makes the running kernel wait until a time, for a cause.
func (r *Run) wait(c result.Cause, until unit.Cycles) {
	if until > r.now {
		*r.it.Ledger.At(c) += until - r.now
		if r.record != nil {
			r.record.Stall(c, r.now-r.since, until-r.since)
		}
	}
	r.advance(until)
}

// advance lets time pass, and the threads work.
func (r *Run) advance(to unit.Cycles) {
	for t := min(r.in.end, r.out.end); t <= to; t = min(r.in.end, r.out.end) {
		r.pass(t)
		if r.out.end == t {
			r.evicted()
		} else if r.migrated(); r.in.awaited {
			continue // the visit comes first
		}
		r.startTransfers()
	}
	r.pass(to)
}

// pass lets time pass in which nothing happens.
func (r *Run) pass(to unit.Cycles) {
	if r.running && (r.in.end != engine.Forever || r.out.end != engine.Forever) {
		r.it.Overlap += to - r.now
	}
	r.now = to
}
