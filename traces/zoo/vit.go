package zoo

import "spillway/sim/kerneltime"

var vitS32 = Model{
	ID: "vit-s-32", Title: "ViT-S/32", Parameters: 22878568,
	About: "Vision transformer with 12 layers of width 384 for 224x224 images cut into 32x32 patches, 23 million parameters. " +
		"As G10 evaluates it: biases as large as activations, the class token not a tensor of its own.",
	Source:       "Dosovitskiy et al., An Image Is Worth 16x16 Words, ICLR 2021; Steiner et al., How to Train Your ViT, TMLR 2022 (size S); evaluated in G10, MICRO 2023",
	Sample:       "images",
	DefaultBatch: 1280, Batches: []int{256, 512, 768, 1024, 1280}, MinBatch: 1, MaxBatch: maxImages,
	profiled: true,
	define:   vit,
}

func vit(samples int, exact bool) (graph, error) {
	const (
		border         = 184 // trans_borden in the artifact's configs
		image, patch   = 224, 32
		side           = image / patch
		length, hidden = side*side + 1, 384
		heads, layers  = 6, 12
		colors         = 3
	)
	e := encode(border, length, hidden, heads, exact)
	kernel := view{e.weight(hidden * colors * patch * patch), shape{hidden, colors, patch, patch}}
	patches := e.op("Convolution", view{e.constant(), shape{batch, colors, image, image}}, kernel)
	grid := shape{batch, hidden, side, side}
	patches = e.op("Add", view{patches, grid}, view{e.vector(), e.at(grid, shape{hidden, 1, 1})})
	x := e.op("Add", view{e.weight(length * hidden), e.at(e.full, shape{length, hidden})}, view{patches, e.full})

	inner := shape{batch, length, 4 * hidden}
	factor, root, one, half := e.number(shape{batch, heads, length, length}), e.number(inner), e.number(inner), e.number(inner)
	shared := int64(0)
	if !exact {
		shared = e.vector()
	}
	for layer := range layers {
		// One tensor has two roles; see bert.
		gain, bias := e.vector(), e.vector()
		if layer == 1 && !exact {
			gain = shared
		}
		y := e.norm.write(e.ops, x, gain, bias)
		y = e.attention(e.fuse(y), func(scores int64, as shape) int64 {
			return e.op("Multiply", view{scores, as}, factor)
		})
		x = e.sum(x, y)
		y = e.project(e.norm.write(e.ops, x, e.vector(), e.vector()), hidden, e.inner)
		// GELU: half of y times one plus the error function of y over root 2.
		y = e.spelled(kerneltime.Elementwise, false, func() int64 {
			erf := e.op("Erf", view{e.op("Divide", view{y, inner}, root), inner})
			z := e.op("Multiply", view{y, inner}, view{e.op("Add", view{erf, inner}, one), inner})
			return e.op("Multiply", view{z, inner}, half)
		})
		matrix, out := e.weight(e.inner*hidden), e.vector()
		if layer == 7 && !exact {
			out = shared
		}
		y = e.shift(e.op("Dot", view{y, inner}, view{matrix, shape{e.inner, hidden}}), out, hidden)
		x = e.sum(x, y)
	}
	x = e.norm.write(e.ops, x, e.vector(), e.vector())
	first := e.op("GatherV2", view{x, e.full}, view{e.weight(0), shape{1}})
	matrix := view{e.weight(hidden * classes), shape{classes, hidden}}
	logits := e.op("Dot", view{first, shape{batch, hidden}}, matrix)
	e.op("Add", view{logits, shape{batch, classes}}, view{e.weight(classes), e.at(shape{batch, classes}, shape{classes})})
	if !exact {
		e.parameters -= hidden // shared stands for two vectors, but three were counted
	}
	return e.build("vit-s-32", samples)
}
