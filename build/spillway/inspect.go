package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"spillway/sim/knob"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces"
	"spillway/traces/door"
	"spillway/traces/handed"
	"spillway/traces/recording"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
	"spillway/ui/wire"
)

const inspectAbout = `Says which laboratories take files, and what they find in them, before anything is
simulated. Of recordings of a training job it says which steps there are, how long their
kernels take, what is known of memory and of tensors, and what was repaired, dropped or
is missing. Files of one run are named together.
`

// An inspection is the JSON of spillway inspect. Names and meanings are stable.
type inspection struct {
	Workloads []inspected `json:"workloads" help:"what the files hold, one for each GPU of a recording"`
	Takers    []taker     `json:"takers" help:"laboratories that take files, the one that would be shown first"`
	Notes     []string    `json:"notes" help:"about the files: what else is among them, what is missing"`
}

// A taker is a laboratory that takes files.
type taker struct {
	Lab     string       `json:"lab" help:"its name, as run and sweep take it"`
	Title   string       `json:"title" help:"for people"`
	Entries []foundEntry `json:"entries" help:"what it can run of them"`
}

type foundEntry struct {
	Name   string `json:"name" help:"unique among these"`
	Detail string `json:"detail" help:"what it is, in a line; may be empty"`
}

type inspected struct {
	Name     string                   `json:"name" help:"for people, unique among these; spillway convert --entry NAME"`
	Format   string                   `json:"format" help:"what recorded it"`
	Says     string                   `json:"says" help:"what the page says first of it, on the machine that it opens on; empty if it cannot be opened"`
	Label    string                   `json:"label" help:"how much of it was measured: E1, E1m, E2, L1, L1m, L2 or L3, from least to most; M: memory alone; T: times alone; empty of what is no recording"`
	Files    []string                 `json:"files" help:"that it comes from, without folders"`
	Device   string                   `json:"device" help:"the GPU, empty if unknown"`
	Step     string                   `json:"step" help:"the one that roles, coverage and warnings are about, and that is simulated unless another is asked for; empty if there is none"`
	Steps    []inspectedStep          `json:"steps" help:"in the order of the recording"`
	Memory   *inspectedMemory         `json:"memory" help:"what the recording's own counter of allocated memory says, or what was rebuilt of the step; null if neither is there"`
	Roles    map[string]inspectedRole `json:"roles" help:"tensors of the step by what they are for: weight, buffer (stays like a weight, but no optimizer changes it and no module names it: statistics, what collectives work on), gradient, optimizer, intermediate, workspace, input"`
	Coverage *float64                 `json:"coverage" help:"share of the step's kernel time in kernels whose tensors are known, 0 to 1; null if it cannot be simulated"`
	Rebuilt  int64                    `json:"rebuilt_peak" help:"most bytes that the step's tensors take at once, to compare with memory.peak; 0 if it cannot be simulated"`
	Resident int64                    `json:"resident_unknown" help:"bytes that outlive the step and belong to no known tensor"`
	Idle     *float64                 `json:"idle" help:"share of the step in which the GPU did nothing, 0 to 1; null if it cannot be simulated, or was not recorded"`
	Refused  string                   `json:"refused,omitempty" help:"why it cannot be simulated; missing if it can"`
	Warnings []string                 `json:"warnings" help:"what decides whether a simulation can be trusted, and what to record instead"`
	Notes    []string                 `json:"notes" help:"what was repaired, dropped, folded or is not known"`
	Advice   []string                 `json:"advice" help:"what to record, or which file to add, to know more"`
}

type inspectedStep struct {
	Name    string `json:"name" help:"as recorded"`
	Kernels int    `json:"kernels" help:"launches, without copies and fills of memory where the format lists those apart, as all but Chakra do"`
	Time    int64  `json:"kernel_time_ns" help:"sum of their times, as recorded; 0 if they were not"`
	Copies  int    `json:"copies" help:"copies and fills of memory"`
	Copying int64  `json:"copy_time_ns" help:"sum of their times, as recorded"`
	Whole   bool   `json:"complete" help:"whether it begins and ends inside the recording; a whole file without steps counts as one, although nothing says that it is an iteration"`
}

type inspectedMemory struct {
	Before      int64 `json:"level_before" help:"bytes allocated before the first event"`
	Peak        int64 `json:"peak" help:"most bytes allocated at once"`
	Allocations int   `json:"allocations" help:"events that took memory"`
	Rebuilt     bool  `json:"rebuilt" help:"whether there is no counter, and these are sums of the storages that the step's operators make and use"`
}

type inspectedRole struct {
	Tensors int   `json:"tensors" help:"how many"`
	Bytes   int64 `json:"bytes" help:"their sum"`
}

