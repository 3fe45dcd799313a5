package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/sim/unit"
)

// valid returns a workload that Validate accepts.
func valid() *Workload {
	return &Workload{
		Tensors: []Tensor{
			{Name: "weight", Bytes: 5000, Global: true, Kind: Weight},
			{Name: "x", Bytes: 1},
			{Name: "y", Bytes: 4096},
		},
		Kernels: []Kernel{
			{Name: "first", Time: 1, Inputs: []TensorID{0}, Outputs: []TensorID{1}},
			{Name: "second", Time: MaxTime, Inputs: []TensorID{1, 0}, Outputs: []TensorID{1, 2}},
		},
	}
}

func TestValidate(t *testing.T) {
	if err := valid().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		change func(w *Workload)
		want   string
	}{
		{"no kernels", func(w *Workload) { w.Kernels = nil }, "workload has no kernels"},
		{"negative batch", func(w *Workload) { w.Batch = -1 }, "batch is -1; want 0 (unknown) or more"},
		{"empty tensor", func(w *Workload) { w.Tensors[1].Bytes = 0 }, "tensor 1 (x): size is 0 bytes; want 1 to 4398046511104"},
		{"huge tensor", func(w *Workload) { w.Tensors[1].Bytes = MaxTensor + 1 }, "tensor 1 (x): size is 4398046511105 bytes; want 1 to 4398046511104"},
		{"no time", func(w *Workload) { w.Kernels[0].Time = 0 }, "kernel 0 (first): time is 0 ps; want 1 to 1000000000000000"},
		{"long time", func(w *Workload) { w.Kernels[1].Time++ }, "kernel 1 (second): time is 1000000000000001 ps; want 1 to 1000000000000000"},
		{"negative fault time", func(w *Workload) { w.Kernels[0].Fault = -1 }, "kernel 0 (first): fault times are 0 and -1 ps; want 0 to 1000000000000000"},
		{"no tensors", func(w *Workload) { w.Kernels[0].Inputs, w.Kernels[0].Outputs = nil, nil }, "kernel 0 (first): has no tensors"},
		{"bad id", func(w *Workload) { w.Kernels[0].Inputs[0] = 3 }, "kernel 0 (first): tensor id 3 is not between 0 and 2"},
		{"negative id", func(w *Workload) { w.Kernels[0].Outputs[0] = -1 }, "kernel 0 (first): tensor id -1 is not between 0 and 2"},
		{"twice", func(w *Workload) { w.Kernels[1].Inputs[1] = 1 }, "kernel 1 (second): tensor 1 (x) is listed twice"},
		{"many rows", func(w *Workload) {
			w.Kernels[0].Rows = slices.Repeat([]RowAccess{{Tensor: 0, Row: 1, Draws: 1}}, 65)
		}, "kernel 0 (first): touches rows of tensors in 65 ways; at most 64 are supported"},
		{"two problems", func(w *Workload) { w.Batch, w.Kernels[0].Time = -2, -3 }, "batch is -2; want 0 (unknown) or more\nkernel 0 (first): time is -3 ps; want 1 to 1000000000000000"},
	} {
		w := valid()
		tt.change(w)
		if err := w.Validate(); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	many := valid()
	for range 100 {
		many.Kernels = append(many.Kernels, Kernel{Time: -1})
	}
	if n := strings.Count(many.Validate().Error(), "\n") + 1; n != 20 {
		t.Errorf("%d problems are reported, want the first 20", n)
	}
	large := &Workload{Tensors: make([]Tensor, MaxTensors+1), Kernels: make([]Kernel, MaxKernels+1)}
	for _, want := range []string{"workload has 1048577 kernels; at most 1048576 are supported", "workload has 1048577 tensors; at most 1048576 are supported"} {
		if err := large.Validate(); !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestBytes(t *testing.T) {
	w := valid()
	if g, i := w.GlobalBytes(), w.IntermediateBytes(); g != 2*unit.Page || i != 2*unit.Page {
		t.Errorf("%v of global and %v of other tensors", g, i)
	}
	if n := w.Tensors[0].Pages(); n != 2 {
		t.Errorf("5000 bytes take %d pages", n)
	}
}

func TestSets(t *testing.T) {
	w := valid()
	s := w.Sets()
	if got := fmt.Sprint(s.Inputs, s.Outputs, s.All); got != "[[0] [1 0]] [[1] [1 2]] [[0 1] [1 0 2]]" {
		t.Errorf("sets are %s", got)
	}
	dst := []TensorID{7}
	if got := w.WorkingSet(dst, 1); !slices.Equal(got, []TensorID{7, 1, 0, 2}) {
		t.Errorf("working set is %v", got)
	}
}

func TestKind(t *testing.T) {
	for k := Intermediate; k <= Input; k++ {
		if got, err := ParseKind(k.String()); err != nil || got != k {
			t.Errorf("%v reads as %v, %v", k, got, err)
		}
	}
	if got := Kind(99).String(); got != "kind(99)" {
		t.Error(got)
	}
	if _, err := ParseKind("thing"); err == nil || !strings.Contains(err.Error(), `unknown tensor kind "thing"; want one of [intermediate`) {
		t.Error(err)
	}
}
