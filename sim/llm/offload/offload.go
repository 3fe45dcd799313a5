// Package offload runs a job on a node: kernels in order on each GPU, tensors that are on the
// GPU, on drives or in host memory, and what a system adds to that. It is the only place of
// this laboratory where simulated time passes; what moves, moves in package flow.
//
// # Source
//
// TERAIO, NeurIPS 2025, §3.2 and §3.3: a migration engine with queues for each GPU, urgent
// migrations before all others, kernels that wait for tensors or for room. The rest of the rules
// below is ours; the paper does not say them.
//
// # Model
//
// A GPU runs one kernel after the other. Each has four queues of its own in which its bytes wait
// their turn (drives read and written, host memory read and written), in order of issue with an
// urgent lane, and one for collectives; the host's processors are one queue of the node. Bytes go
// over the links of machine.Node.Route, which all share fairly; a drive's latency comes once an
// operation. Tensors take whole pages of 4 KiB, and those move.
//
//   - A kernel begins when its tensors are on the GPU. Those that are elsewhere are fetched
//     urgently (a prefetch in the queue is promoted); those that nobody has written yet take room
//     when it begins.
//   - The memory of a tensor that leaves is free when its last byte is written. A tensor that no
//     later kernel reads is free when its kernel ends: it is on the GPU then, so nothing of it is
//     on its way.
//   - A kernel that waits for room reserves it: prefetches begin only in what is left besides.
//     What is still missing beyond all that is leaving is evicted on demand, farthest next use
//     first, urgently, never a tensor of that kernel.
//   - A fetch takes back an offload that has not begun; one that has begun it follows.
//   - Programs may ask for what makes no sense (a tensor that is not there, or there already):
//     nothing happens.
//   - Host memory and drives have a size. Room is taken when an offload is issued. An offload to
//     host memory goes to the drives when that is full; one to full drives does not happen.
//   - A copy on drives stays good until a kernel writes the tensor: if Schedule.Rewrite is not
//     set, a tensor with one is dropped without a write. Copies in host memory are not kept.
//   - Extras are issued when all that they wait for has ended; at one moment, in their order.
//     Their Time is all the latency they have.
//
// Iterations follow each other: when all GPUs have run their kernels, the next begins on all of
// them (departure 1). Moves, and extras, go on across that. The third is measured, from the moment
// when it begins to the moment when its last kernel ends, if it is as long as the second, to a
// hundredth. Else the run goes on to the eighth, which is measured; Result.Before says how long
// the one before was.
//
// # Ledger
//
// Every moment of a GPU has one cause. While a kernel runs it is Computes, while a collective
// that is a kernel moves bytes Communicate. While the next kernel waits, it is the first in this
// list that holds it:
//
//  1. Bubble: a send that has not begun, because the kernel it comes from has not ended; at the
//     end of an iteration, other GPUs.
//  2. Communicate: bytes of a send on their way; a collective beside kernels, from when all that it
//     waits for has ended (before, what the system says); the other GPUs of a collective that is a kernel.
//  3. Optimizer, or what else a system's Extra says of those that wait for it.
//  4. Fetch: a tensor that is on its way, or waits in a queue to be.
//  5. Space: no room for what the kernel needs, and no tensor of it on its way.
//
// So what a GPU would wait for anyway hides what its own memory makes it wait for.
//
// # Departures
//
//  1. At the end of an iteration all GPUs wait for each other, as for the norm of all gradients.
//     The paper does not say whether TorchTitan was told to clip gradients.
//  2. A collective is one flow from each GPU to the next of its group, with the bytes that it
//     sends in a ring; all-to-all too. Steps of a ring have the latency of machine.Config.Step. What GPUs that share a sequence pass on has
//     a queue beside that of other collectives, with which it shares links.
//  3. The other end of a send needs no buffer besides the tensor that the receiving kernel uses.
package offload