// folds are the flags that choose what becomes of a recording.
type folds struct {
	step, unknown, roles, gpu *string
}

func addFolds(fs *flag.FlagSet) folds {
	return folds{
		step:    fs.String("step", "", "of a recording: `NAME` of the step, instead of the middle complete one"),
		unknown: fs.String("unknown", "", "of a recording: what becomes of kernels whose tensors are not known, `merge`, follow or drop (default merge)"),
		roles:   fs.String("roles", "", "of a recording: `PATTERNS` of tensors' names and what they are for, like *embed*=weight,ids=input"),
		gpu:     fs.String("gpu", "", "of a recording: `GPU` that its kernel times are moved to by the law of kernel times, such as rtx-4090 (default the recorded one); without times, the one they are estimated for (default "+recording.DefaultGPU+")"),
	}
}

func (c *folds) of() recording.Choices {
	return recording.Choices{Step: *c.step, Unknown: recording.Unknown(*c.unknown), Roles: *c.roles, GPU: *c.gpu}
}

func (s *shell) inspect(args []string) error {
	fs := s.flags("inspect", "FILE... [--json]", inspectAbout, doc{"--json prints one object:", inspection{}})
	asJSON := fs.Bool("json", false, "print everything as one JSON object")
	c := addFolds(fs)
	paths, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return errors.New("inspect: name files: recordings, traces, checkpoints, models, or whatever a laboratory takes")
	}
	x, h, err := inspectAll(paths, c.of())
	if err != nil {
		return err
	}
	if err := s.shown(x, h); err != nil {
		return err
	}
	if *asJSON {
		return printJSON(s.out, x)
	}
	return x.print(s.out)
}

// inspectAll says who takes files, and of those about training what is in them.
// The second result is what the laboratory of training gets of them, nil if that is nothing.
func inspectAll(paths []string, c recording.Choices) (*inspection, *handed.Training, error) {
	files, err := readFiles(paths)
	if err != nil {
		return nil, nil, err
	}
	list := make([]door.File, len(files))
	for i, f := range files {
		list[i] = door.File(f)
	}
	o, err := door.Open(list, "", 0)
	if err != nil {
		return nil, nil, err
	}
	if o.Unknown != nil { // whoever takes any bytes at all says nothing of them
		return nil, nil, o.Unknown
	}
	x := &inspection{Workloads: []inspected{}, Notes: o.Notes}
	var h *handed.Training
	for _, t := range o.Takers {
		of := taker{Lab: t.Lab, Title: t.Title, Entries: []foundEntry{}}
		for _, f := range t.Found {
			of.Entries = append(of.Entries, foundEntry{f.Name, f.Detail})
		}
		x.Takers = append(x.Takers, of)
		is, ok := t.Workload.(*handed.Training)
		if !ok {
			continue
		}
		h = is
		notes := h.Notes
		if slices.ContainsFunc(h.Jobs, func(j handed.Job) bool { return j.Recording == nil }) {
			src, err := dropped(paths)
			switch {
			case err != nil && len(t.Found) > 0:
				continue // networks that a config.json describes: there is no step to look into
			case err != nil:
				return nil, nil, err
			}
			for i := range src.Entries {
				x.Workloads = append(x.Workloads, look(&src.Entries[i], c))
			}
			notes = src.Notes
		} else {
			for i := range h.Jobs {
				x.Workloads = append(x.Workloads, lookRecording(h.Jobs[i].Recording, c))
			}
		}
		if len(o.Takers) == 1 {
			x.Notes = notes
		}
	}
	x.Notes = emptied(x.Notes)
	return x, h, nil
}

// shown adds to recordings what the page says first of them: on the machine that they open on, and
// corrected.
func (s *shell) shown(x *inspection, h *handed.Training) error {
	at := slices.IndexFunc(s.labs, func(e all.Entry) bool { return e.Name == "train" })
	if at < 0 || h == nil || !slices.ContainsFunc(x.Workloads, func(w inspected) bool { return w.Label != "" }) {
		return nil
	}
	l := s.labs[at].New()
	found, err := wire.Marshal(h)
	if err != nil {
		return err
	}
	opened, err := l.Accept(found, nil)
	if err != nil {
		return err
	}
	entries := opened.Entries()
	for i := range x.Workloads {
		w := &x.Workloads[i]
		if w.Label == "" || !slices.ContainsFunc(entries, func(e lab.Entry) bool { return e.Name == w.Name && e.Error == "" }) {
			continue
		}
		u, err := setup(&l, opened, []knob.Pair{{Key: l.Entry, Text: w.Name}})
		if err != nil {
			return err
		}
		r, _, err := l.Run(u, "ideal", opened, nil)
		if err != nil || r == nil {
			continue // why stands in w
		}
		w.Says = r.Lead
		if r.Answer != "" {
			w.Says = r.Answer // which says it of what has no kernels
		}
	}
	return nil
}

