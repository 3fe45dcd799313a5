package offload

import (
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// page is the unit of sizes in these tests: a link of pageRate moves one in a microsecond.
const (
	page     = unit.Page
	us       = unit.Microsecond
	pageRate = unit.Bandwidth(4096 * 1_000_000)
)

// toy is a node whose links move one page a microsecond, of drives and host each way, ten between
// GPUs, with no latency.
func toy(t testing.TB, gpus, memory int64) *machine.Node {
	t.Helper()
	n := &machine.Config{
		GPU:  machine.GPU{Memory: unit.Bytes(memory) * page, HBM: pageRate, FP32: 1, TF32: 1, BF16: 1, Link: 100 * pageRate, Peer: 10 * pageRate},
		GPUs: gpus, Efficiency: 1000,
		Drive:  machine.Drive{Read: pageRate, Write: pageRate, Size: 1000 * page},
		Drives: 1, ArrayShare: 1000, GDS: true,
		Host: 1000 * page, HostRate: 1000 * pageRate, HostPath: pageRate, Adam: 1, Switch: 1,
	}
	node, err := n.Build()
	if err != nil {
		t.Fatal(err)
	}
	return node
}

func tensorOf(name string, pages int64, global bool) workload.Tensor {
	return workload.Tensor{Name: name, Bytes: unit.Bytes(pages) * page, Global: global}
}

func kernelOf(time int64, in, out []workload.TensorID) workload.Kernel {
	return workload.Kernel{Name: "k", Time: unit.Time(time) * us, Inputs: in, Outputs: out}
}

func ids(t ...workload.TensorID) []workload.TensorID { return t }

func TestIdealIsSumOfKernels(t *testing.T) {
	w := &workload.Workload{
		Tensors: []workload.Tensor{tensorOf("w", 5, true), tensorOf("a", 3, false)},
		Kernels: []workload.Kernel{kernelOf(10, ids(0), ids(1)), kernelOf(7, ids(1), ids(0))},
	}
	r, err := Run(&job.Job{Parts: []*workload.Workload{w}}, &Schedule{}, toy(t, 1, 1), Options{})
	if err != nil || r.Stuck != "" {
		t.Fatal(err, r)
	}
	if r.Time != 17*us || r.GPUs[0].Ledger[Computes] != 17*us || r.GPUs[0].Peak != 8*page {
		t.Errorf("got %v", r)
	}
}

// A scene is a small run, by hand.
type scene struct {
	name    string
	memory  int64
	tensors []workload.Tensor
	kernels []workload.Kernel
	start   []Tier // of globals; nil: all on the GPU
	ops     []Op
	spill   Tier
	rewrite bool
	change  func(*Schedule, *machine.Node)
	runs    int // iterations; 0: 1
	want    GPUResult
	stuck   string
}

// ledger is a GPU's ledger in microseconds.
func ledger(computes, fetch, space, communicate, optimizer, bubble unit.Time) [Causes]unit.Time {
	return [Causes]unit.Time{computes * us, fetch * us, space * us, communicate * us, optimizer * us, bubble * us}
}

func (s *scene) run(t *testing.T) *Result {
	t.Helper()
	n := toy(t, 1, s.memory)
	w := &workload.Workload{Tensors: s.tensors, Kernels: s.kernels}
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	start := make([]Tier, len(s.tensors))
	for i, x := range s.tensors {
		if x.Global {
			start[i] = GPU
			if s.start != nil {
				start[i] = s.start[i]
			}
		}
	}
	plan := &Schedule{Programs: []*Program{{Ops: s.ops, Start: start, Spill: max(SSD, s.spill)}}, Rewrite: s.rewrite}
	if s.change != nil {
		s.change(plan, n)
	}
	r, err := Run(&job.Job{Parts: []*workload.Workload{w}}, plan, n, Options{Iterations: max(1, s.runs)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestScenes(t *testing.T) {
	g := func(name string, pages int64) workload.Tensor { return tensorOf(name, pages, true) }
	i := func(name string, pages int64) workload.Tensor { return tensorOf(name, pages, false) }
	k := kernelOf
	for _, s := range []scene{
		{
			name: "a kernel waits for a tensor, and for the latency of drives", memory: 10,
			tensors: []workload.Tensor{g("w", 4)}, start: []Tier{SSD},
			kernels: []workload.Kernel{k(10, ids(0), nil)},
			change:  func(_ *Schedule, n *machine.Node) { n.Drive.Latency = 2 * us },
			want:    GPUResult{Ledger: ledger(10, 6, 0, 0, 0, 0), Peak: 4 * page, Read: 4 * page, Late: 1},
		},
		{
			name: "a kernel's wait for the host is a part of it", memory: 10,
			tensors: []workload.Tensor{g("w", 4)},
			kernels: []workload.Kernel{{Name: "k", Time: 10 * us, HostTime: 3 * us, Inputs: ids(0)}},
			want:    GPUResult{Ledger: ledger(13, 0, 0, 0, 0, 0), Peak: 4 * page},
		},
		{
			name: "host memory has no latency", memory: 10,
			tensors: []workload.Tensor{g("w", 4)}, start: []Tier{Host},
			kernels: []workload.Kernel{k(10, ids(0), nil)},
			change:  func(_ *Schedule, n *machine.Node) { n.Drive.Latency = 2 * us },
			want:    GPUResult{Ledger: ledger(10, 4, 0, 0, 0, 0), Peak: 4 * page, HostRead: 4 * page, Late: 1},
		},
		{
			name: "a prefetch in time costs nothing", memory: 10,
			tensors: []workload.Tensor{g("w", 4), i("a", 1)}, start: []Tier{SSD, Nowhere},
			kernels: []workload.Kernel{k(10, nil, ids(1)), k(5, ids(0, 1), nil)},
			ops:     []Op{{0, 0, GPU}},
			want:    GPUResult{Ledger: ledger(15, 0, 0, 0, 0, 0), Peak: 5 * page, Read: 4 * page, Overlapped: 4 * us},
		},
		{
			name: "prefetches go in their order", memory: 20,
			tensors: []workload.Tensor{g("x", 5), g("y", 5), i("a", 1)}, start: []Tier{SSD, SSD, Nowhere},
			kernels: []workload.Kernel{k(1, nil, ids(2)), k(1, ids(1, 2), nil), k(1, ids(0), nil)},
			ops:     []Op{{0, 0, GPU}, {0, 1, GPU}},
			// x comes from 0 to 5, y until 10.
			want: GPUResult{Ledger: ledger(3, 9, 0, 0, 0, 0), Peak: 11 * page, Read: 10 * page, Overlapped: us, Late: 1},
		},
		{
			name: "an urgent fetch overtakes a prefetch", memory: 20,
			tensors: []workload.Tensor{g("x", 5), g("y", 5), g("z", 2), i("a", 1)}, start: []Tier{SSD, SSD, SSD, Nowhere},
			kernels: []workload.Kernel{k(1, nil, ids(3)), k(1, ids(2, 3), nil), k(10, ids(0), nil), k(1, ids(1), nil)},
			ops:     []Op{{0, 0, GPU}, {0, 1, GPU}},
			// x until 5, z until 7, y until 12.
			want: GPUResult{Ledger: ledger(13, 6, 0, 0, 0, 0), Peak: 13 * page, Read: 12 * page, Overlapped: 6 * us, Late: 1},
		},
		{
			name: "a prefetch that is needed becomes urgent", memory: 20,
			tensors: []workload.Tensor{g("x", 5), g("y", 5), g("z", 2), i("a", 1)}, start: []Tier{SSD, SSD, SSD, Nowhere},
			kernels: []workload.Kernel{k(1, nil, ids(3)), k(1, ids(2, 3), nil), k(10, ids(0), nil), k(1, ids(1), nil)},
			ops:     []Op{{0, 0, GPU}, {0, 1, GPU}, {0, 2, GPU}},
			want:    GPUResult{Ledger: ledger(13, 6, 0, 0, 0, 0), Peak: 13 * page, Read: 12 * page, Overlapped: 6 * us, Late: 1},
		},
		{
			name: "a fetch takes back an offload that has not begun", memory: 20,
			tensors: []workload.Tensor{g("v", 8), g("w", 4)},
			kernels: []workload.Kernel{k(1, ids(0, 1), nil), k(2, ids(1), nil), k(1, ids(0, 1), nil)},
			ops:     []Op{{1, 0, SSD}, {1, 1, SSD}},
			// v leaves from 1 to 9 and comes back until 17; w stays.
			want: GPUResult{Ledger: ledger(4, 14, 0, 0, 0, 0), Peak: 12 * page, Read: 8 * page, Written: 8 * page, Overlapped: 2 * us, Late: 1},
		},
		{
			name: "a prefetch takes one back too", memory: 20,
			tensors: []workload.Tensor{g("v", 8), g("w", 4)},
			kernels: []workload.Kernel{k(1, ids(0, 1), nil), k(2, ids(0), nil), k(9, nil, ids(0)), k(1, ids(1), nil)},
			ops:     []Op{{1, 0, SSD}, {1, 1, SSD}, {2, 1, GPU}},
			// Kernel 1 takes v back, so w is written from 1 to 5; kernel 3 waits for nothing.
			want: GPUResult{Ledger: ledger(13, 0, 0, 0, 0, 0), Peak: 12 * page, Read: 4 * page, Written: 4 * page, Overlapped: 8 * us},
		},
		{
			name: "a fetch follows an offload that has begun", memory: 20,
			tensors: []workload.Tensor{g("w", 5), i("a", 1)},
			kernels: []workload.Kernel{k(1, ids(0), ids(1)), k(2, ids(1), nil), k(1, ids(0), nil)},
			ops:     []Op{{1, 0, SSD}},
			// It leaves from 1 to 6 and comes until 11; kernel 2 waits from 3 on.
			want: GPUResult{Ledger: ledger(4, 8, 0, 0, 0, 0), Peak: 6 * page, Read: 5 * page, Written: 5 * page, Overlapped: 2 * us, Late: 1},
		},
		{
			name: "room is made by what is used last", memory: 10,
			tensors: []workload.Tensor{g("a", 3), g("b", 4), i("c", 4)},
			kernels: []workload.Kernel{k(1, ids(0, 1), nil), k(1, nil, ids(2)), k(10, ids(1), nil), k(1, ids(0), nil)},
			// a leaves from 1 to 4, and comes back on demand when kernel 2 has ended.
			want: GPUResult{Ledger: ledger(13, 3, 3, 0, 0, 0), Peak: 8 * page, Read: 3 * page, Written: 3 * page, Demand: 1, Late: 1},
		},
		{
			name: "what is used in the next iteration is farther", memory: 10,
			tensors: []workload.Tensor{g("a", 3), g("b", 4), i("c", 4)},
			kernels: []workload.Kernel{k(1, ids(0), nil), k(1, ids(1), nil), k(1, nil, ids(2)), k(1, ids(0), nil)},
			// b is used by kernel 1 of the next iteration, a by kernel 3 of this one.
			want: GPUResult{Ledger: ledger(4, 0, 4, 0, 0, 0), Peak: 7 * page, Written: 4 * page, Demand: 1},
		},
		{
			name: "a kernel that waits reserves its room", memory: 8,
			tensors: []workload.Tensor{g("a", 3), g("b", 3), i("c", 7), g("p", 4)}, start: []Tier{GPU, GPU, Nowhere, SSD},
			kernels: []workload.Kernel{k(1, ids(0, 1), nil), k(20, nil, ids(2)), k(10, ids(3), nil)},
			ops:     []Op{{1, 0, SSD}, {1, 1, SSD}, {1, 3, GPU}},
			// a has left at 4; p would fit, but may not. b has left at 7, and c takes its room. p
			// comes when c is gone.
			want: GPUResult{Ledger: ledger(31, 4, 6, 0, 0, 0), Peak: 7 * page, Read: 4 * page, Written: 6 * page, Late: 1},
		},
		{
			name: "what is leaving is not evicted again", memory: 10,
			tensors: []workload.Tensor{g("a", 4), g("b", 4), i("c", 5)},
			kernels: []workload.Kernel{k(1, ids(0, 1), nil), k(1, nil, ids(2))},
			ops:     []Op{{1, 0, SSD}},
			want:    GPUResult{Ledger: ledger(2, 0, 4, 0, 0, 0), Peak: 9 * page, Written: 4 * page},
		},
		{
			name: "eviction on demand overtakes offloads", memory: 20,
			tensors: []workload.Tensor{g("x", 5), g("y", 5), g("z", 8), i("c", 13)},
			kernels: []workload.Kernel{k(1, ids(0, 1, 2), nil), k(20, nil, ids(3))},
			ops:     []Op{{1, 0, SSD}, {1, 1, SSD}},
			// x leaves until 6, z until 14: there is room. y leaves later.
			want: GPUResult{Ledger: ledger(21, 0, 13, 0, 0, 0), Peak: 18 * page, Written: 18 * page, Overlapped: 5 * us, Demand: 1},
		},
		{
			name: "an urgent fetch that follows an offload overtakes too", memory: 40,
			tensors: []workload.Tensor{g("w", 5), g("p", 8), g("q", 8), i("a", 1)}, start: []Tier{GPU, SSD, SSD, Nowhere},
			kernels: []workload.Kernel{k(1, ids(0), ids(3)), k(2, ids(3), nil), k(10, ids(0), nil), k(1, ids(1, 2), nil)},
			ops:     []Op{{1, 0, SSD}, {1, 1, GPU}, {1, 2, GPU}},
			// w leaves from 1 to 6; p comes until 9, w until 14, q until 22.
			want: GPUResult{Ledger: ledger(14, 11, 0, 0, 0, 0), Peak: 21 * page, Read: 21 * page, Written: 5 * page, Overlapped: 10 * us, Late: 1},
		},
		{
			name: "an offload takes back what would follow the one before", memory: 20,
			tensors: []workload.Tensor{g("w", 9), i("a", 1)},
			kernels: []workload.Kernel{k(1, ids(0), ids(1)), k(1, ids(1), nil), k(1, nil, ids(1)), k(1, nil, ids(1)), k(10, nil, ids(1)), k(1, ids(0), nil)},
			ops:     []Op{{1, 0, SSD}, {2, 0, GPU}, {3, 0, SSD}},
			// w leaves from 1 to 10, and comes only when kernel 5 wants it, from 14 to 23.
			want: GPUResult{Ledger: ledger(15, 9, 0, 0, 0, 0), Peak: 10 * page, Read: 9 * page, Written: 9 * page, Overlapped: 9 * us, Late: 1},
		},
		{
			name: "a tensor on its way is a wait for it, though others have no room", memory: 10,
			tensors: []workload.Tensor{g("a", 4), g("b", 6), g("v", 4), g("w", 6)}, start: []Tier{GPU, GPU, SSD, SSD},
			kernels: []workload.Kernel{k(1, ids(0, 1), nil), k(1, ids(2, 3), nil)},
			// b leaves from 1 to 7, a until 11; v comes from 7 to 11, w until 17.
			want: GPUResult{Ledger: ledger(2, 10, 6, 0, 0, 0), Peak: 10 * page, Read: 10 * page, Written: 10 * page, Demand: 2, Late: 1},
		},
		{
			name: "full drives give up copies", memory: 12,
			tensors: []workload.Tensor{g("a", 4), g("b", 4), g("x", 4), i("c", 4)}, start: []Tier{SSD, SSD, GPU, Nowhere},
			kernels: []workload.Kernel{k(1, ids(0, 1, 2), nil), k(1, ids(0, 1), ids(3))},
			change:  func(_ *Schedule, n *machine.Node) { n.Drive.Size = 8 * page },
			want:    GPUResult{Ledger: ledger(2, 8, 4, 0, 0, 0), Peak: 12 * page, Read: 8 * page, Written: 4 * page, Demand: 1, Late: 1},
		},
		{
			name: "demand goes to host memory while there is room, then to drives", memory: 9, spill: Host,
			tensors: []workload.Tensor{g("a", 4), g("b", 4), i("c", 9)},
			kernels: []workload.Kernel{k(1, ids(0, 1), nil), k(1, nil, ids(2))},
			change:  func(s *Schedule, n *machine.Node) { s.HostLimit = 5 * page },
			want:    GPUResult{Ledger: ledger(2, 0, 4, 0, 0, 0), Peak: 9 * page, Written: 4 * page, HostWritten: 4 * page, Demand: 2},
		},
		{
			name: "a good copy on drives is dropped", memory: 8, runs: 3,
			tensors: []workload.Tensor{g("w", 4), i("c", 8)}, start: []Tier{SSD, Nowhere},
			kernels: []workload.Kernel{k(1, ids(0), nil), k(1, nil, ids(1))},
			want:    GPUResult{Ledger: ledger(2, 4, 0, 0, 0, 0), Peak: 8 * page, Read: 4 * page, Late: 1},
		},
		{
			name: "but not where all is written again", memory: 8, runs: 3, rewrite: true,
			tensors: []workload.Tensor{g("w", 4), i("c", 8)}, start: []Tier{SSD, Nowhere},
			kernels: []workload.Kernel{k(1, ids(0), nil), k(1, nil, ids(1))},
			want:    GPUResult{Ledger: ledger(2, 4, 4, 0, 0, 0), Peak: 8 * page, Read: 4 * page, Written: 4 * page, Demand: 1, Late: 1},
		},
		{
			name: "nor one that a kernel has changed", memory: 8, runs: 3,
			tensors: []workload.Tensor{g("w", 4), i("c", 8)}, start: []Tier{SSD, Nowhere},
			kernels: []workload.Kernel{k(1, ids(0), ids(0)), k(1, nil, ids(1))},
			want:    GPUResult{Ledger: ledger(2, 4, 4, 0, 0, 0), Peak: 8 * page, Read: 4 * page, Written: 4 * page, Demand: 1, Late: 1},
		},
		{
			name: "moves go on from one iteration to the next", memory: 8, runs: 3, rewrite: true,
			tensors: []workload.Tensor{g("w", 6), i("c", 2)},
			kernels: []workload.Kernel{k(3, nil, ids(1)), k(3, ids(0), nil), k(9, nil, ids(1))},
			ops:     []Op{{2, 0, SSD}, {3, 0, GPU}},
			// w leaves from 6 to 12 and comes from 15 to 21; kernel 1 waits for it from 18 on.
			want: GPUResult{Ledger: ledger(15, 3, 0, 0, 0, 0), Peak: 8 * page, Read: 6 * page, Written: 6 * page, Overlapped: 9 * us, Late: 1},
		},
		{
			name: "kinds that the system keeps elsewhere take no room", memory: 3,
			tensors: []workload.Tensor{{Name: "w", Bytes: 40 * page, Global: true, Kind: workload.Weight}, i("a", 3)}, start: []Tier{Nowhere, Nowhere},
			kernels: []workload.Kernel{k(1, ids(0), ids(1))},
			change:  func(s *Schedule, _ *machine.Node) { s.Away = []workload.Kind{workload.Weight} },
			want:    GPUResult{Ledger: ledger(1, 0, 0, 0, 0, 0), Peak: 3 * page},
		},
		{
			name: "what the system takes is not for tensors", memory: 10, rewrite: true,
			tensors: []workload.Tensor{g("a", 3), i("c", 4)},
			kernels: []workload.Kernel{k(1, ids(0), nil), k(1, nil, ids(1))},
			change:  func(s *Schedule, _ *machine.Node) { s.Static = 4 * page },
			want:    GPUResult{Ledger: ledger(2, 0, 3, 0, 0, 0), Peak: 8 * page, Written: 3 * page, Demand: 1},
		},
		{
			name: "a prefetch without room holds nothing up for ever", memory: 10, rewrite: true,
			tensors: []workload.Tensor{g("a", 10), g("p", 5)}, start: []Tier{GPU, Host},
			kernels: []workload.Kernel{k(1, ids(0), nil), k(1, ids(0), nil), k(1, ids(1), nil)},
			ops:     []Op{{0, 1, GPU}},
			change: func(s *Schedule, _ *machine.Node) {
				s.Extras = []Extra{{
					Name: "gather", Queue: HostRead, Bytes: 2 * page, From: machine.Endpoint{Kind: machine.OnHost}, To: machine.Endpoint{Kind: machine.OnGPU},
					After: []job.Ref{{Kernel: 0}}, Before: []job.Ref{{Kernel: 1}}, Cause: Fetch,
				}}
			},
			// a leaves from 4 to 14, p comes until 19.
			want: GPUResult{Ledger: ledger(3, 7, 10, 0, 0, 0), Peak: 10 * page, Written: 10 * page, HostRead: 7 * page, Demand: 1, Late: 2},
		},
		{
			name: "a kernel is too large", memory: 10,
			tensors: []workload.Tensor{g("a", 6), i("c", 6)},
			kernels: []workload.Kernel{k(1, ids(0), nil), k(1, ids(0), ids(1))},
			start:   []Tier{SSD, Nowhere},
			stuck:   "GPU 0: kernel 1 (k) needs 48 KiB at once; the GPU has 40 KiB",
		},
		{
			name: "drives are full", memory: 10,
			tensors: []workload.Tensor{g("a", 6), i("c", 6)},
			kernels: []workload.Kernel{k(1, ids(0), nil), k(1, nil, ids(1))},
			change:  func(_ *Schedule, n *machine.Node) { n.Drive.Size = 5 * page },
			stuck:   "GPU 0: kernel 1 (k) waits for 8 KiB of memory, but the drives are full (20 KiB)",
		},
		{
			name: "an extra that waits for the kernel it holds", memory: 10,
			tensors: []workload.Tensor{g("a", 6)},
			kernels: []workload.Kernel{k(1, ids(0), nil), k(1, ids(0), nil)},
			change: func(s *Schedule, _ *machine.Node) {
				s.Extras = []Extra{{Name: "gather", After: []job.Ref{{Kernel: 1}}, Before: []job.Ref{{Kernel: 1}}, Cause: Fetch}}
			},
			stuck: `GPU 0: kernel 1 (k) waits for "gather", which never comes`,
		},
	} {
		t.Run(s.name, func(t *testing.T) {
			r := s.run(t)
			if r.Stuck != s.stuck {
				t.Fatalf("stuck: %q, want %q", r.Stuck, s.stuck)
			}
			if s.stuck == "" && r.GPUs[0] != s.want {
				t.Errorf("got  %+v\nwant %+v", r.GPUs[0], s.want)
			}
		})
	}
}
