// Package systemtest checks that a system obeys the laws of physics. Every
// system in the list must pass; a new one gets these tests for nothing.
package systemtest

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/engine/paged"
	"spillway/sim/train/engine/pool"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

var seeds = flag.Int("systemtest.seeds", 150, "random workloads each system runs in each fidelity mode")

// Run checks s over random small workloads and machines, as published and
// corrected. Each failure names the law, and the seed that shows it.
func Run(t *testing.T, s system.System) {
	t.Helper()
	RunOn(t, s, *seeds, func(w *workload.Workload) *workload.Workload { return w })
}

// RunOn is Run with so many random workloads, and what change makes of each.
func RunOn(t *testing.T, s system.System, seeds int, change func(*workload.Workload) *workload.Workload) {
	t.Helper()
	for _, mode := range []quirk.Set{quirk.Published(), quirk.Corrected()} {
		t.Run(mode.String(), func(t *testing.T) {
			fits := 0
			for seed := range uint64(seeds) {
				r := rand.New(rand.NewPCG(seed, 0))
				w, m := change(Workload(r, float64(seed)/float64(seeds))), Machine(r)
				o := system.Published()
				o.Quirks, o.Iterations = mode, 1+r.Int64N(3)
				c := check{t: t, s: s, w: w, m: m, o: o, seed: seed}
				if c.run() {
					fits++
				}
				if seed%2 == 0 && mode == quirk.Corrected() { // as published the host's link carries more (quirk link-overcommit)
					c.m = narrow(m)
					c.run()
				}
			}
			if fits < seeds/4 {
				t.Errorf("only %d of %d random workloads fit", fits, seeds)
			}
			impossible(t, s, mode)
		})
	}
}

// Workload draws a valid workload of a few kernels. size, from 0 to 1, is how
// large it may get; the largest tensors have 4 MiB.
func Workload(r *rand.Rand, size float64) *workload.Workload {
	upTo := func(least, most int) int { return least + r.IntN(1+int(float64(most-least)*size)) }
	w := &workload.Workload{Name: "random", Batch: 1}
	for i := range upTo(2, 24) {
		t := workload.Tensor{
			Name: fmt.Sprintf("t%d", i), Bytes: unit.Bytes(1 + r.Int64N(int64(4*unit.MiB))),
			Global: r.IntN(4) == 0,
		}
		if t.Global {
			t.Kind = workload.Weight
		}
		w.Tensors = append(w.Tensors, t)
	}
	longest := []unit.Time{unit.Microsecond, 50 * unit.Microsecond, 2 * unit.Millisecond}[r.IntN(3)]
	for i := range upTo(2, 30) {
		k := workload.Kernel{Name: fmt.Sprintf("k%d", i), Time: unit.Time(1 + r.Int64N(int64(longest)))}
		k.InputFault = k.Time + unit.Time(r.Int64N(int64(unit.Millisecond)))
		k.Fault = k.InputFault + unit.Time(r.Int64N(int64(unit.Millisecond)))
		for _, t := range r.Perm(len(w.Tensors))[:1+r.IntN(min(4, len(w.Tensors)))] {
			side := r.IntN(3)
			if side != 0 {
				k.Inputs = append(k.Inputs, workload.TensorID(t))
			}
			if side != 1 {
				k.Outputs = append(k.Outputs, workload.TensorID(t))
			}
		}
		w.Kernels = append(w.Kernels, k)
	}
	return w
}

// Machine draws a valid machine that is small beside the largest of Workload's
// workloads.
func Machine(r *rand.Rand) machine.Machine {
	m := machine.G10()
	m.GPUMemory = unit.Bytes(4096+r.Int64N(4096)) * unit.Page
	m.HostMemory = []unit.Bytes{0, unit.Bytes(r.Int64N(8192)) * unit.Page, unit.GiB}[r.IntN(3)]
	if r.IntN(2) == 0 {
		m.GPULink = unit.Bandwidth(4e9 + r.Int64N(60e9))
		m.SSDRead = m.GPULink/4 + unit.Bandwidth(r.Int64N(int64(m.GPULink/4)))
		m.SSDWrite = m.GPULink/8 + unit.Bandwidth(r.Int64N(int64(m.SSDRead-m.GPULink/8)))
		m.HostLink = m.GPULink - unit.Bandwidth(r.Int64N(int64(m.SSDRead)))
	}
	if r.IntN(2) == 0 {
		m.BatchPages = 16 + r.Int64N(100)
	}
	if r.IntN(2) == 0 {
		m.DuplexLoss = r.Int64N(501)
	}
	m.TransferCost = unit.Time(m.GPUMemory/unit.Page%4) * 4 * unit.Microsecond
	if err := m.Validate(); err != nil {
		panic(err) // the generator is wrong
	}
	return m
}

