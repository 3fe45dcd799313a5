package main

import (
	"fmt"
	"syscall/js"

	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/pool"
	"spillway/ui/wire"
	"spillway/wasm/browser"
)

// What the session asks of the page: session.Host. The pool does the work.

// whole ends the names of programs that do whole jobs, as build/site names them.
const whole = "-files"

// Start implements session.Host.
func (p *page) Start(j *exec.Job, priority calls.Priority) {
	p.jobs[j.ID] = true
	text, err := wire.Marshal(j)
	if err != nil {
		id := j.ID
		p.inbox.put(func() {
			p.answer(&exec.Answer{ID: id, Last: true, Error: fmt.Sprintf("the job cannot be sent: %v", err)})
		})
		return
	}
	program := j.Lab
	if j.Whole() && p.lean[j.Lab] {
		program += whole
	}
	p.pool.Start(&pool.Task{ID: j.ID, Program: program, Text: text, Files: j.Files, Bulk: priority == calls.Behind})
}

// Raise implements session.Host.
func (p *page) Raise(id int, _ calls.Priority) { p.pool.Raise(id) }

// Stop implements session.Host.
func (p *page) Stop(ids []int) {
	for _, id := range ids {
		delete(p.jobs, id)
	}
	p.pool.Stop(ids)
}

// Stored implements session.Host.
func (p *page) Stored(name string) string { return p.tools.Call("stored", name).String() }

// Store implements session.Host.
func (p *page) Store(name, text string) bool { return p.tools.Call("store", name, text).Bool() }

// Fetch implements session.Host.
func (p *page) Fetch(name string) {
	go func() {
		info := &lab.Info{Name: name}
		data, err := fetch(name + ".info")
		if err == nil {
			err = wire.Unmarshal(data, info)
		}
		p.inbox.put(func() {
			p.changed = true
			if err != nil {
				p.session.Enter(&lab.Info{Name: name}, err.Error())
				return
			}
			p.session.Enter(info, "")
		})
	}()
}

// answer tells the session. While more results may come in a moment, what is
// shown stands: drawing each by itself takes longer than all of them.
func (p *page) answer(a *exec.Answer) {
	if a.Last {
		delete(p.jobs, a.ID)
	}
	p.condense(a)
	if p.session.Answer(a) && (p.session.Laboratory == nil || !p.session.Laboratory.Runs.Brewing()) {
		p.changed = true
	}
	if r := p.session.Laboratory; a.Last && len(p.jobs) == 0 && r != nil {
		r.Runs.Idle()
	}
}

// condense keeps what a worker found in opened files, so that no other has to read
// them: it is that set from now on, or a set of its own.
func (p *page) condense(a *exec.Answer) {
	if len(a.Condensed) == 0 {
		return
	}
	opened := p.sets[a.Of]
	var list []any
	for _, f := range a.Condensed {
		blob := js.Global().Get("Blob").New([]any{browser.Array(f.Data)})
		list = append(list, map[string]any{"name": f.Name, "file": blob})
	}
	if a.Along && opened.Truthy() {
		for i := range opened.Length() {
			f := opened.Index(i)
			list = append(list, map[string]any{"name": f.Get("name"), "file": f.Get("file"), "unread": true})
		}
	}
	p.condensed[a.Set], p.sets[a.Set] = js.ValueOf(list), opened
	p.pool.OpenFiles(a.Set)
}

// lent are the files of a set as workers get them.
func (p *page) lent(set int) js.Value {
	if files, ok := p.condensed[set]; ok {
		return files
	}
	return p.sets[set]
}

// A host makes the workers of the page's pool.
type host struct{ *page }

// Start implements pool.Host.
func (h host) Start(program string, handle *pool.Handle) pool.Worker {
	w := &worker{page: h.page}
	w.hear = js.FuncOf(func(_ js.Value, args []js.Value) any {
		data := args[0]
		h.inbox.put(func() { w.heard(handle, data) })
		return nil
	})
	w.made = boot().Call("startWorker", program, w.hear)
	mark("worker-started")
	return w
}

// Now implements pool.Host.
func (h host) Now() float64 { return js.Global().Get("performance").Call("now").Float() }

// Later implements pool.Host.
func (h host) Later(ms float64, f func()) { after(ms, func() { h.inbox.put(f) }) }

// Answer implements pool.Host.
func (h host) Answer(id int, data []byte, last bool) {
	var a exec.Answer
	if err := wire.Unmarshal(data, &a); err != nil {
		a = exec.Answer{ID: id, Last: true, Error: fmt.Sprintf("the worker's answer cannot be read: %v", err)}
	}
	first := last && !h.answered
	if first {
		h.answered = true
		mark("first-answer")
	}
	h.answer(&a)
	if first && h.frame.drawn() {
		js.Global().Get("charts").Call("first")
	}
}

// Failed implements pool.Host.
func (h host) Failed(id int, text string) { h.answer(&exec.Answer{ID: id, Last: true, Error: text}) }

// Crashed implements pool.Host.
func (h host) Crashed(text string) {
	h.session.Notice = text
	h.changed = true
}

// A worker is one Web Worker.
type worker struct {
	page *page
	made js.Value // Made in boot.js
	hear js.Func
}

// heard passes on what the worker says.
func (w *worker) heard(handle *pool.Handle, data js.Value) {
	switch answer := data.Get("answer"); {
	case answer.Truthy():
		handle.Message(data.Get("id").Int(), browser.Bytes(answer), data.Get("last").Bool())
	case data.Get("ready").Truthy():
		handle.Ready()
	case data.Get("stopped").Truthy():
		handle.Stopped(data.Get("reason").String())
	}
}

// Send implements pool.Worker.
func (w *worker) Send(t *pool.Task, withFiles bool) {
	job := browser.Array(t.Text)
	message := map[string]any{"id": t.ID, "job": job}
	if withFiles {
		message["files"] = w.page.lent(t.Files)
	}
	w.made.Get("worker").Call("postMessage", message, []any{job.Get("buffer")})
}

// End implements pool.Worker.
func (w *worker) End() {
	w.made.Call("end")
	// Not now: it may be what is running.
	after(0, w.hear.Release)
}

// after calls f once, some milliseconds from now.
func after(ms float64, f func()) {
	var fn js.Func
	fn = js.FuncOf(func(js.Value, []js.Value) any {
		fn.Release()
		f()
		return nil
	})
	js.Global().Call("setTimeout", fn, ms)
}
