package pool

import "slices"

// A Handle is the pool's view of one worker; the host reports to it. What it
// reports about a worker after its End is ignored.
type Handle struct {
	pool    *Pool
	program string
	worker  Worker // nil while Host.Start is under way
	ready   bool   // it has said something
	used    bool   // it was ready and had a task: the start came to something
	ended   bool
	task    *Task // what it does, nil if nothing
	// outdated is true when nobody waits for the task any more.
	outdated bool
	files    int // number of the set of files it has
	attempt  int // which start in a row of its program it is
	rest     int // the turn when it was last given nothing to do
}

// idle reports whether the worker can be given a task.
func (w *Handle) idle() bool { return w.worker != nil && w.task == nil }

// do gives the worker a task.
func (w *Handle) do(t *Task) {
	w.task, w.outdated = t, false
	w.prove()
	withFiles := t.Files != 0 && t.Files <= w.pool.number && t.Files != w.files
	if withFiles {
		w.files = t.Files
	}
	w.worker.Send(t, withFiles)
}

// prove notes the first time that a ready worker has a task.
func (w *Handle) prove() {
	if !w.used && w.ready && w.task != nil {
		w.used = true
		w.pool.failures[w.program] = 0
	}
}

// hurry replaces the worker if its outdated task takes too long. While it loads
// it is left alone: a new one would have to load as well, and somebody who types
// on would keep it from ever being ready.
func (w *Handle) hurry() {
	if !w.ready {
		return
	}
	t := w.task
	w.pool.host.Later(patience, func() {
		if p := w.pool; !w.ended && w.task == t {
			places := len(p.workers)
			p.end(w)
			p.refill(w.program, places)
		}
	})
}

// hear notes that the program runs.
func (w *Handle) hear() {
	if w.ready || w.ended {
		return
	}
	w.ready = true
	w.prove()
	if w.outdated {
		w.hurry()
	}
	w.pool.look() // there may be hope again for others of the program
}

// Ready says that the program runs. A message says so too, so this may come
// late or never.
func (w *Handle) Ready() { w.hear() }

// Message is what the worker says about the task with this ID, or with 0 about
// the task it has, when it could not read it. Last says that it is done with it.
func (w *Handle) Message(id int, data []byte, last bool) {
	w.hear()
	t, p := w.task, w.pool
	if w.ended || t == nil || id != t.ID && id != 0 {
		return
	}
	outdated := w.outdated
	if last {
		p.turns++
		w.task, w.outdated, w.rest = nil, false, p.turns
	}
	if !outdated {
		p.host.Answer(t.ID, data, last)
	}
	if last {
		p.look()
	}
}

// Stopped says that the worker is no more, or of no use, and why. Its task
// fails, unless it cannot have begun: then another worker does it.
func (w *Handle) Stopped(reason string) {
	if w.ended {
		return
	}
	p, t := w.pool, w.task
	places := len(p.workers)
	p.end(w)
	if w.used {
		p.failures[w.program] = 0
	} else {
		p.failures[w.program] = max(p.failures[w.program], w.attempt)
	}
	if t != nil && !w.ready && !w.outdated {
		p.enqueue(t)
	}
	text := "A worker stopped unexpectedly (" + reason + ")"
	if p.failures[w.program] >= mostFailures && p.count(w.program) == 0 {
		text += " and cannot be started again. Reload the page."
		p.failAll(w.program, text)
		p.host.Crashed(text)
		p.look()
		return
	}
	fate := " It was replaced"
	if !p.mayStart(w.program) {
		fate = " Others do its work"
	}
	switch {
	case w.outdated:
	case t == nil:
		p.host.Crashed(text + " while it had nothing to do." + fate + "; nothing is lost.")
	case !w.ready:
		p.host.Crashed(text + " before it began its run." + fate + "; nothing is lost.")
	default:
		p.host.Failed(t.ID, text+" during this run and was replaced. Run again; if it happens again the workload may be too large for a browser tab's memory.")
		p.host.Crashed(text + "." + fate + ".")
	}
	p.refill(w.program, places)
}

// failAll ends the program's tasks that wait now.
func (p *Pool) failAll(program, text string) {
	newest := p.turns
	for {
		i := slices.IndexFunc(p.queue, func(t *Task) bool { return t.Program == program && t.turn <= newest })
		if i < 0 {
			return
		}
		id := p.queue[i].ID
		p.queue = slices.Delete(p.queue, i, i+1)
		p.host.Failed(id, text)
	}
}
