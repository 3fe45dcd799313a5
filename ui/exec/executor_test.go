package exec_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/study"
	"spillway/ui/exec"
	"spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/compress"
	"spillway/ui/lab/train"
	"spillway/ui/wire"
)

// small is a setup that is quick to run.
const small = "model=bert-base batch=16 times=as-paper"

var training = train.New()

// tiny is a small set of the G10 artifact's files.
func tiny() []lab.File {
	column := func(value string) []byte {
		var b []byte
		for k := range 10 {
			b = fmt.Appendf(b, "%04d %s\n", k, value)
		}
		return b
	}
	return []lab.File{
		{Name: "frontend/Nets/Tiny.txt", Data: []byte("Tiny(\n  (conv): Conv2d(3, 2, kernel_size=(2, 2), stride=(2, 2))\n  (fc): Linear(in_features=25088, out_features=5, bias=False)\n)\n")},
		{Name: "results/Tiny/cudnn2.txt", Data: column("0.1 ms")},
		{Name: "results/Tiny/cudnn2InputPF.txt", Data: column("0.2 ms")},
		{Name: "results/Tiny/cudnn2PF.txt", Data: column("0.3 ms")},
		{Name: "results/Tiny/cudnn2Workspace.txt", Data: column("0 B")},
		{Name: "src/configs/Tiny/2-sim_prefetch_lru.config", Data: []byte("batch_size 2\ninput_H 224\ninput_W 224\n" +
			"nn_model_input_file ../frontend/Nets/Tiny.txt\norig_kernel_time_file ../results/Tiny/cudnn2.txt\n" +
			"input_pf_kernel_time_file ../results/Tiny/cudnn2InputPF.txt\npf_kernel_time_file ../results/Tiny/cudnn2PF.txt\n" +
			"workspace_size_file ../results/Tiny/cudnn2Workspace.txt\nGPU_memory_size_GB 20\ndelta_parameter 0.25\n")},
	}
}

// do does a job as a worker does: what comes and goes passes through the wire.
func do(t *testing.T, b *exec.Executor, j exec.Job) exec.Answer {
	t.Helper()
	var sent exec.Job
	pass(t, &j, &sent)
	a := b.Do(&sent, nil)
	var got exec.Answer
	pass(t, &a, &got)
	if !got.Last || got.ID != j.ID {
		t.Errorf("answer %d, last %t, to job %d", got.ID, got.Last, j.ID)
	}
	return got
}

