package paged

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	how "spillway/build/effort"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/enginetest"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// seeds is how many random cases run for each set of quirks; four times as many
// run as published. The first are the smallest.
var seeds = flag.Int("seeds", 120, "random cases of each differential test")

// A policy is a way to draw the program and the run-time behavior.
type policy uint8

const (
	onDemand  policy = iota // Base UVM: no program
	hints                   // G10: prefetches, evictions, frees
	lookAhead               // DeepUM+: prefetches, the victims spare a window
)

func (p policy) String() string { return [...]string{"on demand", "hints", "look-ahead"}[p] }

// TestReference compares the engine with the page-by-page reference, as published.
func TestReference(t *testing.T) {
	for _, p := range []policy{onDemand, hints, lookAhead} {
		t.Run(p.String(), func(t *testing.T) {
			compareSeeds(t, p, 4**seeds, func(*rand.Rand) quirk.Set { return quirk.Published() })
		})
	}
}

// TestReferenceQuirks does the same with every quirk alone switched off, with
// none on, and with random subsets.
func TestReferenceQuirks(t *testing.T) {
	all := quirk.Published()
	for _, p := range []policy{onDemand, hints, lookAhead} {
		for _, e := range quirk.All() {
			if e.Number > 8 && e.Quirk != quirk.PointerOrder && !Quirks.Has(e.Quirk) {
				continue // a planner's
			}
			t.Run(fmt.Sprint(p, "/without ", e.Key), func(t *testing.T) {
				compareSeeds(t, p, *seeds, func(*rand.Rand) quirk.Set { return all &^ e.Quirk })
			})
		}
		t.Run(fmt.Sprint(p, "/corrected"), func(t *testing.T) {
			compareSeeds(t, p, *seeds, func(*rand.Rand) quirk.Set { return quirk.Corrected() })
		})
		t.Run(fmt.Sprint(p, "/subset"), func(t *testing.T) {
			compareSeeds(t, p, *seeds, func(r *rand.Rand) quirk.Set { return quirk.Set(r.Uint32()) & all })
		})
	}
}

func compareSeeds(t *testing.T, p policy, n int, quirks func(*rand.Rand) quirk.Set) {
	t.Helper()
	ran, of := 0, 0
	for seed := range how.Seeds(n) {
		of++
		r := rand.New(rand.NewPCG(seed, uint64(p)))
		w, prog, c := randomCase(r, p, float64(seed+1)/float64(n))
		c.Quirks = quirks(r)
		want, wantErr := refRun(w, prog, c)
		c.Runtime = checked(c, invariants(t))
		got, err := engine.Run(w, prog, c)
		if diff := compare(want, wantErr, got, err); diff != "" {
			t.Fatalf("seed %d: %s\n%s", seed, diff, describe(w, prog, c))
		}
		if err == nil {
			ran++
		}
	}
	if ran < of/2 {
		t.Errorf("only %d of %d cases ran to the end; the generator is too harsh", ran, of)
	}
}

// checked is the memory of c, which check is told of after every event.
func checked(c engine.Config, check func(*run)) Memory {
	m := c.Runtime.(Memory)
	m.check = check
	return m
}

