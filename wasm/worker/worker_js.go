// Package worker is a laboratory's program: it runs in a Web Worker and does one
// job after another. build/site makes one program of it for each laboratory, and for
// the single HTML file one of all.
//
// The page posts {id, job, files?}: the number of the job, the job as package
// wire writes it, and the opened files if the worker lacks them, each {name,
// file}. The worker posts {ready} once and {id, last, answer, columns?} about a job: the
// answer as package wire writes it, and what package columns wrote.
package worker

import (
	"fmt"
	"runtime/debug"
	"syscall/js"

	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/wire"
	"spillway/wasm/browser"
)

// usual is how much memory a worker has before its collector hurries: short jobs
// on a small heap need to collect less often, but a tab never gives memory back.
const usual = 72 << 20

// A Desk does the jobs of the program that reads files (exec.Kind.OfFiles): package files
// has it.
type Desk interface {
	Open(number int, files []lab.File)
	Do(*exec.Job, lab.Progress) exec.Answer
}

// Run does the jobs of the laboratories for ever, and those of the program that reads
// files if desk is not nil.
func Run(desk Desk, labs ...lab.Lab) {
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(usual)
	messages := listen()
	benches := map[string]*exec.Executor{}
	for _, l := range labs {
		benches[l.Name] = &exec.Executor{Lab: l}
	}
	for {
		do(desk, benches, messages())
	}
}

// listen says that the program is there, and returns a function that waits for
// the next message. Those that came before the program are in self.early.
func listen() func() js.Value {
	var queue []js.Value
	wake := make(chan struct{}, 1)
	self := js.Global()
	self.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		queue = append(queue, args[0].Get("data"))
		select {
		case wake <- struct{}{}:
		default:
		}
		return nil
	}))
	early := self.Get("early")
	for i := range early.Length() {
		queue = append(queue, early.Index(i))
	}
	self.Call("postMessage", map[string]any{"ready": true})
	return func() js.Value {
		for len(queue) == 0 {
			<-wake
		}
		first := queue[0]
		queue = queue[1:]
		return first
	}
}

// do answers one message.
func do(desk Desk, benches map[string]*exec.Executor, message js.Value) {
	id := message.Get("id").Int()
	fail := func(err error) { post(id, &exec.Answer{ID: id, Last: true, Error: err.Error()}) }
	var j exec.Job
	if err := wire.Unmarshal(browser.Bytes(message.Get("job")), &j); err != nil {
		fail(fmt.Errorf("the worker did not understand its job: %w", err))
		return
	}
	var list []lab.File
	files := message.Get("files")
	if files.Truthy() {
		var err error
		if list, err = read(files); err != nil {
			fail(err)
			return
		}
	}
	b := benches[j.Lab]
	switch {
	case j.Kind.OfFiles() && desk != nil:
		if files.Truthy() {
			desk.Open(j.Files, list)
		}
		a := desk.Do(&j, progress(&j))
		post(id, &a)
		return
	case b == nil:
		fail(fmt.Errorf("this program has no laboratory %q", j.Lab))
		return
	case files.Truthy():
		b.Open(j.Files, list)
	}
	a := b.Do(&j, progress(&j))
	post(id, &a)
}

// progress returns a function that tells the page now and then how far the job
// is: less often when the job is one of hundreds, because the page draws each time.
func progress(j *exec.Job) lab.Progress {
	pause := 120.0 // ms
	if j.Kind == exec.Measure {
		pause = 600
	}
	id := j.ID
	clock := js.Global().Get("performance")
	next := clock.Call("now").Float() + pause/4
	return func(done, total int) {
		if now := clock.Call("now").Float(); now >= next {
			next = now + pause
			post(id, &exec.Answer{ID: id, Done: done, Total: total})
		}
	}
}

// post sends an answer to the page. Columns go beside it as they are.
func post(id int, a *exec.Answer) {
	columns := a.Columns
	a.Columns = nil
	data, err := wire.Marshal(a)
	if err != nil {
		a = &exec.Answer{ID: id, Last: true, Error: fmt.Sprintf("the result cannot be sent: %v", err)}
		data, _ = wire.Marshal(a) // numbers and texts only
	}
	array := browser.Array(data)
	message, handed := map[string]any{"id": id, "last": a.Last, "answer": array}, []any{array.Get("buffer")}
	if len(columns) > 0 {
		buffer := browser.Array(columns).Get("buffer")
		message["columns"], handed = buffer, append(handed, buffer)
	}
	js.Global().Call("postMessage", message, handed)
}
