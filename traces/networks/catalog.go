package networks

import (
	"fmt"
	"slices"
	"strings"
)

// A Network is one that can be lowered, by its public name.
type Network struct {
	Name   string   // as torchvision, timm or Hugging Face spell it
	Title  string   // for people
	Also   []string // other spellings
	Family string   // of the description that it is built from
	// Parameters is how many numbers training changes, as published.
	Parameters int64
	// Side is the usual height and width of images in pixels, Sequence the usual length
	// in tokens; the other is 0. Both are 0 where samples have one size.
	Side, Sequence int64
	// Optimizer is the key of the usual one: "momentum" or "adam".
	Optimizer string

	// multiple is what sides must be a multiple of: 0 for any.
	multiple int64

	write func(t *tape, s size)
}

// A size is that of a sample.
type size struct{ side, length int64 }

// Images reports whether a sample is an image.
func (n *Network) Images() bool { return n.Side > 0 }

// Sample is what a unit of the batch is, in the plural.
func (n *Network) Sample() string {
	switch {
	case n.Images():
		return "images"
	case n.Sequence > 0:
		return "sequences"
	}
	return "clicks"
}

func images(family, name, title string, parameters int64, write body, also ...string) Network {
	return Network{Name: name, Title: title, Also: also, Family: family, Parameters: parameters, Side: 224, Optimizer: "momentum", write: write}
}

// resized is n for images of another size.
func (n Network) resized(side int64) Network { n.Side = side; return n }

func language(family, name, title string, parameters, length int64, write body, also ...string) Network {
	return Network{Name: name, Title: title, Also: also, Family: family, Parameters: parameters, Sequence: length, Optimizer: "adam", write: write}
}

// networks lists all. Counts of parameters are torchvision's documentation
// (pytorch.org/vision, models and pre-trained weights, num_params), timm's results
// (param_count in results-imagenet.csv, in full by the models' own sums), and those of
// the models' cards at Hugging Face.
var networks = slices.Concat(residuals(), convolutionals(), mobiles(), visuals(), diffusions(), languages(), recommenders())

func residuals() []Network {
	bottleneck := func(a, b, c, d int) residual { return residual{blocks: [4]int{a, b, c, d}, groups: 1, width: 64} }
	basic := func(a, b, c, d int) residual {
		r := bottleneck(a, b, c, d)
		r.basic = true
		return r
	}
	wider := func(r residual, groups, width int64, excite bool) body {
		r.groups, r.width, r.excite = groups, width, excite
		return r.write
	}
	r50, r101 := bottleneck(3, 4, 6, 3), bottleneck(3, 4, 23, 3)
	const family = "ResNet"
	return []Network{
		images(family, "resnet18", "ResNet-18", 11689512, basic(2, 2, 2, 2).write),
		images(family, "resnet34", "ResNet-34", 21797672, basic(3, 4, 6, 3).write),
		images(family, "resnet50", "ResNet-50", 25557032, r50.write, "tv_resnet50"),
		images(family, "resnet101", "ResNet-101", 44549160, r101.write, "tv_resnet101"),
		images(family, "resnet152", "ResNet-152", 60192808, bottleneck(3, 8, 36, 3).write, "tv_resnet152"),
		images(family, "resnet200", "ResNet-200", 64673832, bottleneck(3, 24, 36, 3).write),
		images(family, "resnext50_32x4d", "ResNeXt-50 32×4d", 25028904, wider(r50, 32, 4, false), "tv_resnext50_32x4d"),
		images(family, "resnext101_32x4d", "ResNeXt-101 32×4d", 44177704, wider(r101, 32, 4, false)),
		images(family, "resnext101_32x8d", "ResNeXt-101 32×8d", 88791336, wider(r101, 32, 8, false)),
		images(family, "resnext101_64x4d", "ResNeXt-101 64×4d", 83455272, wider(r101, 64, 4, false)),
		images(family, "wide_resnet50_2", "Wide ResNet-50-2", 68883240, wider(r50, 1, 128, false)),
		images(family, "wide_resnet101_2", "Wide ResNet-101-2", 126886696, wider(r101, 1, 128, false)),
		images(family, "seresnet50", "SE-ResNet-50", 28088024, wider(r50, 1, 64, true)),
		images(family, "seresnext50_32x4d", "SE-ResNeXt-50 32×4d", 27559896, wider(r50, 32, 4, true), "se_resnext50_32x4d", "legacy_seresnext50_32x4d"),
		images(family, "seresnext101_32x4d", "SE-ResNeXt-101 32×4d", 48955416, wider(r101, 32, 4, true), "se_resnext101_32x4d", "legacy_seresnext101_32x4d"),
	}
}

