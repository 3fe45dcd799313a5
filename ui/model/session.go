package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"spillway/sim/flash"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/workload"
	"spillway/ui/job"
)

// A Runner does jobs somewhere else. Their answers come back through
// Session.Answer, in any order.
type Runner interface {
	// Start does j as soon as there is room, in the order of the calls.
	Start(j job.Job)
	// Stop ends the jobs with these IDs; nobody waits for them any more.
	Stop(ids []int)
}

// A Run is one system's part of the comparison.
type Run struct {
	System system.System
	On     bool // compared

	// What is under way.
	ID          int // of the job, 0 if none
	Done, Total int // progress

	// What is known. Stale is true when the settings have changed since.
	Result    *result.Result
	Error     string
	Cancelled bool
	Stale     bool

	key string // of the request that Result, Error or the job is about
}

// Active reports whether the run waits or computes.
func (r *Run) Active() bool { return r.ID != 0 }

// A Session is one visitor's work: the state, what was typed, what runs, what
// came out, and the way back.
type Session struct {
	State   State
	Machine *Form[machine.Machine]
	Options *Form[system.Options]
	// BatchText is the batch size as typed, BatchError what is wrong with it.
	BatchText, BatchError string
	// Files describes the opened files.
	Files Files
	// Notice is said once at the top of the page, empty if nothing.
	Notice string
	// Rev counts changes of anything charts depend on.
	Rev int

	Runs    []Run
	Paper   *Reproduction
	Summary *job.Summary // of the workload of the newest result

	runner     Runner
	nextID     int
	cache      cache
	undo, redo []snapshot
	lastEdit   string // field of the newest undo step, to join keystrokes
}

// NewSession returns a session that shows s and starts to compute it.
func NewSession(s State, r Runner) *Session {
	n := &Session{
		State:   s,
		Machine: NewForm(machine.Knobs()),
		Options: NewForm(train.Knobs()),
		runner:  r,
		cache:   cache{max: 128},
	}
	for _, sys := range train.Systems {
		n.Runs = append(n.Runs, Run{System: sys})
	}
	n.Paper = newReproduction(n)
	n.settle()
	n.Refresh()
	return n
}

// settle makes the batch text follow the state.
func (n *Session) settle() { n.BatchText, n.BatchError = strconv.Itoa(n.State.Source.Batch), "" }

// Problems lists what keeps the settings from running, other than the fields'
// own errors.
func (n *Session) Problems() []string {
	var ps []string
	if err := n.State.Machine.Validate(); err != nil {
		ps = lines(err)
	}
	return ps
}

// lines splits a joined error.
func lines(err error) []string {
	var many interface{ Unwrap() []error }
	if !errors.As(err, &many) {
		return []string{err.Error()}
	}
	var out []string
	for _, e := range many.Unwrap() {
		out = append(out, lines(e)...)
	}
	return out
}

// Blocked says why nothing can run now, empty if it can.
func (n *Session) Blocked() string {
	bad := n.Machine.Errors(&n.State.Machine) + n.Options.Errors(&n.State.Options)
	if n.BatchError != "" {
		bad++
	}
	switch {
	case bad == 1:
		return "One setting is not valid. Correct it to run; the charts show the last valid settings."
	case bad > 1:
		return fmt.Sprintf("%d settings are not valid. Correct them to run; the charts show the last valid settings.", bad)
	case len(n.Problems()) > 0:
		return "The hardware settings contradict each other. Correct them under Hardware; the charts show the last valid settings."
	case n.State.Source.Entry != "" && !n.Files.Has(n.State.Source):
		return fmt.Sprintf("This link is about a file. Drop the file or folder that holds %q on the page.", n.State.Source.Entry)
	}
	return ""
}