// narrow returns m with plenty of host memory behind a link that, with the SSD's
// writes, carries less than the GPU's. Faults cost nothing, so that every one of
// the links is full at times.
func narrow(m machine.Machine) machine.Machine {
	m.GPUMemory, m.HostMemory = 16*unit.MiB, unit.GiB
	m.FaultLatency, m.SSDLatency, m.AllocRate = 0, 0, 1
	m.HostLink, m.SSDRead, m.SSDWrite = m.GPULink/8*5, m.GPULink/2, m.GPULink/16
	return m
}

// Simulate plans w for s and runs the plan.
func Simulate(s system.System, w *workload.Workload, m machine.Machine, o system.Options) (*program.Program, *result.Result, error) {
	p, err := s.Program(w, &m, &o, nil)
	if err != nil {
		return nil, nil, err
	}
	r, err := engine.Run(w, p, engine.Config{
		Machine: m, Runtime: s.Runtime(&o), Quirks: o.Quirks,
		Iterations: int(o.Iterations), Noise: o.Noise, Seed: o.Seed,
	})
	return p, r, err
}

// A check is one run and what it must obey.
type check struct {
	t    *testing.T
	s    system.System
	w    *workload.Workload
	m    machine.Machine
	o    system.Options
	seed uint64
}

func (c *check) broken(law, format string, a ...any) {
	c.t.Helper()
	c.t.Fatalf("%s, %v, seed %d: %s: %s", c.s.Name, c.o.Quirks, c.seed, law, fmt.Sprintf(format, a...))
}

// run reports whether the workload fits.
func (c *check) run() bool {
	if err := c.w.Validate(); err != nil {
		panic(err) // the generator is wrong
	}
	before := clone(c.w)
	p, r, err := Simulate(c.s, c.w, c.m, c.o)
	if !reflect.DeepEqual(before, c.w) {
		c.broken("the workload is shared and never changed", "it was")
	}
	_, again, err2 := Simulate(c.s, c.w, c.m, c.o)
	if !reflect.DeepEqual(r, again) || fmt.Sprint(err) != fmt.Sprint(err2) {
		c.broken("the same input gives the same result", "%+v (%v) and then %+v (%v)", r, err, again, err2)
	}
	if err != nil {
		var no *system.DoesNotFit
		if !errors.As(err, &no) || no.Reason == "" {
			c.broken("a system that cannot run a workload says why", "%v", err)
		}
		return false
	}
	c.program(p)
	c.result(r)
	return true
}

// program checks that a plan can be executed.
func (c *check) program(p *program.Program) {
	for i, op := range p.Ops {
		switch {
		case op.At < 0 || int(op.At) > len(c.w.Kernels):
			c.broken("operations belong to a kernel", "operation %d is at %d of %d", i, op.At, len(c.w.Kernels))
		case i > 0 && op.At < p.Ops[i-1].At:
			c.broken("operations are in order", "operation %d is at %d, the one before at %d", i, op.At, p.Ops[i-1].At)
		case op.Tensor < 0 || int(op.Tensor) >= len(c.w.Tensors):
			c.broken("operations move tensors", "operation %d moves tensor %d of %d", i, op.Tensor, len(c.w.Tensors))
		case op.Kind == program.Evict && op.To != machine.SSD && op.To != machine.Host:
			c.broken("evictions go to the host or the SSD", "operation %d goes to %v", i, op.To)
		}
	}
}

func (c *check) result(r *result.Result) {
	if len(r.Iterations) == 0 || r.Reported < 0 || r.Reported >= len(r.Iterations) {
		c.broken("an iteration is reported", "%d of %d", r.Reported, len(r.Iterations))
	}
	var total result.Traffic
	for i := range r.Iterations {
		c.iteration(r, i)
		tr := r.Iterations[i].Traffic
		total.HostIn += tr.HostIn
		total.HostOut += tr.HostOut
		total.SSDIn += tr.SSDIn
		total.SSDOut += tr.SSDOut
		there := total.HostOut
		again := false // what leaves without a copy because there is one comes back again and again
		switch rt := c.runtime().(type) {
		case blocks.Memory: // globals begin there, and may share pages
			there += c.w.GlobalBytes() + unit.Page*unit.Bytes(len(c.w.Tensors))
		case swap.Memory: // globals begin there
			there += c.w.GlobalBytes()
			again = !rt.Copies
		}
		if total.HostIn > there && !again {
			c.broken("what comes from the host went there", "%v in, at most %v known up to iteration %d", total.HostIn, there, i)
		}
		if known := total.SSDOut + c.w.GlobalBytes(); engine.Is[paged.Memory](c.runtime()) && total.SSDIn > known {
			c.broken("what comes from the SSD was there or went there", "%v in, at most %v known up to iteration %d", total.SSDIn, known, i)
		}
	}
	c.kernels(r)
}

