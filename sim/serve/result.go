package serve

import (
	"math"

	"spillway/sim/policy"
	"spillway/sim/unit"
)

// A Phase is what a request waits for before its first token. The phases of a request sum to the time
// of its first token, to the picosecond.
type Phase uint8

// The phases.
const (
	Front        Phase = iota // the server's front end: HTTP and tokenizer
	Queue                     // for its turn: other requests, a place in the batch, the step under way
	Memory                    // for memory for keys and values
	LoadHost                  // keys and values come from host memory
	LoadDrive                 // keys and values come from drives
	Prefill                   // its own prompt is computed
	Interference              // others' tokens are computed in the same steps
	Phases       = int(Interference) + 1
)

// String is the phase's name.
func (p Phase) String() string {
	return [...]string{"front end", "queue", "memory", "load from host", "load from SSD", "prefill", "interference"}[p]
}

// Doing is what an engine does. Of each replica the times sum to Result.Time, to the picosecond.
type Doing uint8

// What an engine does.
const (
	Idle      Doing = iota // no request is here, or all are in the front end
	Fetching               // keys and values come, and nothing else is to do
	Reading                // steps of prompts alone
	Both                   // steps of prompts and of answers
	Answering              // steps of answers alone
	Doings    = int(Answering) + 1
)

// String says it in words.
func (d Doing) String() string {
	return [...]string{"nothing to do", "waits for keys and values", "prompts", "prompts and answers", "answers"}[d]
}

// A Tier is where the beginning of a prompt was found.
type Tier uint8

// The tiers. Computed is what no tier had.
const (
	InHBM Tier = iota
	InHost
	InDrive
	Computed
	Tiers = int(Computed) + 1
)

// String is the tier's name.
func (t Tier) String() string { return [...]string{"GPU memory", "host memory", "SSD", "computed"}[t] }

// A Served is what became of a request. Times are from the beginning of the run.
type Served struct {
	Replica int32
	// Arrive is when it came, Admit when it first got memory, Start when the first step of its prompt began,
	// First when it had its first token, Done its last.
	Arrive, Admit, Start, First, Done unit.Time
	Phases                            [Phases]unit.Time // sum to First − Arrive
	Tokens                            [Tiers]int32      // of its prompt, by where they came from; sum to the prompt
	Preempted                         int32             // how often it gave back its memory
}

// Spread says of many times what they are.
type Spread struct {
	Mean, P50, P90, P99, Longest unit.Time
}

// A Sample is a moment of a run, over all replicas.
type Sample struct {
	At               unit.Time
	Running, Waiting int64
	// Used are tokens of keys and values of requests that run, Cached those kept of others, all in GPU memory;
	// Host and Drive are in those tiers.
	Used, Cached, Host, Drive int64
}

// Work is how long something was busy, in the mean of the replicas, and what all of them moved.
type Work struct {
	Busy  unit.Time
	Bytes unit.Bytes
}

// mostBytes is the most that is counted of what moves.
const mostBytes = unit.Bytes(math.MaxInt64)

// Moved is the work of all parts of replicas.
type Moved struct {
	Compute, HBM    Work // of the GPU's peaks
	LinkIn, LinkOut Work // host memory to GPU, and back
	Read, Write     Work // drives
	// StreamIn and StreamRead are weights, and keys and values of requests under way, that pass by in steps: over links and
	// from drives. The four above have none of it.
	StreamIn, StreamRead Work
}

// In is all that came from host memory to GPUs.
func (m *Moved) In() Work { return m.LinkIn.and(m.StreamIn) }

// FromDrives is all that drives were read.
func (m *Moved) FromDrives() Work { return m.Read.and(m.StreamRead) }

// and is the work of both.
func (w Work) and(x Work) Work {
	return Work{after(w.Busy, x.Busy), w.Bytes + min(x.Bytes, mostBytes-w.Bytes)}
}

// A Result is what a run of requests gave.
type Result struct {
	System string
	// Refused says why nothing ran, and what to do: weights that do not fit, a request that no memory holds, more than 100 days of
	// work. Everything else is zero then, but for Memory and what the machine costs.
	Refused  string
	Memory   Footprint
	Replicas int64
	Time     unit.Time // from the first arrival to the end of the last answer
	Requests []Served

	Prompts, Answers int64 // tokens
	Tokens           [Tiers]int64
	Preempted        int64
	Steps            int64
	PeakKV           int64 // most tokens in use at once, of a replica

	TTFT, TPOT, ITL, E2E Spread              // TPOT is of requests with two tokens or more, ITL of steps that give a token
	Doing                [][Doings]unit.Time // by replica
	Good                 int64               // requests that kept both limits

	Moved
	Samples           []Sample
	Script            *policy.Account // of the policy that somebody wrote, nil without
	MilliWatts        int64           // of the node
	Price, KWh, Years int64           // US cents of the node and of a kWh; years that pay for it
	Endurance         unit.Bytes

	missed bool // a prompt was computed from a block on that some tier had had and forgot
}

// A Footprint is where a GPU's memory goes, of one replica.
type Footprint struct {
	Given   unit.Bytes // to the engine, of all GPUs of the replica
	Weights unit.Bytes // on them
	// HostWeights and DriveWeights are those in host memory and on drives, of systems whose weights do not stay on GPUs.
	HostWeights, DriveWeights unit.Bytes

	Activations unit.Bytes // with what driver and libraries take
	// Layers and Choice are what a step takes on each GPU in its widest layer, and to choose tokens; the larger is in Activations.
	Layers, Choice unit.Bytes
	KV             unit.Bytes // what is left for keys and values, where the system keeps those of requests under way
	KVToken        unit.Bytes // keys and values of a token
	KVTokens       int64      // that fit into KV
	GiB            int64      // tokens that one GiB more or less holds, on each GPU of the replica; 0 where they are elsewhere
	Host, Drive    int64      // tokens that these tiers hold
}

// Ran reports whether the requests were served.
func (r *Result) Ran() bool { return r.Refused == "" }

// Serves reports whether another system would serve the same requests in the same way: it has all of this system's tiers, and no prompt
// was ever looked up whose next block had been there and was forgotten, so that further tiers have nothing to bring. Every request
// then has the same times and phases. What tiers hold, and what is written to them, differs. Of a policy that somebody wrote nothing
// is known.
func (r *Result) Serves(other *System) bool {
	sys, err := FindSystem(r.System)
	plain := func(s *System) bool { return s.Prefix && !s.Free && !s.Batch && s.Stream == Resident }
	if err != nil || !r.Ran() || r.missed || r.Script != nil || !plain(sys) || !plain(other) {
		return false
	}
	if sys.Host || sys.Drive {
		return sys.Host == other.Host && sys.Weigh == other.Weigh && (other.Drive || !sys.Drive)
	}
	return !other.Host || r.Preempted == 0 // who gives back memory goes to host memory, where there is such a tier
}
