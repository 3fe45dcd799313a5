// Package roles reads roles.json, which capture.py writes beside a training job's
// recordings: which memory is which parameter, buffer, gradient or optimizer
// state. FORMAT.md describes it.
package roles

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/jsonstream"
)

// Format is what the member "format" says, by which a file is recognized.
const Format = "spillway-roles"

// Limits of a file.
const (
	version    = 1
	maxTensors = 1 << 20
	maxName    = 1 << 12             // bytes
	maxBytes   = unit.Bytes(1) << 50 // of a tensor
)

// CPU is the Device of tensors in host memory.
const CPU = -1

// Roles is what a file says.
type Roles struct {
	Torch  string // PyTorch's version
	Device string // name of the GPU that the model is on, "CPU" if it is on none
	Index  int    // its number, CPU if it is on none
	Batch  int64  // samples a step, 0 if unknown
	// Mark is the annotation under which the execution trace has one aten::detach for
	// each of Tensors, in their order; empty if it has none.
	Mark    string
	Tensors []Tensor
}

// A Tensor is a parameter, a buffer, a gradient or a state of the optimizer.
type Tensor struct {
	Name    string
	Kind    workload.Kind // Weight also for a buffer
	Device  int           // number of the GPU, or CPU
	Address uint64        // of the storage, 0 if it has no memory
	Bytes   unit.Bytes    // of the storage
	Offset  unit.Bytes    // of the tensor in it
}

// kinds are the kinds of the roles.
var kinds = map[string]workload.Kind{
	"parameter": workload.Weight, "buffer": workload.Weight,
	"gradient": workload.Gradient, "optimizer": workload.Optimizer,
}

// Read reads a file. The error says what is wrong, and in which line.
func Read(src io.Reader) (*Roles, error) {
	r := reader{Reader: jsonstream.NewReader(src, nil), names: map[string]string{}}
	out := &Roles{Index: CPU}
	r.members(func(key string) bool { return r.member(out, key) }, "format", "version", "tensors")
	r.End()
	switch err := r.Err(); {
	case err != nil:
		return nil, err
	case r.Cut():
		return nil, fmt.Errorf("line %d: the file ends before its brackets do: record again", r.Line())
	case r.Repairs.Any():
		return nil, errors.New("this is not quite JSON, so the file was changed or damaged: record again")
	}
	return out, nil
}

// A reader reads the values that the format has.
type reader struct {
	*jsonstream.Reader
	names map[string]string // of devices and roles, each once
}

// members reads an object: take reads the value of a known key, everything else
// is skipped. It fails where one that must be there is not.
func (r *reader) members(take func(key string) bool, must ...string) {
	if !r.is(jsonstream.Object, "an object in {}") {
		return
	}
	var had uint
	r.Object()
	for key, ok := r.Key(); ok; key, ok = r.Key() {
		name := ""
		if len(key) <= maxName {
			name = string(key)
		}
		for i, m := range must {
			if m == name {
				had |= 1 << i
			}
		}
		if !take(name) {
			r.Skip()
		}
	}
	for i, m := range must {
		if had&(1<<i) == 0 && !r.Cut() {
			r.Fail("%q is missing in the object that ends here", m)
		}
	}
}

// is reports whether a value of kind k comes next, and fails where none does.
func (r *reader) is(k jsonstream.Kind, want string) bool {
	switch r.Peek() {
	case k:
		return true
	case jsonstream.None:
		r.Fail("the file ends or is damaged here, where %s belongs: record again", want)
	default:
		r.Fail("want %s", want)
	}
	return false
}

// member reads one of the file's.
func (r *reader) member(out *Roles, key string) bool {
	switch key {
	case "format":
		if got := r.string(key); got != Format {
			r.Fail("format is %q, want %q", got, Format)
		}
	case "version":
		if got := r.whole(key, 1<<31-1); got != version {
			r.Fail("this is version %d of the format; version %d is known here: update Spillway, or record with the capture.py that it offers", got, version)
		}
	case "torch":
		out.Torch = r.string(key)
	case "batch":
		out.Batch = r.whole(key, 1<<40)
	case "mark":
		out.Mark = r.string(key)
	case "device":
		r.device(out)
	case "tensors":
		r.tensors(out)
	default:
		return false
	}
	return true
}

// device reads where the model is.
func (r *reader) device(out *Roles) {
	kind, index := "", int64(0)
	r.members(func(key string) bool {
		switch key {
		case "kind":
			kind = r.string(key)
		case "index":
			index = r.whole(key, 1<<15)
		case "name":
			out.Device = r.string(key)
		default:
			return false
		}
		return true
	}, "kind", "index", "name")
	if kind != "cpu" {
		out.Index = int(index)
	}
}

func (r *reader) tensors(out *Roles) {
	if !r.is(jsonstream.Array, "a list in []") {
		return
	}
	r.Array()
	for r.Elem() {
		if len(out.Tensors) == maxTensors {
			r.Fail("there are more than %d tensors", maxTensors)
			return
		}
		var t Tensor
		r.members(func(key string) bool { return r.tensor(&t, key) }, "name", "role", "device", "address", "bytes")
		out.Tensors = append(out.Tensors, t)
	}
}

// tensor reads one member of a tensor.
func (r *reader) tensor(t *Tensor, key string) bool {
	switch key {
	case "name":
		t.Name = r.string(key)
	case "role":
		role, ok := kinds[r.string(key)]
		if !ok && r.Err() == nil {
			r.Fail(`the role before this is none of "parameter", "buffer", "gradient" and "optimizer"`)
		}
		t.Kind = role
	case "device":
		t.Device = r.number(r.string(key))
	case "address":
		text := r.string(key)
		digits, ok := strings.CutPrefix(text, "0x")
		address, err := strconv.ParseUint(digits, 16, 64)
		if (!ok || err != nil) && r.Err() == nil && !r.Cut() {
			r.Fail("the address before this, %q, is no hexadecimal number of at most 64 bits", text)
		}
		t.Address = address
	case "bytes":
		t.Bytes = unit.Bytes(r.whole(key, int64(maxBytes)))
	case "offset":
		t.Offset = unit.Bytes(r.whole(key, int64(maxBytes)))
	default:
		return false
	}
	return true
}

// number returns the number of the device "cuda:1", CPU of "cpu".
func (r *reader) number(device string) int {
	if device == "cpu" {
		return CPU
	}
	_, digits, ok := strings.Cut(device, ":")
	n, err := strconv.ParseUint(digits, 10, 15)
	if (!ok || err != nil) && r.Err() == nil && !r.Cut() {
		r.Fail(`the device before this, %q, is not like "cuda:0" or "cpu"`, device)
	}
	return int(n)
}

// string reads a text that is not too long.
func (r *reader) string(key string) string {
	if !r.is(jsonstream.String, "a text as "+key) {
		return ""
	}
	s, ok := r.Text()
	if ok && len(s) > maxName {
		r.Fail("%q, before this, has %d bytes; %d are allowed", key, len(s), maxName)
		return ""
	}
	// Devices and roles repeat.
	if known, ok := r.names[string(s)]; ok {
		return known
	}
	text := string(s)
	if key == "device" || key == "role" {
		r.names[text] = text
	}
	return text
}

// whole reads a whole number from 0 to most.
func (r *reader) whole(key string, most int64) int64 {
	if !r.is(jsonstream.Number, "a number as "+key) {
		return 0
	}
	n, ok := r.Int()
	if (!ok || n < 0 || n > most) && r.Err() == nil && !r.Cut() {
		r.Fail("%q, before this, is no whole number from 0 to %d", key, most)
		return 0
	}
	return n
}
