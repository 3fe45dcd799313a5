package main

import (
	"fmt"
	"slices"
	"strconv"
	"syscall/js"
	"time"

	"spillway/sim/study"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	ready "spillway/ui/model/question"
	"spillway/ui/pool"
	"spillway/ui/wire"
	"spillway/wasm/browser"
)

// What the session asks of the page: session.Host. The pool does the work.

// filesProgram is the one that reads files.
const filesProgram = "files"

// Start implements session.Host.
func (p *page) Start(j *exec.Job, priority calls.Priority) {
	p.jobs[j.ID] = asked{j.Kind, j.Lab, j.Files, j.Joins}
	if a := exec.Recall(p.known[j.Lab], j); a != nil {
		p.inbox.put(func() {
			if _, wanted := p.jobs[a.ID]; wanted {
				p.answer(a)
			}
		})
		return
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
	if j.Kind.OfFiles() {
		program = filesProgram
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
func (p *page) Fetch(name string, opening bool) {
	go func() {
		known := make(chan []exec.Known, 1)
		go func() { known <- knownOf(name, opening || !linked()) }()
		info := &lab.Info{Name: name}
		data, err := fetch(name + ".info")
		if err == nil {
			err = wire.Unmarshal(data, info)
		}
		answers := <-known
		p.inbox.put(func() {
			p.changed = true
			if err != nil {
				p.session.Enter(&lab.Info{Name: name}, err.Error())
				return
			}
			p.known[name] = answers
			p.session.Enter(info, "")
		})
	}()
}

// Recorded implements session.Host. Where nothing comes, runs are made before there is something
// to show.
func (p *page) Recorded(name string) {
	go func() {
		data, err := fetch("papers-" + name + ".info")
		var list []study.Recording
		if err == nil {
			err = wire.Unmarshal(data, &list)
		}
		if err == nil {
			p.inbox.put(func() {
				p.changed = true
				p.session.Ship(name, list)
			})
		}
	}()
}

// Answered implements session.Host. Where nothing comes the questions stand without answers.
func (p *page) Answered(name string) {
	go func() {
		data, err := fetch("cards-" + name + ".info")
		var list []ready.Card
		if err == nil {
			err = wire.Unmarshal(data, &list)
		}
		if err == nil {
			p.inbox.put(func() {
				p.changed = true
				p.session.ShipCards(name, list)
			})
		}
	}()
}

// linked reports whether the address is about something else than what the page opens on.
func linked() bool {
	return js.Global().Get("document").Get("documentElement").Get("dataset").Get("linked").Type() == js.TypeString
}

// knownOf returns the answers that the site came with for what a laboratory opens on; none
// if that is not wanted, or if they do not come: then they are computed.
func knownOf(name string, wanted bool) (known []exec.Known) {
	if !wanted {
		return nil
	}
	data, err := fetch("first-" + name + ".info")
	if err == nil {
		err = wire.Unmarshal(data, &known)
	}
	if err != nil {
		return nil
	}
	return known
}

// answer tells the session. While more results may come in a moment, what is
// shown stands: drawing each by itself takes longer than all of them.
func (p *page) answer(a *exec.Answer) {
	if a.Last {
		p.keep(p.jobs[a.ID], a)
		delete(p.jobs, a.ID)
	}
	// How far something is changes little of the page, and drawing it costs as much as a result.
	due := a.Last || time.Since(p.drawn) >= progressBreath
	if p.session.Answer(a) && due && (p.session.Laboratory == nil || !p.session.Laboratory.Runs.Settling()) {
		p.changed = true
	}
	if r := p.session.Laboratory; a.Last && len(p.jobs) == 0 && r != nil {
		r.Runs.Idle()
	}
}

// An asked is what a job that is under way is about.
type asked struct {
	kind  exec.Kind
	lab   string
	files int
	joins int // of Open: so many of the files were open before
}

// A found is what stands for a set of files in a laboratory.
type found struct {
	message js.Value // a Blob
	along   bool     // the files follow, unread
}

// keep keeps what was found in files, so that no other worker has to read them, and files
// that were made.
func (p *page) keep(j asked, a *exec.Answer) {
	switch j.kind {
	case exec.Open:
		if set := p.sets[j.files]; j.joins > 0 && !a.Joined {
			p.sets[j.files] = set.Call("slice", j.joins)
		}
		p.hand(j.files, a.Takers)
	case exec.Pack:
		if len(a.Packed) == 0 {
			return
		}
		var list []any
		for _, f := range a.Packed {
			list = append(list, map[string]any{"name": f.Name, "file": blob(f.Data)})
		}
		p.sets[a.Set] = js.ValueOf(list)
		p.hand(a.Set, a.Takers)
		p.pool.OpenFiles(a.Set)
	case exec.List, exec.Join:
		if len(a.Handed) == 0 {
			return
		}
		before := p.handed[a.Of][j.lab]
		p.sets[a.Set] = p.sets[a.Of]
		p.stand(a.Set, j.lab, found{blob(lab.Handed(a.Handed).Data), before.along})
		p.pool.OpenFiles(a.Set)
	}
}

// blob is bytes as a file that nobody else can change.
func blob(data []byte) js.Value {
	return js.Global().Get("Blob").New([]any{browser.Array(data)})
}

// behind are files, called names, as a list behind those of a set that have other names.
func (p *page) behind(set int, names []string, files js.Value) js.Value {
	list := js.Global().Get("Array").New()
	if opened := p.sets[set]; set != 0 && opened.Truthy() {
		for i := range opened.Length() {
			if one := opened.Index(i); !slices.Contains(names, one.Get("name").String()) {
				list.Call("push", one)
			}
		}
	}
	return list.Call("concat", files)
}

// hand keeps what was found in a set for each laboratory that takes it.
func (p *page) hand(set int, takers []exec.Taker) {
	for i := range takers {
		p.stand(set, takers[i].Lab, found{blob(takers[i].Handed), takers[i].Along})
	}
}

// stand has something stand for a set in a laboratory.
func (p *page) stand(set int, name string, f found) {
	if p.handed[set] == nil {
		p.handed[set] = map[string]found{}
	}
	p.handed[set][name] = f
}

// lent are the files of a set as a program gets them: the files themselves where they are
// read, else what was found in them.
func (p *page) lent(set int, program string) js.Value {
	f, ok := p.handed[set][program]
	if !ok {
		return p.sets[set]
	}
	list := []any{map[string]any{"name": "", "file": f.message, "held": true}}
	if opened := p.sets[set]; f.along && opened.Truthy() {
		for i := range opened.Length() {
			one := opened.Index(i)
			list = append(list, map[string]any{"name": one.Get("name"), "file": one.Get("file"), "unread": true})
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
	if last && !h.answered {
		h.answered = true
		mark("first-answer")
	}
	h.answer(&a)
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
		w.page.lay(data)
		handle.Message(data.Get("id").Int(), browser.Bytes(answer), data.Get("last").Bool())
	case data.Get("ready").Truthy():
		handle.Ready()
	case data.Get("stopped").Truthy():
		handle.Stopped(data.Get("reason").String())
	}
}

// lay keeps the columns that come with an answer for the view that draws them.
func (p *page) lay(data js.Value) {
	id, columns := data.Get("id").Int(), data.Get("columns")
	if _, wanted := p.jobs[id]; wanted && columns.Truthy() {
		p.tools.Get("columns").Set(strconv.Itoa(id), columns)
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
