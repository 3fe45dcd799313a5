package blocks

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"spillway/sim/train/caching"
	"spillway/sim/train/engine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A blockView is what a Pager may ask a run.
type view interface {
	Now() unit.Cycles
	Resident(b ID) bool
	Active(b ID) bool
	Oldest() iter.Seq[ID]
	Iteration() int
}

// An umPage is a page of the address space.
type umPage struct {
	on, valued, meaningful bool
	users                  int // live tensors that overlap it
}

// A refJob is what a thread does.
type refJob struct {
	b       int64
	pages   []int64 // that will be on the GPU
	moved   int64   // pages over the link
	garbage int64
	end     unit.Cycles
	awaited bool
}

// A refBlocks is the block memory model page by page: maps and lists that are searched,
// and nothing that is kept twice.
type refBlocks struct {
	w     *workload.Workload
	c     engine.Config
	pager Pager

	pages   map[int64]*umPage
	top     int64   // blocks the allocator has had
	order   []int64 // blocks on the GPU, by migration
	seen    map[int64]bool
	unused  map[int64]bool // prefetched and not visited
	window  []int64
	chunks  int64 // of GPU memory
	in, out *refJob
	wants   int64 // what the pager wants and cannot have yet, or -1
	waiting bool  // a kernel waits for the migration thread

	at   map[workload.TensorID]unit.Bytes
	ids  map[workload.TensorID]caching.ID
	live map[workload.TensorID]bool

	now, overlap unit.Cycles
	computing    bool
	iteration    int
	ledger       map[result.Cause]unit.Cycles
	it           result.Iteration
	p            result.Paging
	missing      int64 // thousandths not counted yet
	random       uint64
	execs        map[string]ExecID
}

func (r *refBlocks) Now() unit.Cycles { return r.now }
func (r *refBlocks) Iteration() int   { return r.iteration }

func (r *refBlocks) Resident(b ID) bool {
	return slices.Contains(r.order, int64(b)) || r.in != nil && r.in.b == int64(b)
}

func (r *refBlocks) Active(b ID) bool {
	for _, p := range r.of(int64(b)) {
		if p.users > 0 {
			return true
		}
	}
	return false
}

func (r *refBlocks) Oldest() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for _, b := range r.order {
			if !yield(ID(b)) {
				return
			}
		}
	}
}

// of returns the pages of a block.
func (r *refBlocks) of(b int64) (list [512]*umPage) {
	for i := range list {
		list[i] = r.page(b*512 + int64(i))
	}
	return list
}

func (r *refBlocks) page(n int64) *umPage {
	if r.pages[n] == nil {
		r.pages[n] = &umPage{}
	}
	return r.pages[n]
}

// cover returns the pages that a tensor overlaps.
func (r *refBlocks) cover(t workload.TensorID) (list []int64) {
	at, size := int64(r.at[t]), int64(r.w.Tensors[t].Bytes)
	for n := at / 4096; n*4096 < at+size; n++ {
		list = append(list, n)
	}
	return list
}

// free is how many chunks nobody holds.
func (r *refBlocks) free() int64 {
	held := int64(len(r.order))
	if r.out != nil {
		held++
	}
	if r.in != nil {
		held++
	}
	return r.chunks - held
}

func (r *refBlocks) link(pages int64) unit.Cycles {
	return min(r.c.Machine.GPULink, r.c.Machine.HostLink).Cycles(unit.Bytes(pages)*4096, r.c.Machine.Clock)
}

func (r *refBlocks) perBlock() unit.Cycles {
	return r.c.Machine.Clock.CyclesUp(r.c.Runtime.(Memory).PerBlock)
}

// until lets time pass.
func (r *refBlocks) until(t unit.Cycles) {
	for {
		next, out := t+1, false
		if r.in != nil {
			next = min(next, r.in.end)
		}
		if r.out != nil && r.out.end <= next {
			next, out = r.out.end, true
		}
		if next > t {
			break
		}
		r.tick(next)
		if out {
			for _, p := range r.of(r.out.b) {
				p.on = false
			}
			r.it.Traffic.HostOut += unit.Bytes(r.out.moved) * 4096
			r.p.GarbageOut += unit.Bytes(r.out.garbage) * 4096
			r.out = nil
			r.work()
		} else if r.arrive() {
			r.work()
		}
	}
	r.tick(t)
}

