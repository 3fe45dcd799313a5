package published

import (
	"slices"
	"testing"

	"spillway/sim/workload"
)

func TestSetOrder(t *testing.T) {
	tests := []struct {
		name string
		ids  []workload.TensorID
		want []workload.TensorID
	}{
		{"newest first", []workload.TensorID{1, 2, 3}, []workload.TensorID{3, 2, 1}},
		{"a member is not inserted again", []workload.TensorID{1, 2, 1}, []workload.TensorID{2, 1}},
		{"13 apart: in front of the other", []workload.TensorID{1, 2, 14}, []workload.TensorID{2, 14, 1}},
		{"13 apart either way", []workload.TensorID{14, 2, 1}, []workload.TensorID{2, 1, 14}},
		{"the first of two neighbors", []workload.TensorID{1, 27, 5, 14}, []workload.TensorID{5, 14, 27, 1}},
		{"26 apart is no neighbor", []workload.TensorID{1, 2, 27}, []workload.TensorID{27, 2, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := SetOrder(nil, tt.ids); !slices.Equal(got, tt.want) {
				t.Errorf("SetOrder(%v) = %v, want %v", tt.ids, got, tt.want)
			}
		})
	}
}

func TestSets(t *testing.T) {
	w := &workload.Workload{
		Tensors: make([]workload.Tensor, 4),
		Kernels: []workload.Kernel{{Inputs: []workload.TensorID{0, 1}, Outputs: []workload.TensorID{1, 2, 3}}},
	}
	s := Sets(w)
	// Inputs iterate 1, 0; outputs 3, 2, 1. Inserting 1, 0, 3, 2 gives 2, 3, 0, 1.
	if got, want := s.All[0], []workload.TensorID{2, 3, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("combined order is %v, want %v", got, want)
	}
}
