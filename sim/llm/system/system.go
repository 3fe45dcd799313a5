// Package system says what a system of this laboratory is.
package system

import (
	"fmt"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/recipe"
	"spillway/sim/machine"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// Options are what systems can be told. Each reads its own.
type Options struct {
	// HostLimit is how much host memory may hold tensors (TERAIO-Mixed); the systems that work
	// on the host have all of it.
	HostLimit unit.Bytes
	Fallback  Fallback
	// MinTensor is the smallest tensor that TERAIO moves; Target is up to what of the capacity it
	// plans, in thousandths.
	MinTensor unit.Bytes
	Target    int64
	// Rewrite: weights that did not change are written again when they leave.
	Rewrite bool

	// Tensor: ZeRO cuts matrices (tensor parallelism, as in the TERAIO paper), not the batch.
	// Micro is the micro-batch of ZeRO and FSDP, in sequences; 0: the largest that fits.
	Tensor bool
	Micro  int64
	// Stage is ZeRO-Offload's, 2 or 3. Delayed: its host's step overlaps the next iteration.
	Stage   int64
	Delayed bool
	// Pipelined: ZeRO-Infinity reads and writes drives while the host computes.
	Pipelined bool
	// SubGroup is in elements, Buffers and BufferElements of its pinned buffers for weights (0: as
	// large as the largest matrix),
	// OptBuffers of those for the optimizer.
	SubGroup, Buffers, BufferElements, OptBuffers int64
	// Prefetch, Live and Reuse are ZeRO-3's limits, Bucket is that of gradients, in elements.
	Prefetch, Live, Reuse, Bucket int64

	// Plans, if it is not nil, are plans of TERAIO that runs hand on to each other. Results are the same.
	Plans *Plans
}

// A Fallback is what TERAIO does when its plan does not fit.
type Fallback uint8

// The fallbacks.
const (
	Better  Fallback = iota // corrected: the fastest of the other two and of more plans (package teraio)
	Demand                  // as published: keep the plan and evict on demand
	Stretch                 // plan for a longer iteration, in which it fits
)

// Standard returns the options of the TERAIO paper (§4.1 and §4.3; Table 4 of its appendix
// for ZeRO) with DeepSpeed's defaults (runtime/zero/config.py of August 2026) for the rest.
func Standard() Options {
	return Options{
		HostLimit: 1024 * unit.GiB, // §4.4; the cost of §4.3 has 1 TB too
		Fallback:  Better,
		MinTensor: unit.MiB,
		Target:    970,
		Rewrite:   true,

		Tensor: true, // §4.1
		Stage:  3,    // Table 4, as all up to BufferElements

		Pipelined:      true,
		OptBuffers:     4,
		Buffers:        18,
		BufferElements: 300e6, // and 540e6 for the largest model

		SubGroup: 1e9, // DeepSpeed's defaults from here
		Prefetch: 5e7,
		Live:     1e9,
		Reuse:    1e9,
		Bucket:   5e8,
	}
}

// A System is one way to train a model that does not fit.
type System struct {
	Name, Title, About, Paper string
	Family                    string // what it belongs to, in lists
	Bound                     bool   // all GPUs hold everything
	Look                      int
	Off                       bool // not compared at first
	Main                      bool
	Usual                     bool // what the subject is compared with where nobody says another
	// Drives: it may move something to drives, so a run depends on their rates. Host: it plans with
	// how much host memory there is; others only ask that it is enough.
	Drives, Host bool
	// Offloads, of a system whose tensors move by programs alone (offload.Schedule.Programs), is how much
	// host memory they may take at most; nil where tensors are kept elsewhere in another way.
	Offloads func(n *machine.Node, o *Options) unit.Bytes
	// Planning is about how long its plans take for a kernel, in steps of 2.5 µs; 0 where it
	// plans nothing.
	Planning float64
	// Recipe, if it is not nil, is what GPUs share where memory and time come from closed formulas
	// (package recipe): always where there is no Plan, else for recipes that are not plain.
	Recipe *recipe.Share
	// Cut changes what is built: how the model is cut, and who does the optimizer's work. Where
	// Micro is 0 it chooses it.
	Cut func(s *job.Spec, o *Options) error
	// Plan returns schedules of which the fastest counts. A *Refusal says that the system cannot
	// run it.
	Plan func(j *job.Job, n *machine.Node, o *Options, p report.Progress) ([]*offload.Schedule, error)
}

// Pipeline cuts as the settings say: a pipeline of all GPUs, unless they say something else
// (TERAIO paper, §4.1). A Micro of 0 becomes about 8192 tokens, whole sequences that divide the batch.
//
// Degrees of 0 are chosen: Tensor and Data become 1, Pipeline what is left of the GPUs. GPUs that share sequences
// (Layout.Context) are replicas here.
func Pipeline(s *job.Spec, o *Options) error {
	l := &s.Layout
	l.Tensor, l.Data = max(l.Tensor, 1), max(l.Data, 1)
	gpus := s.Node.GPUs
	if l.Pipeline <= 0 {
		if gpus%(l.Tensor*l.Replicas()) != 0 {
			return fmt.Errorf("%d GPUs cannot be cut %d × %d ways (tensor, data and context); choose degrees whose product divides the GPUs", gpus, l.Tensor, l.Replicas())
		}
		l.Pipeline = gpus / (l.Tensor * l.Replicas())
	}
	if l.GPUs() != gpus {
		return fmt.Errorf("pipeline %d × tensor %d × data and context %d needs %d GPUs; the node has %d", l.Pipeline, l.Tensor, l.Replicas(), l.GPUs(), gpus)
	}
	if l.Batch <= 0 || l.Batch%l.Data != 0 {
		return fmt.Errorf("a batch of %d sequences cannot be shared by %d replicas; choose a multiple", l.Batch, l.Data)
	}
	if l.Micro <= 0 {
		l.Micro = job.ChooseMicro(l.Batch/l.Data, l.Sequence)
	}
	return nil
}

// A Refusal says why a system cannot run a job: what would be needed and what there is.
type Refusal struct{ Reason string }

// Error returns the reason.
func (r *Refusal) Error() string { return r.Reason }
