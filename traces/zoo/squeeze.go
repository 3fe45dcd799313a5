package zoo

import "spillway/traces/g10"

var seNet154 = Model{
	ID: "senet-154", Title: "SENet-154", Parameters: 348152232,
	About: "Squeeze-and-excitation network with 154 weighted layers for 224x224 images. As G10 evaluates it: without groups " +
		"in its 3x3 convolutions, which triples its arithmetic and makes 348 million parameters of 115 million.",
	Source:       "Hu et al., Squeeze-and-Excitation Networks, CVPR 2018; evaluated in G10, MICRO 2023",
	Sample:       "images",
	DefaultBatch: 1024, Batches: []int{256, 512, 768, 1024}, MinBatch: 1, MaxBatch: maxImages,
	profiled: true,
	define:   seNet,
}

func seNet(batch int, _ bool) (graph, error) {
	const reduction = 16 // of channels in the squeeze
	features := block("Sequential", "features", block("SEInitBlock", "init_block",
		seConv("conv1", 3, 64, 3, 2, true), seConv("conv2", 64, 64, 3, 1, true), seConv("conv3", 64, 128, 3, 1, true),
		maxPool("pool", 3, 2, 1)))
	channels := int64(128)
	for stage, n := range []int{3, 8, 36, 3} {
		out := int64(256) << stage
		s := block("Sequential", "stage"+digits(stage+1))
		for i := range n {
			stride := int64(1)
			if i == 0 && stage > 0 {
				stride = 2
			}
			unit := block("SENetUnit", "unit"+digits(i+1),
				block("SENetBottleneck", "body",
					seConv("conv1", channels, out/2, 1, 1, true),
					seConv("conv2", out/2, out, 3, stride, true),
					seConv("conv3", out, out, 1, 1, false)),
				block("SEBlock", "se",
					avgPool("pool"), conv("conv1", out, out/reduction, 1, 1, 0), relu("activ"),
					conv("conv2", out/reduction, out, 1, 1, 0), relu("sigmoid")))
			if i == 0 {
				size := int64(3) // the first stage projects with 1x1, the others with 3x3
				if stage == 0 {
					size = 1
				}
				unit.Children = append(unit.Children, seConv("identity_conv", channels, out, size, stride, false))
			}
			unit.Children = append(unit.Children, relu("activ"))
			s.Children = append(s.Children, unit)
			channels = out
		}
		features.Children = append(features.Children, s)
	}
	features.Children = append(features.Children, maxPool("final_pool", 7, 1, 0))
	net := block("SENet", "", features,
		block("Sequential", "output", dropout("dropout"), linear("fc", channels, classes)))
	return modules("senet-154", g10.Setup{SENet: true, Batch: int64(batch), Height: 224, Width: 224}, net)
}

// seConv is a convolution that keeps the map's size, or divides it by stride,
// normalized and, if active, rectified.
func seConv(label string, in, out, size, stride int64, active bool) g10.Module {
	b := block("ConvBlock", label, conv("conv", in, out, size, stride, size/2), norm("bn", out))
	if active {
		b.Children = append(b.Children, relu("activ"))
	}
	return b
}
