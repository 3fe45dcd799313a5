// Package xplane reads profiles that JAX writes (xplane.pb): the kernels of each
// GPU with their times, and for each compiled module its instructions and which
// memory they were assigned. Planes of the host are passed over.
//
// Sources of the format: xplane.proto of openxla/xla (tsl), hlo.proto of
// openxla/xla.
package xplane

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"spillway/sim/unit"
	"spillway/traces/protobuf"
)

// A Trace is what is kept of a file.
type Trace struct {
	GPUs    []GPU
	Modules []Module
	Notes   []string
}

// A GPU is a plane of a device.
type GPU struct {
	ID     int
	Memory unit.Bytes // 0 if unknown
	Events []Event    // by start
}

// An Event is something that ran on a GPU.
type Event struct {
	Name        string
	Module      string // as recorded: "jit_step"; "" if unknown
	Op          string // the instruction, "" if unknown
	Program     uint64 // number of the module, 0 if unknown
	Start, Time unit.Time
	Stream      int32
}

// A Module is a compiled program.
type Module struct {
	Name     string
	Program  uint64
	Buffers  []Buffer
	Temp     unit.Bytes // of temporary allocations
	HeapPeak unit.Bytes // most that is in use at once when the compiler's heap is replayed
	ops      map[string]int32
	code     []instruction
	roots    map[uint64]uint64 // of computations: the instruction that is its result
	entry    uint64            // the computation that is called from outside
}

// A Buffer is one value of a module.
type Buffer struct {
	Bytes     unit.Bytes
	Parameter bool // it came from outside, or takes the place of what did
	Constant  bool
	Out       bool // it is, or may be, a result
	place     place
}

// A place is where a buffer is: allocation, and offset in it.
type place struct {
	allocation uint64
	offset     uint64
}

// Limits of a file.
const (
	maxPlane  = 256 << 20
	maxEvents = 4 << 20
	peeked    = 4 << 10
)

// planeName returns the name of a plane of which the beginning is known.
func planeName(b []byte) []byte {
	m := protobuf.New(b, 0)
	for m.Next() && m.Field <= 2 {
		if m.Field == 2 {
			return m.Bytes()
		}
	}
	return nil
}

// Read reads a profile. tell may be nil; it is told now and then how many bytes
// are read.
func Read(r io.Reader, tell func(bytes int64)) (*Trace, error) {
	x := reader{r: bufio.NewReaderSize(r, 64<<10), tell: tell, trace: &Trace{}, names: map[string]string{}, kinds: map[string]int{}}
	for {
		more, err := x.field()
		if err != nil {
			return nil, err
		}
		if !more {
			return x.finish()
		}
	}
}

// A reader reads a file's planes, one at a time.
type reader struct {
	r      *bufio.Reader
	tell   func(int64)
	at     int64
	trace  *Trace
	names  map[string]string // of which each is held once
	kinds  map[string]int    // planes that were passed over, by kind
	events int
	long   int // times that cannot be
}

// field reads a field of the whole, and reports whether there was one.
func (x *reader) field() (more bool, err error) {
	if x.tell != nil {
		x.tell(x.at)
	}
	head, err := x.r.Peek(peeked)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if len(head) == 0 {
		return false, nil
	}
	tag, size, err := protobuf.ReadVarint(head)
	if err != nil {
		return false, fmt.Errorf("byte %d: %w", x.at, err)
	}
	if tag&7 != uint64(protobuf.Length) || tag>>3 == 0 || tag>>3 > 100 {
		return false, fmt.Errorf("byte %d: no field of a profile (0x%02x)", x.at, head[0])
	}
	n, more2, err := protobuf.ReadVarint(head[size:])
	if err != nil {
		return false, fmt.Errorf("byte %d: %w", x.at+int64(size), err)
	}
	size += more2
	name := string(planeName(head[size:min(size+int(min(n, peeked)), len(head))]))
	from := x.at
	x.r.Discard(size)
	x.at += int64(size)
	wanted := tag>>3 == 1 && (name == metadataPlane || gpuNumber(name) >= 0)
	switch {
	case n > 1<<40:
		return false, fmt.Errorf("byte %d: field %d is %d bytes long", from, tag>>3, n)
	case wanted && n > maxPlane:
		return false, fmt.Errorf("byte %d: the plane %s has %d bytes; at most %d are read; profile fewer steps", from, name, n, maxPlane)
	case wanted:
		var b bytes.Buffer
		if got, err := io.CopyN(&b, x.r, int64(n)); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		} else if err != nil {
			return false, fmt.Errorf("byte %d: the plane %s has %d bytes, but the file ends after %d", from, name, n, got)
		}
		err = x.plane(name, protobuf.New(b.Bytes(), x.at))
	default:
		if tag>>3 == 1 {
			x.kinds[kindOfPlane(name)]++
		}
		if got, err := io.CopyN(io.Discard, x.r, int64(n)); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		} else if err != nil {
			return false, fmt.Errorf("byte %d: field %d is %d bytes long, but the file ends after %d", from, tag>>3, n, got)
		}
	}
	x.at += int64(n)
	return err == nil, err
}

// intern returns a name, of which each is held once.
func (x *reader) intern(b []byte) string {
	s, ok := x.names[string(b)]
	if !ok {
		s = string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
		x.names[string(b)] = s
	}
	return s
}

// finish ends a trace, or says why nothing can be made of it.
func (x *reader) finish() (*Trace, error) {
	t := x.trace
	if x.events == 0 {
		switch {
		case x.kinds["/device:TPU"] > 0:
			return nil, errors.New("the profile is of TPUs, whose memory is not simulated here; profile the program on a GPU")
		case len(t.GPUs) == 0 && x.kinds["/host"]+x.kinds["other"] == 0 && len(t.Modules) == 0:
			return nil, errors.New("not a profile of JAX (xplane): it has no planes")
		}
		return nil, errors.New("nothing ran on a GPU while the profile was taken; wait for the results (block_until_ready) before it is stopped")
	}
	if x.long > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d times are longer than anything runs and count as unknown.", x.long))
	}
	return t, nil
}
