package train_test

import (
	"fmt"
	"math"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/eager"
)

// v100 is the machine of the DeepUM paper, Table 1: a link of 12.5 GB/s each way.
func v100() machine.Machine {
	m := machine.G10()
	m.GPUMemory, m.HostMemory = 32*unit.GiB, 512*unit.GiB
	m.GPULink, m.HostLink = 12_500*unit.MBps, 12_500*unit.MBps
	return m
}

func trained(tb testing.TB, id string, batch int) *workload.Workload {
	tb.Helper()
	x, err := eager.Find(id)
	if err != nil {
		tb.Fatal(err)
	}
	w, err := eager.Build(id, batch, 0, x.Optimizer, eager.AsDeepUM())
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// onV100 asks for UM as DeepUM's paper has it.
func onV100(pages, warm int64) train.Request {
	q := train.Request{System: "um", Machine: v100(), Options: system.Published()}
	q.Options.Quirks = quirk.Corrected()
	q.Options.Iterations = 1
	system.UMUsable.Set(&q.Options, 757_813)
	system.UMPagesPerFault.Set(&q.Options, pages)
	system.UMWarmup.Set(&q.Options, warm)
	return q
}

// UM takes as long, and faults as often, as Figure 9(b) and Table 5 of the DeepUM paper
// say, within what they can be expected to: costs and usable memory are fitted to them.
func TestUM(t *testing.T) {
	if testing.Short() {
		t.Skip("published numbers, natively")
	}
	for _, x := range []struct {
		id              string
		batch           int
		pages           int64 // a counted fault stands for, in thousandths
		seconds, faults float64
		time            float64 // how far off it may be
		count           float64 // of how many times as many faults, or as few
	}{
		{"gpt2-xl-pytorch", 3, 4300, 45.97, 7437122, 0.10, 1.20},
		{"gpt2-l-pytorch", 7, 4300, 57.27, 8974631, 0.10, 1.20},
		{"bert-large-pytorch", 16, 4300, 13.07, 1777710, 0.17, 2.3},
		{"bert-base-pytorch", 29, 4300, 1.35, 88459, 0.35, 2.3},
		{"resnet-152-pytorch", 1280, 900, 310.02, 121380940, 0.10, 1.20},
		{"dlrm-pytorch", 192 << 10, 1000, 28.94, 3471958, 0.29, 1.84},
	} {
		w := trained(t, x.id, x.batch)
		r, err := train.Run(w, onV100(x.pages, 3), nil)
		if err != nil || !r.Fits {
			t.Fatalf("%s, batch %d: %+v, %v", x.id, x.batch, r, err)
		}
		seconds, p := float64(r.Time())/float64(r.Clock), r.Main().Paging
		t.Logf("%s, batch %d: %.2f s (%.2f), %d faults (%.0f)", x.id, x.batch, seconds, x.seconds, p.Faults, x.faults)
		if math.Abs(seconds/x.seconds-1) > x.time || max(float64(p.Faults)/x.faults, x.faults/float64(p.Faults)) > x.count {
			t.Errorf("%s, batch %d: %.2f s and %d faults, published are %.2f s and %.0f faults", x.id, x.batch, seconds, p.Faults, x.seconds, x.faults)
		}
		if p.GarbageIn == 0 || p.In > p.Out+w.GlobalBytes() || r.Main().Overlap != 0 {
			t.Errorf("%s, batch %d: %+v, overlap %d", x.id, x.batch, *p, r.Main().Overlap)
		}
	}
}

// BenchmarkUM runs one iteration of UM on ResNet-152 at growing batch sizes.
func BenchmarkUM(b *testing.B) {
	for _, batch := range []int{384, 768, 1536} {
		w := trained(b, "resnet-152-pytorch", batch)
		b.Run(fmt.Sprintf("model=resnet-152-pytorch/batch=%d", batch), func(b *testing.B) {
			q := onV100(900, 0)
			b.ReportAllocs()
			for b.Loop() {
				run(b, w, q)
			}
		})
	}
}

// A framework keeps what it freed mapped, so that where everything fits no iteration after the
// first maps anything, and unified memory is as fast as a GPU that holds everything.
func TestFreedMemoryStaysMapped(t *testing.T) {
	w := bert(t)
	for _, name := range []string{"uvm", "deepum+", "g10"} {
		q := train.Request{System: name, Machine: machine.G10(), Options: inCorrectedMode()}
		q.Machine.GPUMemory = 4096 * unit.GiB
		r, err := train.Run(w, q, nil)
		if err != nil || !r.Fits {
			t.Fatalf("%s: %v", name, err)
		}
		if main := r.Main(); main.Ledger.Allocation != 0 || main.Time != r.Ideal {
			t.Errorf("%s: an iteration that moves nothing takes %d cycles of %d, %d of them to map memory", name, main.Time, r.Ideal, main.Ledger.Allocation)
		}
	}
}

// Memory that is mapped at once is waited for by nobody: what is left of the time that a
// kernel's new memory takes is what must leave first. As published that is allocation too.
func TestRoomIsEviction(t *testing.T) {
	w := bert(t)
	for _, name := range []string{"uvm", "deepum+", "g10-gds", "g10"} {
		q := train.Request{System: name, Machine: machine.G10(), Options: inCorrectedMode()}
		q.Machine.GPUMemory /= 2
		q.Machine.AllocRate = 1 // femtosecond a byte: a page takes one cycle, the least
		r, err := train.Run(w, q, nil)
		if err != nil || !r.Fits {
			t.Fatalf("%s: %v", name, err)
		}
		// Fresh pages that the plan asked for and that have no place yet count as moving.
		l, f := r.Main().Ledger, r.Main().Faults
		if fresh := f.Unallocated + f.Moving; int64(l.Allocation) > fresh || l.Eviction == 0 {
			t.Errorf("%s: kernels wait %d cycles for %d pages to be mapped, which takes one each, and %d for what leaves", name, l.Allocation, fresh, l.Eviction)
		}
	}
}
