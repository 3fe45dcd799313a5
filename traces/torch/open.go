// Package torch opens what PyTorch records of a training job: traces of its profiler,
// ExecutionTraces, memory snapshots and timelines, and capture.py's roles.json. Files
// of one run find each other, so that times, tensors and names come together.
package torch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"spillway/traces/et"
	"spillway/traces/jsonstream"
	"spillway/traces/kineto"
	"spillway/traces/recording"
	"spillway/traces/roles"
	"spillway/traces/snapshot"
)

// A File is one of those to open. Open may be called more than once.
type File struct {
	Name string
	Size int64 // for telling how far reading is; 0 if unknown
	Open func() (io.ReadCloser, error)
}

// A kind is what a file is.
type kind uint8

const (
	unknown kind = iota
	profilerTrace
	executionTrace
	memorySnapshot
	memoryTimeline
	rolesFile
)

// headBytes is how much of a file decides what it is.
const headBytes = 1 << 20

// Open reads files, each once. It returns what was recorded, joined where files
// belong together, and notes on files that are of no use or damaged. tell may be nil;
// it is told now and then how many bytes of all are read. The error says what is
// wrong where nothing can be used.
func Open(files []File, tell func(done, total int64)) ([]*recording.Recording, []string, error) {
	o := opener{tell: tell, of: map[*recording.Recording]*kineto.Trace{}}
	for i := range files {
		o.total += files[i].Size
	}
	o.alike(files)
	for i := range files {
		if err := o.read(&files[i]); err != nil {
			o.note("%s: %v", name(&files[i]), err)
		}
		o.done += files[i].Size
	}
	o.sayCopies()
	o.join()
	o.alone()
	o.nameAll()
	o.sayOnce()
	if len(o.recs) == 0 {
		if len(o.notes) == 0 {
			return nil, nil, errors.New("there is no recording of PyTorch among the files")
		}
		return nil, nil, errors.New(strings.Join(o.notes, "\n"))
	}
	unique(o.recs)
	return o.recs, o.notes, nil
}

// An opener is what was read so far.
type opener struct {
	tell        func(done, total int64)
	done, total int64

	traces    []*traceFile
	execs     []*execFile
	snapshots []snapshotFile
	roles     []rolesOf
	recs      []*recording.Recording
	of        map[*recording.Recording]*kineto.Trace
	notes     []string

	sizes  map[int64]int // how many files have each size
	copies []sameFile
}

// The files of each kind, with their names.
type (
	traceFile struct {
		name   string
		t      *kineto.Trace
		joined bool
	}
	execFile struct {
		name   string
		t      *et.Trace
		named  string // the file that named its blocks
		joined bool
	}
	snapshotFile struct {
		name string
		s    *snapshot.Snapshot
		used bool
	}
	rolesOf struct {
		name string
		r    *roles.Roles
	}
)

func (o *opener) note(format string, a ...any) {
	o.notes = append(o.notes, fmt.Sprintf(format, a...))
}

// name is a file's name without folders.
func name(f *File) string { return path.Base(strings.ReplaceAll(f.Name, "\\", "/")) }

// read reads one file.
func (o *opener) read(f *File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	head = head[:n]
	whole := io.MultiReader(bytes.NewReader(head), r)
	hash := o.watch(f, &whole)
	var keep func()
	switch kindOf(head) {
	case profilerTrace:
		t, err := kineto.Read(whole, o.progress)
		if err != nil {
			return err
		}
		keep = func() { o.traces = append(o.traces, &traceFile{name: name(f), t: t}) }
	case executionTrace:
		t, err := et.Read(whole, o.progress)
		if err != nil {
			return err
		}
		keep = func() { o.execs = append(o.execs, &execFile{name: name(f), t: t}) }
	case memorySnapshot:
		s, err := snapshot.Read(whole, o.progress)
		if err != nil {
			return err
		}
		keep = func() { o.snapshots = append(o.snapshots, snapshotFile{name: name(f), s: s}) }
	case memoryTimeline:
		t, err := snapshot.ReadTimeline(whole, o.progress)
		if err != nil {
			return err
		}
		keep = func() { o.recs = append(o.recs, t.Recording(name(f))) }
	case rolesFile:
		r, err := roles.Read(whole)
		if err != nil {
			return err
		}
		keep = func() { o.roles = append(o.roles, rolesOf{name(f), r}) }
	default:
		return unknownAt(head)
	}
	if !o.copied(f, hash) {
		keep()
	}
	return nil
}

