package store

import (
	"fmt"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// A Part is what a client's time goes to. The parts of a client sum to the time
// of its end.
type Part uint8

// What the trace asks for and what calls cost; then what a client waits for.
const (
	Away       Part = iota // before the client's first operation
	Thinking               // computing, as in the trace
	Starting               // the first call's own cost
	Allocating             // create and malloc
	Freeing                // free and mfree
	Calling                // get and put

	WaitServer  // for the store, which handles another client's call
	WaitEvict   // for room: evictions, or a prefetch under way that must be evicted
	WaitPause   // the pause after evictions
	WaitMiss    // for a tensor that comes from the host, and for others in the way in
	WaitLate    // for a prefetch that is under way at the get
	WaitCompute // for the GPU's computing, which others share

	Parts = int(WaitCompute) + 1
)

// Waits reports whether the part is waiting.
func (p Part) Waits() bool { return p >= WaitServer }

// Store reports whether the part is something that the store does: it does one thing at a time, so
// over all clients these parts sum to no more than the time of a run.
func (p Part) Store() bool { return p > Thinking && p != WaitServer && p != WaitCompute }

// String returns the part's name.
func (p Part) String() string {
	return [...]string{
		"away", "thinking", "first call", "allocation", "free", "call",
		"store busy", "eviction", "pause", "miss", "late prefetch", "shared computing",
	}[p]
}

// A Client is what became of one client.
type Client struct {
	Name string
	End  unit.Time // of its last operation
	// Parts sums to End; so it does at the failure of a run that does not fit,
	// for what the client has done until then.
	Parts [Parts]unit.Time
	Ops   int64 // operations done
	// Gets of the tensors: found in GPU memory, in the host, or on the way.
	Hits, Misses, Late int64
	// Evictions and Evicted are of the client's own tensors, whoever needed room.
	Evictions int64
	Evicted   unit.Bytes
}

// Gets returns how many gets were answered.
func (c *Client) Gets() int64 { return c.Hits + c.Misses + c.Late }

// Waiting returns the sum of the parts that wait.
func (c *Client) Waiting() (t unit.Time) {
	for p, d := range c.Parts {
		if Part(p).Waits() {
			t += d
		}
	}
	return t
}

// A Reason is why a run does not fit.
type Reason string

// The reasons. The first four are clients' errors (Ravenstore report, §3.2).
const (
	InRavenspace  Reason = "access in Ravenspace"
	DoubleFree    Reason = "double free"
	UnknownTensor Reason = "unknown tensor"
	Exists        Reason = "create of an existing tensor"
	Foreign       Reason = "call of the other allocator"
	OutOfMemory   Reason = "out of GPU memory"
	OutOfHost     Reason = "out of host memory"
	NoCapacity    Reason = "page tables larger than GPU memory"
	TooLong       Reason = "longer than 50 days"
	GaveUp        Reason = "gave up" // what somebody wrote asked for too much work
)

// A Failure is the operation at which a run ends that does not fit.
type Failure struct {
	Reason Reason
	// Op is an index into the trace's operations, and Number the operation's
	// among its client's, from 1; -1 and 0 if the run does not begin.
	Op, Number     int32
	Kind           ops.Kind
	Client, Tensor string
	Needed, Free   unit.Bytes // where memory was short: what was missing room, and what room there was
	Says           string     `json:",omitempty"` // where it was given up: the whole sentence
}

// String says what happened, in one sentence.
func (f *Failure) String() string {
	if f.Op < 0 {
		return fmt.Sprintf("%s: the clients' page tables take %v of %v", f.Reason, f.Needed, f.Free)
	}
	s := fmt.Sprintf("operation %d of client %s (%s %s): ", f.Number, f.Client, f.Kind, f.Tensor)
	switch f.Reason {
	case GaveUp:
		return f.Says
	case OutOfMemory, OutOfHost:
		return s + fmt.Sprintf("%s: %v needed, %v free and nothing left to evict", f.Reason, f.Needed, f.Free)
	}
	return s + string(f.Reason)
}

// An Eviction is a tensor's way to the host.
type Eviction struct {
	Time   unit.Time // end of the copy
	Tensor int32
	Bytes  unit.Bytes
	Owner  int32 // client whose tensor it is
	By     int32 // client that needed room
	// Op is the operation that needed room and Next the next get of the victim
	// in the trace, indices into its operations; Next is -1 if there is none.
	Op, Next int32
	// Best is the tensor that the oracle would have evicted of those there
	// were. Right: its next use was no farther away than the victim's.
	Best  int32
	Right bool
}

// A Prefetch is a tensor's way back before its get.
type Prefetch struct {
	Start, End unit.Time
	Tensor     int32
	Bytes      unit.Bytes
	Owner      int32
}

// A Result is a run. If it does not fit, it is the run up to the failure.
type Result struct {
	Policy  string
	Failure *Failure // nil: the run fits
	// Time is the end of the last client, or of the failure.
	Time     unit.Time
	Capacity unit.Bytes // GPU memory for tensors
	Clients  []Client

	Evictions Log[Eviction]
	Evicted   unit.Bytes
	// Right counts evictions that were the oracle's choice, or as good.
	Right      int64
	Prefetches Log[Prefetch]
	Prefetched unit.Bytes
	// Wasted counts prefetched tensors that were evicted before their get.
	Wasted  int64
	Fetched unit.Bytes // brought back by gets that missed
	// InUse is the time in which the GPU computes for at least one client.
	InUse unit.Time

	PeakGPU, PeakHost unit.Bytes
	Timeline          Timeline
	// Script is what somebody wrote, nil where the policy is one of the store's.
	Script *Script `json:",omitempty"`
}

// Fits reports whether the run went to its end.
func (r *Result) Fits() bool { return r.Failure == nil }

// Busy returns the time in which the store handles a call.
func (r *Result) Busy() (t unit.Time) {
	for i := range r.Clients {
		for p, d := range r.Clients[i].Parts {
			if Part(p).Store() {
				t += d
			}
		}
	}
	return t
}

// Sum adds up the clients' parts and counts; its End is that of the last.
func (r *Result) Sum() Client {
	sum := Client{Name: "all"}
	for i := range r.Clients {
		c := &r.Clients[i]
		sum.End = max(sum.End, c.End)
		for p := range c.Parts {
			sum.Parts[p] += c.Parts[p]
		}
		sum.Ops += c.Ops
		sum.Hits += c.Hits
		sum.Misses += c.Misses
		sum.Late += c.Late
		sum.Evictions += c.Evictions
		sum.Evicted += c.Evicted
	}
	return sum
}
