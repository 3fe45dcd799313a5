// Package spillway reads and writes Spillway traces: one training iteration as
// JSON, for people to read and programs to write. FORMAT.md next to this file
// describes the format for those who write it; it is, in short, one object:
//
//	format    "spillway-trace"
//	version   1
//	name      for people, for example "BERT-base, batch 256"
//	model     stable name of the network, "bert-base"; "" if unknown
//	batch     samples an iteration, 256; 0 if unknown
//	times     where kernel times come from: "measured", "estimated" or "as-paper"
//	origin    where the trace comes from, one sentence
//	graph     optional, for networks of the G10 artifact, whose published simulator
//	          treats some of them apart: {"transformer": true, "weight_ids": 198}
//	tensors   list of tensors; the place in the list, from 0, is the tensor's ID
//	kernels   list of kernels in the order they run
//
// A tensor, {"name":"fc1.weight","bytes":802816,"kind":"weight","global":true}, has
//
//	name      for people
//	bytes     payload in bytes, 1 to 2⁴²
//	kind      "intermediate" (if left out), "weight", "gradient", "optimizer",
//	          "workspace" or "input"
//	global    true if its value lives on in the next iteration; false if left out
//
// and a kernel, {"name":"Linear_Forward","time_ps":41500000,"in":[0,1],"out":[2]}, has
//
//	name      operator and phase
//	time_ps   execution time with all data in GPU memory, in picoseconds
//	          (10⁻¹² s), 1 to 10¹⁵
//	in, out   IDs of the tensors it reads and writes, in argument order; a tensor
//	          may be in both; an empty list is left out
//	input_fault_ps, fault_ps
//	          optional: measured time when the inputs, and when inputs and outputs,
//	          must fault in first, in picoseconds; 0 or left out if not measured
//	host_ps   optional: how long the GPU waits for the host before the kernel, in
//	          picoseconds
//	rows      optional: tensors of which it touches single rows, as of an embedding
//	          table: [{"tensor":0,"row_bytes":512,"draws":4096,"zipf_thousandths":1050}]
//
// All numbers are whole and below 2⁵³, so every JSON reader keeps them exact. A
// file may be compressed with gzip. Fields that are not listed are errors: they
// are mistyped more often than meant.
package spillway

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/jsonx"
)

const (
	// Format is the value of the field "format".
	Format = "spillway-trace"
	// Version is the version that is written and the newest that is read.
	Version = 1
)

// sniffed is how far into a file the field "format" may stand.
const sniffed = 4096

// A head is what comes before the lists.
type head struct {
	Format  string              `json:"format"`
	Version int                 `json:"version"`
	Name    string              `json:"name"`
	Model   string              `json:"model"`
	Batch   int                 `json:"batch"`
	Times   workload.TimeSource `json:"times"`
	Origin  string              `json:"origin"`
	Graph   *graph              `json:"graph,omitempty"`
}

type graph struct {
	Transformer bool `json:"transformer"`
	WeightIDs   int  `json:"weight_ids"`
}

type tensor struct {
	Name   string     `json:"name"`
	Bytes  unit.Bytes `json:"bytes"`
	Kind   string     `json:"kind,omitempty"`
	Global bool       `json:"global,omitempty"`
}

type kernel struct {
	Name       string               `json:"name"`
	Time       unit.Time            `json:"time_ps"`
	InputFault unit.Time            `json:"input_fault_ps,omitempty"`
	Fault      unit.Time            `json:"fault_ps,omitempty"`
	Inputs     []workload.TensorID  `json:"in,omitempty"`
	Outputs    []workload.TensorID  `json:"out,omitempty"`
	HostTime   unit.Time            `json:"host_ps,omitempty"`
	Rows       []workload.RowAccess `json:"rows,omitempty"`
}

// A trace is a whole file.
type trace struct {
	head
	Tensors []tensor `json:"tensors"`
	Kernels []kernel `json:"kernels"`
}

