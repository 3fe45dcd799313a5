package train

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/compress/profile"
	"spillway/sim/kerneltime"
	"spillway/sim/knob"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/paged"
	"spillway/sim/train/engine/pool"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
	"spillway/traces/eager"
	"spillway/traces/recording"
	"spillway/traces/zoo"
)

// A Workload is what runs, shared by all systems, and what is said of it.
type Workload struct {
	*workload.Workload
	memory vitality.Footprint
	live   []unit.Bytes // while each kernel runs
	// Of a bundled network: how many numbers training changes, 0 if unknown; with
	// what; and how many times as long as warm its kernels take, 0 if unknown.
	parameters int64
	optimizer  zoo.Optimizer
	slower     float64
	lowered    bool // as PyTorch runs it
	// Of estimates of the law: how far eight of ten measurements are at most, in percent,
	// and what decides; band is 0 of others.
	band     int64
	bound    kerneltime.Bound
	instead  string                 // what runs where the GPU has no numbers of the precision; empty where it has
	imported *imported              // nil if it was made of no recording
	measured []kerneltime.Agreement // of a table of measurements, which is no workload
}

// about adds to a workload what is said of it.
func about(w *workload.Workload) Workload {
	a := vitality.Analyze(w)
	memory := a.Measure(w)
	if recording.IsOrigin(w.Origin) {
		memory = a.MeasureKinds(w)
	}
	return Workload{Workload: w, memory: memory, live: a.Live(w)}
}

// liveIn is what is alive while each kernel of a run runs, in its memory.
func (w *Workload) liveIn(r *result.Result) []unit.Bytes {
	if r.Compressed != nil {
		return r.Compressed.Live
	}
	return w.live
}

// payload is the size of the parameters.
func (w *Workload) payload() unit.Bytes { return unit.Bytes(w.parameters) * 4 } // fp32

// inNumbers describes the workload and what its memory is for.
func (w *Workload) inNumbers() string {
	f := &w.memory
	text := fmt.Sprintf("%d kernels, %d tensors; ", len(w.Kernels), len(w.Tensors))
	const rest = "at most %v of activations and workspace at once; %v at once in all."
	switch {
	case w.lowered:
		return text + fmt.Sprintf("%s million parameters; %v of weights, %v of optimizer state, at most %v of gradients, "+rest, millions(w.parameters), f.Weights, f.Optimizer, f.Gradients, f.Rest, f.Most)
	case w.parameters == 0:
		held := ""
		if f.Held > 0 {
			held = fmt.Sprintf("%v that no kernel is known to use and that stay on the GPU, ", f.Held)
		}
		weights, gradients := "weights", "gradients of weights"
		if recording.IsOrigin(w.Origin) { // which is also that of a trace saved from one
			weights, gradients = "weights and buffers", "gradients"
		}
		return text + fmt.Sprintf("%v of %s, %v of optimizer state, %sat most %v of %s, "+rest, f.Weights, weights, f.Optimizer, held, f.Gradients, gradients, f.Rest, f.Most)
	case !w.optimizer.None():
		state := ""
		if f.Optimizer > 0 {
			state = fmt.Sprintf(", %v of state of %s", f.Optimizer, w.optimizer.Title)
		}
		return text + fmt.Sprintf("%s million parameters of 4 bytes, %v, as much of gradients%s; "+rest, millions(w.parameters), f.Weights, state, f.Rest, f.Most)
	case f.Weights > 2*w.payload():
		return text + fmt.Sprintf("%s million parameters, %v. The artifact counts %v as persistent, because biases, gains and constants are as large as activations in it; an optimizer mends that. "+
			"At most %v of everything else at once; %v at once in all.", millions(w.parameters), w.payload(), f.Weights, f.Most-f.Weights, f.Most)
	}
	return text + fmt.Sprintf("%s million parameters, %v with what stays beside them; no optimizer state; "+rest, millions(w.parameters), f.Weights, f.Rest, f.Most)
}