// pass sends v to *to and compares. A missing value is not itself, and a list
// without elements arrives as none, so that what arrives is sent once more.
func pass[T any](t *testing.T, v, to *T) {
	t.Helper()
	data, err := wire.Marshal(v)
	if err == nil {
		err = wire.Unmarshal(data, to)
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := wire.Marshal(to)
	if err != nil || !reflect.DeepEqual(again, data) {
		t.Errorf("%T changes on its way: %v", v, err)
	}
}

func TestRun(t *testing.T) {
	b := &exec.Executor{Lab: training, Reader: files.Open}
	for i, s := range training.Systems {
		j := exec.Job{ID: i + 1, Lab: "train", Setup: small, System: s.Name, Hash: true}
		a := do(t, b, j)
		if a.Report != nil && strings.Contains(a.Report.Reason, "none is a convolution") { // vDNN's kind of network
			continue
		}
		if a.Error != "" || a.Report == nil || !a.Report.Fits || len(a.Hash) != 64 || len(a.Report.Values) != len(training.Quantities) || len(a.Report.Curves) == 0 || a.JSON != "" {
			t.Errorf("%s: %q", s.Name, a.Error)
			continue
		}
		j.Kind, j.ID = exec.Raw, 100+i
		raw := do(t, b, j)
		if raw.Hash != a.Hash || raw.Report == nil || raw.Report.Curves != nil || fmt.Sprint(raw.Report.Values) != fmt.Sprint(a.Report.Values) || !strings.Contains(raw.JSON, `"system": "`+s.Name+`"`) {
			t.Errorf("%s: hash %s, then %s", s.Name, a.Hash, raw.Hash)
		}
		j.Hash = false
		if a := do(t, b, j); a.Hash != "" {
			t.Errorf("%s: a hash that nobody asked for", s.Name)
		}
	}
	calls := 0
	b.Do(&exec.Job{Setup: small, System: "g10"}, func(done, total int) {
		if calls++; done > total || total == 0 {
			t.Errorf("%d of %d", done, total)
		}
	})
	if calls == 0 {
		t.Error("no progress")
	}
}

func TestErrors(t *testing.T) {
	b := &exec.Executor{Lab: training, Reader: files.Open}
	b.Open(3, tiny())
	for _, tt := range []struct {
		job  exec.Job
		want string
	}{
		{exec.Job{Setup: small + " gpu_memory=0", System: "g10"}, "GPU memory is 0 GiB; want"},
		{exec.Job{Setup: small, System: "magic"}, `unknown system "magic"`},
		{exec.Job{Setup: small + " color=red", System: "g10"}, `unknown setting "color"`},
		{exec.Job{Setup: "model", System: "g10"}, "want key=value"},
		{exec.Job{Setup: small + " entry=x", System: "ideal", Files: 2}, "no longer at hand"},
		{exec.Job{Setup: small + " entry=x", System: "ideal", Files: 3}, `hold no "x"`},
		{exec.Job{Setup: small + " entry=x", System: "ideal"}, "no longer at hand"},
		{exec.Job{Kind: exec.List, Files: 2}, "no longer at hand"},
		{exec.Job{Kind: exec.List}, "no files to list"},
		{exec.Job{Kind: exec.Section, Key: "survive", View: "survive_mode=never"}, `unknown fidelity "never"`},
		{exec.Job{Kind: exec.Section, Key: "survive", View: "x"}, "want key=value"},
		{exec.Job{Kind: exec.Section, Key: "nothing"}, `no section "nothing"`},
		{exec.Job{Kind: exec.Section, Key: "survive", Setup: "x=y"}, `unknown setting "x"`},
		{exec.Job{Kind: exec.Outline, Paper: "g11"}, `unknown paper "g11"; there are g10`},
		{exec.Job{Kind: exec.Sheet, Paper: "g10", Name: "99"}, `no figure "99"`},
		{exec.Job{Kind: exec.Sheet, Paper: "g10", Name: "11", Outcomes: []study.Outcome{{Run: "x"}}}, `no run "x"`},
		{exec.Job{Kind: exec.Tallies, Paper: "g10", Outcomes: []study.Outcome{{Run: "x"}}}, `no run "x"`},
		{exec.Job{Kind: exec.Measure, Paper: "g10", Name: "x", Setup: small}, `"x"`},
		{exec.Job{Kind: exec.Measure, Paper: "g10", Name: "x", Setup: "y"}, "want key=value"},
		{exec.Job{Kind: 99, Paper: "g10"}, "no work of kind 99"},
	} {
		tt.job.ID = 7
		if a := do(t, b, tt.job); !strings.Contains(a.Error, tt.want) || strings.Contains(a.Error, "bug") || a.Report != nil {
			t.Errorf("%+v: got %q; want %q in it", tt.job, a.Error, tt.want)
		}
	}
	b.Open(4, []lab.File{{Name: "photo.png", Data: []byte("\x89PNG\r\n\x1a\n")}})
	for range 2 { // the answer stays the same when asked again
		if a := do(t, b, exec.Job{Kind: exec.List, Files: 4}); !strings.Contains(a.Error, "photo.png: an image (PNG)") {
			t.Errorf("got %q", a.Error)
		}
	}
	closed := training
	closed.Accept = nil
	b = &exec.Executor{Lab: closed, Reader: files.Open}
	b.Open(1, tiny())
	if a := do(t, b, exec.Job{Kind: exec.List, Files: 1}); a.Error != "Training memory takes no files" {
		t.Errorf("got %q", a.Error)
	}
}

// What contradicts is no error: nothing was run.
func TestProblems(t *testing.T) {
	b := &exec.Executor{Lab: training, Reader: files.Open}
	for _, kind := range []exec.Kind{exec.Run, exec.Raw} {
		a := do(t, b, exec.Job{Kind: kind, Setup: small + " ssd_read=20 ssd_write=30", System: "g10", Hash: true})
		if a.Error != "" || len(a.Problems) != 2 || a.Report != nil || a.JSON != "" || a.Hash != "" || !strings.HasPrefix(a.Problems[1], "SSD write (30 GB/s) is faster") {
			t.Errorf("%+v", a)
		}
	}
}

func TestPanicIsAnAnswer(t *testing.T) {
	b := &exec.Executor{Lab: training, Reader: files.Open}
	a := b.Do(&exec.Job{ID: 5, Setup: small, System: "g10"}, func(int, int) { panic("boom") })
	if a.ID != 5 || !a.Last || !strings.HasPrefix(a.Error, "the simulator has a bug: boom (") || !strings.Contains(a.Error, ".go:") {
		t.Errorf("got %+v", a)
	}
	if a := do(t, b, exec.Job{ID: 6, Setup: small, System: "g10"}); a.Error != "" {
		t.Errorf("after a panic: %q", a.Error)
	}
}

func TestFiles(t *testing.T) {
	b := &exec.Executor{Lab: training, Reader: files.Open}
	b.Open(1, tiny())
	a := do(t, b, exec.Job{Kind: exec.List, Files: 1})
	if a.Error != "" || len(a.Entries) != 2 {
		t.Fatalf("%+v", a)
	}
	u := training.Setup()
	if a.Entries[0].Set != "" || a.Entries[1].Error != "" || a.Entries[0].Info == "" {
		t.Errorf("%+v", a.Entries)
	}
	for _, want := range []string{" gpu_memory=20 ", " safety=0.25", " mode=published", " ssd=fixed", "machine=g10-table-2"} {
		if !strings.Contains(a.Entries[1].Set+" ", want) {
			t.Errorf("setup %q; want %q in it", a.Entries[1].Set, want)
		}
	}
	for _, e := range a.Entries {
		if err := u.Set("entry", e.Name); err != nil {
			t.Fatal(err)
		}
		r := do(t, b, exec.Job{Setup: u.String() + " " + e.Set, System: "ideal", Files: 1})
		if r.Error != "" || !strings.HasPrefix(r.Report.About, "10 kernels") || len(r.Report.Words) == 0 || r.Report.Words[0].Text != "measured" {
			t.Errorf("%s: %+v", e.Name, r)
		}
	}
}

func TestSections(t *testing.T) {
	b := &exec.Executor{Lab: training, Reader: files.Open}
	for _, s := range training.Sections {
		if s.Run {
			continue // about a run
		}
		if a := do(t, b, exec.Job{Kind: exec.Section, Key: s.Key}); a.Error != "" || a.Section == nil || len(a.Section.Tables) == 0 {
			t.Errorf("%s: %q", s.Key, a.Error)
		}
	}
}

func TestPaper(t *testing.T) {
	b := &exec.Executor{Lab: training, Reader: files.Open}
	a := do(t, b, exec.Job{Kind: exec.Outline, Paper: "g10"})
	if a.Error != "" || len(a.Outline.Figures) == 0 {
		t.Fatalf("%+v", a)
	}
	var outcomes []study.Outcome
	kinds := map[bool]int{}
	for _, r := range a.Outline.Runs { // an analysis and two quick runs
		if kinds[r.System == ""] >= 1 && (r.System == "" || !strings.Contains(r.Set, "model=bert-base batch=256")) || len(outcomes) == 3 {
			continue
		}
		kinds[r.System == ""]++
		m := do(t, b, exec.Job{Kind: exec.Measure, Paper: "g10", Name: r.Name, Setup: r.Set, System: r.System, Rebuilt: true, Hash: true})
		if m.Error != "" || m.Outcome.Run != r.Name || !m.Outcome.Rebuilt || (m.Hash != "") != (r.System != "") {
			t.Fatalf("%s: %q", r.Name, m.Error)
		}
		outcomes = append(outcomes, *m.Outcome)
	}
	if len(outcomes) != 3 || kinds[true] != 1 {
		t.Fatalf("%d outcomes, %v", len(outcomes), kinds)
	}
	for _, f := range a.Outline.Figures {
		s := do(t, b, exec.Job{Kind: exec.Sheet, Paper: "g10", Name: f.ID, Outcomes: outcomes})
		if s.Error != "" || s.Sheet.Figure != f.ID || len(s.Sheet.Rows) != f.Points {
			t.Errorf("Figure %s: %q", f.ID, s.Error)
		}
	}
	s := do(t, b, exec.Job{Kind: exec.Sheet, Paper: "g10", Name: study.AllClaims, Outcomes: outcomes})
	if s.Error != "" || len(s.Sheet.Claims) != a.Outline.Claims {
		t.Errorf("%q", s.Error)
	}
	s = do(t, b, exec.Job{Kind: exec.Tallies, Paper: "g10", Outcomes: outcomes})
	if s.Error != "" || len(s.Tallies) != len(a.Outline.Figures)+1 || s.Tallies[len(s.Tallies)-1].Known != 3 {
		t.Errorf("%q, %d tallies", s.Error, len(s.Tallies))
	}
}

func TestLines(t *testing.T) {
	err := errors.Join(errors.New("a"), errors.Join(errors.New("b"), errors.New("c")))
	if got := exec.Lines(err); !reflect.DeepEqual(got, []string{"a", "b", "c"}) {
		t.Errorf("%q", got)
	}
	if got := exec.Lines(errors.New("a")); !reflect.DeepEqual(got, []string{"a"}) {
		t.Errorf("%q", got)
	}
}

// BenchmarkReproduce does an eighth of what "Compute all of it here" does: every
// eighth run of the G10 paper, on bundled workloads. The workers' program is
// compiled with its profile (make profile).
func BenchmarkReproduce(b *testing.B) {
	paper, err := training.Paper("g10")
	if err != nil {
		b.Fatal(err)
	}
	runs := paper.Runs()
	for b.Loop() {
		bench := &exec.Executor{Lab: training, Reader: files.Open}
		for i := 7; i < len(runs); i += 8 {
			r := &runs[i]
			if a := bench.Do(&exec.Job{Kind: exec.Measure, Paper: "g10", Name: r.Name, Setup: r.Set, System: r.System, Rebuilt: true}, nil); a.Error != "" {
				b.Fatalf("%s: %s", r.Name, a.Error)
			}
		}
	}
}

// Several runs of one job: each has its own outcome, and only what a question needs.
func TestSeveral(t *testing.T) {
	b := &exec.Executor{Lab: training, Reader: files.Open}
	a := do(t, b, exec.Job{Kind: exec.Several, ID: 3, Picks: []exec.Pick{
		{Setup: small, System: "g10"}, {Setup: small + " ssd_read=20 ssd_write=30", System: "g10"}, {Setup: small, System: "magic"}, {Setup: small, System: "ideal"},
	}})
	if a.Error != "" || len(a.Parts) != 4 {
		t.Fatalf("%+v", a)
	}
	for _, i := range []int{0, 3} {
		r := a.Parts[i].Report
		if r == nil || !r.Fits || len(r.Values) != len(training.Quantities) || len(r.Curves) != 0 || r.About != "" {
			t.Errorf("run %d: %+v", i, a.Parts[i])
		}
	}
	one := do(t, b, exec.Job{Setup: small, System: "g10"})
	if got, want := a.Parts[0].Report.Values[0], one.Report.Values[0]; got != want {
		t.Errorf("together %v, alone %v", got, want)
	}
	if len(a.Parts[1].Problems) != 2 || a.Parts[1].Report != nil || !strings.Contains(a.Parts[2].Error, "magic") {
		t.Errorf("%+v", a.Parts[1:3])
	}
}

// An export is a file, also of opened files, and says why there is none.
func TestExport(t *testing.T) {
	b := &exec.Executor{Lab: training, Reader: files.Open}
	j := exec.Job{Kind: exec.Export, Key: "timeline", Setup: small, System: "g10", Origin: lab.Origin{Link: "https://example.org/#x"}}
	if a := do(t, b, j); a.Error != "" || !strings.Contains(string(a.Data), `"link":"https://example.org/#x"`) {
		t.Errorf("%s, %d bytes", a.Error, len(a.Data))
	}
	b.Open(1, tiny())
	a := do(t, b, exec.Job{Kind: exec.List, Files: 1})
	if a := do(t, b, exec.Job{Kind: exec.Export, Key: "chakra", Setup: "entry=" + strings.ReplaceAll(a.Entries[0].Name, " ", "+"), System: "uvm", Files: 1}); a.Error != "" || len(a.Data) == 0 {
		t.Errorf("%s", a.Error)
	}
	for want, j := range map[string]exec.Job{
		`no export "x"`: {Key: "x", Setup: small, System: "g10"}, "cannot run it": {Key: "stalls", Setup: small + " gpu_memory=0.02", System: "uvm"}, "want key=value": {Key: "stalls", Setup: "x", System: "uvm"},
	} {
		j.Kind = exec.Export
		if a := do(t, b, j); !strings.Contains(a.Error, want) || a.Data != nil {
			t.Errorf("%s: %q", want, a.Error)
		}
	}
}

// What happens over time comes with its columns; where nothing does, and where a system
// cannot run, a sentence says so.
func TestTimeline(t *testing.T) {
	b := &exec.Executor{Lab: training}
	a := do(t, b, exec.Job{ID: 1, Lab: "train", Kind: exec.Timeline, Setup: small, System: "uvm"})
	if a.Error != "" || a.Timeline == nil || a.Timeline.Says == "" || !strings.HasPrefix(string(a.Columns), "SPTL") {
		t.Errorf("%q, %d bytes of columns", a.Error, len(a.Columns))
	}
	if a := do(t, b, exec.Job{ID: 5, Lab: "train", Kind: exec.Timeline, Setup: small, System: "uvm", Against: "ideal"}); a.Error != "" || a.Timeline.Word != "kernel" || a.Timeline.Alone != "" {
		t.Errorf("%q, %+v", a.Error, a.Timeline)
	}
	if a := do(t, b, exec.Job{ID: 2, Lab: "train", Kind: exec.Timeline, Setup: "model=bert-base batch=512 gpu_memory=1", System: "flashneuron"}); a.Error == "" || len(a.Columns) > 0 {
		t.Errorf("what does not fit has %d bytes of columns", len(a.Columns))
	}
	if a := do(t, b, exec.Job{ID: 3, Lab: "train", Kind: exec.Timeline, Setup: "gpu_link=1 host_link=1 ssd_read=100", System: "uvm"}); len(a.Problems) == 0 {
		t.Errorf("what contradicts has no problem, but %q", a.Error)
	}
	inside := compress.New()
	if a := do(t, &exec.Executor{Lab: inside}, exec.Job{ID: 4, Lab: inside.Name, Kind: exec.Timeline}); !strings.Contains(a.Error, "over time") {
		t.Errorf("%q", a.Error)
	}
}
