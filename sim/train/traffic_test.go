package train

import (
	"math/rand/v2"
	"testing"

	"spillway/sim/flash"
	facts "spillway/sim/sustained"
	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

func TestUnder(t *testing.T) {
	w := &workload.Workload{Tensors: []workload.Tensor{
		{Bytes: 10 * unit.MiB}, {Bytes: 30 * unit.GiB}, {Bytes: 40 * unit.GiB, Global: true}, {Bytes: 1},
	}}
	s := flash.Drives()[0].Spec
	r := &result.Result{Fits: true, Iterations: []result.Iteration{{Traffic: result.Traffic{SSDIn: 60 * unit.GiB, SSDOut: 20 * unit.GiB}}}}
	got := under(w, r, &s)
	want := flash.Pattern{Utilization: 1000, Request: 40 * unit.GiB, Hot: 6, HotWrites: 1000, Cyclic: true, Reads: 750}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	for _, r := range []*result.Result{{}, {Fits: true, Iterations: make([]result.Iteration, 1)}} {
		if err := under(&workload.Workload{}, r, &s).Validate(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestSustained(t *testing.T) {
	slow := machine.G10()
	slow.HostLink, slow.SSDRead, slow.SSDWrite = 13*unit.GBps, 3*unit.GBps, 3*unit.GBps
	thin := machine.G10()
	thin.GPULink, thin.HostLink, thin.SSDRead, thin.SSDWrite = 2*unit.GBps, 2*unit.GBps, unit.GBps, unit.GBps
	tests := []struct {
		name    string
		machine machine.Machine
		meas    flash.Measurement
		want    engine.Drive
		notes   int
	}{
		{"both", machine.G10(), flash.Measurement{Read: 4e9, Write: 3e9, MixedRead: 3e9, MixedWrite: 2e9}, engine.Drive{Read: 4e9, Write: 3e9, MixedRead: 3e9, MixedWrite: 2e9}, 0},
		{"reads alone", machine.G10(), flash.Measurement{Read: 4e9, Write: 3e9, MixedRead: 4e9}, engine.Drive{Read: 4e9, Write: 3e9, MixedRead: 4e9, MixedWrite: 3e9}, 0},
		{"fast drive", thin, flash.Measurement{Read: 4e9, Write: 3e9, MixedRead: 3e9, MixedWrite: 1e9}, engine.Drive{Read: 2e9, Write: 2e9, MixedRead: 2e9, MixedWrite: 1e9}, 2},
		{"crawling", machine.G10(), flash.Measurement{Read: 4e9, Write: 1}, engine.Drive{Read: 4e9, Write: 1e7, MixedRead: 4e9, MixedWrite: 1e7}, 1},
		{"no filling the GPU link", slow, flash.Measurement{Read: 1e9, Write: 1e9}, engine.Drive{Read: 1e9, Write: 1e9, MixedRead: 1e9, MixedWrite: 1e9}, 1},
	}
	for _, tt := range tests {
		m := tt.machine
		tt.meas.ReadLatency = 20 * unit.Microsecond
		got, notes := sustained(&m, &tt.meas)
		if got != tt.want || m.SSDRead != got.Read || m.SSDWrite != got.Write || m.SSDLatency != 20*unit.Microsecond || len(notes) != tt.notes {
			t.Errorf("%s: %+v, machine reads %v, writes %v, latency %v, notes %q; want %+v, 20 µs, %d notes",
				tt.name, got, m.SSDRead, m.SSDWrite, m.SSDLatency, notes, tt.want, tt.notes)
		}
		if err := m.Validate(); err != nil {
			t.Errorf("%s: machine is no longer valid: %v", tt.name, err)
		}
	}
}

// TestSustainedKeepsMachinesValid gives random valid machines random measurements.
func TestSustainedKeepsMachinesValid(t *testing.T) {
	const seeds = 500
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 5))
		rate := func() unit.Bandwidth { return unit.Bandwidth(r.Int64N(40e9)) }
		m := machine.G10()
		m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = rate(), rate(), rate(), rate()
		if m.Validate() != nil {
			continue
		}
		meas := flash.Measurement{Read: rate(), Write: rate(), MixedRead: rate() * unit.Bandwidth(r.IntN(2)), MixedWrite: rate() * unit.Bandwidth(r.IntN(2)), ReadLatency: unit.Time(r.Int64N(3e12))}
		before := m
		_, notes := sustained(&m, &meas)
		if err := m.Validate(); err != nil {
			t.Fatalf("seed %d: %+v with %+v is no longer valid: %v\n%q", seed, before, meas, err, notes)
		}
	}
}

// TestDrivesAreParts checks that every drive is a machine part that reads at the data sheet's
// rate and writes at it, too, or at what it sustains behind a cache.
func TestDrivesAreParts(t *testing.T) {
	for _, d := range flash.Drives() {
		m := machine.G10()
		m.HostLink = 100 * unit.GBps
		for _, s := range machine.Slots() {
			for _, p := range s.Parts {
				if p.Key == d.Key {
					p.Fit(&m)
				}
			}
		}
		write := d.Sheet.Write
		if s, ok := facts.FindDrive(d.Key); ok && s.Cache > 0 {
			write = s.Write
		}
		if m.SSDRead != d.Sheet.Read || m.SSDWrite != write {
			t.Errorf("%s: the machine part has %v and %v; want %v and %v", d.Key, m.SSDRead, m.SSDWrite, d.Sheet.Read, write)
		}
	}
}

// A drive's knobs and a machine's can stand side by side: no key is in both.
func TestDriveKnobsAreNoMachineKnobs(t *testing.T) {
	keys := map[string]bool{}
	for _, k := range flash.Knobs() {
		keys[k.Key] = true
	}
	for _, k := range machine.Knobs() {
		if keys[k.Key] {
			t.Errorf("knob %q is a machine's and a drive's", k.Key)
		}
	}
}
