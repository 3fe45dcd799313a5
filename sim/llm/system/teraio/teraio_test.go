package teraio

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// small is a job of one GPU, of 8.25 GiB of states, 2.75 GiB of gradients and 2.5 GiB of activations;
// its optimizer has the last 16 kernels.
func small() *job.Job {
	w := training(2, 4)
	marks := make([]job.Mark, len(w.Kernels))
	for k := range marks {
		if k >= len(marks)-16 {
			marks[k].Phase = job.Optimize
		}
	}
	return &job.Job{Name: "small", Parts: []*workload.Workload{w}, Marks: [][]job.Mark{marks}}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		system *system.System
		change func(*machine.Config, *system.Options)
		want   string
	}{
		{"no drives", &SSD, func(c *machine.Config, o *system.Options) { c.Drives = 0 }, "the node has no drives to move tensors to; add drives, or host memory for TERAIO-Mixed"},
		{"neither", &Mixed, func(c *machine.Config, o *system.Options) { c.Drives, o.HostLimit = 0, 0 }, "the node has no drives to move tensors to; add drives, or host memory for TERAIO-Mixed"},
		{"no host memory", &Mixed, func(c *machine.Config, o *system.Options) { c.Drives, c.Host = 0, 0 }, "the node has no drives to move tensors to; add drives, or host memory for TERAIO-Mixed"},
		{"small host", &Mixed, func(c *machine.Config, o *system.Options) { c.Drives, o.HostLimit = 0, unit.GiB }, "GPU 0: host memory would have to hold 9.5 GiB of tensors; its share of what it may hold is 1 GiB"},
		{"no rate", &SSD, func(c *machine.Config, o *system.Options) { c.GDS, c.HostRate = false, 2 }, "GPU 0: its share of the links to drives and host memory is less than a byte a second; give the machine faster ones"},
		{"no rate of anything", &Mixed, func(c *machine.Config, o *system.Options) { c.GDS, c.HostRate = false, 2 }, "GPU 0: its share of the links to drives and host memory is less than a byte a second; give the machine faster ones"},
		{"small GPU", &SSD, func(c *machine.Config, o *system.Options) { c.GPU.Memory, c.Spare = unit.GiB, 0 }, "GPU 0: kernel 139 (k) uses 1.13 GiB of tensors at once; the GPU has 1 GiB for tensors"},
		{"small drives", &SSD, func(c *machine.Config, o *system.Options) { c.Drive.Size = unit.GiB }, "drives would have to hold 9.5 GiB of tensors; they have 1 GiB"},
		{"small drives and host", &Mixed, func(c *machine.Config, o *system.Options) { c.Drive.Size, o.HostLimit = unit.GiB, 5*unit.GiB }, "drives would have to hold 4.5 GiB of tensors; they have 1 GiB"},
	} {
		o := system.Standard()
		n := node(t, 1, func(c *machine.Config) {
			c.GPU.Memory, c.Spare = 4*unit.GiB, 0
			tt.change(c, &o)
		})
		_, err := tt.system.Plan(small(), n, &o, nil)
		var no *system.Refusal
		if !errors.As(err, &no) || no.Reason != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestFallbacks(t *testing.T) {
	for _, tt := range []struct {
		name     string
		usable   unit.Bytes
		fallback system.Fallback
		want     string
	}{
		{"fits", 14 * unit.GiB, system.Better, "as published"},
		{"fits", 14 * unit.GiB, system.Stretch, "as published"},
		{"better", 3 * unit.GiB, system.Better, "as published, stretched, half stretched"},
		{"demand", 3 * unit.GiB, system.Demand, "as published"},
		{"stretch", 3 * unit.GiB, system.Stretch, "stretched"},
	} {
		n := node(t, 1, func(c *machine.Config) { c.GPU.Memory, c.Spare = tt.usable, 0 })
		o := system.Standard()
		o.Fallback = tt.fallback
		last := 0
		plans, err := SSD.Plan(small(), n, &o, func(done, total int) {
			if done < last || done > total {
				t.Errorf("%s: progress goes from %d to %d of %d", tt.name, last, done, total)
			}
			last = done
		})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range plans {
			names = append(names, p.Name)
			r, err := offload.Run(small(), p, n, offload.Options{})
			if err != nil || r.Stuck != "" {
				t.Fatalf("%s, %s: %v %s", tt.name, p.Name, err, r.Stuck)
			}
			switch unmet := p.Unmet > 0; {
			case unmet != (tt.usable == 3*unit.GiB && p.Name != Stretched):
				t.Errorf("%s, %s: %v above the capacity", tt.name, p.Name, p.Unmet)
			case !unmet && r.GPUs[0].Demand > 0:
				t.Errorf("%s, %s: the plan fits, but %d tensors were evicted on demand", tt.name, p.Name, r.GPUs[0].Demand)
			}
		}
		if got := strings.Join(names, ", "); got != tt.want {
			t.Errorf("%s: schedules are %s, want %s", tt.name, got, tt.want)
		}
	}
}

// The optimizer's kernels last as long as what cannot stay takes.
func TestOptimizer(t *testing.T) {
	j := small()
	w := j.Parts[0]
	p := &planner{graph: newGraph(w, unit.MiB), budget: budget{capacity: 6 * unit.GiB, ssd: true, read: unit.Bandwidth(unit.GiB), write: 2 * unit.Bandwidth(unit.GiB)}}
	times := make([]int64, len(w.Kernels))
	p.optimizer(j.Marks[0], times)
	var sum int64
	for k := range times {
		if sum += times[k]; times[k] > 0 != (j.Marks[0][k].Phase == job.Optimize) {
			t.Errorf("kernel %d lasts %d ps", k, times[k])
		}
	}
	// 4 tensors × 2 layers × (64 + 96 ... + 288) MiB are 11 GiB, of which 5 cannot stay. Each kernel
	// reads a weight, two moments and a gradient, each once.
	if want := int64(5 * unit.Second); sum < want-int64(unit.Microsecond) || sum > want {
		t.Errorf("the optimizer lasts %d ps, want %d", sum, want)
	}
}

// The smallest settings of the paper's Figure 7 run near ideal, as it says, and plans are always the same.
func TestPaper(t *testing.T) {
	for _, tt := range []struct {
		model     string
		micro     int64
		system    *system.System
		low, high int64 // thousandths of ideal
	}{
		{"llama3-8b", 4, &SSD, 990, 1000},
		{"llama3-8b", 4, &Mixed, 990, 1000},
		{"granite-8b", 4, &Mixed, 900, 1000},
	} {
		j, n := paperJob(t, tt.model, 32, 2048, tt.micro)
		o := system.Standard()
		o.Fallback = system.Demand
		plans, err := tt.system.Plan(j, n, &o, nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := tt.system.Plan(j, n, &o, nil); err != nil || !reflect.DeepEqual(plans, again) {
			t.Errorf("%s, %s: another plan differs: %v", tt.model, tt.system.Name, err)
		}
		ideal, err := offload.Run(j, &offload.Schedule{}, n, offload.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := offload.Run(j, plans[0], n, offload.Options{})
		if err != nil || r.Stuck != "" {
			t.Fatal(err, r.Stuck)
		}
		if got := unit.MulDiv(1000, int64(ideal.Time), int64(r.Time)); got < tt.low || got > tt.high {
			t.Errorf("%s, %s: %d thousandths of ideal, want %d to %d", tt.model, tt.system.Name, got, tt.low, tt.high)
		}
	}
}
