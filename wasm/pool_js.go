package main

import (
	"fmt"
	"slices"
	"syscall/js"

	"spillway/traces/jsonx"
	"spillway/ui/job"
)

// A pool is the page's workers and the jobs that wait for them. All its
// methods run on the page's one thread; none of them blocks.
type pool struct {
	module  js.Value // the compiled program, shared by all workers
	workers []*worker
	queue   []job.Job
	files   js.Value // of the newest set that was opened
	number  int      // of that set
	answer  func(job.Answer)
	// quiet is when the queue may be looked at again: while somebody types,
	// each keystroke outdates the jobs of the last one.
	quiet   float64
	waiting bool // a timer will look at the queue
	most    int  // workers, when there is much to do
	// answered is true when a job was done.
	answered bool
}

// A worker is one Web Worker.
type worker struct {
	pool     *pool
	js       js.Value
	funcs    []js.Func
	ready    bool
	begun    bool // has the program: boot.js gave it
	job      int  // the job it does, 0 if none
	stopped  bool
	files    int // number of the set of files it has
	failures int // starts in a row that came to nothing
}

const (
	mostWorkers = 4
	// patience is how long an outdated job may go on before its worker is
	// replaced; most are done by then, and a new worker has to load again.
	patience = 40
	// pause is how long the pool waits for more keystrokes.
	pause = 90
	// longQueue is how many jobs may wait before the pool grows.
	longQueue = 8
	// mostFailures is how often a worker may fail to start.
	mostFailures = 3
)

// newPool creates the workers; begin makes them work.
func newPool(module js.Value, answer func(job.Answer)) *pool {
	p := &pool{module: module, answer: answer}
	n := 1
	if c := js.Global().Get("navigator").Get("hardwareConcurrency"); c.Type() == js.TypeNumber {
		n = max(min(c.Int()-1, mostWorkers), 1) // one core is the page's
		p.most = min(c.Int(), mostWorkers)
	}
	for range n {
		w := &worker{pool: p}
		p.workers = append(p.workers, w)
		w.create()
	}
	return p
}

// begin gives every worker the program and a job.
func (p *pool) begin() {
	for _, w := range p.workers {
		w.begin()
	}
}

func now() float64 { return js.Global().Get("performance").Call("now").Float() }

// later calls f once after some milliseconds.
func later(ms float64, f func()) {
	var fn js.Func
	fn = js.FuncOf(func(js.Value, []js.Value) any {
		fn.Release()
		f()
		return nil
	})
	js.Global().Call("setTimeout", fn, ms)
}

// Start implements model.Runner.
func (p *pool) Start(j job.Job) {
	p.queue = append(p.queue, j)
	// Where much is to be done, the page has little to do meanwhile.
	if (j.Study != "" || len(p.queue) > longQueue) && len(p.workers) < p.most {
		w := &worker{pool: p}
		p.workers = append(p.workers, w)
		w.create()
		w.begin()
	}
	p.look()
}

// Stop implements model.Runner.
func (p *pool) Stop(ids []int) {
	p.queue = slices.DeleteFunc(p.queue, func(j job.Job) bool { return slices.Contains(ids, j.ID) })
	p.quiet = now() + pause
	for _, w := range p.workers {
		if w.job == 0 || !slices.Contains(ids, w.job) {
			continue
		}
		id := w.job
		w.stopped = true
		later(patience, func() {
			if w.stopped && w.job == id {
				w.restart()
			}
		})
	}
}

// open takes a new set of files.
func (p *pool) open(number int, files js.Value) { p.number, p.files = number, files }

// look gives jobs to idle workers, now or when it has been quiet long enough.
func (p *pool) look() {
	if p.waiting {
		return
	}
	if wait := p.quiet - now(); wait > 0 {
		p.waiting = true
		later(wait, func() {
			p.waiting = false
			p.look()
		})
		return
	}
	for _, w := range p.workers {
		if len(p.queue) == 0 {
			return
		}
		if w.ready && w.job == 0 {
			j := p.queue[0]
			p.queue = slices.Delete(p.queue, 0, 1)
			w.do(j)
		}
	}
}

