package train_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
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

// mostHurt is by how much more hardware may make a planned system slower, and in how many of a
// thousand cases by more than a hundredth. Measured on the 150 settings that a night takes.
//
// Greedy plans of whole tensors are the reason. A plan for less hardware among the candidates
// does not mend it: plans for links at 0.7 of their rate, for 97 hundredths of GPU memory, for
// half an SSD and all of these together leave G10 as often slower (4 to 6 of 131 cases by more
// than half a hundredth, 6 without), and worse where one of them was the best for less; only the
// plan for exactly the machine that had less does (2 of 131), which no planner knows of.
var mostHurt = map[string]struct {
	worst float64 // above a hundredth
	often int
}{
	"g10-gds": {0.01, 20}, "g10-host": {0.01, 20}, "g10": {0.01, 20},
	"capuchin":     {0.13, 20}, // its plan is made while it runs
	"sentinel":     {0.02, 10},
	"superneurons": {0.02, 10},
}

// planners are the systems that plan whole iterations.
var planners = []string{"flashneuron", "g10-gds", "g10-host", "g10", "vdnn", "autotm", "swapadvisor", "capuchin", "sentinel", "superneurons", "recompute", "spillway"}

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
		for _, name := range planners {
			if *moreOnly != "" && name != *moreOnly {
				continue
			}
			run := func(m machine.Machine) *result.Result {
				res, err := train.Run(s.w, train.Request{System: name, Machine: m, Options: inCorrectedMode()}, nil)
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
			hurts[name] = append(hurts[name], h)
			if h.by > 0.01+mostHurt[name].worst {
				t.Errorf("%s, setting %d, %g times %s: %.2f %% slower", name, seed, f, x.key, 100*h.by)
			}
		}
	}
	for _, name := range planners {
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
		if n := mostHurt[name].often; whole*1000 > max(n*len(hurts[name]), 1000*min(n, 1)) {
			t.Errorf("%s: %d of %d get slower by more than 1 %%", name, whole, len(hurts[name]))
		}
	}
}
