package offload

import "fmt"

// causeOf says what a GPU does, or why its next kernel waits.
func (r *run) causeOf(g *gpu) Cause {
	switch g.mode {
	case computing:
		return Computes
	case meeting, communicating:
		return Communicate
	case finished:
		return Bubble
	}
	best := Computes // none
	if g.left[r.iteration&1][g.kernel] > 0 {
		for _, l := range g.waits.of(g.kernel) {
			c := r.holds(l)
			if rank[c] > rank[best] {
				best = c
			}
		}
	}
	if rank[best] < rank[Fetch] && (g.missing > 0 || g.newborn > g.room-g.used) {
		best = Fetch
		if g.reading == 0 && g.need > g.room-g.used {
			best = Space
		}
	}
	return best
}

// rank is the order of causes of a wait.
var rank = [Causes]uint8{Bubble: 5, Communicate: 4, Optimizer: 3, Fetch: 2, Space: 1}

// holds says why something holds a kernel of this iteration, Computes if it does not.
func (r *run) holds(l dependency) Cause {
	switch l.kind {
	case ofSend:
		switch r.sent[l.id] {
		case 0:
			return Bubble
		case 1:
			return Communicate
		}
	case ofCollective:
		if !r.collectives[l.id].done {
			return Communicate
		}
	case ofExtra:
		return r.extraHolds(r.iteration, int(l.id))
	case ofLast:
		if r.iteration > 0 {
			return r.extraHolds(r.iteration-1, int(l.id))
		}
	}
	return Computes
}

// extraHolds says why an extra holds a kernel: a collective that is under way, or waits for its turn to be,
// communicates; before, it waits for what the system says.
func (r *run) extraHolds(iteration, e int) Cause {
	i, x := iteration*len(r.s.Extras)+e, &r.s.Extras[e]
	switch {
	case r.ended[i]:
		return Computes
	case x.Queue == Peers && r.pending[i] == 0:
		return Communicate
	}
	return x.Cause
}

// setStallCause accounts for the time since the last turn; from now on a GPU does something else.
func (r *run) setStallCause(g *gpu, c Cause) {
	now := r.sim.Now()
	if d := now - g.since; d > 0 {
		g.ledger[g.cause] += d
		if r.measuring && r.watched != nil {
			r.spell(g)
		}
		if g.cause == Fetch && r.measuring && g.late != g.kernel {
			g.late = g.kernel
			g.result.Late++
		}
		if g.cause == Computes && g.moving > 0 {
			g.overlapped += now - max(g.overAt, g.since)
		}
	}
	g.since, g.overAt, g.cause = now, now, c
}

// moves notes that a move of a GPU's bytes begins or ends.
func (r *run) moves(g *gpu, n int) {
	now := r.sim.Now()
	if g.moving > 0 && g.cause == Computes {
		g.overlapped += now - max(g.overAt, g.since)
	}
	g.overAt = now
	g.moving += n
}

// why says why nothing goes on.
func (r *run) why() string {
	for i := range r.gpus {
		g := &r.gpus[i]
		if g.mode == waiting && g.full && g.need > g.room-g.used {
			return fmt.Sprintf("GPU %d: %s waits for %s of memory, but %s", i, g.name(g.kernel), g.need-(g.room-g.used), r.fullOf(g))
		}
	}
	for i := range r.gpus {
		g := &r.gpus[i]
		switch {
		case g.mode == waiting && (g.missing > 0 || g.need > g.room-g.used):
			return fmt.Sprintf("GPU %d: %s waits for %d tensors and %s of memory that nothing brings", i, g.name(g.kernel), g.missing, max(0, g.need-(g.room-g.used)))
		case g.mode == waiting && g.left[r.iteration&1][g.kernel] > 0:
			return fmt.Sprintf("GPU %d: %s waits for %s, which never comes", i, g.name(g.kernel), r.what(g))
		}
	}
	for i := range r.gpus {
		if g := &r.gpus[i]; g.mode == meeting {
			for _, ref := range r.collectives[g.meets[g.kernel]].members {
				if p := &r.gpus[ref.Part]; p.mode != meeting || p.kernel != int(ref.Kernel) {
					return fmt.Sprintf("GPU %d: %s waits for GPU %d, which waits for something else", i, g.name(g.kernel), ref.Part)
				}
			}
		}
	}
	return "a link carries nothing, or the run takes longer than can be told"
}

func (g *gpu) name(k int) string { return fmt.Sprintf("kernel %d (%s)", k, g.w.Kernels[k].Name) }

// what names the first thing that holds the next kernel.
func (r *run) what(g *gpu) string {
	for _, l := range g.waits.of(g.kernel) {
		if r.holds(l) == Computes {
			continue
		}
		switch l.kind {
		case ofSend:
			from := r.job.Sends[l.id].From
			return fmt.Sprintf("what kernel %d of GPU %d sends", from.Kernel, from.Part)
		case ofCollective:
			return fmt.Sprintf("collective %d", l.id)
		default:
			return fmt.Sprintf("%q", r.s.Extras[l.id].Name)
		}
	}
	return "something"
}

func (r *run) fullOf(g *gpu) string {
	host := fmt.Sprintf("host memory is full (%s for tensors)", r.hostRoom)
	switch {
	case g.array < 0:
		return host + " and there are no drives"
	case g.program.Spill == Host:
		return host + fmt.Sprintf(" and so are the drives (%s)", r.driveRoom[g.array])
	}
	return fmt.Sprintf("the drives are full (%s)", r.driveRoom[g.array])
}
