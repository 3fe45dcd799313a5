package shard

import (
	"errors"
	"slices"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

func build(t *testing.T, spec job.Spec) *job.Job {
	t.Helper()
	j, err := job.Build(&spec)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func node(t *testing.T, gpus int64) *machine.Node {
	t.Helper()
	c := machine.Standard()
	c.GPUs = gpus
	n, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func tiny() *model.Arch {
	return &model.Arch{
		Name: "tiny", Title: "Tiny", Layers: 3, Hidden: 256, Heads: 4, KVHeads: 4, HeadDim: 64, FFN: 512, Vocab: 1024,
		FinalNorm: true, Gated: true,
	}
}

// TestVisits: each micro-batch goes through the layers forward, then backward; each layer's
// gradient is complete once a micro-batch.
func TestVisits(t *testing.T) {
	for _, tied := range []bool{false, true} {
		for _, again := range []job.Recompute{job.KeepAll, job.Selective, job.Full} {
			a := tiny()
			a.Tied = tied
			j := build(t, job.Spec{Arch: a, Node: node(t, 1), HostOptimizer: true, Layout: job.Layout{
				Pipeline: 1, Tensor: 1, Data: 1, Batch: 2, Micro: 1, Sequence: 64, Recompute: again,
			}})
			visits := Visits(j, 0)
			var layers []int16
			gradients := make([]int64, 2)
			for i, v := range visits {
				layers = append(layers, v.Layer)
				gradients[v.Micro] += v.Gradients
				if v.First > v.Last || i > 0 && v.First <= visits[i-1].Last || v.Gradients > 0 && !v.Backward {
					t.Errorf("visit %d: %+v", i, v)
				}
				want := Layer(j, 0, int64(v.Layer))
				if tied && v.Layer == 3 {
					want += Layer(j, 0, -1)
				}
				if v.Weights != want || v.Reads == 0 && v.Layer >= 0 {
					t.Errorf("visit %d has %d elements, want %d: %+v", i, v.Weights, want, v)
				}
			}
			once := []int16{-1, 0, 1, 2, 3, 3, 2, 1, 0, -1}
			if !slices.Equal(layers, append(slices.Clone(once), once...)) {
				t.Errorf("tied %v, recomputing %d: layers %v", tied, again, layers)
			}
			for m, sum := range gradients {
				if sum != a.Parameters() || sum != Elements(j, 0) {
					t.Errorf("micro-batch %d has %d elements of gradients, want %d", m, sum, a.Parameters())
				}
			}
			if m := Matrices(j, 0); !slices.Equal(m, []int64{1, 3, 3, 3, m[4]}) {
				t.Errorf("matrices of at least 100000 elements: %v", m)
			}
		}
	}
}

// TestCut: the largest micro-batch is taken that has no objection, and it divides the batch.
func TestCut(t *testing.T) {
	o := system.Standard()
	for _, tt := range []struct{ batch, most, want int64 }{{12, 12, 12}, {12, 5, 4}, {12, 1, 1}, {7, 6, 1}, {36, 10, 9}, {1, 1, 1}} {
		spec := job.Spec{Arch: tiny(), Node: node(t, 2), Layout: job.Layout{Batch: tt.batch, Sequence: 8, Micro: 3}}
		err := Cut(&spec, &o, 3, func(j *job.Job) error {
			if j.Spec.Micro > tt.most {
				return &system.Refusal{Reason: "too large"}
			}
			return nil
		})
		if err != nil || spec.Micro != tt.want || spec.Tensor != 2 || spec.Data != 1 || spec.Pipeline != 1 || !spec.HostOptimizer {
			t.Errorf("batch %d, at most %d: %+v, %v; want %d", tt.batch, tt.most, spec.Layout, err, tt.want)
		}
	}
	refuse := func(*job.Job) error { return &system.Refusal{Reason: "never"} }
	o.Tensor = false
	spec := job.Spec{Arch: tiny(), Node: node(t, 2), Layout: job.Layout{Batch: 4, Sequence: 8}}
	var no *system.Refusal
	if err := Cut(&spec, &o, 3, refuse); !errors.As(err, &no) || spec.Data != 2 {
		t.Errorf("%+v, %v", spec.Layout, err)
	}
	heads := job.Spec{Arch: tiny(), Node: node(t, 3), Layout: job.Layout{Batch: 4, Sequence: 8}}
	o.Tensor = true
	if err := Cut(&heads, &o, 3, refuse); !errors.As(err, &no) || no.Reason != "The matrices of Tiny (4 heads, 4 of keys and values, feed-forward 512) cannot be cut for 3 GPUs. Cut the batch instead." {
		t.Errorf("four heads on three GPUs: %v", err)
	}
}

// TestAdam: the node's rate, or 30 bytes a parameter of host memory.
func TestAdam(t *testing.T) {
	n := node(t, 2)
	if got := Adam(n, 8e9); got != 2*unit.Second {
		t.Errorf("%v, want 2 s at 4·10⁹ a second", got)
	}
	n.HostRate = 30 * unit.GBps
	if got := Adam(n, 8e9); got != 8*unit.Second {
		t.Errorf("%v, want 8 s at 30 GB/s", got)
	}
}

// TestBuilder: extras come in the order in which they may begin, and references follow.
func TestBuilder(t *testing.T) {
	b := Builder{Shards: 1}
	late := b.Add(5, offload.Extra{Name: "late"})
	early := b.Add(1, offload.Extra{Name: "early"})
	end := b.Add(End, offload.Extra{Name: "end", Extras: []int32{late, early}})
	b.Last(early, end)
	b.After(late, early)
	x := b.Extras()
	if x[0].Name != "early" || x[1].Name != "late" || x[2].Name != "end" {
		t.Fatalf("got %v", x)
	}
	if !slices.Equal(x[0].Last, []int32{2}) || !slices.Equal(x[1].Extras, []int32{0}) || !slices.Equal(x[2].Extras, []int32{1, 0}) {
		t.Errorf("got %v", x)
	}
}

// TestRing: each GPU sends all but one of the shards to the next.
func TestRing(t *testing.T) {
	b := Builder{Shards: 4, Node: &machine.Node{}}
	ring := b.Ring("ring", 0, 100, nil, nil, offload.Fetch)
	for g, i := range ring {
		x := b.extras[i]
		if x.Bytes != 75 || int(x.From.Index) != g || int(x.To.Index) != (g+1)%4 || x.Queue != offload.Peers {
			t.Errorf("GPU %d: %+v", g, x)
		}
	}
	if (&Builder{Shards: 1}).Ring("ring", 0, 100, nil, nil, offload.Fetch) != nil {
		t.Error("a GPU alone passes something on")
	}
}

// TestStacked: each expert has its own matrices.
func TestStacked(t *testing.T) {
	a := tiny()
	a.Hidden, a.FFN, a.Experts, a.Active, a.Gated = 512, 512, 4, 2, true
	spec := job.Spec{Arch: a, Node: node(t, 1), Layout: job.Layout{Pipeline: 1, Tensor: 1, Data: 1, Batch: 1, Sequence: 8, Micro: 1}}
	j, err := job.Build(&spec)
	if err != nil {
		t.Fatal(err)
	}
	stacked := 0
	for i := range j.Parts[0].Tensors {
		x := &j.Parts[0].Tensors[i]
		if x.Kind == workload.Weight && j.Stacked(x) == 4 {
			if stacked++; x.Bytes != 4*512*512*4 {
				t.Errorf("%s has %v", x.Name, x.Bytes)
			}
		}
	}
	if stacked != 3*int(a.Layers) {
		t.Errorf("%d tensors are of experts, want three in each of %d layers", stacked, a.Layers)
	}
	if m := Matrices(j, 0); m[1] < 12 {
		t.Errorf("a layer of four experts has %d matrices", m[1])
	}
}
