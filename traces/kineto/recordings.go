package kineto

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// Recordings returns one recording for each device that ran something. name is the
// file's, without folders.
func (t *Trace) Recordings(name string) ([]Recorded, error) {
	if len(t.Kernels) == 0 && t.mtia > 0 {
		return nil, fmt.Errorf("%s was recorded on an MTIA accelerator (%d events), whose kernels are not read: record on a GPU with CUDA or ROCm", name, t.mtia)
	}
	if len(t.Kernels) == 0 {
		if len(t.Ops) == 0 {
			if t.unended {
				return nil, fmt.Errorf("%s ends too early, before any operator or work of a GPU. Record or copy it again", name)
			}
			return nil, fmt.Errorf("%s has neither operators nor work of a GPU, as a trace of another program than PyTorch's profiler: record with torch.profiler, or with Spillway's capture.py", name)
		}
		if t.unended {
			return nil, fmt.Errorf("%s ends too early, before any work of a GPU: %d operators and %d launches are there. Record or copy it again", name, len(t.Ops), t.launches)
		}
		advice := "record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]; without a GPU with record_shapes=True and profile_memory=True, from which times are estimated, or with Spillway's capture.py and cpu=True"
		if t.launches > 0 {
			advice = fmt.Sprintf("of %d launches no kernel was recorded: the driver did not let CUPTI or roctracer watch; close other profilers, and allow it (NVIDIA: NVreg_RestrictProfilingToAdminUsers=0, in a container CAP_SYS_ADMIN), or record with record_shapes=True, from which times are estimated", t.launches)
		}
		err := fmt.Errorf("%s has operators (%d), but no work of a GPU: %s", name, len(t.Ops), advice)
		if len(t.Notes) > 0 {
			err = fmt.Errorf("%w. %s", err, strings.TrimSuffix(strings.Join(t.Notes, " "), "."))
		}
		return nil, err
	}
	var list []Recorded
	for _, d := range t.Devices {
		r := Recorded{Recording: &recording.Recording{
			Name: name, Format: t.Format, Files: []string{name}, Device: d, Times: workload.Measured,
			Notes: append([]string(nil), t.Notes...),
		}}
		if len(t.Devices) > 1 {
			r.Name = fmt.Sprintf("%s, GPU %d", name, d.ID)
		}
		if t.estimated {
			r.Times = workload.Estimated
			r.Notes = append(r.Notes, t.imaginedNote())
		}
		t.fill(&r, int32(d.ID))
		list = append(list, r)
	}
	return list, nil
}

// fill makes the recording of one device.
func (t *Trace) fill(r *Recorded, device int32) {
	c := t.cut(device)
	r.Missing = c.missing
	r.Notes = append(r.Notes, c.notes...)
	differ := c.compare(t)
	before := len(c.notes)
	chosen := c.choose(differ)
	r.Notes = append(r.Notes, c.notes[before:]...)
	if len(differ) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Of %d steps, %d launched other kernels than most of the complete ones.", len(c.spans), len(differ)))
	}
	if from, to := c.near(t, device, chosen); to-from < len(c.spans) {
		r.Missing = append(r.Missing, c.only(t, from, to))
		chosen -= from
		differ, c.optimizing = inside(differ, from, to), inside(c.optimizing, from, to)
	}
	for i, s := range c.spans {
		b := t.build(device, s, c.kernels[i])
		b.step.Optimizes = slices.Contains(c.optimizing, i)
		r.Steps = append(r.Steps, *b.step)
		r.Kernels = append(r.Kernels, c.kernels[i])
		r.Ranges = append(r.Ranges, [2]unit.Time{s.from, s.to})
	}
	for _, i := range differ {
		s := &r.Steps[i]
		s.Notes = append(s.Notes, fmt.Sprintf("%s launched other kernels than most steps.", s.Name))
	}
	r.Chosen = chosen
	t.memory(&r.Recording.Memory, device)
	t.label(r)
}