// Sniff reports whether data begins like a Spillway trace of any version,
// compressed or not.
func Sniff(data []byte) bool {
	if isGzip(data) {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return false
		}
		data, _ = io.ReadAll(io.LimitReader(r, sniffed)) // what there is of a damaged file will do
	}
	start := bytes.TrimLeft(data[:min(len(data), sniffed)], "\ufeff \t\r\n")
	return bytes.HasPrefix(start, []byte("{")) && bytes.Contains(start, []byte(`"`+Format+`"`))
}

func isGzip(data []byte) bool { return bytes.HasPrefix(data, []byte{0x1f, 0x8b}) }

// Encode returns w as a Spillway trace that ends with a line break. Decode
// returns the same workload.
func Encode(w *workload.Workload) ([]byte, error) {
	if err := check(w); err != nil {
		return nil, fmt.Errorf("%s cannot be saved as a Spillway trace: %w", w.Name, err)
	}
	h := head{Format: Format, Version: Version, Name: w.Name, Model: w.Model, Batch: w.Batch, Times: w.Times, Origin: w.Origin}
	if w.Graph != (workload.Graph{}) {
		g := graph(w.Graph)
		h.Graph = &g
	}
	top, err := jsonx.MarshalIndent(&h)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	buf.Write(bytes.TrimSuffix(top, []byte("\n}")))
	err = list(&buf, "tensors", len(w.Tensors), func(i int) any {
		t := &w.Tensors[i]
		out := &tensor{Name: t.Name, Bytes: t.Bytes, Global: t.Global}
		if t.Kind != workload.Intermediate {
			out.Kind = t.Kind.String()
		}
		return out
	})
	if err != nil {
		return nil, err
	}
	err = list(&buf, "kernels", len(w.Kernels), func(i int) any {
		k := kernel(w.Kernels[i])
		return &k
	})
	if err != nil {
		return nil, err
	}
	buf.WriteString("\n}\n")
	return buf.Bytes(), nil
}

// list writes a member that is a list, one element a line.
func list(buf *bytes.Buffer, name string, n int, element func(i int) any) error {
	fmt.Fprintf(buf, ",\n  %q: [", name)
	for i := range n {
		line, err := jsonx.Marshal(element(i))
		if err != nil {
			return err
		}
		if i > 0 {
			buf.WriteByte(',')
		}
		buf.WriteString("\n    ")
		buf.Write(line)
	}
	if n > 0 {
		buf.WriteString("\n  ")
	}
	buf.WriteByte(']')
	return nil
}

// check reports what a trace cannot hold.
func check(w *workload.Workload) error {
	if err := checkTimes(w.Times); err != nil {
		return err
	}
	for _, s := range []string{w.Name, w.Model, w.Origin} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%q is not UTF-8", s)
		}
	}
	for i := range w.Tensors {
		switch t := &w.Tensors[i]; {
		case !utf8.ValidString(t.Name):
			return fmt.Errorf("tensor %d: the name %q is not UTF-8", i, t.Name)
		case t.Kind > workload.Input:
			return fmt.Errorf("tensor %d (%s): unknown kind %d", i, t.Name, t.Kind)
		}
	}
	for i := range w.Kernels {
		if name := w.Kernels[i].Name; !utf8.ValidString(name) {
			return fmt.Errorf("kernel %d: the name %q is not UTF-8", i, name)
		}
	}
	return w.Validate()
}

func checkTimes(t workload.TimeSource) error {
	known := []workload.TimeSource{workload.Measured, workload.Estimated, workload.ColdModel}
	if slices.Contains(known, t) {
		return nil
	}
	return fmt.Errorf("times is %q; want measured, estimated or as-paper", t)
}

