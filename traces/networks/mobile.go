package networks

// A stage is blocks of one kind in a mobile network.
type stage struct {
	kernel   int64
	stride   int64   // of the first block
	expand   float64 // of channels inside of a block
	channels int64
	blocks   int
	squeeze  bool
	act      string
	fused    bool  // expands with the window, not before it
	inner    int64 // channels inside; 0: expand says it
}

// A mobile is a network of inverted residuals: MobileNet, MnasNet, EfficientNet.
type mobile struct {
	stem, head int64 // channels
	act        string
	gate       string // of squeeze and excitation
	ratio      func(in, inner int64) int64
	stages     []stage
	end        func(t *tape, x image) // after the head, where it is not the usual one
}

func (m mobile) write(t *tape, s size) {
	x := t.unit("stem", m.act, t.load(s.side), m.stem, square(3, 2))
	for i, st := range m.stages {
		for b := range st.blocks {
			x = t.imageBlock("blocks."+digits(i)+"."+digits(b), x, func(x image) image {
				stride := st.stride
				if b > 0 {
					stride = 1
				}
				return m.block(t, x, st, stride)
			})
		}
	}
	x = t.unit("head", m.act, x, m.head, square(1, 1))
	if m.end != nil {
		m.end(t, x)
		return
	}
	x = t.average("avgpool", x, 1)
	t.loss(t.linear("classifier", t.dropout("dropout", x.value), t.batch, x.channels, 1000))
}

// block expands channels, looks at each by itself, and projects them. It adds to its
// input where that has the same size.
func (m mobile) block(t *tape, x image, s stage, stride int64) image {
	act := s.act
	if act == "" {
		act = m.act
	}
	inner, y := s.inner, x
	if inner == 0 {
		inner = int64(s.expand * float64(x.channels))
	}
	window := square(s.kernel, stride)
	switch {
	case s.fused && inner == x.channels: // one convolution is all
		y = t.unit("conv", act, y, s.channels, window)
	case s.fused:
		y = t.unit("conv", act, y, inner, window)
		y = t.unit("project", "", y, s.channels, square(1, 1))
	default:
		if inner != x.channels {
			y = t.unit("expand", act, y, inner, square(1, 1))
		}
		y = t.unit("depthwise", act, y, inner, window.grouped(inner))
		if s.squeeze {
			inside := "relu"
			if act == "silu" {
				inside = act
			}
			y = t.excite("se", y, m.ratio(x.channels, inner), inside, m.gate)
		}
		y = t.unit("project", "", y, s.channels, square(1, 1))
	}
	if stride == 1 && x.channels == s.channels {
		y = t.addImages("add", y, x)
	}
	return y
}

// eighths rounds channels to a multiple of eight, not below nine tenths.
func eighths(n float64) int64 {
	n = float64(n) // rounded, so that no platform makes one instruction of it and the sum
	m := max(8, int64(n+4)/8*8)
	if float64(m) < float64(0.9*n) {
		m += 8
	}
	return m
}

// mobileNetV2 is torchvision's.
func mobileNetV2() mobile {
	m := mobile{stem: 32, head: 1280, act: "relu6"}
	for _, r := range [][4]int64{{1, 1, 16, 1}, {2, 6, 24, 2}, {2, 6, 32, 3}, {2, 6, 64, 4}, {1, 6, 96, 3}, {2, 6, 160, 3}, {1, 6, 320, 1}} {
		m.stages = append(m.stages, stage{kernel: 3, stride: r[0], expand: float64(r[1]), channels: r[2], blocks: int(r[3])})
	}
	return m
}

// mobileNetV3 is torchvision's; rows are kernel, inner channels, channels, squeeze (1),
// hard swish (1) and stride.
func mobileNetV3(head, hidden int64, rows [][6]int64) mobile {
	m := mobile{stem: 16, head: head, act: "hardswish", gate: "hardsigmoid"}
	m.ratio = func(_, inner int64) int64 { return eighths(float64(inner) / 4) }
	for _, r := range rows {
		act := "relu"
		if r[4] == 1 {
			act = "hardswish"
		}
		m.stages = append(m.stages, stage{kernel: r[0], inner: r[1], channels: r[2], blocks: 1, squeeze: r[3] == 1, act: act, stride: r[5]})
	}
	m.end = func(t *tape, x image) {
		x = t.average("avgpool", x, 1)
		y := t.pointwise("hardswish", "hardswish", t.linear("classifier.0", x.value, t.batch, head, hidden))
		t.loss(t.linear("classifier.3", t.dropout("dropout", y), t.batch, hidden, 1000))
	}
	return m
}

