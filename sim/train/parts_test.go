package train_test

import (
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/eager"
	"spillway/traces/zoo"
)

// squeezed is ViT at batch 256 with warm kernels on a GPU of 4 GiB, with a host that is short.
func squeezed(t *testing.T) (*workload.Workload, machine.Machine) {
	t.Helper()
	w, err := zoo.Build("vit-s-32", 256, zoo.Profiled(zoo.A100()))
	if err != nil {
		t.Fatal(err)
	}
	m := machine.G10()
	m.GPUMemory, m.HostMemory = 4*unit.GiB, 5*unit.GiB
	return w, m
}

func with(t *testing.T, w *workload.Workload, m machine.Machine, name string, params system.Params) *result.Result {
	t.Helper()
	o := system.Published()
	o.Quirks, o.Iterations, o.Params = quirk.Corrected(), 3, params
	r, err := train.Run(w, train.Request{System: name, Machine: m, Options: o}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Fits {
		t.Fatalf("%s %s: %s", name, params, r.Reason)
	}
	return r
}

// TestParts switches each part of the planner off: nothing is faster by more than a hundredth
// than the planner with all of them, and what copying ahead, tiers, and prices and movements
// together bring is missed. On again all is as before.
func TestParts(t *testing.T) {
	effort.Natively(t)
	w, m := squeezed(t)
	whole := with(t, w, m, "spillway", "spillway_others=0")
	all := with(t, w, m, "spillway", "")
	if all.Time() > whole.Time() {
		t.Errorf("%d cycles with others' plans among the candidates, %d without", all.Time(), whole.Time())
	}
	for _, part := range []string{"spillway_prices=0", "spillway_primal=0", "spillway_tiers=0", "spillway_ahead=0", "spillway_prices=0 spillway_primal=0"} {
		r := with(t, w, m, "spillway", system.Params("spillway_others=0 "+part))
		t.Logf("%s: %.4f of the time", part, float64(r.Time())/float64(whole.Time()))
		if float64(r.Time()) < 0.99*float64(whole.Time()) {
			t.Errorf("%s: %d cycles, with it %d", part, r.Time(), whole.Time())
		}
		if one := part == "spillway_prices=0" || part == "spillway_primal=0"; !one && float64(r.Time()) < 1.01*float64(whole.Time()) {
			t.Errorf("%s is not missed", part)
		}
	}
	on := "spillway_ahead=1 spillway_others=0 spillway_prices=1 spillway_primal=1 spillway_tiers=1"
	if r := with(t, w, m, "spillway", system.Params(on)); r.Time() != whole.Time() {
		t.Errorf("%s: %d cycles, by default %d", on, r.Time(), whole.Time())
	}
}

// TestCopyAhead adds copies made ahead to plans that were published: the plan stays, what is
// brought stays nearly the same, and less is waited for what leaves.
func TestCopyAhead(t *testing.T) {
	effort.Natively(t)
	w, m := squeezed(t)
	m.HostMemory = 128 * unit.GiB
	for name, base := range map[string]string{"swapadvisor": "", "autotm": "", "g10": "g10_arena=1"} {
		plain := with(t, w, m, name, system.Params(base))
		ahead := with(t, w, m, name, system.Params(strings.TrimSpace("copy_ahead=1 "+base)))
		t.Logf("%s: %.4f of the time, %d more operations", name, float64(ahead.Time())/float64(plain.Time()), ahead.PlannedOps-plain.PlannedOps)
		if ahead.PlannedOps <= plain.PlannedOps {
			t.Errorf("%s: %d operations with copies, %d without", name, ahead.PlannedOps, plain.PlannedOps)
		}
		if ahead.Time() >= plain.Time() {
			t.Errorf("%s: %d cycles with copies made ahead, %d without", name, ahead.Time(), plain.Time())
		}
	}
}

// TestCapuchinKnowsTheHost: with a host that holds a part of what must leave, a faster link once
// made Capuchin eight times slower: it planned swaps by the link, and they went to the SSD.
func TestCapuchinKnowsTheHost(t *testing.T) {
	effort.Natively(t)
	spec, err := eager.Find("resnet-200-pytorch")
	if err != nil {
		t.Fatal(err)
	}
	w, err := eager.Build(spec.ID, 128, 0, spec.Optimizer, eager.AsDeepUM())
	if err != nil {
		t.Fatal(err)
	}
	m := machine.G10()
	m.GPUMemory, m.HostMemory = 12*unit.GiB, 8*unit.GiB
	m.SSDRead, m.SSDWrite = 3200*unit.MBps, 3000*unit.MBps
	var last unit.Cycles
	for i, rate := range []unit.Bandwidth{16, 64} {
		m.GPULink, m.HostLink = rate*unit.GBps, rate*unit.GBps
		r := with(t, w, m, "capuchin", "")
		t.Logf("link %d GB/s: %.3f s", rate, float64(r.Time())/float64(r.Clock))
		if i > 0 && float64(r.Time()) > 1.01*float64(last) {
			t.Errorf("%d cycles over a link of %d GB/s, %d over the slower one", r.Time(), rate, last)
		}
		last = r.Time()
	}
}

// TestSwapAdvisorSearchesOn: a search that has found no plan goes on, and says that it has found
// none, not that there is none.
func TestSwapAdvisorSearchesOn(t *testing.T) {
	effort.Natively(t)
	w, err := zoo.Build("inception-v3", 1536, zoo.AsPaper())
	if err != nil {
		t.Fatal(err)
	}
	r := with(t, w, machine.G10(), "swapadvisor", "")
	if x := float64(r.Ideal) / float64(r.Time()); x < 0.85 {
		t.Errorf("%.3f of ideal", x)
	}
	m := machine.G10()
	m.HostMemory = unit.MiB
	o := system.Published()
	o.Quirks = quirk.Corrected()
	none, err := train.Run(w, train.Request{System: "swapadvisor", Machine: m, Options: o}, nil)
	if err != nil || none.Fits || !strings.Contains(none.Reason, "no plan was found in") {
		t.Errorf("%+v, %v", none.Reason, err)
	}
}
