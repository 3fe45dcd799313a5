package load

import (
	"spillway/sim/filesys/call"
	"spillway/sim/unit"
)

// A prepared is a source in Filebench's way that goes through the stages of a script that measures:
// a warm-up for a time, the preparation of the next process, and the run of that. One begins when no
// thread has a call under way any more.
type prepared struct {
	*filebench
	stage  call.Stage
	files  bool      // they are prepared
	warm   unit.Time // how long the warm-up lasts after its own preparation; 0: it ends with its loops
	began  unit.Time // the warm-up, after its preparation
	first  bool      // that is under way
	loops  int64     // of the run
	busy   int       // threads that have not come to the end of the stage
	wanted bitset    // entries that Filebench has drawn to exist
	order  []int32   // entries that are to be prepared, in the order in which that is done
	seed   int64
	step   int   // of the entry that is prepared
	pos    int64 // of its file
}

// longestWarm is how many runs a warm-up that lasts a time is as long as at most, so that it ends
// where calls take next to no time, as on machines without a cause of time. On those of
// machine.Measured it is up to 1.3.
const longestWarm = 16

// Stage implements call.Staged.
func (p *prepared) Stage() call.Stage { return p.stage }

// staged returns the source of a workload that begins with so many loops of warm-up, or a time of
// it (at most longestWarm runs), and whose files are prepared before it is measured or not.
func (f *filebench) staged(files bool, first, loops int64, warm unit.Time, seed int64) *prepared {
	p := &prepared{filebench: f, files: files, loops: loops, warm: warm, seed: seed, busy: len(f.workers), wanted: f.exists.clone()}
	if f.bare {
		p.wanted = f.planted.clone()
	}
	if f.left = first; warm > 0 {
		f.left = first * longestWarm
	}
	switch {
	case first == 0:
		p.next(0)
	case files:
		p.first = true
		p.prepare()
	}
	return p
}

// next begins the next stage: all threads are to be asked again.
func (p *prepared) next(now unit.Time) {
	p.busy = len(p.workers)
	if p.first {
		p.first, p.began = false, now
		return
	}
	p.stage++
	if p.stage == call.Preparing {
		if p.files {
			p.prepare()
			return
		}
		p.stage++
	}
	if p.files { // it is another process: it begins at the first file
		p.present, p.absent = p.wanted.clone(), p.wanted.without(len(p.node))
		p.filebench.next, p.nextNew = 0, 0
		for i := range p.workers {
			p.workers[i] = worker{rnd: seeded(p.seed, i+1), file: -1, at: len(p.loop)}
		}
	}
	p.left = p.loops
}

// prepare lists what is to be prepared. Filebench draws an order, in which a file system numbers what
// is made; here files have their numbers before, so all that is made is made in that order.
func (p *prepared) prepare() {
	p.order = p.order[:0]
	for i := range p.node {
		if p.wanted.has(int32(i)) {
			p.order = append(p.order, int32(i))
		}
	}
	rnd := seeded(p.seed, -1)
	for i := len(p.order) - 1; i > 0 && !p.bare; i-- {
		k := rnd.below(int64(i + 1))
		p.order[i], p.order[k] = p.order[k], p.order[i]
	}
	p.step, p.pos = 0, 0
	if p.log >= 0 {
		p.order = append(p.order, logEntry)
	}
}

// logEntry stands for the file that webserver appends to, which is a set of its own.
const logEntry = -1

// Next implements call.Source.
func (p *prepared) Next(thread int32, now unit.Time, c *call.Call) call.State {
	if p.stage == call.Measured {
		return p.filebench.Next(thread, now, c)
	}
	for {
		state := call.Done
		if p.stage == call.Warming && !p.first {
			if p.warm > 0 && now >= p.began+p.warm {
				p.left = 0
			}
			state = p.filebench.Next(thread, now, c)
		} else if thread == 0 && p.entry(c) {
			state = call.Ready
		}
		if state != call.Done {
			return state
		}
		if p.busy--; p.busy > 0 {
			return call.Parked
		}
		p.next(now)
		p.woken = p.woken[:0]
		for i := range p.workers {
			if int32(i) != thread {
				p.woken = append(p.woken, int32(i))
			}
		}
		if p.stage == call.Measured {
			return p.filebench.Next(thread, now, c)
		}
	}
}

// What is done with an entry that exists, in this order; one that does not is made first.
const (
	asks = iota
	opens
	sizes
	closes
)

// entry writes the next call of the preparation and reports whether there is one. Of a file that
// exists its status is asked for; it is opened, and cut or written anew if it has not the size that
// was drawn. What does not exist is made and written.
func (p *prepared) entry(c *call.Call) bool {
	for len(p.order) > 0 {
		e := p.order[0]
		node, size, whole, exists, dir := p.log, &p.logSize, int64(0), true, int32(0)
		if e != logEntry {
			node, size, whole, exists, dir = p.node[e], &p.size[e], p.whole[e], p.disk.has(e), p.dir[e]
		}
		*c = call.Call{Changed: call.Unknown, Node: node}
		switch p.step {
		case asks:
			if p.step = opens; exists {
				c.Code = call.Stat
				return true
			}
		case opens:
			if p.step = sizes; p.dirs {
				p.step = closes
			}
			switch {
			case !exists:
				c.Code, c.Dir = call.Create, dir
				if p.dirs {
					c.Code = call.Mkdir
				}
				p.disk.add(e)
				return true
			case !p.dirs:
				c.Code = call.Open
				return true
			}
		case sizes:
			switch {
			case p.pos == 0 && *size == whole:
				p.step = closes
			case p.pos == 0 && *size > whole:
				p.step = closes
				c.Code, c.Length = call.Truncate, whole
				*size = whole
				return true
			case p.pos == whole:
				*size, p.pos, p.step = whole, 0, closes
			default:
				c.Code, c.Offset, c.Length = call.Write, p.pos, min(allocated, whole-p.pos)
				p.pos += c.Length
				return true
			}
		case closes:
			p.step, p.order = asks, p.order[1:]
			if !p.dirs {
				c.Code = call.Close
				return true
			}
		}
	}
	return false
}

// allocated is what Filebench writes at once when it prepares (FILE_ALLOC_BLOCK of fileset.h).
const allocated = 1 << 20
