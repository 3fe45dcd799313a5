package train

import (
	"fmt"
	"slices"

	"spillway/sim/compress/buddy"
	"spillway/sim/compress/profile"
	"spillway/sim/compress/stretch"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/engine/paged"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// Every system also runs on GPU memory that hardware compresses: it plans and runs
// what stretch.Stretch makes of the workload. Neither planners nor the engine know.

// carveOut is how large the buddy memory is, in GPU memories (Buddy Compression, §3.2 and §3.5).
const carveOut = 3

var threshold = system.Param{
	Key: "buddy_threshold", Label: "Buddy Threshold", Unit: "%", Scale: 10, Max: 1000, Default: 300,
	Help:   "With Buddy Compression: share of a tensor's entries of 128 bytes that may overflow to the buddy memory when its target is chosen.",
	Source: "Buddy Compression, §3.4",
}

var buddyLink = system.Param{
	Key: "buddy_link", Label: "Link to the buddy memory", Unit: "GB/s", Scale: int64(unit.GBps),
	Min: int64(unit.GBps), Max: 100_000 * int64(unit.GBps), Default: 150 * int64(unit.GBps),
	Help:   "With Buddy Compression: overflow comes over this link, and kernels wait for it. It is not the link to the host.",
	Source: "Buddy Compression, Table 2: NVLink2",
}

// Compressed lists every system of Systems on compressed memory.
var Compressed = onCompressed(Systems)

// All lists all systems: Systems, then the same on compressed memory.
func All() []system.System { return slices.Concat(Systems, Compressed) }

// onCompressed makes of systems those that run on compressed memory.
func onCompressed(list []system.System) []system.System {
	const colors = 10 // see system.System.Look
	above := colors
	for i := range list {
		above = max(above, (list[i].Look/colors+1)*colors)
	}
	var o system.Options
	var out []system.System
	for _, s := range list {
		if s.Floor { // of each its own: not written
			continue
		}
		if s.Bound(&o) {
			s.Title, s.About = "Buddy alone", "GPU memory that hardware compresses, and nothing else: tensors take the slots of their targets, kernels wait for what overflows, and nothing moves. All must fit."
			s.Plan, s.Search, s.Reads = fits, nil, "gpu_memory"
		} else {
			s.Title, s.About = "Buddy + "+s.Title, s.About+" On GPU memory that hardware compresses: tensors take the slots of their targets, and kernels wait for what overflows."
		}
		s.Paper += "; Buddy Compression (ISCA 2020)"
		s.Name, s.Family, s.Compressed, s.Off, s.Main = "buddy-"+s.Name, "With Buddy Compression", true, true, false
		s.Look += above
		s.Params = append(slices.Clip(s.Params), &threshold, &buddyLink)
		out = append(out, s)
	}
	return out
}

// fits plans nothing, and refuses what is larger than GPU memory at once.
func fits(w *workload.Workload, m *machine.Machine, _ *system.Options) (*program.Program, error) {
	if most := slices.Max(vitality.Analyze(w).Live(w)); most > m.GPUMemory {
		return nil, &system.DoesNotFit{Reason: fmt.Sprintf("Compressed, %v are in use at once, metadata included; the GPU has %v. A system that moves tensors would help, or more GPU memory",
			most, m.GPUMemory)}
	}
	return &program.Program{}, nil
}

// compress returns w on compressed memory, and what its tensors hold. The error is a
// *system.DoesNotFit where that has no room.
func compress(w *workload.Workload, q *Request) (*stretch.Stretched, *profile.Contents, error) {
	c := profile.All()[0]
	if q.Contents != "" {
		var err error
		if c, err = profile.Find(q.Contents); err != nil {
			return nil, nil, err
		}
	}
	policy := buddy.Published()
	policy.Threshold = float64(threshold.Of(&q.Options)) / float64(threshold.Max)
	targets, profiles := c.Choose(w, &policy)
	x, err := stretch.Stretch(w, targets, profiles, q.MemoryRate, unit.Bandwidth(buddyLink.Of(&q.Options)))
	if err != nil {
		return nil, nil, &system.DoesNotFit{Reason: err.Error()}
	}
	if room := carveOut * q.Machine.GPUMemory; x.Buddy > room {
		return nil, nil, &system.DoesNotFit{Reason: fmt.Sprintf("What may overflow has %v of places in the buddy memory at once, and that is %d times GPU memory: %v. A smaller Buddy Threshold would help, or more GPU memory",
			x.Buddy, carveOut, room)}
	}
	return x, &c, nil
}

// runCompressed is Run of a compressed system. The result's ideal is that of w.
func runCompressed(w *workload.Workload, q Request, progress func(done, total int)) (*result.Result, error) {
	s, err := Find(q.System)
	if err != nil {
		return nil, err
	}
	c := config(&s, &q)
	x, contents, err := compress(w, &q)
	if err != nil {
		return refused(w, c, s.Name, err)
	}
	r, err := run(x.Workload, q, progress)
	if err != nil {
		return nil, err
	}
	stalls := against(r, engine.Ideal(w, c), engine.Is[paged.Memory](c.Runtime) && q.Options.Quirks.Has(quirk.OverlapFaults))
	if !r.Fits {
		r.Reason += fmt.Sprintf(" (tensors are taken to hold %s)", contents.Title)
		return r, nil
	}
	r.Compressed = &result.Compressed{
		Contents: contents.Key, Plain: x.Plain, Device: slices.Max(x.Live), Metadata: x.Capacity.Metadata, Buddy: x.Buddy, Moved: x.Moved(), Live: x.Live,
	}
	notes := describe(r, contents)
	r.Notes = slices.Concat(r.Notes, notes)
	if r.SSD != nil {
		r.Besides = slices.Concat(r.Besides, notes)
	}
	if q.Record != nil {
		if engine.Is[blocks.Memory](c.Runtime) { // whose kernels wait while they execute
			stalls = between(stalls, q.Record.Stalls, r.Kernels)
		}
		q.Record.Insert(stalls)
	}
	return r, nil
}

// against measures r against kernels that take exec, each at most as long as its own
// ideal. The difference is compression's; it is returned by kernel, after the part of
// execution that remains if kernels execute first and wait then, before it if not.
func against(r *result.Result, exec []unit.Cycles, first bool) (stalls []engine.Stall) {
	r.Ideal = 0
	for _, d := range exec {
		r.Ideal += d
	}
	var sum unit.Cycles
	for i := range r.Kernels {
		k := &r.Kernels[i]
		more := k.Ideal - exec[i]
		from := k.End - k.Ideal
		if first {
			from = k.Start + exec[i]
		}
		if k.Ideal = exec[i]; more > 0 {
			stalls = append(stalls, engine.Stall{Kernel: workload.KernelID(i), Cause: result.Compression, Start: from, End: from + more})
		}
		sum += more
	}
	for i := range r.Iterations {
		r.Iterations[i].Ledger.Compression += sum
	}
	return stalls
}

// between moves stalls, at most one a kernel, into what their kernels execute between
// others, from the beginning. Both lists are by kernel and time.
func between(stalls, others []engine.Stall, kernels []result.Kernel) []engine.Stall {
	var list []engine.Stall
	for _, s := range stalls {
		at, left := kernels[s.Kernel].Start, s.End-s.Start
		add := func(until unit.Cycles) {
			if d := min(left, until-at); d > 0 {
				list = append(list, engine.Stall{Kernel: s.Kernel, Cause: s.Cause, Start: at, End: at + d})
				left -= d
			}
		}
		for len(others) > 0 && others[0].Kernel < s.Kernel {
			others = others[1:]
		}
		for ; len(others) > 0 && others[0].Kernel == s.Kernel; others = others[1:] {
			add(others[0].Start)
			at = max(at, others[0].End)
		}
		add(kernels[s.Kernel].End)
	}
	return list
}

// describe says what compression did in a run.
func describe(r *result.Result, c *profile.Contents) []string {
	x := r.Compressed
	ratio := unit.MulDiv(int64(x.Plain), 1000, int64(max(1, x.Device)))
	gain := fmt.Sprintf("%v of it metadata: %s times as much fits", x.Metadata, decimal(ratio, 10, 100))
	if ratio <= 1004 { // as printed, 1.00
		gain = "so that no more fits"
	}
	notes := []string{fmt.Sprintf("Compressed, the %v in use at once take %v of GPU memory, %s. That follows from what tensors are taken to hold, which is assumed: %s (%s).",
		x.Plain, x.Device, gain, c.Title, c.Source)}
	if c.Note != "" {
		notes = append(notes, c.Note)
	}
	if x.Moved == 0 {
		return append(notes, "Nothing comes from the buddy memory, so no kernel takes longer.")
	}
	more := r.Main().Ledger.Compression
	return append(notes, fmt.Sprintf("Kernels take %v longer, %s %%, for %v to and from the buddy memory. What compression saves in traffic to GPU memory is not counted, and neither are a price of the buddy memory and its link, nor its bytes in the host.",
		r.Clock.Time(more), decimal(unit.MulDiv(int64(more), 100_000, int64(max(1, r.Ideal))), 100, 10), x.Moved))
}
