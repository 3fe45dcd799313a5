package eager

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

// load loads images.
func (t *tape) load(name string, channels, height, width int64) image {
	n := channels * height * width
	id := t.input(name, unit.Bytes(n)*element)
	return image{&value{id: id, n: t.batch * n, grad: none}, channels, height, width}
}

// A window slides over images.
type window struct{ size, stride, pad int64 }

func (w window) over(n int64) int64 { return (n+2*w.pad-w.size)/w.stride + 1 }

// conv2d saves its input and its weight. Its workspaces are left out.
func (t *tape) conv2d(name string, x image, channels int64, w window) image {
	y := image{nil, channels, w.over(x.height), w.over(x.width)}
	macs := t.batch * channels * y.height * y.width * x.channels * w.size * w.size
	y.value = t.convolve("conv2d", name, x.value, t.batch*channels*y.height*y.width,
		channels*x.channels*w.size*w.size, cost{class: convolution, flops: 2 * float64(macs), shape: t.shape(x, channels, w, 1)})
	return y
}

// shape is a convolution of x as the law has it.
func (t *tape) shape(x image, channels int64, w window, groups int64) kerneltime.Kernel {
	return kerneltime.Kernel{Batch: t.batch, C: x.channels, H: x.height, W: x.width, K: channels, R: w.size, S: w.size, Stride: w.stride, Pad: w.pad, Groups: groups}
}

// depthwise2d is a convolution of every channel by itself.
func (t *tape) depthwise2d(name string, x image, w window) image {
	y := image{nil, x.channels, w.over(x.height), w.over(x.width)}
	n := t.batch * y.channels * y.height * y.width
	y.value = t.convolve("depthwise_conv2d", name, x.value, n, x.channels*w.size*w.size,
		cost{class: depthwise, flops: 2 * float64(n*w.size*w.size), shape: t.shape(x, x.channels, w, x.channels)})
	return y
}

// transposed2d is a convolution's gradient used as an operator.
func (t *tape) transposed2d(name string, x image, channels int64, w window) image {
	up := func(n int64) int64 { return (n-1)*w.stride - 2*w.pad + w.size }
	y := image{nil, channels, up(x.height), up(x.width)}
	macs := t.batch * channels * x.height * x.width * x.channels * w.size * w.size
	y.value = t.convolve("conv_transpose2d", name, x.value, t.batch*channels*y.height*y.width,
		channels*x.channels*w.size*w.size, cost{class: convolution, flops: 2 * float64(macs), shape: t.shape(y, x.channels, w, 1)}, kerneltime.ConvData, kerneltime.ConvForward)
	return y
}

// convolve launches one of the three convolutions: n numbers from a weight of a size.
// The law's classes of it and of its input's gradient are a convolution's where none are given.
func (t *tape) convolve(kernel, name string, x *value, n, weight int64, c cost, classes ...kerneltime.Class) *value {
	if classes == nil {
		classes = []kerneltime.Class{kerneltime.ConvForward, kerneltime.ConvData}
	}
	w := t.param(name+".weight", weight)
	y := t.result(name, n, x, &w.value)
	t.kernel(kernel+"_forward", c.is(classes[0]), ids(x.id, w.use()), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		if x.needs {
			dx := t.gradient(x)
			t.kernel(kernel+"_backward_input", c.is(classes[1]), ids(g, w.id), ids(dx))
			t.give(x, dx)
		}
		dw := t.gradient(&w.value)
		t.kernel(kernel+"_backward_weight", c.is(kerneltime.ConvWeight), ids(x.id, g), ids(dw))
		t.finish(w, dw)
	})
	return y
}