// Decode reads a Spillway trace, compressed or not. name is the file's, for
// messages; they have the form file:line:column: what is wrong.
func Decode(name string, data []byte) (*workload.Workload, error) {
	data, err := decompress(data, jsonx.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := checkHead(data); err != nil {
		return nil, place(name, err)
	}
	var t trace
	if err := jsonx.Unmarshal(data, &t, jsonx.Strict); err != nil {
		return nil, place(name, err)
	}
	w, err := build(data, &t)
	if err != nil {
		return nil, place(name, err)
	}
	if err := w.Validate(); err != nil {
		return nil, placeAll(name, data, err)
	}
	return w, nil
}

// decompress undoes gzip and yields at most limit bytes.
func decompress(data []byte, limit int64) ([]byte, error) {
	if !isGzip(data) {
		return data, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(r, limit+1))
	}
	if err != nil {
		return nil, fmt.Errorf("damaged gzip data (%w); compress or download the file again", err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("unpacks to more than %d bytes, the most that is read", limit)
	}
	return data, nil
}

// checkHead sees that data is a trace of a version that can be read. It lets
// fields pass that only a newer version has.
func checkHead(data []byte) error {
	var h struct {
		Format  *string `json:"format"`
		Version *int64  `json:"version"`
	}
	if err := jsonx.Unmarshal(data, &h); err != nil {
		return err
	}
	switch {
	case h.Format == nil:
		return fmt.Errorf(`not a Spillway trace: it has no "format": %q`, Format)
	case *h.Format != Format:
		return fmt.Errorf(`not a Spillway trace: "format" is %q; want %q`, *h.Format, Format)
	case h.Version == nil:
		return fmt.Errorf(`no "version"; add "version": %d`, Version)
	case *h.Version > Version:
		return fmt.Errorf("the trace has version %d, which is newer than this Spillway (it reads version %d); use a newer Spillway, or save the trace as version %d", *h.Version, Version, Version)
	case *h.Version < 1:
		return fmt.Errorf("version is %d; want %d", *h.Version, Version)
	}
	return nil
}

// build makes a workload of a trace; data is its text.
func build(data []byte, t *trace) (*workload.Workload, error) {
	if err := checkTimes(t.Times); err != nil {
		return nil, err
	}
	w := &workload.Workload{
		Name: t.Name, Model: t.Model, Batch: t.Batch, Times: t.Times, Origin: t.Origin,
		Tensors: make([]workload.Tensor, len(t.Tensors)), Kernels: make([]workload.Kernel, len(t.Kernels)),
	}
	if t.Graph != nil {
		w.Graph = workload.Graph(*t.Graph)
	}
	for i := range t.Tensors {
		in := &t.Tensors[i]
		w.Tensors[i] = workload.Tensor{Name: in.Name, Bytes: in.Bytes, Global: in.Global}
		if in.Kind == "" {
			continue
		}
		kind, err := workload.ParseKind(in.Kind)
		if err != nil {
			return nil, jsonx.At(data, "tensors", i, fmt.Sprintf("tensor %d (%s): %v", i, in.Name, err))
		}
		w.Tensors[i].Kind = kind
	}
	for i := range t.Kernels {
		k := workload.Kernel(t.Kernels[i])
		if len(k.Inputs) == 0 {
			k.Inputs = nil
		}
		if len(k.Outputs) == 0 {
			k.Outputs = nil
		}
		w.Kernels[i] = k
	}
	return w, nil
}

// place puts the file's name before an error, and the line and column if known.
func place(name string, err error) error {
	if e, ok := err.(*jsonx.Error); ok {
		return fmt.Errorf("%s:%d:%d: %s", name, e.Line, e.Column, e.Message)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// placeAll finds where the problems are that Validate has listed: it begins
// each that is about a tensor or kernel with that word and the number.
func placeAll(name string, data []byte, err error) error {
	problems := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		problems = joined.Unwrap()
	}
	placed := make([]error, len(problems))
	for i, p := range problems {
		var what string
		var index int
		if n, _ := fmt.Sscanf(p.Error(), "%s %d ", &what, &index); n == 2 && (what == "tensor" || what == "kernel") {
			p = jsonx.At(data, what+"s", index, p.Error())
		}
		placed[i] = place(name, p)
	}
	return errors.Join(placed...)
}
