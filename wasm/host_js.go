package main

import (
	"fmt"
	"strings"
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

// filesProgram is the one that reads files.
const filesProgram = "files"

// Start implements session.Host.
func (p *page) Start(j *exec.Job, priority calls.Priority) {
	p.jobs[j.ID] = true
	if j.Kind == exec.Open {
		p.opening[j.ID] = j.Files
	}
	text, err := wire.Marshal(j)
	if err != nil {
		id := j.ID
		p.inbox.put(func() {
			p.answer(&exec.Answer{ID: id, Last: true, Error: fmt.Sprintf("the job cannot be sent: %v", err)})
		})
		return
	}
	program := j.Lab
	switch {
	case j.Kind == exec.Open:
		program = filesProgram
	case p.lean[j.Lab] && j.Whole(p.handed[j.Files][j.Lab].Truthy()):
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
	if opened := p.opening[a.ID]; a.Last && opened != 0 {
		p.hand(opened, a.Takers)
		delete(p.opening, a.ID)
	}
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

// hand keeps what was found in a set for each laboratory that takes it.
func (p *page) hand(set int, takers []exec.Taker) {
	for i := range takers {
		t := &takers[i]
		if len(t.Handed) == 0 {
			continue
		}
		if p.handed[set] == nil {
			p.handed[set] = map[string]js.Value{}
		}
		p.handed[set][t.Lab] = js.Global().Get("Blob").New([]any{browser.Array(t.Handed)})
	}
}

// lent are the files of a set as a program gets them: what was found in them, before
// them where the program is one that writes bundles.
func (p *page) lent(set int, program string) js.Value {
	if files, ok := p.condensed[set]; ok && program != filesProgram {
		return files
	}
	name, isWhole := strings.CutSuffix(program, whole)
	found := p.handed[set][name]
	if !found.Truthy() {
		return p.sets[set]
	}
	list := []any{map[string]any{"name": "", "file": found, "held": true}}
	if opened := p.sets[set]; opened.Truthy() && (isWhole || !p.lean[name]) {
		for i := range opened.Length() {
			list = append(list, opened.Index(i))
		}
	}
	return js.ValueOf(list)
}

// A host makes the workers of the page's pool.
type host struct{ *page }

// Start implements pool.Host.
func (h host) Start(program string, handle *pool.Handle) pool.Worker {
	w := &worker{page: h.page, program: program}
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
	page    *page
	program string
	made    js.Value // Made in boot.js
	hear    js.Func
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
		message["files"] = w.page.lent(t.Files, w.program)
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
