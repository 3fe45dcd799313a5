package train

import (
	"slices"

	"spillway/sim/knob"
	"spillway/sim/train/result"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// An imported is the recording that a workload was made of.
type imported struct {
	*recording.Recording
	account *recording.Report // nil where nothing can be simulated
	cannot  string            // why that is so
}

// labelled says what a label means.
var labelled = map[recording.Label]string{
	recording.L1:  "times are measured; tensors are estimated from the shapes of operators",
	recording.L1m: "times, sizes and lifetimes are measured; what kernels read in between is estimated",
	recording.E1:  "times and tensors are estimated from the shapes of operators",
	recording.E1m: "sizes and lifetimes are measured; times, and what kernels read in between, are estimated",
	recording.E2:  "tensors are recorded; times are estimated",
	recording.L2:  "times and tensors are recorded",
	recording.L3:  "times and tensors are recorded, and memory that stays has names",
	recording.M:   "a picture of memory, without kernels",
	recording.T:   "times only",

	measurements: "it is a table of measurements",
}

// Keys of knobs that only recordings have.
const (
	stepKnob    = "step"
	unknownKnob = "unknown"
	rolesKnob   = "roles"
	timesKnob   = "recorded_times"
)

// What can become of recorded kernel times.
const (
	timesKept  = "kept"
	timesMoved = "moved"
)

// recordedKey is that of the section about a recording.
const recordedKey = "recorded"

// own are those of entries of opened files.
func ofRecordings() []string { return []string{stepKnob, unknownKnob, rolesKnob, timesKnob} }

// recordedKnobs are the settings of recordings.
func recordedKnobs() []knob.Knob[settings] {
	step := knob.Knob[settings]{
		Info: knob.Info{
			Key: stepKnob, Label: "Step", Kind: knob.Word,
			Help: "Which iteration of the recording runs. Spillway chooses one that is complete and, if there are enough, neither the first nor the last.",
		}, Word: func(s *settings) *string { return &s.Step },
	}
	unknown := knob.Knob[settings]{
		Info: knob.Info{
			Key: unknownKnob, Label: "Kernels with unknown tensors", Kind: knob.One,
			Help: "What becomes of kernels that nobody knows the reads and writes of.",
			Choices: []knob.Choice{
				{Key: string(recording.Merge), Label: "join the kernel before", Help: "Their time goes to the kernel before, so that the total time stays."},
				{Key: string(recording.Follow), Label: "use what it used", Help: "They are assumed to read what the kernel before them read."},
				{Key: string(recording.Drop), Label: "are left out", Help: "They are left out, with their time."},
			},
		}, Word: func(s *settings) *string { return &s.Unknown },
	}
	roles := knob.Knob[settings]{
		Info: knob.Info{
			Key: rolesKnob, Label: "Roles", Kind: knob.Rules,
			Help: "Patterns of tensors' names and their roles, such as *embed*=weight,ids=input; * stands for any text, ? for any character, and the first match counts. Weights and optimizer state live on from one iteration to the next.",
		}, Word: func(s *settings) *string { return &s.Roles },
	}
	for k := workload.Intermediate; k <= workload.Input; k++ {
		roles.Choices = append(roles.Choices, knob.Choice{Key: k.String()})
	}
	times := knob.Knob[settings]{
		Info: knob.Info{
			Key: timesKnob, Label: "Recorded times", Kind: knob.One,
			Help: "Whether kernels take their recorded times, or those they would take on the GPU that times are estimated for.",
			Choices: []knob.Choice{
				{Key: timesKept, Label: "as recorded", Help: "Whatever GPU is chosen."},
				{Key: timesMoved, Label: "on the chosen GPU", Help: "Each recorded time is multiplied by what the law of kernel times says for the chosen GPU over what it says for the recorded one: by shape where that was recorded, else by class. Communication and copies to and from the host stay. Where the law does not know the recorded GPU, kernels of known shape take what it says for the chosen one."},
			},
		}, Word: func(s *settings) *string { return &s.Recorded },
	}
	return []knob.Knob[settings]{step, unknown, roles, times}
}

// told is the workload as files have it, which say of a recording how far it can be
// trusted.
func (w *Workload) told() *workload.Workload {
	if w.imported == nil || w.imported.account == nil {
		return w.Workload
	}
	c := *w.Workload
	c.Origin = w.imported.account.Told(c.Origin)
	return &c
}

// notes are what the reader should know of a result.
func (w *Workload) notes(r *result.Result) []string {
	list := r.Remarks()
	if say := w.bandNote(); say != "" && w.imported == nil { // of recordings the account says it
		list = append(list, say)
	}
	if w.instead != "" {
		list = append(list, w.instead)
	}
	if w.imported == nil || w.imported.account == nil {
		return list
	}
	return slices.Concat(list, w.imported.account.Says())
}

// moved is how a recording's times became those of another GPU, nil where they are its own.
func (w *Workload) moved() *recording.Moved {
	if w.imported == nil || w.imported.account == nil {
		return nil
	}
	return w.imported.account.Moved
}

// sentence ends what is none yet.
func sentence(text string) string {
	if text == "" || text[len(text)-1] == '.' {
		return text
	}
	return text + "."
}
