package workload

import (
	"slices"
	"testing"

	"spillway/sim/unit"
)

// What is divided has the same bytes, in pieces of whole pages that kernels use together.
func TestDivide(t *testing.T) {
	w := &Workload{
		Tensors: []Tensor{{Name: "small", Bytes: 3}, {Name: "table", Bytes: 10*unit.Page + 1, Global: true, Kind: Weight}},
		Kernels: []Kernel{{Time: 1, Inputs: []TensorID{1, 0}, Outputs: []TensorID{1}, Rows: []RowAccess{{Tensor: 1, Row: 4}}}},
	}
	d, of := w.Divide(4 * unit.Page)
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	var sizes []unit.Bytes
	for i := range d.Tensors {
		sizes = append(sizes, d.Tensors[i].Bytes)
	}
	if want := []unit.Bytes{3, 4 * unit.Page, 4 * unit.Page, 2*unit.Page + 1}; !slices.Equal(sizes, want) {
		t.Errorf("pieces have %v, want %v", sizes, want)
	}
	if want := []TensorID{0, 1, 1, 1}; !slices.Equal(of, want) {
		t.Errorf("pieces are of %v, want %v", of, want)
	}
	if k := d.Kernels[0]; !slices.Equal(k.Inputs, []TensorID{1, 2, 3, 0}) || !slices.Equal(k.Outputs, []TensorID{1, 2, 3}) || k.Rows != nil {
		t.Errorf("the kernel is %+v", k)
	}
	if !d.Tensors[3].Global || d.Tensors[3].Kind != Weight || d.Tensors[1].Name == d.Tensors[2].Name {
		t.Errorf("a piece is %+v", d.Tensors[3])
	}
	if d.GlobalBytes()+d.IntermediateBytes() != w.GlobalBytes()+w.IntermediateBytes() {
		t.Error("pieces take more pages than the whole")
	}
	if same, of := w.Divide(11 * unit.Page); same != w || of != nil {
		t.Error("what needs no division is copied")
	}
}
