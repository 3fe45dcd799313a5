package vitality_test

import (
	"reflect"
	"slices"
	"testing"

	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// ids is a kernel's list of tensors.
type ids = []workload.TensorID

// build returns a workload of one-page tensors; size overrides single sizes.
func build(globals []bool, kernels ...[2]ids) *workload.Workload {
	w := &workload.Workload{}
	for _, g := range globals {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: 1, Global: g})
	}
	for _, k := range kernels {
		w.Kernels = append(w.Kernels, workload.Kernel{Time: unit.Microsecond, Inputs: k[0], Outputs: k[1]})
	}
	return w
}

func TestAnalyze(t *testing.T) {
	tests := []struct {
		name      string
		w         *workload.Workload
		birth     []workload.KernelID
		death     []workload.KernelID
		transient []bool
		periods   []vitality.Period
	}{
		{
			name: "an intermediate with a gap",
			w: build([]bool{false},
				[2]ids{nil, {0}}, [2]ids{}, [2]ids{}, [2]ids{{0}, nil}, [2]ids{}),
			birth: []workload.KernelID{0}, death: []workload.KernelID{4}, transient: []bool{false},
			periods: []vitality.Period{{Tensor: 0, Start: 1, End: 3}},
		},
		{
			name:  "neighboring uses leave no gap",
			w:     build([]bool{false}, [2]ids{nil, {0}}, [2]ids{{0}, nil}, [2]ids{{0}, nil}),
			birth: []workload.KernelID{0}, death: []workload.KernelID{3}, transient: []bool{false},
		},
		{
			name:  "never read: lives in its birth kernel only",
			w:     build([]bool{false}, [2]ids{}, [2]ids{nil, {0}}, [2]ids{}, [2]ids{nil, {0}}),
			birth: []workload.KernelID{1}, death: []workload.KernelID{2}, transient: []bool{true},
		},
		{
			name:  "a write after the last read starts no period",
			w:     build([]bool{false}, [2]ids{nil, {0}}, [2]ids{{0}, nil}, [2]ids{}, [2]ids{nil, {0}}),
			birth: []workload.KernelID{0}, death: []workload.KernelID{2}, transient: []bool{false},
		},
		{
			name:  "read and written by one kernel is one use",
			w:     build([]bool{false}, [2]ids{{0}, {0}}, [2]ids{}, [2]ids{{0}, {0}}),
			birth: []workload.KernelID{0}, death: []workload.KernelID{3}, transient: []bool{false},
			periods: []vitality.Period{{Tensor: 0, Start: 1, End: 2}},
		},
		{
			name:  "a global wraps from its last use to its first",
			w:     build([]bool{true}, [2]ids{}, [2]ids{{0}, nil}, [2]ids{}, [2]ids{nil, {0}}, [2]ids{}),
			birth: []workload.KernelID{-1}, death: []workload.KernelID{-1}, transient: []bool{false},
			periods: []vitality.Period{{Tensor: 0, Start: 2, End: 3}, {Tensor: 0, Start: 4, End: 1, Wraps: true}},
		},
		{
			name:  "a global used last by the last kernel is idle from kernel 0",
			w:     build([]bool{true}, [2]ids{}, [2]ids{}, [2]ids{{0}, nil}),
			birth: []workload.KernelID{-1}, death: []workload.KernelID{-1}, transient: []bool{false},
			periods: []vitality.Period{{Tensor: 0, Start: 0, End: 2}},
		},
		{
			name:  "a global used first and last does not wrap",
			w:     build([]bool{true}, [2]ids{{0}, nil}, [2]ids{}, [2]ids{{0}, nil}),
			birth: []workload.KernelID{-1}, death: []workload.KernelID{-1}, transient: []bool{false},
			periods: []vitality.Period{{Tensor: 0, Start: 1, End: 2}},
		},
		{
			name:  "unused tensors have no life",
			w:     build([]bool{true, false}, [2]ids{}),
			birth: []workload.KernelID{-1, -1}, death: []workload.KernelID{-1, -1}, transient: []bool{false, false},
		},
		{
			name:  "periods are ordered by tensor, then time",
			w:     build([]bool{false, true}, [2]ids{{1}, {0}}, [2]ids{}, [2]ids{{0, 1}, nil}, [2]ids{}),
			birth: []workload.KernelID{0, -1}, death: []workload.KernelID{3, -1}, transient: []bool{false, false},
			periods: []vitality.Period{
				{Tensor: 0, Start: 1, End: 2}, {Tensor: 1, Start: 1, End: 2}, {Tensor: 1, Start: 3, End: 0, Wraps: true},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := vitality.Analyze(tt.w)
			if !slices.Equal(a.Birth, tt.birth) || !slices.Equal(a.Death, tt.death) || !slices.Equal(a.Transient, tt.transient) {
				t.Errorf("birth %v, death %v, transient %v; want %v, %v, %v",
					a.Birth, a.Death, a.Transient, tt.birth, tt.death, tt.transient)
			}
			if !slices.Equal(a.Periods, tt.periods) {
				t.Errorf("periods are %v, want %v", a.Periods, tt.periods)
			}
		})
	}
}