// create makes a new Web Worker, which begins to load.
func (w *worker) create() {
	w.ready, w.job, w.stopped, w.files = false, 0, false, 0
	w.js = js.Global().Get("firstWorker")
	if w.begun = w.js.Truthy(); w.begun {
		js.Global().Set("firstWorker", js.Undefined())
	} else {
		w.js = js.Global().Get("Worker").New("worker.js")
	}
	w.on("onmessage", func(e js.Value) { w.message(e.Get("data")) })
	w.on("onerror", func(e js.Value) {
		e.Call("preventDefault")
		w.crashed(e.Get("message").String())
	})
}

// begin gives the worker the program, and the next job with it: it can start
// on that before the page is free to hear that it is ready.
func (w *worker) begin() {
	message := map[string]any{}
	if !w.begun {
		message["module"] = w.pool.module
	}
	if p := w.pool; len(p.queue) > 0 && now() >= p.quiet {
		j := p.queue[0]
		p.queue = slices.Delete(p.queue, 0, 1)
		w.take(j, message)
	}
	if len(message) > 0 {
		w.js.Call("postMessage", message)
	}
}

func (w *worker) on(event string, f func(js.Value)) {
	fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	})
	w.funcs = append(w.funcs, fn)
	w.js.Set(event, fn)
}

// end terminates the Web Worker.
func (w *worker) end() {
	w.js.Set("onmessage", js.Null())
	w.js.Set("onerror", js.Null())
	w.js.Call("terminate")
	old := w.funcs
	w.funcs = nil
	// Not now: one of them may be running.
	later(0, func() {
		for _, f := range old {
			f.Release()
		}
	})
}

func (w *worker) restart() {
	w.end()
	w.create()
	w.begin()
}

// do sends a job to the worker.
func (w *worker) do(j job.Job) {
	message := map[string]any{}
	w.take(j, message)
	w.js.Call("postMessage", message)
}

// take writes a job into a message to the worker.
func (w *worker) take(j job.Job, message map[string]any) {
	text, err := jsonx.Marshal(j)
	if err != nil {
		w.pool.answer(job.Answer{ID: j.ID, Last: true, Error: fmt.Sprintf("the job cannot be sent: %v", err)})
		return
	}
	w.job, w.stopped = j.ID, false
	message["job"] = string(text)
	if n := j.Source.Files; n != 0 && n == w.pool.number && n != w.files {
		message["files"], w.files = w.pool.files, n
	}
}

// message takes what the worker says.
func (w *worker) message(data js.Value) {
	switch {
	case data.Get("ready").Truthy():
		w.ready, w.failures = true, 0
		w.pool.look()
	case data.Get("stopped").Truthy():
		w.crashed("the program in the worker ended")
	case data.Get("answer").Truthy():
		var a job.Answer
		if err := jsonx.Unmarshal([]byte(data.Get("answer").String()), &a); err != nil {
			a = job.Answer{ID: w.job, Last: true, Error: fmt.Sprintf("the worker's answer cannot be read: %v", err)}
		}
		if a.Last && !w.pool.answered {
			w.pool.answered = true
			mark("first-answer")
		}
		outdated := w.stopped
		if a.Last {
			w.job, w.stopped = 0, false
		}
		if !outdated {
			w.pool.answer(a)
		}
		if a.Last {
			w.pool.look()
		}
	}
}

// crashed replaces the worker and says so.
func (w *worker) crashed(why string) {
	id, outdated := w.job, w.stopped
	w.end()
	w.failures++
	if w.failures < mostFailures {
		w.create()
		w.begin()
	} else {
		w.pool.workers = slices.DeleteFunc(w.pool.workers, func(x *worker) bool { return x == w })
	}
	text := "A worker stopped unexpectedly (" + why + ")"
	if len(w.pool.workers) == 0 {
		for _, j := range w.pool.queue {
			w.pool.answer(job.Answer{ID: j.ID, Last: true, Error: text + " and cannot be started again. Reload the page."})
		}
		w.pool.queue = nil
	}
	switch {
	case outdated:
	case id == 0:
		w.pool.answer(job.Answer{Crash: text + " while it had nothing to do. It was replaced; nothing is lost."})
	default:
		w.pool.answer(job.Answer{
			ID: id, Last: true, Crash: text + ". It was replaced.",
			Error: text + " during this run and was replaced. Run again; if it happens again the workload may be too large for a browser tab's memory.",
		})
	}
	w.pool.look()
}
