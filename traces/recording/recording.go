// Package recording is what a training job's own recordings say, in the same
// words whatever wrote them: steps, kernels in order, tensors with their uses. A
// format reads its files into a Recording; Fold makes a workload of one step of
// it and accounts for every choice. A Recording is small, however large the files
// were, and holds nothing of the user's besides the names of operators, modules
// and kernels.
package recording

import (
	"cmp"
	"slices"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Label says in short how much of a recording was measured.
type Label string

// The labels, from least to most.
const (
	E1  Label = "E1"  // times and tensors estimated from shapes
	E1m Label = "E1m" // sizes and lifetimes measured; times and reads between estimated
	E2  Label = "E2"  // tensors recorded, times estimated
	L1  Label = "L1"  // times measured; tensors estimated from shapes
	L1m Label = "L1m" // times, sizes and lifetimes measured; reads between estimated
	L2  Label = "L2"  // times and tensors recorded
	L3  Label = "L3"  // as L1m or L2, and resident memory has names
	M   Label = "M"   // a picture of memory, without kernels
	T   Label = "T"   // times only
)

// A Source says how a tensor is known.
type Source uint8

// The sources of tensors.
const (
	Measured  Source = iota // an allocation of the recording itself
	Joined                  // from another file of the same run
	Estimated               // from the shapes of operators
)

// A Recording is what files say of one device.
type Recording struct {
	Name   string   // for people, unique among what was opened together: "bert.json, GPU 0"
	Format string   // "PyTorch profiler (Kineto)"
	Files  []string // names without folders
	Label  Label
	Device Device
	Batch  int                 // samples of a step, 0 if unknown
	Times  workload.TimeSource // Measured, or Estimated if kernels have work instead of times
	Steps  []Step
	Chosen int // the step to take unless another is asked for, as Middle has it
	Memory Memory
	// Missing is how much kernel time belongs to no step and why, Notes what was
	// repaired, dropped or is not known, Advice what to record instead, and with which
	// file beside it more would be known: sentences.
	Missing []Loss
	Notes   []string
	Advice  []string
	// Picture is the memory of a recording, by role; empty if it has none.
	Picture Picture
	// Instead is what to record where a recording has times only, empty for PyTorch's.
	Instead string
}

// A Device is a GPU.
type Device struct {
	ID     int
	Name   string     // empty if unknown: "NVIDIA H100 80GB HBM3"
	Memory unit.Bytes // 0 if unknown
	// Major and Minor are NVIDIA's compute capability, SMs is how many multiprocessors it has; all
	// are 0 if unknown, or of another vendor.
	Major, Minor, SMs int64
}

// Memory is what the recording's own counter of allocated memory says. Rebuilt: it
// has none, and this is what the storages add up to that operators make and use. AtLeast: it has
// sizes only, so that more may have been there before; between two levels the difference is known.
type Memory struct {
	Known       bool
	Rebuilt     bool
	AtLeast     bool
	LevelBefore unit.Bytes // allocated before the first event
	Peak        unit.Bytes
	Allocations int
}

// A Loss is kernels that are in no step.
type Loss struct {
	Kernels int
	Time    unit.Time
	Why     string // "their launch is before the recording"
}

// A Step is one iteration. Kernels are in order of their start; tensors' uses name
// them by index.
type Step struct {
	Name     string // "ProfilerStep#6"
	Complete bool   // it begins and ends inside the recording
	// Optimizes: the optimizer works in it, which not every step has where gradients accumulate.
	Optimizes bool
	Kernels   []Kernel
	Tensors   []Tensor
	// Memory is the counter's within the step, as far as it is known.
	Memory Memory
	// Resident is memory that was there before and that no tensor accounts for.
	Resident unit.Bytes
	Notes    []string // about this step
}

// A Kernel is one launch.
type Kernel struct {
	Name   string    // as recorded
	Op     string    // the operator that launched it, "" if unknown
	Start  unit.Time // from the recording's first event
	Time   unit.Time // 0 if it took less than the file's resolution, or is estimated
	Least  unit.Time // the file's resolution, which a kernel of time 0 is taken to last half of
	Stream int32
	Kind   KernelKind
	// Flops and Bytes are the work of a kernel whose time is estimated, Class what it does, and
	// Element how many bytes its elements have.
	Flops   int64
	Bytes   unit.Bytes
	Class   kerneltime.Class
	Element unit.Bytes
	// Shape is what the law of kernel times needs to know of a product, a convolution or an
	// attention, nil where it is not known.
	Shape *kerneltime.Kernel
}

// A KernelKind says what a launch does.
type KernelKind uint8

// The kinds of launch.
const (
	Compute       KernelKind = iota
	Communication            // a collective between GPUs
	HostToDevice
	DeviceToHost
	DeviceToDevice
	Memset
)

// A Tensor is a block of memory of one step.
type Tensor struct {
	Name  string
	Bytes unit.Bytes
	Kind  workload.Kind
	// Buffer is a weight that no optimizer changes and no module names as its own:
	// statistics, tables, what collectives work on.
	Buffer bool
	// Global is alive before and after the step.
	Global bool
	From   Source
	// Uses are those that are known. Where allocations were recorded the first is a
	// write by the first kernel after the block was taken, the last a read by the last
	// kernel before it was freed.
	Uses []Use // ascending, at most one a kernel
}

// A Use is one kernel's use of a tensor.
type Use struct {
	Kernel      int32
	Read, Write bool
}

// A Picture is memory over time, by role: Levels[r][i] bytes of Roles[r] at
// Times[i].
type Picture struct {
	Roles  []string
	Times  []unit.Time
	Levels [][]unit.Bytes
	// Clocked says that Times are of the host's clock; else changes count as a microsecond each.
	Clocked bool
	// Lives are the blocks, the larger ones where there are too many; Rest is the most bytes that the
	// others had at once.
	Lives []Life
	Rest  unit.Bytes
	// Reserved is the most that the allocator held of the driver, used or not, 0 if unknown.
	Reserved unit.Bytes
}

// A Life is when a block of a picture is there.
type Life struct {
	From, To unit.Time // From is -1 where it was there before, To where it is there at the end
	Bytes    unit.Bytes
}

// MostLives is how many blocks of a picture are kept, the smaller ones as one: its Rest.
const MostLives = 1 << 15

// A Resident is a block of device memory that a memory snapshot or a list of
// roles knows by its address and that outlives a step.
type Resident struct {
	Name    string
	Kind    workload.Kind
	Address uint64
	Bytes   unit.Bytes // as the allocator counts them
	Device  int32
}

// Middle returns which of steps to take unless another is asked for: the middle complete one, or
// else the middle one. Where only some have the optimizer it is the largest of those: the others
// accumulate gradients.
func Middle(steps []Step) int {
	var complete, optimize []int
	for i := range steps {
		if s := &steps[i]; s.Complete {
			if complete = append(complete, i); s.Optimizes {
				optimize = append(optimize, i)
			}
		}
	}
	switch {
	case len(complete) == 0:
		return len(steps) / 2
	case 0 < len(optimize) && len(optimize) < len(complete):
		return slices.MaxFunc(optimize, func(a, b int) int { return cmp.Compare(len(steps[a].Kernels), len(steps[b].Kernels)) })
	}
	return complete[len(complete)/2]
}

// LooksUp reports whether an operator that reads a tensor takes rows out of it, as out of a table
// of embeddings: all else that it takes or makes, of which there is something, is an eighth of it at
// most. Matrix products and convolutions are small beside a batch, too, and take no rows.
func LooksUp(op string, tensor, largestOther unit.Bytes) bool {
	return largestOther > 0 && largestOther <= tensor/8 && ClassOf(op) < kerneltime.Product
}
