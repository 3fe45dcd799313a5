package pool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A fakeHost is a page with workers and a clock that only moves when told. It
// writes down all that the pool does, and checks what must hold at each step.
type fakeHost struct {
	pool    *Pool
	clock   float64
	tick    float64 // how far the clock goes on whenever it is asked
	timers  []timer
	workers []*fakeWorker // all that were ever started; the number is the index+1
	log     []string
	broken  []string // rules that the pool broke

	most    int
	tasks   map[int]*fate
	number  int     // of the open files
	quiet   float64 // no task may be sent before
	started int

	onStart  func(w *fakeWorker) // before Start returns
	onAnswer func(id int, last bool)
	onFailed func(id int)
}

type timer struct {
	at float64
	f  func()
}

// A fate is what became of a task.
type fate struct {
	*Task
	started       int // in which order
	waits         bool
	stopped, over bool
}

// A fakeWorker is alive until the pool ends it or it has stopped.
type fakeWorker struct {
	host    *fakeHost
	handle  *Handle
	program string
	number  int
	task    *Task // sent and not yet done
	begun   bool  // the program runs
	heard   bool  // the pool knows
	dead    bool  // it stopped by itself
	ended   bool
	files   int
}

func newFake(cores int) *fakeHost {
	h := &fakeHost{most: max(1, min(cores, 4)), tasks: map[int]*fate{}}
	h.pool = New(h, cores)
	return h
}

