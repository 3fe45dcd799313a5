package teraio

import (
	"fmt"
	"strings"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// node is a machine of round numbers: drives 10 GB/s, host path 5 GB/s, collectives 1 GB/s.
func node(t *testing.T, gpus int64, change func(*machine.Config)) *machine.Node {
	t.Helper()
	c := machine.Standard()
	c.GPUs, c.Drives, c.Shared, c.GDS, c.Switch = gpus, 1, false, true, 1
	c.Drive.Read, c.Drive.Write, c.ArrayCap, c.ArrayShare = 10*unit.GBps, 8*unit.GBps, 0, 1000
	c.GPU.Link, c.GPU.Peer, c.HostPath, c.HostRate, c.Collective = 50*unit.GBps, 20*unit.GBps, 5*unit.GBps, 400*unit.GBps, unit.GBps
	if change != nil {
		change(&c)
	}
	n, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestShares(t *testing.T) {
	for _, tt := range []struct {
		name   string
		gpus   int64
		mixed  bool
		change func(*machine.Config)
		want   string
	}{
		{"one GPU", 1, false, nil, "10 GB/s 8 GB/s 0 MB/s 0 MB/s true false"},
		{"mixed", 2, true, nil, "10 GB/s 8 GB/s 5 GB/s 5 GB/s true true"},
		{"narrow link", 2, true, func(c *machine.Config) { c.GPU.Link = 9 * unit.GBps }, "4.5 GB/s 4.5 GB/s 4.5 GB/s 4.5 GB/s true true"},
		{"link for both", 2, true, func(c *machine.Config) { c.GPU.Link = 12 * unit.GBps }, "7 GB/s 7 GB/s 5 GB/s 5 GB/s true true"},
		{"one array", 4, false, func(c *machine.Config) { c.Shared = true }, "10 GB/s 8 GB/s 0 MB/s 0 MB/s true false"},
		{"one slow array", 4, false, func(c *machine.Config) { c.Shared, c.ArrayShare = true, 500 }, "5 GB/s 4 GB/s 0 MB/s 0 MB/s true false"},
		{"no drives", 2, true, func(c *machine.Config) { c.Drives = 0 }, "0 MB/s 0 MB/s 5 GB/s 5 GB/s false true"},
		// Each direction crosses host memory twice, once read and once written: two flows of each
		// GPU on each of its links.
		{"bounce", 2, false, func(c *machine.Config) { c.GDS, c.HostRate = false, 16*unit.GBps }, "2 GB/s 2 GB/s 0 MB/s 0 MB/s true false"},
	} {
		n := node(t, tt.gpus, tt.change)
		got, err := shares(n, true, tt.mixed)
		if err != nil {
			t.Fatal(err)
		}
		for g, s := range got {
			if s := fmt.Sprint(s.read, " ", s.write, " ", s.hostIn, " ", s.hostOut, " ", s.ssd, s.host); s != tt.want {
				t.Errorf("%s, GPU %d: %s, want %s", tt.name, g, s, tt.want)
			}
		}
	}
}

// kernels is a part of kernels that take these milliseconds.
func kernels(ms ...int64) *workload.Workload {
	w := &workload.Workload{Tensors: []workload.Tensor{{Name: "t", Bytes: 1}}}
	for _, m := range ms {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "k", Time: unit.Time(m) * unit.Millisecond, Inputs: []workload.TensorID{0}})
	}
	return w
}

func TestTimeline(t *testing.T) {
	n := node(t, 2, nil)
	ref := func(p int16, k workload.KernelID) job.Ref { return job.Ref{Part: p, Kernel: k} }
	for _, tt := range []struct {
		name string
		job  job.Job
		want string // milliseconds
	}{
		{"apart", job.Job{Parts: []*workload.Workload{kernels(1, 2, 3), kernels(4)}}, "[[1 2 3] [6]]"},
		// 20 MB take 20 ms at 1 GB/s.
		{"send", job.Job{
			Parts: []*workload.Workload{kernels(1, 2), kernels(4, 5)},
			Sends: []job.Send{{From: ref(0, 0), To: ref(1, 0), Bytes: 20 * unit.MB}},
		}, "[[28 2] [25 5]]"},
		{"together", job.Job{
			Parts:       []*workload.Workload{kernels(1, 1, 1), kernels(4, 1, 1)},
			Collectives: []job.Collective{{Kind: job.AllReduce, Members: []job.Ref{ref(0, 1), ref(1, 1)}, Bytes: 7 * unit.MB}},
		}, "[[1 10 1] [4 7 1]]"},
		{"beside", job.Job{
			Parts:       []*workload.Workload{kernels(1, 1, 1), kernels(4, 1, 1)},
			Collectives: []job.Collective{{Kind: job.AllReduce, Members: []job.Ref{ref(0, 0), ref(1, 0)}, Wait: []job.Ref{ref(0, 2), ref(1, 2)}, Bytes: 7 * unit.MB}},
		}, "[[1 1 10] [4 1 7]]"},
	} {
		got, err := timeline(&tt.job, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, times := range got {
			for k := range times {
				times[k] /= int64(unit.Millisecond)
			}
		}
		if s := fmt.Sprint(got); s != tt.want {
			t.Errorf("%s: kernels last %s, want %s", tt.name, s, tt.want)
		}
	}
	circle := job.Job{
		Parts: []*workload.Workload{kernels(1, 2), kernels(4, 5)},
		Sends: []job.Send{{From: ref(0, 1), To: ref(1, 0), Bytes: 1}, {From: ref(1, 1), To: ref(0, 0), Bytes: 1}},
	}
	if _, err := timeline(&circle, n); err == nil || !strings.Contains(err.Error(), "GPU 0: kernel 0 (k) waits for another GPU") {
		t.Errorf("a circle: %v", err)
	}
}
