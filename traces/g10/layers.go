package g10

import (
	"fmt"
	"slices"

	"spillway/sim/workload"
)

// tensors are what one layer owns or uses; absent ones are none.
type tensors struct {
	in, out       workload.TensorID
	weight, bias  workload.TensorID // of a batch normalization weight is alpha and beta
	dWeight       workload.TensorID
	dBias         workload.TensorID
	dIn           workload.TensorID
	dIns          []workload.TensorID // Concat: one for each source
	dOut          workload.TensorID
	more          []workload.TensorID // further gradients of the output, where it forks
	mask          workload.TensorID
	mu, va        workload.TensorID // batch normalization: saved mean and variance
	v1, v2        workload.TensorID
	dMu, dVa      workload.TensorID
	dV1, dV2      workload.TensorID
	runMu, runVar workload.TensorID
}

// absent returns tensors of which none exists yet.
func absent() tensors {
	return tensors{
		in: none, out: none, weight: none, bias: none, dWeight: none, dBias: none, dIn: none, dOut: none, mask: none,
		mu: none, va: none, v1: none, v2: none, dMu: none, dVa: none, dV1: none, dV2: none, runMu: none, runVar: none,
	}
}

// A network is a rewired list of layers while tensors and kernels are built.
type network struct {
	*builder
	name   string
	setup  Setup
	layers []*layer
}

// cnn builds tensors and kernels of a module print.
func (b *builder) cnn(f File, s Setup) error {
	m := modules{name: f.Name, rest: f.Data, line: 1, ahead: 1, setup: s}
	if err := m.parse(); err != nil {
		return err
	}
	return b.chain(f.Name, s, m.layers)
}

// chain builds tensors and kernels of a rewired list of layers.
func (b *builder) chain(name string, s Setup, layers []*layer) error {
	n := network{b, name, s, layers}
	if err := n.shapes(); err != nil {
		return err
	}
	for _, l := range n.layers {
		n.create(l)
		if b.err != nil {
			return n.errorf(l, "%w", b.err)
		}
	}
	if err := n.gradients(); err != nil {
		return err
	}
	n.kernels()
	b.w.Model = moduleModel(n.layers)
	return nil
}

func (n *network) errorf(l *layer, format string, a ...any) error {
	return fmt.Errorf("%s:%d: %s (%s): %w", n.name, l.line, l.label, layerNames[l.kind], fmt.Errorf(format, a...))
}

// shapes computes every layer's input and output shape.
func (n *network) shapes() error {
	for i, l := range n.layers {
		// A scale is as large as a layer that may stand behind it in the list.
		for j := i + 1; l.like != nil && !l.like.known && j < len(n.layers); j++ {
			if err := n.shape(n.layers[j]); err != nil {
				return err
			}
		}
		if err := n.shape(l); err != nil {
			return err
		}
	}
	return nil
}

func (n *network) shape(l *layer) error {
	if l.known {
		return nil
	}
	l.known = true
	if len(l.prev) == 0 {
		l.input = shape{l.in, n.setup.Height, n.setup.Width}
	} else {
		l.input = l.prev[0].output
	}
	for i := 1; l.kind == concat && i < len(l.prev); i++ {
		l.input.c += l.prev[i].output.c
	}
	l.output = l.input
	switch l.kind {
	case conv, batchNorm:
		if l.in != l.input.c {
			return n.errorf(l, "is for %d channels, but its input has %d; does the .config set the right one of is_resnet, is_inception and is_senet?",
				l.in, l.input.c)
		}
	case linear:
		l.output = shape{product(product(l.input.c, l.input.h, l.input.w)/l.in, l.out), 1, 1}
	case avgPool:
		l.output.h, l.output.w = l.kernel[0], l.kernel[1]
	case scale:
		l.output.h, l.output.w = l.like.output.h, l.like.output.w
	}
	if l.kind == conv || l.kind == maxPool {
		l.output.h = window(l.input.h, l, 0)
		l.output.w = window(l.input.w, l, 1)
	}
	if l.kind == conv {
		l.output.c = l.out
	}
	if o := l.output; o.c < 1 || o.h < 1 || o.w < 1 {
		return n.errorf(l, "its output would be %d×%d×%d (channels, height, width); is the input %d×%d?",
			o.c, o.h, o.w, n.setup.Height, n.setup.Width)
	}
	return nil
}

