package paged

import (
	"errors"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// invariants returns a check of everything that must hold between two events.
func invariants(t *testing.T) func(*run) {
	return func(e *run) {
		t.Helper()
		var gpu, host, needed int64
		var queued [numQueues]int64
		inRecency := 0
		for id := range e.tensors {
			s := &e.tensors[id]
			var at, onGPU, moving int32
			prev := xid(0)
			for i := s.first; i != 0; i = e.at(i).next {
				x := e.at(i)
				if x.tensor != workload.TensorID(id) || x.start != at || x.pages <= 0 || x.prev != prev {
					t.Fatalf("tensor %d: extent %+v does not continue page %d", id, *x, at)
				}
				at += x.pages
				prev = i
				queued[x.queue] += int64(x.pages)
				if x.queue != resting {
					moving += x.pages
				}
				if leaving := x.queue == outSSD || x.queue == outHost; x.queue != resting && leaving != (x.loc == machine.GPU) {
					t.Fatalf("tensor %d: extent %+v is in the wrong queue", id, *x)
				}
				switch x.loc {
				case machine.GPU:
					onGPU += x.pages
					inRecency++
				case machine.Host:
					host += int64(x.pages)
				}
			}
			if at != s.pages || onGPU != s.gpu || moving != s.moving {
				t.Fatalf("tensor %d: %d pages, %d on the GPU, %d moving; counted %d, %d, %d", id, s.pages, s.gpu, s.moving, at, onGPU, moving)
			}
			gpu += int64(onGPU)
			if s.needed {
				needed += int64(moving)
			}
		}
		for q := faultSSD; q < numQueues; q++ {
			var n int64
			prev := xid(0)
			for i := e.queues[q].head; i != 0; i = e.at(i).inQueue {
				if e.at(i).queue != q || e.at(i).prevQueue != prev {
					t.Fatalf("queue %d: extent %+v is not linked right", q, *e.at(i))
				}
				n += int64(e.at(i).pages)
				prev = i
			}
			if n != queued[q] || prev != e.queues[q].tail || (n > 0) != (e.busy&q.only() != 0) {
				t.Fatalf("queue %d: holds %d pages, extents say %d", q, n, queued[q])
			}
		}
		prev := xid(0)
		n, cursor := 0, e.cursor == 0
		for i := e.oldest; i != 0; i = e.at(i).younger {
			if e.at(i).older != prev {
				t.Fatalf("recency list: extent %+v is not linked right", *e.at(i))
			}
			prev = i
			if e.at(i).tensor == interleavedPair {
				for _, s := range e.interleaved[i] {
					x := e.at(s.x)
					if x.loc != machine.GPU || x.older != -i || x.start < s.base {
						t.Fatalf("recency list: extent %+v is not in its pair", *x)
					}
				}
				n += 2
				continue
			}
			if e.at(i).loc != machine.GPU {
				t.Fatalf("recency list: extent %+v is not on the GPU", *e.at(i))
			}
			cursor = cursor || i == e.cursor
			n++
		}
		if n != inRecency || prev != e.youngest || !cursor {
			t.Fatalf("recency list: %d extents, want %d; cursor in list: %v", n, inRecency, cursor)
		}
		if e.barren && e.skipHeld(e.oldest) != 0 {
			t.Fatal("recency list: nothing may leave, it says, and something may")
		}
		if capacity := int64(e.c.Machine.GPUMemory.Pages()) - e.w.HeldPages(); gpu+e.gpuFree != capacity || e.gpuFree < 0 {
			t.Fatalf("%d pages on the GPU and %d free of %d", gpu, e.gpuFree, capacity)
		}
		if host != e.hostUsed || e.hostUsed > e.hostPages {
			t.Fatalf("%d pages in host memory, %d counted, of %d", host, e.hostUsed, e.hostPages)
		}
		if needed != e.neededMoving {
			t.Fatalf("%d needed pages are moving, %d counted", needed, e.neededMoving)
		}
		conservation(t, e)
	}
}

// conservation checks that each link has moved at most its rate times the time
// up to the last batch. With any of three quirks it may move more.
func conservation(t *testing.T, e *run) {
	t.Helper()
	if e.c.Quirks&(quirk.CoarseBatch|quirk.LinkOvercommit|quirk.EarlyBatch) != 0 {
		return
	}
	tr := e.traffic.bytes()
	for i := range e.res.Iterations {
		a := e.res.Iterations[i].Traffic
		tr.SSDIn, tr.SSDOut, tr.HostIn, tr.HostOut = tr.SSDIn+a.SSDIn, tr.SSDOut+a.SSDOut, tr.HostIn+a.HostIn, tr.HostOut+a.HostOut
	}
	m, now := &e.c.Machine, e.batchAt-e.share.period
	read, write := e.c.SSDRates(false)
	bothRead, bothWrite := e.c.SSDRates(true)
	read, write = max(read, bothRead), max(write, bothWrite)
	for _, link := range []struct {
		name  string
		moved unit.Bytes
		rate  unit.Bandwidth
	}{
		{"SSD read", tr.SSDIn, read},
		{"SSD write", tr.SSDOut, write},
		{"host link, in", tr.HostIn, m.HostLink},
		{"host link, out", tr.HostOut, m.HostLink},
		{"GPU link, in", tr.SSDIn + tr.HostIn, m.GPULink},
		{"GPU link, out", tr.SSDOut + tr.HostOut, m.GPULink},
	} {
		if most := unit.MulDiv(int64(link.rate), int64(now), int64(m.Clock)); int64(link.moved) > most {
			t.Fatalf("%s: %v in %d cycles, of which it carries %d B", link.name, link.moved, now, most)
		}
	}
}

// TestLinksCarryTheirRate makes fresh tensors push others out to the host, over
// a host link that with the SSD's writes carries less than the GPU's link does:
// a batch that has used up both must wait.
func TestLinksCarryTheirRate(t *testing.T) {
	w := &workload.Workload{}
	var all []workload.TensorID
	for i := range workload.TensorID(6) {
		all = append(all, i)
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: unit.GiB})
		w.Kernels = append(w.Kernels, workload.Kernel{Time: unit.Microsecond, Outputs: []workload.TensorID{i}})
	}
	for _, i := range all {
		w.Kernels = append(w.Kernels, workload.Kernel{Time: unit.Microsecond, Inputs: []workload.TensorID{i}})
	}
	c := engine.Config{Machine: machine.G10(), Runtime: Memory{}, Iterations: 1}
	m := &c.Machine
	m.GPUMemory, m.HostMemory, m.FaultLatency = 2*unit.GiB, 64*unit.GiB, 0
	m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = 64*unit.GBps, 34*unit.GBps, 32*unit.GBps, unit.GBps
	r, err := engine.Run(w, &program.Program{}, c)
	if err != nil {
		t.Fatal(err)
	}
	var pushed unit.Cycles // when four tensors have left
	for k := range r.Kernels[:6] {
		pushed = r.Kernels[k].End
	}
	if least := (4*unit.GiB - 16*unit.MiB) / 35; float64(pushed)/float64(m.Clock) < float64(least)/1e9 {
		t.Errorf("4 GiB left in %d cycles; host link and SSD together carry 35 GB/s", pushed)
	}
}

