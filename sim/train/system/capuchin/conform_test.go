package capuchin_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/capuchin"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/eager"
)

func TestConformance(t *testing.T) { systemtest.Run(t, capuchin.System) }

// v100 is the machine of the DeepUM paper with so much GPU memory.
func v100(memory unit.Bytes) machine.Machine {
	m := machine.G10()
	m.GPUMemory, m.HostMemory = memory, 512*unit.GiB
	m.HostLink, m.GPULink = 12500*unit.MBps, 12500*unit.MBps
	return m
}

func build(tb testing.TB, model string, batch int) *workload.Workload {
	tb.Helper()
	m, err := eager.Find(model)
	if err != nil {
		tb.Fatal(err)
	}
	w, err := eager.Build(model, batch, 0, m.Optimizer, eager.AsDeepUM())
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

func run(tb testing.TB, w *workload.Workload, m machine.Machine) *result.Result {
	tb.Helper()
	o := system.Published()
	o.Quirks = quirk.Corrected()
	r, err := train.Run(w, train.Request{System: "capuchin", Machine: m, Options: o}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// With memory for everything nothing moves once all is on the GPU.
func TestRoomy(t *testing.T) {
	for seed := range uint64(50) {
		w := systemtest.Workload(rand.New(rand.NewPCG(seed, 7)), 1)
		r := run(t, w, v100(unit.GiB))
		if it := r.Main(); it.Time != r.Ideal || it.Traffic != (result.Traffic{}) {
			t.Fatalf("seed %d: %d cycles, ideal %d, moved %+v", seed, it.Time, r.Ideal, it.Traffic)
		}
		if notes := strings.Join(r.Notes, " "); !strings.Contains(notes, "reconstruction") || !strings.Contains(notes, "nothing is planned") {
			t.Errorf("notes: %s", notes)
		}
	}
}

// A network whose swaps the link can hide takes hardly longer than ideal, with a twelfth
// too little memory, and computes nothing again; with a slow link it does.
func TestSwapOrRecompute(t *testing.T) {
	w := build(t, "bert-base-pytorch", 16)
	peak := run(t, w, v100(512*unit.GiB))
	most := unit.Bytes(0)
	for _, k := range peak.Kernels {
		most = max(most, k.GPU)
	}
	m := v100(most / 12 * 11)
	fast := run(t, w, m)
	if it := fast.Main(); it.Swapping.Recomputed > 0 || it.Traffic.HostIn == 0 || float64(it.Time) > 1.01*float64(fast.Ideal) {
		t.Errorf("fast link: %d cycles, ideal %d, %+v", it.Time, fast.Ideal, *it.Swapping)
	}
	m.HostLink, m.GPULink = unit.GBps, unit.GBps
	m.SSDRead, m.SSDWrite = unit.GBps/2, unit.GBps/2
	slow := run(t, w, m)
	passive, it := slow.Iterations[0].Time, slow.Main()
	if it.Swapping.Recomputed == 0 || it.Ledger.Recomputation == 0 || it.Time >= passive {
		t.Errorf("slow link: %d cycles, %d in the measured iteration, %+v", it.Time, passive, *it.Swapping)
	}
}

// ResNet-152 with batch 1280 on a V100 of 32 GB. The passive iteration is bound by the
// link, as DeepUM's 39 s are; the plan moves half of it and computes more again.
func TestResNet(t *testing.T) {
	if testing.Short() {
		t.Skip("a large network")
	}
	r := run(t, build(t, "resnet-152-pytorch", 1280), v100(32*unit.GiB))
	first, it := &r.Iterations[0], r.Main()
	seconds := float64(it.Time) / float64(r.Clock)
	t.Logf("%.1f s, ideal %.1f s; first iteration %.1f s; %v in and %v out, first %v and %v; %+v", seconds,
		float64(r.Ideal)/float64(r.Clock), float64(first.Time)/float64(r.Clock),
		it.Traffic.HostIn, it.Traffic.HostOut, first.Traffic.HostIn, first.Traffic.HostOut, *it.Swapping)
	if seconds > 30 {
		t.Errorf("%.1f s; want well below 39", seconds)
	}
	if it.Traffic.HostOut > first.Traffic.HostOut*6/10 || it.Swapping.Recomputed < 300 {
		t.Errorf("%v out, %v in passive mode, %d kernels again", it.Traffic.HostOut, first.Traffic.HostOut, it.Swapping.Recomputed)
	}
}

func BenchmarkResNet(b *testing.B) {
	w, m := build(b, "resnet-152-pytorch", 1280), v100(32*unit.GiB)
	for b.Loop() {
		run(b, w, m)
	}
}

func BenchmarkGPT2(b *testing.B) {
	w, m := build(b, "gpt2-xl-pytorch", 5), v100(32*unit.GiB)
	for b.Loop() {
		run(b, w, m)
	}
}