// compare returns the first difference, or "".
func compare(want *result.Result, wantErr error, got *result.Result, err error) string {
	var no *engine.DoesNotFit
	switch {
	case err != nil && !errors.As(err, &no):
		return fmt.Sprintf("error is not a *DoesNotFit: %v", err)
	case (err == nil) != (wantErr == nil):
		return fmt.Sprintf("error is %v, want %v", err, wantErr)
	case err != nil:
		return ""
	case got.Ideal != want.Ideal:
		return fmt.Sprintf("ideal time is %d, want %d", got.Ideal, want.Ideal)
	case len(got.Iterations) != len(want.Iterations):
		return fmt.Sprintf("%d iterations, want %d", len(got.Iterations), len(want.Iterations))
	}
	for i, g := range got.Iterations {
		least := unit.Cycles(0)
		for c := range result.NumCauses {
			least = min(least, *g.Ledger.At(c))
		}
		if n := g.Ledger.Total(); n != g.Time-got.Ideal || least < 0 {
			return fmt.Sprintf("iteration %d: ledger %v sums to %d, want time minus ideal %d", i, g.Ledger, n, g.Time-got.Ideal)
		}
		g.Ledger = result.Ledger{}
		if g != want.Iterations[i] {
			return fmt.Sprintf("iteration %d:\n got %+v\nwant %+v", i, g, want.Iterations[i])
		}
	}
	if !reflect.DeepEqual(got.SSD, want.SSD) {
		return fmt.Sprintf("the drive is %+v, want %+v", got.SSD, want.SSD)
	}
	if got.Reported != want.Reported {
		return fmt.Sprintf("reported iteration is %d, want %d", got.Reported, want.Reported)
	}
	if len(got.Kernels) != len(want.Kernels) {
		return fmt.Sprintf("%d kernels, want %d", len(got.Kernels), len(want.Kernels))
	}
	for k, g := range got.Kernels {
		if g != want.Kernels[k] {
			return fmt.Sprintf("kernel %d:\n got %+v\nwant %+v", k, g, want.Kernels[k])
		}
	}
	return ""
}

// randomCase draws a workload, a program and a configuration. size, from 0 to
// 1, is how large they may get.
func randomCase(r *rand.Rand, p policy, size float64) (*workload.Workload, *program.Program, engine.Config) {
	upTo := func(least, most int) int { // grows with size
		return least + r.IntN(1+int(float64(most-least)*size))
	}
	w := &workload.Workload{}
	pages, batch := 60, 0
	if r.IntN(3) == 0 { // long runs of pages in small batches
		pages, batch = 300, 1+r.IntN(8)
	}
	for range upTo(2, 12) {
		w.Tensors = append(w.Tensors, workload.Tensor{
			Bytes:  unit.Bytes(upTo(1, pages))*unit.Page - unit.Bytes(r.IntN(4096)),
			Global: r.IntN(3) == 0,
		})
	}
	slow := r.IntN(10) == 0 // kernels with profiled slowdowns of whole seconds
	for range upTo(2, 20) {
		k := workload.Kernel{Time: unit.Time(1e3 * enginetest.UpTo(r, 1e6))}
		if slow {
			k.InputFault, k.Fault = unit.Time(r.Int64N(3e12)), unit.Time(r.Int64N(3e12))
		}
		perm := r.Perm(len(w.Tensors))
		n := 1 + r.IntN(min(4, len(perm)))
		for _, t := range perm[:n] {
			switch r.IntN(4) {
			case 0:
				k.Inputs = append(k.Inputs, workload.TensorID(t))
				k.Outputs = append(k.Outputs, workload.TensorID(t))
			case 1:
				k.Outputs = append(k.Outputs, workload.TensorID(t))
			default:
				k.Inputs = append(k.Inputs, workload.TensorID(t))
			}
		}
		w.Kernels = append(w.Kernels, k)
	}
	c := engine.Config{Machine: randomMachine(r, pages, batch), Seed: 1}
	m := Memory{SSDOnly: r.IntN(8) == 0, SplitTables: r.IntN(2) == 0}
	c.Iterations = 1 + r.IntN(3)
	if slow {
		c.Machine.GPULink = min(c.Machine.GPULink, 2*unit.GBps)
		c.Machine.HostLink = min(c.Machine.HostLink, c.Machine.GPULink)
		c.Machine.SSDRead = min(c.Machine.SSDRead, c.Machine.HostLink)
		c.Machine.SSDWrite = min(c.Machine.SSDWrite, c.Machine.HostLink)
	}
	if r.IntN(8) == 0 {
		c.Noise, c.Seed = int64(r.IntN(300)), int64(r.IntN(3))
	}
	need := widest(w)
	c.Machine.GPUMemory = unit.Bytes(max(20, need+r.IntN(1+max(1, 3*pages-need)/(1+r.IntN(4))))) * unit.Page
	if r.IntN(6) == 0 { // almost everything fits
		c.Machine.GPUMemory = max(c.Machine.GPUMemory, (w.GlobalBytes()+w.IntermediateBytes())*unit.Bytes(5+r.IntN(10))/10)
		c.Machine.GPUMemory -= c.Machine.GPUMemory % unit.Page
	}
	if r.IntN(50) == 0 {
		c.Machine.GPUMemory = unit.Bytes(max(1, need-1)) * unit.Page
	}
	// Mostly as DeepUM+ and the others have it.
	m.DropDead, m.Rescue = (p == lookAhead) == (r.IntN(4) > 0), (p == lookAhead) == (r.IntN(4) > 0)
	if p == lookAhead {
		m.Window = 1 + r.IntN(min(8, len(w.Kernels)+2))
	}
	c.Runtime = m
	prog := randomProgram(r, w, p, m.Window)
	if r.IntN(3) == 0 { // a drive that does both slower, mostly
		part := func(b unit.Bandwidth) unit.Bandwidth { return max(10*unit.MBps, b/8*unit.Bandwidth(1+r.IntN(9))) }
		m := &c.Machine
		c.Drive = &engine.Drive{Read: m.SSDRead, Write: m.SSDWrite, MixedRead: part(m.SSDRead), MixedWrite: part(m.SSDWrite)}
	}
	return w, prog, c
}