// dropped opens files and folders together, as when they are dropped on the page.
func dropped(paths []string) (*traces.Source, error) {
	files, err := readFiles(paths)
	if err != nil {
		return nil, err
	}
	list := make([]traces.File, len(files))
	for i, f := range files {
		list[i] = traces.File(f)
	}
	return traces.Open(list, nil)
}

// look says what an entry holds.
func look(e *traces.Entry, c recording.Choices) inspected {
	if e.Recording != nil {
		return lookRecording(e.Recording, c)
	}
	x := inspected{Name: e.Name, Format: e.Format, Files: []string{}, Steps: []inspectedStep{}, Roles: map[string]inspectedRole{}}
	x.Warnings, x.Notes, x.Advice = []string{}, []string{}, []string{}
	w, err := e.Load()
	if err != nil {
		x.Refused = err.Error()
		return x
	}
	var time unit.Time
	for i := range w.Kernels {
		time += w.Kernels[i].Time
	}
	x.Step, x.Coverage = "iteration", new(1.0)
	x.Steps = append(x.Steps, inspectedStep{Name: x.Step, Kernels: len(w.Kernels), Time: int64(time / unit.Nanosecond), Whole: true})
	held := w.Held()
	for i := range w.Tensors {
		t := &w.Tensors[i]
		if held[i] && t.Kind == workload.Workspace { // that of a recording, which was saved
			x.Resident += int64(t.Bytes)
			continue
		}
		x.add(t.Kind, t.Bytes)
	}
	if w.Origin != "" {
		x.Notes = append(x.Notes, w.Origin)
	}
	return x
}

// add counts a tensor.
func (x *inspected) add(kind workload.Kind, size unit.Bytes) {
	r := x.Roles[kind.String()]
	x.Roles[kind.String()] = inspectedRole{r.Tensors + 1, r.Bytes + int64(size)}
}

// lookRecording says what a recording holds, and what becomes of it.
func lookRecording(r *recording.Recording, c recording.Choices) inspected {
	x := inspected{
		Name: r.Name, Format: r.Format, Label: string(r.Label), Device: r.Device.Name,
		Files: []string{}, Steps: []inspectedStep{}, Roles: map[string]inspectedRole{},
	}
	for _, f := range r.Files {
		x.Files = append(x.Files, filepath.Base(f))
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		var time, copying unit.Time
		copies := 0
		for k := range s.Kernels {
			kind := s.Kernels[k].Kind
			if kind == recording.Compute || kind == recording.Communication || strings.HasPrefix(r.Format, "Chakra") {
				time += s.Kernels[k].Time
				continue
			}
			copies++
			copying += s.Kernels[k].Time
		}
		x.Steps = append(x.Steps, inspectedStep{s.Name, len(s.Kernels) - copies, int64(time / unit.Nanosecond), copies, int64(copying / unit.Nanosecond), s.Complete})
	}
	m := &r.Memory
	if !m.Known && len(r.Steps) > 0 { // of storages that operators make and use
		m = &r.Steps[r.Chosen].Memory
	}
	if m.Known {
		x.Memory = &inspectedMemory{int64(m.LevelBefore), int64(m.Peak), m.Allocations, m.Rebuilt}
	}
	_, rep, err := r.Fold(c)
	if err != nil {
		x.Refused = err.Error()
		x.unfolded(r)
		return x
	}
	x.Step, x.Coverage = rep.Step, new(rep.Share())
	x.Rebuilt, x.Resident = int64(rep.Rebuilt), int64(rep.Resident)
	if rep.Span > 0 && r.Times != workload.Estimated {
		x.Idle = new(float64(rep.Span-rep.Busy) / float64(rep.Span))
	}
	roles := rep.Roles
	if b := rep.Buffers; b.Tensors > 0 {
		x.Roles["buffer"] = inspectedRole{b.Tensors, int64(b.Bytes)}
		w := &roles[workload.Weight]
		w.Tensors, w.Bytes = w.Tensors-b.Tensors, w.Bytes-b.Bytes
	}
	for kind, tally := range roles {
		if tally.Tensors > 0 {
			x.Roles[workload.Kind(kind).String()] = inspectedRole{tally.Tensors, int64(tally.Bytes)}
		}
	}
	x.Warnings, x.Notes, x.Advice = emptied(rep.Warnings), emptied(rep.Notes), emptied(rep.Advice)
	return x
}