// TestFirstBatch reads weights from the SSD for the first kernel of a run. They
// take the time that they take on any link.
func TestFirstBatch(t *testing.T) {
	c := engine.Config{Machine: machine.G10(), Runtime: Memory{}, Iterations: 1}
	m := &c.Machine
	m.GPUMemory, m.FaultLatency, m.SSDLatency = unit.GiB, 0, 0
	for _, pages := range []unit.Bytes{1, 32, 50, 500} {
		w := &workload.Workload{
			Tensors: []workload.Tensor{{Bytes: pages * unit.Page, Global: true}},
			Kernels: []workload.Kernel{{Time: unit.Microsecond, Inputs: []workload.TensorID{0}}},
		}
		r, err := engine.Run(w, &program.Program{}, c)
		if err != nil {
			t.Fatal(err)
		}
		if least := m.SSDRead.Cycles(pages*unit.Page, m.Clock); r.Main().Stall < least {
			t.Errorf("%d pages from the SSD take %d cycles; its rate allows %d", pages, r.Main().Stall, least)
		}
	}
}

// TestEventsOfExtremes counts the events of a run with every parameter of the machine
// at its least and its most. Batches that do the same are one event, so that a run is
// little work however short its batches and however slow its links are.
func TestEventsOfExtremes(t *testing.T) {
	const layers, iterations = 24, 2
	w := &workload.Workload{}
	use := func(name string, in, out []workload.TensorID) {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: name, Time: 2 * unit.Millisecond, Inputs: in, Outputs: out})
	}
	for i := range workload.TensorID(layers) {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: 96 * unit.MiB}, workload.Tensor{Bytes: 32 * unit.MiB, Global: true})
		use("forward", []workload.TensorID{max(2*i-2, 0), 2*i + 1}, []workload.TensorID{2 * i})
	}
	for i := workload.TensorID(layers - 1); i >= 0; i-- {
		use("backward", []workload.TensorID{2 * i, 2*i + 1}, []workload.TensorID{2*i + 1})
	}
	for _, mode := range []struct {
		quirks quirk.Set
		most   int // events of a kernel
	}{
		{quirk.Published(), 1200}, // coming and going take turns, page by page where a batch is one
		{quirk.Corrected(), 40},
	} {
		for _, k := range machine.Knobs() {
			for _, v := range []int64{k.Min, k.Max} {
				c := engine.Config{Machine: machine.G10(), Runtime: Memory{}, Quirks: mode.quirks, Iterations: iterations}
				c.Machine.GPUMemory, c.Machine.HostMemory = unit.GiB, 512*unit.MiB
				if k.Set(&c.Machine, v); c.Machine.Validate() != nil {
					continue
				}
				events := 0
				c.Runtime = checked(c, func(*run) { events++ })
				var no *engine.DoesNotFit
				if _, err := engine.Run(w, &program.Program{}, c); err != nil && !errors.As(err, &no) {
					t.Fatal(err)
				}
				if most := mode.most * iterations * len(w.Kernels); events > most {
					t.Errorf("%v, %s %d: %d events of %d kernels in %d iterations, want at most %d", mode.quirks, k.Key, v, events, len(w.Kernels), iterations, most)
				}
			}
		}
	}
}
