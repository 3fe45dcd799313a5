package fsdp

import (
	"errors"
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

func tiny(layers int64) *model.Arch {
	return &model.Arch{
		Name: "tiny", Title: "Tiny", Layers: layers, Hidden: 256, Heads: 4, KVHeads: 4, HeadDim: 64, FFN: 512, Vocab: 1024,
		FinalNorm: true, Gated: true,
	}
}

func few(t testing.TB, gpus int64) *machine.Node {
	t.Helper()
	c := machine.Standard()
	c.GPUs = gpus
	c.GPU.FP32 /= 50
	c.GPU.BF16 /= 50
	n, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// run cuts, plans and runs.
func run(t testing.TB, spec job.Spec, o system.Options) (*offload.Result, *offload.Schedule, *job.Job) {
	t.Helper()
	if err := System.Cut(&spec, &o); err != nil {
		t.Fatal(err)
	}
	j, err := job.Build(&spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := System.Plan(j, spec.Node, &o, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := offload.Run(j, s[0], spec.Node, offload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stuck != "" {
		t.Fatal(r.Stuck)
	}
	return r, s[0], j
}

// TestTraffic: every micro-batch gathers blocks twice and the root once; each gradient leaves once; the host takes
// Adam of all parameters.
func TestTraffic(t *testing.T) {
	for _, gpus := range []int64{1, 2, 4} {
		for _, p := range []job.Precision{job.FP32, job.BF16} {
			for _, micros := range []int64{1, 3} {
				spec := job.Spec{Arch: tiny(3), Node: few(t, gpus), Layout: job.Layout{Batch: 4 * micros, Sequence: 64, Precision: p}}
				o := system.Standard()
				o.Micro = 4 / gpus
				r, _, j := run(t, spec, o)
				width := shard.Width(p)
				all := shard.Elements(j, 0)
				root := shard.Layer(j, 0, -1) + shard.Layer(j, 0, 3)
				in := micros * shard.Wide * (2*all - root) / gpus
				out := micros * shard.Wide * all / gpus
				peers := micros * width * (2*all - root + all) * (gpus - 1) / gpus // gathers and reductions
				for g := range r.GPUs {
					x := &r.GPUs[g]
					if int64(x.HostRead) != in || int64(x.HostWritten) != out || x.Read+x.Written != 0 {
						t.Errorf("%d GPUs, precision %d, %d micro-batches: GPU %d has %d in, %d out, %d of drives; want %d, %d, 0", gpus, p, micros, g, x.HostRead, x.HostWritten, x.Read+x.Written, in, out)
					}
					if adam := shard.Adam(spec.Node, spec.Arch.Parameters()); x.Ledger[offload.Optimizer] < adam/2 {
						t.Errorf("%d GPUs: GPU %d waits %v for the optimizer, Adam takes %v", gpus, g, x.Ledger[offload.Optimizer], adam)
					}
				}
				for l, use := range r.Links {
					if link := spec.Node.Links[l]; link.Kind == machine.PeerIn && int64(use.Bytes) != peers {
						t.Errorf("%d GPUs, precision %d, %d micro-batches: %s carries %d bytes, want %d", gpus, p, micros, link.Name, use.Bytes, peers)
					}
				}
			}
		}
	}
}

// TestFlight: a block's gather begins when the last but one block before it is free, not earlier; so
// two are on the GPU or on their way.
func TestFlight(t *testing.T) {
	spec := job.Spec{Arch: tiny(5), Node: few(t, 2), Layout: job.Layout{Batch: 4, Sequence: 64}}
	o := system.Standard()
	o.Micro = 1
	_, s, j := run(t, spec, o)
	visits := shard.Visits(j, 0)
	var blocks []int
	for i, v := range visits {
		if v.Layer >= 0 && v.Layer < 5 {
			blocks = append(blocks, i)
		}
	}
	// The schedule has gathers in the order of visits; the root's are at the beginning of a micro-batch.
	next := 0
	for _, x := range s.Extras {
		if x.Name != "gather weights" || x.GPU != 0 || int64(x.Bytes) != 4*shard.Layer(j, 0, 1)/2 {
			continue
		}
		if next >= flight {
			if want := visits[blocks[next-flight]].Last; len(x.After) != 1 || x.After[0].Kernel < want {
				t.Errorf("gather %d begins after %v, want kernel %d", next, x.After, want)
			}
		}
		next++
	}
	if next != len(blocks) || next != 2*2*5 {
		t.Errorf("%d gathers of blocks, want %d", next, len(blocks))
	}
}

// TestPresets: what fits runs on every preset, and what does not says why.
func TestPresets(t *testing.T) {
	if testing.Short() {
		t.Skip("many models")
	}
	ran, refused := 0, 0
	for _, p := range machine.Presets() {
		for _, name := range []string{"gpt2-xl", "t5-11b", "mixtral-8x7b"} {
			a, err := model.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			n, err := p.Config.Build()
			if err != nil {
				t.Fatal(err)
			}
			o := system.Standard()
			spec := job.Spec{Arch: &a, Node: n, Layout: job.Layout{Batch: 16, Sequence: 512, Precision: job.BF16}}
			err = System.Cut(&spec, &o)
			var no *system.Refusal
			if errors.As(err, &no) {
				if !strings.Contains(no.Reason, "needs") || !strings.Contains(no.Reason, "There are") {
					t.Errorf("%s on %s: %s", name, p.Key, no.Reason)
				}
				refused++
				continue
			}
			r, _, _ := run(t, job.Spec{Arch: &a, Node: n, Layout: job.Layout{Batch: 16, Sequence: 512, Precision: job.BF16}}, o)
			for g := range r.GPUs {
				var sum unit.Time
				for _, x := range r.GPUs[g].Ledger {
					sum += x
				}
				if n.GPUs > 1 && r.GPUs[g].Ledger[offload.Communicate] == 0 {
					t.Errorf("%s on %s: gathers between GPUs are no communication: %v", name, p.Key, r.GPUs[g].Ledger)
				}
				if sum != r.Time || r.GPUs[g].Peak > n.GPU.Memory {
					t.Errorf("%s on %s: ledger %v of %v, peak %v of %v", name, p.Key, sum, r.Time, r.GPUs[g].Peak, n.GPU.Memory)
				}
			}
			ran++
		}
	}
	if ran < 9 || refused < 2 {
		t.Errorf("%d ran, %d were refused", ran, refused)
	}
}

// TestRandom: no layout makes a run hang.
func TestRandom(t *testing.T) {
	seed := uint64(3)
	n := func(n int64) int64 {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		return int64(seed % uint64(n))
	}
	for range 60 {
		gpus := []int64{1, 2, 4, 8}[n(4)]
		a := tiny(1 + n(4))
		a.Tied = n(2) == 0
		if n(3) == 0 {
			a.Encoder, a.Buckets = 1+n(2), 8
		}
		c := few(t, gpus).Config
		c.Switch, c.GPU.Peer = 1+n(2), unit.Bandwidth(n(2))*unit.GBps
		node, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		o := system.Standard()
		o.Micro = n(2)
		run(t, job.Spec{Arch: a, Node: node, Layout: job.Layout{
			Batch: 8 * (1 + n(2)), Sequence: 32, Precision: job.Precision(n(2)), Recompute: job.Recompute(n(3)),
		}}, o)
	}
}

func TestRefusals(t *testing.T) {
	for want, change := range map[string]func(*job.Spec, *machine.Config){
		"of each GPU's memory":                func(_ *job.Spec, c *machine.Config) { c.GPU.Memory = unit.MiB },
		"host memory":                         func(_ *job.Spec, c *machine.Config) { c.Host = unit.MiB },
		"5 sequences does not divide among 2": func(s *job.Spec, _ *machine.Config) { s.Batch = 5 },
	} {
		c := few(t, 2).Config
		spec := job.Spec{Arch: tiny(2), Layout: job.Layout{Batch: 4, Sequence: 64}}
		change(&spec, &c)
		node, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		spec.Node = node
		o := system.Standard()
		var no *system.Refusal
		if err := System.Cut(&spec, &o); !errors.As(err, &no) || !strings.Contains(no.Reason, want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, gpus := range []int64{2, 8} {
		b.Run(fmt.Sprintf("gpus=%d", gpus), func(b *testing.B) {
			a, err := model.Find("llama3-8b")
			if err != nil {
				b.Fatal(err)
			}
			o := system.Standard()
			o.Micro = 1
			spec := job.Spec{Arch: &a, Node: few(b, gpus), Layout: job.Layout{Batch: 64, Sequence: 2048}}
			if err := System.Cut(&spec, &o); err != nil {
				b.Fatal(err)
			}
			j, err := job.Build(&spec)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := System.Plan(j, spec.Node, &o, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
