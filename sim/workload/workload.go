// Package workload describes what a GPU is asked to do: tensors, and the
// kernels of one training iteration in execution order. A Workload is shared
// by all runs and never changed after Validate.
package workload

import (
	"errors"
	"fmt"
	"slices"

	"spillway/sim/unit"
)

// TensorID is an index into Workload.Tensors.
type TensorID int32

// KernelID is an index into Workload.Kernels, that is, a place in the
// iteration's execution order.
type KernelID int32

// Kind says what a tensor is for. It informs charts and systems that treat
// model states differently; Global alone decides lifetime.
type Kind uint8

// The kinds of tensor.
const (
	Intermediate Kind = iota // activation or other value inside the iteration
	Weight                   // parameter or running statistic
	Gradient                 // gradient of an intermediate or of a weight
	Optimizer                // optimizer state
	Workspace                // scratch memory of one kernel
	Input                    // a batch of training data
)

// String returns the lower-case name used in files and charts.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// ParseKind is the inverse of Kind.String.
func ParseKind(s string) (Kind, error) {
	for i, n := range kindNames {
		if n == s {
			return Kind(i), nil
		}
	}
	return 0, fmt.Errorf("unknown tensor kind %q; want one of %v", s, kindNames)
}

var kindNames = [...]string{"intermediate", "weight", "gradient", "optimizer", "workspace", "input"}

// A Tensor is a piece of memory with one address range of its own.
type Tensor struct {
	Name  string
	Bytes unit.Bytes // payload; memory is taken in whole pages
	// Global tensors (weights, optimizer state) keep their value from one
	// iteration to the next. All others are born and die within an iteration
	// (G10 paper, §4.2: global and intermediate tensors).
	Global bool
	Kind   Kind
}

// Pages returns how many pages the tensor occupies.
func (t *Tensor) Pages() int64 { return t.Bytes.Pages() }

// A Kernel is one GPU kernel launch.
type Kernel struct {
	Name string    // operator and phase, for example "Conv2d_Forward"
	Time unit.Time // execution time with all data resident in GPU memory
	// InputFault and Fault are profiled execution times when the inputs, and
	// when inputs and outputs, must fault in (artifact files cudnnNInputPF.txt
	// and cudnnNPF.txt). 0 means not profiled.
	InputFault, Fault unit.Time
	// Inputs are read, Outputs written. A tensor may be in both. The order is
	// that of the framework's argument list.
	Inputs, Outputs []TensorID
	// HostTime is how long the GPU waits for the host before the kernel, in every
	// system; mostly 0.
	HostTime unit.Time
	// Rows are the tensors of which the kernel touches single rows, as of an embedding
	// table; all others it touches whole.
	Rows []RowAccess
}

// A RowAccess says that a kernel touches rows of a tensor at random. Only the block
// memory model draws them; to the others the whole tensor is in use.
type RowAccess struct {
	Tensor TensorID   `json:"tensor"` // of the kernel's inputs or outputs
	Row    unit.Bytes `json:"row_bytes"`
	Draws  int64      `json:"draws"` // with repetitions
	// Zipf is the exponent of the rows' frequencies by rank, in thousandths; ranks are
	// the order in memory. 0: all are as likely.
	Zipf int64 `json:"zipf_thousandths,omitempty"`
}

// A TimeSource says where kernel times come from. Every result shows it.
type TimeSource string

// The sources of kernel times.
const (
	Measured  TimeSource = "measured"  // a profile that came with the trace
	Estimated TimeSource = "estimated" // warm kernels, by the law of kernel times
	ColdModel TimeSource = "as-paper"  // kernels of the G10 artifact plus the profiling effects seen in the G10 paper's profile
)

// Graph is the way a workload was described; a published hand-tuned constant
// depends on it (quirk hand-tuned).
type Graph struct {
	Transformer bool // described as a numeric operator list
	WeightIDs   int  // for a transformer: ids below this are weights ("trans_borden")
}

// A Workload is one training iteration.
type Workload struct {
	Name    string // for people: "BERT-base, batch 256"
	Model   string // stable: "bert-base"; empty if unknown
	Batch   int    // samples an iteration
	Times   TimeSource
	Origin  string // where it came from, one sentence
	Graph   Graph
	Tensors []Tensor
	Kernels []Kernel
}

// Most tensors, kernels and bytes a workload may have. The limits keep every
// sum inside int64 and every page number of a tensor inside int32.
const (
	MaxTensors            = 1 << 20
	MaxKernels            = 1 << 20
	MaxTensor  unit.Bytes = 1 << 42
	MaxTime    unit.Time  = 1000 * unit.Second
	// MaxDraws is how many rows of a tensor a kernel may touch.
	MaxDraws = 1 << 32
	// MaxRows is in how many ways a kernel may touch rows of tensors.
	MaxRows = 64
)

