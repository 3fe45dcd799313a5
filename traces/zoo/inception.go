package zoo

import "spillway/traces/g10"

var inceptionV3 = Model{
	ID: "inception-v3", Title: "Inception-v3", Parameters: 23834568,
	About: "Inception network for 299x299 images, 23.8 million parameters. As G10 evaluates it: " +
		"without the auxiliary classifier, and every pool in a block takes the maximum.",
	Source:       "Szegedy et al., Rethinking the Inception Architecture, CVPR 2016; evaluated in G10, MICRO 2023",
	Sample:       "images",
	DefaultBatch: 1536, Batches: []int{512, 768, 1024, 1280, 1536, 1792}, MinBatch: 1, MaxBatch: maxImages,
	profiled: true,
	define:   inception,
}

func inception(batch int, _ bool) (graph, error) {
	net := block("Inception3", "",
		basic("Conv2d_1a_3x3", 3, 32, [2]int64{3, 3}, 2, [2]int64{}),
		basic("Conv2d_2a_3x3", 32, 32, [2]int64{3, 3}, 1, [2]int64{}),
		same("Conv2d_2b_3x3", 32, 64, 3, 3),
		maxPool("maxpool1", 3, 2, 0),
		same("Conv2d_3b_1x1", 64, 80, 1, 1),
		basic("Conv2d_4a_3x3", 80, 192, [2]int64{3, 3}, 1, [2]int64{}),
		maxPool("maxpool2", 3, 2, 0),
		inceptionA("Mixed_5b", 192, 32), inceptionA("Mixed_5c", 256, 64), inceptionA("Mixed_5d", 288, 64),
		inceptionB("Mixed_6a", 288),
		inceptionC("Mixed_6b", 128), inceptionC("Mixed_6c", 160), inceptionC("Mixed_6d", 160), inceptionC("Mixed_6e", 192),
		inceptionD("Mixed_7a"),
		inceptionE("Mixed_7b", 1280), inceptionE("Mixed_7c", 2048),
		avgPool("avgpool"), dropout("dropout"), linear("fc", 2048, classes))
	return modules("inception-v3", g10.Setup{Inception: true, Batch: int64(batch), Height: 299, Width: 299}, net)
}

// basic is a convolution, normalized and rectified.
func basic(label string, in, out int64, size [2]int64, stride int64, pad [2]int64) g10.Module {
	return block("BasicConv2d", label, window("conv", in, out, size, stride, pad), norm("bn", out), relu("relu"))
}

// same is a basic convolution that keeps the map's size.
func same(label string, in, out, height, width int64) g10.Module {
	return basic(label, in, out, [2]int64{height, width}, 1, [2]int64{height / 2, width / 2})
}

// half is a basic 3x3 convolution that halves the map.
func half(label string, in, out int64) g10.Module {
	return basic(label, in, out, [2]int64{3, 3}, 2, [2]int64{})
}

func inceptionA(label string, in, pooled int64) g10.Module {
	return block("InceptionA", label,
		same("branch1x1", in, 64, 1, 1),
		same("branch5x5_1", in, 48, 1, 1), same("branch5x5_2", 48, 64, 5, 5),
		same("branch3x3dbl_1", in, 64, 1, 1), same("branch3x3dbl_2", 64, 96, 3, 3), same("branch3x3dbl_3", 96, 96, 3, 3),
		same("branch_pool", in, pooled, 1, 1))
}

func inceptionB(label string, in int64) g10.Module {
	return block("InceptionB", label,
		half("branch3x3", in, 384),
		same("branch3x3dbl_1", in, 64, 1, 1), same("branch3x3dbl_2", 64, 96, 3, 3), half("branch3x3dbl_3", 96, 96))
}

// inceptionC factors 7x7 windows into 7x1 and 1x7 with c inner channels.
func inceptionC(label string, c int64) g10.Module {
	const in, out = 768, 192
	return block("InceptionC", label,
		same("branch1x1", in, out, 1, 1),
		same("branch7x7_1", in, c, 1, 1), same("branch7x7_2", c, c, 1, 7), same("branch7x7_3", c, out, 7, 1),
		same("branch7x7dbl_1", in, c, 1, 1), same("branch7x7dbl_2", c, c, 7, 1), same("branch7x7dbl_3", c, c, 1, 7),
		same("branch7x7dbl_4", c, c, 7, 1), same("branch7x7dbl_5", c, out, 1, 7),
		same("branch_pool", in, out, 1, 1))
}

func inceptionD(label string) g10.Module {
	const in, c = 768, 192
	return block("InceptionD", label,
		same("branch3x3_1", in, c, 1, 1), half("branch3x3_2", c, 320),
		same("branch7x7x3_1", in, c, 1, 1), same("branch7x7x3_2", c, c, 1, 7),
		same("branch7x7x3_3", c, c, 7, 1), half("branch7x7x3_4", c, c))
}

func inceptionE(label string, in int64) g10.Module {
	const c = 384
	return block("InceptionE", label,
		same("branch1x1", in, 320, 1, 1),
		same("branch3x3_1", in, c, 1, 1), same("branch3x3_2a", c, c, 1, 3), same("branch3x3_2b", c, c, 3, 1),
		same("branch3x3dbl_1", in, 448, 1, 1), same("branch3x3dbl_2", 448, c, 3, 3),
		same("branch3x3dbl_3a", c, c, 1, 3), same("branch3x3dbl_3b", c, c, 3, 1),
		same("branch_pool", in, 192, 1, 1))
}
