package job

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/workload"
	"spillway/traces"
	"spillway/traces/g10"
	"spillway/traces/zoo"
)

// A Bench does jobs one at a time and keeps the workload of the last one.
type Bench struct {
	loaded   Source
	workload *workload.Workload

	number int // of the files at hand
	files  []traces.File
	source *traces.Source // what they hold, nil until needed
	err    error          // why it could not be opened
}

// Open gives b a set of files under a number, instead of the one it had.
func (b *Bench) Open(number int, files []traces.File) {
	b.number, b.files, b.source, b.err = number, files, nil, nil
}

// open returns what the files with this number hold.
func (b *Bench) open(number int) (*traces.Source, error) {
	if number != b.number {
		return nil, errors.New("the files are no longer at hand; open them again")
	}
	if b.source == nil && b.err == nil {
		b.source, b.err = traces.Open(b.files)
		b.files = nil
	}
	return b.source, b.err
}

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
	if j.Study != "" || j.Memory {
		return b.study(j, progress, a)
	}
	if j.Run == nil {
		return b.list(j.Source.Files, a)
	}
	w, err := b.load(j.Source)
	if err != nil {
		return err
	}
	r, err := train.Run(w, *j.Run, progress)
	if err != nil {
		return err
	}
	a.Result, a.Summary = r, summarize(w)
	if j.Hash {
		a.Hash = result.Hash(r)
	}
	return nil
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
	if s.Entry == "" {
		return bundled(s)
	}
	source, err := b.open(s.Files)
	if err != nil {
		return nil, err
	}
	for i, name := range entryNames(source) {
		if name == s.Entry {
			return source.Entries[i].Load()
		}
	}
	return nil, fmt.Errorf("the opened files hold no %q; choose another entry under Workload", s.Entry)
}

// bundled builds a model of the zoo.
func bundled(s Source) (*workload.Workload, error) {
	if s.Times == workload.ColdModel {
		return zoo.Build(s.Model, s.Batch, zoo.AsPaper())
	}
	gpu, err := zoo.FindGPU(s.GPU)
	if err != nil {
		return nil, err
	}
	return zoo.Build(s.Model, s.Batch, zoo.Clean(gpu))
}

// list describes every entry of the files.
func (b *Bench) list(number int, a *Answer) error {
	source, err := b.open(number)
	if err != nil {
		return err
	}
	a.Notes = source.Notes
	for i, name := range entryNames(source) {
		e := Entry{Name: name, Info: source.Entries[i].Detail, Model: source.Entries[i].Model, Batch: source.Entries[i].Batch}
		if c := source.Entries[i].Config; c != nil {
			q, err := setup(c)
			if err != nil {
				e.Error = err.Error()
			}
			e.Setup = q
		}
		a.Entries = append(a.Entries, e)
	}
	return nil
}

// entryNames returns the entries' names, with a number where two are the same.
func entryNames(s *traces.Source) []string {
	seen := map[string]int{}
	names := make([]string, len(s.Entries))
	for i := range s.Entries {
		name := s.Entries[i].Name
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		names[i] = name
	}
	return names
}

// setup returns the hardware and options that a config file of the G10
// artifact asks for: the paper's, as published, with the file's lines applied.
func setup(c *g10.Config) (*train.Request, error) {
	q := &train.Request{Machine: machine.G10(), Options: system.Published()}
	var errs []error
	for _, p := range c.Pairs {
		if _, err := train.Configure(q, p.Key, p.Value); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", c.Name, p.Line, err))
		}
	}
	return q, errors.Join(errs...)
}

func summarize(w *workload.Workload) *Summary {
	return &Summary{
		Name: w.Name, Model: w.Model, Origin: w.Origin, Batch: w.Batch, Times: w.Times,
		Kernels: len(w.Kernels), Tensors: len(w.Tensors),
		Global: w.GlobalBytes(), Intermediate: w.IntermediateBytes(),
	}
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
