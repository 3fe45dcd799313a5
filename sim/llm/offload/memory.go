package offload

import (
	"spillway/sim/llm/flow"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A place is where a tensor is, in detail.
type place uint8

const (
	nowhere  place = iota // not born, or dead
	resident              // on the GPU
	leaving               // an offload of it waits or runs
	away                  // on drives or in host memory
	coming                // a fetch of it waits or runs
)

// What follows an offload that runs.
type back uint8

const (
	stays    back = iota
	comes         // a fetch
	comesNow      // an urgent one
)

type tensor struct {
	size       unit.Bytes
	uses       []workload.KernelID
	death      workload.KernelID
	at         int32 // the next use
	own        int32 // the last kernel that asked for it, of an iteration
	task       flow.TaskID
	key        int32 // its place in far: the kernel that uses it next, -1: not there
	prev, next int32
	place      place
	tier       Tier // where it is, comes from or goes to
	back       back
	begun      bool // its task
	copied     bool // drives have a copy that is good
	global     bool
	counts     bool // takes memory here
}

// queue is which of the two queues brings a tensor: 0 from drives, 1 from host memory.
func (x *tensor) queue() int {
	if x.tier == Host {
		return 1
	}
	return 0
}

// own reports whether a tensor is one of the next kernel's, which waits.
func (r *run) own(g *gpu, x *tensor) bool {
	return g.mode == waiting && int(x.own) == r.iteration*len(g.w.Kernels)+g.kernel
}

// want asks for a tensor of the next kernel.
func (r *run) want(g *gpu, t int32) {
	x := &g.tensors[t]
	x.own = int32(r.iteration*len(g.w.Kernels) + g.kernel)
	switch x.place {
	case nowhere:
		g.newborn += x.size
		g.need += x.size
	case leaving:
		if r.recall(g, t) {
			return
		}
		x.back = comesNow
		g.missing++
		g.need += x.size
	case away:
		g.missing++
		g.need += x.size
		r.fetch(g, t, true)
	case coming:
		g.missing++
		if x.begun {
			g.reading++
		} else {
			g.need += x.size
			r.sim.Promote(x.task)
		}
	}
}

// recall takes back an offload that has not begun.
func (r *run) recall(g *gpu, t int32) bool {
	x := &g.tensors[t]
	if x.begun || !r.sim.Cancel(x.task) {
		return false
	}
	g.leaving -= x.size
	x.place = resident
	r.vacate(g, t, x.tier)
	r.keep(g, t)
	return true
}

// keep lets a tensor that is here be evicted.
func (r *run) keep(g *gpu, t int32) {
	if x := &g.tensors[t]; len(x.uses) > 0 {
		g.far.put(g.tensors, t, int32(x.uses[x.at]))
	}
}

// fetch brings a tensor that is away.
func (r *run) fetch(g *gpu, t int32, urgent bool) {
	x := &g.tensors[t]
	x.place, x.begun = coming, false
	task := flow.Task{Queue: g.queues[SSDRead], Path: g.paths[SSDRead], Time: r.node.Drive.Latency, Bytes: x.size, Urgent: urgent, Tag: tag(aFetch, g.index, int64(t))}
	if x.tier == Host {
		task.Queue, task.Path, task.Time = g.queues[HostRead], g.paths[HostRead], 0
	}
	x.task = r.sim.Submit(task)
}

// fetched is told that a tensor has come.
func (r *run) fetched(g *gpu, t int32) {
	x := &g.tensors[t]
	x.place = resident
	if r.measuring {
		if x.tier == Host {
			g.result.HostRead += x.size
		} else {
			g.result.Read += x.size
		}
	}
	if x.tier == SSD && !r.s.Rewrite {
		x.copied = true
	} else {
		r.vacate(g, t, x.tier)
	}
	if x.copied {
		g.copies++
	}
	r.keep(g, t)
	if r.own(g, x) {
		g.missing--
		g.reading--
	}
	g.touched = true // there is something more to evict
	r.sample(g)
}

// offload lets a tensor that is here leave; it reports false if there is no room for it.
func (r *run) offload(g *gpu, t int32, to Tier, demand bool) bool {
	x := &g.tensors[t]
	if x.copied && (to == SSD || demand || x.size > r.hostRoom-r.host) {
		// What is on drives is what is here.
		g.far.take(g.tensors, t)
		x.place, x.tier, x.copied = away, SSD, false
		g.copies--
		g.used -= x.size
		r.here(g, t, GPU, false)
		g.touched = true
		r.sample(g)
		return true
	}
	if to == Host && !r.reserve(g, x.size, Host) {
		to = SSD
		if !r.reserve(g, x.size, SSD) {
			return false
		}
	} else if to == SSD && !r.reserve(g, x.size, SSD) {
		return false
	}
	g.far.take(g.tensors, t)
	x.place, x.tier, x.begun, x.back = leaving, to, false, stays
	r.here(g, t, to, true)
	g.leaving += x.size
	task := flow.Task{Queue: g.queues[SSDWrite], Path: g.paths[SSDWrite], Time: r.node.Drive.Latency, Bytes: x.size, Urgent: demand, Tag: tag(anOffload, g.index, int64(t))}
	if to == Host {
		task.Queue, task.Path, task.Time = g.queues[HostWrite], g.paths[HostWrite], 0
	}
	x.task = r.sim.Submit(task)
	if demand && r.measuring {
		g.result.Demand++
	}
	return true
}

// offloaded is told that a tensor has left.
func (r *run) offloaded(g *gpu, t int32) {
	x := &g.tensors[t]
	g.used -= x.size
	g.leaving -= x.size
	x.place = away
	r.here(g, t, GPU, false)
	if r.measuring {
		if x.tier == Host {
			g.result.HostWritten += x.size
		} else {
			g.result.Written += x.size
		}
	}
	if x.copied {
		g.copies--
	}
	if x.back != stays {
		r.fetch(g, t, x.back == comesNow)
	}
	g.touched = true
	r.sample(g)
}

// ops issues what the program asks for before the next kernel.
func (r *run) ops(g *gpu) {
	ops := g.program.Ops
	for ; g.op < len(ops) && int(ops[g.op].At) == g.kernel; g.op++ {
		op := &ops[g.op]
		x := &g.tensors[op.Tensor]
		switch {
		case !x.counts || len(x.uses) == 0: // nobody may move what nobody is known to use
		case op.To != GPU:
			switch {
			case x.place == resident:
				r.offload(g, int32(op.Tensor), op.To, false)
			case x.place == leaving:
				x.back = stays
			case x.place == coming && !x.begun && r.sim.Cancel(x.task):
				x.place = away
			}
		case x.place == away:
			r.fetch(g, int32(op.Tensor), false)
		case x.place == leaving && !r.recall(g, int32(op.Tensor)):
			x.back = comes
		}
	}
}

// evict makes room for the next kernel.
func (r *run) evict(g *gpu) {
	g.full = false
	for short := g.need - (g.room - g.used) - g.leaving; short > 0; {
		t := g.far.farthest(int32(g.kernel))
		if t < 0 {
			return // what is coming will be here
		}
		size := g.tensors[t].size
		if !r.offload(g, t, g.program.Spill, true) {
			g.full = true
			return
		}
		short -= size
	}
}

// use notes that a kernel that has ended used a tensor.
func (r *run) use(g *gpu, t int32, k int) {
	x := &g.tensors[t]
	if x.at++; int(x.at) == len(x.uses) {
		x.at = 0
	}
	g.far.take(g.tensors, t)
	if x.global || int(x.death) > k+1 {
		r.keep(g, t)
		return
	}
	r.invalidateCopies(g, t)
	x.place = nowhere
	g.used -= x.size
	r.here(g, t, GPU, false)
}

// invalidateCopies notes that a tensor that is here is no longer what drives have of it.
func (r *run) invalidateCopies(g *gpu, t int32) {
	x := &g.tensors[t]
	if x.copied && x.counts {
		x.copied = false
		g.copies--
		r.vacate(g, t, SSD)
	}
}

// reserve takes room of host memory or drives; it reports false if there is none.
func (r *run) reserve(g *gpu, n unit.Bytes, tier Tier) bool {
	if tier == Host {
		if n > r.hostRoom-r.host {
			return false
		}
		r.host += n
		g.onHost += n
		r.hostMost = max(r.hostMost, r.host)
		r.sample(g)
		return true
	}
	if g.array < 0 {
		return false
	}
	if n > r.driveRoom[g.array]-r.drives[g.array] && (r.s.Rewrite || !r.reclaim(g.array, n)) {
		return false
	}
	r.drives[g.array] += n
	r.all += n
	g.onDrives += n
	r.drivesMost = max(r.drivesMost, r.all)
	r.sample(g)
	return true
}

// reclaim gives up all copies on an array of tensors that are elsewhere too; it reports whether
// there is room for n bytes then.
func (r *run) reclaim(array int, n unit.Bytes) bool {
	for i := range r.gpus {
		g := &r.gpus[i]
		if g.array != array || g.copies == 0 {
			continue
		}
		for t := range g.tensors {
			if x := &g.tensors[t]; x.place == resident {
				r.invalidateCopies(g, int32(t))
			}
		}
	}
	return n <= r.driveRoom[array]-r.drives[array]
}

// pull takes back the prefetches that hold their queues because there is no room for them, and
// reports whether there were any. They will be fetched on demand.
func (r *run) pull() (any bool) {
	for i := range r.gpus {
		g := &r.gpus[i]
		for _, t := range g.held {
			if t < 0 {
				continue
			}
			if x := &g.tensors[t]; x.place == coming && !x.begun && !r.own(g, x) && r.sim.Cancel(x.task) {
				x.place, any = away, true
			}
		}
		g.held = [2]int32{-1, -1}
	}
	return any
}

// vacate gives room of host memory or drives back.
func (r *run) vacate(g *gpu, t int32, tier Tier) {
	x := &g.tensors[t]
	if tier == Host {
		r.host -= x.size
		g.onHost -= x.size
	} else {
		r.drives[g.array] -= x.size
		r.all -= x.size
		g.onDrives -= x.size
	}
	r.here(g, t, tier, false)
	r.sample(g)
	for i := range r.gpus {
		if r.gpus[i].full {
			r.gpus[i].touched = true
		}
	}
}

// wake asks fetches again that found no room.
func (r *run) wake(g *gpu) {
	if g.refused[0] {
		g.refused[0] = false
		r.sim.Wake(g.queues[SSDRead])
	}
	if g.refused[1] {
		g.refused[1] = false
		r.sim.Wake(g.queues[HostRead])
	}
}
