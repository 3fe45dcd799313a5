package paged

import (
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/enginetest"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// planned has tensors of so many pages in all, which a program moves while a long kernel
// runs: from the SSD, and for the host. It returns the pages' run on m.
func planned(t *testing.T, tensors int, pages unit.Bytes, out bool, m machine.Machine, q quirk.Set, check func(*run)) unit.Cycles {
	t.Helper()
	w, p := &workload.Workload{}, &program.Program{}
	w.Kernels = []workload.Kernel{{Time: unit.Microsecond}, {Time: 40 * unit.Millisecond}, {Time: unit.Microsecond}}
	use := &w.Kernels[2].Inputs
	if out {
		use = &w.Kernels[0].Inputs
	}
	for range tensors {
		x := workload.TensorID(len(w.Tensors))
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: pages * unit.Page / unit.Bytes(tensors), Global: true})
		op := program.Op{At: 1, Kind: program.Prefetch, Tensor: x}
		if *use = append(*use, x); out {
			op.Kind, op.To = program.Evict, machine.Host
		}
		p.Ops = append(p.Ops, op)
	}
	c := engine.Config{Machine: m, Iterations: 1, Quirks: q}
	c.Runtime = checked(engine.Config{Runtime: Memory{}}, check)
	r, err := engine.Run(w, p, c)
	if err != nil {
		t.Fatal(err)
	}
	if tr := r.Main().Traffic; out && tr.HostOut != pages*unit.Page || tr.SSDIn != pages*unit.Page {
		t.Fatalf("%d tensors, out %v: %+v has moved", tensors, out, tr)
	}
	return r.Main().Overlap
}

// Twice as many tensors of half the size take their cost longer each to come and to leave:
// here it is that of three batches. As published there is none.
func TestTransferCost(t *testing.T) {
	const pages = 64 * 64
	m := enginetest.Machine(2 * pages)
	m.GPULink, m.HostLink = m.SSDRead, m.SSDRead
	m.HostMemory, m.BatchPages, m.AllocRate, m.FaultBatch = unit.GiB, 64, 1, 1<<20
	m.TransferCost = 3 * 6400 * unit.Nanosecond
	for _, out := range []bool{false, true} {
		for n := 1; n < 64; n *= 2 {
			few, many := planned(t, n, pages, out, m, 0, nil), planned(t, 2*n, pages, out, m, 0, nil)
			if want := unit.Cycles(n) * 3 * 6400; many-few != want {
				t.Errorf("out %v: %d tensors take %d cycles, %d of half the size %d more; want %d", out, n, few, 2*n, many-few, want)
			}
		}
	}
	free := m
	free.TransferCost = 0
	if a, b := planned(t, 8, pages, false, m, quirk.LinkOvercommit, nil), planned(t, 8, pages, false, free, quirk.LinkOvercommit, nil); a != b {
		t.Errorf("with links that carry more than they can, a cost changes %d cycles to %d", b, a)
	}
}

// A cost that is no whole number of batches is paid over several, and none of it is lost:
// what many transfers take longer is what they cost, to the last batch.
func TestTransferCostOfParts(t *testing.T) {
	const pages, tensors = 64 * 64, 64
	for _, cost := range []unit.Time{unit.Microsecond / 10, 5500 * unit.Nanosecond, 7777 * unit.Nanosecond, 123456 * unit.Nanosecond} {
		m := enginetest.Machine(2 * pages)
		m.GPULink, m.HostLink = m.SSDRead, m.SSDRead
		m.HostMemory, m.BatchPages, m.AllocRate, m.FaultBatch = unit.GiB, 64, 1, 1<<20
		free := planned(t, tensors, pages, false, m, 0, nil)
		m.TransferCost = cost
		more, want := planned(t, tensors, pages, false, m, 0, nil)-free, tensors*m.Clock.CyclesUp(cost)
		if more < want-6400 || more > want+6400 {
			t.Errorf("%v each: %d cycles more, want %d", cost, more, want)
		}
	}
}

// Streams from the SSD and the host that come in by turns, and leave both ways, pay as page by page.
func TestTransferCostOfStreams(t *testing.T) {
	for _, cost := range []unit.Time{unit.Microsecond, 5500 * unit.Nanosecond, 40 * unit.Microsecond} {
		w, p := &workload.Workload{}, &program.Program{}
		w.Kernels = []workload.Kernel{{Time: unit.Microsecond}, {Time: unit.Millisecond}, {Time: unit.Millisecond}, {Time: unit.Microsecond}}
		for at, kind := range []program.Kind{1: program.Evict, 2: program.Prefetch} {
			for x := workload.TensorID(0); at > 0 && x < 6; x++ {
				p.Ops = append(p.Ops, program.Op{At: workload.KernelID(at), Kind: kind, Tensor: x, To: []machine.Tier{machine.SSD, machine.Host}[x%2]})
			}
		}
		for x := range workload.TensorID(6) {
			w.Tensors = append(w.Tensors, workload.Tensor{Bytes: unit.Bytes(170+30*x) * unit.Page, Global: true})
			w.Kernels[0].Inputs, w.Kernels[3].Inputs = append(w.Kernels[0].Inputs, x), append(w.Kernels[3].Inputs, x)
		}
		c := engine.Config{Machine: enginetest.Machine(4096), Iterations: 2, Runtime: Memory{}}
		m := &c.Machine
		m.HostMemory, m.BatchPages, m.AllocRate, m.FaultBatch, m.TransferCost = unit.GiB, 64, 1, 1<<20, cost
		m.GPULink, m.HostLink = m.SSDRead/5*8, m.SSDRead
		want, wantErr := refRun(w, p, c)
		c.Runtime = checked(c, invariants(t))
		got, err := engine.Run(w, p, c)
		if diff := compare(want, wantErr, got, err); diff != "" || err != nil {
			t.Fatalf("%v: %v %s\n%s", cost, err, diff, describe(w, p, c))
		}
	}
}

// A run is little work however long a transfer's cost is beside a batch.
func TestEventsOfCosts(t *testing.T) {
	const pages, tensors = 64 * 64, 16
	for _, out := range []bool{false, true} {
		m := enginetest.Machine(2 * pages)
		m.GPULink, m.HostLink = m.SSDRead, m.SSDRead
		m.HostMemory, m.BatchPages, m.AllocRate, m.FaultBatch = unit.GiB, 1, 1, 1<<20
		m.TransferCost = unit.Millisecond
		events := 0
		planned(t, tensors, pages, out, m, 0, func(*run) { events++ })
		if most := 20 * tensors; events > most {
			t.Errorf("out %v: %d events, want at most %d", out, events, most)
		}
	}
}
