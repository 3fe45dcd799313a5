package train

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/build/effort"
	"spillway/sim/flash"
	"spillway/sim/kerneltime"
	"spillway/sim/knob"
	"spillway/sim/report"
	core "spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/swapadvisor"
	"spillway/sim/unit"
	"spillway/sim/workload"
	reader "spillway/ui/files"
	"spillway/ui/lab"
)

// filled returns the settings that a setup means.
func filled(t *testing.T, u *knob.Setup) settings {
	t.Helper()
	s := standard()
	for _, list := range knobs() {
		if err := knob.Fill(list, &s, u); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// shareOfSettings is one in how many combinations of a setting, a system and where both
// are tried a run of tests takes.
const shareOfSettings = 8

// noConvolutions is in what vDNN says where it finds none.
const noConvolutions = "none is a convolution"

// Presets and GPUs set the GPU that kernel times are estimated for.
func TestKernelTimesFollowTheGPU(t *testing.T) {
	l := New()
	for _, p := range machine.Presets() {
		u := l.Setup()
		if err := u.Set("machine", p.Key); err != nil {
			t.Fatal(err)
		}
		s := filled(t, u)
		m := p.Machine
		m.Name = s.Machine.Name
		if s.GPU != p.GPU || s.Machine != m || s.Preset != p.Key {
			t.Errorf("%s: %+v, times for %s", p.Key, s.Machine, s.GPU)
		}
	}
	for _, p := range machine.Slots()[0].Parts {
		u := l.Setup()
		if err := u.Set("part-gpu", p.Key); err != nil {
			t.Fatal(err)
		}
		s := filled(t, u)
		m := machine.G10()
		p.Fit(&m)
		if kerneltime.Find(p.Key) != nil && s.GPU != p.Key || s.Machine.GPUMemory != m.GPUMemory || u.Text("part-gpu") != p.Key {
			t.Errorf("%s: %v, times for %s", p.Key, s.Machine.GPUMemory, s.GPU)
		}
		if err := u.Set("times", string(workload.Estimated)); err != nil {
			t.Fatal(err)
		}
	}
	u := l.Setup()
	_ = u.Set("times", "estimated")
	_ = u.Set("batch", "16")
	slow, _, err := l.Run(u, "ideal", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = u.Set("part-gpu", "h100-80")
	fast, _, err := l.Run(u, "ideal", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := l.Quantity("ideal_s")
	if fast.Values[at] >= slow.Values[at] {
		t.Errorf("an H100 takes %v s, an A100 %v s", fast.Values[at], slow.Values[at])
	}
}

// A setup's machine, options and drive are what the simulator is asked.
func TestRequest(t *testing.T) {
	l := New()
	u := l.Setup()
	q, err := func() (core.Request, error) { s := filled(t, u); return s.request("uvm") }()
	want := core.Request{System: "uvm", Machine: machine.G10(), Options: system.Published()}
	if err != nil || !reflect.DeepEqual(q, want) {
		t.Errorf("got  %+v\nwant %+v (%v)", q, want, err)
	}
	for key, text := range map[string]string{"ssd": "990-pro", "mode": "corrected", "lookahead": "4", "gpu_memory": "24.5"} {
		if err := u.Set(key, text); err != nil {
			t.Fatal(err)
		}
	}
	s := filled(t, u)
	q, err = s.request("g10")
	if err != nil || q.SSD != "990-pro" || q.Options.Quirks != quirk.Corrected() || q.Machine.GPUMemory != 24*unit.GiB+512*unit.MiB {
		t.Errorf("%+v, %v", q, err)
	}
}

// number returns the value of a quantity of a report.
func value(t *testing.T, l *lab.Lab, r *report.Report, key string) float64 {
	t.Helper()
	at := l.Quantity(key)
	if at < 0 {
		t.Fatalf("no quantity %q", key)
	}
	v, ok := r.Value(at)
	if !ok {
		t.Fatalf("%s has no value", key)
	}
	return v
}

// fake is a result of n kernels of 1 ms that take slow times as long because of
// one cause.
func fake(n int, slow unit.Cycles, cause result.Cause) *result.Result {
	const kernel = 1_200_000 // cycles in 1 ms at 1.2 GHz
	r := &result.Result{System: "uvm", Mode: "published", Fits: true, Clock: 1200 * unit.MHz, Ideal: unit.Cycles(n) * kernel, PlannedOps: 7}
	var now unit.Cycles
	for i := range n {
		end := now + kernel*slow
		r.Kernels = append(r.Kernels, result.Kernel{Start: now, End: end, Ideal: kernel, GPU: unit.Bytes(i) * unit.GiB, Host: unit.GiB})
		now = end
	}
	it := result.Iteration{Time: now, Stall: now - r.Ideal, Compute: r.Ideal, Traffic: result.Traffic{SSDIn: 2e9, HostOut: 1e9}}
	*it.Ledger.At(cause) = now - r.Ideal
	r.Iterations = []result.Iteration{it}
	return r
}

// reported is the report of a result, as the laboratory makes it.
func reported(w Workload, s *settings, r *result.Result) *report.Report {
	rep := describe(w, s, r)
	if rep.Fits {
		rep.Values = report.Measured(measures(), &ran{Settings: s, Workload: w, Result: r})
	}
	return rep
}

func TestQuantities(t *testing.T) {
	l := New()
	w := &workload.Workload{Batch: 256}
	s := standard()
	rep := reported(Workload{Workload: w}, &s, fake(10, 2, result.SSDRead))
	for key, want := range map[string]float64{
		"normalized_throughput": 0.5, "iteration_s": 0.02, "ideal_s": 0.01, "compute_s": 0.01, "stall_s": 0.01, "overlap_s": 0,
		"beyond_ideal_ssd_read_s": 0.01, "ssd_to_gpu_bytes": 2e9, "gpu_to_host_bytes": 1e9, "gpu_to_ssd_bytes": 0,
		"throughput_samples_per_s": 12800, "kernel_slowdown_worst": 2, "kernel_slowdown_median": 2, "kernels_slowed_percent": 100,
		"peak_gpu_bytes": 9663676416, "peak_host_bytes": 1 << 30, "planned_migrations": 7, "reported_iteration": 1,
	} {
		if got := value(t, &l, rep, key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	for _, key := range []string{"doubled_s", "drive_read_gb_per_s", "drive_life_years"} {
		if _, ok := rep.Value(l.Quantity(key)); ok {
			t.Errorf("%s has a value", key)
		}
	}
	if q := l.Quantities[l.Quantity("peak_gpu_bytes")]; q.Shown(1<<30) != 1 || q.Unit != "GiB" {
		t.Errorf("%+v", q)
	}
	if rep := reported(Workload{Workload: w}, &s, &result.Result{Reason: "kernel 3 needs 50 GiB", Clock: 1}); rep.Fits || rep.Reason != "kernel 3 needs 50 GiB" || rep.Values != nil || rep.Curves != nil {
		t.Errorf("%+v", rep)
	}
	rep = reported(Workload{Workload: &workload.Workload{}}, &s, fake(1, 1, 0))
	if _, ok := rep.Value(l.Quantity("throughput_samples_per_s")); ok {
		t.Error("a workload without a batch has samples per second")
	}
}

// Reports of runs say what their results say.
func TestReports(t *testing.T) {
	effort.Natively(t)
	l := New()
	for _, set := range []string{"batch=16 gpu_memory=2 host_memory=0", "batch=16 gpu_memory=1 mode=corrected ssd=z-nand", "batch=64 times=estimated gpu_memory=4"} {
		u := l.Setup()
		pairs, err := knob.Pairs(set)
		if err == nil {
			err = u.Apply(pairs)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range l.Systems {
			rep, raw, err := l.Run(u, s.Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			r := raw.(*result.Result)
			if rep.Fits != r.Fits || r.System != s.Name || !strings.HasPrefix(rep.About, fmt.Sprint(len(r.Kernels), " kernels")) && r.Fits || rep.Origin == "" {
				t.Errorf("%s, %s: %+v", set, s.Name, rep.About)
			}
			if !r.Fits {
				continue
			}
			it := r.Mean()
			second := float64(r.Clock)
			for key, want := range map[string]float64{
				"iteration_s": float64(r.Time()) / second, "ideal_s": float64(r.Ideal) / second, "compute_s": float64(it.Compute) / second,
				"ssd_to_gpu_bytes": float64(it.Traffic.SSDIn), "faults_ssd_pages": float64(it.Faults.SSD), "reported_iteration": float64(r.Reported + 1),
				"normalized_throughput": float64(r.Ideal) / float64(r.Time()),
			} {
				if got := value(t, &l, rep, key); got != want {
					t.Errorf("%s, %s: %s is %v, want %v", set, s.Name, key, got, want)
				}
			}
			sum := 0.0
			causes := slices.IndexFunc(l.Charts, func(c report.Chart) bool { return c.ID == "causes" })
			for _, key := range l.Charts[causes].Of {
				if x, ok := rep.Value(l.Quantity(key)); ok { // not all have every cause
					sum += x
				}
			}
			if beyond := value(t, &l, rep, "iteration_s") - value(t, &l, rep, "ideal_s"); sum < beyond-1e-9 || sum > beyond+1e-9 {
				t.Errorf("%s, %s: causes sum to %v, beyond ideal are %v", set, s.Name, sum, beyond)
			}
			if _, ok := rep.Value(l.Quantity("drive_write_amplification")); ok != (r.SSD != nil && r.SSD.Written > 0) || (r.SSD != nil) != strings.Contains(set, "z-nand") {
				t.Errorf("%s, %s: drive %t", set, s.Name, ok)
			}
			for _, c := range rep.Curves {
				if len(c.X) != len(c.Y) || len(c.X) == 0 || len(c.X) > 1000 || !slices.IsSorted(c.X) {
					t.Errorf("%s, %s: curve %s by %q of %d points", set, s.Name, c.Chart, c.By, len(c.X))
				}
			}
		}
	}
}

// A thinned curve keeps its peak and its end.
func TestCurvesKeepPeaks(t *testing.T) {
	r := fake(5000, 1, 0)
	r.Kernels[3333].GPU = 999999 * unit.GiB
	cs := curves(r)
	if len(cs[0].X) > 2*mostSteps || slices.Max(cs[0].Y) != 999999 || slices.Max(cs[1].Y) != 999999 || cs[1].X[len(cs[1].X)-1] != 4999 || cs[0].X[len(cs[0].X)-1] != 5 {
		t.Errorf("%d points, peak %v", len(cs[0].X), slices.Max(cs[0].Y))
	}
	if c := cs[2]; c.X[len(c.X)-1] != 100 {
		t.Errorf("the sorted curve ends at %v %%", c.X[len(c.X)-1])
	}
}

// Every setting at its least and its most gives a result or a reason. How much work the
// engine has with one is counted in its own tests.
func TestExtremeSettings(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	l := New()
	base := set(t, "model=bert-base batch=16 times=as-paper gpu_memory=2")
	extremes, combination := 0, 0
	for i := range l.Knobs {
		k := &l.Knobs[i]
		if k.Kind != knob.Number || k.Key == "batch" {
			continue
		}
		own := len(owners(k.Key)) > 0
		for _, v := range []int64{k.Min, k.Max} {
			for _, mode := range []string{"published", "corrected"} {
				u := base.Clone()
				_ = u.Set("mode", mode)
				if err := u.Set(k.Key, knob.Decimal(v, k.Scale)); err != nil {
					t.Fatal(err)
				}
				if l.Check(u) != nil {
					continue // the form says why
				}
				extremes++
				for _, s := range l.Systems {
					if s.Variant && !strings.HasPrefix(k.Key, "buddy") || !concerned(k.Key, s.Name) {
						continue
					}
					if combination++; !own && !effort.Takes(combination, shareOfSettings) {
						continue
					}
					r, _, err := l.Run(u, s.Name, nil, nil)
					if err != nil {
						t.Errorf("%s, %s: %v", u, s.Name, err)
						continue
					}
					if !r.Fits && strings.TrimSpace(r.Reason) == "" {
						t.Errorf("%s, %s: does not fit, without a reason", u, s.Name)
					}
				}
			}
		}
	}
	if extremes < 30 {
		t.Errorf("only %d extremes do not contradict", extremes)
	}
}

// What takes long to plan is much work: more than the optional host's 150 000 steps. What
// has few kernels is not.
func TestSteps(t *testing.T) {
	const most = 150_000
	of := func(kernels int, name string, s *settings) int {
		return steps(Workload{Workload: &workload.Workload{Kernels: make([]workload.Kernel, kernels)}}, s, name)
	}
	s := &settings{Options: system.Published(), SSD: fixed}
	for _, name := range []string{"autotm", "capuchin"} {
		few, many := of(400, name, s), of(10_000, name, s)
		if few > most/10 || many < 5*most {
			t.Errorf("%s: %d steps for 400 kernels, %d for 10 000", name, few, many)
		}
	}
	swapadvisor.Population.Set(&s.Options, 1000)
	swapadvisor.Generations.Set(&s.Options, 0)
	if n := of(2000, "swapadvisor", s); n < most {
		t.Errorf("swapadvisor: %d steps for a population of 1000", n)
	}
}

// concerned reports whether a system may have anything to do with a setting: those of
// some systems are nothing to others.
func concerned(key, name string) bool {
	list := owners(key)
	return len(list) == 0 || slices.Contains(list, name)
}

// owners are the systems that declare a setting as a parameter of theirs, none where it
// is everybody's.
func owners(key string) (names []string) {
	for _, s := range core.All() {
		if slices.ContainsFunc(s.Params, func(p *system.Param) bool { return p.Key == key }) {
			names = append(names, s.Name)
		}
	}
	return names
}

// The batch sizes at both ends of every model's range can be built.
func TestBatchLimits(t *testing.T) {
	l := New()
	u := l.Setup()
	for _, c := range l.Knobs[0].Choices {
		if err := u.Set("model", c.Key); err != nil {
			t.Fatal(err)
		}
		limit := u.Limit("batch")
		for _, n := range []int64{limit.Min, limit.Max} {
			if err := u.Set("batch", fmt.Sprint(n)); err != nil {
				t.Fatal(err)
			}
			if r, _, err := l.Run(u, "ideal", nil, nil); err != nil || !r.Fits {
				t.Errorf("%s, batch %d: %v", c.Key, n, err)
			}
		}
	}
}

func TestSections(t *testing.T) {
	l := New()
	for _, mode := range []string{"published", "corrected"} {
		s := shown(t, &l, "survive", "survive_mode="+mode)
		table := s.Tables[0]
		if len(table.Rows) != 15 || len(table.Head) != 7 || len(s.Text) != 4 || len(s.Notes) != 6 {
			t.Fatalf("%d rows, %d columns, %d answers, %d findings; want five networks with three sources of times, and six systems", len(table.Rows), len(table.Head), len(s.Text), len(s.Notes))
		}
		for _, r := range table.Rows {
			best := 0
			for _, c := range r.Cells {
				if c.Best {
					best++
				}
				if c.Share < 0 || c.Share > 1.0001 || c.Text == "" {
					t.Errorf("%s, %s: %+v", r.Head, r.Sub, c)
				}
			}
			if best == 0 || len(r.Cells) != 6 {
				t.Errorf("%s, %s: nothing is best", r.Head, r.Sub)
			}
		}
		// What the conclusions hang on stands beside them, whichever mode is looked at.
		if len(s.Tables) != 2 || !strings.Contains(s.Tables[1].Title, "faults per batch") || len(s.Tables[1].Rows) != 9 {
			t.Fatalf("%d tables: %+v", len(s.Tables), s.Tables[1:])
		}
		for _, r := range s.Tables[1].Rows {
			usual := 0
			for _, c := range r.Cells {
				if c.Best {
					usual++
				}
			}
			if usual != 1 || len(r.Cells) != len(s.Tables[1].Head)-1 {
				t.Errorf("%s, %s: %d of %d cells are what everything else is computed with", r.Head, r.Sub, usual, len(r.Cells))
			}
		}
	}
	for _, mode := range []string{"removed", "added"} {
		some := false
		table := shown(t, &l, "effects", "effects_system=g10 effects_mode="+mode).Tables[0]
		for _, r := range table.Rows {
			for _, c := range r.Cells {
				some = some || c.Best
			}
		}
		if len(table.Rows) != len(quirk.All()) || !some {
			t.Errorf("%s: %d rows, an effect of 1 %%: %v", mode, len(table.Rows), some)
		}
	}
}

func shown(t *testing.T, l *lab.Lab, key, set string) *report.Section {
	t.Helper()
	for i := range l.Sections {
		if l.Sections[i].Key != key {
			continue
		}
		view := knob.NewSetup(l.Sections[i].Knobs)
		pairs, err := knob.Pairs(set)
		if err == nil {
			err = view.Apply(pairs)
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := l.Section(key, view, l.Setup(), "g10", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Fatalf("no section %q", key)
	return nil
}

// Complete says of every quirk what its removal changes; until then nothing does.
func TestComplete(t *testing.T) {
	l := New()
	full := l.Complete()
	seen := 0
	for i := range full.Knobs {
		for c := range full.Knobs[i].Choices {
			was, is := l.Knobs[i].Choices[c], full.Knobs[i].Choices[c]
			if full.Knobs[i].Key != "mode" {
				if !reflect.DeepEqual(was, is) {
					t.Errorf("%s: %s changes", full.Knobs[i].Key, is.Key)
				}
				continue
			}
			seen++
			if was.Source != "" || !strings.HasPrefix(is.Source, "Removing it alone changes") {
				t.Errorf("%s: %q, then %q", is.Key, was.Source, is.Source)
			}
		}
	}
	if seen != len(quirk.All()) {
		t.Errorf("%d quirks", seen)
	}
}

func TestDrives(t *testing.T) {
	l := New()
	u := l.Setup()
	k := u.Knob("ssd")
	if len(k.Choices) != 1+len(flash.Drives()) || k.Default != fixed {
		t.Fatalf("%d choices, default %q", len(k.Choices), k.Default)
	}
	_ = u.Set("batch", "16")
	_ = u.Set("gpu_memory", "1")
	_ = u.Set("host_memory", "0")
	for _, d := range flash.Drives() {
		if err := u.Set("ssd", d.Key); err != nil {
			t.Fatal(err)
		}
		r, _, err := l.Run(u, "g10", nil, nil)
		if err != nil || !r.Fits {
			t.Fatalf("%s: %v", d.Key, err)
		}
		if v := value(t, &l, r, "drive_write_amplification"); v < 1 {
			t.Errorf("%s: amplification %v", d.Key, v)
		}
	}
}

// The artifact's config files give the settings that they are of.
func TestArtifactConfigs(t *testing.T) {
	dir := artifact.Dir(t)
	const name = "src/configs/BERT/256-sim_prefetch_lru.config"
	var files []lab.File
	add := func(path string) {
		data, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Skip(err)
		}
		files = append(files, lab.File{Name: path, Data: data})
	}
	add(name)
	for line := range strings.Lines(string(files[0].Data)) {
		if f := strings.Fields(line); len(f) == 2 && strings.Contains(f[0], "_file") {
			if path, ok := strings.CutPrefix(f[1], "../"); ok {
				if _, err := os.Stat(filepath.Join(dir, path)); err == nil {
					add(path)
				}
			}
		}
	}
	l := New()
	f, err := reader.Open(&l, files)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, e := range f.Entries() {
		if e.Set == "" {
			continue
		}
		found = true
		if e.Error != "" || e.Is != "model=bert-base batch=256" {
			t.Errorf("%+v", e)
		}
		u := l.Setup()
		_ = u.Set("gpu_memory", "3") // whatever was set before
		_ = u.Set("mode", "corrected")
		pairs, err := knob.Pairs(e.Set)
		if err == nil {
			err = u.Apply(append(pairs, knob.Pair{Key: "entry", Text: e.Name}))
		}
		if err != nil {
			t.Fatal(err)
		}
		s := filled(t, u)
		m := machine.G10()
		s.Machine.Name = m.Name
		if s.Machine.GPUMemory != m.GPUMemory || s.Machine.HostMemory != m.HostMemory || s.Machine.SSDRead != m.SSDRead || s.Machine.SSDWrite != m.SSDWrite || s.Mode != "published" || s.SSD != fixed || s.Entry != e.Name {
			t.Errorf("%s: %+v", e.Name, s)
		}
		if r, _, err := l.Run(u, "ideal", f, nil); err != nil || !r.Fits || r.Words[0].Text != "measured" {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	if !found {
		t.Errorf("no entry of %d files comes with settings", len(files))
	}
}
