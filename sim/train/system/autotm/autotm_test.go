package autotm_test

import (
	"math/rand/v2"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/train/system/autotm"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
)

func TestConformance(t *testing.T) { systemtest.Run(t, autotm.System) }

func TestPlansHold(t *testing.T) { systemtest.Swaps(t, autotm.System, 400) }

// The same workload has the same program.
func TestDeterministic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	w, m := systemtest.Convolutional(r, 1), machine.G10()
	systemtest.Squeeze(r, w, &m)
	o := system.Published()
	a, err := autotm.System.Program(w, &m, &o, nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	b, err := autotm.System.Program(w, &m, &o, func(done, total int) {
		if calls++; done < 0 || done > total {
			t.Errorf("progress %d of %d", done, total)
		}
	})
	if err != nil || len(a.Ops) != len(b.Ops) || len(a.Ops) == 0 || calls == 0 {
		t.Fatalf("%d and %d operations, %d calls of progress, %v", len(a.Ops), len(b.Ops), calls, err)
	}
	for i := range a.Ops {
		if a.Ops[i] != b.Ops[i] {
			t.Errorf("operation %d is %+v and then %+v", i, a.Ops[i], b.Ops[i])
		}
	}
}

// BenchmarkSearch plans for a network of 251 kernels that needs twice the memory it has.
func BenchmarkSearch(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 9))
	w, m, o := systemtest.Convolutional(r, 2.5), machine.G10(), system.Published()
	o.Quirks = quirk.Corrected()
	systemtest.Squeeze(r, w, &m)
	m.GPUMemory = 128 * unit.MiB
	for b.Loop() {
		p, err := autotm.System.Program(w, &m, &o, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := engine.Run(w, p, engine.Config{Machine: m, Runtime: autotm.System.Runtime(&o), Quirks: o.Quirks, Iterations: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(w.Kernels)), "kernels")
}