func TestSpan(t *testing.T) {
	if got := (vitality.Period{Start: 2, End: 5}).Span(10); got != 3 {
		t.Errorf("span of [2,5) is %d, want 3", got)
	}
	if got := (vitality.Period{Start: 8, End: 1, Wraps: true}).Span(10); got != 3 {
		t.Errorf("span from 8 to 1 of 10 is %d, want 3", got)
	}
}

func TestLiveAndActive(t *testing.T) {
	w := build([]bool{true, false, false},
		[2]ids{{0}, {1}}, [2]ids{}, [2]ids{{1}, {2}}, [2]ids{{0}, nil})
	w.Tensors[1].Bytes = 2 * unit.Page
	w.Tensors[2].Bytes = unit.Page + 1 // two pages
	a := vitality.Analyze(w)
	pages := func(n ...unit.Bytes) []unit.Bytes {
		for i := range n {
			n[i] *= unit.Page
		}
		return n
	}
	if got, want := a.Live(w), pages(3, 3, 5, 1); !reflect.DeepEqual(got, want) {
		t.Errorf("live bytes are %v, want %v", got, want)
	}
	if got, want := a.Active(w), pages(3, 0, 4, 1); !reflect.DeepEqual(got, want) {
		t.Errorf("active bytes are %v, want %v", got, want)
	}
	if got, want := a.Uses(0), []workload.KernelID{0, 3}; !slices.Equal(got, want) {
		t.Errorf("tensor 0 is used by %v, want %v", got, want)
	}
	alive := []bool{true, true, true, false}
	for k, want := range alive {
		if got := a.Alive(w, 1, workload.KernelID(k)); got != want {
			t.Errorf("tensor 1 alive at kernel %d is %v, want %v", k, got, want)
		}
	}
}

// A step reads a gradient and writes its weight; the footprint tells them apart
// from everything else, by hand.
func TestMeasure(t *testing.T) {
	const p = unit.Page
	w := build([]bool{true, true, false, false, false},
		[2]ids{{0}, {2}},       // forward: 2 is an activation
		[2]ids{{2}, {3, 4}},    // backward: 3 is the weight's gradient, 4 the activation's
		[2]ids{{4}, nil},       // and on
		[2]ids{{3, 0, 1}, {0}}) // step
	for i, b := range []unit.Bytes{2 * p, 4 * p, 8 * p, 2 * p, 16 * p} {
		w.Tensors[i].Bytes = b
	}
	w.Tensors[0].Kind, w.Tensors[1].Kind = workload.Weight, workload.Optimizer
	w.Tensors[3].Kind, w.Tensors[4].Kind = workload.Gradient, workload.Gradient
	w.Tensors = append(w.Tensors, workload.Tensor{Bytes: p, Global: true}) // no kernel uses it
	want := vitality.Footprint{Weights: 2 * p, Optimizer: 4 * p, Gradients: 2 * p, Rest: 24 * p, Held: p, Most: 33 * p}
	if got := vitality.Analyze(w).Measure(w); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	kinds := want
	kinds.Gradients, kinds.Rest = 18*p, 8*p // the activation's gradient is one too
	if got := vitality.Analyze(w).MeasureKinds(w); got != kinds {
		t.Errorf("by kind: got %+v, want %+v", got, kinds)
	}
	if live := slices.Max(vitality.Analyze(w).Live(w)); live != want.Most {
		t.Errorf("%d bytes are alive, want %d", live, want.Most)
	}
}
