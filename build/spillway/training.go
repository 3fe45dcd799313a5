package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	subject "spillway/sim/train/system/g10"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces"
	"spillway/traces/g10"
	"spillway/traces/recording"
	"spillway/ui/lab"
	trainlab "spillway/ui/lab/train"
)

// assignments collects repeated -set key=value flags.
type assignments []string

func (a *assignments) String() string { return strings.Join(*a, " ") }

func (a *assignments) Set(s string) error {
	if k, v, ok := strings.Cut(s, "="); !ok || k == "" || v == "" {
		return fmt.Errorf("want key=value, like ssd_read=6.4")
	}
	*a = append(*a, s)
	return nil
}

// A job is one run: a workload and what to do with it.
type job struct {
	w    *workload.Workload
	q    train.Request
	says []string // of a recording, what the reader should know
}

// trainingLab is the laboratory that the old forms are about.
const trainingLab = "train"

// options are the flags of training.
type options struct {
	json     bool
	artifact string
	mode     string
	system   string
	final    string
	set      assignments
}

// modeHelp explains --mode.
const modeHelp = "`MODE`: published, corrected, or a comma-separated list of quirks (default corrected, but published for the G10 artifact's own workloads: a .config file, and @as-paper)"

func trainingFlags(fs *flag.FlagSet) *options {
	o := &options{}
	fs.StringVar(&o.artifact, "artifact", "", "`FOLDER` of the G10 artifact that a config's paths refer to; without it found from the config's own place")
	fs.StringVar(&o.mode, "mode", "", modeHelp)
	fs.StringVar(&o.system, "system", "", "run the system of this `NAME` instead of the config's policy")
	fs.StringVar(&o.final, "final", "", "write the artifact's sim_result.final into this `FOLDER`")
	fs.Var(&o.set, "set", "override a config key, or ssd=KEY to simulate a drive: `KEY=VALUE`; may be repeated")
	return o
}

// within refuses what is more work than a run may be, unless --force is given.
func (s *shell) within(j *job) error {
	n := lab.Steps(j.q.Steps(j.w))
	if s.force || n <= lab.MostSteps {
		return nil
	}
	return &lab.Much{System: j.q.System, Steps: n, Less: trainlab.Less + " " + forceHelp}
}

// training is the old form of run: workloads of training, each run by the system
// that its config names.
func (s *shell) training(paths []string, o *options) error {
	if len(paths) == 0 {
		return fmt.Errorf("run: name a .config file, a trace, or MODEL@BATCH of the zoo; or, with lab=LAB, any laboratory's settings")
	}
	if o.final != "" && len(paths) > 1 {
		return fmt.Errorf("run: -final writes one file, %s, and there are %d workloads; run them one by one", finalName, len(paths))
	}
	list := []*oldRun{}
	for _, path := range paths {
		j, err := open(path, o)
		if err != nil {
			return err
		}
		if err := s.within(j); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		began := time.Now()
		r, err := train.Run(j.w, j.q, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if o.final != "" {
			if err := writeFinal(o.final, j, r); err != nil {
				return err
			}
		}
		if o.json {
			list = append(list, newOutput(j, r))
			list[len(list)-1].Program = s.program
			continue
		}
		if err := printSummary(s.out, j, r, time.Since(began)); err != nil {
			return err
		}
	}
	if !o.json {
		return nil
	}
	return printJSON(s.out, list)
}

// open opens a file with one workload, or builds MODEL@BATCH, and applies the
// overrides.
func open(path string, o *options) (*job, error) {
	q := quirk.Published()
	if o.mode != "" {
		var err error
		if q, err = quirk.Parse(o.mode); err != nil {
			return nil, err
		}
	}
	j := &job{q: train.Request{System: subject.System.Name, Machine: machine.G10(), Options: system.Published()}}
	scratch := j.q
	lines, err := configure(&scratch, o.set) // checks them; what is left is about a config's workload
	if err != nil {
		return nil, err
	}
	bundled := false
	if j.w, bundled, err = fromZoo(path); err != nil {
		return nil, err
	}
	var cfg *g10.Config
	if !bundled {
		e, err := opened(path)
		if err != nil {
			return nil, err
		}
		if cfg = e.Config; cfg == nil {
			err = j.load(e)
		} else {
			cfg, j.w, err = configured(path, cfg, lines, o)
		}
		if err != nil {
			return nil, err
		}
	}
	if cfg == nil && len(lines) > 0 {
		return nil, fmt.Errorf("-set %s: unknown key; without a .config there are hardware and system keys only", lines[0])
	}
	if cfg != nil {
		for _, p := range cfg.Pairs {
			if _, err := train.Configure(&j.q, p.Key, p.Value); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, p.Line, err)
			}
		}
		j.q.System = cfg.Policy()
	}
	if _, err := configure(&j.q, o.set); err != nil { // they count more than the file
		return nil, err
	}
	if o.system != "" {
		j.q.System = o.system
	}
	if o.mode == "" && cfg == nil && !(bundled && j.w.Times == workload.ColdModel) {
		q = quirk.Corrected()
	}
	j.q.Options.Quirks = q
	return j, j.q.Validate()
}

