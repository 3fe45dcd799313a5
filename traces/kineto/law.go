package kineto

import (
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/traces/recording"
)

// A deed is an operator's arguments and what one of its kernels does with them.
type deed struct {
	op, signature int32 // the operator's name and arguments, by number
	class         kerneltime.Class
}

// lawShape is the shape of a kernel as the law of kernel times knows it: from the dimensions of
// the nearest operator around it that has any, nil where that is none of the same kind.
func (b *builder) lawShape(name string, op int32) *kerneltime.Kernel {
	if op = b.t.shaped(op); op < 0 {
		return nil
	}
	short, ok := strings.CutPrefix(b.t.Strings[b.t.Ops[op].Name], "aten::")
	of := multiplies(short)
	if !ok || of == others {
		return nil
	}
	d := deed{op: b.t.Ops[op].Name, signature: b.t.order[op].signature, class: recording.DeedOf(name, short).Class}
	if made, ok := b.shapes[d]; ok {
		return made
	}
	k := b.t.call(op).shape(short, of, d.class)
	b.shapes[d] = k
	return k
}

// A family is operators whose shapes are alike.
type family uint8

const (
	others family = iota
	products
	batches
	linears
	convolutions
	attentions
)

// multiplies is the family of an operator.
func multiplies(short string) family {
	switch short {
	case "mm", "addmm", "_addmm_activation":
		return products
	case "bmm", "baddbmm":
		return batches
	case "linear":
		return linears
	case "convolution", "_convolution", "cudnn_convolution", "miopen_convolution", "conv2d", "convolution_backward":
		return convolutions
	}
	if strings.HasPrefix(short, "_scaled_dot_product_") || strings.HasPrefix(short, "_flash_attention_") || strings.HasPrefix(short, "_efficient_attention_") {
		return attentions
	}
	return others
}

// shape is what a kernel of a class does with an operator's arguments, nil where they are not of
// that class, or are not what such an operator has.
func (c *call) shape(short string, of family, class kerneltime.Class) *kerneltime.Kernel {
	in := c.inputs
	if strings.HasPrefix(short, "add") || strings.HasPrefix(short, "badd") || short == "_addmm_activation" { // to the first
		in = in[min(1, len(in)):]
	}
	if len(in) < 2 {
		return nil
	}
	k := &kerneltime.Kernel{Class: class, Element: unit.Bytes(in[0].item)}
	x, y := in[0].dims, in[1].dims
	switch {
	case of == products && class == kerneltime.Product && len(x) == 2 && len(y) == 2:
		k.M, k.K, k.N = x[0], x[1], y[1]
	case of == linears && class == kerneltime.Product && len(x) > 0 && len(y) == 2 && x[len(x)-1] > 0:
		k.K, k.N = y[1], y[0]
		k.M = in[0].count / x[len(x)-1]
	case of == batches && class == kerneltime.BatchedProduct && len(x) == 3 && len(y) == 3:
		k.Batch, k.M, k.K, k.N = x[0], x[1], x[2], y[2]
	case of == convolutions:
		return c.convolves(short, k)
	case of == attentions && (class == kerneltime.AttentionForward || class == kerneltime.AttentionBackward):
		return c.attends(short, k)
	default:
		return nil
	}
	return k
}

// convolves fills in the shape of a convolution or of one of its gradients.
func (c *call) convolves(short string, k *kerneltime.Kernel) *kerneltime.Kernel {
	in := c.inputs
	var height, width int64 // of the result, of gradients
	if short == "convolution_backward" {
		if len(in) < 3 || len(in[0].dims) != 4 || k.Class != kerneltime.ConvData && k.Class != kerneltime.ConvWeight {
			return nil
		}
		height, width = in[0].dims[2], in[0].dims[3]
		in = in[1:]
	} else if k.Class != kerneltime.ConvForward {
		return nil
	}
	x, w := in[0].dims, in[1].dims
	if len(x) != 4 || len(w) != 4 || w[1] <= 0 || x[1]%w[1] != 0 {
		return nil
	}
	k.Batch, k.C, k.H, k.W, k.K, k.R, k.S, k.Groups = x[0], x[1], x[2], x[3], w[0], w[2], w[3], x[1]/w[1]
	k.Stride, k.Layout = 1, kerneltime.NHWC // changes of layout are kernels of their own
	if height > 0 && width > 0 {
		k.Stride = max(1, (k.H+height/2)/height)
		k.Pad = max(0, ((height-1)*k.Stride+k.R-k.H+1)/2)
		return k
	}
	stride, pad := 3, 4 // places among the arguments
	switch short {
	case "cudnn_convolution":
		stride, pad = 3, 2
	case "miopen_convolution":
		stride, pad = 4, 3
	}
	if len(c.values) <= max(stride, pad) {
		return nil
	}
	s, p := numbers(c.values[stride]), numbers(c.values[pad])
	if len(s) == 0 || len(p) == 0 || s[0] < 1 || p[0] < 0 || s[0] > 1<<20 || p[0] > 1<<20 {
		return nil
	}
	k.Stride, k.Pad = s[0], p[0]
	return k
}

// attends fills in the shape of an attention: queries and keys are the first arguments, in
// gradients behind that of the result.
func (c *call) attends(short string, k *kerneltime.Kernel) *kerneltime.Kernel {
	in := c.inputs
	if k.Class == kerneltime.AttentionBackward {
		in = in[1:]
	}
	if len(in) < 2 || len(in[0].dims) != 4 || len(in[1].dims) != 4 {
		return nil
	}
	q, keys := in[0].dims, in[1].dims
	heads, tokens := 1, 2
	if !strings.HasPrefix(short, "_scaled") { // of which the inner ones have the other order
		heads, tokens = 2, 1
	}
	k.Batch, k.Heads, k.KVHeads, k.SeqQ, k.SeqKV, k.HeadDim = q[0], q[heads], keys[heads], q[tokens], keys[tokens], q[3]
	return k
}
