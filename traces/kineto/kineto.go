// Package kineto reads traces of the PyTorch profiler (Kineto): Chrome's JSON with
// operators, launches, kernels and memory events. It keeps what a workload is made
// of and nothing of the user's.
//
// [Read] goes through a file once. An event is scanned where it lies in the reader's
// window if it is written as the profiler writes (scan.go), and token by token if it
// is not (read.go); what is needed goes into tables of fixed rows, with names and
// shapes as numbers. Then launches find their kernels, operators their launches
// (correlate.go), and memory events become blocks (blocks.go).
//
// [Trace.Recordings] cuts the work of each device into steps by when it was launched
// (steps.go) and gives each step tensors: of blocks, from birth to death, where
// memory was recorded, else estimated from shapes (tensors.go, shapes.go); and the
// model's weights by the places at which operators take them (weights.go).
package kineto

import (
	"spillway/sim/unit"
	"spillway/traces/recording"
)

// Format names the format to people.
const Format = "PyTorch profiler (Kineto)"

// A Trace is what is kept of a file. Names are indices into Strings. Times are from
// the smallest of the file.
type Trace struct {
	Format  string // of Recordings: "PyTorch profiler (Kineto)"
	Process int64  // number of the process that ran the operators, 0 if unknown
	Devices []recording.Device
	Strings []string
	Threads []Thread
	Ops     []Op     // by thread, start, the longer first
	Kernels []Kernel // by start, then correlation
	Blocks  []Block  // of device memory, in the order in which they were taken
	Shapes  bool     // operators have the shapes of their inputs
	Notes   []string // what was repaired or dropped, with counts

	last       unit.Time   // when the last event ends
	least      unit.Time   // what times are multiples of
	order      []side      // of Ops
	signatures []string    // of operators' inputs, as written
	launched   []unit.Time // of Kernels: when, -1 if unknown
	earlier    []Block     // freed in the recording, taken before it
	levels     []level     // of device memory, in order of time
	totals     bool        // levels are the counter's, not only sums of sizes
	placed     bool        // events of memory have addresses, so that there are blocks
	outer      []open      // the outermost operators, by start
	ends       []unit.Time // of the optimizer's steps, in order, once they are needed
	launches   int         // that there are, whatever they launched
	ran        int         // of launches: those of which work is in the recording
	mtia       int         // events of Meta's accelerators, which are not read
	unended    bool        // the file ends too early
	captures   int         // of graphs that were begun
	graphs     int         // kernels that share their launch with more than ten others
	replayed   []bool      // of Kernels: such ones
	alive      alive       // of Blocks, at the beginning of the step that was built last
	calls      []*call     // by signature, once they are needed

	estimated bool               // Kernels are operators, because none were recorded
	works     map[deed]*work     // of operators, then
	begun     map[int32][2]int64 // height and width of convolutions' results then, by their number
	numbers   []int32            // of Ops then: their own or of the nearest around them that has one, -1 if none has
}

// Ran reports whether kernels were recorded, and not only operators.
func (t *Trace) Ran() bool { return len(t.Kernels) > 0 && !t.estimated }

// A side has what else is known of an Op.
type side struct {
	external            uint32
	sequence, signature int32 // -1 if there is none
	backward            bool  // it computes gradients, as its name or its number of a forward thread says
}

// A level is how much memory of a device is allocated from some time on.
type level struct {
	at     unit.Time
	bytes  unit.Bytes
	device int32
}

// A Thread is one of the host.
type Thread struct{ Process, ID int64 }

// An Op is an operator, or an annotation or module around operators.
type Op struct {
	Name   int32
	Thread int32 // index into Threads
	Parent int32 // the innermost around it, -1 if none
	Kind   OpKind
	Start  unit.Time
	Time   unit.Time
	Record int64 // record function id, as ExecutionTrace's rf_id; 0 if unknown
}

// An OpKind tells what stands among Ops.
type OpKind uint8

// The kinds of Op.
const (
	Operator OpKind = iota
	Annotation
	Module
)

// A Kernel is work of a device.
type Kernel struct {
	Name           int32
	Op             int32 // the operator that launched it, -1 if unknown
	Device, Stream int32
	Kind           recording.KernelKind
	Start, Time    unit.Time
}

// A Block is device memory from its allocation to its free.
type Block struct {
	Address     uint64
	Bytes       unit.Bytes
	Device      int32
	Op          int32     // the operator that took it, -1 if unknown
	Taken, Free unit.Time // Free is -1 if it was not freed
}

// Recorded is a recording and where its kernels come from.
type Recorded struct {
	*recording.Recording
	// Kernels are indices into Trace.Kernels: Kernels[s][k] is kernel k of step s.
	Kernels [][]int32
	// Ranges are when the host was in each step.
	Ranges [][2]unit.Time
}
