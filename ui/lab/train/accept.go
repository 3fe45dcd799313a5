package train

import (
	"errors"
	"fmt"
	"slices"

	"spillway/sim/kerneltime"
	"spillway/sim/knob"
	core "spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/handed"
	"spillway/traces/recording"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// A source is what opened files hold.
type source struct {
	*handed.Training
	names []string // of the jobs, unique
}

// accept takes over what files hold.
func accept(found []byte, _ []lab.File) (lab.Files, error) {
	h, err := wire.Read[handed.Training](found)
	if err != nil {
		return nil, err
	}
	return &source{Training: h, names: names(h)}, nil
}

// names returns the jobs' names, with a number where two are the same.
func names(h *handed.Training) []string {
	seen := map[string]int{}
	out := make([]string, len(h.Jobs))
	for i := range h.Jobs {
		name := h.Jobs[i].Name
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		out[i] = name
	}
	return out
}

// Entries implements lab.Files.
func (s *source) Entries() []lab.Entry {
	out := make([]lab.Entry, len(s.names))
	for i, name := range s.names {
		from := &s.Jobs[i]
		e := lab.Entry{Name: name, Info: from.Detail}
		if from.Recording != nil {
			e.Knobs, e.Sections, e.Set = recordingKnobs(from.Recording), []string{recordedKey}, onItsGPU(from.Recording)
		}
		if from.Measured != nil {
			measuredEntry(&e, from.Measured)
		}
		if from.Network != "" {
			describedEntry(&e, from.Network)
		}
		if from.Model != "" && from.Batch > 0 {
			e.Is = knob.Join([]knob.Pair{{Key: "model", Text: from.Model}, {Key: "batch", Text: fmt.Sprint(from.Batch)}}, " ")
		}
		if from.Config != "" {
			set, err := setup(from)
			if err != nil {
				e.Error = err.Error()
			}
			e.Set = set
		}
		out[i] = e
	}
	return out
}

// Notes implements lab.Files.
func (s *source) Notes() []string { return s.Training.Notes }

// entry returns the workload that the settings name.
func entry(s *settings, f lab.Files) (Workload, error) {
	from, ok := f.(*source)
	if !ok {
		return Workload{}, errNoFiles
	}
	at := slices.Index(from.names, s.Entry)
	if at < 0 {
		return Workload{}, fmt.Errorf("the opened files hold no %q; choose another entry under Workload", s.Entry)
	}
	j := &from.Jobs[at]
	switch {
	case j.Recording != nil:
		return fold(s.Entry, j.Recording, s.choices(j.Recording))
	case j.Network != "":
		return Workload{}, fmt.Errorf("%q is a network to train; choose it under Workload", s.Entry)
	case j.Measured != nil:
		return measuredWorkload(s.Entry, j.Measured), nil
	case j.Error != "":
		return Workload{}, errors.New(j.Error)
	}
	w := *from.Workloads[j.Workload]
	w.Origin = j.Origin
	return about(&w), nil
}

// setup returns the settings that a config file of the G10 artifact asks for:
// the paper's, as published, with the file's lines applied.
func setup(j *handed.Job) (string, error) {
	q := &core.Request{Machine: machine.G10(), Options: system.Published()}
	var errs []error
	for _, l := range j.Lines {
		if _, err := core.Configure(q, l.Key, l.Value); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", j.Config, l.Number, err))
		}
	}
	return pairs(q), errors.Join(errs...)
}

// choices are what the settings say about a recording.
func (s *settings) choices(r *recording.Recording) recording.Choices {
	c := recording.Choices{Step: s.Step, Unknown: recording.Unknown(s.Unknown), Roles: s.Roles}
	if r.Times == workload.Estimated || s.Recorded == timesMoved {
		c.GPU, c.Calibrate = s.GPU, s.Calibrate
	}
	return c
}

// onItsGPU is the settings with which a recording opens: the memory of the GPU that it was
// recorded on, and of one that the law knows its times moved to that very GPU, which changes nothing
// until another is chosen. Kernel times of bundled networks that allow one GPU alone would allow no
// other here.
func onItsGPU(r *recording.Recording) string {
	var set []knob.Pair
	g, memory := r.DeviceGPU(), r.Device.Memory
	if g != nil {
		memory = g.Memory
	}
	if memory > 0 {
		set = append(set, knob.Pair{Key: "gpu_memory", Text: knob.Decimal(int64(memory), int64(unit.GiB))})
	}
	if g == nil || len(recordingKnobs(r)) == 0 {
		return knob.Join(set, " ")
	}
	for _, c := range gpuChoices() {
		if c.Key == g.Key || kerneltime.Find(c.Key) == g {
			set = append(set, knob.Pair{Key: "times", Text: string(workload.Estimated)}, knob.Pair{Key: "gpu", Text: c.Key})
			if r.Times != workload.Estimated {
				set = append(set, knob.Pair{Key: timesKnob, Text: timesMoved})
			}
			break
		}
	}
	return knob.Join(set, " ")
}

// fold makes the workload of a recording that is shown under a name.
func fold(name string, r *recording.Recording, c recording.Choices) (Workload, error) {
	w, account, err := r.Fold(c)
	if err != nil && (r.Label == recording.M || r.Label == recording.T || len(r.Steps) == 0) {
		return Workload{Workload: &workload.Workload{Name: name, Times: r.Times}, imported: &imported{Recording: r, cannot: err.Error()}}, nil
	}
	if err != nil {
		return Workload{}, err
	}
	w.Name = name
	out := about(w)
	out.imported, out.band = &imported{Recording: r, account: account}, account.Band
	return out, nil
}

// recordingKnobs are what can be chosen of a recording.
func recordingKnobs(r *recording.Recording) []lab.EntryKnob {
	if r.Label == recording.M || len(r.Steps) == 0 {
		return nil
	}
	usual := "the middle one"
	if r.Chosen >= 0 && r.Chosen < len(r.Steps) {
		usual = r.Steps[r.Chosen].Name + ", chosen by Spillway"
	}
	steps := []knob.Choice{{Label: usual}}
	for i := range r.Steps {
		s := &r.Steps[i]
		label := fmt.Sprintf("%s, %d kernels", s.Name, len(s.Kernels))
		if !s.Complete {
			label += ", not complete"
		}
		if s.Name != "" && len(s.Kernels) > 0 {
			steps = append(steps, knob.Choice{Key: s.Name, Label: label})
		}
	}
	list := []lab.EntryKnob{{Key: stepKnob, Choices: steps}, {Key: unknownKnob}, {Key: rolesKnob}, {Key: "gpu"}, {Key: "calibrate"}}
	if r.Times != workload.Estimated {
		list = append(list, lab.EntryKnob{Key: timesKnob})
	}
	return list
}