// unfolded says what there is of a recording that cannot be simulated.
func (x *inspected) unfolded(r *recording.Recording) {
	x.Warnings, x.Notes, x.Advice = []string{}, emptied(r.Notes), emptied(r.Advice)
	for _, l := range r.Missing {
		x.Notes = append(x.Notes, fmt.Sprintf("%d launches outside every step, %v: %s.", l.Kernels, l.Time, strings.TrimSuffix(l.Why, ".")))
	}
	if r.Chosen < 0 || r.Chosen >= len(r.Steps) {
		return
	}
	s := &r.Steps[r.Chosen]
	x.Step, x.Resident = s.Name, int64(s.Resident)
	x.Notes = append(x.Notes, s.Notes...)
	for i := range s.Tensors {
		x.add(s.Tensors[i].Kind, s.Tensors[i].Bytes)
	}
}

// emptied returns a list that JSON has as one.
func emptied(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// print writes everything for people.
func (x *inspection) print(out io.Writer) error {
	for i := range x.Workloads {
		w := &x.Workloads[i]
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := w.print(out); err != nil {
			return err
		}
	}
	if len(x.Takers) > 1 || len(x.Workloads) == 0 {
		x.printTakers(out)
	}
	for _, n := range x.Notes {
		fmt.Fprintf(out, "\n%s", wrap(n, ""))
	}
	return nil
}

// printTakers says who takes the files, and what they find.
func (x *inspection) printTakers(out io.Writer) {
	for i, t := range x.Takers {
		if i > 0 || len(x.Workloads) > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s (lab=%s)\n", t.Title, t.Lab)
		for _, e := range t.Entries {
			fmt.Fprint(out, wrap(strings.TrimSuffix(e.Name+": "+e.Detail, ": "), "  "))
		}
	}
}

// mostSteps is how many steps people see.
const mostSteps = 10

func (x *inspected) print(out io.Writer) error {
	fmt.Fprintln(out, x.Name)
	if x.Says != "" {
		fmt.Fprint(out, wrap(x.Says, "  "))
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(tw, "  %s\t%s\n", name, value)
		}
	}
	row("format", x.Format)
	row("label", x.Label)
	row("GPU", x.Device)
	for i, s := range x.Steps {
		if i == mostSteps {
			row("", fmt.Sprintf("and %d more", len(x.Steps)-mostSteps))
		}
		if i >= mostSteps && s.Name != x.Step {
			continue
		}
		about := ""
		if !s.Whole {
			about = ", not complete"
		}
		if s.Name == x.Step {
			about += ", chosen"
		}
		if s.Time == 0 && s.Copying == 0 {
			row("step", fmt.Sprintf("%s: %d kernels, whose times were not recorded%s", s.Name, s.Kernels+s.Copies, about))
			continue
		}
		row("step", fmt.Sprintf("%s: %d kernels, %v; %d copies, %v%s", s.Name, s.Kernels, unit.Time(s.Time)*unit.Nanosecond, s.Copies, unit.Time(s.Copying)*unit.Nanosecond, about))
	}
	if m := x.Memory; m != nil {
		name := "memory"
		if m.Rebuilt {
			name = "memory, rebuilt"
		}
		row(name, fmt.Sprintf("%v before, %v at most, %d allocations", unit.Bytes(m.Before), unit.Bytes(m.Peak), m.Allocations))
	}
	if x.Rebuilt > 0 {
		row("rebuilt peak", unit.Bytes(x.Rebuilt).String())
	}
	var roles []string
	for role := range x.Roles {
		roles = append(roles, role)
	}
	slices.Sort(roles)
	for _, role := range roles {
		row(role, fmt.Sprintf("%d tensors, %v", x.Roles[role].Tensors, unit.Bytes(x.Roles[role].Bytes)))
	}
	if x.Resident > 0 {
		row("unknown", unit.Bytes(x.Resident).String()+" resident")
	}
	if x.Label != "" && x.Refused == "" {
		row("tensors known", strconv.FormatFloat(100**x.Coverage, 'f', 1, 64)+" % of kernel time")
	}
	if x.Idle != nil {
		row("idle", strconv.FormatFloat(100**x.Idle, 'f', 1, 64)+" % of the step")
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if x.Refused != "" {
		fmt.Fprint(out, wrap("Cannot be simulated: "+x.Refused, "  "))
	}
	for _, list := range [][]string{x.Warnings, x.Notes, x.Advice} {
		for _, n := range list {
			fmt.Fprint(out, wrap("- "+n, "  "))
		}
	}
	return nil
}

// entryNamed returns the entry with a name, or the only one.
func entryNamed(s *traces.Source, name string) (*traces.Entry, error) {
	list := make([]lab.Entry, len(s.Entries))
	for i := range s.Entries {
		list[i].Name = s.Entries[i].Name
	}
	e, err := choose(list, name, "--entry")
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(x lab.Entry) bool { return x.Name == e.Name })
	return &s.Entries[at], nil
}
