package offload

import (
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Watcher is told of measured iterations: Begin, what happens in the order in which it ends, End. What
// it is told of a run that does not end, or whose iterations are not alike, is followed by another Begin.
// Times are from the beginning of the iteration.
type Watcher interface {
	Begin(s *Schedule)
	Spell(s Spell)
	Transfer(t Transfer)
	// Presence is told of tensors of GPUs that have a program: of those that are there when the
	// iteration begins first, then in order of time.
	Presence(p Presence)
	End(r *Result)
}

// A Presence is that a tensor of a GPU takes its bytes of a memory from a time on, or does no more. One
// that moves does at both ends, one on the GPU with a good copy on drives too.
type Presence struct {
	GPU    int
	Tensor workload.TensorID
	Tier   Tier
	Is     bool
	At     unit.Time
	Bytes  unit.Bytes
}

// A Spell is a time in which one GPU does one thing, or waits for one thing. Those of a GPU follow each
// other without gaps; the ones with the same cause sum to what its ledger says.
type Spell struct {
	GPU        int
	Kernel     workload.KernelID // that runs, or is waited for by the GPU; their number after the last
	Runs       bool              // the kernel does; else the GPU waits
	Cause      Cause
	Begin, End unit.Time
}

// What is a kind of transfer.
type What uint8

// The kinds of transfers, with what ID numbers.
const (
	Fetched    What = iota // tensors of the GPU's part
	Offloaded              // tensors of the GPU's part
	Sent                   // sends of the job; the GPU is the sender
	Collected              // collectives of the job; each GPU's part in one
	Additional             // extras of the schedule
	Whats
)

// A Transfer is a task beside kernels that ends in the measured iteration.
type Transfer struct {
	GPU   int // whose queue
	Queue QueueKind
	What  What
	ID    int32
	// Begin is when it came to the head of its queue, below 0 in the iteration before.
	Begin, End unit.Time
	Bytes      unit.Bytes
	// Sum is where the GPU's result counts the bytes: SSDRead is Read, SSDWrite Written, HostRead and
	// HostWrite what their names say; any other is in no sum.
	Sum QueueKind
}

// watching is what a run needs for its watcher: when tasks began that have not ended.
type watching struct {
	to      Watcher
	tensors [][]unit.Time // by GPU and tensor
	sends   []unit.Time
	parts   [][]unit.Time // by collective and GPU
	extras  []unit.Time   // by iteration and extra
}

// watch prepares a run for its watcher.
func (r *run) watch() {
	if r.o.Watch == nil {
		return
	}
	w := &watching{to: r.o.Watch, tensors: make([][]unit.Time, len(r.gpus)), sends: make([]unit.Time, len(r.job.Sends)), parts: make([][]unit.Time, len(r.collectives)), extras: make([]unit.Time, len(r.ended))}
	for g := range r.gpus {
		w.tensors[g] = make([]unit.Time, len(r.gpus[g].tensors))
	}
	for i := range r.collectives {
		w.parts[i] = make([]unit.Time, len(r.gpus))
	}
	r.watched = w
}

// at is where the beginning of a task is kept; nil of a kernel.
func (w *watching) at(kind, gpu int, id int64) *unit.Time {
	switch kind {
	case aFetch, anOffload:
		return &w.tensors[gpu][id]
	case aSend:
		return &w.sends[id]
	case aCollective:
		return &w.parts[id][gpu]
	case anExtra:
		return &w.extras[id]
	}
	return nil
}

// started notes when a task begins.
func (r *run) started(kind, gpu int, id int64) {
	if at := r.watched.at(kind, gpu, id); at != nil {
		*at = r.sim.Now()
	}
}

// told tells of a task that ends.
func (r *run) told(kind, gpu int, id int64) {
	at := r.watched.at(kind, gpu, id)
	if at == nil || !r.measuring {
		return
	}
	t := Transfer{GPU: gpu, ID: int32(id), Begin: *at - r.opened, End: r.sim.Now() - r.opened, Sum: QueueKinds}
	switch kind {
	case aFetch, anOffload:
		x := &r.gpus[gpu].tensors[id]
		t.Bytes, t.What, t.Queue = x.size, Fetched, SSDRead
		if x.tier == Host {
			t.Queue = HostRead
		}
		if kind == anOffload {
			t.What = Offloaded
			t.Queue++ // the way back
		}
		t.Sum = t.Queue
	case aSend:
		s := &r.job.Sends[id]
		t.GPU, t.Bytes, t.What, t.Queue = int(s.From.Part), s.Bytes, Sent, Peers
	case aCollective:
		t.Bytes, t.What, t.Queue = r.collectives[id].bytes, Collected, Peers
	case anExtra:
		e := int(id) % len(r.s.Extras)
		x := &r.s.Extras[e]
		t.ID, t.Bytes, t.What, t.Queue = int32(e), x.Bytes, Additional, x.Queue
		if m := r.extraMoves[e]; m != still {
			t.Sum = sums[m]
		}
	}
	r.watched.to.Transfer(t)
}

// here tells that a tensor is in a memory from now on, or is no more.
func (r *run) here(g *gpu, t int32, tier Tier, is bool) {
	if r.watched != nil && r.measuring {
		r.watched.to.Presence(Presence{g.index, workload.TensorID(t), tier, is, r.sim.Now() - r.opened, g.tensors[t].size})
	}
}

// there tells where tensors of a GPU are when the iteration begins.
func (r *run) there(g *gpu) {
	if r.watched == nil || g.program == nil {
		return
	}
	for t := range g.tensors {
		x := &g.tensors[t]
		if x.place == resident || x.place == leaving || x.place == coming && x.begun {
			r.here(g, int32(t), GPU, true)
		}
		if x.place == leaving || x.place == away || x.place == coming {
			r.here(g, int32(t), x.tier, true)
		}
		if x.copied && (x.place == resident || x.tier != SSD) {
			r.here(g, int32(t), SSD, true)
		}
	}
}

// sums are the queues that name a mover's sums.
var sums = [...]QueueKind{reads: SSDRead, writes: SSDWrite, readsHost: HostRead, writesHost: HostWrite}

// spell tells what a GPU has done since the last turn.
func (r *run) spell(g *gpu) {
	s := Spell{GPU: g.index, Kernel: workload.KernelID(g.kernel), Runs: g.cause == Computes || g.mode == communicating, Cause: g.cause, Begin: g.since - r.opened, End: r.sim.Now() - r.opened}
	if g.mode == finished {
		s.Kernel++
	}
	r.watched.to.Spell(s)
}

// A Recorder is a Watcher that writes down all it is told.
type Recorder struct {
	of  []*Result
	all []*Record
	now *Record
}

// A Record is what happened in a measured iteration.
type Record struct {
	Schedule  *Schedule
	Spells    []Spell // in the order in which they end; one is not split in two
	Transfers []Transfer
	Presences []Presence
	last      []int // by GPU: the spell that may go on, -1
}

// Begin begins a record.
func (r *Recorder) Begin(s *Schedule) { r.now = &Record{Schedule: s} }

// Spell writes down what a GPU did.
func (r *Recorder) Spell(s Spell) {
	w := r.now
	for len(w.last) <= s.GPU {
		w.last = append(w.last, -1)
	}
	if i := w.last[s.GPU]; i >= 0 {
		if l := &w.Spells[i]; l.Kernel == s.Kernel && l.Runs == s.Runs && l.Cause == s.Cause && l.End == s.Begin {
			l.End = s.End
			return
		}
	}
	w.last[s.GPU] = len(w.Spells)
	w.Spells = append(w.Spells, s)
}

// Transfer writes down a transfer.
func (r *Recorder) Transfer(t Transfer) { r.now.Transfers = append(r.now.Transfers, t) }

// Presence writes down where a tensor is.
func (r *Recorder) Presence(p Presence) { r.now.Presences = append(r.now.Presences, p) }

// End ends a record.
func (r *Recorder) End(res *Result) { r.of, r.all = append(r.of, res), append(r.all, r.now) }

// Of returns the record of a run, nil if there is none.
func (r *Recorder) Of(res *Result) *Record {
	for i, x := range r.of {
		if x == res {
			return r.all[i]
		}
	}
	return nil
}
