package train_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/paged"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
)

// A result as published says when the original gives none for its settings;
// corrected mode, Ideal and the arena have nothing to do with it.
func TestBeyondTheOriginal(t *testing.T) {
	w := systemtest.Workload(rand.New(rand.NewPCG(1, 8)), 0.2)
	for _, tt := range []struct {
		name, want string
		set        func(*machine.Machine)
	}{
		{"as in the paper", "", func(*machine.Machine) {}},
		{"slow host link", "slower than the GPU link", func(m *machine.Machine) { m.HostLink -= unit.MBps }},
		{"share of no page", "less than a page", func(m *machine.Machine) { m.SSDRead = m.GPULink/unit.Bandwidth(m.BatchPages) - unit.MBps }},
		{"no latency", "never ends", func(m *machine.Machine) { m.FaultLatency, m.SSDLatency = 0, unit.Microsecond/2 }},
		{"some latency", "", func(m *machine.Machine) { m.FaultLatency, m.SSDLatency = 0, unit.Microsecond }},
	} {
		for _, mode := range modes {
			for _, s := range train.Systems {
				q := train.Request{System: s.Name, Machine: machine.G10(), Options: system.Published()}
				q.Options.Quirks = mode
				tt.set(&q.Machine)
				r, err := train.Run(w, q, nil)
				if err != nil || !r.Fits {
					t.Fatalf("%s, %s: %v %s", tt.name, s.Name, err, r.Reason)
				}
				notes := strings.Join(r.Notes, "\n")
				if says := strings.Contains(notes, "the original program"); says != (tt.want != "" && mode == quirk.Published() && engine.Is[paged.Memory](s.Runtime(&q.Options))) || !strings.Contains(notes, tt.want) && says {
					t.Errorf("%s, %s, %v: notes are %q; want %q as published", tt.name, s.Name, mode, r.Notes, tt.want)
				}
			}
		}
	}
}