// memory fills in what the counter of a device's memory says in the whole file.
func (t *Trace) memory(m *recording.Memory, device int32) {
	for _, l := range t.levels {
		if l.device != device {
			continue
		}
		m.AtLeast = !t.totals
		if !m.Known {
			m.Known, m.LevelBefore = true, l.bytes
		}
		m.Peak = max(m.Peak, l.bytes)
	}
	for i := range t.Blocks {
		if t.Blocks[i].Device == device {
			m.Allocations++
		}
	}
}

// label says how much is known, and what to record instead.
func (t *Trace) label(r *Recorded) {
	advise := func(s string) { r.Advice = append(r.Advice, s) }
	known, graphs := t.share(r)
	switch measured := r.Memory.Known && t.placed; {
	case measured && t.estimated:
		r.Label = recording.E1m
	case measured:
		r.Label = recording.L1m
	case t.estimated:
		r.Label = recording.E1
	case t.Shapes:
		r.Label = recording.L1
	}
	switch {
	case len(t.Ops) == 0:
		r.Label = recording.T
		advise("The recording has no operators: record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True and profile_memory=True.")
	case t.captures > 0 && 2*t.ran < t.launches:
		r.Label = recording.T
		advise(fmt.Sprintf("This records the making of a graph, of which nothing ran: %d launches, %s. Record a step that runs, without CUDA or HIP graphs (enforce_eager=True in vLLM, no mode=\"reduce-overhead\" in torch.compile).", t.launches, recording.Count(t.ran, "kernel", "kernels")))
	case graphs > 50:
		r.Label = recording.T
		advise("The kernels were replayed from a graph, which hides their operators: record a run without CUDA or HIP graphs (enforce_eager=True in vLLM, no mode=\"reduce-overhead\" in torch.compile).")
	case r.Label == "":
		r.Label = recording.T
		advise("Nothing is known about tensors: record with record_shapes=True and profile_memory=True.")
	case known == 0:
		r.Label = recording.T
		advise("No kernel's tensors are known: record with record_shapes=True and profile_memory=True, without graphs.")
	}
	if r.Label == recording.T {
		for i := range r.Steps {
			r.Steps[i].Tensors = nil
		}
		return
	}
	if graphs > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d %% of the kernels' time was replayed from graphs, whose operators are not known.", graphs))
	}
	if !r.Memory.Known {
		advise("With profile_memory=True sizes and lifetimes of tensors would be measured instead of estimated.")
	}
	if !t.Shapes {
		advise("With record_shapes=True weights and the readers of tensors would be known.")
	}
	if t.Shapes && !t.modules() {
		advise("With with_stack=True weights would have the names of their modules.")
	}
	if t.estimated {
		return
	}
	advise("With an ExecutionTrace of the same run, opened together with this file, who reads and writes which tensor would be exact.")
}

// share returns how many percent of the chosen step's kernel time use a known tensor
// or were replayed from a graph.
func (t *Trace) share(r *Recorded) (known, graphs int) {
	if len(r.Steps) == 0 {
		return 0, 0
	}
	s := &r.Steps[r.Chosen]
	knows := make([]bool, len(s.Kernels))
	for i := range s.Tensors {
		for _, u := range s.Tensors[i].Uses {
			knows[u.Kernel] = true
		}
	}
	var sum, has, replayed unit.Time
	for i := range s.Kernels {
		d := max(s.Kernels[i].Time, 1)
		sum += d
		if knows[i] {
			has += d
		}
		if t.replayed[r.Kernels[r.Chosen][i]] {
			replayed += d
		}
	}
	return int(100 * float64(has) / float64(sum)), int(100 * float64(replayed) / float64(sum))
}

// modules reports whether the trace names modules.
func (t *Trace) modules() bool {
	for i := range t.Ops {
		if t.Ops[i].Kind == Module {
			return true
		}
	}
	return false
}
