package offload

import (
	"spillway/sim/llm/flow"
	"spillway/sim/llm/job"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// What a task is, in the lowest bits of its tag; then come the GPU and a number.
const (
	aKernel = iota
	aFetch
	anOffload
	aSend
	aCollective
	anExtra
	kindBits = 4
	gpuBits  = 10
)

func tag(kind, gpu int, id int64) int64 {
	return id<<(kindBits+gpuBits) | int64(gpu)<<kindBits | int64(kind)
}

func untag(t int64) (kind, gpu int, id int64) {
	return int(t & (1<<kindBits - 1)), int(t >> kindBits & (1<<gpuBits - 1)), t >> (kindBits + gpuBits)
}

// What a GPU does.
type mode uint8

const (
	waiting       mode = iota // its next kernel does
	computing                 // a kernel runs
	meeting                   // its next kernel is a collective that waits for other GPUs
	communicating             // that moves bytes
	finished                  // with the iteration
)

// A dependency is what depends on a kernel, or what a kernel depends on.
type dependency struct {
	kind dependencyKind
	id   int32
}

type dependencyKind uint8

const (
	ofSend       dependencyKind = iota
	ofCollective                // beside kernels
	ofExtra
	ofLast // extra of the iteration before
)

// dependencies are lists by kernel.
type dependencies struct {
	first []int32
	all   []dependency
}

func (l *dependencies) of(k int) []dependency { return l.all[l.first[k]:l.first[k+1]] }

type gpu struct {
	*shape
	index   int
	w       *workload.Workload
	tensors []tensor
	far     far

	program *Program // nil: memory is not a limit
	op      int      // the next
	room    unit.Bytes
	array   int // -1: none

	after, waits dependencies
	meets        []int32    // by kernel: the collective that it is, -1; nil: there are none
	left         [2][]int32 // by parity of the iteration and kernel: what it still waits for
	waited       []int32    // left at the beginning

	compute flow.QueueID
	queues  [QueueKinds]flow.QueueID
	paths   [4][]flow.LinkID // by SSDRead, SSDWrite, HostRead, HostWrite

	mode   mode
	kernel int // that runs, or is next

	// Of the kernel that is next: tensors that are not here, those of them that are on their way,
	// the bytes that it takes when it begins, and all bytes that it has no room for yet.
	missing, reading int
	newborn, need    unit.Bytes
	active           unit.Bytes // of the tensors of the kernel that runs

	used, leaving    unit.Bytes // leaving is a part of used
	onHost, onDrives unit.Bytes
	copies           int      // tensors that are here and have a good copy on drives
	full             bool     // neither host memory nor drives take what has to leave
	refused          [2]bool  // fetches, from drives and from host memory, wait for room
	held             [2]int32 // the last that was refused of each, -1
	touched          bool

	ledger     [Causes]unit.Time
	cause      Cause
	since      unit.Time
	moving     int
	overlapped unit.Time
	overAt     unit.Time
	late       int // the last kernel that was counted
	result     GPUResult
	curve      *curve
}

type collective struct {
	members []job.Ref
	waits   []job.Ref
	paths   [][]flow.LinkID
	queues  []flow.QueueID // by GPU, beside kernels
	bytes   unit.Bytes
	steps   unit.Time // what its steps take besides
	left    int       // members that have not ended, or not come
	flows   int       // that have not ended
	done    bool
}

type run struct {
	job   *job.Job
	s     *Schedule
	node  *machine.Node
	o     Options
	sim   *flow.Sim
	gpus  []gpu
	sends flow.QueueID

	sendPaths   [][]flow.LinkID
	sent        []uint8 // 0: not begun, 1: on its way, 2: there
	collectives []collective
	beside      []flow.QueueID // by GPU, of collectives beside kernels
	passing     []flow.QueueID // and of those that pass on around a ring, which no long gather holds up

	known      map[[2]machine.Endpoint][]flow.LinkID // routes, looked up before the run
	extraPaths [][]flow.LinkID
	extraMoves []mover
	dependent  dependencies // extras that wait for an extra
	lasting    dependencies // extras that wait for an extra of the iteration before
	pending    []int32      // by iteration and extra: what it still waits for
	ended      []bool       // by iteration and extra

	hostRoom, host  unit.Bytes // of tensors
	driveRoom       []unit.Bytes
	drives          []unit.Bytes
	hostMost        unit.Bytes
	drivesMost, all unit.Bytes // all is what is on all drives

	iteration    int
	gpusFinished int // GPUs that are through with it
	done         int64
	measuring    bool
	opened       unit.Time // when the measured iteration began
	began        unit.Time // when the iteration began
	ahead        unit.Time // how long the one before the measured one took
	closed       unit.Time
	finished     bool
	settling     bool
	stuck        string

	before  []LinkUse
	uses    []LinkUse
	rates   *rates
	watched *watching // nil: nobody watches
	verify  func()    // for tests: after everything that happened
}

// run runs all iterations.
func (r *run) run() {
	r.begin(0)
	r.settle()
	watching := false
	for !r.finished {
		if r.measuring && !watching {
			watching = true
			r.openLinks()
		}
		if !r.sim.Step() && !r.pull() {
			r.stuck = r.why()
			return
		}
	}
	r.closeLinks()
	if r.o.Progress != nil {
		r.o.Progress(int(r.done), int(r.done))
	}
}

// begin begins an iteration.
func (r *run) begin(iteration int) {
	r.iteration, r.gpusFinished = iteration, 0
	last := r.began
	r.began = r.sim.Now()
	if iteration == r.o.Iterations-1 {
		r.ahead = r.began - last
		r.measure()
	}
	clear(r.sent)
	for i := range r.collectives {
		c := &r.collectives[i]
		c.left, c.flows, c.done = len(c.members), len(c.members), false
	}
	n := len(r.s.Extras)
	for e := range n {
		if r.pending[iteration*n+e] == 0 {
			r.issue(iteration, e)
		}
	}
	for i := range r.gpus {
		g := &r.gpus[i]
		copy(g.left[(iteration+1)&1], g.waited)
		g.kernel, g.op, g.late = 0, 0, -1
		r.arrive(g)
		r.sample(g)
	}
}

// arrive makes a kernel the next of its GPU: ops before it are issued, and what it needs is
// asked for.
func (r *run) arrive(g *gpu) {
	g.mode = waiting
	g.touched = true
	if g.program == nil {
		return
	}
	g.missing, g.reading, g.newborn, g.need, g.full = 0, 0, 0, 0, false
	r.ops(g)
	for _, t := range g.sets[g.first[g.kernel]:g.first[g.kernel+1]] {
		r.want(g, t)
	}
}

// try lets the next kernel of a GPU begin if it can, or asks for room.
func (r *run) try(g *gpu) {
	if g.mode == waiting {
		if g.need > g.room-g.used {
			r.evict(g)
		}
		if g.left[r.iteration&1][g.kernel] == 0 && g.missing == 0 && g.newborn <= g.room-g.used {
			r.start(g)
		}
	}
	r.setStallCause(g, r.causeOf(g))
	r.wake(g)
}

// start begins a kernel.
func (r *run) start(g *gpu) {
	if c := g.meets; c != nil && c[g.kernel] >= 0 {
		r.joinCollective(g, int(c[g.kernel]))
		return
	}
	r.occupy(g)
	g.mode = computing
	r.sample(g)
	k := &g.w.Kernels[g.kernel]
	r.sim.Submit(flow.Task{Queue: g.compute, Time: k.HostTime + k.Time, Tag: tag(aKernel, g.index, 0)})
}

// joinCollective notes that a GPU has come to a collective; the last one begins it.
func (r *run) joinCollective(g *gpu, i int) {
	c := &r.collectives[i]
	g.mode = meeting
	if c.left--; c.left > 0 {
		return
	}
	for m, ref := range c.members {
		p := &r.gpus[ref.Part]
		r.occupy(p)
		r.setStallCause(p, Communicate)
		p.mode = communicating
		r.sample(p)
		r.sim.Submit(flow.Task{Queue: p.compute, Time: c.steps, Bytes: c.bytes, Path: c.paths[m], Tag: tag(aCollective, p.index, int64(i))})
	}
}

// startOverlapped begins a collective that goes on beside kernels.
func (r *run) startOverlapped(i int) {
	c := &r.collectives[i]
	for m, ref := range c.members {
		r.sim.Submit(flow.Task{Queue: c.queues[ref.Part], Time: c.steps, Bytes: c.bytes, Path: c.paths[m], Tag: tag(aCollective, int(ref.Part), int64(i))})
	}
}

// occupy gives the next kernel the memory that it takes when it begins.
func (r *run) occupy(g *gpu) {
	if g.program == nil {
		g.used, g.active = g.live[g.kernel], g.sizes[g.kernel]
		return
	}
	g.used += g.newborn
	g.need, g.newborn, g.active = 0, 0, 0
	for _, t := range g.sets[g.first[g.kernel]:g.first[g.kernel+1]] {
		x := &g.tensors[t]
		g.active += x.size
		if x.place == nowhere {
			r.here(g, t, GPU, true)
		}
		x.place = resident
	}
	if g.copies > 0 {
		for _, t := range g.w.Kernels[g.kernel].Outputs {
			r.invalidateCopies(g, int32(t))
		}
	}
}

// leave ends a kernel.
func (r *run) leave(g *gpu) {
	k := g.kernel
	if g.program != nil {
		for _, t := range g.sets[g.first[k]:g.first[k+1]] {
			r.use(g, t, k)
		}
	}
	g.active = 0
	r.sample(g)
	r.setStallCause(g, Bubble)
	g.kernel++
	if r.done++; r.o.Progress != nil && r.done&1023 == 0 {
		r.o.Progress(int(r.done), int(r.kernels()))
	}
	for _, l := range g.after.of(k) {
		switch l.kind {
		case ofSend:
			s := &r.job.Sends[l.id]
			r.sent[l.id] = 1
			r.gpus[s.To.Part].touched = true
			r.sim.Submit(flow.Task{Queue: r.sends, Bytes: s.Bytes, Path: r.sendPaths[l.id], Tag: tag(aSend, 0, int64(l.id))})
		case ofCollective:
			if c := &r.collectives[l.id]; c.left > 1 {
				c.left--
			} else {
				r.startOverlapped(int(l.id))
			}
		default:
			r.decrementPending(r.iteration, int(l.id))
		}
	}
	if g.kernel < len(g.w.Kernels) {
		r.arrive(g)
		return
	}
	g.mode = finished
	if g.program != nil {
		r.ops(g)
	}
	g.kernel--
	g.touched = true
	if r.gpusFinished++; r.gpusFinished < len(r.gpus) {
		return
	}
	if r.iteration == r.o.Iterations-1 {
		r.close()
		return
	}
	r.begin(r.iteration + 1)
}

func (r *run) kernels() (n int64) {
	for g := range r.gpus {
		n += int64(len(r.gpus[g].w.Kernels))
	}
	return n * int64(r.o.Iterations)
}

// decrementPending takes something from what an extra waits for.
func (r *run) decrementPending(iteration, e int) {
	if iteration >= r.o.Iterations {
		return
	}
	i := iteration*len(r.s.Extras) + e
	if r.pending[i]--; r.pending[i] == 0 && iteration <= r.iteration {
		r.issue(iteration, e)
	}
}

// issue submits an extra.
func (r *run) issue(iteration, e int) {
	x := &r.s.Extras[e]
	if x.Queue == Peers { // who waits for it waits for something else now
		for i := range r.gpus {
			r.gpus[i].touched = true
		}
	}
	r.sim.Submit(flow.Task{
		Queue: r.gpus[x.GPU].queues[x.Queue], Time: x.Time, Bytes: x.Bytes, Path: r.extraPaths[e],
		Tag: tag(anExtra, int(x.GPU), int64(iteration*len(r.s.Extras)+e)),
	})
}

// Gate lets a fetch begin if there is room.
func (r *run) Gate(_ flow.TaskID, t int64) bool {
	kind, i, id := untag(t)
	if kind != aFetch {
		return true
	}
	g := &r.gpus[i]
	x := &g.tensors[id]
	room := g.room - g.used
	if !r.own(g, x) {
		room -= g.need
	}
	if x.size <= room {
		return true
	}
	g.refused[x.queue()], g.held[x.queue()] = true, int32(id)
	return false
}

// Start is told that a task begins.
func (r *run) Start(_ flow.TaskID, t int64) {
	kind, i, id := untag(t)
	g := &r.gpus[i]
	if r.watched != nil {
		r.started(kind, i, id)
	}
	switch kind {
	case aFetch:
		x := &g.tensors[id]
		x.begun = true
		g.used += x.size
		r.here(g, int32(id), GPU, true)
		if r.own(g, x) {
			g.need -= x.size
			g.reading++
			g.touched = true
		}
		r.moves(g, 1)
		r.sample(g)
	case anOffload:
		g.tensors[id].begun = true
		r.moves(g, 1)
	case anExtra:
		if r.extraMoves[int(id)%len(r.s.Extras)] != still {
			r.moves(g, 1)
		}
	default:
		return
	}
	r.settle()
}

// End is told that a task has ended.
func (r *run) End(_ flow.TaskID, t int64) {
	kind, i, id := untag(t)
	g := &r.gpus[i]
	if r.finished {
		return
	}
	if r.watched != nil {
		r.told(kind, i, id)
	}
	switch kind {
	case aKernel:
		r.leave(g)
	case aFetch:
		r.moves(g, -1)
		r.fetched(g, int32(id))
	case anOffload:
		r.moves(g, -1)
		r.offloaded(g, int32(id))
	case aSend:
		r.sent[id] = 2
		r.release(r.job.Sends[id].To, r.iteration)
	case aCollective:
		r.collectiveDone(int(id))
	case anExtra:
		r.extraEnded(g, int(id))
	}
	r.settle()
	if r.verify != nil {
		r.verify()
	}
}

// collectiveDone ends one GPU's part in a collective.
func (r *run) collectiveDone(i int) {
	c := &r.collectives[i]
	if c.flows--; c.flows > 0 {
		return
	}
	c.done = true
	for _, ref := range c.waits {
		r.release(ref, r.iteration)
	}
	if len(c.waits) == 0 {
		for _, ref := range c.members {
			r.leave(&r.gpus[ref.Part])
		}
	}
}

func (r *run) extraEnded(g *gpu, id int) {
	n := len(r.s.Extras)
	iteration, e := id/n, id%n
	x := &r.s.Extras[e]
	r.ended[id] = true
	if m := r.extraMoves[e]; m != still {
		r.moves(g, -1)
		if r.measuring {
			g.result.moved(m, x.Bytes)
		}
	}
	for _, ref := range x.Before {
		r.release(ref, iteration)
	}
	for _, ref := range x.Next {
		r.release(ref, iteration+1)
	}
	for _, l := range r.dependent.of(e) {
		r.decrementPending(iteration, int(l.id))
	}
	for _, l := range r.lasting.of(e) {
		r.decrementPending(iteration+1, int(l.id))
	}
}

// release takes something from what a kernel of an iteration waits for.
func (r *run) release(ref job.Ref, iteration int) {
	g := &r.gpus[ref.Part]
	g.left[iteration&1][ref.Kernel]--
	g.touched = true
}

// settle lets the kernels begin that can, after something has happened.
func (r *run) settle() {
	if r.settling || r.finished {
		return
	}
	r.settling = true
	for again := true; again; {
		again = false
		for i := range r.gpus {
			if g := &r.gpus[i]; g.touched {
				g.touched, again = false, true
				r.try(g)
			}
		}
	}
	r.settling = false
}
