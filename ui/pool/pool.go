// Package pool gives tasks to workers: who waits, who works, who is started,
// replaced or ended. It knows no browser. A Host makes the workers and tells the
// time, so every order of events can be tested.
//
// Each worker runs one program, a laboratory's. A program's workers are started
// when it has tasks, and all programs share one budget: when a place is needed,
// an idle worker of another program is ended.
//
// All calls come from one thread and none blocks. A Host or a Worker may call
// back before it returns.
package pool

import (
	"cmp"
	"slices"
)

// A Task is one thing to do. The pool does not read its text.
type Task struct {
	ID      int    // never 0, never reused
	Program string // which program does it
	Text    []byte // the message, as the program reads it
	Files   int    // number of the set of files it needs, 0 if none
	Bulk    bool   // one of many: the pool may grow for it, and others go first

	turn int // its place in the order of Start
}

// A Worker is one Web Worker.
type Worker interface {
	// Send hands over a task, and the open files if the worker lacks them. The
	// program may still be loading: it finds the task when it is there.
	Send(t *Task, withFiles bool)
	// End terminates the worker. It is called once.
	End()
}

// A Host is what the pool needs from the page.
type Host interface {
	// Start begins to load a worker, or adopts one that loads already. What
	// becomes of it is reported to w. If there is no worker to return, w.Stopped
	// must be called.
	Start(program string, w *Handle) Worker
	// Now is the time in milliseconds.
	Now() float64
	// Later calls f once, some milliseconds from now, after it has returned.
	Later(ms float64, f func())
	// Answer takes what a worker said about a task; after the last it says no
	// more. Nothing comes about a task after Stop.
	Answer(id int, data []byte, last bool)
	// Failed says that a task gets no more answers, and why.
	Failed(id int, text string)
	// Crashed tells the visitor that a worker was lost.
	Crashed(text string)
}

const (
	mostWorkers = 4
	// patience is how long, in ms, an outdated task may go on before its worker
	// is replaced; most are done by then, and a new worker has to load again.
	patience = 40
	// pause is how long, in ms, the pool waits for more keystrokes: each outdates
	// the tasks of the last one.
	pause = 90
	// longQueue is how many tasks may wait before the pool grows.
	longQueue = 8
	// mostFailures is how often in a row a program may fail to start.
	mostFailures = 3
)

// A Pool is the workers and the tasks that wait for them.
type Pool struct {
	host    Host
	usual   int // workers at most
	most    int // workers at most when there is much to do
	workers []*Handle
	queue   []*Task // in the order they are to be done
	turns   int     // counts tasks and rests, to order each
	shown   string  // program of the newest task that is not bulk
	number  int     // of the newest set of files
	// failures is how many starts of a program in a row came to nothing.
	failures map[string]int
	quiet    float64 // when tasks may be given again
	waiting  bool    // a timer will look at the queue
	paused   bool    // the last look at the queue was during a pause
}

// New returns a pool without workers for a machine with so many processor
// cores, 0 if unknown.
func New(h Host, cores int) *Pool {
	return &Pool{
		host:     h,
		usual:    max(min(cores-1, mostWorkers), 1), // one core is the page's
		most:     max(min(cores, mostWorkers), 1),   // which has little to do meanwhile
		failures: map[string]int{},
	}
}

// Start does t as soon as there is room: the tasks of a program in the order of
// the calls, but bulk after the rest. The pool keeps t.
func (p *Pool) Start(t *Task) {
	p.turns++
	t.turn = p.turns
	if !t.Bulk {
		p.shown = t.Program
	}
	p.enqueue(t)
	p.look()
}

// enqueue puts a task where its turn is.
func (p *Pool) enqueue(t *Task) {
	i := slices.IndexFunc(p.queue, func(o *Task) bool {
		if t.Bulk != o.Bulk {
			return o.Bulk
		}
		return t.turn < o.turn
	})
	if i < 0 {
		i = len(p.queue)
	}
	p.queue = slices.Insert(p.queue, i, t)
}

// Raise takes a task that waits out of the bulk: somebody looks at the place where its
// answer will stand. One that is under way is done as soon as may be anyway.
func (p *Pool) Raise(id int) {
	at := slices.IndexFunc(p.queue, func(t *Task) bool { return t.ID == id && t.Bulk })
	if at < 0 {
		return
	}
	t := p.queue[at]
	p.queue = slices.Delete(p.queue, at, at+1)
	t.Bulk, p.shown = false, t.Program
	p.enqueue(t)
	p.look()
}