func (c *check) runtime() engine.Runtime { return c.s.Runtime(&c.o) }

// arena reports whether tensors move as a whole.
func (c *check) arena() bool {
	return engine.Is[pool.Memory](c.runtime()) || engine.Is[swap.Memory](c.runtime())
}

// iteration checks times and traffic of one iteration.
func (c *check) iteration(r *result.Result, i int) {
	it := &r.Iterations[i]
	if it.Time < r.Ideal {
		c.broken("nothing is faster than Ideal", "iteration %d takes %d cycles, ideal is %d", i, it.Time, r.Ideal)
	}
	least := unit.Cycles(0)
	for c := range result.NumCauses {
		least = min(least, *it.Ledger.At(c))
	}
	if n := it.Ledger.Total(); n != it.Time-r.Ideal || least < 0 {
		c.broken("every cycle beyond ideal has one cause", "iteration %d: %v sums to %d, time minus ideal is %d", i, it.Ledger, n, it.Time-r.Ideal)
	}
	if min(it.Stall, it.Overlap, it.Compute, it.Doubled) < 0 || it.Stall+it.Overlap+it.Compute != it.Time {
		c.broken("stall, overlap and compute cover the time", "iteration %d: %+v", i, *it)
	}
	if f := it.Faults; min(f.Host, f.SSD, f.Moving, f.Unallocated) < 0 {
		c.broken("counts are not negative", "iteration %d: %+v", i, f)
	}
	tr, m := it.Traffic, &c.m
	write := m.SSDWrite
	if c.o.Quirks.Has(quirk.SymmetricSSD) {
		write = m.SSDRead
	}
	for _, link := range []struct {
		name  string
		moved unit.Bytes
		rate  unit.Bandwidth
	}{
		{"SSD read", tr.SSDIn, m.SSDRead},
		{"SSD write", tr.SSDOut, write},
		{"host link, in", tr.HostIn, m.HostLink},
		{"host link, out", tr.HostOut, m.HostLink},
		{"GPU link, in", tr.SSDIn + tr.HostIn, m.GPULink},
		{"GPU link, out", tr.SSDOut + tr.HostOut, m.GPULink},
	} {
		if most := c.carries(link.rate, it.Time); link.moved < 0 || link.moved > most {
			c.broken("a link carries at most its rate", "iteration %d, %s: %v in %d cycles, at most %v", i, link.name, link.moved, it.Time, most)
		}
	}
	// In the paged model a batch says whether the next one goes both ways.
	both := unit.Bandwidth(unit.MulDiv(2*int64(m.GPULink), 1000-m.DuplexLoss, 1000))
	if moved, most := tr.SSDIn+tr.HostIn+tr.SSDOut+tr.HostOut, c.carries(both, it.Time)+blocks.Size; c.o.Quirks == quirk.Corrected() && !engine.Is[paged.Memory](c.runtime()) && moved > most {
		c.broken("a link carries at most its rate", "iteration %d, both ways: %v in %d cycles, at most %v", i, moved, it.Time, most)
	}
}

// carries returns what a link of the given rate can move in t, and a batch that
// was on its way when the iteration began. As published batches are rounded, and
// in the arena model no rate bounds what is counted, which is a tensor when it is
// queued.
func (c *check) carries(rate unit.Bandwidth, t unit.Cycles) unit.Bytes {
	m := &c.m
	switch {
	case c.o.Quirks == quirk.Published() && c.arena():
		return math.MaxInt64 // the GDS variants end with transfers under way
	case c.o.Quirks == quirk.Published():
		return c.published(rate, t)
	case c.arena(): // whole tensors: none is under way when an iteration begins or ends
		return unit.Bytes(unit.MulDiv(int64(rate), int64(t), int64(m.Clock)))
	}
	if engine.Is[blocks.Memory](c.runtime()) { // a block may be under way when an iteration begins, and counts where it ends
		return unit.Bytes(unit.MulDiv(int64(rate), int64(t), int64(m.Clock))) + blocks.Size
	}
	// A batch is doubled until each link in use carries 32 pages.
	batch := max(m.BatchPages, unit.MulDiv(64, int64(m.GPULink), int64(min(m.SSDRead, m.SSDWrite, m.HostLink))))
	longest := m.GPULink.Cycles(unit.Bytes(batch)*unit.Page, m.Clock)
	return unit.Bytes(unit.MulDiv(int64(rate), int64(t+longest), int64(m.Clock)))
}

