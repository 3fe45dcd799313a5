package recording

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Unknown says what becomes of kernels whose tensors are not known, because a
// workload has none.
type Unknown string

// What can become of them.
const (
	Merge  Unknown = "merge"  // their time goes to the kernel before
	Follow Unknown = "follow" // they use what the kernel before used
	Drop   Unknown = "drop"   // they are left out, with their time
)

// Choices are what can be chosen when a workload is made of a recording.
type Choices struct {
	Step    string  // name of the step, "" for the recording's Chosen
	Unknown Unknown // "" is Merge
	// Roles are patterns with the role of the tensors whose names they match,
	// "*embed*=weight,ids=input"; the first that matches counts. * stands for any
	// text, ? for any character. Weights and optimizer state keep their value from
	// one step to the next, all others live from their first to their last use.
	Roles string
	// GPU is the one that kernels run on, by its key in kerneltime: recorded times are moved to
	// it, others are estimated for it. Empty is the recorded one, and DefaultGPU where no times
	// were recorded.
	GPU string
	// Calibrate mends the law's times of that GPU, as kerneltime.ParseCalibration reads it; it may be
	// empty.
	Calibrate string
}

// DefaultGPU is what times are estimated for where nobody says another.
const DefaultGPU = "a100-sxm-40"

// A Report accounts for everything between a recording and a workload. The
// workload's kernels take Busy + Ticks * 1 ps - Lost in all, as long as times are not Moved.
type Report struct {
	Label Label
	Step  string
	Steps int // that could have been chosen
	// Launches = Kernels + Merged + Dropped. Summed is the recorded time of all
	// launches, Busy that of their union, Span from the first to the end of the last,
	// so that Span - Busy is idle and Summed + Added - Busy ran beside something else.
	Launches, Kernels, Merged, Dropped, Followed int
	Summed, Busy, Span                           unit.Time
	Rounded                                      int        // launches that took less than the file can say
	Added                                        unit.Time  // what they are taken to last
	Ticks                                        int        // kernels wholly beside others: they last 1 ps
	Lost                                         unit.Time  // of Busy, that went with what was dropped
	Covered                                      unit.Time  // of Summed, in launches whose tensors are known
	Sources                                      [3]Tally   // by Source
	Roles                                        [6]Tally   // by workload.Kind
	Buffers                                      Tally      // of Roles[workload.Weight]
	Rebuilt, Counter                             unit.Bytes // peak of the workload's tensors; that of the recording's counter, 0 if it has none
	// Least and Most are between what the step needs at once: the same where memory was recorded
	// and agrees with the tensors.
	Least, Most   unit.Bytes
	Resident      unit.Bytes // that no tensor accounts for
	Held          unit.Bytes // that stays on the GPU, because no kernel is known to use it; Resident is part of it
	Communication unit.Time  // of Summed
	Moved         *Moved     // to another GPU, nil if times are as recorded
	// Classes are the kernels by class where times are not as recorded, those that take longest first.
	Classes []ClassTime
	Band    int64 // how far off times are at most of eight networks in ten, in percent; 0 if measured
	// Warnings decide whether the result can be trusted; Notes are everything else.
	Warnings, Notes, Advice []string
	own                     int // of Notes: those about what became of the step, before the format's
}

// A Tally counts tensors.
type Tally struct {
	Tensors int
	Bytes   unit.Bytes
}

// Share returns how much of the time of all launches is in those whose tensors are
// known, from 0 to 1.
func (r *Report) Share() float64 {
	if r.Summed <= 0 {
		return 0
	}
	return float64(r.Covered) / float64(r.Summed)
}

// Says returns what whoever sees a result has to know of where it comes from: the
// warnings, and what was left out, estimated or stays.
func (r *Report) Says() []string { return slices.Concat(r.Warnings, r.Notes[:r.own]) }

// Told returns the origin of the workload with all of that, for files.
func (r *Report) Told(origin string) string {
	return strings.Join(append([]string{origin}, r.Says()...), " ")
}

