package networks

import (
	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A denoiser is the U-Net of Stable Diffusion (diffusers' UNet2DConditionModel), trained on what
// the frozen encoders of images and texts made beforehand: it predicts the noise in latents, an
// eighth of the image's side each way.
type denoiser struct {
	channels []int64 // of each level
	depth    []int   // transformer layers behind every residual block of a level; 0: none
	bridge   int     // the same in the middle
	heads    []int64 // of each level
	context  int64   // width of a token of the text
	products bool    // images enter transformers by a product, not by a convolution
	pooled   int64   // width of what is added to the step's embedding: SDXL's pooled text and sizes
}

// What all of them have: latents of 4 channels, 77 tokens of text, 32 groups of channels, and two
// residual blocks a level on the way down, three on the way up.
const (
	latentChannels = 4
	latentPixels   = 8 // of the image, each way
	textTokens     = 77
	normGroups     = 32
)

// The surroundings of a block of a denoiser are what it reads besides the image.
type surroundings struct {
	embedding *value // of the step, all samples
	text      *value
	wide      int64 // of the embedding
}

func (d denoiser) write(t *tape, s size) {
	first := d.channels[0]
	side := s.side / latentPixels
	n := int64(latentChannels) * side * side
	latents := t.input("latents", unit.Bytes(n)*t.full)
	x := image{&value{id: latents, n: t.batch * n, size: t.full, grad: none}, latentChannels, side, side}
	words := t.batch * textTokens * d.context
	text := &value{id: t.input("text", unit.Bytes(textTokens*d.context)*t.act), n: words, size: t.act, grad: none}
	noise := t.input("noise", unit.Bytes(n)*t.full)

	at := surroundings{text: text, wide: 4 * first}
	at.embedding = d.embed(t, "time_embedding", "steps", first, at.wide)
	if d.pooled > 0 {
		at.embedding = t.add("embedding", at.embedding, d.embed(t, "add_embedding", "sizes", d.pooled, at.wide))
	}
	at.embedding = t.pointwise("silu", "embedding.act", at.embedding)

	x = t.conv("conv_in", x, first, square(3, 1).biased())
	skips := []image{x}
	last := len(d.channels) - 1
	for level, c := range d.channels {
		for i := range 2 {
			name := "down" + digits(level) + "." + digits(i)
			x = d.unit(t, name, x, c, level, d.depth[level], at)
			skips = append(skips, x)
		}
		if level < last {
			x = t.conv("down"+digits(level)+".downsample", x, c, square(3, 2).biased())
			skips = append(skips, x)
		}
	}
	x = d.unit(t, "mid.0", x, d.channels[last], last, d.bridge, at)
	x = d.unit(t, "mid.1", x, d.channels[last], last, 0, at)
	for level := last; level >= 0; level-- {
		for i := range 3 {
			name := "up" + digits(last-level) + "." + digits(i)
			x = t.cat(name+".cat", x, skips[len(skips)-1])
			skips = skips[:len(skips)-1]
			x = d.unit(t, name, x, d.channels[level], level, d.depth[level], at)
		}
		if level > 0 {
			name := "up" + digits(last-level) + ".upsample"
			x = t.conv(name, t.doubled(name, x), d.channels[level], square(3, 1).biased())
		}
	}
	x = t.activate("silu", t.groupNorm("conv_norm_out", x))
	x = t.conv("conv_out", x, latentChannels, square(3, 1).biased())
	if !t.o.Inference {
		t.squaredError(x.value, noise)
	}
}

// embed is a small network over sines of numbers that come with each sample.
func (d denoiser) embed(t *tape, name, numbers string, in, out int64) *value {
	each := t.input(numbers, long)
	sines := &value{id: t.scratch(name+".sines", unit.Bytes(t.batch*in)*t.act), n: t.batch * in, size: t.act, grad: none}
	t.move("sinusoid", ids(each), ids(sines.id))
	y := t.pointwise("silu", name+".act", t.linear(name+".linear_1", sines, t.batch, in, out))
	return t.linear(name+".linear_2", y, t.batch, out, out)
}

// unit is a residual block and what transformer layers follow it.
func (d denoiser) unit(t *tape, name string, x image, channels int64, level, depth int, at surroundings) image {
	x = t.imageBlock(name+".resnet", x, func(x image) image {
		y := t.activate("silu", t.groupNorm("norm1", x))
		y = t.conv("conv1", y, channels, square(3, 1).biased())
		e := t.linear("time_emb_proj", at.embedding, t.batch, at.wide, channels)
		y = y.of(t.add("timed", y.value, e))
		y = t.activate("silu", t.groupNorm("norm2", y))
		y = t.conv("conv2", y, channels, square(3, 1).biased())
		if x.channels != channels {
			x = t.conv("conv_shortcut", x, channels, bare(1, 1).biased())
		}
		return t.addImages("residual", y, x)
	})
	if depth == 0 {
		return x
	}
	y := x
	t.within(name+".attn", func() {
		rows := t.batch * x.height * x.width
		y = t.groupNorm("norm", y)
		enter := func(name string, y image) *value {
			if d.products {
				return t.linear(name, t.permuted(name+".rows", y.value), rows, channels, channels)
			}
			return t.permuted(name+".rows", t.conv(name, y, channels, bare(1, 1).biased()).value)
		}
		v := enter("proj_in", y)
		for i := range depth {
			v = t.block("layer"+digits(i), v, func(v *value) *value { return d.layer(t, v, rows, x.height*x.width, channels, d.heads[level], at.text) })
		}
		if d.products {
			y = y.of(t.permuted("proj_out.back", t.linear("proj_out", v, rows, channels, channels)))
		} else {
			y = t.conv("proj_out", y.of(t.permuted("proj_out.back", v)), channels, bare(1, 1).biased())
		}
		y = t.addImages("residual", y, x)
	})
	return y
}

// layer is attention of places to places, to the text, and a gated pair of products.
func (d denoiser) layer(t *tape, x *value, rows, places, c, heads int64, text *value) *value {
	attend := func(name string, y, of *value, from, width, keys int64) *value {
		q := t.matmul(name+".to_q", y, rows, c, c)
		k := t.matmul(name+".to_k", of, from, width, c)
		v := t.matmul(name+".to_v", of, from, width, c)
		a := attention{heads: heads, kv: heads, dim: c / heads, samples: t.batch, length: places, keys: keys, mask: none}
		return t.linear(name+".to_out", t.attend(a, q, k, v), rows, c, c)
	}
	y := t.layerNorm("norm1", x, c)
	x = t.add("residual1", attend("attn1", y, y, rows, c, places), x)
	x = t.add("residual2", attend("attn2", t.layerNorm("norm2", x, c), text, t.batch*textTokens, d.context, textTokens), x)
	parts := t.split(t.linear("ff.proj", t.layerNorm("norm3", x, c), rows, c, 8*c), 1, 1)
	y = t.multiply("ff.gated", parts[0], t.pointwise("gelu", "ff.gelu", parts[1]))
	return t.add("residual3", t.linear("ff.out", y, rows, 4*c, c), x)
}

// groupNorm normalizes groups of channels, in fp32 under autocast, as layerNorm does.
func (t *tape) groupNorm(name string, x image) image {
	t.call()
	w, b := t.param(name+".weight", x.channels), t.param(name+".bias", x.channels)
	x.value = t.wide(x.value)
	y := t.sized(name, x.n, t.full, x.value, &w.value)
	groups := unit.Bytes(t.batch*normGroups) * single
	mean, rstd := t.scratch(name+".mean", groups), t.scratch(name+".rstd", groups)
	t.norm("group_norm_forward", y.size, ids(x.id, t.use(w), t.use(b)), ids(y.id, mean, rstd))
	t.onBackward(y, func(g workload.TensorID) {
		dx, dw, db := t.gradient(x.value), t.gradient(&w.value), t.gradient(&b.value)
		t.norm("group_norm_backward_input", y.size, ids(g, x.id, mean, rstd, w.id), ids(dx))
		t.class(kerneltime.Reduction, "group_norm_backward_weight", ids(g, x.id, mean, rstd), ids(dw, db))
		t.give(x.value, dx)
		t.finish(w, dw)
		t.finish(b, db)
	})
	return x.of(t.to(y, t.float))
}

// doubled repeats every number of an image, each way.
func (t *tape) doubled(name string, x image) image {
	t.call()
	y := image{t.result(name+".doubled", 4*x.n, x.value), x.channels, 2 * x.height, 2 * x.width}
	t.move("upsample_forward", ids(x.id), ids(y.id))
	t.onBackward(y.value, func(g workload.TensorID) {
		dx := t.gradient(x.value)
		t.move("upsample_backward", ids(g), ids(dx))
		t.give(x.value, dx)
	})
	return y
}

// squaredError is the mean of squared differences from what was wanted, in fp32.
func (t *tape) squaredError(x *value, wanted workload.TensorID) {
	t.call()
	x = t.to(x, t.full)
	loss := t.scratch("loss", single)
	t.class(kerneltime.Reduction, "mse_loss_forward", ids(x.id, wanted), ids(loss))
	if t.lost > 0 || !x.needs {
		return
	}
	t.undo = append(t.undo, func() {
		dx := t.gradient(x)
		t.move("mse_loss_backward", ids(x.id, wanted), ids(dx))
		t.give(x, dx)
	})
}

func diffusions() []Network {
	const family = "U-Net"
	deep := []int64{320, 640, 1280, 1280}
	one := []int{1, 1, 1, 0}
	list := []Network{
		images(family, "stable-diffusion-v1-5", "U-Net of Stable Diffusion 1.5", 859520964,
			denoiser{channels: deep, depth: one, bridge: 1, heads: []int64{8, 8, 8, 8}, context: 768}.write,
			"stable-diffusion-v1-4", "sd-1.5", "sd15").resized(512),
		images(family, "stable-diffusion-2-1-base", "U-Net of Stable Diffusion 2.1", 865910724,
			denoiser{channels: deep, depth: one, bridge: 1, heads: []int64{5, 10, 20, 20}, context: 1024, products: true}.write,
			"stable-diffusion-2-1", "stable-diffusion-2-base", "sd-2.1").resized(512),
		images(family, "stable-diffusion-xl-base-1.0", "U-Net of Stable Diffusion XL", 2567463684,
			denoiser{channels: []int64{320, 640, 1280}, depth: []int{0, 2, 10}, bridge: 10, heads: []int64{5, 10, 20}, context: 2048, products: true, pooled: 2816}.write,
			"sdxl").resized(1024),
	}
	for i := range list {
		list[i].Optimizer, list[i].multiple = "adam", 64
	}
	return list
}
