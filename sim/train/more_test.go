package train_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
)

var (
	moreSettings = flag.Uint64("more.settings", 150, "random settings in which planned systems get more hardware")
	moreReport   = flag.Bool("more.report", false, "print what more hardware does, by system")
	moreOnly     = flag.String("more.only", "", "one system alone")
)

// mores are what a machine gets more of.
var mores = []struct {
	key    string
	better func(m *machine.Machine, f float64)
}{
	{"gpu_memory", func(m *machine.Machine, f float64) { up(&m.GPUMemory, f) }},
	{"host_memory", func(m *machine.Machine, f float64) { up(&m.HostMemory, f) }},
	{"links", func(m *machine.Machine, f float64) { up(&m.GPULink, f); up(&m.HostLink, f) }},
	{"ssd_read", func(m *machine.Machine, f float64) { up(&m.SSDRead, f); m.SSDRead = min(m.SSDRead, m.HostLink) }},
	{"ssd_write", func(m *machine.Machine, f float64) { up(&m.SSDWrite, f); m.SSDWrite = min(m.SSDWrite, m.HostLink) }},
}

// A limit is by how much more hardware may make a planned system slower above a hundredth, and in
// how many of a thousand cases by more than a hundredth. Measured on the 150 settings that a
// night takes; of those that may leave parts of a machine unused with and without
// ([system.Spare]).
type limit struct {
	worst float64
	often int
}

// mostHurt are limits of what planned systems do with all that there is. Greedy plans of whole
// tensors are the reason.
var mostHurt = map[string]limit{
	"g10-gds": {0.01, 20}, "g10-host": {0.01, 20}, "g10": {0.01, 20},
	"capuchin":     {0.13, 20}, // its plan is made while it runs
	"sentinel":     {0.02, 10},
	"superneurons": {0.02, 10},
}

// leastHurt are those of what they do where they may leave parts unused.
//
// Sentinel has no such setting: what goes to the SSD when the host is full decides by a fifth, and
// of two machines that differ by a tenth in what their SSDs write one finds the better half by
// leaving memory of the host unused, and the other does not.
var leastHurt = map[string]limit{"capuchin": {0.015, 10}}

// planners are the systems that plan whole iterations.
var planners = []string{"flashneuron", "g10-gds", "g10-host", "g10", "vdnn", "autotm", "swapadvisor", "capuchin", "sentinel", "superneurons", "recompute", "spillway"}

// spared is behind the name of a system that may leave parts of a machine unused.
const spared = ", sparing"

// sparing are those that may.
func sparing() (list []string) {
	for i := range train.Systems {
		if s := &train.Systems[i]; slices.Contains(s.Params, &system.Spare) {
			list = append(list, s.Name+spared)
		}
	}
	return list
}

// TestMoreHardware gives a few random settings, at night all, more of one thing: no system
// that plans gets slower, but for what mostHurt says.
func TestMoreHardware(t *testing.T) {
	hurts := map[string][]hurt{}
	for seed := range *moreSettings {
		if !*moreReport && !effort.Takes(int(seed), 4*share) {
			continue
		}
		s, r := drawSetting(seed), rand.New(rand.NewPCG(seed, 23))
		f := []float64{1.01, 1.1, 1.5, 2}[r.IntN(4)]
		x := &mores[r.IntN(len(mores))]
		m := s.m
		if x.better(&m, f); m == s.m || m.Validate() != nil || len(s.w.Kernels) > 1500 {
			continue
		}
		for _, name := range append(sparing(), planners...) {
			name, spares := strings.CutSuffix(name, spared)
			if spares && !*moreReport && !effort.Takes(int(seed), 16*share) { // it takes forty runs
				continue
			}
			if *moreOnly != "" && name != *moreOnly {
				continue
			}
			run := func(m machine.Machine) *result.Result {
				o := inCorrectedMode()
				if spares {
					system.Spare.Set(&o, 1)
				}
				res, err := train.Run(s.w, train.Request{System: name, Machine: m, Options: o}, nil)
				if err != nil {
					t.Fatal(err)
				}
				return res
			}
			base := run(s.m)
			if !base.Fits {
				continue
			}
			more := run(m)
			if !more.Fits {
				t.Errorf("%s, setting %d, %g times %s: does not fit any more: %s", name, seed, f, x.key, more.Reason)
				continue
			}
			h := hurt{float64(more.Time())/float64(base.Time()) - 1, seed}
			worst := mostHurt[name].worst
			if spares {
				worst = leastHurt[name].worst
				name += spared
			}
			hurts[name] = append(hurts[name], h)
			if h.by > 0.01+worst {
				t.Errorf("%s, setting %d, %g times %s: %.2f %% slower", name, seed, f, x.key, 100*h.by)
			}
		}
	}
	for _, name := range append(sparing(), planners...) {
		half, whole := 0, 0
		for _, h := range hurts[name] {
			if h.by > 0.005 {
				half++
			}
			if h.by > 0.01 {
				whole++
			}
		}
		if *moreReport {
			fmt.Printf("%d of %d above 0.5 %%, %d above 1 %%: %s\n", half, len(hurts[name]), whole, summary(name, slices.Clone(hurts[name])))
		}
		most := mostHurt[name]
		if system, ok := strings.CutSuffix(name, spared); ok {
			most = leastHurt[system]
		}
		if n := most.often; whole*1000 > max(n*len(hurts[name]), 1000*min(n, 1)) {
			t.Errorf("%s: %d of %d get slower by more than 1 %%", name, whole, len(hurts[name]))
		}
	}
}
