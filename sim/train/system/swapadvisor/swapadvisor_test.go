package swapadvisor_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/train/system/swapadvisor"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

func TestConformance(t *testing.T) { systemtest.Run(t, swapadvisor.System) }

func TestPlansHold(t *testing.T) { systemtest.Swaps(t, swapadvisor.System, 200) }

func network() (*workload.Workload, machine.Machine, system.Options) {
	r := rand.New(rand.NewPCG(1, 9))
	w, m, o := systemtest.Convolutional(r, 2.5), machine.G10(), system.Published()
	o.Quirks = quirk.Corrected()
	systemtest.Squeeze(r, w, &m)
	m.GPUMemory = 128 * unit.MiB
	return w, m, o
}

// The same seed has the same program; progress changes nothing and counts individuals.
func TestDeterministic(t *testing.T) {
	w, m, o := network()
	a, err := swapadvisor.System.Program(w, &m, &o, nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	b, err := swapadvisor.System.Program(w, &m, &o, func(done, total int) {
		if calls++; done != calls || total != 24*21 {
			t.Errorf("progress %d of %d in call %d", done, total, calls)
		}
	})
	if err != nil || !slices.Equal(a.Ops, b.Ops) || a.Rounds != b.Rounds || calls != a.Rounds || len(a.Ops) == 0 {
		t.Errorf("%d and %d operations, %d and %d rounds, %d calls, %v", len(a.Ops), len(b.Ops), a.Rounds, b.Rounds, calls, err)
	}
}

// BenchmarkSearch plans for a network of 251 kernels that needs twice the memory it has.
func BenchmarkSearch(b *testing.B) {
	w, m, o := network()
	for b.Loop() {
		p, err := swapadvisor.System.Program(w, &m, &o, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := engine.Run(w, p, engine.Config{Machine: m, Runtime: swapadvisor.System.Runtime(&o), Quirks: o.Quirks, Iterations: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(w.Kernels)), "kernels")
}