// window returns how many positions a kernel takes along an axis.
func window(size int64, l *layer, axis int) int64 {
	room := size - l.kernel[axis] + 2*l.pad[axis]
	if room < 0 {
		return 0
	}
	return room/l.stride[axis] + 1
}

func (n *network) elements(s shape) int64 { return product(n.setup.Batch, s.c, s.h, s.w) }

// value appends an intermediate tensor.
func (n *network) value(l *layer, name string, elements int64) workload.TensorID {
	return n.tensor(l.label+" "+name, elements, false, workload.Intermediate)
}

func (n *network) gradient(l *layer, name string, elements int64) workload.TensorID {
	return n.tensor(l.label+" "+name, elements, false, workload.Gradient)
}

func (n *network) weight(l *layer, name string, elements int64) workload.TensorID {
	return n.tensor(l.label+" "+name, elements, true, workload.Weight)
}

// create appends the tensors of l, except the gradient of its output.
func (n *network) create(l *layer) {
	l.t = absent()
	t := &l.t
	in, out := n.elements(l.input), n.elements(l.output)
	if len(l.prev) > 0 {
		t.in = l.prev[0].t.out
	} else {
		t.in = n.tensor("input", in, false, workload.Input)
	}
	switch l.kind {
	case conv:
		size := product(l.out, l.in, l.kernel[0], l.kernel[1])
		t.out = n.value(l, "out", out)
		t.weight = n.weight(l, "weight", size)
		t.dWeight = n.gradient(l, "d_weight", size)
	case linear:
		n.createLinear(l, in, out)
		return
	case batchNorm:
		n.createBatchNorm(l, in)
		return
	case concat:
		for _, p := range l.prev {
			s := shape{p.input.c, l.input.h, l.input.w}
			t.dIns = append(t.dIns, n.gradient(l, "d_input of "+p.label, n.elements(s)))
		}
		t.out = n.value(l, "out", out)
		return
	case add:
		t.out = n.value(l, "out", out)
		return
	case dropout:
		t.mask = n.value(l, "mask", in)
	}
	switch {
	case l.inplace:
		t.out = t.in
	case t.out == none:
		t.out = n.value(l, "out", out)
	}
	t.dIn = n.gradient(l, "d_input", in)
}

func (n *network) createLinear(l *layer, in, out int64) {
	t := &l.t
	t.weight = n.weight(l, "weight", product(l.in, l.out))
	t.out = n.value(l, "out", out)
	t.dIn = n.gradient(l, "d_input", in)
	t.dWeight = n.gradient(l, "d_weight", product(l.in, l.out))
	if l.bias {
		t.bias = n.weight(l, "bias", l.out)
		t.dBias = n.gradient(l, "d_bias", l.out)
	}
}

// createBatchNorm appends the tensors of a batch normalization. v1 and its
// gradient are as large as the activation.
func (n *network) createBatchNorm(l *layer, in int64) {
	t, c := &l.t, l.input.c
	t.out = n.value(l, "out", in)
	t.dIn = n.gradient(l, "d_input", in)
	t.weight = n.weight(l, "alpha_beta", 2*c)
	t.dWeight = n.gradient(l, "d_alpha_beta", 2*c)
	t.mu = n.value(l, "mu", c)
	t.va = n.value(l, "var", c)
	t.v1 = n.value(l, "v1", in)
	t.v2 = n.value(l, "v2", c)
	t.dMu = n.gradient(l, "d_mu", c)
	t.dVa = n.gradient(l, "d_var", c)
	t.dV1 = n.gradient(l, "d_v1", in)
	t.dV2 = n.gradient(l, "d_v2", c)
	if l.running {
		t.runMu = n.weight(l, "running_mean", c)
		t.runVar = n.weight(l, "running_var", c)
	}
}

// gradients finds, last layer first, the gradients of each layer's output: they
// are its consumers' input gradients. The last layer's comes from the loss.
func (n *network) gradients() error {
	last := n.layers[len(n.layers)-1]
	last.t.dOut = n.gradient(last, "d_output", n.elements(last.output))
	for i := len(n.layers) - 2; i >= 0; i-- {
		l := n.layers[i]
		for _, next := range l.next {
			d := next.t.dIn
			switch next.kind {
			case add:
				d = next.t.dOut
			case concat:
				d = next.t.dIns[slices.Index(next.prev, l)]
			}
			if l.t.dOut == none {
				l.t.dOut = d
			} else {
				l.t.more = append(l.t.more, d)
			}
		}
		if l.t.dOut == none {
			return n.errorf(l, "nothing uses its result")
		}
	}
	return n.err
}