// widest returns the pages of the largest working set.
func widest(w *workload.Workload) int {
	var most int64
	for k := range w.Kernels {
		var n int64
		for _, t := range w.WorkingSet(nil, workload.KernelID(k)) {
			n += w.Tensors[t].Pages()
		}
		most = max(most, n)
	}
	return int(most)
}

// randomMachine draws a machine for tensors of up to the given number of pages;
// batch, if not 0, is its batch size.
func randomMachine(r *rand.Rand, pages, batch int) machine.Machine {
	m := machine.G10()
	m.HostMemory = unit.Bytes(r.IntN(2*pages)) * unit.Page
	if r.IntN(3) == 0 {
		m.HostMemory = 100000 * unit.Page
	}
	if r.IntN(4) > 0 {
		m.GPULink = unit.Bandwidth(1e8 + r.Int64N(64e9))
		m.HostLink = m.GPULink
		if r.IntN(2) == 0 {
			m.HostLink -= unit.Bandwidth(r.Int64N(int64(m.GPULink) / 2))
		}
		m.SSDRead = m.HostLink - unit.Bandwidth(r.Int64N(int64(m.HostLink)))
		m.SSDWrite = m.HostLink - unit.Bandwidth(r.Int64N(int64(m.HostLink)))
		if r.IntN(8) == 0 {
			m.SSDRead = m.GPULink
			m.HostLink = m.GPULink
		}
		if r.IntN(2) == 0 {
			m.DuplexLoss = r.Int64N(501)
		}
	}
	if r.IntN(2) == 0 {
		m.BatchPages = 1 + r.Int64N(64)
	}
	if batch > 0 {
		m.BatchPages = int64(batch)
	}
	if r.IntN(2) == 0 {
		m.AllocRate = enginetest.UpTo(r, 1e6)
	}
	if r.IntN(2) == 0 {
		m.Clock = unit.Frequency(100e6 + r.Int64N(2e9))
		m.FaultLatency = unit.Time(1 + r.Int64N(100e6))
		m.SSDLatency = unit.Time(1 + r.Int64N(100e6))
		m.FaultBatch = 1 + r.Int64N(40)
	}
	if r.IntN(2) == 0 {
		m.TransferCost = unit.Time(enginetest.UpTo(r, int64(100*unit.Microsecond)))
	}
	return m
}

func randomProgram(r *rand.Rand, w *workload.Workload, p policy, window int) *program.Program {
	prog := &program.Program{}
	if p == onDemand {
		return prog
	}
	dense := r.IntN(4)
	for k := 0; k <= len(w.Kernels); k++ {
		at := workload.KernelID(k)
		if p == lookAhead && k < len(w.Kernels) && dense > 0 { // as DeepUM+ does
			for _, t := range w.WorkingSet(nil, workload.KernelID((k+window)%len(w.Kernels))) {
				prog.Ops = append(prog.Ops, program.Op{At: at, Kind: program.Prefetch, Tensor: t})
			}
			continue
		}
		for r.IntN(4) < dense {
			op := program.Op{At: at, Kind: program.Kind(r.IntN(3)), Tensor: workload.TensorID(r.IntN(len(w.Tensors)))}
			switch {
			case op.Kind != program.Evict:
			case p == lookAhead: // a page that the window spares never leaves by plan
				op.Kind = program.Prefetch
			default:
				op.To = []machine.Tier{machine.SSD, machine.Host}[r.IntN(2)]
			}
			prog.Ops = append(prog.Ops, op)
		}
		if p == hints && r.IntN(6) == 0 {
			prog.Ops = append(prog.Ops, everything(r, w, at, k%2 == 0)...)
		}
	}
	return prog
}