// published is carries as published. The paged model moves data batch by batch
// at whole cycles: up to two batches more, the batch period is rounded down to a
// cycle, and of each batch's last pages, which rounding down left to no tier, two
// may go to either.
func (c *check) published(rate unit.Bandwidth, t unit.Cycles) unit.Bytes {
	page, clock := float64(unit.Page), float64(c.m.Clock)
	period := float64(c.m.BatchPages) * page * clock / float64(c.m.GPULink)
	most := float64(rate)/clock + 2*page/period
	return unit.Bytes(most*float64(t)*(1+2/period) + 2*float64(c.m.BatchPages)*page)
}

func (c *check) kernels(r *result.Result) {
	if len(r.Kernels) != len(c.w.Kernels) {
		c.broken("every kernel is reported", "%d of %d", len(r.Kernels), len(c.w.Kernels))
	}
	gpu := c.m.GPUMemory
	rt := c.runtime()
	if pool, ok := rt.(pool.Memory); ok {
		gpu *= unit.Bytes(pool.Scale)
	}
	held := unit.Bytes(c.w.HeldPages()) * unit.Page
	var ideal, end unit.Cycles
	for i, k := range r.Kernels {
		if k.GPU < held {
			c.broken("what no kernel uses stays on the GPU", "kernel %d: %v of GPU memory in use, of which %v must be", i, k.GPU, held)
		}
		if k.Start < end || k.End-k.Start < k.Ideal || k.Ideal <= 0 {
			c.broken("kernels run one after another, for their ideal time at least", "kernel %d: %+v after %d", i, k, end)
		}
		if k.GPU < 0 || k.GPU > gpu && !c.s.Bound(&c.o) {
			c.broken("memory holds at most its capacity", "kernel %d: %v of GPU memory, which has %v", i, k.GPU, gpu)
		}
		if k.Host < 0 || k.Host > c.m.HostMemory || k.Host > 0 && rt.NoHost() {
			c.broken("memory holds at most its capacity", "kernel %d: %v of host memory, which has %v", i, k.Host, c.m.HostMemory)
		}
		ideal += k.Ideal
		end = k.End
	}
	if ideal != r.Ideal || end != r.Main().Time {
		c.broken("kernels sum up to the iteration", "ideal %d and %d, end %d and %d", ideal, r.Ideal, end, r.Main().Time)
	}
}

// impossible checks a kernel that needs more than GPU memory, which runs only where
// blocks are needed one by one, and one that needs all of it.
func impossible(t *testing.T, s system.System, mode quirk.Set) {
	t.Helper()
	m := machine.G10()
	m.GPUMemory = 16 * unit.MiB
	o := system.Published()
	o.Quirks = mode
	w := &workload.Workload{
		Tensors: []workload.Tensor{{Name: "in", Bytes: 8 * unit.MiB}, {Name: "out", Bytes: 8*unit.MiB + 1}},
		Kernels: []workload.Kernel{
			{Name: "first", Time: unit.Millisecond, Outputs: []workload.TensorID{0}},
			{Name: "large", Time: unit.Millisecond, Inputs: []workload.TensorID{0}, Outputs: []workload.TensorID{1}},
		},
	}
	_, r, err := Simulate(s, w, m, o)
	var no *system.DoesNotFit
	switch {
	case s.Bound(&o):
		if err != nil {
			t.Errorf("%s, %v: unlimited memory does not hold a large kernel: %v", s.Name, mode, err)
		}
	case engine.Is[blocks.Memory](s.Runtime(&o)): // a kernel's data need not be there at the same time, but in the host
		if err != nil {
			t.Errorf("%s, %v: a kernel larger than GPU memory: %v", s.Name, mode, err)
		}
		m := m
		m.HostMemory = 16 * unit.MiB
		if _, r, err := Simulate(s, w, m, o); !errors.As(err, &no) {
			t.Errorf("%s, %v: managed memory larger than the host's gives %+v, %v; want a *DoesNotFit", s.Name, mode, r, err)
		}
	case !errors.As(err, &no):
		t.Errorf("%s, %v: a kernel larger than GPU memory gives %+v, %v; want a *DoesNotFit", s.Name, mode, r, err)
	}
	w.Tensors[1].Bytes = 8 * unit.MiB
	if _, _, err := Simulate(s, w, m, o); err != nil && !errors.As(err, &no) {
		t.Errorf("%s, %v: a kernel as large as GPU memory: %v", s.Name, mode, err)
	}
}

// clone copies w with all its slices.
func clone(w *workload.Workload) *workload.Workload {
	c := *w
	c.Tensors = slices.Clone(w.Tensors)
	c.Kernels = slices.Clone(w.Kernels)
	for i := range c.Kernels {
		k := &c.Kernels[i]
		k.Inputs, k.Outputs = slices.Clone(k.Inputs), slices.Clone(k.Outputs)
	}
	return &c
}