func convolutionals() []Network {
	list := []Network{
		images("AlexNet", "alexnet", "AlexNet", 61100840, alexNet),
		images("SqueezeNet", "squeezenet1_0", "SqueezeNet 1.0", 1248424, squeeze(96, bare(7, 2), 4, 8)),
		images("SqueezeNet", "squeezenet1_1", "SqueezeNet 1.1", 1235496, squeeze(64, bare(3, 2), 3, 5)),
		images("DenseNet", "densenet121", "DenseNet-121", 7978856, dense{32, 64, []int{6, 12, 24, 16}}.write),
		images("DenseNet", "densenet161", "DenseNet-161", 28681000, dense{48, 96, []int{6, 12, 36, 24}}.write),
		images("DenseNet", "densenet169", "DenseNet-169", 14149480, dense{32, 64, []int{6, 12, 32, 32}}.write),
		images("DenseNet", "densenet201", "DenseNet-201", 20013928, dense{32, 64, []int{6, 12, 48, 32}}.write),
		images("Inception", "inception_v3", "Inception v3", 27161264, inception, "tv_inception_v3").resized(299),
		images("Inception", "googlenet", "GoogLeNet", 6624904, googLeNet),
	}
	for _, v := range []struct {
		layers            string
		plain, normalized int64
		channels          []int64
	}{
		{"11", 132863336, 132868840, vgg11},
		{"13", 133047848, 133053736, vgg13},
		{"16", 138357544, 138365992, vgg16},
		{"19", 143667240, 143678248, vgg19},
	} {
		list = append(list,
			images("VGG", "vgg"+v.layers, "VGG-"+v.layers, v.plain, vgg{v.channels, false}.write),
			images("VGG", "vgg"+v.layers+"_bn", "VGG-"+v.layers+" with batch normalization", v.normalized, vgg{v.channels, true}.write))
	}
	return list
}

