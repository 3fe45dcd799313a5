package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/g10"
	"spillway/traces/jsonx"
	"spillway/traces/spillway"
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
	w *workload.Workload
	q train.Request
}

func runCommand(args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	fs.SetOutput(stderr)
	artifact := fs.String("artifact", "", "folder of the G10 artifact that the config's paths refer to (default: found from the config's own place)")
	asJSON := fs.Bool("json", false, "print one JSON object a run")
	mode := fs.String("mode", "published", "published, corrected, or a comma-separated list of quirks")
	only := fs.String("system", "", "run this system instead of the config's policy")
	final := fs.String("final", "", "write the artifact's sim_result.final into this folder")
	var set assignments
	fs.Var(&set, "set", "override a config key, or ssd=KEY to simulate a drive: key=value; may be repeated")
	fs.Usage = func() {
		fmt.Fprintf(stderr, "usage: spillway run [FLAGS] WORKLOAD...\n\n")
		fs.PrintDefaults()
		fmt.Fprint(stderr, jsonHelp)
	}
	paths, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("run: name a .config file, a Spillway trace, or MODEL@BATCH of the zoo")
	}
	if *final != "" && len(paths) > 1 {
		return fmt.Errorf("run: -final writes one file, %s, and there are %d workloads; run them one by one", finalName, len(paths))
	}
	for _, path := range paths {
		j, err := open(path, *artifact, *mode, *only, set)
		if err != nil {
			return err
		}
		began := time.Now()
		r, err := train.Run(j.w, j.q, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if *final != "" {
			if err := writeFinal(*final, j, r); err != nil {
				return err
			}
		}
		if *asJSON {
			err = printJSON(stdout, j, r)
		} else {
			err = printSummary(stdout, j, r, time.Since(began))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// open reads a .config file or a Spillway trace, or builds MODEL@BATCH, and
// applies the overrides.
func open(path, artifact, mode, only string, set assignments) (*job, error) {
	q, err := quirk.Parse(mode)
	if err != nil {
		return nil, err
	}
	j := &job{q: train.Request{System: "g10", Machine: machine.G10(), Options: system.Published()}}
	bundled := false
	if j.w, bundled, err = fromZoo(path); err != nil {
		return nil, err
	}
	var data []byte
	if !bundled {
		if data, err = os.ReadFile(path); err != nil {
			return nil, fmt.Errorf("%w; a bundled model is written MODEL@BATCH, like bert-base@256", err)
		}
	}
	config := !bundled && !spillway.Sniff(data)
	switch {
	case bundled:
	case !config:
		if j.w, err = spillway.Decode(path, data); err != nil {
			return nil, err
		}
	default:
		for _, s := range set {
			key, value, _ := strings.Cut(s, "=")
			if machineOrSystemKey(key) {
				continue // applied below, also when it is no config key
			}
			data = append(data, "\n"+key+" "+value...)
		}
		cfg, err := g10.ParseConfig(path, data)
		if err != nil {
			return nil, withOverrides(err, set)
		}
		if j.w, err = g10.Build(cfg, reader(path, artifact)); err != nil {
			return nil, err
		}
		for _, p := range cfg.Pairs {
			if _, err := train.Configure(&j.q, p.Key, p.Value); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, p.Line, err)
			}
		}
		j.q.System = cfg.Policy()
	}
	for _, s := range set {
		key, value, _ := strings.Cut(s, "=")
		known, err := train.Configure(&j.q, key, value)
		if err != nil {
			return nil, fmt.Errorf("-set %s: %w", s, err)
		}
		if !known && !config {
			return nil, fmt.Errorf("-set %s: unknown key; without a .config there are hardware and system keys only", s)
		}
	}
	if only != "" {
		j.q.System = only
	}
	j.q.Options.Quirks = q
	return j, j.q.Validate()
}

// withOverrides says that lines past the end of the file come from -set.
func withOverrides(err error, set assignments) error {
	if len(set) == 0 {
		return err
	}
	return fmt.Errorf("%w (with -set %v appended to the file)", err, &set)
}

func machineOrSystemKey(key string) bool {
	q := train.Request{Machine: machine.G10(), Options: system.Published()}
	known, _ := train.Configure(&q, key, "")
	return known
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

// An output is the JSON object of a run. Names and meanings are stable.
type output struct {
	System           string        `json:"system"`
	Mode             string        `json:"mode"`
	Workload         string        `json:"workload"`
	KernelTimes      string        `json:"kernel_times"`
	Fits             bool          `json:"fits"`
	Reason           string        `json:"reason"`           // why it does not fit
	IterationCycles  unit.Cycles   `json:"iteration_cycles"` // of the reported iteration
	IterationsCycles []unit.Cycles `json:"iterations_cycles"`
	IdealCycles      unit.Cycles   `json:"ideal_cycles"`
	Normalized       float64       `json:"normalized"` // ideal / iteration
	// The three as the artifact prints them; in corrected mode they add up to
	// iteration_cycles.
	StallCycles        unit.Cycles    `json:"stall_cycles"`
	OverlapCycles      unit.Cycles    `json:"overlap_cycles"`
	ComputeCycles      unit.Cycles    `json:"compute_cycles"`
	TrafficPages       traffic        `json:"traffic_pages"`
	StallByCauseCycles result.Ledger  `json:"stall_by_cause_cycles"`
	ClockHz            unit.Frequency `json:"clock_hz"`
	Notes              []string       `json:"notes"`
	// SSD is what the simulated drive delivered; the member is missing when none
	// was simulated.
	SSD *result.SSD `json:"ssd,omitempty"`
}

// jsonHelp explains every member of output.
const jsonHelp = `
-json prints one object a run. Cycles are ticks of clock_hz, pages have 4096 bytes.

  system, mode, workload   what ran
  kernel_times             where they come from: measured, estimated or as-paper
  fits, reason             false when the system cannot run the workload, and why;
                           of the rest only ideal_cycles and clock_hz count then
  iteration_cycles         time of the reported iteration
  iterations_cycles        times of all iterations
  ideal_cycles             time with all data in GPU memory
  normalized               ideal_cycles / iteration_cycles
  stall_cycles, overlap_cycles, compute_cycles
                           the parts of the iteration as the artifact prints them
  traffic_pages            ssd_in, ssd_out, host_in, host_out, seen from the GPU
  stall_by_cause_cycles    fault_handling, host_read, ssd_read, late_prefetch,
                           allocation, eviction
  clock_hz                 ticks a second
  notes                    what the reader should know
  ssd                      what the simulated drive delivered under this run, in
                           its steady state; only with -set ssd=KEY:
    drive, name            its key, and for people
    read_bytes_per_s, write_bytes_per_s
                           sustained rates
    mixed                  whether they are those of both at once, else of each alone
    read_latency_ps        of one 4 KiB read, in picoseconds
    write_amplification_thousandths
                           bytes programmed per byte written, × 1000
    written_bytes          what the reported iteration writes; when 0 the drive does
                           not age, and lifetime and drive writes are 0
    endurance_bytes        what may be written before the drive is used up
    life_thousandth_years  until then, when the workload runs without pause
    drive_writes_per_day_thousandths
                           what that amounts to, × 1000
    rated_drive_writes_per_day_thousandths
                           what the drive is made for, × 1000, over warranty_years
`

type traffic struct {
	SSDIn   int64 `json:"ssd_in"`
	SSDOut  int64 `json:"ssd_out"`
	HostIn  int64 `json:"host_in"`
	HostOut int64 `json:"host_out"`
}

func printJSON(w io.Writer, j *job, r *result.Result) error {
	o := output{
		System: r.System, Mode: r.Mode, Workload: j.w.Name, KernelTimes: string(j.w.Times), Fits: r.Fits, Reason: r.Reason,
		IdealCycles: r.Ideal, ClockHz: r.Clock, Notes: append([]string{}, r.Notes...), IterationsCycles: []unit.Cycles{},
		SSD: r.SSD,
	}
	if r.Fits {
		it := r.Main()
		for i := range r.Iterations {
			o.IterationsCycles = append(o.IterationsCycles, r.Iterations[i].Time)
		}
		o.IterationCycles, o.Normalized = it.Time, float64(r.Ideal)/float64(it.Time)
		o.ComputeCycles, o.OverlapCycles, o.StallCycles = it.Published()
		t := &it.Traffic
		o.TrafficPages = traffic{t.SSDIn.Pages(), t.SSDOut.Pages(), t.HostIn.Pages(), t.HostOut.Pages()}
		o.StallByCauseCycles = it.Ledger
	}
	data, err := jsonx.MarshalIndent(o)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

func printSummary(w io.Writer, j *job, r *result.Result, took time.Duration) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, a ...any) { fmt.Fprintf(tw, "  %s\t%s\n", name, fmt.Sprintf(format, a...)) }
	fmt.Fprintf(tw, "%s, %s (%s)\n", j.w.Name, r.System, r.Mode)
	defer fmt.Fprintf(w, "  simulated in %v\n", took.Round(time.Microsecond))
	if !r.Fits {
		line("does not fit", "%s", r.Reason)
		return tw.Flush()
	}
	it := r.Main()
	line("kernel times", "%s", j.w.Times)
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
	for _, n := range r.Notes {
		line("note", "%s", n)
	}
	return tw.Flush()
}
