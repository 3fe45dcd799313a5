package g10

import (
	"fmt"
	"slices"

	"spillway/sim/workload"
)

// A Module is one entry of a module print as data: an operator by the name it
// has in the print (Conv2d, ReLU, MaxPool2d, AdaptiveAvgPool2d, Linear,
// Dropout, BatchNorm2d), or a block with children, whose name may rewire it.
type Module struct {
	Kind, Label string
	In, Out     int64    // channels or features
	Kernel      [2]int64 // window of a convolution or pool, output size of an AdaptiveAvgPool2d
	Stride, Pad [2]int64
	InPlace     bool // ReLU, Dropout
	Bias        bool // Linear
	Children    []Module
}

// An Op is one record of a numeric operator list as data. Dims holds the shape
// in which the operator views each input; a dimension of [BatchDim] stands for
// the batch. A SoftmaxBasic is a group of four records.
type Op struct {
	Kind   string
	ID     int64
	Inputs []int64
	Dims   [][]int64
}

// BatchDim is the dimension that stands for the batch size in an operator list.
const BatchDim = batchDim

// Work describes the operator a kernel belongs to, as far as its arithmetic
// goes. One without MACs only moves data.
type Work struct {
	Op     int      // which of an operator list's, from 1; 0: of no list, or of none of its operators
	MACs   int64    // multiply-accumulates of one product, forward or backward
	In     int64    // channels of a convolution's input, features of a matrix product's
	Out    int64    // channels or features of its output
	Window [2]int64 // convolution: height and width
	Stride int64    // convolution: vertical
	Height int64    // convolution: of its output
	// Matrix is rows, columns and inner size of an operator list's product, of each of
	// those that are batched.
	Matrix [3]int64
}

// BuildModules builds tensors and kernels of a network given as modules, by the
// same rules as those of a module print. Kernel times are missing. The second
// result has one element for each kernel.
func BuildModules(name string, s Setup, root Module) (*workload.Workload, []Work, error) {
	m := modules{name: name, setup: s}
	b := define(s)
	if err := m.define(&root, "", 0); err != nil {
		return nil, nil, err
	}
	if len(m.layers) == 0 || m.layers[0].kind != conv {
		return nil, nil, fmt.Errorf("%s: the network must begin with a Conv2d", name)
	}
	if err := b.chain(name, s, m.layers); err != nil {
		return nil, nil, err
	}
	return b.w, b.work, nil
}

// BuildOps builds tensors and kernels of a network given as operators, by the
// same rules as those of an operator list. Kernel times are missing. The second
// result has one element for each kernel.
func BuildOps(name string, s Setup, records []Op) (*workload.Workload, []Work, error) {
	b := define(s)
	all := make([]op, len(records))
	for i, r := range records {
		n, known := opKinds[r.Kind]
		if !known || len(r.Inputs) < n || len(r.Inputs) > n+1 || len(r.Dims) != len(r.Inputs) {
			return nil, nil, fmt.Errorf("%s: operator %d (%s) has %d inputs and %d shapes; want a known type with %d of each",
				name, r.ID, r.Kind, len(r.Inputs), len(r.Dims), n)
		}
		all[i] = op{kind: r.Kind, line: i + 1, id: r.ID, inputs: r.Inputs, dims: r.Dims}
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s: no operators", name)
	}
	if err := b.operators(name, s, all); err != nil {
		return nil, nil, err
	}
	return b.w, b.work, nil
}

// define returns a builder of a workload of a few thousand tensors.
func define(s Setup) *builder {
	const usual = 1 << 12
	return &builder{
		w: &workload.Workload{
			Batch:   int(s.Batch),
			Tensors: make([]workload.Tensor, 0, usual),
			Kernels: make([]workload.Kernel, 0, usual),
		},
		work: make([]Work, 0, usual),
	}
}

// define appends the layers of d, and rewires it when it is a block.
func (m *modules) define(d *Module, label string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: modules are nested more than %d deep", m.name, maxDepth)
	}
	if k := slices.Index(layerNames[:add], d.Kind); k >= 0 {
		m.append(&layer{
			kind: layerKind(k), label: label, line: len(m.layers) + 1,
			in: d.In, out: d.Out, kernel: d.Kernel, stride: d.Stride, pad: d.Pad,
			inplace: d.InPlace, bias: d.Bias, running: layerKind(k) == batchNorm,
		})
		return nil
	}
	b := block{kind: d.Kind, label: label, line: len(m.layers) + 1, first: len(m.layers)}
	for i := range d.Children {
		c := &d.Children[i]
		b.children = append(b.children, len(m.layers))
		inner := c.Label
		if label != "" {
			inner = label + "." + c.Label
		}
		if err := m.define(c, inner, depth+1); err != nil {
			return err
		}
	}
	return m.rewire(&b)
}

// workOf returns the arithmetic of a layer.
func (n *network) workOf(l *layer) Work {
	switch l.kind {
	case conv:
		return Work{
			MACs: product(n.elements(l.output), l.in, l.kernel[0], l.kernel[1]),
			In:   l.in, Out: l.out, Window: l.kernel, Stride: l.stride[0], Height: l.output.h,
		}
	case linear:
		return Work{MACs: product(n.elements(l.output), l.in), In: l.in, Out: l.out}
	}
	return Work{}
}

// work returns the arithmetic of an operator. A product's inputs are viewed as
// matrices; a convolution's windows do not overlap, as those of a patch
// embedding.
func (o *op) work(batch int64) Work {
	if len(o.dims) < 2 || len(o.dims[0]) == 0 || len(o.dims[1]) == 0 {
		return Work{}
	}
	a, b := o.dims[0], o.dims[1]
	if a[len(a)-1] < 1 {
		return Work{}
	}
	switch o.kind {
	case "Dot":
		in := a[len(a)-1]
		out := elements(b, batch) / in
		return Work{MACs: product(elements(a, batch), out), In: in, Out: out}
	case "BatchMatMul":
		w := Work{MACs: product(elements(a, batch), b[len(b)-1])}
		if len(a) > 1 {
			w.Matrix = [3]int64{a[len(a)-2], b[len(b)-1], a[len(a)-1]}
		}
		return w
	case "Convolution":
		inner := elements(b[1:], batch)
		return Work{MACs: product(elements(a, batch), b[0]), Matrix: [3]int64{elements(a, batch) / max(inner, 1), b[0], inner}}
	}
	return Work{}
}
