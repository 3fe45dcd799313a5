package recording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// What to record instead.
const (
	recordShapes = "record with the profiler's record_shapes=True and profile_memory=True, or with Spillway's capture.py"
	recordIdle   = "record a larger batch, without the profiler's stacks, and several warm-up steps before"
	recordMemory = "record with profile_memory=True and a memory snapshot of the same run, or with Spillway's capture.py"
)

// Limits beyond which a result cannot be trusted, in thousandths.
const (
	mostIdle    = 500 // of the step's span
	leastKnown  = 900 // of kernel time
	mostCounter = 50  // between the rebuilt peak and the counter's
	mostRange   = 100 // the same: beyond, what is needed is a range
	mostRefuted = 500 // the same: beyond, nothing is simulated
)

// account completes the report of a step that has become a workload.
func (f *folding) account() {
	r := f.rep
	r.Rebuilt, r.Held = f.rebuilt()
	for _, m := range []*Memory{&f.step.Memory, &f.rec.Memory} {
		if m.Known && !m.Rebuilt && m.Peak > 0 {
			r.Counter = m.Peak
			if m.AtLeast { // what was there before is what the step's tensors say
				r.Counter = f.standing() + m.Peak - m.LevelBefore
			}
			break
		}
	}
	r.Least, r.Most = f.between()
	f.warn()
	f.note()
	r.Advice = append(r.Advice, f.rec.Advice...)
	slices.Sort(r.Advice)
	r.Advice = slices.Compact(r.Advice)
}

// standing is what is there before the step, whether it outlives it or not, as gradients of the
// step before: what is not written first.
func (f *folding) standing() (sum unit.Bytes) {
	for i := range f.w.Tensors {
		if f.w.Tensors[i].Global || !f.step.Tensors[f.kept[i]].Uses[0].Write {
			sum += f.w.Tensors[i].Bytes
		}
	}
	return sum
}

// off reports whether the tensors' peak and the counter's differ by more than so many thousandths.
func (f *folding) off(thousandths int64) bool {
	off := f.rep.Rebuilt - f.rep.Counter
	return f.rep.Counter > 0 && above(int64(max(off, -off)), int64(f.rep.Counter), thousandths)
}

// between returns the range of what the step needs at once. Where memory was not recorded it is
// half to twice of what shapes say: of three recordings whose own counter was hidden, shapes gave
// 0.67 to 0.98 of it (kineto's TestWithoutMemoryEvents).
func (f *folding) between() (least, most unit.Bytes) {
	r := f.rep
	switch {
	case f.off(mostRange):
		return min(r.Rebuilt, r.Counter), max(r.Rebuilt, r.Counter)
	case r.Counter == 0 && (f.rec.Label == L1 || f.rec.Label == E1):
		return r.Rebuilt / 2, r.Rebuilt * 2
	}
	return r.Rebuilt, r.Rebuilt
}

// contradicted refuses tensors that the recording's own counter refutes.
func (f *folding) contradicted() error {
	if !f.off(mostRefuted) {
		return nil
	}
	return fmt.Errorf("its tensors take %v at once by what is known of them, but its own counter of memory says %v, so nothing can be simulated; %s", f.rep.Rebuilt, f.rep.Counter, recordMemory)
}

// warn says what decides whether the result can be trusted, and what to record
// instead.
func (f *folding) warn() {
	r := f.rep
	warn := func(advice, format string, a ...any) {
		r.Warnings = append(r.Warnings, fmt.Sprintf(format, a...)+"; "+advice+".")
	}
	if idle := r.Span - r.Busy; above(int64(idle), int64(r.Span), mostIdle) {
		warn(recordIdle, "The GPU was idle for %s of the step, %v, which is left out and would hide much of what moving data costs", Percent(int64(idle), int64(r.Span)), idle)
	}
	if above(int64(r.Summed-r.Covered), int64(r.Summed), 1000-leastKnown) {
		warn(recordShapes, "What kernels read and write is known for only %s of their time", Percent(int64(r.Covered), int64(r.Summed)))
	}
	if f.off(mostCounter) {
		warn(recordMemory, "The tensors take %v at once, but the recording's own counter %v", r.Rebuilt, r.Counter)
	}
	if f.rec.Label == L1 || f.rec.Label == E1 {
		warn(recordMemory, "How large results are and how long tensors live is estimated from shapes")
	}
	if f.rec.Times == workload.Estimated {
		warn("record a trace of the profiler in the same run", "Kernel times are estimated for %s, from what operators compute and move, ± %d %%", f.gpu.Name, r.Band)
	}
	if !f.step.Complete {
		warn("choose one that is, or profile more steps", "Step %s is not complete", f.step.Name)
	}
}