func (r *refBlocks) tick(t unit.Cycles) {
	if r.computing && (r.in != nil || r.out != nil) {
		r.overlap += t - r.now
	}
	r.now = t
}

// arrive reports whether no kernel waits for what has arrived.
func (r *refBlocks) arrive() bool {
	j := r.in
	for _, n := range j.pages {
		r.page(n).on = true
	}
	r.order = append(r.order, j.b)
	delete(r.seen, j.b)
	if !j.awaited {
		r.p.Prefetched++
		r.unused[j.b] = true
	}
	r.it.Traffic.HostIn += unit.Bytes(j.moved) * 4096
	r.p.GarbageIn += unit.Bytes(j.garbage) * 4096
	r.in = nil
	return !j.awaited
}

// take removes a block from the order of migration.
func (r *refBlocks) take(b int64) {
	if i := slices.Index(r.order, b); i >= 0 {
		r.order = slices.Delete(r.order, i, i+1)
	}
	if i := slices.Index(r.window, b); i >= 0 {
		r.lose(i)
	}
}

// lose removes an entry of the window, the last takes its place.
func (r *refBlocks) lose(i int) {
	last := len(r.window) - 1
	r.window[i] = r.window[last]
	r.window = r.window[:last]
}

func (r *refBlocks) spared(b int64) bool { return r.pager != nil && r.pager.Spare(ID(b)) }

func (r *refBlocks) victim(fault bool) int64 {
	for {
		for _, b := range r.order {
			if int64(len(r.window)) >= max(1, min(r.c.Runtime.(Memory).Window, r.chunks)) {
				break
			}
			if !r.seen[b] {
				r.seen[b] = true
				if !r.spared(b) {
					r.window = append(r.window, b)
				}
			}
		}
		if len(r.window) == 0 {
			break
		}
		i := 0
		if n := uint64(len(r.window)); n > 1 {
			i = int(mulHigh(r.draw(), n))
		}
		b := r.window[i]
		if r.spared(b) {
			r.lose(i)
			continue
		}
		r.take(b)
		return b
	}
	if !fault {
		return -1
	}
	b := r.order[0]
	r.take(b)
	return b
}

// mulHigh returns the high half of a product, from 32 bit pieces; y is small.
func mulHigh(x, y uint64) uint64 {
	return (x>>32*y + (x&(1<<32-1)*y)>>32) >> 32
}

