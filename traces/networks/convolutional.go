package networks

import "slices"

// A body writes the forward pass of a network, loss included.
type body func(t *tape, s size)

// A residual is one of the residual networks: torchvision's ResNet, ResNeXt and Wide
// ResNet, and timm's SE-ResNeXt.
type residual struct {
	basic  bool // blocks of two 3x3 convolutions
	blocks [4]int
	groups int64
	width  int64 // of a group where the stage has 64 channels
	excite bool  // squeeze and excitation by 16
}

func (r residual) write(t *tape, s size) {
	x := t.unit("conv1", "relu", t.load(s.side), 64, square(7, 2))
	x = t.maxPool("maxpool", x, square(3, 2))
	for stage, count := range r.blocks {
		for i := range count {
			stride := int64(1)
			if i == 0 && stage > 0 {
				stride = 2
			}
			x = t.imageBlock("layer"+digits(stage+1)+"."+digits(i), x, func(x image) image {
				return r.block(t, x, 64<<stage, stride)
			})
		}
	}
	t.classify("fc", x, 1000)
}

// block adds to its input; one that changes the size passes the input through a
// convolution.
func (r residual) block(t *tape, x image, inner, stride int64) image {
	outer, y := 4*inner, x
	if r.basic {
		outer = inner
		y = t.unit("conv1", "relu", y, inner, square(3, stride))
		y = t.unit("conv2", "", y, outer, square(3, 1))
	} else {
		width := inner * r.width / 64 * r.groups
		y = t.unit("conv1", "relu", y, width, square(1, 1))
		y = t.unit("conv2", "relu", y, width, square(3, stride).grouped(r.groups))
		y = t.unit("conv3", "", y, outer, square(1, 1))
	}
	if r.excite {
		y = t.excite("se", y, outer/16, "relu", "sigmoid")
	}
	if stride > 1 || x.channels != outer {
		x = t.unit("downsample", "", x, outer, square(1, stride))
	}
	return t.relu(y.of(t.addTo(y.value, x.value)))
}

// imageBlock is block for images.
func (t *tape) imageBlock(name string, x image, f func(x image) image) image {
	var y image
	out := t.block(name, x.value, func(v *value) *value {
		y = f(x.of(v))
		return y.value
	})
	return y.of(out)
}

// vgg is torchvision's VGG; a 0 is a pooling.
type vgg struct {
	channels  []int64
	normalize bool
}

var (
	vgg11 = []int64{64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0}
	vgg13 = []int64{64, 64, 0, 128, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0}
	vgg16 = []int64{64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0}
	vgg19 = []int64{64, 64, 0, 128, 128, 0, 256, 256, 256, 256, 0, 512, 512, 512, 512, 0, 512, 512, 512, 512, 0}
)

func (v vgg) write(t *tape, s size) {
	x := t.load(s.side)
	for i, c := range v.channels {
		name := "features." + digits(i)
		if c == 0 {
			x = t.maxPool(name, x, bare(2, 2))
			continue
		}
		x = t.conv(name, x, c, square(3, 1).biased())
		if v.normalize {
			x = t.batchNorm(name+".bn", x)
		}
		x = t.relu(x)
	}
	x = t.average("avgpool", x, 7)
	t.loss(t.perceptrons(x.value, 25088, 4096))
}

// perceptrons is the end of AlexNet and VGG.
func (t *tape) perceptrons(x *value, in, inner int64) *value {
	x = t.inPlace("relu", t.linear("classifier.0", x, t.batch, in, inner))
	x = t.dropout("classifier.2", x)
	x = t.inPlace("relu", t.linear("classifier.3", x, t.batch, inner, inner))
	x = t.dropout("classifier.5", x)
	return t.linear("classifier.6", x, t.batch, inner, 1000)
}

// alexNet is torchvision's.
func alexNet(t *tape, s size) {
	x := t.relu(t.conv("features.0", t.load(s.side), 64, bare(11, 4).padded(2).biased()))
	x = t.maxPool("features.2", x, bare(3, 2))
	x = t.relu(t.conv("features.3", x, 192, square(5, 1).biased()))
	x = t.maxPool("features.5", x, bare(3, 2))
	for i, c := range []int64{384, 256, 256} {
		x = t.relu(t.conv("features."+digits(6+2*i), x, c, square(3, 1).biased()))
	}
	x = t.maxPool("features.12", x, bare(3, 2))
	x = t.average("avgpool", x, 6)
	y := t.dropout("classifier.dropout", x.value)
	t.loss(t.perceptrons(y, 9216, 4096))
}

// dense is torchvision's DenseNet: every layer reads what all before it in the block made.
type dense struct {
	growth, first int64
	blocks        []int
}

func (d dense) write(t *tape, s size) {
	x := t.unit("conv0", "relu", t.load(s.side), d.first, square(7, 2))
	x = t.maxPool("pool0", x, square(3, 2))
	for b, layers := range d.blocks {
		name := "denseblock" + digits(b+1)
		parts := []image{x}
		for i := range layers {
			t.within(name+".denselayer"+digits(i+1), func() {
				y := t.cat("cat", parts...)
				y = t.relu(t.batchNorm("norm1", y))
				y = t.unit("conv1", "relu", y, 4*d.growth, square(1, 1))
				parts = append(parts, t.conv("conv2", y, d.growth, square(3, 1)))
			})
		}
		x = t.cat(name+".cat", parts...)
		if b+1 < len(d.blocks) {
			t.within("transition"+digits(b+1), func() {
				x = t.relu(t.batchNorm("norm", x))
				x = t.conv("conv", x, x.channels/2, square(1, 1))
				x = t.avgPool("pool", x, bare(2, 2))
			})
		}
	}
	t.classify("classifier", t.relu(t.batchNorm("norm5", x)), 1000)
}

// squeeze is torchvision's SqueezeNet, version 1.0 or 1.1: its first convolution, and the
// blocks that pooling follows.
func squeeze(channels int64, w window, pools ...int) body {
	return func(t *tape, s size) {
		x := t.relu(t.conv("features.0", t.load(s.side), channels, w.biased()))
		x = t.maxPool("features.2", x, bare(3, 2).ceiled())
		for i, c := range []int64{16, 16, 32, 32, 48, 48, 64, 64} {
			x = t.imageBlock("fire"+digits(i+2), x, func(x image) image { return t.fire(x, c) })
			if slices.Contains(pools, i+2) {
				x = t.maxPool("pool"+digits(i+2), x, bare(3, 2).ceiled())
			}
		}
		v := t.dropout("dropout", x.value)
		x = t.relu(t.conv("classifier.1", x.of(v), 1000, bare(1, 1).biased()))
		t.loss(t.average("avgpool", x, 1).value)
	}
}

// fire squeezes channels and expands them by two kinds of window.
func (t *tape) fire(x image, inner int64) image {
	x = t.relu(t.conv("squeeze", x, inner, bare(1, 1).biased()))
	a := t.relu(t.conv("expand1x1", x, 4*inner, bare(1, 1).biased()))
	b := t.relu(t.conv("expand3x3", x, 4*inner, square(3, 1).biased()))
	return t.cat("cat", a, b)
}