import (
	"spillway/sim/llm/job"
	"spillway/sim/machine"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Tier is where a tensor is.
type Tier uint8

// The tiers.
const (
	Nowhere Tier = iota
	SSD
	Host
	GPU
	Tiers
)

// An Op moves a tensor of one part. It is issued when kernel At-1 has ended (At 0: when the
// iteration begins), before kernel At begins, and does not hold the kernel.
type Op struct {
	At     workload.KernelID
	Tensor workload.TensorID
	To     Tier // GPU: a prefetch; else an offload
}

// A Program is what one GPU's tensors do in an iteration, ordered by At, which is at most the
// number of kernels.
type Program struct {
	Ops []Op
	// Start says where global tensors are before the first iteration, by tensor; Nowhere for all
	// others. Empty: all are on the GPU.
	Start []Tier
	// Spill says where tensors go that are evicted on demand: SSD, or Host.
	Spill Tier
}

// A Cause is what a GPU does or waits for. Every picosecond of every GPU has one.
type Cause uint8

// The causes.
const (
	Computes    Cause = iota
	Fetch             // waits for a tensor to come, or for a system's gather
	Space             // waits for room
	Communicate       // sends, collectives, and waiting for the others in them
	Optimizer         // waits for the host's optimizer
	Bubble            // waits for another stage of the pipeline, or at the end for other GPUs
	Causes
)

// A QueueKind is which queue of a GPU or of the node a task takes.
type QueueKind uint8

// The queues. Each GPU has one of each, but for the host's processors, which are one.
const (
	SSDRead QueueKind = iota
	SSDWrite
	HostRead  // host to GPU
	HostWrite // GPU to host
	Peers     // collectives beside kernels
	CPU       // the host's processors, one task after the other
	QueueKinds
)

// An Extra is a task of an iteration that a system adds beside the kernels: a gather of
// weights, a gradient that goes to the host, a step of the host's optimizer.
type Extra struct {
	Name     string
	GPU      int16 // whose queue
	Queue    QueueKind
	Time     unit.Time
	Bytes    unit.Bytes
	From, To machine.Endpoint // of Bytes
	After    []job.Ref        // kernels that have ended before it begins
	Extras   []int32          // extras, by their place in the schedule, that have ended before
	Last     []int32          // extras of the iteration before that have ended before; none in the first
	Before   []job.Ref        // kernels that wait for it
	Next     []job.Ref        // kernels of the next iteration that wait for it
	Cause    Cause            // of what waits for it
}

// A Schedule is a system's plan for a job.
type Schedule struct {
	Name string // of the variant, where a system has several: "stretched"
	// Programs are the tensors' moves, one for each part; nil: tensors stay on the GPU, and the
	// GPU's memory is not a limit.
	Programs []*Program
	Extras   []Extra
	// Away are kinds of tensors that the system keeps elsewhere in its own way; they take no
	// memory of the GPU here.
	Away []workload.Kind
	// Rewrite: tensors that were not written since they were last on drives are written again
	// when they leave; else they are dropped.
	Rewrite bool
	// HostLimit is how much host memory may hold tensors of Programs; 0: all that is left.
	HostLimit unit.Bytes
	// Within is what of each GPU's memory it uses at most, tensors and Static; 0: all that there is.
	Within unit.Bytes
	// Static is what the system takes of each GPU's memory, and of host and drives, all the time,
	// besides what is above.
	Static, Host, Drives unit.Bytes
	// Planned says what the planner expects: unmet is what is above the capacity in its plan at the worst.
	Unmet unit.Bytes
	Notes []string
}

// Options are what a run takes.
type Options struct {
	Iterations int  // how many run; the last is measured. 0: as many as it takes until they are alike, 3 or 8
	Curves     bool // record what changes over time
	// Points is how many points a curve has at most. 0: 512
	Points   int
	Progress report.Progress // of kernels
	Watch    Watcher         // is told what happens; may be nil
}

// A GPUResult is one GPU in the measured iteration.
type GPUResult struct {
	Ledger [Causes]unit.Time // sums to Result.Time
	Peak   unit.Bytes        // of its memory, Schedule.Static included
	// Overlapped is for how long kernels ran while bytes of the GPU moved to or from drives or host.
	Overlapped unit.Time
	// Read and Written are what it moved from and to drives, HostRead and HostWritten from and to host memory.
	// A tensor counts whole in the iteration in which its move ends, so that one in whose beginning
	// something was under way may count more than its links (Result.Links) carried: of random runs on
	// one GPU up to 4 %.
	Read, Written, HostRead, HostWritten unit.Bytes
	Demand                               int64 // offloads that no program asked for; a tensor that is dropped without a write is none
	Late                                 int64 // kernels that waited for a tensor, or a gather: Fetch
}

// A LinkUse is what a link carried in the measured iteration.
type LinkUse struct {
	Bytes unit.Bytes
	Busy  unit.Time
}

// A Sample is a moment of the measured iteration, from its beginning.
type Sample struct {
	At     unit.Time
	Kernel workload.KernelID // that runs, or is next
	// Bytes are what the part's tensors take, without what the system takes all the time: a tensor
	// that moves takes room at both ends, one on the GPU with a good copy on drives too.
	Bytes  [Tiers]unit.Bytes
	Active unit.Bytes // of the tensors of that kernel
}

// A Span is what links carried in a piece of the measured iteration.
type Span struct {
	At    unit.Time
	Bytes []unit.Bytes // by link of the node
}

// A Result is a run.
type Result struct {
	Schedule string // Name of the one that ran
	Time     unit.Time
	Before   unit.Time // what the iteration before the measured one took; 0 if there was none
	GPUs     []GPUResult
	Links    []LinkUse
	// HostPeak and DrivePeak are the most that host memory and all drives held in the whole run,
	// Schedule.Host and Drives included.
	HostPeak, DrivePeak unit.Bytes
	Memory              [][]Sample // by GPU, with Options.Curves
	Rates               []Span     // with Options.Curves; equal pieces of time
	// Stuck says why the run cannot go on, empty if it ended: "GPU 0: kernel 12 needs 90 GiB". Then
	// nothing is measured: there are no GPUs, links and curves.
	Stuck string
}

// Run runs a job. The error is about the schedule; that something does not fit is Stuck.
func Run(j *job.Job, s *Schedule, n *machine.Node, o Options) (*Result, error) {
	if o.Iterations != 0 {
		return once(j, s, n, o)
	}
	o.Iterations = few
	r, err := once(j, s, n, o)
	if err != nil || r.Stuck != "" || r.Settled() {
		return r, err
	}
	o.Iterations = many
	return once(j, s, n, o)
}

// How many iterations run: few if the last two are alike, else many.
const few, many = 3, 8

// Settled reports whether the measured iteration is as long as the one before, if there was one, to a
// hundredth.
func (r *Result) Settled() bool {
	d := r.Time - r.Before
	return r.Before == 0 || max(d, -d) <= r.Before/100
}

func once(j *job.Job, s *Schedule, n *machine.Node, o Options) (*Result, error) {
	if o.Points == 0 {
		o.Points = 512
	}
	if err := check(j, s, n, &o); err != nil {
		return nil, err
	}
	r, err := build(j, s, n, o)
	if err != nil {
		return nil, err
	}
	if r.stuck = r.tooLarge(); r.stuck == "" {
		r.run()
	}
	out := r.result()
	if o.Watch != nil && r.stuck == "" {
		o.Watch.End(out)
	}
	return out, nil
}
