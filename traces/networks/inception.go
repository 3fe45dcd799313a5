package networks

// branch is a chain of convolutions, each normalized and rectified: channels and windows
// in turn.
func (t *tape) branch(name string, x image, links ...link) image {
	for i, l := range links {
		x = t.unit(name+"."+digits(i), "relu", x, l.channels, l.window)
	}
	return x
}

// A link is one convolution of a branch.
type link struct {
	channels int64
	window   window
}

// oblong is a window that keeps the size.
func oblong(height, width int64) window {
	return window{height: height, width: width, stride: 1, padding: height / 2, beside: width / 2, groups: 1}
}

// inception is torchvision's Inception v3. The published count of parameters has the
// auxiliary classifier, which only trains.
func inception(t *tape, s size) {
	x := t.branch("stem", t.load(s.side), link{32, bare(3, 2)}, link{32, bare(3, 1)}, link{64, square(3, 1)})
	x = t.maxPool("maxpool1", x, bare(3, 2))
	x = t.branch("stem2", x, link{80, bare(1, 1)}, link{192, bare(3, 1)})
	x = t.maxPool("maxpool2", x, bare(3, 2))
	for i, c := range []int64{32, 64, 64} {
		x = t.imageBlock("Mixed_5"+digits(i), x, func(x image) image { return t.inceptionA(x, c) })
	}
	x = t.imageBlock("Mixed_6a", x, func(x image) image {
		a := t.branch("a", x, link{384, bare(3, 2)})
		b := t.branch("b", x, link{64, square(1, 1)}, link{96, square(3, 1)}, link{96, bare(3, 2)})
		return t.cat("cat", a, b, t.maxPool("pool", x, bare(3, 2)))
	})
	for i, c := range []int64{128, 160, 160, 192} {
		x = t.imageBlock("Mixed_6"+digits(i), x, func(x image) image { return t.inceptionC(x, c) })
	}
	t.auxiliary(x)
	x = t.imageBlock("Mixed_7a", x, func(x image) image {
		a := t.branch("a", x, link{192, square(1, 1)}, link{320, bare(3, 2)})
		b := t.branch("b", x, link{192, square(1, 1)}, link{192, oblong(1, 7)}, link{192, oblong(7, 1)}, link{192, bare(3, 2)})
		return t.cat("cat", a, b, t.maxPool("pool", x, bare(3, 2)))
	})
	for i := range 2 {
		x = t.imageBlock("Mixed_7"+digits(i), x, t.inceptionE)
	}
	x = t.average("avgpool", x, 1)
	t.loss(t.linear("fc", t.dropout("dropout", x.value), t.batch, 2048, 1000))
}

func (t *tape) inceptionA(x image, pooled int64) image {
	return t.cat("cat",
		t.branch("a", x, link{64, square(1, 1)}),
		t.branch("b", x, link{48, square(1, 1)}, link{64, square(5, 1)}),
		t.branch("c", x, link{64, square(1, 1)}, link{96, square(3, 1)}, link{96, square(3, 1)}),
		t.branch("d", t.avgPool("pool", x, square(3, 1)), link{pooled, square(1, 1)}))
}

func (t *tape) inceptionC(x image, c int64) image {
	return t.cat("cat",
		t.branch("a", x, link{192, square(1, 1)}),
		t.branch("b", x, link{c, square(1, 1)}, link{c, oblong(1, 7)}, link{192, oblong(7, 1)}),
		t.branch("c", x, link{c, square(1, 1)}, link{c, oblong(7, 1)}, link{c, oblong(1, 7)}, link{c, oblong(7, 1)}, link{192, oblong(1, 7)}),
		t.branch("d", t.avgPool("pool", x, square(3, 1)), link{192, square(1, 1)}))
}

func (t *tape) inceptionE(x image) image {
	b := t.branch("b", x, link{384, square(1, 1)})
	c := t.branch("c", x, link{448, square(1, 1)}, link{384, square(3, 1)})
	return t.cat("cat",
		t.branch("a", x, link{320, square(1, 1)}),
		t.branch("b1", b, link{384, oblong(1, 3)}), t.branch("b2", b, link{384, oblong(3, 1)}),
		t.branch("c1", c, link{384, oblong(1, 3)}), t.branch("c2", c, link{384, oblong(3, 1)}),
		t.branch("d", t.avgPool("pool", x, square(3, 1)), link{192, square(1, 1)}))
}

// auxiliary is the classifier in the middle of Inception v3.
func (t *tape) auxiliary(x image) {
	if t.o.Inference {
		return
	}
	t.within("AuxLogits", func() {
		x = t.avgPool("pool", x, bare(5, 3))
		x = t.branch("conv", x, link{128, square(1, 1)}, link{768, bare(5, 1)})
		t.loss(t.linear("fc", t.average("avgpool", x, 1).value, t.batch, 768, 1000))
	})
}

// googLeNet is torchvision's, without its two auxiliary classifiers, as its published
// count has it.
func googLeNet(t *tape, s size) {
	x := t.unit("conv1", "relu", t.load(s.side), 64, square(7, 2))
	x = t.maxPool("maxpool1", x, bare(3, 2).ceiled())
	x = t.branch("conv", x, link{64, square(1, 1)}, link{192, square(3, 1)})
	x = t.maxPool("maxpool2", x, bare(3, 2).ceiled())
	for i, c := range [][6]int64{
		{64, 96, 128, 16, 32, 32},
		{128, 128, 192, 32, 96, 64},
		{192, 96, 208, 16, 48, 64},
		{160, 112, 224, 24, 64, 64},
		{128, 128, 256, 24, 64, 64},
		{112, 144, 288, 32, 64, 64},
		{256, 160, 320, 32, 128, 128},
		{256, 160, 320, 32, 128, 128},
		{384, 192, 384, 48, 128, 128},
	} {
		switch i {
		case 2:
			x = t.maxPool("maxpool3", x, bare(3, 2).ceiled())
		case 7:
			x = t.maxPool("maxpool4", x, bare(2, 2).ceiled())
		}
		x = t.imageBlock("inception"+digits(i), x, func(x image) image {
			return t.cat("cat",
				t.branch("a", x, link{c[0], square(1, 1)}),
				t.branch("b", x, link{c[1], square(1, 1)}, link{c[2], square(3, 1)}),
				t.branch("c", x, link{c[3], square(1, 1)}, link{c[4], square(3, 1)}), // 3x3 where the paper has 5x5
				t.branch("d", t.maxPool("pool", x, square(3, 1)), link{c[5], square(1, 1)}))
		})
	}
	x = t.average("avgpool", x, 1)
	t.loss(t.linear("fc", t.dropout("dropout", x.value), t.batch, 1024, 1000))
}
