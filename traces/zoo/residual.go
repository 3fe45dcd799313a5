package zoo

import "spillway/traces/g10"

// resNet50 is not among the networks of the G10 paper.
var resNet50 = Model{
	ID: "resnet-50", Title: "ResNet-50", Parameters: 25557032,
	About:        "Residual network with 50 weighted layers for 224x224 images, 25.6 million parameters.",
	Source:       "He et al., Deep Residual Learning for Image Recognition, CVPR 2016, Table 1",
	Sample:       "images",
	DefaultBatch: 512, Batches: []int{128, 256, 512, 1024, 1536}, MinBatch: 1, MaxBatch: maxImages,
	define: func(batch int, _ bool) (graph, error) { return resNet("resnet-50", batch, 3, 4, 6, 3) },
}

var resNet152 = Model{
	ID: "resnet-152", Title: "ResNet-152", Parameters: 60192808,
	About: "Residual network with 152 weighted layers for 224x224 images, 60.2 million parameters. " +
		"As G10 evaluates it: one ReLU in each block, before the sum, and none after it.",
	Source:       "He et al., Deep Residual Learning for Image Recognition, CVPR 2016, Table 1; evaluated in G10, MICRO 2023",
	Sample:       "images",
	DefaultBatch: 1280, Batches: []int{256, 512, 768, 1024, 1280}, MinBatch: 1, MaxBatch: maxImages,
	profiled: true,
	define:   func(batch int, _ bool) (graph, error) { return resNet("resnet-152", batch, 3, 8, 36, 3) },
}

// resNet defines a network of bottleneck blocks; blocks says how many each of
// the four stages has.
func resNet(name string, batch int, blocks ...int) (graph, error) {
	const growth = 4 // output channels over inner channels
	net := block("ResNet", "",
		conv("conv1", 3, 64, 7, 2, 3), norm("bn1", 64), relu("relu"), maxPool("maxpool", 3, 2, 1))
	channels := int64(64)
	for stage, n := range blocks {
		inner := int64(64) << stage
		layer := block("Sequential", "layer"+digits(stage+1))
		for i := range n {
			stride := int64(1)
			if i == 0 && stage > 0 {
				stride = 2
			}
			b := block("Bottleneck", digits(i),
				conv("conv1", channels, inner, 1, 1, 0), norm("bn1", inner),
				conv("conv2", inner, inner, 3, stride, 1), norm("bn2", inner),
				conv("conv3", inner, growth*inner, 1, 1, 0), norm("bn3", growth*inner),
				relu("relu"))
			if i == 0 {
				b.Children = append(b.Children, block("Sequential", "downsample",
					conv("0", channels, growth*inner, 1, stride, 0), norm("1", growth*inner)))
			}
			channels = growth * inner
			layer.Children = append(layer.Children, b)
		}
		net.Children = append(net.Children, layer)
	}
	net.Children = append(net.Children, avgPool("avgpool"), linear("fc", channels, classes))
	return modules(name, g10.Setup{ResNet: true, Batch: int64(batch), Height: 224, Width: 224}, net)
}