// Refresh starts what the state asks for and is neither known nor under way,
// and stops what it no longer asks for.
func (n *Session) Refresh() {
	n.Rev++
	blocked := n.Blocked() != ""
	var stop []int
	var start []*Run
	for i := range n.Runs {
		r := &n.Runs[i]
		r.On = n.State.On(r.System.Name)
		key := n.key(r.System.Name)
		if r.Active() && (blocked || !r.On || r.key != key) {
			stop = append(stop, r.ID)
			r.ID, r.key = 0, ""
		}
		if !r.On || r.Active() || r.key == key && !r.Cancelled && !r.Stale {
			continue
		}
		if blocked {
			r.Stale = true
			continue
		}
		if known := n.cache.get(key); known != nil {
			r.key, r.Result, r.Error, r.Cancelled, r.Stale = key, known.Result, "", false, false
			n.Summary = known.Summary
			continue
		}
		start = append(start, r)
	}
	if len(stop) > 0 {
		n.runner.Stop(stop)
	}
	for _, r := range start {
		n.start(r)
	}
}

func (n *Session) start(r *Run) {
	n.nextID++
	r.ID, r.Done, r.Total = n.nextID, 0, 0
	r.key, r.Stale, r.Cancelled = n.key(r.System.Name), r.Result != nil || r.Error != "", false
	q := n.State.Request(r.System.Name)
	n.runner.Start(job.Job{ID: r.ID, Source: n.State.Source, Run: &q})
}

// key is equal for equal requests.
func (n *Session) key(name string) string {
	q := n.State.Request(name)
	q.Machine.Name = ""
	return fmt.Sprintf("%+v %+v", n.State.Source, q)
}

// Answer takes what a worker said. Answers to jobs that nobody waits for any
// more are dropped; it reports whether something changed.
func (n *Session) Answer(a job.Answer) bool {
	if a.Crash != "" {
		n.Notice = a.Crash
	}
	if a.ID == n.Files.id && a.ID != 0 {
		n.opened(a)
		return true
	}
	if n.Paper.answer(a) {
		return true
	}
	i := slices.IndexFunc(n.Runs, func(r Run) bool { return r.ID == a.ID })
	if i < 0 || a.ID == 0 {
		return a.Crash != ""
	}
	r := &n.Runs[i]
	if !a.Last {
		r.Done, r.Total = a.Done, a.Total
		return true
	}
	r.ID, r.Stale, r.Result, r.Error = 0, false, a.Result, a.Error
	if a.Summary != nil {
		n.Summary = a.Summary
	}
	if a.Result != nil {
		n.cache.put(r.key, &a)
	}
	n.Rev++
	return true
}

// Active reports whether anything waits or computes.
func (n *Session) Active() bool {
	return slices.ContainsFunc(n.Runs, func(r Run) bool { return r.Active() })
}

// Cancel stops everything that runs.
func (n *Session) Cancel() {
	var stop []int
	for i := range n.Runs {
		if r := &n.Runs[i]; r.Active() {
			stop = append(stop, r.ID)
			r.ID, r.Cancelled = 0, true
		}
	}
	n.runner.Stop(stop)
	n.Rev++
}

// RunAgain starts what was cancelled or failed.
func (n *Session) RunAgain() {
	for i := range n.Runs {
		if r := &n.Runs[i]; r.On && !r.Active() && (r.Cancelled || r.Error != "") {
			r.key, r.Error = "", ""
		}
	}
	n.Refresh()
}

// RunState says in a word or two how a run stands.
func (r *Run) RunState() string {
	switch {
	case r.Active() && r.Total > 0:
		return fmt.Sprintf("%d %%", 100*r.Done/r.Total)
	case r.Active():
		return "waiting"
	case r.Error != "":
		return "failed"
	case r.Cancelled:
		return "cancelled"
	case r.Stale:
		return "outdated"
	case r.Result == nil:
		return ""
	case !r.Result.Fits:
		return "does not fit"
	}
	return "done"
}

// Percent is the progress from 0 to 100.
func (r *Run) Percent() int {
	if r.Total <= 0 {
		return 0
	}
	return min(100, 100*r.Done/r.Total)
}