// Stop ends the tasks with these IDs; nobody waits for them any more. For a
// moment it gives no tasks: whoever types outdates them again.
func (p *Pool) Stop(ids []int) {
	if len(ids) == 0 {
		return
	}
	p.queue = slices.DeleteFunc(p.queue, func(t *Task) bool { return slices.Contains(ids, t.ID) })
	p.quiet = p.host.Now() + pause
	for _, w := range p.workers {
		if w.task != nil && slices.Contains(ids, w.task.ID) {
			w.outdated = true
			w.hurry()
		}
	}
}

// OpenFiles says that the host has one more set of files, and those before it. A
// worker gets one with the first task that needs it and not the one that it has.
func (p *Pool) OpenFiles(number int) { p.number = max(p.number, number) }

// look does what can be done for the queue now, and sees to it that somebody
// looks again when the pause is over.
func (p *Pool) look() {
	for p.step() {
	}
	// The clock is not asked again whether there is a pause: one that ended since the
	// last step would be waited for by nobody.
	if !p.paused || p.waiting || len(p.queue) == 0 {
		return
	}
	p.waiting = true
	p.host.Later(max(0, p.quiet-p.host.Now()), func() {
		p.waiting = false
		p.look()
	})
}

// step gives one task or starts one worker, and reports whether it did. It looks
// afresh each time, because any call of the host may change everything.
func (p *Pool) step() bool {
	p.paused = p.host.Now() < p.quiet
	var claimed []*Handle // by tasks that must wait
	for i, t := range p.queue {
		w := p.find(t.Program, claimed)
		switch {
		case w == nil:
			if p.makeRoom(t, claimed) {
				p.begin(t.Program)
				return true
			}
		case p.paused || !w.idle():
			claimed = append(claimed, w)
		default:
			p.queue = slices.Delete(p.queue, i, i+1)
			w.do(t)
			return true
		}
	}
	return false
}

// find returns the program's worker that can do a task soonest: one that is
// ready, one that loads, or one that is about to be free. Nil if all are busy.
func (p *Pool) find(program string, claimed []*Handle) *Handle {
	var loads, busy *Handle
	for _, w := range p.workers {
		switch {
		case w.program != program || slices.Contains(claimed, w):
		case w.idle() && w.ready:
			return w
		case w.idle():
			loads = cmp.Or(loads, w)
		case w.outdated || w.worker == nil:
			busy = cmp.Or(busy, w)
		}
	}
	return cmp.Or(loads, busy)
}

// makeRoom reports whether a worker may be started for t, and ends one of another
// program if it must: the one that has rested longest.
func (p *Pool) makeRoom(t *Task, claimed []*Handle) bool {
	if !p.mayStart(t.Program) {
		return false
	}
	limit := p.usual
	if len(p.queue) > longQueue || slices.ContainsFunc(p.queue, func(t *Task) bool { return t.Bulk }) {
		limit = p.most
	}
	if len(p.workers) < limit {
		return true
	}
	var spare *Handle
	for _, w := range p.workers {
		if w.program == t.Program || !w.idle() || slices.Contains(claimed, w) || p.kept(w, t) {
			continue
		}
		if spare == nil || w.rest < spare.rest {
			spare = w
		}
	}
	if spare == nil {
		return false
	}
	p.end(spare)
	return true
}

// kept reports whether w stays though t could use its place: bulk leaves one
// worker to the program that somebody uses, unless it has none itself.
func (p *Pool) kept(w *Handle, t *Task) bool {
	return t.Bulk && w.program == p.shown && p.count(w.program) == 1 && p.count(t.Program) > 0
}

// count is how many workers a program has.
func (p *Pool) count(program string) int {
	n := 0
	for _, w := range p.workers {
		if w.program == program {
			n++
		}
	}
	return n
}

// mayStart reports whether there is hope that the program starts. With no worker
// left it is always tried: its failures have been reported, and this task is new.
func (p *Pool) mayStart(program string) bool {
	return p.failures[program] < mostFailures || p.count(program) == 0
}

// begin starts a worker.
func (p *Pool) begin(program string) {
	p.turns++
	w := &Handle{pool: p, program: program, attempt: p.failures[program] + 1, rest: p.turns}
	p.workers = append(p.workers, w)
	made := p.host.Start(program, w)
	if !w.ended {
		w.worker = made
	} else if made != nil {
		made.End()
	}
}

// end takes a worker out of the pool.
func (p *Pool) end(w *Handle) {
	w.ended = true
	p.workers = slices.DeleteFunc(p.workers, func(o *Handle) bool { return o == w })
	if w.worker != nil {
		w.worker.End()
	}
}

// refill starts a worker of the program if the queue left a place empty that was
// taken before: loading early saves the next task the wait.
func (p *Pool) refill(program string, places int) {
	p.look()
	if len(p.workers) < places && p.failures[program] < mostFailures {
		p.begin(program)
		p.look()
	}
}
