package train

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/handed"
	"spillway/traces/recording"
	"spillway/ui/bundle"
	"spillway/ui/exec"
	reader "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// recordedStep is an iteration of layers whose activations are wanted again at its
// end.
func recordedStep(name string, layers int) recording.Step {
	s := recording.Step{Name: name, Complete: true, Resident: 3 * unit.MiB}
	at := unit.Time(0)
	kernel := func(name string) int32 {
		s.Kernels = append(s.Kernels, recording.Kernel{Name: name, Op: "aten::" + name, Start: at, Time: unit.Millisecond, Least: unit.Nanosecond})
		at += unit.Millisecond
		return int32(len(s.Kernels) - 1)
	}
	use := func(t int, k int32, write bool) {
		s.Tensors[t].Uses = append(s.Tensors[t].Uses, recording.Use{Kernel: k, Read: !write, Write: write})
	}
	for i := range layers {
		s.Tensors = append(s.Tensors,
			recording.Tensor{Name: fmt.Sprintf("layers.%d.weight", i), Bytes: 64 * unit.MiB, Kind: workload.Weight, Global: true},
			recording.Tensor{Name: fmt.Sprintf("layers.%d.out", i), Bytes: 512 * unit.MiB, Kind: workload.Intermediate})
		k := kernel("gemm")
		use(2*i, k, false)
		use(2*i+1, k, true)
	}
	kernel("nobody_knows")
	for i := layers - 1; i >= 0; i-- {
		k := kernel("gemm_backward")
		use(2*i, k, false)
		use(2*i+1, k, false)
	}
	return s
}

// recordings are opened as the page's other workers open them.
func recordings(t *testing.T) (*source, []lab.File) {
	t.Helper()
	job := &recording.Recording{
		Name: "job.json, GPU 0", Format: "PyTorch profiler (Kineto)", Files: []string{"job.json"}, Label: recording.L1m, Times: workload.Measured,
		Device: recording.Device{Name: "NVIDIA H100 80GB HBM3", Memory: 80 * unit.GiB}, Batch: 8,
		Steps: []recording.Step{recordedStep("ProfilerStep#4", 6), recordedStep("ProfilerStep#5", 8), recordedStep("ProfilerStep#6", 7)}, Chosen: 1,
		Notes: []string{"A note of the format."},
	}
	picture := &recording.Recording{
		Name: "snapshot.pickle, GPU 0", Format: "CUDA memory snapshot", Label: recording.M, Advice: []string{"Record a trace of the profiler beside it."},
		Picture: recording.Picture{
			Roles: []string{"weight", "activation"}, Times: []unit.Time{0, unit.Second, 2 * unit.Second},
			Levels: [][]unit.Bytes{{10, 10, 10}, {0, 20, 5}},
		},
	}
	h := &handed.Training{
		Workloads: []*workload.Workload{{
			Name: "plain", Times: workload.Measured, Tensors: []workload.Tensor{{Name: "x", Bytes: 4096}},
			Kernels: []workload.Kernel{{Name: "k", Time: 1, Outputs: []workload.TensorID{0}}},
		}},
	}
	h.Note("A note.")
	for _, r := range []*recording.Recording{job, picture} {
		h.Jobs = append(h.Jobs, handed.Job{Name: r.Name, Detail: "3 steps", Batch: r.Batch, Recording: r})
	}
	h.Jobs = append(h.Jobs, handed.Job{Name: "plain"})
	found, err := wire.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return &source{Training: h, names: names(h)}, []lab.File{lab.Handed(found)}
}

// What is handed over opens as the same entries, which run the same.
func TestAccept(t *testing.T) {
	x, files := recordings(t)
	found, ok := files[0].Found()
	opened, err := accept(found, nil)
	if err != nil || !ok {
		t.Fatal(err)
	}
	a, b := fmt.Sprintf("%+v", x.Entries()), fmt.Sprintf("%+v", opened.Entries())
	if a != b || !slices.Equal(opened.Notes(), x.Notes()) || len(opened.Entries()) != 3 || len(opened.Entries()[0].Knobs) != 6 {
		t.Errorf("%s\nwas %s", b, a)
	}
	for _, set := range []string{"entry=job.json,+GPU+0", "entry=job.json,+GPU+0 step=ProfilerStep%236 unknown=drop roles=layers.0*%3Dinput", "entry=plain"} {
		if first, then := hashOf(t, x, set), hashOf(t, opened, set); first != then {
			t.Errorf("%s: another result", set)
		}
	}
	for n := range found {
		if _, err := accept(found[:n], nil); err == nil {
			t.Fatalf("cut off after %d of %d bytes it opens", n, len(found))
		}
	}
}

