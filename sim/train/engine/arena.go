package engine

import (
	"fmt"

	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// An arenaPolicy is what an arena system does around a kernel.
type arenaPolicy interface {
	// load places what is on the GPU when the iteration starts.
	load() error
	// before starts the moves that are due when k is about to run.
	before(k workload.KernelID)
	// need makes t ready for kernel k, waiting if it must.
	need(k workload.KernelID, t workload.TensorID) error
	// after gives up what k was the last to use and may start moves.
	after(k workload.KernelID)
	// moved is called after every transfer or kernel that ends.
	moved()
}

// An arenaTensor is where a tensor is.
type arenaTensor struct {
	at        int64 // first page, or -1
	pages     int64
	offloaded bool // the program evicts it at some time
	fetching  bool // queued for or on its way to the GPU
	waiting   bool // in the waiting list of a planned prefetch
	inHost    bool // host memory holds it, or will
	dead      bool // host memory has no use for it
}

// An arenaRun is one iteration in the arena memory model.
type arenaRun struct {
	w    *workload.Workload
	p    *program.Program
	sets *workload.Sets
	life *vitality.Analysis
	exec []unit.Cycles

	pool     *pool
	tensors  []arenaTensor
	channels [numChannels]channel
	now      unit.Cycles
	busy     unit.Cycles // time with a transfer under way
	host     unit.Bytes  // in host memory
	it       result.Iteration
	policy   arenaPolicy
	// check, if not nil, is called after every event; tests set it.
	check func()
}

// runArena runs one iteration of w in a pool of contiguous tensors, without
// page faults, starting with all weights on the GPU (G10 artifact, the second
// simulator inside its analysis). The work is linear in kernels, tensors and
// transfers, times the number of holes in the pool.
func runArena(w *workload.Workload, p *program.Program, c Config) (*result.Result, error) {
	r, err := newArenaRun(w, p, c)
	if err != nil {
		return nil, err
	}
	return r.run(c)
}

func newArenaRun(w *workload.Workload, p *program.Program, c Config) (*arenaRun, error) {
	if c.Runtime.Pool > 1 { // the pool does not say so itself
		if err := kernelsFit(w, int64(c.Machine.GPUMemory/unit.Page)); err != nil {
			return nil, err
		}
	}
	r := &arenaRun{
		w: w, p: p, sets: Sets(w, c.Quirks), life: vitality.Analyze(w), exec: kernelTimes(w, c).exec,
		pool:    newPool(int64(c.Machine.GPUMemory/unit.Page) * c.Runtime.Pool),
		tensors: make([]arenaTensor, len(w.Tensors)),
	}
	for t := range r.tensors {
		r.tensors[t] = arenaTensor{at: -1, pages: w.Tensors[t].Pages()}
	}
	for _, op := range p.Ops {
		if op.Kind == program.Evict {
			r.tensors[op.Tensor].offloaded = true
		}
	}
	for i, rate := range arenaRates(&c.Machine, c.Quirks) {
		r.channels[i] = channel{rate: rate, clock: c.Machine.Clock}
	}
	if p.Count(program.Evict, machine.Host) > 0 && min(r.channels[hostIn].rate, r.channels[hostOut].rate) <= 0 {
		return nil, &DoesNotFit{fmt.Sprintf(
			"the plan moves tensors to host memory, but the SSD (%v read) takes the whole host link (%v); a faster host link or a slower SSD would help",
			c.Machine.SSDRead, c.Machine.HostLink)}
	}
	if c.Runtime.FillAhead {
		r.policy = newFillAhead(r)
	} else {
		r.policy = &asPlanned{arenaRun: r}
	}
	return r, nil
}

// run simulates the iteration.
func (r *arenaRun) run(c Config) (*result.Result, error) {
	if err := r.policy.load(); err != nil {
		return nil, err
	}
	res := newResult(c, r.exec)
	res.Kernels = make([]result.Kernel, 0, len(r.w.Kernels))
	for k := range r.exec {
		start := r.now
		if err := r.prepare(workload.KernelID(k)); err != nil {
			return nil, err
		}
		end := r.now + r.exec[k]
		for r.serve(end) != kernelEnded {
		}
		res.Kernels = append(res.Kernels, result.Kernel{
			Start: start, End: r.now, Ideal: r.exec[k],
			GPU: unit.Bytes(r.pool.used) * unit.Page, Host: r.host,
		})
		r.policy.after(workload.KernelID(k))
		if c.Progress != nil && (k%256 == 255 || k == len(r.exec)-1) {
			c.Progress(k+1, len(r.exec))
		}
	}
	r.it.Time = r.now
	r.it.Stall = r.now - res.Ideal
	// Time passes without a kernel only while a transfer is under way, so
	// neither of these is negative.
	r.it.Overlap = r.busy - r.it.Stall
	r.it.Compute = res.Ideal - r.it.Overlap
	res.Iterations = []result.Iteration{r.it}
	res.Notes = append(res.Notes, "One iteration was run. It starts warm, with all weights on the GPU.")
	if c.Runtime.Pool > 1 {
		res.Notes = append(res.Notes, fmt.Sprintf(
			"As published, the memory pool is %d times the GPU's memory, so that memory in use may exceed it.", c.Runtime.Pool))
	}
	return res, nil
}

// prepare makes everything ready that kernel k needs.
func (r *arenaRun) prepare(k workload.KernelID) error {
	r.policy.before(k)
	for _, t := range r.sets.All[k] {
		if err := r.policy.need(k, t); err != nil {
			return err
		}
	}
	return nil
}

// resident reports whether t has memory on the GPU.
func (r *arenaRun) resident(t workload.TensorID) bool { return r.tensors[t].at >= 0 }

// place gives t memory at the high end if it moves and at the low end if it
// stays. ok is false when no hole is large enough.
func (r *arenaRun) place(t workload.TensorID) (ok bool) {
	x := &r.tensors[t]
	at := int64(-1)
	if x.offloaded {
		at, ok = r.pool.high(x.pages)
	} else {
		at, ok = r.pool.low(x.pages)
	}
	if ok {
		x.at = at
	}
	return ok
}

// makeRoom places t, waiting for offloads to free memory.
func (r *arenaRun) makeRoom(k workload.KernelID, t workload.TensorID) error {
	for !r.place(t) {
		if !r.wait(result.Eviction) {
			return r.tooLarge(k, t)
		}
	}
	return nil
}

// drop gives up the GPU memory of t, if it has any.
func (r *arenaRun) drop(t workload.TensorID) {
	if x := &r.tensors[t]; x.at >= 0 {
		r.pool.release(x.at, x.pages)
		x.at = -1
	}
}

// keepInHost notes whether host memory holds t.
func (r *arenaRun) keepInHost(t workload.TensorID, yes bool) {
	x := &r.tensors[t]
	if x.inHost == yes || yes && x.dead {
		return
	}
	x.inHost = yes
	if size := unit.Bytes(x.pages) * unit.Page; yes {
		r.host += size
	} else {
		r.host -= size
	}
}

// tooLarge reports that t cannot get memory for kernel k.
func (r *arenaRun) tooLarge(k workload.KernelID, t workload.TensorID) error {
	return &DoesNotFit{fmt.Sprintf(
		"kernel %d (%s) needs %v in one piece for tensor %d, but the largest free piece of GPU memory is %v (%v are free in all) and nothing is about to leave; more GPU memory or a smaller batch would help",
		k, r.w.Kernels[k].Name, unit.Bytes(r.tensors[t].pages)*unit.Page, t,
		unit.Bytes(r.pool.largest())*unit.Page, unit.Bytes(r.pool.pages-r.pool.used)*unit.Page)}
}

// arenaRates returns the rates of the channels. The host channel has what the
// SSD leaves of the host link.
func arenaRates(m *machine.Machine, q quirk.Set) [numChannels]unit.Bandwidth {
	read, write, link := m.SSDRead, m.SSDWrite, m.HostLink
	if q.Has(quirk.SymmetricSSD) {
		write = read
	}
	rates := [numChannels]unit.Bandwidth{ssdIn: read, ssdOut: write, hostIn: link - read, hostOut: link - write}
	if q.Has(quirk.BinaryGigabytes) {
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
