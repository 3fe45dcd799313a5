package pool

import (
	"fmt"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/link"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// An arenaTensor is where a tensor is.
type tensorState struct {
	at        int64 // first page, or -1
	pages     int64
	offloaded bool // the program evicts it at some time
	fetching  bool // queued for or on its way to the GPU
	inHost    bool // host memory holds it, or will
	forgotten bool // host memory has no use for it
}

// A Run is one iteration: a pool of contiguous
// tensors and four channels. It does what its policy asks for, and knows what
// that costs.
type Run struct {
	Workload *workload.Workload
	Program  *program.Program
	Sets     *workload.Sets // the tensors of every kernel, in the order they are visited
	Life     *vitality.Analysis

	exec     []unit.Cycles
	pool     *pool
	tensors  []tensorState
	channels [link.Directions]channel                   // they run independently of each other
	rates    [link.Sets][link.Directions]unit.Bandwidth // of the channels, by which are busy
	both     int                                        // 1: the SSD reads and writes at the same time
	ssdTime  [2][link.SSDIn + 1]unit.Cycles             // how long its channels have been busy; the same while it did both
	now      unit.Cycles
	busy     unit.Cycles // time with a transfer under way
	host     unit.Bytes  // in host memory
	it       result.Iteration
	policy   Policy
	record   *engine.Record // may be nil
	// check, if not nil, is called after every event; tests set it.
	check func()
}

// Run runs one iteration of w in a pool of contiguous tensors, without
// page faults, starting with all weights on the GPU (G10 artifact, the second
// simulator inside its analysis). The work is linear in kernels, tensors and
// transfers, times the number of holes in the pool.
func (m Memory) Run(w *workload.Workload, p *program.Program, c engine.Config) (*result.Result, error) {
	r, err := m.newRun(w, p, c)
	if err != nil {
		return nil, err
	}
	return r.run(c, m.Scale)
}

func (m Memory) newRun(w *workload.Workload, p *program.Program, c engine.Config) (*Run, error) {
	if m.Scale > 1 { // the pool does not say so itself
		if err := engine.KernelsFit(w, int64(c.Machine.GPUMemory/unit.Page), w.HeldPages()); err != nil {
			return nil, err
		}
	}
	r := &Run{
		Workload: w, Program: p, Sets: engine.Sets(w, c.Quirks), Life: vitality.Analyze(w), exec: engine.Ideal(w, c),
		pool:    newPool(int64(c.Machine.GPUMemory/unit.Page) * m.Scale),
		tensors: make([]tensorState, len(w.Tensors)),
		record:  c.Record,
	}
	for t := range r.tensors {
		r.tensors[t] = tensorState{at: -1, pages: w.Tensors[t].Pages()}
	}
	for _, op := range p.Ops {
		if op.Kind == program.Evict {
			r.tensors[op.Tensor].offloaded = true
		}
	}
	for busy := range r.rates {
		r.rates[busy] = channelRates(&c, link.Set(busy))
	}
	for i, rate := range r.rates[0] {
		r.channels[i] = channel{rate: rate, clock: c.Machine.Clock}
	}
	if !c.Quirks.Has(quirk.InstantSSD) { // the published simulator starts a transfer for nothing
		latency := c.Machine.Clock.CyclesUp(c.Machine.SSDLatency)
		r.channels[link.SSDIn].latency, r.channels[link.SSDOut].latency = latency, latency
		for i := range r.channels {
			r.channels[i].cost = c.Machine.Clock.CyclesUp(c.Machine.TransferCost)
		}
	}
	if p.Count(program.Evict, machine.Host) > 0 && min(r.channels[link.HostIn].rate, r.channels[link.HostOut].rate) <= 0 {
		return nil, &engine.DoesNotFit{Reason: fmt.Sprintf(
			"the plan moves tensors to host memory, but the SSD (%v read) takes the whole host link (%v); a faster host link or a slower SSD would help",
			c.Machine.SSDRead, c.Machine.HostLink)}
	}
	var err error
	r.policy, err = m.Policy(r)
	return r, err
}

// run simulates the iteration.
func (r *Run) run(c engine.Config, scale int64) (*result.Result, error) {
	res := engine.NewResult(c, r.exec)
	res.Kernels = make([]result.Kernel, 0, len(r.Workload.Kernels))
	for k := range r.exec {
		start := r.now
		r.record.Launch(workload.KernelID(k))
		if err := r.policy.Launch(workload.KernelID(k)); err != nil {
			return nil, err
		}
		end := r.now + r.exec[k]
		for r.advance(end) != kernelEnded {
		}
		r.record.Reside(r.now, len(r.tensors), r.holds)
		res.Kernels = append(res.Kernels, result.Kernel{
			Start: start, End: r.now, Ideal: r.exec[k],
			GPU: unit.Bytes(r.pool.used) * unit.Page, Host: r.host,
		})
		r.policy.Ended(workload.KernelID(k))
		if c.Progress != nil && (k%256 == 255 || k == len(r.exec)-1) {
			c.Progress(k+1, len(r.exec))
		}
	}
	r.recordRest()
	r.it.Time = r.now
	r.it.Stall = r.now - res.Ideal
	// Time passes without a kernel only while a transfer is under way, so
	// neither of these is negative.
	r.it.Overlap = r.busy - r.it.Stall
	r.it.Compute = res.Ideal - r.it.Overlap
	res.Iterations = []result.Iteration{r.it}
	res.Notes = append(res.Notes, "One iteration was run. It starts warm, with all weights on the GPU.")
	if scale > 1 {
		res.Notes = append(res.Notes, fmt.Sprintf(
			"As published, the memory pool is %d times the GPU's memory, so that memory in use may exceed it.", scale))
	}
	if c.Drive != nil {
		res.SSD = r.delivered()
		if c.Mixed != nil {
			c.Mixed(1000, 1000) // a channel is busy or idle
		}
	}
	if c.Noise > 0 && c.Runtime.ExactTimes(c.Quirks) {
		res.Notes = append(res.Notes, "As published, the kernel time error does not reach this system: the original ends before it draws any.")
	}
	return res, nil
}

// holds is what t has of GPU memory.
func (r *Run) holds(t workload.TensorID) unit.Bytes {
	if !r.Resident(t) {
		return 0
	}
	return unit.Bytes(r.tensors[t].pages) * unit.Page
}

// Resident reports whether t has memory on the GPU.
func (r *Run) Resident(t workload.TensorID) bool { return r.tensors[t].at >= 0 }

// Offloaded reports whether the program evicts t at some time.
func (r *Run) Offloaded(t workload.TensorID) bool { return r.tensors[t].offloaded }

// InHost reports whether host memory holds t, or will.
func (r *Run) InHost(t workload.TensorID) bool { return r.tensors[t].inHost }

// Pages returns the pages of t.
func (r *Run) Pages(t workload.TensorID) int64 { return r.tensors[t].pages }

// Capacity returns the size of the pool.
func (r *Run) Capacity() unit.Bytes { return unit.Bytes(r.pool.pages) * unit.Page }

// Largest returns the pages of the largest free piece of memory.
func (r *Run) Largest() int64 { return r.pool.largest() }

// Reserve takes pages at the low end for the whole run. They must be there.
func (r *Run) Reserve(pages int64) { r.pool.low(pages) }

// Place gives t memory at the high end if it moves and at the low end if it
// stays. ok is false when no hole is large enough.
func (r *Run) Place(t workload.TensorID) (ok bool) {
	if r.tensors[t].offloaded {
		return r.PlaceHigh(t)
	}
	at, ok := r.pool.low(r.tensors[t].pages)
	if ok {
		r.tensors[t].at = at
		r.record.Touch(t)
	}
	return ok
}

// PlaceHigh gives t memory at the high end. Memory it already has stays taken.
// ok is false when no hole is large enough.
func (r *Run) PlaceHigh(t workload.TensorID) (ok bool) {
	at, ok := r.pool.high(r.tensors[t].pages)
	if ok {
		r.tensors[t].at = at
		r.record.Touch(t)
	}
	return ok
}

// MakeRoom places t for kernel k, waiting for evictions to free memory.
func (r *Run) MakeRoom(k workload.KernelID, t workload.TensorID) error {
	for !r.Place(t) {
		if !r.Wait(result.Eviction) {
			return r.TooLarge(k, t)
		}
	}
	return nil
}

// Drop gives up the GPU memory of t, if it has any.
func (r *Run) Drop(t workload.TensorID) {
	if x := &r.tensors[t]; x.at >= 0 {
		r.pool.release(x.at, x.pages)
		x.at = -1
		r.record.Touch(t)
	}
}

// Forget says that nobody will read a copy of t in host memory again.
func (r *Run) Forget(t workload.TensorID) {
	r.keepInHost(t, false)
	r.tensors[t].forgotten = true
}

// keepInHost notes whether host memory holds t.
func (r *Run) keepInHost(t workload.TensorID, yes bool) {
	x := &r.tensors[t]
	if x.inHost == yes || yes && x.forgotten {
		return
	}
	x.inHost = yes
	if size := unit.Bytes(x.pages) * unit.Page; yes {
		r.host += size
	} else {
		r.host -= size
	}
}

// TooLarge reports that t cannot get memory for kernel k.
func (r *Run) TooLarge(k workload.KernelID, t workload.TensorID) error {
	return &engine.DoesNotFit{Reason: fmt.Sprintf(
		"kernel %d (%s) needs %v in one piece for tensor %d, but the largest free piece of GPU memory is %v (%v are free in all) and nothing is about to leave; more GPU memory or a smaller batch would help",
		k, r.Workload.Kernels[k].Name, unit.Bytes(r.tensors[t].pages)*unit.Page, t,
		unit.Bytes(r.pool.largest())*unit.Page, unit.Bytes(r.pool.pages-r.pool.used)*unit.Page)}
}

// channelRates returns the rates of the channels while some are busy. The host's have what
// the SSD leaves of the host link, whether or not it is busy.
func channelRates(c *engine.Config, busy link.Set) [link.Directions]unit.Bandwidth {
	read, write := c.SSDRates(busy.Mixes())
	alone, written := c.SSDRates(false)
	rates := busy.Rates(&c.Machine, [link.Directions]unit.Bandwidth{
		link.SSDIn: read, link.SSDOut: write, link.HostIn: c.Machine.HostLink - alone, link.HostOut: c.Machine.HostLink - written,
	})
	if c.Quirks.Has(quirk.BinaryGigabytes) {
		for i := range rates {
			rates[i] = binary(rates[i])
		}
	}
	return rates
}

// binary reads a rate in GB/s as if it were in GiB/s. Rates are at most 10 TB/s,
// so that the product stays inside 64 bits.
func binary(b unit.Bandwidth) unit.Bandwidth {
	// 1.073741824 = 2^30/10^9 = 2^21/5^9.
	const num, den = 1 << 21, 1953125
	whole, rest := b/den, b%den
	return whole*num + rest*num/den
}