func (h *fakeHost) note(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

func (h *fakeHost) breach(format string, args ...any) {
	h.broken = append(h.broken, fmt.Sprintf(format, args...))
}

func (h *fakeHost) alive() []*fakeWorker {
	return slices.DeleteFunc(slices.Clone(h.workers), func(w *fakeWorker) bool { return w.dead || w.ended })
}

// Start implements Host.
func (h *fakeHost) Start(program string, handle *Handle) Worker {
	w := &fakeWorker{host: h, handle: handle, program: program, number: len(h.workers) + 1}
	h.workers = append(h.workers, w)
	h.note("start #%d %s", w.number, program)
	if n := len(h.alive()); n > h.most {
		h.breach("%d workers live, %d may", n, h.most)
	}
	if h.onStart != nil {
		h.onStart(w)
	}
	return w
}

// Now implements Host.
func (h *fakeHost) Now() float64 {
	h.clock += h.tick
	return h.clock
}

// Later implements Host.
func (h *fakeHost) Later(ms float64, f func()) { h.timers = append(h.timers, timer{h.clock + ms, f}) }

// pass lets time go by.
func (h *fakeHost) pass(ms float64) {
	until := h.clock + ms
	for len(h.timers) > 0 {
		next := slices.MinFunc(h.timers, func(a, b timer) int { return cmp.Compare(a.at, b.at) })
		if next.at > until {
			break
		}
		i := slices.IndexFunc(h.timers, func(t timer) bool { return t.at == next.at })
		next = h.timers[i]
		h.timers = slices.Delete(h.timers, i, i+1)
		h.clock = max(h.clock, next.at)
		next.f()
	}
	h.clock = until
}

// finish notes that a task got its end.
func (h *fakeHost) finish(id int, how string) {
	f := h.tasks[id]
	switch {
	case f == nil:
		h.breach("task %d %s but was never started", id, how)
	case f.stopped:
		h.breach("task %d %s after it was stopped", id, how)
	case f.over:
		h.breach("task %d %s after its end", id, how)
	default:
		f.over, f.waits = how != "spoke", false
	}
}

// Answer implements Host.
func (h *fakeHost) Answer(id int, data []byte, last bool) {
	if last {
		h.note("answer %d %s", id, data)
		h.finish(id, "answered")
	} else {
		h.note("progress %d %s", id, data)
		h.finish(id, "spoke")
	}
	if h.onAnswer != nil {
		h.onAnswer(id, last)
	}
}

// Failed implements Host.
func (h *fakeHost) Failed(id int, text string) {
	h.note("failed %d: %s", id, text)
	h.finish(id, "failed")
	if h.onFailed != nil {
		h.onFailed(id)
	}
}

// Crashed implements Host.
func (h *fakeHost) Crashed(text string) { h.note("crashed: %s", text) }

// Send implements Worker.
func (w *fakeWorker) Send(t *Task, withFiles bool) {
	h := w.host
	if withFiles {
		h.note("send %d to #%d with files", t.ID, w.number)
	} else {
		h.note("send %d to #%d", t.ID, w.number)
	}
	if w.dead || w.ended {
		h.breach("task %d was sent to #%d, which is gone", t.ID, w.number)
	}
	if w.task != nil {
		h.breach("task %d was sent to #%d, which has %d", t.ID, w.number, w.task.ID)
	}
	if w.program != t.Program {
		h.breach("task %d of %s was sent to #%d of %s", t.ID, t.Program, w.number, w.program)
	}
	if h.clock < h.quiet {
		h.breach("task %d was sent at %g, quiet was until %g", t.ID, h.clock, h.quiet)
	}
	if needs := t.Files != 0 && t.Files <= h.number && t.Files != w.files; needs != withFiles {
		h.breach("task %d of files %d was sent to #%d of files %d, %d are open: with files is %v", t.ID, t.Files, w.number, w.files, h.number, withFiles)
	}
	if withFiles {
		w.files = t.Files
	}
	f := h.tasks[t.ID]
	if !f.waits {
		h.breach("task %d was sent and does not wait", t.ID)
	}
	for _, o := range h.tasks {
		before := o.Bulk == f.Bulk && o.started < f.started || !o.Bulk && f.Bulk
		if o.waits && before && o.Program == t.Program {
			h.breach("task %d was sent before %d", t.ID, o.ID)
		}
	}
	f.waits, w.task = false, t
}

// End implements Worker.
func (w *fakeWorker) End() {
	w.host.note("end #%d", w.number)
	if w.ended {
		w.host.breach("#%d was ended twice", w.number)
	}
	if t := w.task; t != nil && !w.dead && !w.host.tasks[t.ID].stopped {
		w.host.breach("#%d was ended and did %d", w.number, t.ID)
	}
	w.ended = true
}

// start starts a task.
func (h *fakeHost) start(t Task) {
	h.started++
	h.tasks[t.ID] = &fate{Task: &t, started: h.started, waits: true}
	h.pool.Start(&t)
}

// stop stops tasks.
func (h *fakeHost) stop(ids ...int) {
	for _, id := range ids {
		if f := h.tasks[id]; f != nil && !f.over {
			f.stopped, f.waits = true, false
		}
	}
	if len(ids) > 0 {
		h.quiet = h.clock + pause
	}
	h.pool.Stop(ids)
}

// raise takes a task out of the bulk; from then on it goes before all that is left there.
func (h *fakeHost) raise(id int) {
	f := h.tasks[id]
	waited, turn := f != nil && f.waits, 0
	if waited {
		turn = f.turn
	}
	h.pool.Raise(id)
	if waited && (f.Bulk || f.turn != turn) {
		h.breach("task %d waited, was raised, and is bulk: %v, at turn %d, was %d", id, f.Bulk, f.turn, turn)
	}
}

func (h *fakeHost) open(number int) {
	h.number = number
	h.pool.OpenFiles(number)
}

// w is the worker with this number.
func (h *fakeHost) w(number int) *fakeWorker { return h.workers[number-1] }

func (w *fakeWorker) ready() {
	w.begun, w.heard = true, true
	w.handle.Ready()
}

// say posts what a worker says about the task it has.
func (w *fakeWorker) say(data string, last bool) {
	id := w.task.ID
	w.begun, w.heard = true, true
	if last {
		w.task = nil
	}
	w.handle.Message(id, []byte(data), last)
}

func (w *fakeWorker) done() { w.say("done", true) }

// crash stops the worker. Its task begins again if the pool cannot know that it
// had begun.
func (w *fakeWorker) crash() {
	w.dead = true
	if w.task != nil {
		if f := w.host.tasks[w.task.ID]; !w.heard && !f.stopped {
			f.waits = true
		}
	}
	w.handle.Stopped("out of memory")
}

// wants checks what the pool did since the last time.
func (h *fakeHost) wants(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(h.log, want) {
		t.Errorf("at %g ms the pool did\n\t%s\nwant\n\t%s", h.clock, strings.Join(h.log, "\n\t"), strings.Join(want, "\n\t"))
	}
	h.log = nil
	h.holds(t)
}

// holds checks that no rule was broken.
func (h *fakeHost) holds(t *testing.T) {
	t.Helper()
	for _, b := range h.broken {
		t.Error(b)
	}
	h.broken = nil
}

// train is a task of the laboratory that most tests use.
func train(id int) Task { return Task{ID: id, Program: "train"} }

func bulk(id int) Task { return Task{ID: id, Program: "train", Bulk: true} }

func of(program string, id int) Task { return Task{ID: id, Program: program} }
