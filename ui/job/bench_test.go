package job

import (
	"fmt"
	"strings"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/train/system/g10"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces"
)

// small is a bundled workload that is quick to run.
var small = Source{Model: "bert-base", Batch: 16, Times: workload.ColdModel}

func request(name string) *train.Request {
	return &train.Request{System: name, Machine: machine.G10(), Options: system.Published()}
}

// tiny is a small set of the G10 artifact's files.
func tiny() []traces.File {
	column := func(value string) []byte {
		var b []byte
		for k := range 10 {
			b = fmt.Appendf(b, "%04d %s\n", k, value)
		}
		return b
	}
	return []traces.File{
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

func TestRun(t *testing.T) {
	b := &Bench{}
	calls := 0
	for i, s := range train.Systems {
		a := b.Do(Job{ID: i + 1, Source: small, Run: request(s.Name), Hash: true}, func(done, total int) { calls++ })
		if a.Error != "" || !a.Last || a.ID != i+1 || a.Result.System != s.Name || len(a.Hash) != 64 {
			t.Errorf("%s: %+v", s.Name, a)
			continue
		}
		again := b.Do(Job{Source: small, Run: request(s.Name), Hash: true}, nil)
		if again.Hash != a.Hash {
			t.Errorf("%s: hash %s, then %s", s.Name, a.Hash, again.Hash)
		}
		if a.Summary.Kernels != len(a.Result.Kernels) || a.Summary.Batch != small.Batch {
			t.Errorf("%s: %+v", s.Name, a.Summary)
		}
	}
}

func TestErrors(t *testing.T) {
	b := &Bench{}
	b.Open(3, tiny())
	bad := request(train.Systems[0].Name)
	bad.Machine.GPUMemory = 1
	for _, tt := range []struct {
		job  Job
		want string
	}{
		{Job{Source: small, Run: bad}, "GPU memory is"},
		{Job{Source: small, Run: request("magic")}, `unknown system "magic"`},
		{Job{Source: Source{Entry: "x", Files: 2}, Run: request("ideal")}, "no longer at hand"},
		{Job{Source: Source{Entry: "x", Files: 3}, Run: request("ideal")}, `hold no "x"`},
		{Job{Source: Source{Files: 2}}, "no longer at hand"},
	} {
		if a := b.Do(tt.job, nil); !strings.Contains(a.Error, tt.want) || !a.Last {
			t.Errorf("%+v: got %q; want %q in it", tt.job, a.Error, tt.want)
		}
	}
	b.Open(4, []traces.File{{Name: "photo.png", Data: []byte("\x89PNG\r\n\x1a\n")}})
	for range 2 { // the answer stays the same when asked again
		if a := b.Do(Job{Source: Source{Files: 4}}, nil); !strings.Contains(a.Error, "photo.png: an image (PNG)") {
			t.Errorf("got %q", a.Error)
		}
	}
}

func TestPanicIsAnAnswer(t *testing.T) {
	b := &Bench{}
	a := b.Do(Job{ID: 5, Source: small, Run: request(train.Systems[0].Name)}, func(done, total int) { panic("boom") })
	if a.Error != "" && !strings.Contains(a.Error, "the simulator has a bug: boom") {
		t.Errorf("got %+v", a)
	}
}

func TestFiles(t *testing.T) {
	b := &Bench{}
	b.Open(1, tiny())
	a := b.Do(Job{ID: 1, Source: Source{Files: 1}}, nil)
	if a.Error != "" || len(a.Entries) != 2 {
		t.Fatalf("%+v", a)
	}
	if q := a.Entries[1].Setup; q == nil || q.Machine.GPUMemory != 20*unit.GiB || g10.Safety.Of(&q.Options) != 250 || q.Options.Quirks != quirk.Published() {
		t.Errorf("setup %+v", q)
	}
	for _, e := range a.Entries {
		r := b.Do(Job{Source: Source{Entry: e.Name, Files: 1}, Run: request("ideal")}, nil)
		if r.Error != "" || r.Summary.Kernels != 10 || r.Summary.Times != workload.Measured {
			t.Errorf("%s: %+v", e.Name, r)
		}
	}
}

// BenchmarkReproduce does an eighth of what "Reproduce everything" does: every
// eighth published run, on bundled workloads. The page's program is compiled
// with its profile (make profile).
func BenchmarkReproduce(b *testing.B) {
	jobs := publishedJobs()
	for b.Loop() {
		bench := &Bench{}
		for i := 7; i < len(jobs); i += 8 {
			if a := bench.Do(jobs[i], nil); a.Error != "" {
				b.Fatalf("%s: %s", jobs[i].Study, a.Error)
			}
		}
	}
}
