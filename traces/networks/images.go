package networks

import (
	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// An image is a value of channels of height by width numbers a sample.
type image struct {
	*value
	channels, height, width int64
}

// of returns v with the shape of x.
func (x image) of(v *value) image { return image{v, x.channels, x.height, x.width} }

// load loads images of three channels.
func (t *tape) load(side int64) image { return t.loaded(side, 3) }

// loaded is load for images of so many numbers a pixel.
func (t *tape) loaded(side, channels int64) image {
	n := channels * side * side
	id := t.input("images", unit.Bytes(n)*t.full)
	return image{&value{id: id, n: t.batch * n, size: t.full, grad: none}, channels, side, side}
}

// A window slides over images.
type window struct {
	height, width   int64
	stride          int64
	padding, beside int64 // above and below, left and right
	groups          int64
	bias, ceil      bool
}

// square is the usual window, padded so that stride 1 keeps the size.
func square(size, stride int64) window {
	return window{height: size, width: size, stride: stride, padding: size / 2, beside: size / 2, groups: 1}
}

// bare is square without padding.
func bare(size, stride int64) window {
	return window{height: size, width: size, stride: stride, groups: 1}
}

func (w window) grouped(groups int64) window { w.groups = groups; return w }
func (w window) biased() window              { w.bias = true; return w }
func (w window) ceiled() window              { w.ceil = true; return w }
func (w window) padded(n int64) window       { w.padding, w.beside = n, n; return w }

func (w window) over(n, size, pad int64) int64 {
	m := n + 2*pad - size
	if w.ceil {
		m += w.stride - 1
	}
	return m/w.stride + 1
}

// on returns the shape of what w makes of x.
func (w window) on(x image, channels int64) image {
	return image{nil, channels, w.over(x.height, w.height, w.padding), w.over(x.width, w.width, w.beside)}
}

// conv saves its input and its weight. Its workspaces are left out.
func (t *tape) conv(name string, x image, channels int64, w window) image {
	t.call()
	x.value = t.narrow(x.value)
	y := w.on(x, channels)
	weight := t.param(name+".weight", channels*(x.channels/w.groups)*w.height*w.width)
	k := t.lower(weight)
	y.value = t.result(name, t.batch*channels*y.height*y.width, x.value, k)
	shape := kerneltime.Kernel{
		Batch: t.batch, C: x.channels, H: x.height, W: x.width, K: channels, R: w.height, S: w.width,
		Stride: w.stride, Pad: w.padding, Groups: w.groups, Layout: t.o.Layout,
	}
	if w.padding != w.beside { // the law knows one padding: the rest is part of the image
		shape.H, shape.W, shape.Pad = x.height+2*w.padding, x.width+2*w.beside, 0
	}
	launch := func(class kerneltime.Class, kernel string, in, out []workload.TensorID) {
		shape.Class = class
		t.kernel(kernel, shape, in, out)
	}
	launch(kerneltime.ConvForward, "conv_forward", ids(x.id, k.id), ids(y.id))
	t.onBackward(y.value, func(g workload.TensorID) {
		if x.needs {
			dx := t.gradient(x.value)
			launch(kerneltime.ConvData, "conv_backward_input", ids(g, k.id), ids(dx))
			t.give(x.value, dx)
		}
		dw := t.gradient(k)
		launch(kerneltime.ConvWeight, "conv_backward_weight", ids(x.id, g), ids(dw))
		t.finish(weight, dw)
	})
	if w.bias {
		y.value = t.convBias(name, y)
	}
	return y
}

// convBias adds a bias for each channel in place.
func (t *tape) convBias(name string, x image) *value {
	bias := t.param(name+".bias", x.channels)
	b := t.lower(bias)
	y := same(x.value)
	t.kernel("bias_add", kerneltime.Kernel{Bytes: 2 * x.bytes()}, ids(x.id, b.id), ids(x.id))
	t.onBackward(y, func(g workload.TensorID) {
		db := t.gradient(b)
		t.class(kerneltime.Reduction, "conv_backward_bias", ids(g), ids(db))
		t.finish(bias, db)
		t.give(x.value, g)
	})
	return y
}

// batchNorm saves its input, and a mean and a reciprocal deviation for each channel. Its
// parameters stay in fp32 under autocast.
func (t *tape) batchNorm(name string, x image) image {
	t.call()
	c := x.channels
	w, b := t.param(name+".weight", c), t.param(name+".bias", c)
	size, kept := unit.Bytes(c)*single, unit.Bytes(c)*t.full
	running := ids(t.buffer(name+".running_mean", kept), t.buffer(name+".running_var", kept))
	y := t.sized(name, x.n, x.size, x.value, &w.value)
	k := kerneltime.Kernel{Class: kerneltime.BatchNorm, Bytes: x.bytes(), Passes: kerneltime.PassesBatchNorm}
	if t.o.Inference {
		k.Passes = kerneltime.PassesBatchNormInference
		t.kernel("batch_norm_inference", k, append(ids(x.id, w.id, b.id), running...), ids(y.id))
		return x.of(y)
	}
	mean, invstd := t.scratch(name+".mean", size), t.scratch(name+".invstd", size)
	t.kernel("batch_norm_forward", k, append(ids(x.id, t.use(w), t.use(b)), running...), append(ids(y.id, mean, invstd), running...))
	t.onBackward(y, func(g workload.TensorID) {
		dx, dw, db := t.gradient(x.value), t.gradient(&w.value), t.gradient(&b.value)
		k.Passes = kerneltime.PassesBatchNormBackward
		t.kernel("batch_norm_backward", k, ids(g, x.id, mean, invstd, w.id), ids(dx, dw, db))
		t.give(x.value, dx)
		t.finish(w, dw)
		t.finish(b, db)
	})
	return x.of(y)
}

// relu works in place and saves its result.
func (t *tape) relu(x image) image { return x.of(t.inPlace("relu", x.value)) }

// relu6 works in place too, but its backward pass wants the input: autograd copies it before.
func (t *tape) relu6(x image) image {
	saved := x.id
	if !t.o.Inference {
		saved = t.scratch("relu6.input", x.bytes())
		t.class(kerneltime.Copy, "clone", ids(x.id), ids(saved))
	}
	return x.of(t.overwrite("relu6", x.value, saved))
}

// activate applies an activation: "relu" and "relu6" in place, others by a kernel that saves
// its input. An empty one is none.
func (t *tape) activate(kind string, x image) image {
	switch kind {
	case "":
		return x
	case "relu":
		return t.relu(x)
	case "relu6":
		return t.relu6(x)
	}
	return x.of(t.pointwise(kind, kind, x.value))
}

// unit is a convolution, normalized and activated: most of what image networks are.
func (t *tape) unit(name, kind string, x image, channels int64, w window) image {
	return t.activate(kind, t.batchNorm(name+".bn", t.conv(name, x, channels, w)))
}

// maxPool saves an index for each result.
func (t *tape) maxPool(name string, x image, w window) image {
	t.call()
	y := w.on(x, x.channels)
	y.value = t.result(name, t.batch*y.channels*y.height*y.width, x.value)
	index := t.scratch(name+".indices", unit.Bytes(y.n)*long)
	t.class(kerneltime.Pooling, "max_pool_forward", ids(x.id), ids(y.id, index))
	t.onBackward(y.value, func(g workload.TensorID) {
		dx := t.gradient(x.value)
		t.class(kerneltime.Pooling, "max_pool_backward", ids(g, index), ids(dx))
		t.give(x.value, dx)
	})
	return y
}

// avgPool saves nothing.
func (t *tape) avgPool(name string, x image, w window) image {
	return t.pooled(name, x, w.on(x, x.channels), kerneltime.Pooling)
}

// average is the mean of every channel, or of its quarters and so on: side by side numbers.
func (t *tape) average(name string, x image, side int64) image {
	return t.pooled(name, x, image{nil, x.channels, side, side}, kerneltime.Pooling)
}

func (t *tape) pooled(name string, x, y image, class kerneltime.Class) image {
	t.call()
	y.value = t.result(name, t.batch*y.channels*y.height*y.width, x.value)
	t.class(class, "avg_pool_forward", ids(x.id), ids(y.id))
	t.onBackward(y.value, func(g workload.TensorID) {
		dx := t.gradient(x.value)
		t.class(class, "avg_pool_backward", ids(g), ids(dx))
		t.give(x.value, dx)
	})
	return y
}

// cat puts images beside each other by channels. Its gradient is cut into copies.
func (t *tape) cat(name string, parts ...image) image {
	if len(parts) == 1 {
		return parts[0]
	}
	t.call()
	y := parts[0]
	y.channels = 0
	var in []workload.TensorID
	var from []*value
	var n int64
	for _, p := range parts {
		y.channels += p.channels
		n += p.n
		in, from = append(in, p.id), append(from, p.value)
	}
	y.value = t.result(name, n, from...)
	t.class(kerneltime.Copy, "cat", in, ids(y.id))
	t.onBackward(y.value, func(g workload.TensorID) {
		for _, p := range parts {
			if !p.needs {
				continue
			}
			dp := t.gradient(p.value)
			t.kernel("narrow", kerneltime.Kernel{Class: kerneltime.Copy, Bytes: 2 * p.bytes()}, ids(g), ids(dp))
			t.give(p.value, dp)
		}
	})
	return y
}

// excite scales channels by what a small network makes of their means (squeeze and
// excitation).
func (t *tape) excite(name string, x image, inner int64, act, gate string) image {
	s := t.average(name+".mean", x, 1)
	s = t.activate(act, t.conv(name+".reduce", s, inner, bare(1, 1).biased()))
	s = t.activate(gate, t.conv(name+".expand", s, x.channels, bare(1, 1).biased()))
	return x.of(t.multiply(name+".scaled", x.value, s.value))
}

// add adds images.
func (t *tape) addImages(name string, a, b image) image { return a.of(t.add(name, a.value, b.value)) }

// classify averages every channel and ends the network with one product and the loss.
func (t *tape) classify(name string, x image, classes int64) {
	x = t.average("avgpool", x, 1)
	t.loss(t.linear(name, x.value, t.batch, x.channels, classes))
}

// loss is the cross entropy of classes; inference has none.
func (t *tape) loss(logits *value) {
	if t.o.Inference {
		return
	}
	t.crossEntropy(logits, t.input("labels", long))
}