// millions prints a number of parameters.
func millions(n int64) string { return strconv.FormatInt((n+5e5)/1e6, 10) }

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
	title, ok := modelTitle(s.Model)
	n, err := s.network()
	if n != nil && err == nil {
		title, ok = n.Title, true
	}
	if s.Entry != "" || !ok {
		return w.Name
	}
	with := ""
	if !w.optimizer.None() {
		with = " with " + w.optimizer.Title
	}
	of := ""
	if m, err := eager.Find(s.Model); err == nil && int(s.Sequence) != m.Sequence && m.Sequence > 0 {
		of = fmt.Sprintf(" of %d tokens", s.Sequence)
	}
	if n != nil {
		if s.Sequence != n.Sequence && s.Sequence != 0 && !n.Images() {
			of = fmt.Sprintf(" of %d tokens", s.Sequence)
		}
		of += s.Running.says()
	}
	return fmt.Sprintf("%s%s at batch %d%s", title, with, s.Batch, of)
}

// lead says whether the workload fits into GPU memory.
func (s *settings) lead(w Workload) string {
	has := knob.Decimal(int64(s.Machine.GPUMemory), int64(unit.GiB))
	if len(has) > len("1234.5") {
		has = gib(s.Machine.GPUMemory)
	}
	needs := gib(w.memory.Most) + " GiB"
	if w.memory.Most < unit.GiB/10 {
		needs, has = w.memory.Most.String(), has+" GiB"
	}
	if w.imported != nil && w.imported.account != nil && w.imported.account.Least < w.imported.account.Most {
		return s.leadBetween(w, has)
	}
	if w.memory.Most > s.Machine.GPUMemory {
		return fmt.Sprintf("%s needs %s; the GPU has %s. What does that cost?", s.title(w), needs, has)
	}
	plain := ""
	if w.imported != nil {
		plain = ", and it runs at full speed as it is"
	}
	return fmt.Sprintf("%s needs %s; the GPU has %s, so it fits: nothing has to move%s.", s.title(w), needs, has, plain)
}

// answer says of a picture of memory whether it fits; empty for what is none.
func (s *settings) answer(w Workload) string {
	m, has := w.imported.Memory, s.Machine.GPUMemory
	switch {
	case w.imported.Label != recording.M || !m.Known:
		return ""
	case m.Peak <= has:
		says := fmt.Sprintf("%s needs %v at once; the GPU has %v, so it fits", w.Name, m.Peak, has)
		if held := w.imported.Picture.Reserved; held > has {
			return says + fmt.Sprintf(" with expandable segments: in pieces the allocator held %v.", held)
		}
		return says + "."
	}
	return fmt.Sprintf("%s needs %v at once; the GPU has %v: %v must live elsewhere.", w.Name, m.Peak, has, m.Peak-has)
}