// note says everything else that was done or left out.
func (f *folding) note() {
	r := f.rep
	note := func(n int, format string, a ...any) {
		if n > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf(format, a...))
		}
	}
	if r.Moved != nil {
		note(1, "%s They are within %d %% in eight of ten networks.", r.Moved.Says(), r.Band)
	}
	note(r.Merged, "Of %s the tensors are not known; the time went to the kernel before, or the first after.", Count(r.Merged, "launch", "launches"))
	note(r.Followed, "Of %s the tensors are not known; taken to read what the kernel before used.", Count(r.Followed, "launch", "launches"))
	note(r.Dropped, "Left out with %[2]v: %[1]s whose tensors are not known.", Count(r.Dropped, "launch", "launches"), r.Lost)
	note(r.Rounded, "%s took less than the file can say; half of that was added, %v in all.", Count(r.Rounded, "launch", "launches"), r.Added)
	if beside := r.Summed + r.Added - r.Busy; beside > 0 {
		wholly := ""
		if r.Ticks > 0 {
			wholly = fmt.Sprintf("; %s wholly so and last%s 1 ps", Count(r.Ticks, "kernel did", "kernels did"), one(r.Ticks, "s", ""))
		}
		note(1, "%v, %s of kernel time, ran beside other kernels and counts once%s.", beside, Percent(int64(beside), int64(r.Summed+r.Added)), wholly)
	}
	if idle := r.Span - r.Busy; idle > 0 && !above(int64(idle), int64(r.Span), mostIdle) {
		note(1, "Between kernels the GPU was idle for %v, %s of the step; a simulated step has no such time.", idle, Percent(int64(idle), int64(r.Span)))
	}
	if r.Communication > 0 {
		note(1, "%v, %s of kernel time, is communication between GPUs.", r.Communication, Percent(int64(r.Communication), int64(r.Summed)))
	}
	if r.Held > 0 {
		note(1, "%v outlive the step and no kernel is known to use them; they stay on the GPU in every system (%v of it belongs to no known tensor).", r.Held, r.Resident)
	}
	note(f.unused, "Left out: %s that no kernel uses or that has no size.", Count(f.unused, "tensor", "tensors"))
	for i := range f.rules {
		if x := &f.rules[i]; x.matched == 0 {
			note(1, "The pattern %s matches no tensor, or none that an earlier one does not match.", strconv.Quote(x.pattern))
		}
	}
	for _, l := range f.rec.Missing {
		note(l.Kernels, "%s outside every step, %v: %s.", Count(l.Kernels, "launch", "launches"), l.Time, strings.TrimSuffix(l.Why, "."))
	}
	r.own = len(r.Notes)
	r.Notes = append(append(r.Notes, f.step.Notes...), f.rec.Notes...)
}

// How the sentences of an origin begin.
const (
	recorded = "Recorded with "
	known    = "What kernels read and write is known for "
	ofStep   = " of the step."
)

// IsOrigin reports whether text is the origin of a workload that Fold made.
func IsOrigin(text string) bool { return Bare(text) != "" }

// Bare returns the two sentences of an origin that have no names of files, steps or
// people, without what Report.Told added; empty if text is no origin.
func Bare(text string) string {
	at := strings.Index(text, ". "+known)
	if !strings.HasPrefix(text, recorded) || at < 0 {
		return ""
	}
	end := strings.Index(text[at:], ofStep)
	if end < 0 {
		return ""
	}
	return text[:at+end+len(ofStep)]
}

// origin says in two sentences where a workload comes from and what of it was
// measured.
func (f *folding) origin() string {
	r := f.rep
	times := "kernel times measured"
	if f.rec.Times == workload.Estimated {
		times = "kernel times estimated for " + f.gpu.Name
	}
	on := ""
	if f.rec.Device.Name != "" && f.rec.Times != workload.Estimated {
		on = " on " + text(f.rec.Device.Name)
	}
	if r.Moved != nil {
		on += fmt.Sprintf(" and moved to %s by the law, ± %d %%", r.Moved.To.Name, r.Band)
	}
	var sources []string
	for from, name := range [...]string{"measured", "joined", "estimated"} {
		if n := r.Sources[from].Tensors; n > 0 {
			sources = append(sources, fmt.Sprintf("%d %s", n, name))
		}
	}
	peak := ""
	if r.Counter > 0 {
		peak = fmt.Sprintf(" of the recording's %v", r.Counter)
	}
	return fmt.Sprintf(recorded+"%s, label %s, one step of %d: %s%s. "+known+"%s of their time, tensors: %s; they take %v at once%s; idle %s"+ofStep,
		f.rec.Format, r.Label, r.Steps, times, on, Percent(int64(r.Covered), int64(r.Summed)), strings.Join(sources, ", "),
		r.Rebuilt, peak, Percent(int64(r.Span-r.Busy), int64(r.Span)))
}

// above reports whether part is more than so many thousandths of all.
func above(part, all, thousandths int64) bool {
	return part > unit.MulDiv(all, thousandths, 1000)
}

// Percent prints a share with a digit behind the point.
func Percent(part, all int64) string {
	if all <= 0 {
		return "0 %"
	}
	x := unit.MulDiv(max(0, part), 10_000, all) // hundredths
	if x > 0 && x < 10 {
		return "less than 0.1 %"
	}
	return strconv.FormatFloat(float64(x)/100, 'f', 1, 64) + " %"
}

// Count prints a number and what it counts: "1 launch", "2 launches".
func Count(n int, single, many string) string {
	return strconv.Itoa(n) + " " + one(n, single, many)
}

func one(n int, single, many string) string {
	if n == 1 {
		return single
	}
	return many
}