// A snapshot is everything undo brings back.
type snapshot struct {
	state            State
	machine, options map[string]string
	batch, batchErr  string
}

func (n *Session) snapshot() snapshot {
	return snapshot{n.State, n.Machine.drafted(), n.Options.drafted(), n.BatchText, n.BatchError}
}

func (n *Session) restore(s snapshot) {
	s.state.View, s.state.Figure = n.State.View, n.State.Figure // undo is about settings
	n.State, n.Machine.drafts, n.Options.drafts, n.BatchText, n.BatchError = s.state, s.machine, s.options, s.batch, s.batchErr
	n.lastEdit = ""
	n.Refresh()
}

// Change does a named step that Undo takes back. Steps of the same name in a
// row are one step when the name is not empty.
func (n *Session) Change(name string, do func()) {
	before := n.snapshot()
	do()
	if name == "" || name != n.lastEdit || len(n.undo) == 0 {
		n.undo = append(n.undo, before)
		if len(n.undo) > 500 {
			n.undo = slices.Delete(n.undo, 0, 100)
		}
	}
	n.redo, n.lastEdit = nil, name
	n.Refresh()
}

// CanUndo and CanRedo report whether there is a step to take.
func (n *Session) CanUndo() bool { return len(n.undo) > 0 }

// CanRedo reports whether a step was taken back.
func (n *Session) CanRedo() bool { return len(n.redo) > 0 }

// Undo takes the newest step back.
func (n *Session) Undo() {
	if last := len(n.undo) - 1; last >= 0 {
		n.redo = append(n.redo, n.snapshot())
		s := n.undo[last]
		n.undo = n.undo[:last]
		n.restore(s)
	}
}

// Redo takes the newest undone step again.
func (n *Session) Redo() {
	if last := len(n.redo) - 1; last >= 0 {
		n.undo = append(n.undo, n.snapshot())
		s := n.redo[last]
		n.redo = n.redo[:last]
		n.restore(s)
	}
}

// Visit shows the state of a link.
func (n *Session) Visit(fragment string) {
	s, err := Decode(fragment)
	n.Notice = ""
	if err != nil {
		n.Notice = err.Error()
	}
	if s.Source.Entry != "" {
		s.Source.Files = n.Files.Number
	}
	n.Change("", func() {
		n.State = s
		clear(n.Machine.drafts)
		clear(n.Options.drafts)
		n.settle()
	})
}

// SetModel chooses a bundled model; the time source stays if the model has it.
func (n *Session) SetModel(id string) {
	m, err := job.FindModel(id)
	if err != nil {
		return
	}
	n.Change("", func() {
		s := job.Source{Model: id, Batch: n.State.Source.Batch, Times: n.State.Source.Times, GPU: n.State.Source.GPU}
		if n.State.Source.Model != id {
			s.Batch = m.DefaultBatch
		}
		if !slices.Contains(m.Sources(), s.Times) {
			s.Times = m.Sources()[0]
		}
		if s.GPU == "" {
			s.GPU = Default().Source.GPU
		}
		n.State.Source = s
		n.settle()
	})
}

// SetBatch types a batch size.
func (n *Session) SetBatch(text string) {
	n.Change("batch", func() {
		n.BatchText, n.BatchError = text, ""
		m, err := job.FindModel(n.State.Source.Model)
		if err != nil {
			return
		}
		b, err := ParseBatch(text, m)
		if err != nil {
			n.BatchError = err.Error()
			return
		}
		n.State.Source.Batch = b
	})
}

// SetTimes chooses the source of kernel times.
func (n *Session) SetTimes(t workload.TimeSource) {
	n.Change("", func() { n.State.Source.Times = t })
}

// SetGPU chooses the GPU that kernel times are estimated for.
func (n *Session) SetGPU(key string) {
	n.Change("", func() { n.State.Source.GPU = key })
}

// estimateFor estimates kernel times for a part that was put into the machine,
// if it is a GPU and the kernel times are not those of a file.
func (n *Session) estimateFor(part string) {
	if _, err := job.FindGPU(part); err == nil && n.State.Source.Entry == "" {
		n.State.Source.GPU = part
	}
}