var (
	mobileV3Large = [][6]int64{
		{3, 16, 16, 0, 0, 1},
		{3, 64, 24, 0, 0, 2},
		{3, 72, 24, 0, 0, 1},
		{5, 72, 40, 1, 0, 2},
		{5, 120, 40, 1, 0, 1},
		{5, 120, 40, 1, 0, 1},
		{3, 240, 80, 0, 1, 2},
		{3, 200, 80, 0, 1, 1},
		{3, 184, 80, 0, 1, 1},
		{3, 184, 80, 0, 1, 1},
		{3, 480, 112, 1, 1, 1},
		{3, 672, 112, 1, 1, 1},
		{5, 672, 160, 1, 1, 2},
		{5, 960, 160, 1, 1, 1},
		{5, 960, 160, 1, 1, 1},
	}
	mobileV3Small = [][6]int64{
		{3, 16, 16, 1, 0, 2},
		{3, 72, 24, 0, 0, 2},
		{3, 88, 24, 0, 0, 1},
		{5, 96, 40, 1, 1, 2},
		{5, 240, 40, 1, 1, 1},
		{5, 240, 40, 1, 1, 1},
		{5, 120, 48, 1, 1, 1},
		{5, 144, 48, 1, 1, 1},
		{5, 288, 96, 1, 1, 2},
		{5, 576, 96, 1, 1, 1},
		{5, 576, 96, 1, 1, 1},
	}
)

// mnasNet is torchvision's at a width.
func mnasNet(width float64) mobile {
	depth := func(n float64) int64 { return eighths(n * width) }
	m := mobile{stem: depth(32), head: 1280, act: "relu"}
	m.stages = []stage{{kernel: 3, stride: 1, expand: 1, channels: depth(16), blocks: 1}}
	for _, s := range []stage{
		{kernel: 3, stride: 2, expand: 3, channels: 24, blocks: 3},
		{kernel: 5, stride: 2, expand: 3, channels: 40, blocks: 3},
		{kernel: 5, stride: 2, expand: 6, channels: 80, blocks: 3},
		{kernel: 3, stride: 1, expand: 6, channels: 96, blocks: 2},
		{kernel: 5, stride: 2, expand: 6, channels: 192, blocks: 4},
		{kernel: 3, stride: 1, expand: 6, channels: 320, blocks: 1},
	} {
		s.channels = depth(float64(s.channels))
		m.stages = append(m.stages, s)
	}
	return m
}

// efficientNet is torchvision's at a width and a depth.
func efficientNet(width, depth float64) mobile {
	m := mobile{stem: eighths(32 * width), head: eighths(1280 * width), act: "silu", gate: "sigmoid"}
	m.ratio = func(in, _ int64) int64 { return max(1, in/4) }
	for _, s := range []stage{
		{kernel: 3, stride: 1, expand: 1, channels: 16, blocks: 1},
		{kernel: 3, stride: 2, expand: 6, channels: 24, blocks: 2},
		{kernel: 5, stride: 2, expand: 6, channels: 40, blocks: 2},
		{kernel: 3, stride: 2, expand: 6, channels: 80, blocks: 3},
		{kernel: 5, stride: 1, expand: 6, channels: 112, blocks: 3},
		{kernel: 5, stride: 2, expand: 6, channels: 192, blocks: 4},
		{kernel: 3, stride: 1, expand: 6, channels: 320, blocks: 1},
	} {
		s.channels, s.blocks, s.squeeze = eighths(float64(s.channels)*width), ceiling(float64(float64(s.blocks)*depth)), true
		m.stages = append(m.stages, s)
	}
	return m
}

func ceiling(x float64) int {
	n := int(x)
	if float64(n) < x-1e-9 {
		n++
	}
	return n
}

// efficientNetV2 is torchvision's; rows are fused (1), expand, stride, channels, blocks.
func efficientNetV2(stem int64, rows ...[5]int64) mobile {
	m := mobile{stem: stem, head: 1280, act: "silu", gate: "sigmoid"}
	m.ratio = func(in, _ int64) int64 { return max(1, in/4) }
	for _, r := range rows {
		m.stages = append(m.stages, stage{
			kernel: 3, fused: r[0] == 1, squeeze: r[0] == 0, expand: float64(r[1]), stride: r[2], channels: r[3], blocks: int(r[4]),
		})
	}
	return m
}

// shuffle is torchvision's ShuffleNet v2.
func shuffle(channels ...int64) body {
	return func(t *tape, s size) {
		x := t.unit("conv1", "relu", t.load(s.side), 24, square(3, 2))
		x = t.maxPool("maxpool", x, square(3, 2))
		for i, c := range channels[:3] {
			for b := range []int{4, 8, 4}[i] {
				x = t.imageBlock("stage"+digits(i+2)+"."+digits(b), x, func(x image) image { return t.shuffled(x, c, b == 0) })
			}
		}
		t.classify("fc", t.unit("conv5", "relu", x, channels[3], square(1, 1)), 1000)
	}
}

// shuffled works on half of the channels, or on all twice where it halves the image, and
// mixes the halves.
func (t *tape) shuffled(x image, channels int64, down bool) image {
	half, stride := channels/2, int64(1)
	left, right := x, x
	if down {
		stride = 2
		left = t.unit("left.depthwise", "", left, left.channels, square(3, 2).grouped(left.channels))
		left = t.unit("left.project", "relu", left, half, square(1, 1))
	} else {
		halves := t.split(x.value, 1, 1)
		left.value, right.value = halves[0], halves[1]
		left.channels, right.channels = half, half
	}
	right = t.unit("right.expand", "relu", right, half, square(1, 1))
	right = t.unit("right.depthwise", "", right, half, square(3, stride).grouped(half))
	right = t.unit("right.project", "relu", right, half, square(1, 1))
	y := t.cat("cat", left, right)
	return y.of(t.contiguous("shuffle", y.value))
}
