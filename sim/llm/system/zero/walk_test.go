package zero

import (
	"errors"
	"slices"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/shard"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
)

// pass makes the visits of a model of layers of these elements: forward and backward, for each micro-batch.
func pass(micros int, elements ...int64) []shard.Visit {
	var v []shard.Visit
	add := func(m, l int, back bool) {
		x := shard.Visit{Layer: int16(l - 1), Micro: int16(m), Backward: back, Weights: elements[l], Reads: 1}
		if back {
			x.Gradients = elements[l]
		}
		v = append(v, x)
	}
	for m := range micros {
		for l := range elements {
			add(m, l, false)
		}
		for l := range elements {
			add(m, len(elements)-1-l, true)
		}
	}
	return v
}

// TestWalk: which visits are gathered, and before which that is issued.
func TestWalk(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		visits                []shard.Visit
		prefetch, live, reuse int64
		want                  []gathering
		peak                  int64
	}{
		{"on demand", pass(1, 10, 10, 10), 0, 100, 0, []gathering{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}}, 10},
		{"one ahead", pass(1, 10, 10, 10), 1, 20, 0, []gathering{{0, 0}, {1, 0}, {2, 1}, {4, 2}, {5, 4}}, 20},
		{"no room to prefetch", pass(1, 10, 10, 10), 1, 15, 0, []gathering{{0, 0}, {1, 1}, {2, 2}, {4, 4}, {5, 5}}, 10},
		{"larger than what may live", pass(1, 10), 9, 5, 1, []gathering{{0, 0}}, 10},
		{"reuse at the turn", pass(1, 10, 10, 10), 0, 100, 21, []gathering{{0, 0}, {1, 1}, {2, 2}, {5, 5}}, 20},
		{"reuse of all", pass(1, 10, 10, 10), 0, 100, 41, []gathering{{0, 0}, {1, 1}, {2, 2}}, 30},
		{"micro-batches are apart", pass(2, 10, 10), 100, 100, 100, []gathering{{0, 0}, {1, 0}, {4, 4}, {5, 4}}, 20},
		{"layers without weights", pass(1, 10, 0, 10), 1, 20, 1, []gathering{{0, 0}, {2, 0}, {5, 1}}, 20},
	} {
		got, peak := walk(tt.visits, tt.prefetch, tt.live, tt.reuse)
		if !slices.Equal(got, tt.want) || peak != tt.peak {
			t.Errorf("%s: got %v, at most %d; want %v, %d", tt.name, got, peak, tt.want, tt.peak)
		}
	}
}

// TestWalkLaws: every visit finds its weights; without reuse no more is live than allowed, but for a visit's own
// layer; more room or reuse gathers no more.
func TestWalkLaws(t *testing.T) {
	seed := uint64(1)
	draw := func(n int64) int64 {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		return int64(seed % uint64(n))
	}
	for range 2000 {
		elements := make([]int64, 1+draw(9))
		for i := range elements {
			elements[i] = 1 + draw(20)
		}
		v := pass(int(1+draw(3)), elements...)
		prefetch, live, reuse := draw(30), draw(60), draw(60)
		got, peak := walk(v, prefetch, live, reuse)
		if reuse == 0 && peak > max(live, slices.Max(elements)) {
			t.Fatalf("%v: %d live elements, %d allowed", elements, peak, live)
		}
		gathered := make([]int32, len(elements)) // 1 + the visit for which a layer was gathered last
		next := 0
		for u := range v {
			for next < len(got) && int(got[next].visit) <= u {
				if g := got[next]; int(g.at) > u || g.at > g.visit || v[g.at].Micro != v[g.visit].Micro {
					t.Fatalf("%v: %v is out of place", elements, g)
				}
				gathered[v[got[next].visit].Layer+1] = got[next].visit + 1
				next++
			}
			if g := gathered[v[u].Layer+1]; g == 0 || v[g-1].Micro != v[u].Micro {
				t.Fatalf("%v: visit %d has no weights", elements, u)
			}
		}
		if more, _ := walk(v, prefetch, live, reuse+draw(20)); len(more) > len(got) {
			t.Fatalf("%v: more reuse gathers %d times instead of %d", elements, len(more), len(got))
		}
	}
}

// TestBuckets: gradients leave when the next layer's do not fit, and at the end of a micro-batch.
func TestBuckets(t *testing.T) {
	got := buckets(pass(2, 3, 4, 5), 9)
	want := []bucket{{4, 9, 0}, {5, 3, 0}, {10, 9, 1}, {11, 3, 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := buckets(pass(1, 3, 4, 5), 1); len(got) != 3 {
		t.Errorf("layers larger than a bucket: %v", got)
	}
}

// TestParameters: ZeRO-Offload trains 13·10⁹ parameters on one V100 with 32 GB (ATC 2021, abstract).
// Before activations there is room for 15·10⁹; a network of 13·10⁹ fits with what layers keep of a sequence
// of 1024 tokens, one of 15.3·10⁹ does not.
func TestParameters(t *testing.T) {
	if got := Parameters(32*unit.GB, 5e8); got != 15e9 {
		t.Errorf("%d parameters, want 15·10⁹", got)
	}
	if got := Parameters(unit.GB, 5e8); got != 0 {
		t.Errorf("%d parameters in less than the buckets", got)
	}
	a, err := model.Find("gpt3-13b")
	if err != nil {
		t.Fatal(err)
	}
	o := system.Standard()
	o.Stage = 2
	c := machine.Standard()
	c.GPUs, c.GPU.Memory = 1, 32*unit.GB
	for layers, want := range map[int64]bool{40: true, 48: false} {
		a.Layers = layers
		spec := job.Spec{Arch: &a, Node: node(t, c), Layout: job.Layout{Batch: 1, Sequence: 1024, Precision: job.BF16, Recompute: job.Full}}
		var no *system.Refusal
		if err := Offload.Cut(&spec, &o); err != nil && !errors.As(err, &no) || want != (err == nil) {
			t.Errorf("%d layers, %d parameters: %v", layers, a.Parameters(), err)
		}
	}
}

// TestPinned: PyTorch rounds up to powers of two.
func TestPinned(t *testing.T) {
	for bytes, want := range map[int64]unit.Bytes{0: 0, 1: 1, 2: 2, 3: 4, 1 << 30: unit.GiB, 1<<30 + 1: 2 * unit.GiB} {
		if got := pinned(bytes); got != want {
			t.Errorf("%d bytes: %d, want %d", bytes, got, want)
		}
	}
}