// kernels appends the forward pass, the loss and the backward pass.
func (n *network) kernels() {
	for _, l := range n.layers {
		n.doing = n.workOf(l)
		n.forward(l)
	}
	n.doing = Work{}
	last := n.layers[len(n.layers)-1]
	n.kernel("makeLoss", ids(last.t.out), ids(last.t.dOut))
	for i := len(n.layers) - 1; i >= 0; i-- {
		l := n.layers[i]
		n.doing = n.workOf(l)
		if len(l.t.more) > 0 {
			n.kernel("Add_MultiGredient", append(ids(l.t.dOut), l.t.more...), ids(l.t.dOut))
		}
		n.backward(l)
	}
}

func (n *network) forward(l *layer) {
	t := &l.t
	name := layerNames[l.kind] + "_Forward"
	switch l.kind {
	case conv:
		if len(l.prev) == 0 {
			n.kernel("LoadData_A0", nil, ids(t.in))
		}
		n.kernel(name, ids(t.in, t.weight), ids(t.out))
	case dropout:
		n.kernel(name, ids(t.in, t.mask), ids(t.out))
	case linear:
		n.kernel(name, ids(t.in, t.weight, t.bias), ids(t.out))
	case batchNorm:
		n.kernel(name, ids(t.in, t.weight, t.runMu, t.runVar),
			ids(t.runMu, t.runVar, t.out, t.mu, t.va, t.v1, t.v2))
	case add, concat:
		var in []workload.TensorID
		for _, p := range l.prev {
			in = append(in, p.t.out)
		}
		n.kernel(name, in, ids(t.out))
	default:
		n.kernel(name, ids(t.in), ids(t.out))
	}
}

func (n *network) backward(l *layer) {
	t := &l.t
	name := layerNames[l.kind]
	switch l.kind {
	case conv:
		n.kernel("Conv2d_Backward_Weight", ids(t.dOut, t.in), ids(t.dWeight))
		n.kernel("Conv2d_Backward_Input", ids(t.dOut, t.weight), ids(t.dIn))
		n.kernel("Conv2d_Apply_Grad", ids(t.dWeight, t.weight), ids(t.weight))
	case relu, maxPool, avgPool:
		n.kernel(name+"_Backward", ids(t.in, t.dOut), ids(t.dIn))
	case dropout:
		n.kernel(name+"_Backward", ids(t.mask, t.dOut), ids(t.dIn))
	case linear:
		if l.bias {
			n.kernel("Linear_Backward_Bias", ids(t.dOut), ids(t.dBias))
			n.kernel("Linear_Apply_Grad_Bias", ids(t.dBias, t.bias), ids(t.bias))
		}
		n.kernel("Linear_Backward_Weight", ids(t.dOut, t.in), ids(t.dWeight))
		n.kernel("Linear_Backward_Input", ids(t.weight, t.dOut), ids(t.dIn))
		n.kernel("Linear_Apply_Grad_Weight", ids(t.dWeight, t.weight), ids(t.weight))
	case batchNorm:
		n.kernel("BatchNorm2d_Backward", ids(t.dOut, t.v1, t.v2, t.weight),
			ids(t.dIn, t.dWeight, t.dMu, t.dVa, t.dV1, t.dV2))
		n.kernel("BatchNorm2d_Apply_Grad", ids(t.dWeight, t.weight), ids(t.weight))
	case concat:
		n.kernel("Concat_Backward", ids(t.dOut), t.dIns)
	case scale:
		n.kernel("Scale_Backward", ids(t.dOut), ids(t.dIn))
	}
}

// moduleModel recognizes the three published networks by their layers.
func moduleModel(layers []*layer) string {
	var n [len(layerNames)]int
	for _, l := range layers {
		n[l.kind]++
	}
	switch {
	case n[conv] == 155 && n[add] == 50 && n[concat] == 0:
		return "resnet-152"
	case n[conv] == 94 && n[concat] == 15:
		return "inception-v3"
	case n[scale] == 50 && n[add] == 50:
		return "senet-154"
	}
	return ""
}