// leadBetween is the lead where only a range is known of what the workload needs.
func (s *settings) leadBetween(w Workload, has string) string {
	a := w.imported.account
	needs := gib(a.Least) + " to " + gib(a.Most) + " GiB"
	if a.Most < unit.GiB/10 {
		needs = a.Least.String() + " to " + a.Most.String()
	}
	says := fmt.Sprintf("%s needs %s; the GPU has %s GiB", s.title(w), needs, strings.TrimSuffix(has, " GiB"))
	switch {
	case a.Least > s.Machine.GPUMemory:
		return says + ". What does that cost?"
	case a.Most > s.Machine.GPUMemory:
		return says + ": it may not fit. What would that cost?"
	}
	return says + ", so it fits: nothing has to move."
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

// caveats say what decides whether a run can be trusted.
func (s *settings) caveats(w Workload, r *result.Result) (list []string) {
	if w.imported != nil {
		list = append(list, w.imported.account.Warnings...)
		list = list[:min(len(list), mostCaveats)]
	}
	for _, say := range []string{s.contentsCaveat(r), s.deviceCaveat(w), s.poolCaveat(r), s.timesCaveat(w), s.usableCaveat(r), s.idleCaveat(w, r), s.faultCaveat(r)} {
		if say != "" && len(list) < mostCaveats {
			list = append(list, say)
		}
	}
	return list
}

// contentsCaveat is about ratios that follow from what nobody measured.
func (s *settings) contentsCaveat(r *result.Result) string {
	if r.Compressed == nil {
		return ""
	}
	title := s.Contents
	if c, err := profile.Find(s.Contents); err == nil {
		title = c.Title
	}
	return fmt.Sprintf("What compression gains rests on assumed contents of tensors: %s.", title)
}

// poolCaveat is about a memory pool larger than the GPU.
func (s *settings) poolCaveat(r *result.Result) string {
	x, err := s.system(r.System)
	if err != nil {
		return ""
	}
	o := s.options()
	if arena, ok := x.Runtime(&o).(pool.Memory); ok && arena.Scale > 1 {
		return fmt.Sprintf("As published, %s has a pool %d times the GPU's memory.", x.Title, arena.Scale)
	}
	return ""
}

// faultCaveat is about systems whose time is that of handling faults, of which
// nobody knows how many share one handling (machine.Doubts): how long they would
// take if it were many, or few. Everything else is taken to be the same.
func (s *settings) faultCaveat(r *result.Result) string {
	x, err := s.system(r.System)
	o := s.options()
	if err != nil || !r.Fits || s.quirks().Has(quirk.ProfilePenalty) || !engine.Is[paged.Memory](x.Runtime(&o)) {
		return ""
	}
	handling := *r.Mean().Ledger.At(result.FaultHandling)
	if 5*handling < r.Time() {
		return ""
	}
	const many, few = 256, 8
	with := func(batch int64) string {
		c := r.Time() - handling + unit.Cycles(unit.MulDiv(int64(handling), s.Machine.FaultBatch, batch))
		return strconv.FormatFloat(seconds(r, c), 'g', 3, 64) + " s"
	}
	return fmt.Sprintf("%s depends on how many faults are handled at a time, which nobody has published: about %s with %d, %s with %d.", x.Title, with(many), many, with(few), few)
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
	case w.Times == workload.ColdModel && in != "" && in != gpuParts()[0].Name:
		return fmt.Sprintf("Kernel times are the paper's, for an %s: the %s does not change them; estimated times would.", gpuParts()[0].Name, in)
	case w.Times == workload.ColdModel && w.slower > 0:
		return fmt.Sprintf("Kernel times are as the paper measured them, cold: %s times those of warm kernels, which hides transfers.", strconv.FormatFloat(w.slower, 'f', 1, 64))
	case w.Times == workload.Estimated && in != "":
		if name, _, ok := gpuNamed(s.GPU); ok && name != in {
			return fmt.Sprintf("Kernel times are estimated for the %s, but the machine has the %s.", name, in)
		}
	}
	return ""
}

// known says behind the kernel times of a recording how much of it is known.
func (w *Workload) known() string {
	if w.imported == nil || w.imported.account == nil {
		if !recording.IsOrigin(w.Origin) {
			return ""
		}
		// What was saved of a recording still says how it was made.
		_, rest, _ := strings.Cut(w.Origin, ", label ")
		label, _, _ := strings.Cut(rest, ",")
		return fmt.Sprintf(" (%s, from a recording)", label)
	}
	r := w.imported.account
	return fmt.Sprintf(" (%s, tensors known for %s %% of it)", r.Label, strconv.FormatFloat(100*r.Share(), 'f', 0, 64))
}