func (r *refBlocks) draw() uint64 {
	r.random += 0x9e3779b97f4a7c15
	z := r.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// evict reports whether b has left at once.
func (r *refBlocks) evict(b int64) bool {
	if r.unused[b] {
		r.p.Useless++
		delete(r.unused, b)
	}
	if r.pager != nil && !r.Active(ID(b)) && r.pager.Drop(ID(b)) {
		r.p.Dropped++
		for _, p := range r.of(b) {
			if p.on {
				p.on, p.valued = false, false
			}
		}
		return true
	}
	j := &refJob{b: b}
	for _, p := range r.of(b) {
		if p.on && p.valued {
			j.moved++
			if !p.meaningful {
				j.garbage++
			}
		}
		p.on = false
	}
	j.end = r.now + r.perBlock() + r.link(j.moved)
	r.out = j
	return false
}

// job returns what bringing pages of a block moves.
func (r *refBlocks) job(b int64, pages []int64) *refJob {
	j := &refJob{b: b, pages: pages}
	for _, n := range pages {
		if p := r.page(n); p.valued && !p.on {
			j.moved++
			if !p.meaningful {
				j.garbage++
			}
		}
	}
	return j
}

func whole(b int64) (list []int64) {
	for i := range int64(512) {
		list = append(list, b*512+i)
	}
	return list
}

// work gives the threads something to do.
func (r *refBlocks) work() {
	for r.pager != nil {
		for r.in == nil && !r.waiting {
			if r.wants < 0 {
				b, ok := r.pager.Next()
				if !ok {
					break
				}
				if b < 0 || int64(b) >= r.top {
					continue
				}
				r.wants = int64(b)
			}
			b, there := r.wants, 0
			for _, p := range r.of(b) {
				if p.on {
					there++
				}
			}
			if there == 512 {
				r.wants = -1
				continue
			}
			if r.out != nil && r.out.b == b || !slices.Contains(r.order, b) && r.free() == 0 {
				break
			}
			r.take(b)
			r.in = r.job(b, whole(b))
			r.in.end = r.now + r.perBlock() + r.link(r.in.moved)
			r.wants = -1
		}
		if r.out != nil {
			return
		}
		need := int64(r.pager.Ready())
		if r.wants >= 0 && need == 0 {
			need = 1
		}
		if r.free() >= need {
			return
		}
		b := r.victim(false)
		if b < 0 || !r.evict(b) {
			return
		}
	}
}

func (r *refBlocks) stall(c result.Cause, until unit.Cycles) {
	if until > r.now {
		r.ledger[c] += until - r.now
	}
	r.until(until)
}

// visit makes pages ready, all of one block.
func (r *refBlocks) visit(pages []int64) {
	b := pages[0] / 512
	delete(r.unused, b)
	missing, fresh := int64(0), int64(0)
	for _, n := range pages {
		if p := r.page(n); !p.on {
			missing++
			if !p.valued {
				fresh++
			}
		}
	}
	if missing > 0 {
		r.fault(b, pages, missing, fresh)
	}
	for _, n := range pages {
		p := r.page(n)
		if !p.on {
			panic("reference: a page is not there after its fault")
		}
		p.valued, p.meaningful = true, true
	}
	if missing > 0 {
		r.work()
	}
}

func (r *refBlocks) fault(b int64, pages []int64, missing, fresh int64) {
	rules := r.c.Runtime.(Memory).Rules
	late := false
	if r.pager != nil {
		late = r.in != nil && r.in.b == b || r.wants == b || r.pager.Queued(ID(b))
		r.pager.Fault(ID(b), late)
	}
	evicting, reading, handling := result.Eviction, result.HostRead, result.FaultHandling
	if late {
		evicting, reading, handling = result.LatePrefetch, result.LatePrefetch, result.LatePrefetch
		r.p.Late++
		r.it.Faults.Moving += missing
	} else {
		r.p.Missed++
	}
	if r.in != nil && r.in.b == b {
		r.in.awaited = true
		r.stall(reading, r.in.end)
		return
	}
	r.waiting = true
	if r.wants == b {
		r.wants = -1
	}
	if r.out != nil && r.out.b == b {
		r.stall(evicting, r.out.end)
	}
	kept := slices.Contains(r.order, b)
	if kept { // it does not leave meanwhile, and keeps its chunk
		r.take(b)
		r.chunks--
	}
	if r.in != nil {
		r.stall(reading, r.in.end)
	}
	for !kept && r.free() == 0 {
		if r.out == nil && r.evict(r.victim(true)) {
			continue
		}
		r.stall(evicting, r.out.end)
	}
	if kept {
		r.chunks++
	}
	start := r.now + r.perBlock()
	if !late {
		r.it.Faults.Host += missing - fresh
		r.it.Faults.Unallocated += fresh
		r.missing += 1000 * missing
		for r.missing >= rules.PerFault {
			r.missing -= rules.PerFault
			r.p.Faults++
			start += r.c.Machine.Clock.CyclesUp(rules.Counted)
		}
	}
	switch {
	case rules.Whole || late:
		pages = whole(b)
	case rules.Density && len(pages) < 512:
		pages = r.dense(b, pages)
	}
	r.in = r.job(b, pages)
	r.in.awaited = true
	r.in.end = start + r.link(r.in.moved)
	end := r.in.end
	r.stall(handling, start)
	r.stall(reading, end)
	r.waiting = false
}

// dense adds to pages of b what the driver brings for density.
func (r *refBlocks) dense(b int64, pages []int64) (list []int64) {
	var will [512]bool
	for i, p := range r.of(b) {
		will[i] = p.on || slices.Contains(pages, b*512+int64(i))
	}
	for size := 16; size <= 512; size *= 2 {
		for at := 0; at < 512; at += size {
			n := 0
			for _, x := range will[at : at+size] {
				if x {
					n++
				}
			}
			for i := range size {
				will[at+i] = will[at+i] || n > size/2
			}
		}
	}
	for i, x := range will {
		if x {
			list = append(list, b*512+int64(i))
		}
	}
	return list
}

// run is runBlocks.
func (r *refBlocks) run() (*result.Result, error) {
	w, c := r.w, r.c
	rules := c.Runtime.(Memory).Rules
	exec := engine.Ideal(w, c)
	res := engine.NewResult(c, exec)
	chunk := int64(2 << 20)
	held := (w.HeldPages()*4096 + chunk - 1) / chunk
	if r.chunks = int64(c.Machine.GPUMemory)*rules.Usable/1e6/chunk - held; r.chunks < 1 {
		return nil, &engine.DoesNotFit{Reason: "reference"}
	}
	alloc := caching.New(0)
	r.pages, r.seen, r.unused, r.wants = map[int64]*umPage{}, map[int64]bool{}, map[int64]bool{}, -1
	r.at, r.ids, r.live = map[workload.TensorID]unit.Bytes{}, map[workload.TensorID]caching.ID{}, map[workload.TensorID]bool{}
	r.random, r.execs = uint64(rules.Seed), map[string]ExecID{}
	chunks := r.chunks
	place := func(t workload.TensorID) {
		id, _ := alloc.Alloc(w.Tensors[t].Bytes)
		r.ids[t] = id
		r.at[t], _ = alloc.Range(id)
		r.live[t] = true
		for _, n := range r.cover(t) {
			r.page(n).users++
		}
		r.top = int64(alloc.Top()) / chunk
	}
	heldTensors := w.Held()
	for t := range w.Tensors {
		if id := workload.TensorID(t); w.Tensors[t].Global && !heldTensors[t] {
			place(id)
			for _, n := range r.cover(id) {
				r.page(n).valued, r.page(n).meaningful = true, true
			}
		}
	}
	lastUse := map[workload.TensorID]int{}
	for k := range w.Kernels {
		for _, t := range w.WorkingSet(nil, workload.KernelID(k)) {
			lastUse[t] = k
		}
	}
	total := int(rules.Warm) + c.Iterations
	for it := range total {
		begin := r.now
		r.iteration, r.it, r.p, r.overlap, r.ledger = it, result.Iteration{}, result.Paging{}, 0, map[result.Cause]unit.Cycles{}
		for k := range w.Kernels {
			start := r.now
			set := w.WorkingSet(nil, workload.KernelID(k))
			for _, t := range set {
				if !r.live[t] {
					place(t)
				}
			}
			tables := unit.Bytes(0)
			if r.pager != nil {
				tables = r.pager.Tables()
			}
			if alloc.Reserved()+tables > c.Machine.HostMemory {
				return nil, &engine.DoesNotFit{Reason: "reference"}
			}
			if r.pager != nil {
				r.seen, r.window = map[int64]bool{}, nil
				var addresses []int64
				for _, t := range slices.Concat(w.Kernels[k].Inputs, w.Kernels[k].Outputs) {
					addresses = append(addresses, int64(r.at[t]))
				}
				key := fmt.Sprint(w.Kernels[k].Name, addresses)
				if _, ok := r.execs[key]; !ok {
					r.execs[key] = ExecID(len(r.execs))
				}
				r.pager.Launch(workload.KernelID(k), r.execs[key])
				r.work()
			}
			r.kernel(workload.KernelID(k), set, exec[k])
			for _, t := range set {
				if lastUse[t] == k && !w.Tensors[t].Global {
					for _, n := range r.cover(t) {
						if p := r.page(n); p.users == 1 {
							p.users, p.meaningful = 0, false
						} else {
							p.users--
						}
					}
					alloc.Free(r.ids[t])
					r.live[t] = false
				}
			}
			if it >= total-r.c.Iterations {
				x := result.Kernel{Start: start - begin, End: r.now - begin, Ideal: exec[k], GPU: unit.Bytes(held+chunks-r.free()) * unit.Bytes(chunk)}
				for _, p := range r.pages {
					if p.valued && !p.on {
						x.Host += 4096
					}
				}
				if r.out != nil { // not there yet
					x.Host -= unit.Bytes(r.out.moved) * 4096
				}
				res.Kernels = append(res.Kernels, x)
			}
		}
		r.it.Time = r.now - begin
		for cause, d := range r.ledger {
			*r.it.Ledger.At(cause) = d
			r.it.Stall += d
		}
		r.it.Overlap = r.overlap
		r.it.Compute = r.it.Time - r.it.Stall - r.it.Overlap
		r.p.In, r.p.Out, r.p.Reserved = r.it.Traffic.HostIn, r.it.Traffic.HostOut, alloc.Reserved()
		if r.pager != nil {
			r.p.Tables = r.pager.Tables()
		}
		p := r.p
		r.it.Paging = &p
		res.Iterations = append(res.Iterations, r.it)
	}
	// Of those measured the one nearest to the mean is reported, the last of equals.
	measured, sum := res.Iterations[total-r.c.Iterations:], 0.0
	for _, it := range measured {
		sum += float64(it.Time)
	}
	mean := math.Floor(sum/float64(len(measured)) + 0.5)
	at := 0
	for i := range measured {
		if math.Abs(float64(measured[i].Time)-mean) <= math.Abs(float64(measured[at].Time)-mean) {
			at = i
		}
	}
	res.Reported = total - r.c.Iterations + at
	res.Kernels = res.Kernels[at*len(w.Kernels):][:len(w.Kernels)]
	return res, nil
}

// touched returns which of the pages of a tensor's block j kernel k touches. The draws are
// those of the engine; TestRows has them.
func (r *refBlocks) touched(k workload.KernelID, t workload.TensorID, pages []int64, j int64) (list []int64) {
	run := Run{rules: r.c.Runtime.(Memory).Rules, iteration: r.iteration}
	rows, b := r.w.Kernels[k].Rows, pages[0]/512
	whole := true
	for i, x := range rows {
		if x.Tensor != t {
			continue
		}
		whole = false
		table := newRowTable(rowKey{r.w.Tensors[t].Bytes, x.Row, x.Draws, x.Zipf}, func(int64) {})
		set := table.draw(b*512-r.cover(t)[0], run.rowSeed(t, j, i))
		for _, n := range pages {
			if set[n%512/64]>>(n%64)&1 != 0 && !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
	}
	if whole {
		return pages
	}
	slices.Sort(list)
	return list
}

// kernel visits the tensors in lock-step: what has the largest rest, as a fraction, comes
// next in rounds of one block of the largest.
func (r *refBlocks) kernel(k workload.KernelID, set []workload.TensorID, exec unit.Cycles) {
	host := min(exec-1, r.c.Machine.Clock.PublishedCycles(r.w.Kernels[k].HostTime))
	var visits [][]int64
	var most int64
	parts := make([][][]int64, len(set))
	for i, t := range set {
		for _, n := range r.cover(t) {
			if last := len(parts[i]) - 1; last < 0 || parts[i][last][0]/512 != n/512 {
				parts[i] = append(parts[i], nil)
			}
			last := len(parts[i]) - 1
			parts[i][last] = append(parts[i][last], n)
		}
		most = max(most, int64(len(parts[i])))
	}
	for step := range most {
		for i := range set {
			for j := range parts[i] { // in the first step at which step/most is j/n or more
				if n := int64(len(parts[i])); (int64(j)*most+n-1)/n == step {
					visits = append(visits, r.touched(k, set[i], parts[i][j], int64(j)))
				}
			}
		}
	}
	r.computing = true
	r.until(r.now + host)
	r.computing = false
	for i, pages := range visits {
		if len(pages) > 0 {
			r.visit(pages)
		}
		done := func(i int) unit.Cycles { return (exec - host) * unit.Cycles(i) / unit.Cycles(len(visits)) }
		r.computing = true
		r.until(r.now + done(i+1) - done(i))
		r.computing = false
	}
}