func mobiles() []Network {
	list := []Network{
		images("MobileNet", "mobilenet_v2", "MobileNet v2", 3504872, mobileNetV2().write, "mobilenetv2_100"),
		images("MobileNet", "mobilenet_v3_small", "MobileNet v3 small", 2542856, mobileNetV3(576, 1024, mobileV3Small).write, "mobilenetv3_small_100"),
		images("MobileNet", "mobilenet_v3_large", "MobileNet v3 large", 5483032, mobileNetV3(960, 1280, mobileV3Large).write, "mobilenetv3_large_100", "mobilenetv3_rw"),
		images("ShuffleNet", "shufflenet_v2_x0_5", "ShuffleNet v2 ×0.5", 1366792, shuffle(48, 96, 192, 1024)),
		images("ShuffleNet", "shufflenet_v2_x1_0", "ShuffleNet v2 ×1.0", 2278604, shuffle(116, 232, 464, 1024)),
		images("ShuffleNet", "shufflenet_v2_x1_5", "ShuffleNet v2 ×1.5", 3503624, shuffle(176, 352, 704, 1024)),
		images("ShuffleNet", "shufflenet_v2_x2_0", "ShuffleNet v2 ×2.0", 7393996, shuffle(244, 488, 976, 2048)),
		images("EfficientNet", "efficientnet_v2_s", "EfficientNet v2 S", 21458488, efficientNetV2(24,
			[5]int64{1, 1, 1, 24, 2}, [5]int64{1, 4, 2, 48, 4}, [5]int64{1, 4, 2, 64, 4}, [5]int64{0, 4, 2, 128, 6}, [5]int64{0, 6, 1, 160, 9}, [5]int64{0, 6, 2, 256, 15}).write, "efficientnetv2_s").resized(384),
		images("EfficientNet", "efficientnet_v2_m", "EfficientNet v2 M", 54139356, efficientNetV2(24,
			[5]int64{1, 1, 1, 24, 3}, [5]int64{1, 4, 2, 48, 5}, [5]int64{1, 4, 2, 80, 5}, [5]int64{0, 4, 2, 160, 7}, [5]int64{0, 6, 1, 176, 14}, [5]int64{0, 6, 2, 304, 18}, [5]int64{0, 6, 1, 512, 5}).write, "efficientnetv2_m").resized(480),
		images("EfficientNet", "efficientnet_v2_l", "EfficientNet v2 L", 118515272, efficientNetV2(32,
			[5]int64{1, 1, 1, 32, 4}, [5]int64{1, 4, 2, 64, 7}, [5]int64{1, 4, 2, 96, 7}, [5]int64{0, 4, 2, 192, 10}, [5]int64{0, 6, 1, 224, 19}, [5]int64{0, 6, 2, 384, 25}, [5]int64{0, 6, 1, 640, 7}).write, "efficientnetv2_l").resized(480),
	}
	for _, m := range []struct {
		name, also string
		parameters int64
		width      float64
	}{
		{"0_5", "050", 2218512, 0.5}, {"0_75", "075", 3170208, 0.75}, {"1_0", "100", 4383312, 1}, {"1_3", "130", 6282256, 1.3},
	} {
		list = append(list, images("MnasNet", "mnasnet"+m.name, "MnasNet "+strings.ReplaceAll(m.name, "_", "."), m.parameters, mnasNet(m.width).write, "mnasnet_"+m.also))
	}
	for i, e := range []struct {
		parameters   int64
		width, depth float64
		side         int64
	}{
		{5288548, 1, 1, 224},
		{7794184, 1, 1.1, 240},
		{9109994, 1.1, 1.2, 288},
		{12233232, 1.2, 1.4, 300},
		{19341616, 1.4, 1.8, 380},
		{30389784, 1.6, 2.2, 456},
		{43040704, 1.8, 2.6, 528},
		{66347960, 2, 3.1, 600},
	} {
		name := "efficientnet_b" + digits(i)
		list = append(list, images("EfficientNet", name, "EfficientNet B"+digits(i), e.parameters, efficientNet(e.width, e.depth).write, "tf_"+name).resized(e.side))
	}
	return list
}

