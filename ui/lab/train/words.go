package train

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	core "spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
	"spillway/traces/zoo"
)

// A Workload is what runs, shared by all systems, and what is said of it.
type Workload struct {
	*workload.Workload
	need unit.Bytes // the most that is alive at any time, in whole pages
	// slower is how many times as long as warm the kernels take; 0 if unknown.
	slower float64
}

// about adds to a workload what is said of it.
func about(w *workload.Workload) Workload {
	return Workload{Workload: w, need: slices.Max(vitality.Analyze(w).Live(w))}
}

// duration is the sum of a workload's kernel times.
func duration(w *workload.Workload) (sum unit.Time) {
	for i := range w.Kernels {
		sum += w.Kernels[i].Time
	}
	return sum
}

// quirks are those that are on.
func (s *settings) quirks() quirk.Set {
	q, _ := quirk.Parse(s.Mode) // checked with the setup
	return q
}

// title names the workload in a sentence.
func (s *settings) title(w Workload) string {
	m, err := zoo.Find(s.Model)
	if s.Entry != "" || err != nil {
		return w.Name
	}
	return fmt.Sprintf("%s at batch %d", m.Title, s.Batch)
}

// lead says whether the workload fits into GPU memory.
func (s *settings) lead(w Workload) string {
	has := knob.Decimal(int64(s.Machine.GPUMemory), int64(unit.GiB))
	if w.need > s.Machine.GPUMemory {
		return fmt.Sprintf("%s needs %s GiB; the GPU has %s.", s.title(w), gib(w.need), has)
	}
	return fmt.Sprintf("%s needs %s GiB; the GPU has %s, so it fits: nothing has to move.", s.title(w), gib(w.need), has)
}

// gib prints GiB with three digits, or all in front of the point.
func gib(b unit.Bytes) string {
	x := float64(b) / float64(unit.GiB)
	places := 0
	for y := x; y < 100 && places < 3; y *= 10 {
		places++
	}
	return strconv.FormatFloat(x, 'f', min(places, 2), 64)
}

// mostCaveats is how many sentences people read.
const mostCaveats = 2

// caveat says what decides whether a run can be trusted.
func (s *settings) caveat(w Workload, r *result.Result) string {
	var list []string
	for _, say := range []string{s.poolCaveat(r), s.timesCaveat(w), s.idleCaveat(w, r)} {
		if say != "" && len(list) < mostCaveats {
			list = append(list, say)
		}
	}
	return strings.Join(list, " ")
}

// poolCaveat is about a memory pool larger than the GPU.
func (s *settings) poolCaveat(r *result.Result) string {
	x, err := core.Find(r.System)
	if err != nil {
		return ""
	}
	o := s.options()
	if pool := x.Runtime(&o).Pool; pool > 1 {
		return fmt.Sprintf("As published, %s has a pool %d times the GPU's memory.", x.Title, pool)
	}
	return ""
}

// options are those of a run.
func (s *settings) options() system.Options {
	o := s.Options
	o.Quirks = s.quirks()
	return o
}

// timesCaveat is about kernel times: cold, or of another GPU than the machine's.
func (s *settings) timesCaveat(w Workload) string {
	in := s.gpuName()
	switch {
	case s.Entry != "":
		return ""
	case w.Times == workload.ColdModel && in != "" && in != zoo.GPUs[0].Name:
		return fmt.Sprintf("Kernel times are the paper's, of an %s: the %s makes no kernel faster; estimated times would.", zoo.GPUs[0].Name, in)
	case w.Times == workload.ColdModel && w.slower > 0:
		return fmt.Sprintf("Kernel times are as the paper measured them, cold: %s times those of warm kernels, which hides transfers.", strconv.FormatFloat(w.slower, 'f', 1, 64))
	case w.Times == workload.Estimated && in != "":
		if g, err := zoo.FindGPU(s.GPU); err == nil && g.Name != in {
			return fmt.Sprintf("Kernel times are estimated for the %s, but the machine has the %s.", g.Name, in)
		}
	}
	return ""
}

// gpuName is the GPU of the machine, empty if its numbers are no known one's.
func (s *settings) gpuName() string {
	presets := machine.Presets()
	at := slices.IndexFunc(presets, func(p machine.Preset) bool { return p.Key == s.Preset })
	if at < 0 || presets[at].Machine.GPUMemory != s.Machine.GPUMemory {
		return ""
	}
	for _, p := range machine.Slots()[0].Parts {
		if p.Key == presets[at].GPU {
			return p.Name
		}
	}
	return ""
}

// idleCaveat is about data that moves although everything fits.
func (s *settings) idleCaveat(w Workload, r *result.Result) string {
	if !r.Fits || w.need > s.Machine.GPUMemory {
		return ""
	}
	t := &r.Main().Traffic
	moved := t.HostIn + t.HostOut + t.SSDIn + t.SSDOut
	x, err := core.Find(r.System)
	if moved == 0 || err != nil {
		return ""
	}
	why := "; memory need not be short for its plan to move data"
	switch {
	case x.Quirks.Has(quirk.DeadWriteback) && s.quirks().Has(quirk.DeadWriteback):
		why = ", because as published it keeps dead tensors until they are evicted and writes them back (quirk dead-writeback)"
	case r.PlannedOps == 0:
		why = "" // the ledger says all there is to say
	}
	return fmt.Sprintf("Everything fits, yet %s moves %s GB%s.", x.Title, strconv.FormatFloat(float64(moved)/1e9, 'f', 1, 64), why)
}
