package et

import (
	"testing"

	"spillway/sim/kerneltime"
)

// Operators' shapes are those of the law; what has too few dimensions has none.
func TestLawShape(t *testing.T) {
	dims := func(list ...[]int64) []shape {
		out := make([]shape, max(len(list), 3))
		for i, l := range list {
			out[i].n = copy(out[i].dim[:], l)
		}
		return out
	}
	x, w, y := []int64{32, 64, 56, 56}, []int64{128, 64, 3, 3}, []int64{32, 128, 28, 28}
	conv := kerneltime.Kernel{Class: kerneltime.ConvForward, Batch: 32, C: 64, H: 56, W: 56, K: 128, R: 3, S: 3, Stride: 2, Pad: 1, Groups: 1}
	data, weight := conv, conv
	data.Class, weight.Class = kerneltime.ConvData, kerneltime.ConvWeight
	stem := kerneltime.Kernel{Class: kerneltime.ConvForward, Batch: 8, C: 3, H: 224, W: 224, K: 64, R: 7, S: 7, Stride: 2, Pad: 3, Groups: 1}
	for _, c := range []struct {
		name    string
		in, out []shape
		want    kerneltime.Kernel
	}{
		{"aten::mm", dims([]int64{8, 4}, []int64{4, 2}), dims(), kerneltime.Kernel{Class: kerneltime.Product, Batch: 1, M: 8, K: 4, N: 2}},
		{"aten::addmm", dims([]int64{2}, []int64{8, 4}, []int64{4, 2}), dims(), kerneltime.Kernel{Class: kerneltime.Product, Batch: 1, M: 8, K: 4, N: 2}},
		{"aten::bmm", dims([]int64{16, 8, 4}, []int64{16, 4, 2}), dims(), kerneltime.Kernel{Class: kerneltime.BatchedProduct, Batch: 16, M: 8, K: 4, N: 2}},
		{"aten::cudnn_convolution", dims(x, w), dims(y), conv},
		{"aten::convolution", dims([]int64{8, 3, 224, 224}, []int64{64, 3, 7, 7}), dims([]int64{8, 64, 112, 112}), stem},
		{"aten::convolution_backward", dims(y, x, w), dims(x, w), data},
		{"aten::convolution_backward", dims(y, x, w), dims(nil, w), weight},
		{"aten::_scaled_dot_product_flash_attention", dims([]int64{2, 8, 128, 64}, []int64{2, 4, 256, 64}), dims(), kerneltime.Kernel{Class: kerneltime.AttentionForward, Batch: 2, Heads: 8, KVHeads: 4, SeqQ: 128, SeqKV: 256, HeadDim: 64}},
	} {
		if got, ok := lawShape(c.name, c.in, c.out); !ok || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, ok, c.want)
		}
	}
	for _, name := range []string{"aten::mm", "aten::convolution", "aten::convolution_backward", "aten::add", "who", "aten::_scaled_dot_product_flash_attention_backward"} {
		if k, ok := lawShape(name, dims([]int64{8}), dims()); ok {
			t.Errorf("%s of one dimension: %+v", name, k)
		}
	}
}