func visuals() []Network {
	list := []Network{
		images("ConvNeXt", "convnext_tiny", "ConvNeXt tiny", 28589128, convNext{[4]int{3, 3, 9, 3}, 96}.write),
		images("ConvNeXt", "convnext_small", "ConvNeXt small", 50223688, convNext{[4]int{3, 3, 27, 3}, 96}.write),
		images("ConvNeXt", "convnext_base", "ConvNeXt base", 88591464, convNext{[4]int{3, 3, 27, 3}, 128}.write),
		images("ConvNeXt", "convnext_large", "ConvNeXt large", 197767336, convNext{[4]int{3, 3, 27, 3}, 192}.write),
		images("Swin", "swin_t", "Swin tiny", 28288354, swin{[4]int{2, 2, 6, 2}, 96, 3}.write, "swin_tiny_patch4_window7_224"),
		images("Swin", "swin_s", "Swin small", 49606258, swin{[4]int{2, 2, 18, 2}, 96, 3}.write, "swin_small_patch4_window7_224"),
		images("Swin", "swin_b", "Swin base", 87768224, swin{[4]int{2, 2, 18, 2}, 128, 4}.write, "swin_base_patch4_window7_224"),
	}
	for _, v := range []struct {
		name, title, short    string
		layers, hidden, heads int64
		parameters            [4]int64 // patch 16 and 32 at 224, then at 384
	}{
		{"tiny", "Ti", "ti", 12, 192, 3, [4]int64{5717416, 6131560, 5790376, 6149800}},
		{"small", "S", "s", 12, 384, 6, [4]int64{22050664, 22878952, 22196584, 22915432}},
		{"base", "B", "b", 12, 768, 12, [4]int64{86567656, 88224232, 86859496, 88297192}},
		{"large", "L", "l", 24, 1024, 16, [4]int64{304326632, 306535400, 304715752, 306632680}},
	} {
		for i, parameters := range v.parameters {
			patch, side := int64(16), int64(224)
			if i%2 == 1 {
				patch = 32
			}
			if i >= 2 {
				side = 384
			}
			n := images("ViT", fmt.Sprintf("vit_%s_patch%d_%d", v.name, patch, side), fmt.Sprintf("ViT-%s/%d", v.title, patch), parameters, visual{layers: v.layers, hidden: v.hidden, heads: v.heads, patch: patch}.write)
			switch side {
			case 224:
				n.Also = append(n.Also, fmt.Sprintf("vit_%s_%d", v.short, patch), fmt.Sprintf("deit_%s_patch%d_224", v.name, patch))
			case 384:
				n.Title += " for 384 pixels"
			}
			n.Optimizer = "adam"
			list = append(list, n.resized(side))
		}
	}
	return list
}

