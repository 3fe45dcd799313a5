package eager

import (
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// mobileNet is MobileNet v1 at full width for images of 32 by 32, whose first
// convolution keeps the size.
func mobileNet(t *tape, _ int64, o optimizer) {
	x, labels := t.load("images", 3, 32, 32), t.input("labels", long)
	x = t.relu(t.batchNorm("stem.bn", t.conv2d("stem.conv", x, 32, window{3, 1, 1})))
	for i, b := range []struct{ channels, stride int64 }{
		{64, 1},
		{128, 2},
		{128, 1},
		{256, 2},
		{256, 1},
		{512, 2},
		{512, 1},
		{512, 1},
		{512, 1},
		{512, 1},
		{512, 1},
		{1024, 2},
		{1024, 1},
	} {
		t.within("block"+digits(i), func() {
			x = t.relu(t.batchNorm("bn1", t.depthwise2d("depthwise", x, window{3, b.stride, 1})))
			x = t.relu(t.batchNorm("bn2", t.conv2d("pointwise", x, b.channels, window{1, 1, 0})))
		})
	}
	t.classify(x, labels, 100)
	t.zero(t.params)
	t.backward(0)
	t.step(o, t.params)
}

// dcgan is the step of PyTorch's example: the discriminator on real images, then on
// generated ones, then the generator, whose gradient comes through the discriminator and
// leaves one there that nobody uses.
func dcgan(t *tape, _ int64, o optimizer) {
	images := t.load("images", 3, 64, 64)
	t.pass = "/real"
	t.judge(images)
	discriminator := t.params
	t.zero(discriminator)
	t.backward(0)

	t.pass = ""
	noise := t.scratch("noise", unit.Bytes(t.batch*100)*element)
	t.move("randn", nil, ids(noise))
	fake := t.generate(image{&value{id: noise, n: t.batch * 100, grad: none}, 100, 1, 1})
	generator, mark := t.params[len(discriminator):], len(t.undo)
	t.pass = "/fake"
	t.judge(image{detached(fake.value), fake.channels, fake.height, fake.width})
	t.backward(mark)
	t.step(o, discriminator)

	t.pass = "/generator"
	t.zero(generator)
	t.judge(fake)
	t.backward(0)
	t.step(o, generator)
}

// generate turns noise into images of 64 by 64.
func (t *tape) generate(x image) image {
	t.within("generator", func() {
		w := window{4, 1, 0}
		for i, channels := range []int64{512, 256, 128, 64} {
			x = t.relu(t.batchNorm("bn"+digits(i), t.transposed2d("conv"+digits(i), x, channels, w)))
			w = window{4, 2, 1}
		}
		x = t.transposed2d("conv4", x, 3, w)
		x.value = t.fromResult("tanh", "images", x.value)
	})
	return x
}

// judge ends in the loss of whether images are real.
func (t *tape) judge(x image) {
	t.within("discriminator", func() {
		w := window{4, 2, 1}
		for i, channels := range []int64{64, 128, 256, 512} {
			x = t.conv2d("conv"+digits(i), x, channels, w)
			if i > 0 {
				x = t.batchNorm("bn"+digits(i), x)
			}
			x.value = t.inPlace("leaky_relu", x.value)
		}
		x = t.conv2d("conv4", x, 1, window{4, 1, 0})
		t.binaryCrossEntropy(t.fromResult("sigmoid", "sigmoid", x.value))
	})
}

// binaryCrossEntropy is the loss against labels that are all the same; both are saved.
func (t *tape) binaryCrossEntropy(x *value) {
	labels, loss := t.scratch("labels", unit.Bytes(x.n)*element), t.scratch("loss", element)
	t.move("fill", nil, ids(labels))
	t.lossOn("binary_cross_entropy", x, labels, loss)
}

// lossOn is a loss that saves what it compares.
func (t *tape) lossOn(kernel string, x *value, labels, loss workload.TensorID) {
	t.move(kernel+"_forward", ids(x.id, labels), ids(loss))
	t.undo = append(t.undo, func() {
		dx := t.gradient(x)
		t.move(kernel+"_backward", ids(x.id, labels), ids(dx))
		t.give(x, dx)
	})
}