// estimated is where estimated kernel times come from, with their band; empty of others.
func (j *job) estimated() string {
	if j.w.Times != workload.Estimated {
		return ""
	}
	return j.w.Origin
}

// load loads the workload of an entry, and what is to be said of it.
func (j *job) load(e *traces.Entry) (err error) {
	if e.Recording == nil {
		j.w, err = e.Load()
		return err
	}
	w, rep, err := e.Recording.Fold(recording.Choices{})
	if err == nil {
		j.w, j.says = w, rep.Says()
	}
	return err
}

// configure applies key=value to q and returns those that are about something else.
func configure(q *train.Request, set assignments) (rest assignments, err error) {
	for _, s := range set {
		key, value, _ := strings.Cut(s, "=")
		known, err := train.Configure(q, key, value)
		if err != nil {
			return nil, fmt.Errorf("-set %s: %w", s, err)
		}
		if !known {
			rest = append(rest, s)
		}
	}
	return rest, nil
}

// opened returns the one workload in a file of any format that traces know.
func opened(path string) (*traces.Entry, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		hint := "a bundled model is written MODEL@BATCH, like bert-base@256"
		if strings.Contains(path, "=") {
			hint = "settings need lab=LAB; spillway list says which there are"
		}
		return nil, fmt.Errorf("%w; %s", err, hint)
	}
	s, err := traces.Open([]traces.File{{Name: visible(path), Data: data}}, nil)
	if err != nil {
		return nil, err
	}
	if len(s.Entries) != 1 {
		names := make([]string, len(s.Entries))
		for i := range s.Entries {
			names[i] = s.Entries[i].Name
		}
		return nil, fmt.Errorf("%s holds %d workloads; choose with lab=%s file=%s entry=NAME: %s", path, len(names), trainingLab, path, strings.Join(names, "; "))
	}
	return &s.Entries[0], nil
}

// configured builds the workload of a config with lines added to it, from the
// files that it names.
func configured(path string, cfg *g10.Config, lines assignments, o *options) (*g10.Config, *workload.Workload, error) {
	if len(lines) > 0 {
		var text []byte
		at := 1
		for _, p := range cfg.Pairs {
			for ; at < p.Line; at++ {
				text = append(text, '\n')
			}
			text = append(text, p.Key+" "+p.Value...)
		}
		for _, s := range lines {
			key, value, _ := strings.Cut(s, "=")
			text = append(text, "\n"+key+" "+value...)
		}
		var err error
		if cfg, err = g10.ParseConfig(path, text); err != nil {
			return nil, nil, withOverrides(err, o.set)
		}
	}
	w, err := g10.Build(cfg, reader(path, o.artifact))
	return cfg, w, err
}

// withOverrides says that lines past the end of the file come from -set.
func withOverrides(err error, set assignments) error {
	if len(set) == 0 {
		return err
	}
	return fmt.Errorf("%w (with -set %v appended to the file)", err, &set)
}

