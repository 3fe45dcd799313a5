package zero

import (
	"fmt"
	"strings"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/shard"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
)

// tiny is a small model whose weights divide by four.
func tiny(layers int64) *model.Arch {
	return &model.Arch{
		Name: "tiny", Title: "Tiny", Layers: layers, Hidden: 256, Heads: 4, KVHeads: 4, HeadDim: 64, FFN: 512, Vocab: 1024,
		FinalNorm: true, Gated: true,
	}
}

// few is a node of some GPUs that are slow enough for kernels to matter.
func few(t testing.TB, gpus int64) *machine.Node {
	c := machine.Standard()
	c.GPUs = gpus
	c.GPU.FP32 /= 50
	c.GPU.BF16 /= 50
	c.Adam /= 50
	return node(t, c)
}

// planned is a run of a small job with a schedule.
func planned(t testing.TB, spec job.Spec, o system.Options, drives bool, kept int64) (*offload.Result, *job.Job) {
	t.Helper()
	sys := &Offload
	if drives {
		sys = &Infinity
	}
	if err := sys.Cut(&spec, &o); err != nil {
		t.Fatal(err)
	}
	j, err := job.Build(&spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule(j, spec.Node, &o, drives, kept)
	if err != nil {
		t.Fatal(err)
	}
	r, err := offload.Run(j, s, spec.Node, offload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stuck != "" {
		t.Fatal(r.Stuck)
	}
	for g := range r.GPUs {
		var sum unit.Time
		for _, x := range r.GPUs[g].Ledger {
			sum += x
		}
		if sum != r.Time {
			t.Fatalf("GPU %d: the ledger sums to %v of %v", g, sum, r.Time)
		}
	}
	return r, j
}

// TestTraffic: bytes of an iteration follow from parameters, precision, micro-batches and GPUs
// (systems.md, 14.1 to 14.3, with the accumulated gradients that every micro-batch but the first brings back).
func TestTraffic(t *testing.T) {
	o := system.Standard()
	o.Prefetch, o.Live, o.Reuse = 0, 0, 0 // then each visit gathers
	for _, gpus := range []int64{1, 2, 4} {
		for _, p := range []job.Precision{job.FP32, job.BF16} {
			for _, micros := range []int64{1, 3} {
				for _, tensor := range []bool{false, true} {
					a := tiny(3)
					spec := job.Spec{Arch: a, Node: few(t, gpus), Layout: job.Layout{Batch: 4 * micros, Sequence: 64, Precision: p}}
					o.Tensor, o.Micro = tensor, 4/gpus
					if tensor {
						o.Micro = 4
					}
					name := fmt.Sprintf("%d GPUs, precision %d, %d micro-batches, tensor %v", gpus, p, micros, tensor)
					for _, variant := range []struct {
						drives bool
						stage  int64
						kept   int64
					}{{false, 2, 0}, {false, 3, 0}, {true, 3, 0}, {true, 3, 1 << 40}} {
						o.Stage = variant.stage
						r, j := planned(t, spec, o, variant.drives, variant.kept)
						shards := int64(1)
						if !tensor {
							shards = gpus
						}
						share := shard.Elements(j, 0) / shards
						width := shard.Width(p)
						sums := width * share * (micros - 1)
						var read, written int64
						in, out := sums+width*share, width*share*micros
						if variant.stage == 3 {
							in = sums + 2*micros*width*share
						}
						if variant.drives {
							read, written = (12+4)*share, (12+4+width)*share
							if variant.kept == 0 {
								read += 2 * micros * width * share
							}
						}
						for g := range r.GPUs {
							x := &r.GPUs[g]
							if int64(x.HostRead) != in || int64(x.HostWritten) != out || int64(x.Read) != read || int64(x.Written) != written {
								t.Errorf("%s, %+v: GPU %d has %d in, %d out, %d read, %d written; want %d, %d, %d, %d",
									name, variant, g, x.HostRead, x.HostWritten, x.Read, x.Written, in, out, read, written)
							}
						}
					}
				}
			}
		}
	}
}

// TestOptimizer: a step of the host is at least Adam of all parameters, and nothing overlaps with it
// but, pipelined, the drives.
func TestOptimizer(t *testing.T) {
	spec := job.Spec{Arch: tiny(4), Node: few(t, 2), Layout: job.Layout{Batch: 4, Sequence: 64}}
	o := system.Standard()
	o.SubGroup = 100_000
	for _, tensor := range []bool{false, true} {
		o.Tensor = tensor
		for _, drives := range []bool{false, true} {
			r, _ := planned(t, spec, o, drives, 0)
			adam := shard.Adam(spec.Node, spec.Arch.Parameters())
			if got := r.GPUs[0].Ledger[offload.Optimizer]; got < adam {
				t.Errorf("drives %v, tensor %v: GPU waits %v for the optimizer, Adam alone takes %v", drives, tensor, got, adam)
			}
		}
	}
}

// draw is a small generator.
type draw uint64

func (d *draw) n(n int64) int64 {
	*d ^= *d << 13
	*d ^= *d >> 7
	*d ^= *d << 17
	return int64(uint64(*d) % uint64(n))
}

// TestRandom: no layout, no option makes a run hang; all pass the checks of package offload; what
// should not be slower is not, up to a fiftieth, by which a shared link may change an order.
func TestRandom(t *testing.T) {
	runs := 60
	if testing.Short() {
		runs = 10
	}
	d := draw(7)
	slower := func(what string, a, b unit.Time) {
		if a > b+b/50 {
			t.Errorf("%s takes %v instead of %v", what, a, b)
		}
	}
	for range runs {
		gpus := []int64{1, 2, 4}[d.n(3)]
		a := tiny(1 + d.n(4))
		a.Tied = d.n(2) == 0
		if d.n(4) == 0 {
			a.Encoder, a.Buckets = 1+d.n(2), 8
		}
		if d.n(4) == 0 {
			a.Experts, a.Active = 4, 2
		}
		c := few(t, gpus).Config
		c.Shared, c.GDS, c.Switch, c.Pinned = d.n(2) == 0, d.n(2) == 0, 1+d.n(2), unit.Bandwidth(d.n(2))*unit.GBps
		o := system.Standard()
		o.Tensor, o.Micro = d.n(2) == 0, d.n(2)
		o.SubGroup, o.Buffers = 1+d.n(1_000_000)+20_000, 1+d.n(8)
		o.Prefetch, o.Live, o.Reuse, o.Bucket = d.n(1_000_000), d.n(3_000_000), d.n(2_000_000), 1+d.n(2_000_000)
		o.Pipelined = true
		spec := job.Spec{Arch: a, Node: node(t, c), Layout: job.Layout{
			Batch: 4 * (1 + d.n(2)), Sequence: 32, Precision: job.Precision(d.n(2)), Recompute: job.Recompute(d.n(3)),
		}}
		pipelined, _ := planned(t, spec, o, true, d.n(2)<<40)
		o.Pipelined = false
		serial, _ := planned(t, spec, o, true, 0)
		slower(fmt.Sprintf("pipelined: %+v", o), pipelined.Time, serial.Time)
		for o.Stage = 2; o.Stage <= 3; o.Stage++ {
			o.Delayed = false
			now, _ := planned(t, spec, o, false, 0)
			o.Delayed = true
			later, _ := planned(t, spec, o, false, 0)
			slower(fmt.Sprintf("delayed: %+v", o), later.Time, now.Time)
		}
	}
}

// TestFaster: a part that is faster makes no system slower, up to a fiftieth.
func TestFaster(t *testing.T) {
	for _, tensor := range []bool{false, true} {
		for _, drives := range []bool{false, true} {
			base := few(t, 2).Config
			base.Pinned, base.ArrayCap = 2*unit.GBps, unit.GBps
			o := system.Standard()
			o.Tensor, o.Micro, o.SubGroup, o.Bucket = tensor, 1, 300_000, 500_000
			spec := job.Spec{Arch: tiny(4), Layout: job.Layout{Batch: 4, Sequence: 64}}
			spec.Node = node(t, base)
			before, _ := planned(t, spec, o, drives, 0)
			gains := 0
			for name, change := range map[string]func(*machine.Config){
				"drives":      func(c *machine.Config) { c.ArrayCap *= 2 },
				"pinned":      func(c *machine.Config) { c.Pinned *= 2 },
				"Adam":        func(c *machine.Config) { c.Adam *= 2 },
				"collectives": func(c *machine.Config) { c.Collective *= 2 },
				"GPU":         func(c *machine.Config) { c.GPU.FP32 *= 2 },
			} {
				c := base
				change(&c)
				spec.Node = node(t, c)
				after, _ := planned(t, spec, o, drives, 0)
				if after.Time > before.Time+before.Time/50 {
					t.Errorf("tensor %v, drives %v: faster %s takes %v instead of %v", tensor, drives, name, after.Time, before.Time)
				}
				if after.Time < before.Time {
					gains++
				}
			}
			if gains < 3 {
				t.Errorf("tensor %v, drives %v: only %d parts matter", tensor, drives, gains)
			}
		}
	}
}

// TestRefusals: what does not fit is said with what is needed and what there is.
func TestRefusals(t *testing.T) {
	paper70 := func(change func(*job.Spec, *system.Options, *machine.Config)) (job.Spec, system.Options) {
		spec, o := paper(t, 10)
		c := spec.Node.Config
		change(&spec, &o, &c)
		spec.Node = node(t, c)
		return spec, o
	}
	for _, tt := range []struct {
		name   string
		sys    *system.System
		change func(*job.Spec, *system.Options, *machine.Config)
		want   string
	}{
		{"as it is", &Offload, func(*job.Spec, *system.Options, *machine.Config) {}, "needs 1.93 TiB of host memory: by DeepSpeed's estimate, half more than optimizer states and gradients. There are 1.5 TiB."},
		{"long", &Infinity, func(s *job.Spec, _ *system.Options, _ *machine.Config) { s.Sequence = 4096 }, "of each GPU's memory: 113.43 GiB of activations in micro-batches of 1 × 4096 tokens"},
		{"large micro-batch", &Infinity, func(_ *job.Spec, o *system.Options, _ *machine.Config) { o.Micro = 2 }, "micro-batches of 2 × 2048 tokens"},
		{"odd micro-batch", &Infinity, func(_ *job.Spec, o *system.Options, _ *machine.Config) { o.Micro = 3 }, "Micro-batches of 3 sequences do not divide the 8"},
		{"no processors", &Offload, func(_ *job.Spec, _ *system.Options, c *machine.Config) { c.Adam, c.Host = 1, 8192*unit.GiB }, "a step of the optimizer on the host would take more than"},
		{"no drives", &Infinity, func(_ *job.Spec, _ *system.Options, c *machine.Config) { c.Drives = 0 }, "needs drives; the node has none"},
		{"small drives", &Infinity, func(_ *job.Spec, _ *system.Options, c *machine.Config) { c.Drive.Size = unit.GB }, "on drives for weights, gradients and optimizer states. There are 7.45 GiB"},
		{"small buffers", &Infinity, func(_ *job.Spec, o *system.Options, _ *machine.Config) { o.BufferElements = 300e6 }, "buffers of 526 million elements for the largest matrix; they have 300. Make them larger (buffer_size), or 0"},
		{"few buffers", &Infinity, func(_ *job.Spec, o *system.Options, _ *machine.Config) { o.OptBuffers = 3 }, "swap buffers: a sub-group needs 4"},
		{"little host memory", &Infinity, func(_ *job.Spec, _ *system.Options, c *machine.Config) { c.Host = 128 * unit.GiB }, "needs 679.45 GiB of host memory: pinned buffers of weights, gradients and optimizer states. There are 128 GiB."},
		{"no stage", &Offload, func(_ *job.Spec, o *system.Options, _ *machine.Config) { o.Stage = 1 }, "stages 2 and 3, not 1"},
		{"small sub-groups", &Infinity, func(_ *job.Spec, o *system.Options, _ *machine.Config) { o.SubGroup = 1000 }, "sub-groups of 1000 elements are too many to simulate; want at least 86"},
		{"no bucket", &Offload, func(_ *job.Spec, o *system.Options, _ *machine.Config) { o.Bucket = 0 }, "0 elements of a bucket of gradients"},
		{"odd batch", &Infinity, func(s *job.Spec, o *system.Options, _ *machine.Config) { s.Batch = 7; o.Tensor = false }, "A batch of 7 sequences does not divide among 2 GPUs; take a multiple"},
	} {
		spec, o := paper70(tt.change)
		if _, _, no := run(t, tt.sys, spec, o); no == nil || !strings.Contains(no.Reason, tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, no, tt.want)
		}
	}
}

// TestZenFlow: DeepSpeed's blog about ZenFlow says of Llama-2 7B on four A100 that a step takes 0.5 s
// on GPUs and 7 s with ZeRO-Offload. That is Adam of 10⁹ parameters a second on that node's host.
func TestZenFlow(t *testing.T) {
	a := model.Arch{
		Name: "llama2-7b", Title: "Llama-2 7B", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 32, HeadDim: 128, FFN: 11008, Vocab: 32000,
		FinalNorm: true, Gated: true,
	}
	if p := a.Parameters(); p != 6_738_415_616 {
		t.Fatalf("%d parameters", p)
	}
	c := machine.Presets()[1].Config // A100
	c.GPUs, c.Adam = 4, 1e9
	o := system.Standard()
	o.Tensor, o.Stage = false, 2
	r, _, no := run(t, &Offload, job.Spec{Arch: &a, Node: node(t, c), Layout: job.Layout{Batch: 4, Sequence: 2048, Precision: job.BF16}}, o)
	if no != nil {
		t.Fatal(no)
	}
	gpu := r.GPUs[0].Ledger[offload.Computes]
	t.Logf("kernels %v, step %v, optimizer %v", gpu, r.Time, r.GPUs[0].Ledger[offload.Optimizer])
	if gpu < unit.Second*3/10 || gpu > unit.Second*7/10 || r.Time < 65*unit.Second/10 || r.Time > 75*unit.Second/10 {
		t.Errorf("kernels take %v, a step %v; published 0.5 s and 7 s", gpu, r.Time)
	}
}

// TestBucketsInFlight: one bucket of gradients leaves while another fills: what comes behind the place where a bucket leaves
// waits for the one before, and a slow path to the host makes the GPU wait for room.
func TestBucketsInFlight(t *testing.T) {
	spec := job.Spec{Arch: tiny(5), Node: few(t, 1), Layout: job.Layout{Batch: 2, Sequence: 64}}
	o := system.Standard()
	o.Micro, o.Bucket, o.Stage = 1, 1, 2
	if err := Offload.Cut(&spec, &o); err != nil {
		t.Fatal(err)
	}
	j, err := job.Build(&spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule(j, spec.Node, &o, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	visits := shard.Visits(j, 0)
	list := buckets(visits, o.Bucket)
	n := 0
	for _, x := range s.Extras {
		if x.Name != "gradients out" {
			continue
		}
		if x.Bytes != unit.Bytes(4*list[n].elements) {
			t.Errorf("bucket %d has %d bytes, want %d elements", n, x.Bytes, list[n].elements)
		}
		if n+1 < len(list) && list[n+1].visit+1 < len(visits) {
			next := visits[list[n+1].visit+1].First
			if len(x.Before) != 1 || x.Before[0].Kernel != next {
				t.Errorf("bucket %d holds %v, want kernel %d", n, x.Before, next)
			}
		}
		n++
	}
	if n != 14 || n != len(list) {
		t.Errorf("%d buckets leave, want %d", n, len(list))
	}
	c := spec.Node.Config
	c.Pinned = 200 * unit.MBps
	spec.Node = node(t, c)
	if r, _ := planned(t, spec, o, false, 0); r.GPUs[0].Ledger[offload.Space] == 0 {
		t.Errorf("a slow path holds nobody: %v", r.GPUs[0].Ledger)
	}
}

// TestReadsOneByOne: without replicas a layer is read from drives, copied, and only then the next is read.
func TestReadsOneByOne(t *testing.T) {
	c := few(t, 1).Config
	c.Pinned, c.ArrayCap = 2*unit.GBps, unit.GBps
	c.GPU.FP32 *= 50 // kernels take next to nothing
	c.Adam *= 1000
	o := system.Standard()
	spec := job.Spec{Arch: tiny(8), Node: node(t, c), Layout: job.Layout{Batch: 1, Sequence: 32}}
	o.Reuse = 0
	r, _ := planned(t, spec, o, true, 0)
	p := spec.Arch.Parameters()
	alone := c.ArrayCap.Time(unit.Bytes(8*p)) + c.Pinned.Time(unit.Bytes(8*p)) + c.ArrayCap.Time(unit.Bytes(32*p)) // forward, backward; states and gradients, read and written
	if r.Time < alone || r.Time > alone+alone/20 {
		t.Errorf("%v; reads and copies one after the other take %v", r.Time, alone)
	}
}
