package et

import (
	"strings"

	"spillway/sim/kerneltime"
	"spillway/traces/recording"
)

// lawShape is the shape of an operator as the law of kernel times knows it; not ok where it has
// none or says too little. Of a convolution's gradients it is that of its input's, which stands
// for both, or of its weight's where that is the only one. in has three shapes or more, out two.
func lawShape(name string, in, out []shape) (k kerneltime.Kernel, ok bool) {
	rest, ok := strings.CutPrefix(name, "aten::")
	if !ok {
		return k, false
	}
	k.Class = recording.ClassOf(name)
	switch rest {
	case "mm":
		return k, products(&k, &in[0], &in[1], 2)
	case "addmm", "_addmm_activation":
		return k, products(&k, &in[1], &in[2], 2)
	case "bmm":
		return k, products(&k, &in[0], &in[1], 3)
	case "baddbmm":
		return k, products(&k, &in[1], &in[2], 3)
	case "convolution_backward":
		if product(&out[0]) <= 1 {
			k.Class = kerneltime.ConvWeight
		}
		return k, convolves(&k, &in[1], &in[2], &in[0])
	case "convolution", "_convolution", "cudnn_convolution", "miopen_convolution", "conv2d":
		return k, convolves(&k, &in[0], &in[1], &out[0])
	}
	if strings.HasPrefix(rest, "_scaled_dot_product_") {
		if k.Class == kerneltime.AttentionBackward {
			in = in[1:]
		}
		return k, len(in) > 1 && attends(&k, &in[0], &in[1])
	}
	return k, false
}

// products fills in a product of matrices, or of many pairs of them.
func products(k *kerneltime.Kernel, a, b *shape, dims int) bool {
	if a.n != dims || b.n != dims {
		return false
	}
	k.Batch = 1
	if dims == 3 {
		k.Batch = a.dim[0]
	}
	k.M, k.K, k.N = a.dim[dims-2], a.dim[dims-1], b.dim[dims-1]
	return true
}

// convolves fills in a convolution of x by w whose result is y: stride and padding follow from it.
func convolves(k *kerneltime.Kernel, x, w, y *shape) bool {
	if x.n != 4 || w.n != 4 || y.n != 4 || w.dim[1] <= 0 || y.dim[2] <= 0 || x.dim[1]%w.dim[1] != 0 {
		return false
	}
	k.Batch, k.C, k.H, k.W = x.dim[0], x.dim[1], x.dim[2], x.dim[3]
	k.K, k.R, k.S, k.Groups = w.dim[0], w.dim[2], w.dim[3], x.dim[1]/w.dim[1]
	k.Stride = max(1, (k.H+y.dim[2]/2)/y.dim[2])
	k.Pad = max(0, ((y.dim[2]-1)*k.Stride+k.R-k.H+1)/2)
	return true
}

// attends fills in an attention: batch, heads, tokens, width.
func attends(k *kerneltime.Kernel, q, keys *shape) bool {
	if q.n != 4 || keys.n != 4 {
		return false
	}
	k.Batch, k.Heads, k.KVHeads, k.SeqQ, k.SeqKV, k.HeadDim = q.dim[0], q.dim[1], keys.dim[1], q.dim[2], keys.dim[2], q.dim[3]
	return true
}

// laws gives equal shapes one place.
type laws map[kerneltime.Kernel]*kerneltime.Kernel

// mostShapes is how many different ones are kept; a network has tens.
const mostShapes = 1 << 16

// of is the shape of an operator, nil if it has none.
func (s laws) of(name string, in, out []shape) *kerneltime.Kernel {
	k, ok := lawShape(name, in, out)
	if !ok {
		return nil
	}
	if had := s[k]; had != nil || len(s) >= mostShapes {
		return had
	}
	s[k] = &k
	return &k
}