// reader resolves a config's relative paths. The artifact runs its program in
// src/, so they are relative to that folder.
func reader(config, artifact string) func(string) (string, []byte, error) {
	var bases []string
	if artifact != "" {
		bases = []string{filepath.Join(artifact, "src"), artifact}
	}
	for dir := filepath.Dir(config); ; dir = filepath.Dir(dir) {
		bases = append(bases, dir)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return func(path string) (string, []byte, error) {
		if filepath.IsAbs(path) {
			data, err := os.ReadFile(path)
			return path, data, err
		}
		for _, b := range bases {
			full := filepath.Join(b, path)
			if data, err := os.ReadFile(full); err == nil {
				return full, data, nil
			}
		}
		return path, nil, fmt.Errorf("%s names %s, which is not there; say with -artifact where the artifact's folder is", config, path)
	}
}

// An oldRun is the JSON object of a run in the old form. Names and meanings are
// stable.
type oldRun struct {
	Program          string         `json:"program" help:"name and version of the command, Go version, platform, as spillway version prints them"`
	System           string         `json:"system" help:"what ran"`
	Mode             string         `json:"mode" help:"its quirks"`
	Workload         string         `json:"workload" help:"for people"`
	KernelTimes      string         `json:"kernel_times" help:"where they come from: measured, estimated or as-paper"`
	Origin           string         `json:"origin,omitempty" help:"of estimated kernel times: what they come from, and how far eight of ten measurements are from them at most"`
	Fits             bool           `json:"fits" help:"false when the system cannot run the workload"`
	Reason           string         `json:"reason" help:"why it cannot"`
	IterationCycles  unit.Cycles    `json:"iteration_cycles" help:"time of the reported iteration"`
	IterationsCycles []unit.Cycles  `json:"iterations_cycles" help:"times of all iterations"`
	IdealCycles      unit.Cycles    `json:"ideal_cycles" help:"time with all data in GPU memory"`
	Normalized       float64        `json:"normalized" help:"ideal_cycles / iteration_cycles"`
	StallCycles      unit.Cycles    `json:"stall_cycles" help:"part of the iteration as the artifact prints it; in corrected mode the three parts add up to iteration_cycles"`
	OverlapCycles    unit.Cycles    `json:"overlap_cycles" help:"part of the iteration as the artifact prints it"`
	ComputeCycles    unit.Cycles    `json:"compute_cycles" help:"part of the iteration as the artifact prints it"`
	TrafficPages     traffic        `json:"traffic_pages" help:"moved in the reported iteration, seen from the GPU"`
	Stalls           result.Ledger  `json:"stall_by_cause_cycles" help:"time beyond ideal, by cause"`
	ClockHz          unit.Frequency `json:"clock_hz" help:"ticks a second"`
	Notes            []string       `json:"notes" help:"what the reader should know"`
	Hash             string         `json:"hash" help:"of the whole result: equal results have equal hashes on every platform"`
	SSD              *result.SSD    `json:"ssd,omitempty" help:"what the simulated drive delivered under this run, in its steady state; missing without --set ssd=KEY"`
}

type traffic struct {
	SSDIn   int64 `json:"ssd_in" help:"from the SSD"`
	SSDOut  int64 `json:"ssd_out" help:"to the SSD"`
	HostIn  int64 `json:"host_in" help:"from host memory"`
	HostOut int64 `json:"host_out" help:"to host memory"`
}

func newOutput(j *job, r *result.Result) *oldRun {
	o := &oldRun{
		System: r.System, Mode: r.Mode, Workload: j.w.Name, KernelTimes: string(j.w.Times), Origin: j.estimated(), Fits: r.Fits, Reason: r.Reason,
		IdealCycles: r.Ideal, ClockHz: r.Clock, Notes: append(append([]string{}, r.Notes...), j.says...), IterationsCycles: []unit.Cycles{},
		SSD: r.SSD, Hash: result.Hash(r),
	}
	if !r.Fits {
		return o
	}
	it := r.Main()
	for i := range r.Iterations {
		o.IterationsCycles = append(o.IterationsCycles, r.Iterations[i].Time)
	}
	o.IterationCycles, o.Normalized = it.Time, float64(r.Ideal)/float64(it.Time)
	o.ComputeCycles, o.OverlapCycles, o.StallCycles = it.Published()
	t := &it.Traffic
	o.TrafficPages = traffic{t.SSDIn.Pages(), t.SSDOut.Pages(), t.HostIn.Pages(), t.HostOut.Pages()}
	o.Stalls = it.Ledger
	return o
}

func printSummary(w io.Writer, j *job, r *result.Result, took time.Duration) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, a ...any) { fmt.Fprintf(tw, "  %s\t%s\n", name, fmt.Sprintf(format, a...)) }
	changed := ""
	if j.q.Machine != machine.G10() {
		changed = ", changed"
	}
	fmt.Fprintf(tw, "%s, %s (%s) · %s%s\n", j.w.Name, r.System, r.Mode, j.q.Machine.Name, changed)
	defer fmt.Fprintf(w, "  simulated in %v\n", took.Round(time.Microsecond))
	if !r.Fits {
		line("does not fit", "%s", r.Reason)
		return tw.Flush()
	}
	it := r.Main()
	line("kernel times", "%s", j.w.Times)
	if says := j.estimated(); says != "" {
		line("", "%s", says)
	}
	line("iteration", "%v  (%d cycles at %v; iteration %d of %d)", r.Clock.Time(it.Time), it.Time, r.Clock, r.Reported+1, len(r.Iterations))
	line("ideal", "%v  (%d cycles); %.2f %% of ideal throughput", r.Clock.Time(r.Ideal), r.Ideal, 100*float64(r.Ideal)/float64(it.Time))
	line("compute / overlap / stall", "%v / %v / %v", r.Clock.Time(it.Compute), r.Clock.Time(it.Overlap), r.Clock.Time(it.Stall))
	for c := range result.NumCauses {
		if n := *it.Ledger.At(c); n != 0 {
			line("stall: "+c.String(), "%v", r.Clock.Time(n))
		}
	}
	line("SSD in / out", "%v / %v", it.Traffic.SSDIn, it.Traffic.SSDOut)
	line("host in / out", "%v / %v", it.Traffic.HostIn, it.Traffic.HostOut)
	for _, n := range slices.Concat(r.Notes, j.says) {
		line("note", "%s", n)
	}
	return tw.Flush()
}
