package networks

import (
	"spillway/sim/kerneltime"
	"spillway/sim/workload"
)

// A convNext is torchvision's ConvNeXt: layers of each stage, and the channels of the first.
type convNext struct {
	layers   [4]int
	channels int64
}

func (c convNext) write(t *tape, s size) {
	x := t.conv("stem", t.load(s.side), c.channels, bare(4, 4).biased())
	x = t.channelNorm("stem.norm", x)
	for i, layers := range c.layers {
		if i > 0 {
			name := "downsample" + digits(i)
			x = t.conv(name, t.channelNorm(name+".norm", x), x.channels*2, bare(2, 2).biased())
		}
		for b := range layers {
			x = t.imageBlock("stages."+digits(i)+"."+digits(b), x, t.nextBlock)
		}
	}
	x = t.channelNorm("norm", t.average("avgpool", x, 1))
	t.loss(t.linear("head", x.value, t.batch, x.channels, 1000))
}

// nextBlock looks at each channel by itself, then at all channels of each place.
func (t *tape) nextBlock(x image) image {
	c, rows := x.channels, x.n/x.channels
	y := t.conv("dwconv", x, c, square(7, 1).grouped(c).biased())
	v := t.layerNorm("norm", t.permuted("to_rows", y.value), c)
	v = t.pointwise("gelu", "act", t.linear("pwconv1", v, rows, c, 4*c))
	v = t.linear("pwconv2", v, rows, 4*c, c)
	scale := t.leaf(t.param("gamma", c))
	v = t.permuted("to_channels", t.multiply("scaled", v, scale))
	return t.addImages("residual", x, x.of(v))
}

// channelNorm is layer normalization over channels.
func (t *tape) channelNorm(name string, x image) image {
	return x.of(t.permuted(name+".back", t.layerNorm(name, t.permuted(name+".rows", x.value), x.channels)))
}

// permuted changes the order of channels and places, which costs nothing in NHWC.
func (t *tape) permuted(name string, x *value) *value {
	if t.o.Layout == kerneltime.NHWC {
		return x
	}
	return t.contiguous(name, x)
}

// A swin is torchvision's Swin Transformer with windows of 7 by 7.
type swin struct {
	layers        [4]int
	hidden, heads int64
}

func (w swin) write(t *tape, s size) {
	x := t.conv("patch_embed", t.load(s.side), w.hidden, bare(4, 4).biased())
	x = t.channelNorm("patch_embed.norm", x)
	heads := w.heads
	for i, layers := range w.layers {
		if i > 0 {
			t.within("merge"+digits(i), func() { x = t.merged(x) })
			heads *= 2
		}
		for b := range layers {
			x = t.imageBlock("stages."+digits(i)+"."+digits(b), x, func(x image) image { return t.swinBlock(x, heads, b%2 == 1) })
		}
	}
	c := x.channels
	x.value = t.layerNorm("norm", x.value, c)
	t.classify("head", x, 1000)
}

// merged puts four places beside each other and makes half as many numbers of them.
func (t *tape) merged(x image) image {
	c := x.channels
	v := t.layerNorm("norm", t.contiguous("gathered", x.value), 4*c)
	v = t.matmul("reduction", v, x.n/c/4, 4*c, 2*c)
	return image{v, 2 * c, x.height / 2, x.width / 2}
}

// swinBlock attends within windows, which every second block shifts.
func (t *tape) swinBlock(x image, heads int64, shifted bool) image {
	const side = 7
	h, rows := x.channels, x.n/x.channels
	y := t.layerNorm("norm1", x.value, h)
	if shifted {
		y = t.contiguous("rolled", y)
	}
	y = t.contiguous("windows", y)
	parts := t.split(t.linear("attn.qkv", y, rows, h, 3*h), 1, 1, 1)
	table := t.leaf(t.param("attn.relative", (2*side-1)*(2*side-1)*heads))
	bias := t.result("attn.bias", side*side*side*side*heads, table)
	t.class(kerneltime.Embedding, "index", ids(table.id), ids(bias.id))
	t.onBackward(bias, func(g workload.TensorID) {
		dt := t.gradient(table)
		t.class(kerneltime.Embedding, "index_backward", ids(g), ids(dt))
		t.give(table, dt)
	})
	a := attention{heads: heads, kv: heads, dim: h / heads, samples: rows / (side * side), length: side * side, mask: none, bias: bias}
	y = t.linear("attn.proj", t.attend(a, parts[0], parts[1], parts[2]), rows, h, h)
	y = t.contiguous("unwindowed", y)
	if shifted {
		y = t.contiguous("unrolled", y)
	}
	v := t.add("residual1", x.value, y)
	y = t.pointwise("gelu", "mlp.act", t.linear("mlp.fc1", t.layerNorm("norm2", v, h), rows, h, 4*h))
	return x.of(t.add("residual2", v, t.linear("mlp.fc2", y, rows, 4*h, h)))
}
