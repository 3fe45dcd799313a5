package job

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"spillway/sim"
	"spillway/sim/result"
	"spillway/sim/workload"
)

// A Bench does jobs one at a time and keeps the workload of the last one.
type Bench struct {
	loaded   Source
	workload *workload.Workload

	number int // of the files at hand
	files  []File
}

// Open gives b a set of files under a number, instead of the one it had.
func (b *Bench) Open(number int, files []File) { b.number, b.files = number, files }

// Do does j. progress may be nil; it is told now and then how much of a run is
// done. A bug that makes the simulator panic becomes the answer's error.
func (b *Bench) Do(j Job, progress func(done, total int)) (a Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = Answer{ID: j.ID, Last: true, Error: fmt.Sprintf("the simulator has a bug: %v (%s)", p, place())}
		}
	}()
	a = Answer{ID: j.ID, Last: true}
	if err := b.do(j, progress, &a); err != nil {
		a.Error = err.Error()
	}
	return a
}

func (b *Bench) do(j Job, progress func(done, total int), a *Answer) error {
	if j.Run == nil {
		return errors.New("files cannot be opened yet")
	}
	w, err := b.load(j.Source)
	if err != nil {
		return err
	}
	r, err := sim.Run(w, *j.Run, progress)
	if err != nil {
		return err
	}
	a.Result, a.Summary = r, summarize(w)
	if j.Hash {
		a.Hash, err = Hash(r)
	}
	return err
}

// load returns the workload of s, the one at hand when it is the same.
func (b *Bench) load(s Source) (*workload.Workload, error) {
	if b.workload != nil && b.loaded == s {
		return b.workload, nil
	}
	w, err := b.build(s)
	if err != nil {
		return nil, err
	}
	b.loaded, b.workload = s, w
	return w, nil
}

func (b *Bench) build(s Source) (*workload.Workload, error) {
	return stub(s), nil
}

func summarize(w *workload.Workload) *Summary {
	return &Summary{
		Name: w.Name, Model: w.Model, Origin: w.Origin, Batch: w.Batch, Times: w.Times,
		Kernels: len(w.Kernels), Tensors: len(w.Tensors),
		Global: w.GlobalBytes(), Intermediate: w.IntermediateBytes(),
	}
}

// Hash returns the SHA-256 of r's JSON text, in hexadecimal. Equal results have
// equal hashes on every platform.
func Hash(r *result.Result) (string, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// place returns the function and line where the running panic began.
func place() string {
	_, after, _ := strings.Cut(string(debug.Stack()), "panic(")
	lines := strings.Split(after, "\n")
	for i := 2; i+1 < len(lines); i += 2 {
		if name := lines[i]; !strings.HasPrefix(name, "runtime.") && strings.Contains(name, "spillway/") {
			file := strings.TrimSpace(lines[i+1])
			return file[strings.LastIndex(file, "/")+1:]
		}
	}
	return "place unknown"
}