// deviceCaveat is about times that were measured on another GPU than the machine's.
func (s *settings) deviceCaveat(w Workload) string {
	in := s.gpuName()
	if m := w.moved(); m != nil {
		with := ""
		if in != "" && !sameGPU(in, m.To.Name) {
			with = fmt.Sprintf(", but the machine has the %s", in)
		}
		if m.From == nil {
			return fmt.Sprintf("Kernel times are the law's for %s where shapes are known (± %d %%)%s.", m.To.Name, w.band, with)
		}
		return fmt.Sprintf("Kernel times were measured on %s and moved to %s by the law (± %d %%)%s.", m.From.Name, m.To.Name, w.band, with)
	}
	if w.imported == nil || w.imported.Device.Name == "" || w.imported.Times == workload.Estimated {
		return ""
	}
	was := w.imported.Device.Name
	if in == "" || sameGPU(in, was) {
		return ""
	}
	return fmt.Sprintf("Kernel times were measured on %s; the machine's %s does not change them unless they are moved to it (under Workload).", was, in)
}

// sameGPU reports whether a part is the device of a recording: the words with a
// digit that are no size are those of its model.
func sameGPU(part, device string) bool {
	device = strings.ToLower(device)
	for word := range strings.FieldsSeq(strings.ToLower(part)) {
		if strings.ContainsAny(word, "0123456789") && len(word) > 2 && !strings.Contains(device, word) {
			return false
		}
	}
	return true
}

// gpuName is the GPU of the machine, empty if its memory is no known one's. Where
// several have as much it is the one that times are for, or the preset's.
func (s *settings) gpuName() string {
	var fits []machine.Part
	for _, p := range machine.Slots()[0].Parts {
		m := machine.Machine{}
		if p.Fit(&m); m.GPUMemory == s.Machine.GPUMemory {
			fits = append(fits, p)
		}
	}
	keys := []string{s.GPU}
	for _, p := range machine.Presets() {
		if p.Key == s.Preset {
			keys = append(keys, p.GPU)
		}
	}
	for _, key := range keys {
		if at := slices.IndexFunc(fits, func(p machine.Part) bool { return p.Key == key }); at >= 0 {
			return fits[at].Name
		}
	}
	if len(fits) == 0 {
		return ""
	}
	return fits[0].Name
}

// usableCaveat is about systems that have less GPU memory than the others.
func (s *settings) usableCaveat(r *result.Result) string {
	o := s.options()
	share := system.UMUsable.Of(&o)
	x, err := s.system(r.System)
	if err != nil || !r.Fits || r.Mean().Paging == nil || share >= system.UMUsable.Max {
		return ""
	}
	usable := unit.Bytes(unit.MulDiv(int64(s.Machine.GPUMemory), share, system.UMUsable.Max))
	return fmt.Sprintf("%s may use %s of the GPU's %s GiB (Usable GPU memory, under Options); systems without unified memory have all of it.", x.Title, gib(usable), gib(s.Machine.GPUMemory))
}

// idleCaveat is about data that moves although everything fits.
func (s *settings) idleCaveat(w Workload, r *result.Result) string {
	if !r.Fits || w.memory.Most > s.Machine.GPUMemory {
		return ""
	}
	t := &r.Mean().Traffic
	moved := t.HostIn + t.HostOut + t.SSDIn + t.SSDOut
	x, err := s.system(r.System)
	if moved == 0 || err != nil {
		return ""
	}
	why := "; memory need not be short for its plan to move data"
	switch p := r.Mean().Paging; {
	case p != nil:
		why = fmt.Sprintf(": PyTorch's allocator has reserved %s GiB", gib(p.Reserved))
	case x.Quirks.Has(quirk.DeadWriteback) && s.quirks().Has(quirk.DeadWriteback):
		why = ", because as published it keeps dead tensors until they are evicted and writes them back (quirk dead-writeback)"
	case r.PlannedOps == 0:
		why = "" // the ledger says all there is to say
	}
	return fmt.Sprintf("Everything fits, yet %s moves %s GB%s.", x.Title, strconv.FormatFloat(float64(moved)/1e9, 'f', 1, 64), why)
}