// batchNorm saves its input, and a mean and a reciprocal deviation for each channel.
func (t *tape) batchNorm(name string, x image) image {
	c := x.channels
	w, b := t.param(name+".weight", c), t.param(name+".bias", c)
	size := unit.Bytes(c) * element
	running := ids(t.buffer(name+".running_mean", size), t.buffer(name+".running_var", size))
	y := t.result(name, x.n, x.value, &w.value)
	mean, invstd := t.scratch(name+".mean", size), t.scratch(name+".invstd", size)
	passes := cost{shape: kerneltime.Kernel{Class: kerneltime.BatchNorm, Bytes: unit.Bytes(x.n) * element, Passes: kerneltime.PassesBatchNorm}}
	t.kernel("batch_norm_forward", passes, append(ids(x.id, w.use(), b.use()), running...), append(ids(y.id, mean, invstd), running...))
	t.onBackward(y, func(g workload.TensorID) {
		dx, dw, db := t.gradient(x.value), t.gradient(&w.value), t.gradient(&b.value)
		passes.shape.Passes = kerneltime.PassesBatchNormBackward
		t.kernel("batch_norm_backward", passes, ids(g, x.id, mean, invstd, w.id), ids(dx, dw, db))
		t.give(x.value, dx)
		t.finish(w, dw)
		t.finish(b, db)
	})
	return image{y, c, x.height, x.width}
}

// relu works in place and saves its result.
func (t *tape) relu(x image) image {
	x.value = t.inPlace("relu", x.value)
	return x
}

// maxPool saves an index for each result.
func (t *tape) maxPool(name string, x image, w window) image {
	y := image{nil, x.channels, w.over(x.height), w.over(x.width)}
	y.value = t.result(name, t.batch*y.channels*y.height*y.width, x.value)
	index := t.scratch(name+".indices", unit.Bytes(y.n)*long)
	t.as(kerneltime.Pooling, "max_pool2d_forward", ids(x.id), ids(y.id, index))
	t.onBackward(y.value, func(g workload.TensorID) {
		dx := t.gradient(x.value)
		t.as(kerneltime.Pooling, "max_pool2d_backward", ids(g, index), ids(dx))
		t.give(x.value, dx)
	})
	return y
}

// classify averages every channel and ends the network with one product and the loss.
func (t *tape) classify(x image, labels workload.TensorID, classes int64) {
	y := t.result("avgpool", t.batch*x.channels, x.value)
	t.as(kerneltime.Pooling, "mean", ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x.value)
		t.as(kerneltime.Pooling, "mean_backward", ids(g), ids(dx))
		t.give(x.value, dx)
	})
	t.crossEntropy(t.addmm("fc", y, t.batch, x.channels, classes), labels)
}

// A stem is the beginning of a residual network.
type stem struct {
	size, classes int64 // of the images
	pool          bool
}

// resNet is torchvision's network of bottleneck blocks; blocks says how many each of
// the four stages has.
func resNet(s stem, blocks ...int) func(*tape, int64, optimizer) {
	return func(t *tape, _ int64, o optimizer) {
		x, labels := t.load("images", 3, s.size, s.size), t.input("labels", long)
		x = t.relu(t.batchNorm("bn1", t.conv2d("conv1", x, 64, window{7, 2, 3})))
		if s.pool {
			x = t.maxPool("maxpool", x, window{3, 2, 1})
		}
		for stage, count := range blocks {
			inner := int64(64) << stage
			for i := range count {
				stride := int64(1)
				if i == 0 && stage > 0 {
					stride = 2
				}
				t.within("layer"+digits(stage+1)+"."+digits(i), func() { x = t.bottleneck(x, inner, stride) })
			}
		}
		t.classify(x, labels, s.classes)
		t.zero(t.params)
		t.backward(0)
		t.step(o, t.params)
	}
}

// bottleneck adds to its input in place; a block that changes the size passes the input
// through a convolution.
func (t *tape) bottleneck(x image, inner, stride int64) image {
	outer := 4 * inner
	y := t.relu(t.batchNorm("bn1", t.conv2d("conv1", x, inner, window{1, 1, 0})))
	y = t.relu(t.batchNorm("bn2", t.conv2d("conv2", y, inner, window{3, stride, 1})))
	y = t.batchNorm("bn3", t.conv2d("conv3", y, outer, window{1, 1, 0}))
	if stride > 1 || x.channels != outer {
		x = t.batchNorm("downsample.1", t.conv2d("downsample.0", x, outer, window{1, stride, 0}))
	}
	y.value = t.addTo(y.value, x.value)
	return t.relu(y)
}