// everything sends most tensors to the SSD and the host, or fetches them, all
// at the same kernel.
func everything(r *rand.Rand, w *workload.Workload, at workload.KernelID, away bool) []program.Op {
	var ops []program.Op
	for t := range w.Tensors {
		op := program.Op{At: at, Kind: program.Prefetch, Tensor: workload.TensorID(t)}
		if away {
			op.Kind, op.To = program.Evict, []machine.Tier{machine.SSD, machine.Host}[r.IntN(2)]
		}
		if r.IntN(5) > 0 {
			ops = append(ops, op)
		}
	}
	return ops
}

// describe prints a case so that a person can follow it.
func describe(w *workload.Workload, p *program.Program, c engine.Config) string {
	var b strings.Builder
	m := &c.Machine
	fmt.Fprintf(&b, "gpu %d pages, host %d pages, %+v, %d iterations, noise %d seed %d, quirks %v\n",
		m.GPUMemory.Pages(), m.HostMemory/unit.Page, c.Runtime, c.Iterations, c.Noise, c.Seed, c.Quirks)
	fmt.Fprintf(&b, "shares %+v of %+v\n", batchShares(&c), *m)
	for i := range w.Tensors {
		fmt.Fprintf(&b, "tensor %d: %d pages, global %v\n", i, w.Tensors[i].Pages(), w.Tensors[i].Global)
	}
	for i := range w.Kernels {
		k := &w.Kernels[i]
		fmt.Fprintf(&b, "kernel %d: %v, faulting %v %v, in %v, out %v\n", i, k.Time, k.InputFault, k.Fault, k.Inputs, k.Outputs)
	}
	if err := p.WriteText(&b); err != nil {
		panic(err)
	}
	return b.String()
}

// TestReferenceFullHost evicts a tensor to a host that is full until another
// one has begun to return: then both move at once.
func TestReferenceFullHost(t *testing.T) {
	const us = unit.Microsecond
	w := &workload.Workload{
		Tensors: []workload.Tensor{{Bytes: 100 * unit.Page}, {Bytes: 100 * unit.Page}},
		Kernels: []workload.Kernel{
			{Time: 10 * us, Outputs: []workload.TensorID{0}},
			{Time: 400 * us, Outputs: []workload.TensorID{1}},
			{Time: 30 * us},
			{Time: 10 * us, Inputs: []workload.TensorID{0}},
			{Time: 10 * us, Inputs: []workload.TensorID{1}},
		},
	}
	p := &program.Program{Ops: []program.Op{
		{At: 1, Kind: program.Evict, Tensor: 0, To: machine.Host},
		{At: 2, Kind: program.Evict, Tensor: 1, To: machine.Host},
		{At: 2, Kind: program.Prefetch, Tensor: 0},
	}}
	c := engine.Config{Machine: machine.G10(), Runtime: Memory{}, Quirks: quirk.Published(), Iterations: 2}
	c.Machine.GPUMemory, c.Machine.HostMemory, c.Machine.BatchPages = 300*unit.Page, 100*unit.Page, 3
	if s := batchShares(&c)[0]; s.ssdOut != 0 || s.hostIn == 0 {
		t.Fatalf("the batch has shares %+v; the SSD should have none", s)
	}
	want, wantErr := refRun(w, p, c)
	c.Runtime = checked(c, invariants(t))
	got, err := engine.Run(w, p, c)
	if diff := compare(want, wantErr, got, err); diff != "" || err != nil {
		t.Fatalf("%v %s\n%s", err, diff, describe(w, p, c))
	}
	if want.Iterations[1].Traffic.HostIn == 0 {
		t.Error("nothing came back from the host")
	}
}
