package main

import (
	"fmt"
	"syscall/js"

	"spillway/traces"
	"spillway/traces/jsonx"
	"spillway/ui/job"
)

// runWorker does one job after another, for ever. A message holds the job as
// JSON text and, when the worker does not have them yet, the opened files.
func runWorker() {
	self := js.Global()
	jobs := make(chan js.Value, 16)
	self.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		jobs <- args[0].Get("data")
		return nil
	}))
	self.Call("postMessage", map[string]any{"ready": true})
	early := self.Get("early")
	for i := range early.Length() {
		if data := early.Index(i); data.Get("job").Truthy() {
			jobs <- data
		}
	}
	b := &job.Bench{}
	for data := range jobs {
		var j job.Job
		if err := jsonx.Unmarshal([]byte(data.Get("job").String()), &j); err != nil {
			post(job.Answer{Last: true, Error: fmt.Sprintf("the worker did not understand its job: %v", err)})
			continue
		}
		if files := data.Get("files"); files.Truthy() {
			if err := hand(b, j.Source.Files, files); err != nil {
				post(job.Answer{ID: j.ID, Last: true, Error: err.Error()})
				continue
			}
		}
		post(b.Do(j, progress(&j)))
	}
}

// hand reads the files and gives them to the bench.
func hand(b *job.Bench, number int, files js.Value) error {
	var read []traces.File
	for i := range files.Length() {
		f := files.Index(i)
		name := f.Get("name").String()
		buffer, err := await(f.Get("file").Call("arrayBuffer"))
		if err != nil {
			return fmt.Errorf("%s cannot be read: %w. If it changed or moved since it was opened, open it again", name, err)
		}
		bytes := js.Global().Get("Uint8Array").New(buffer)
		data := make([]byte, bytes.Length())
		js.CopyBytesToGo(data, bytes)
		read = append(read, traces.File{Name: name, Data: data})
	}
	b.Open(number, read)
	return nil
}

// progress returns a function that tells the page now and then how far the job
// is: less often when the job is one of hundreds, because the page draws each time.
func progress(j *job.Job) func(done, total int) {
	pause := 120.0 // ms
	if j.Study != "" {
		pause = 600
	}
	id := j.ID
	clock := js.Global().Get("performance")
	next := clock.Call("now").Float() + pause/4
	return func(done, total int) {
		if now := clock.Call("now").Float(); now >= next {
			next = now + pause
			post(job.Answer{ID: id, Done: done, Total: total})
		}
	}
}

// post sends an answer to the page.
func post(a job.Answer) {
	text, err := jsonx.Marshal(a)
	if err != nil {
		text, _ = jsonx.Marshal(job.Answer{ID: a.ID, Last: true, Error: fmt.Sprintf("the result cannot be sent: %v", err)})
	}
	js.Global().Call("postMessage", map[string]any{"answer": string(text)})
}
