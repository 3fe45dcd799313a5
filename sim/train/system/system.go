// Package system says what a memory-expansion system is: a planner that decides
// what moves, and the run-time behaviour the engine gives it.
package system

import (
	"spillway/sim/knob"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/unlimited"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/workload"
)

// A System is one published way to run a workload that is larger than GPU memory.
type System struct {
	Name  string // stable: in URLs, golden files, on the command line
	Title string // in charts
	Paper string // where it comes from
	About string // what it does, one or two sentences
	Note  string // what the reader of every result of it should know; may be empty
	// Family is what it belongs to in lists of many; may be empty. Off leaves it out
	// of comparisons until it is chosen.
	Family string
	Off    bool
	// Main is in focus at first; Usual is what others are compared with where nobody says another.
	Main, Usual bool
	// Look is its color and pattern in charts, its own among all systems: color
	// Look mod 10, pattern Look div 10.
	Look int
	// Compressed systems run on GPU memory that hardware compresses: the workload that
	// they plan and run is not the one that they are asked to (train.Compressed).
	Compressed bool
	// Pieces makes it plan and move tensors larger than GPU memory divided by it as several;
	// 0: tensors are whole.
	Pieces int64
	// Recomputes is true of one that gives values up and computes them again.
	Recomputes bool
	// Floor is true of what is no system but a proof that none can be faster.
	Floor bool
	// Quirks are the accidents that may change its results: those that the engine
	// reads for it (paged.Quirks, pool.Quirks, swap.Quirks) and those of its own.
	// With and without any other the result is the same.
	Quirks quirk.Set
	// Params are the system's own parameters.
	Params []*Param
	// Reads are the keys of the settings that its plan depends on besides those of its memory
	// ([engine.Runtime]'s Reads), with blanks between.
	Reads string
	// Plan decides before the run which tensors move when. nil plans nothing.
	// It returns a *DoesNotFit error when the system cannot run w on m.
	Plan func(w *workload.Workload, m *machine.Machine, o *Options) (*program.Program, error)
	// Search stands in for Plan in a system whose plan takes long: it tells progress,
	// which may be nil, how much is done.
	Search func(w *workload.Workload, m *machine.Machine, o *Options, progress func(done, total int)) (*program.Program, error)
	// Effort is how long a run of it takes besides its kernels.
	Effort Effort
	// Runtime declares how the engine executes a program of this system. It
	// depends on nothing but the options.
	Runtime func(o *Options) engine.Runtime
}

// An Effort is how long a run takes besides the kernels that it executes.
type Effort struct {
	// Pairs: a plan looks at pairs of kernels, about so many in the time that handling a
	// kernel takes; 0: it does not.
	Pairs float64
	// Tried is how many iterations a search tries; nil: none.
	Tried func(o *Options) float64
	// Past is after how many visits of blocks that do not fit what a run keeps of its past
	// is so long that each visit takes as long as two; 0: it keeps what the engine does.
	Past float64
}

// Bound reports whether no system can beat s: it has memory without end.
func (s *System) Bound(o *Options) bool {
	return engine.Is[unlimited.Memory](s.Runtime(o)) && !s.Compressed
}

// Planned reports whether s decides anything before the run.
func (s *System) Planned() bool { return s.Plan != nil || s.Search != nil }

// Program returns what s decides before the run; progress may be nil.
func (s *System) Program(w *workload.Workload, m *machine.Machine, o *Options, progress func(done, total int)) (*program.Program, error) {
	switch {
	case s.Search != nil:
		return s.Search(w, m, o, progress)
	case s.Plan != nil:
		return s.Plan(w, m, o)
	}
	return &program.Program{}, nil
}

// DoesNotFit says why a system cannot run a workload; it becomes data in the result.
type DoesNotFit = engine.DoesNotFit

// Options are the parameters of the systems and of the run.
type Options struct {
	Quirks     quirk.Set
	Iterations int64  // how many iterations are simulated
	Params     Params // of single systems
	Noise      int64  // half-width of the kernel time error, in thousandths
	Seed       int64  // of the noise; 1 is the C++ library's default seed
}

// Published returns the options of the G10 artifact's configs, with the default
// of every system's parameters.
func Published() Options {
	return Options{Quirks: quirk.Published(), Iterations: 2, Seed: 1}
}

// group is the heading of the options in forms.
const group = "Systems"

// ArtifactConfigs is where the defaults come from that the G10 paper does not state.
const ArtifactConfigs = "G10 artifact, src/configs"

// RunKnobs returns the options that concern any system: how much is run, and how
// it is disturbed.
func RunKnobs() []knob.Knob[Options] {
	var ks []knob.Knob[Options]
	add := func(ref func(*Options) *int64, k knob.Info) {
		k.Group, k.Source = group, ArtifactConfigs
		ks = append(ks, knob.Int(k, ref))
	}
	add(func(o *Options) *int64 { return &o.Iterations }, knob.Info{
		Key: "iterations", Config: "num_iteration", Label: "Iterations", Unit: "", Scale: 1, Min: 1, Max: 16,
		Help: "How many training iterations are simulated; the first starts cold, with weights on the SSD.",
	})
	add(func(o *Options) *int64 { return &o.Noise }, knob.Info{
		Key: "noise", Config: "kernel_time_std_dev", Label: "Kernel time error", Unit: "", Scale: 1000, Min: 0, Max: 1000,
		Help: "Random error of kernel times that the planner does not know of: uniform, up to this much either way (G10 paper, Figure 19).",
	})
	add(func(o *Options) *int64 { return &o.Seed }, knob.Info{
		Key: "seed", Config: "ran_seed", Label: "Random seed", Unit: "", Scale: 1, Min: 0, Max: 1<<32 - 1,
		Help: "Seed of the kernel times' error.",
	})
	return ks
}