// Unknown resident memory is one tensor of this name. No kernel uses it, so it
// stays on the GPU in every system.
const residentName = "resident, unknown"

// A shaped is a shape and what its elements are.
type shaped struct {
	*kerneltime.Kernel
	precision kerneltime.Precision
}

// A folding is a step on its way to a workload.
type folding struct {
	rec   *Recording
	step  *Step
	c     Choices
	rules []rule
	gpu   *kerneltime.GPU // that times are estimated for
	laws  map[shaped]unit.Time
	most  Deed // what elements kernels have that do not say it; its class says nothing
	rep   *Report

	order []int32     // kernels of the step by start
	place []int32     // the inverse
	times []unit.Time // by place: what the launch adds to the busy time, in the end that of its kernel
	known []bool      // by place: it has tensors
	at    []int32     // by place: the workload's kernel that has its time and tensors, -1 if none
	kept  []int32     // tensors of the step that the workload has
	w     *workload.Workload
	// unused counts tensors that are left out, because they are of no use.
	unused int
}

// Fold makes a workload of one step of r. The workload's name is the recording's.
// The error says which choice is not possible, or why nothing can be simulated.
func (r *Recording) Fold(c Choices) (*workload.Workload, *Report, error) {
	f := &folding{rec: r, c: c, rep: &Report{Label: r.Label}, laws: map[shaped]unit.Time{}}
	for _, step := range []func() error{
		f.choose, f.check, f.sort, f.fold, f.move, f.settle, f.tensors, f.uses,
	} {
		if err := step(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	if err := f.w.Validate(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	f.account()
	if err := f.contradicted(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	f.w.Origin = f.origin()
	return f.w, f.rep, nil
}

// choose finds the step and reads the other choices.
func (f *folding) choose() error {
	r := f.rec
	if err := f.simulable(); err != nil {
		return err
	}
	at := r.Chosen
	if f.c.Step != "" {
		at = slices.IndexFunc(r.Steps, func(s Step) bool { return s.Name == f.c.Step })
		if at < 0 {
			return fmt.Errorf("there is no step %q; there are %s", f.c.Step, f.stepNames())
		}
	}
	if at < 0 || at >= len(r.Steps) {
		return fmt.Errorf("step %d was chosen, of %d", at+1, len(r.Steps))
	}
	switch f.c.Unknown {
	case "":
		f.c.Unknown = Merge
	case Merge, Follow, Drop:
	default:
		return fmt.Errorf("kernels without tensors cannot be %q; want %s, %s or %s", f.c.Unknown, Merge, Follow, Drop)
	}
	if f.c.GPU == "" && r.Times == workload.Estimated {
		f.c.GPU = DefaultGPU
	}
	if f.gpu = kerneltime.Find(f.c.GPU); f.gpu == nil && f.c.GPU != "" {
		return fmt.Errorf("times cannot be estimated for the GPU %q, which is not known; leave it out, or choose one that spillway models lists", f.c.GPU)
	}
	if f.gpu != nil && f.c.Calibrate != "" {
		own, err := kerneltime.ParseCalibration(f.c.Calibrate)
		if err != nil {
			return err
		}
		f.gpu = f.gpu.Calibrated(own)
	}
	var err error
	f.rules, err = parseRoles(f.c.Roles)
	f.step = &r.Steps[at]
	f.rep.Step, f.rep.Steps, f.rep.Launches = f.step.Name, len(r.Steps), len(f.step.Kernels)
	return err
}

// simulable reports why nothing can be simulated, whatever is chosen.
func (f *folding) simulable() error {
	switch {
	case f.rec.Label == M:
		return errors.New("a picture of memory has no kernels, so nothing can be simulated; record a trace of the profiler in the same run and open both together")
	case len(f.rec.Steps) == 0:
		return errors.New("no step was recorded; profile at least one whole step")
	case f.rec.Label == T:
		return errors.New("only the times of kernels are known, not what they read and write, so nothing can be simulated; " + cmp.Or(f.rec.Instead, recordShapes))
	}
	return nil
}

// stepNames lists the steps, or the first of many.
func (f *folding) stepNames() string {
	const most = 5
	var list []string
	for i := range f.rec.Steps {
		if i == most {
			return fmt.Sprintf("%s and %d more", strings.Join(list, ", "), len(f.rec.Steps)-most)
		}
		list = append(list, fmt.Sprintf("%q", f.rec.Steps[i].Name))
	}
	return strings.Join(list, ", ")
}

// mostTime keeps every sum of a step inside int64.
const mostTime = unit.Time(1) << 60

// check refuses what no reader may hand on, so that all that follows can trust it.
func (f *folding) check() error {
	s := f.step
	switch {
	case len(s.Kernels) == 0:
		return fmt.Errorf("step %q has no kernels; choose another", s.Name)
	case len(s.Kernels) > workload.MaxKernels:
		return fmt.Errorf("step %q has %d kernels; at most %d are supported; record a smaller step", s.Name, len(s.Kernels), workload.MaxKernels)
	case len(s.Tensors) >= workload.MaxTensors:
		return fmt.Errorf("step %q has %d tensors; fewer than %d are supported; record a smaller step", s.Name, len(s.Tensors), workload.MaxTensors)
	case s.Resident < 0 || s.Resident > workload.MaxTensor:
		return fmt.Errorf("step %q has %d bytes of unknown memory; want 0 to %d", s.Name, s.Resident, workload.MaxTensor)
	}
	for i := range s.Kernels {
		k := &s.Kernels[i]
		if k.Time < 0 || k.Time > workload.MaxTime || k.Least < 0 || k.Least > workload.MaxTime || k.Start < -mostTime || k.Start > mostTime || k.Flops < 0 || k.Bytes < 0 {
			return fmt.Errorf("kernel %d (%s): it starts at %d ps and takes %d ps, for %d operations and %d bytes; times may reach %d, and nothing is negative",
				i, short(k.Name), k.Start, k.Time, k.Flops, k.Bytes, workload.MaxTime)
		}
	}
	for i := range s.Tensors {
		t := &s.Tensors[i]
		if t.Bytes < 0 || t.Bytes > workload.MaxTensor || int(t.Kind) >= len(f.rep.Roles) || int(t.From) >= len(f.rep.Sources) {
			return fmt.Errorf("tensor %d (%s): %d bytes, kind %d, source %d; at most %d bytes are supported", i, t.Name, t.Bytes, t.Kind, t.From, workload.MaxTensor)
		}
		before := int32(-1)
		for _, u := range t.Uses {
			if u.Kernel <= before || int(u.Kernel) >= len(s.Kernels) {
				return fmt.Errorf("tensor %d (%s): a use by kernel %d after one by %d, of %d kernels", i, t.Name, u.Kernel, before, len(s.Kernels))
			}
			before = u.Kernel
		}
	}
	return nil
}

// sort puts launches in the order of their start.
func (f *folding) sort() error {
	kernels := f.step.Kernels
	f.order = make([]int32, len(kernels))
	for i := range f.order {
		f.order[i] = int32(i)
	}
	byStart := func(a, b int32) int {
		switch x, y := kernels[a].Start, kernels[b].Start; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return int(a - b)
	}
	if f.rec.Times != workload.Estimated && !slices.IsSortedFunc(f.order, byStart) {
		slices.SortFunc(f.order, byStart)
	}
	f.place = make([]int32, len(kernels))
	for p, k := range f.order {
		f.place[k] = int32(p)
	}
	f.known = make([]bool, len(kernels))
	for i := range f.step.Tensors {
		t := &f.step.Tensors[i]
		for _, u := range t.Uses {
			f.known[f.place[u.Kernel]] = f.known[f.place[u.Kernel]] || t.Bytes > 0
		}
	}
	if !slices.Contains(f.known, true) {
		return fmt.Errorf("of no kernel of step %q it is known what it reads and writes, so nothing can be simulated; %s", f.step.Name, recordShapes)
	}
	return nil
}