// Validate checks the whole workload and reports up to twenty problems at once.
func (w *Workload) Validate() error {
	var errs []error
	bad := func(format string, a ...any) {
		if len(errs) < 20 {
			errs = append(errs, fmt.Errorf(format, a...))
		}
	}
	if len(w.Kernels) == 0 {
		bad("workload has no kernels")
	}
	if len(w.Kernels) > MaxKernels {
		bad("workload has %d kernels; at most %d are supported", len(w.Kernels), MaxKernels)
	}
	if len(w.Tensors) > MaxTensors {
		bad("workload has %d tensors; at most %d are supported", len(w.Tensors), MaxTensors)
	}
	if w.Batch < 0 {
		bad("batch is %d; want 0 (unknown) or more", w.Batch)
	}
	for i := range w.Tensors {
		if t := &w.Tensors[i]; t.Bytes <= 0 || t.Bytes > MaxTensor {
			bad("tensor %d (%s): size is %d bytes; want 1 to %d", i, t.Name, t.Bytes, MaxTensor)
		}
	}
	seen := make([]int32, len(w.Tensors)) // 1 + 2*kernel (+1 for outputs) of the last mention
	for i := range w.Kernels {
		k := &w.Kernels[i]
		if k.Time <= 0 || k.Time > MaxTime {
			bad("kernel %d (%s): time is %d ps; want 1 to %d", i, k.Name, k.Time, MaxTime)
		}
		if k.InputFault < 0 || k.Fault < 0 || k.InputFault > MaxTime || k.Fault > MaxTime {
			bad("kernel %d (%s): fault times are %d and %d ps; want 0 to %d", i, k.Name, k.InputFault, k.Fault, MaxTime)
		}
		if k.HostTime < 0 || k.HostTime > MaxTime {
			bad("kernel %d (%s): host time is %d ps; want 0 to %d", i, k.Name, k.HostTime, MaxTime)
		}
		if len(k.Rows) > MaxRows {
			bad("kernel %d (%s): touches rows of tensors in %d ways; at most %d are supported", i, k.Name, len(k.Rows), MaxRows)
		}
		for _, x := range k.Rows[:min(len(k.Rows), MaxRows)] {
			if !slices.Contains(k.Inputs, x.Tensor) && !slices.Contains(k.Outputs, x.Tensor) {
				bad("kernel %d (%s): touches rows of tensor %d, which it does not use", i, k.Name, x.Tensor)
			} else if x.Row <= 0 || x.Draws < 0 || x.Draws > MaxDraws || x.Zipf < 0 || x.Zipf > 10_000 {
				bad("kernel %d (%s): touches %d rows of %d bytes of tensor %d, exponent %d thousandths; want at most %d rows of 1 byte or more, exponent 0 to 10000", i, k.Name, x.Draws, x.Row, x.Tensor, x.Zipf, int64(MaxDraws))
			}
		}
		if len(k.Inputs)+len(k.Outputs) == 0 {
			bad("kernel %d (%s): has no tensors", i, k.Name)
		}
		for side, ids := range [2][]TensorID{k.Inputs, k.Outputs} {
			mark := int32(1 + 2*i + side)
			for _, t := range ids {
				switch {
				case t < 0 || int(t) >= len(w.Tensors):
					bad("kernel %d (%s): tensor id %d is not between 0 and %d", i, k.Name, t, len(w.Tensors)-1)
				case seen[t] == mark:
					bad("kernel %d (%s): tensor %d (%s) is listed twice", i, k.Name, t, w.Tensors[t].Name)
				default:
					seen[t] = mark
				}
			}
		}
	}
	return errors.Join(errs...)
}

// GlobalBytes returns the page-aligned size of all global tensors.
func (w *Workload) GlobalBytes() unit.Bytes { return w.sum(true) }

// IntermediateBytes returns the page-aligned size of all other tensors, each
// counted once, as if none shared memory.
func (w *Workload) IntermediateBytes() unit.Bytes { return w.sum(false) }

// Held reports which tensors are held: globals that no kernel uses, as memory of
// libraries that a recording saw but cannot name. Nobody may move what nobody is
// known to use, so they stay in GPU memory in every system.
func (w *Workload) Held() []bool {
	held := make([]bool, len(w.Tensors))
	for t := range held {
		held[t] = w.Tensors[t].Global
	}
	for k := range w.Kernels {
		for _, list := range [2][]TensorID{w.Kernels[k].Inputs, w.Kernels[k].Outputs} {
			for _, t := range list {
				held[t] = false
			}
		}
	}
	return held
}

// HeldPages returns how many pages are held.
func (w *Workload) HeldPages() (n int64) {
	for t, held := range w.Held() {
		if held {
			n += w.Tensors[t].Pages()
		}
	}
	return n
}

func (w *Workload) sum(global bool) (n unit.Bytes) {
	for i := range w.Tensors {
		if w.Tensors[i].Global == global {
			n += w.Tensors[i].Bytes.Aligned()
		}
	}
	return n
}

// WorkingSet returns the tensors kernel k needs: its inputs, then those outputs
// that are not inputs. It appends to dst.
func (w *Workload) WorkingSet(dst []TensorID, k KernelID) []TensorID {
	dst = append(dst, w.Kernels[k].Inputs...)
outputs:
	for _, t := range w.Kernels[k].Outputs {
		for _, u := range w.Kernels[k].Inputs {
			if t == u {
				continue outputs
			}
		}
		dst = append(dst, t)
	}
	return dst
}

// Sets lists every kernel's tensors in the order a system visits them.
// All[k] is the working set: inputs, and outputs that are not inputs.
type Sets struct {
	Inputs, Outputs, All [][]TensorID
}

// Sets returns the tensors in argument order. Inputs and Outputs are shared
// with the workload.
func (w *Workload) Sets() *Sets {
	n := len(w.Kernels)
	s := &Sets{make([][]TensorID, n), make([][]TensorID, n), make([][]TensorID, n)}
	for k := range w.Kernels {
		s.Inputs[k], s.Outputs[k] = w.Kernels[k].Inputs, w.Kernels[k].Outputs
		s.All[k] = w.WorkingSet(nil, KernelID(k))
	}
	return s
}