// progress tells how many bytes of the file that is read are done.
func (o *opener) progress(bytes int64) {
	if o.tell != nil {
		o.tell(o.done+bytes, max(o.total, o.done+bytes))
	}
}

// unknownAt says why a file that begins with head is of no kind, and where.
func unknownAt(head []byte) error {
	r := jsonstream.NewReader(bytes.NewReader(head), nil)
	if k := r.Peek(); k == jsonstream.Object || k == jsonstream.Array {
		if r.Skip(); r.Err() != nil {
			return fmt.Errorf("this cannot be read as a recording of PyTorch: %w", r.Err())
		}
	}
	return errors.New("this is none of PyTorch's recordings")
}

// kindOf tells what a file is by its beginning.
func kindOf(head []byte) kind {
	if len(head) > 1 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5 {
		return memorySnapshot
	}
	if et.Sniff(head) {
		return executionTrace
	}
	r := jsonstream.NewReader(bytes.NewReader(head), nil)
	switch r.Peek() {
	case jsonstream.Array:
		return kindOfArray(r)
	case jsonstream.Object:
		return kindOfObject(r)
	}
	return unknown
}

// kindOfObject tells by the names in an object.
func kindOfObject(r *jsonstream.Reader) kind {
	found, schema := unknown, false // so far
	r.Object()
	for {
		key, ok := r.Key()
		if !ok {
			return found
		}
		switch string(key) {
		case "traceEvents":
			return profilerTrace
		case "segments", "device_traces":
			return memorySnapshot
		case "format":
			if s, ok := r.Text(); ok && string(s) == roles.Format {
				return rolesFile
			}
			continue
		case "schema":
			schema = true
		case "nodes":
			if schema && found == unknown {
				return executionTrace // in which this is no list
			}
		case "schemaVersion", "deviceProperties", "distributedInfo":
			found = profilerTrace // whose events may come after what a user added
		}
		r.Skip()
	}
}

// kindOfArray tells by the first element of a list.
func kindOfArray(r *jsonstream.Reader) kind {
	if !r.Array() || !r.Elem() {
		return unknown
	}
	switch r.Peek() {
	case jsonstream.Array:
		return memoryTimeline
	case jsonstream.Object:
		r.Object()
		for key, ok := r.Key(); ok; key, ok = r.Key() {
			if string(key) == "ph" {
				return profilerTrace
			}
			r.Skip()
		}
	}
	return unknown
}

// join makes recordings of traces and ExecutionTraces of the same runs.
func (o *opener) join() {
	o.mark()
	for _, e := range o.execs {
		var why reasons
		for _, k := range o.traces {
			if k.joined || !k.t.Ran() {
				continue
			}
			j, err := joined(e.t, k.t)
			if err == nil {
				var recs []*recording.Recording
				if recs, err = pair(e.t, e.name, k.t, k.name, j); err == nil {
					o.add(recs, k.t)
					e.joined, k.joined = true, true
					break
				}
			}
			why.add(k.name, "%v", err)
		}
		if !e.joined {
			o.refused(e.name, true, why)
		}
	}
}

// add adds recordings of a trace.
func (o *opener) add(recs []*recording.Recording, k *kineto.Trace) {
	o.recs = append(o.recs, recs...)
	for _, r := range recs {
		o.of[r] = k
	}
}

// alone makes recordings of what found no companion.
func (o *opener) alone() {
	for _, k := range o.traces {
		if k.joined {
			continue
		}
		if !k.t.Ran() && len(o.execs) > 0 {
			o.note("%s has no work of a GPU, so there are no times in it that would say anything about one; it was left out.", k.name)
			continue
		}
		recs, err := k.t.Recordings(k.name)
		if err != nil {
			o.note("%v.", err)
			continue
		}
		for i := range recs {
			o.add([]*recording.Recording{recs[i].Recording}, k.t)
		}
	}
	for _, e := range o.execs {
		if e.joined {
			continue
		}
		recs, err := e.t.Recordings(e.name)
		if err != nil {
			o.note("%v.", err)
			continue
		}
		for _, r := range recs {
			r.Advice = append(r.Advice, "With the profiler's trace of the same run, opened together with this file, times would be measured instead of estimated.")
		}
		o.recs = append(o.recs, recs...)
	}
}

// unique gives recordings of the same name numbers.
func unique(recs []*recording.Recording) {
	seen := map[string]int{}
	for _, r := range recs {
		seen[r.Name]++
		if n := seen[r.Name]; n > 1 {
			r.Name = fmt.Sprintf("%s (%d)", r.Name, n)
		}
	}
}