// hashOf runs a system on a setup.
func hashOf(t *testing.T, f lab.Files, set string) string {
	t.Helper()
	l := New()
	u, err := l.Read(set + " gpu_memory=2")
	if err != nil {
		t.Fatal(err)
	}
	_, raw, err := l.Run(u, "g10", f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l.Hash(raw)
}

// Every choice changes what runs, and what cannot be chosen says so.
func TestChoices(t *testing.T) {
	x, _ := recordings(t)
	const entry = "entry=job.json,+GPU+0"
	seen := map[string]string{}
	for _, set := range []string{"", " step=ProfilerStep%236", " unknown=drop", " roles=*.weight%3Dintermediate"} {
		h := hashOf(t, x, entry+set)
		if seen[h] != "" {
			t.Errorf("%q runs as %q", set, seen[h])
		}
		seen[h] = set + " "
	}
	if a, b := hashOf(t, x, entry), hashOf(t, x, entry+" step=ProfilerStep%235 roles=layers.0.weight%3Dweight"); a != b {
		t.Error("the usual step by its name is another")
	}
	l := New()
	u, err := l.Read(entry + " step=Step9")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Run(u, "g10", x, nil); err == nil || !strings.Contains(err.Error(), `no step "Step9"`) {
		t.Errorf("%v", err)
	}
	for set, want := range map[string]string{"roles=x": "is no rule", "roles=x%3Dhat": `unknown "hat"`, "unknown=ask": "unknown"} {
		if _, err := l.Read(set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", set, err)
		}
	}
}

// The account of a recording stands beside the charts, its warnings above them.
func TestAccount(t *testing.T) {
	x, _ := recordings(t)
	l := New()
	u, err := l.Read("entry=job.json,+GPU+0")
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := l.Run(u, "uvm", x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Fits || !strings.Contains(r.Origin, "label L1m, one step of 3") || len(r.Words) != 2 || !strings.HasPrefix(r.Words[0].Text, "measured (L1m, tensors known for 94 % of it)") {
		t.Errorf("%+v", r)
	}
	if !slices.ContainsFunc(r.Caveats, func(s string) bool {
		return strings.HasPrefix(s, "Kernel times were measured on NVIDIA H100 80GB HBM3; the machine's A100")
	}) {
		t.Errorf("caveats %q", r.Caveats)
	}
	s, err := l.Section("recorded", knob.NewSetup(nil), u, "uvm", x, nil)
	if err != nil || len(s.Tables) != 2 || !strings.HasPrefix(s.Text[0], "PyTorch profiler (Kineto), label L1m: times, sizes") || !slices.Contains(s.Notes, "A note of the format.") {
		t.Errorf("%+v, %v", s, err)
	}
}

// How far a recording can be trusted is in everything that leaves: results, every
// format, and what a bundle has of it.
func TestReportLeaves(t *testing.T) {
	x, _ := recordings(t)
	l := New()
	u, err := l.Read("entry=job.json,+GPU+0 unknown=drop gpu_memory=2")
	if err != nil {
		t.Fatal(err)
	}
	says := []string{"Left out with 1 ms: 1 launch", "3 MiB of it belongs to no known tensor"}
	check := func(what, text string, says ...string) {
		t.Helper()
		for _, s := range says {
			if !strings.Contains(text, s) {
				t.Errorf("%s does not say %q", what, s)
			}
		}
	}
	r, _, err := l.Run(u, "uvm", x, nil)
	if err != nil {
		t.Fatal(err)
	}
	check("the result", strings.Join(r.Notes, " "), says...)
	for _, e := range l.Exports {
		data, err := reader.Export(&l, e.Key, u, "uvm", x, lab.Origin{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.Key == boundExport || e.Key == recomputingExport {
			continue // numbers only
		}
		check(e.Key, string(data), "label L1m")
		if e.Key != "trace-anonymous" {
			check(e.Key, string(data), says...)
		}
	}
	carried, _, err := reader.Carried(&l, u, nil, x)
	if err != nil {
		t.Fatal(err)
	}
	check("what a bundle has", string(carried[0].Data), append(says, "label L1m")...)
}

// What runs is said in numbers that are those of the account: gradients are what
// the recording says they are, whoever changes the weights.
func TestRecordedNumbers(t *testing.T) {
	step := recordedStep("s", 4)
	step.Tensors[1].Kind, step.Tensors[1].Bytes = workload.Gradient, 40*unit.MiB
	r := &recording.Recording{Name: "x", Format: "PyTorch profiler (Kineto)", Label: recording.L2, Times: workload.Measured, Steps: []recording.Step{step}}
	w, err := fold("x", r, recording.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.inNumbers(); !strings.Contains(got, "256 MiB of weights and buffers, 0 B of optimizer state, ") || !strings.Contains(got, "at most 40 MiB of gradients, ") {
		t.Errorf("it says %s", got)
	}
	saved := about(w.told())
	if got, want := saved.inNumbers(), w.inNumbers(); got != want {
		t.Errorf("saved it says\n%s\nnot\n%s", got, want)
	}
}

// A recording opens on its own GPU; on another its times are moved, and everything that shows
// them says so.
func TestMovedTimes(t *testing.T) {
	x, _ := recordings(t)
	l := New()
	e := x.Entries()[0]
	if e.Set != "gpu_memory=80 times=estimated gpu=h100-80 recorded_times=moved" {
		t.Fatalf("it opens with %q", e.Set)
	}
	if u, err := l.Read("model=gpt2-xl-pytorch times=deepum-fit gpu=v100-32"); err != nil || u.Read(e.Set) != nil || u.Text("gpu") != "h100-80" {
		t.Errorf("opened where times were of one GPU alone it has %q (%v)", u.Text("gpu"), err)
	}
	run := func(set string) *report.Report {
		t.Helper()
		u, err := l.Read("entry=job.json,+GPU+0 " + set)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := l.Run(u, "ideal", x, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	value := func(r *report.Report, key string) float64 {
		v, _ := r.Value(l.Quantity(key))
		return v
	}
	plain, same, elsewhere := run(""), run(e.Set), run("gpu=rtx-3060 recorded_times=moved")
	if a, b := value(plain, "ideal_s"), value(same, "ideal_s"); a != b || len(same.Words) == 0 || !strings.HasPrefix(same.Words[0].Text, "measured") {
		t.Errorf("on its own GPU it takes %g s for %g: %+v", b, a, same.Words)
	}
	if a, b := value(plain, "ideal_s"), value(elsewhere, "ideal_s"); b < 2*a {
		t.Errorf("on an RTX 3060 it takes %g s, on an H100 %g", b, a)
	}
	if value(elsewhere, "band_percent") < 10 || !strings.HasPrefix(elsewhere.Words[0].Text, "moved to GeForce RTX 3060 (± ") ||
		!strings.HasPrefix(elsewhere.Caveats[0], "Kernel times were measured on H100 SXM 80 GB and moved to GeForce RTX 3060") {
		t.Errorf("%+v, %q", elsewhere.Words, elsewhere.Caveats)
	}
	u, err := l.Read("entry=job.json,+GPU+0 gpu=rtx-3060 recorded_times=moved gpu_memory=2")
	if err != nil {
		t.Fatal(err)
	}
	const says = "moved to GeForce RTX 3060 by the"
	for _, f := range l.Exports {
		data, err := reader.Export(&l, f.Key, u, "uvm", x, lab.Origin{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if f.Key != boundExport && f.Key != recomputingExport && !strings.Contains(string(data), says) {
			t.Errorf("%s does not say that times were moved", f.Key)
		}
	}
	if carried, _, err := reader.Carried(&l, u, nil, x); err != nil || !strings.Contains(string(carried[0].Data), says) {
		t.Errorf("what a bundle has does not say that times were moved (%v)", err)
	}
	s, err := l.Section("recorded", knob.NewSetup(nil), u, "uvm", x, nil)
	if err != nil || !slices.ContainsFunc(s.Tables[0].Rows, func(r report.Row) bool { return r.Head == "Moved to GeForce RTX 3060" }) {
		t.Errorf("%+v, %v", s.Tables[0].Rows, err)
	}
}

// A picture of memory is shown and does not run.
func TestPicture(t *testing.T) {
	x, _ := recordings(t)
	l := New()
	u, err := l.Read("entry=snapshot.pickle,+GPU+0")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range l.Systems {
		r, raw, err := l.Run(u, s.Name, x, nil)
		if err != nil || r.Fits || !r.Nothing || !strings.Contains(r.Reason, "has no kernels") || l.Hash(raw) == "" {
			t.Fatalf("%s: %+v, %v", s.Name, r, err)
		}
	}
	s, err := l.Section("recorded", knob.NewSetup(nil), u, "uvm", x, nil)
	if err != nil || len(s.Tables) != 2 || !strings.Contains(s.Tables[0].Title, "30 B at 1 s") || s.Tables[0].Rows[1].Cells[0].Text != "20 B" || len(s.Tables[1].Rows) != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := reader.Export(&l, "trace", u, "uvm", x, lab.Origin{}, nil); err == nil {
		t.Error("it was saved as a trace")
	}
}

// A Spillway trace of anything, with and without names, runs with the same result. On a
// GPU with a large cache it need not on compressed memory: kernels that move more than the
// memory could do wait less for the buddy memory, and a trace does not say which memory.
func TestTraceExport(t *testing.T) {
	effort.Natively(t)
	x, _ := recordings(t)
	l := New()
	for set, f := range map[string]lab.Files{"model=resnet-50 batch=128 times=estimated gpu=rtx-3090 gpu_memory=8": nil, "entry=job.json,+GPU+0 step=ProfilerStep%236 gpu_memory=2": x} {
		u, err := l.Read(set)
		if err != nil {
			t.Fatal(err)
		}
		first := map[string]string{}
		for _, s := range l.Systems {
			_, raw, err := l.Run(u, s.Name, f, nil)
			if err != nil {
				t.Fatal(err)
			}
			first[s.Name] = l.Hash(raw)
		}
		for _, key := range []string{"trace", "trace-anonymous"} {
			data, err := reader.Export(&l, key, u, "g10", f, lab.Origin{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if key != "trace" && bytes.Contains(bytes.ToLower(data), []byte("resnet")) || key != "trace" && (bytes.Contains(data, []byte("gemm")) || bytes.Contains(data, []byte("job.json"))) {
				t.Errorf("%s: it names what it is", set)
			}
			opened, err := reader.Open(&l, []lab.File{{Name: "saved.json", Data: data}})
			if err != nil {
				t.Fatal(err)
			}
			again := u.Clone()
			if err := again.Set("entry", opened.Entries()[0].Name); err != nil {
				t.Fatal(err)
			}
			for _, s := range l.Systems {
				if key != "trace" && slices.Contains([]string{"vdnn", "superneurons", "recompute"}, strings.TrimPrefix(s.Name, "buddy-")) {
					continue // they know layers by their names
				}
				r, then, err := l.Run(again, s.Name, opened, nil)
				if err != nil || first[s.Name] != l.Hash(then) {
					t.Errorf("%s %s %s: another result, %v: %s", set, key, s.Name, err, r.Reason)
				}
			}
		}
	}
}

// A bundle of a recording has what was made of it and nothing of the file, and
// replays.
func TestBundleOfRecording(t *testing.T) {
	_, files := recordings(t)
	l := New()
	b := &exec.Executor{Lab: l}
	b.Open(1, files)
	a := b.Do(&exec.Job{ID: 1, Kind: exec.List, Files: 1}, nil)
	if a.Error != "" {
		t.Fatal(a.Error)
	}
	found, _ := files[0].Found()
	x, err := l.Accept(found, nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := l.Read("entry=job.json,+GPU+0 step=ProfilerStep%236 gpu_memory=2")
	if err != nil {
		t.Fatal(err)
	}
	list, holds, err := reader.Carried(&l, u, nil, x)
	if err != nil {
		t.Fatal(err)
	}
	data, err := bundle.Bind(&l, u.String(), &exec.BundleRequest{Systems: []string{"ideal", "g10"}}, list, holds, nil)
	if err != nil {
		t.Fatal(err)
	}
	zip, err := bundle.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := reader.Open(&l, zip.Workload())
	if err != nil {
		t.Fatal(err)
	}
	for part := range 2 {
		if v := zip.Check(&l, &exec.BundleRequest{Part: part}, opened, nil); v.Finding != exec.Replayed {
			t.Errorf("%+v", v)
		}
	}
	if bytes.Contains(data, found[:100]) {
		t.Error("it has the file")
	}
	if a := b.Do(&exec.Job{ID: 3, Kind: exec.Carry, Files: 1, Setup: "entry=snapshot.pickle,+GPU+0"}, nil); !strings.Contains(a.Error, "no kernels") {
		t.Errorf("%q", a.Error)
	}
}
