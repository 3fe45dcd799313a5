package llm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
)

// of returns what a system is measured against: its own linear program, or the least of all floors.
func (b *Bound) of(sys *system.System) *Floor {
	for i := range b.Floors {
		if f := &b.Floors[i]; f.Own && slices.Contains(f.Systems, sys) {
			return f
		}
	}
	return &b.Floors[0]
}

// fastest returns the system that takes least, and how long.
func fastest(t *testing.T, about string, s *Setup, b *Bound) (name string, time unit.Time) {
	t.Helper()
	for _, sys := range Systems {
		if sys.Bound {
			continue
		}
		r, err := Run(s, sys.Name, false, nil)
		if err != nil {
			t.Fatalf("%s, %s: %v", about, sys.Name, err)
		}
		if !r.Ran() {
			continue
		}
		if f := b.of(sys); r.Time < f.Time {
			t.Errorf("%s: %s takes %v, less than the bound's %v (%s)", about, sys.Name, r.Time, f.Time, f.By)
		}
		if name == "" || r.Time < time {
			name, time = sys.Name, r.Time
		}
	}
	return name, time
}

// TestBound runs all systems on random setups: none is below the bound, and where none is cut
// there is none.
func TestBound(t *testing.T) {
	rounds := 60
	if *full {
		rounds = 600
	}
	if testing.Short() {
		rounds = 15
	}
	compared := 0
	for seed := range rounds {
		r := rng(seed + 7000)
		s := r.anything()
		s.Options.Fallback = system.Demand // one plan is enough
		b, err := Best(&s, nil)
		if err != nil || b.Reason != "" {
			var no *system.Refusal
			if errors.As(err, &no) {
				t.Errorf("seed %d: a refusal is an error: %v", seed, err)
			}
			continue
		}
		if _, time := fastest(t, fmt.Sprintf("seed %d: %s on %d %s, %+v", seed, s.Arch.Name, s.Node.GPUs, s.Node.GPU.Key, s.Layout), &s, b); time > 0 {
			compared++
		}
	}
	t.Logf("%d of %d setups have a bound and a system that runs", compared, rounds)
	if compared < rounds/3 {
		t.Errorf("%d of %d setups: of no use", compared, rounds)
	}
}

// TestBoundOnDGX has the setup on which the pipeline that holds everything was called ideal:
// ZeRO-Offload is 2.5 times as fast, FSDP nearly, and the bound is below them.
func TestBoundOnDGX(t *testing.T) {
	s := Standard()
	p, err := machine.FindPreset("dgx-h100")
	if err != nil {
		t.Fatal(err)
	}
	if s.Arch, err = model.Find("llama3-8b"); err != nil {
		t.Fatal(err)
	}
	s.Node, s.Layout = p.Config, job.Layout{Batch: 8, Sequence: 2048, Precision: job.FP32}
	s.Options.Tensor = false
	held, err := Ideal(&s)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Best(&s, nil)
	if err != nil || b.Reason != "" {
		t.Fatal(err, b.Reason)
	}
	name, time := fastest(t, "DGX H100", &s, b)
	t.Logf("the pipeline that holds everything takes %v, %s %v, the bound is %v (%s)", held, name, time, b.Time, b.Floors[0].By)
	if 2*time > held {
		t.Errorf("%s takes %v, the pipeline that holds everything %v: want less than half", name, time, held)
	}
}

// TestBoundTightness logs how near the fastest system comes, of the cases of the conformance
// test; what it says stands in the documents.
func TestBoundTightness(t *testing.T) {
	for _, c := range cases(t) {
		b, err := Best(&c.setup, nil)
		if err != nil || b.Reason != "" {
			t.Fatal(c.name, err, b.Reason)
		}
		name, time := fastest(t, c.name, &c.setup, b)
		var of []string
		for _, x := range b.Floors[0].Systems {
			of = append(of, x.Title)
		}
		t.Logf("%-40s bound %-10v %-14s %-10v %.3f × (cut as %s: %s)", c.name, b.Time, name, time, float64(time)/float64(b.Time), strings.Join(of, ", "), b.Floors[0].By)
	}
}