// SetPreset starts again from a preset machine.
func (n *Session) SetPreset(key string) {
	p, ok := findPreset(key)
	if !ok {
		return
	}
	n.Change("", func() {
		n.State.Preset, n.State.Machine = p.Key, p.Machine
		clear(n.Machine.drafts)
		n.estimateFor(p.GPU)
	})
}

// SetPart puts a part into its slot of the machine.
func (n *Session) SetPart(slot, key string) {
	for _, s := range machine.Slots() {
		for _, p := range s.Parts {
			if s.Key == slot && p.Key == key {
				n.Change("", func() {
					p.Fit(&n.State.Machine)
					clear(n.Machine.drafts)
					n.estimateFor(p.Key)
				})
			}
		}
	}
}

// Part returns the part that is in the slot, or the zero Part when the numbers
// are those of none. Of GPUs with the same numbers it is the one that kernel
// times are estimated for, else the first.
func (n *Session) Part(slot machine.Slot) machine.Part {
	var first machine.Part
	for _, p := range slot.Parts {
		m := n.State.Machine
		p.Fit(&m)
		switch {
		case m != n.State.Machine:
		case p.Key == n.State.Source.GPU:
			return p
		case first.Key == "":
			first = p
		}
	}
	return first
}

// SetSSD chooses the drive to simulate, none when key is empty.
func (n *Session) SetSSD(key string) {
	if _, err := flash.Find(key); err == nil || key == "" {
		n.Change("", func() { n.State.SSD = key })
	}
}

// SetMachine types into a hardware field.
func (n *Session) SetMachine(key, text string) {
	n.Change(key, func() { n.Machine.Edit(&n.State.Machine, key, text) })
}

// ResetMachine gives one hardware field, or all when key is empty, its default.
func (n *Session) ResetMachine(key string) {
	base := n.State.Base()
	n.Change("", func() {
		if key == "" {
			n.State.SSD = ""
			n.Machine.ResetAll(&n.State.Machine, &base)
			return
		}
		n.Machine.Reset(&n.State.Machine, &base, key)
	})
}

// SetOption types into an option field.
func (n *Session) SetOption(key, text string) {
	n.Change(key, func() { n.Options.Edit(&n.State.Options, key, text) })
}

// ResetOptions gives one option, or all when key is empty, its default.
func (n *Session) ResetOptions(key string) {
	base := system.Published()
	n.Change("", func() {
		if key == "" {
			n.Options.ResetAll(&n.State.Options, &base)
			return
		}
		n.Options.Reset(&n.State.Options, &base, key)
	})
}

// SetQuirks switches to a whole set of quirks.
func (n *Session) SetQuirks(q quirk.Set) { n.Change("", func() { n.State.Options.Quirks = q }) }

// ToggleQuirk switches one quirk.
func (n *Session) ToggleQuirk(q quirk.Set) { n.Change("", func() { n.State.Options.Quirks ^= q }) }

// ToggleSystem adds a system to the comparison or takes it out.
func (n *Session) ToggleSystem(name string) { n.Change("", func() { n.State.Toggle(name) }) }

// SetAxis chooses the memory chart's axis.
func (n *Session) SetAxis(a Axis) { n.Change("", func() { n.State.Axis = a }) }

// cache keeps the newest answers, so that undo and comparing back and forth
// need no second run.
type cache struct {
	max  int
	keys []string
	m    map[string]*job.Answer
}

func (c *cache) get(key string) *job.Answer { return c.m[key] }

func (c *cache) put(key string, a *job.Answer) {
	if c.m == nil {
		c.m = map[string]*job.Answer{}
	}
	if c.m[key] == nil {
		c.keys = append(c.keys, key)
	}
	c.m[key] = a
	if len(c.keys) > c.max {
		delete(c.m, c.keys[0])
		c.keys = slices.Delete(c.keys, 0, 1)
	}
}