func languages() []Network {
	gpt2 := func(layers, hidden, heads int64) body {
		return decoder{layers: layers, hidden: hidden, heads: heads, kv: heads, inner: 4 * hidden, vocabulary: 50257, positions: 1024, bias: everywhere, activation: "spelled-gelu", dropout: true, tied: true}.write
	}
	llama := func(layers, hidden, heads, kv, inner, vocabulary int64, tied bool) body {
		return decoder{layers: layers, hidden: hidden, heads: heads, kv: kv, inner: inner, vocabulary: vocabulary, rms: true, rotary: true, gated: true, tied: tied}.write
	}
	list := []Network{
		language("BERT", "bert-base-uncased", "BERT-Base, answering questions", 108893186, 384, bert(12, 768, 12, false), "bert-base"),
		language("BERT", "bert-large-uncased", "BERT-Large, answering questions", 334094338, 384, bert(24, 1024, 16, false), "bert-large"),
		language("BERT", "bert-base-cased", "BERT-Base with capitals, answering questions", 107721218, 384, bidirectional{12, 768, 12, 3072, 28996, 512, 2, false, false}.write),
		language("BERT", "roberta-base", "RoBERTa-Base, answering questions", 124056578, 384, bidirectional{12, 768, 12, 3072, 50265, 514, 1, false, false}.write),
		language("BERT", "roberta-large", "RoBERTa-Large, answering questions", 354312194, 384, bidirectional{24, 1024, 16, 4096, 50265, 514, 1, false, false}.write),
		language("BERT", "distilbert-base-uncased", "DistilBERT, answering questions", 66364418, 384, bidirectional{6, 768, 12, 3072, 30522, 512, 0, false, false}.write, "distilbert-base"),
		language("BERT", "bert-base-pretraining", "BERT-Base, pre-training", 110106428, 128, bert(12, 768, 12, true)),
		language("BERT", "bert-large-pretraining", "BERT-Large, pre-training", 336226108, 128, bert(24, 1024, 16, true)),
		language("GPT-2", "gpt2-small", "GPT-2 small", 124439808, 1024, gpt2(12, 768, 12), "gpt2"),
		language("GPT-2", "gpt2-medium", "GPT-2 medium", 354823168, 1024, gpt2(24, 1024, 16)),
		language("GPT-2", "gpt2-large", "GPT-2 large", 774030080, 1024, gpt2(36, 1280, 20)),
		language("GPT-2", "gpt2-1.5b", "GPT-2 XL", 1557611200, 1024, gpt2(48, 1600, 25), "gpt2-xl"),
		language("T5", "t5-small", "T5 small", 60506624, 512, t5(6, 512, 2048, 8, 64)),
		language("T5", "t5-base", "T5 base", 222903552, 512, t5(12, 768, 3072, 12, 64)),
		language("T5", "t5-large", "T5 large", 737668096, 512, t5(24, 1024, 4096, 16, 64)),
		language("Llama", "tinyllama-1.1b", "TinyLlama 1.1B", 1100048384, 2048, llama(22, 2048, 32, 4, 5632, 32000, false)),
		language("Llama", "llama-3.2-1b", "Llama 3.2 1B", 1235814400, 2048, llama(16, 2048, 32, 8, 8192, 128256, true)),
		language("Llama", "llama-3.2-3b", "Llama 3.2 3B", 3212749824, 2048, llama(28, 3072, 24, 8, 8192, 128256, true)),
		language("Llama", "llama-7b", "Llama 7B", 6738415616, 2048, llama(32, 4096, 32, 32, 11008, 32000, false), "llama-2-7b"),
		language("Llama", "llama-13b", "Llama 13B", 13015864320, 2048, llama(40, 5120, 40, 40, 13824, 32000, false), "llama-2-13b"),
		language("Llama", "llama-3-8b", "Llama 3 8B", 8030261248, 2048, llama(32, 4096, 32, 8, 14336, 128256, false), "llama-3.1-8b"),
		language("Llama", "llama-2-70b", "Llama 2 70B", 68976648192, 2048, llama(80, 8192, 64, 8, 28672, 32000, false)),
		language("Llama", "llama-3-70b", "Llama 3 70B", 70553706496, 2048, llama(80, 8192, 64, 8, 28672, 128256, false), "llama-3.1-70b"),
	}
	for _, m := range []struct {
		name                  string
		hidden, layers, heads int64
	}{
		{"125m", 768, 12, 12},
		{"350m", 1024, 24, 16},
		{"760m", 1536, 24, 12},
		{"1b", 2048, 24, 16},
		{"3b", 2560, 32, 20},
		{"7b", 4096, 32, 32},
		{"13b", 5120, 40, 40},
		{"30b", 7168, 48, 56},
		{"70b", 8192, 80, 64},
	} {
		// Weights of four products, two norms without bias, and the vocabulary.
		parameters := m.layers*(12*m.hidden*m.hidden+2*m.hidden) + 50368*m.hidden + m.hidden
		d := decoder{layers: m.layers, hidden: m.hidden, heads: m.heads, kv: m.heads, inner: 4 * m.hidden, vocabulary: 50368, tied: true}
		list = append(list, language("MPT", "mpt-"+m.name, "MPT "+strings.ToUpper(m.name), parameters, 2048, d.write))
	}
	return list
}

// Networks lists all networks. The list is shared.
func Networks() []Network { return networks }

// plain is a spelling without what people write differently.
func plain(name string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(strings.ToLower(name))
}

// spellings are indices of networks by plain spelling.
var spellings = func() map[string]int {
	m := make(map[string]int)
	for i := range networks {
		n := &networks[i]
		for _, name := range append([]string{n.Name}, n.Also...) {
			if p := plain(name); m[p] == 0 || networks[m[p]].Name == n.Name {
				m[p] = i
			}
		}
	}
	return m
}()

// Find returns the network of a name, in any common spelling: small or large letters,
// other separators, the weights' tag behind a point, and the organization before a slash.
func Find(name string) (*Network, error) {
	_, last, ok := strings.Cut(name, "/")
	if !ok {
		last = name
	}
	if i, ok := spellings[plain(last)]; ok {
		return &networks[i], nil
	}
	untagged, _, _ := strings.Cut(last, ".")
	for _, from := range []string{"", "tf_", "tv_", "gluon_", "ssl_", "swsl_"} { // whose weights
		if i, ok := spellings[plain(strings.TrimPrefix(untagged, from))]; ok {
			return &networks[i], nil
		}
	}
	return nil, fmt.Errorf("no network %q is known; %q has a list", name, "spillway models")
}
