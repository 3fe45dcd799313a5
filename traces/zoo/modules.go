package zoo

import (
	"strconv"

	"spillway/traces/g10"
)

// classes is the number of categories of ImageNet-1k.
const classes = 1000

func digits(n int) string { return strconv.Itoa(n) }

func block(kind, label string, children ...g10.Module) g10.Module {
	return g10.Module{Kind: kind, Label: label, Children: children}
}

// conv is a convolution with a square window. As in the artifact's networks
// convolutions have neither bias nor groups.
func conv(label string, in, out, size, stride, pad int64) g10.Module {
	return window(label, in, out, [2]int64{size, size}, stride, [2]int64{pad, pad})
}

func window(label string, in, out int64, size [2]int64, stride int64, pad [2]int64) g10.Module {
	return g10.Module{
		Kind: "Conv2d", Label: label, In: in, Out: out,
		Kernel: size, Stride: [2]int64{stride, stride}, Pad: pad,
	}
}

func norm(label string, channels int64) g10.Module {
	return g10.Module{Kind: "BatchNorm2d", Label: label, In: channels}
}

func relu(label string) g10.Module { return g10.Module{Kind: "ReLU", Label: label, InPlace: true} }

func maxPool(label string, size, stride, pad int64) g10.Module {
	return g10.Module{
		Kind: "MaxPool2d", Label: label,
		Kernel: [2]int64{size, size}, Stride: [2]int64{stride, stride}, Pad: [2]int64{pad, pad},
	}
}

// avgPool averages a whole feature map.
func avgPool(label string) g10.Module {
	return g10.Module{Kind: "AdaptiveAvgPool2d", Label: label, Kernel: [2]int64{1, 1}}
}

func linear(label string, in, out int64) g10.Module {
	return g10.Module{Kind: "Linear", Label: label, In: in, Out: out, Bias: true}
}

func dropout(label string) g10.Module { return g10.Module{Kind: "Dropout", Label: label} }

// modules builds the graph of a CNN.
func modules(name string, s g10.Setup, root g10.Module) (graph, error) {
	w, work, err := g10.BuildModules(name, s, root)
	if err != nil {
		return graph{}, err
	}
	return graph{w: w, work: work, parameters: trained(w)}, nil
}
