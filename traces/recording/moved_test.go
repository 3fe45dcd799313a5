package recording

import (
	"reflect"
	"strings"
	"testing"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Recorded times become those of another GPU by the ratio of the law: by shape, by class, or not
// at all. On the recorded GPU nothing changes.
func TestMoved(t *testing.T) {
	plain, _, err := two().Fold(Choices{})
	if err != nil {
		t.Fatal(err)
	}
	same, rep, err := two().Fold(Choices{GPU: "h100-sxm"})
	if err != nil || rep.Moved != nil || rep.Band != 0 || !reflect.DeepEqual(same, plain) {
		t.Fatalf("on the recorded GPU: %v, %+v", err, rep.Moved)
	}
	r := two()
	shape := &kerneltime.Kernel{Class: kerneltime.Product, M: 2048, N: 2048, K: 2048, Element: 4}
	r.Steps[0].Kernels[1].Shape = shape
	w, rep, err := r.Fold(Choices{GPU: "v100", Unknown: Follow})
	if err != nil {
		t.Fatal(err)
	}
	from, to := kerneltime.Find("h100"), kerneltime.Find("v100")
	p := kerneltime.Policy{Precision: kerneltime.TF32Conv, Setting: kerneltime.Training}
	if got, want := w.Kernels[1].Time, kerneltime.Moved(10*us, from, to, p, shape); got != want || got <= 10*us {
		t.Errorf("a product of known shape takes %v, want %v", got, want)
	}
	if got, want := w.Kernels[2].Time, kerneltime.MovedByClass(3*us, from, to, p, kerneltime.Elementwise, 0); got != want {
		t.Errorf("a kernel of unknown shape takes %v, want %v", got, want)
	}
	if w.Kernels[0].Time != 2*us || w.Kernels[3].Time != 10*us {
		t.Errorf("a copy from the host and a collective take %v and %v", w.Kernels[0].Time, w.Kernels[3].Time)
	}
	m := rep.Moved
	if m == nil || m.ByShape != 10*us || m.Kept != 12*us || m.Before != m.ByShape+m.ByClass+m.Kept || m.After <= m.Before || rep.Band == 0 {
		t.Errorf("%+v, ± %d %%", m, rep.Band)
	}
	if w.Times != workload.Estimated || !strings.Contains(w.Origin, "moved to V100") || !strings.Contains(rep.Told(w.Origin), "ratio of the law") {
		t.Errorf("%s: %s", w.Times, rep.Told(w.Origin))
	}
	// What ran beside others stays beside them, however long it takes elsewhere.
	if w.Kernels[4].Time != 1 {
		t.Errorf("a kernel beside others takes %v", w.Kernels[4].Time)
	}
	if _, _, err := r.Fold(Choices{GPU: "abacus"}); err == nil || !strings.Contains(err.Error(), `"abacus"`) {
		t.Errorf("an unknown GPU: %v", err)
	}
}

// A product whose name says nothing of its elements has those that most other kernels have: on an
// H100 without a shape it runs by the ratio of the tensor cores, and on a GPU without bf16 as fp16.
func TestMovedHalf(t *testing.T) {
	for _, c := range []struct {
		from, to string
		precise  kerneltime.Precision
		instead  bool
	}{
		{"B200", "h100-sxm", kerneltime.BF16, false},
		{"A100-SXM4-80GB", "v100", kerneltime.BF16, true},
		{"RTX 4090", "t4", kerneltime.BF16, true},
		{"H100", "v100", kerneltime.FP16, false},
		{"H100", "v100", kerneltime.TF32Conv, false},
	} {
		r := two()
		r.Device.Name = c.from
		ks := r.Steps[0].Kernels
		ks[1].Name = "nvjet_tst_192x192_64x4_1x2_h_bz_coopB_TNN"
		ks[4].Name = map[kerneltime.Precision]string{
			kerneltime.BF16: "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>>",
			kerneltime.FP16: "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half>>",
		}[c.precise]
		w, rep, err := r.Fold(Choices{GPU: c.to, Unknown: Follow})
		if err != nil {
			t.Fatal(err)
		}
		from, to := kerneltime.Find(c.from), kerneltime.Find(c.to)
		p := kerneltime.Policy{Precision: c.precise, Setting: kerneltime.Training}
		if got, want := w.Kernels[1].Time, kerneltime.MovedByClass(10*us, from, to, p, kerneltime.Product, 0); got != want {
			t.Errorf("%s to %s in %v: a product of 10 µs takes %v, want %v", c.from, c.to, c.precise, got, want)
		}
		if says := rep.Moved.Says(); strings.Contains(says, "has no bf16") != c.instead {
			t.Error(says)
		}
	}
}

// Where the law does not know the recorded GPU, only what has a shape is moved.
func TestMovedFromUnknown(t *testing.T) {
	r := two()
	r.Device.Name = "AMD Instinct MI300X"
	shape := &kerneltime.Kernel{Class: kerneltime.Product, M: 2048, N: 2048, K: 2048, Element: 2}
	r.Steps[0].Kernels[1].Shape = shape
	w, rep, err := r.Fold(Choices{GPU: "h100"})
	if err != nil {
		t.Fatal(err)
	}
	law := kerneltime.Time(kerneltime.Find("h100"), kerneltime.Policy{Precision: kerneltime.FP16, Setting: kerneltime.Training}, shape).Time
	if w.Kernels[1].Time != law+3*us || rep.Moved.From != nil || rep.Band != unknownBand { // and what joins it
		t.Errorf("%v, want %v; %+v", w.Kernels[1].Time, law+3*us, rep.Moved)
	}
}

// A GPU that is not in the law's list is taken as its family's nearest, by its properties.
func TestMovedFromLike(t *testing.T) {
	r := two()
	r.Device = Device{Name: "NVIDIA A800-SXM4-80GB", Memory: 80 * unit.GiB, Major: 8, SMs: 108}
	r.Steps[0].Kernels[1].Name = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn"
	w, rep, err := r.Fold(Choices{GPU: "h100-sxm", Unknown: Follow})
	if err != nil {
		t.Fatal(err)
	}
	p := kerneltime.Policy{Precision: kerneltime.BF16, Setting: kerneltime.Training}
	want := kerneltime.MovedByClass(10*us, kerneltime.Find("a100-sxm-80"), kerneltime.Find("h100"), p, kerneltime.Product, 0)
	if w.Kernels[1].Time != want || rep.Band <= 0 || !strings.Contains(rep.Moved.Says(), "A800-SXM4-80GB, taken as the A100 SXM 80 GB by") {
		t.Errorf("a product takes %v, want %v; %s", w.Kernels[1].Time, want, rep.Moved.Says())
	}
}

func TestDeviceGPU(t *testing.T) {
	for _, c := range []struct {
		name   string
		memory unit.Bytes
		want   string
	}{
		{"NVIDIA H100 80GB HBM3", 0, "h100-sxm"},
		{"NVIDIA A100-PG509-200", 0, "a100-sxm-40"},
		{"Tesla V100-SXM2-16GB", 16 * unit.GiB, "v100-sxm2-16"},
		{"Tesla V100-SXM2-32GB", 32 * unit.GiB, "v100-sxm2-32"},
		{"NVIDIA GeForce RTX 4090", 23 * unit.GiB, "rtx-4090"},
		{"NVIDIA A100-SXM4-80GB", 79 * unit.GiB, "a100-sxm-80"},
		{"AMD Instinct MI300X", 192 * unit.GiB, ""},
		{"", 0, ""},
	} {
		r := Recording{Device: Device{Name: c.name, Memory: c.memory}}
		g := r.DeviceGPU()
		if (g == nil) != (c.want == "") || g != nil && g.Key != c.want {
			t.Errorf("%s: %+v", c.name, g)
		}
	}
}

func TestDeedOf(t *testing.T) {
	for _, c := range []struct {
		name, op string
		want     Deed
	}{
		{"volta_sgemm_128x64_nn", "aten::mm", Deed{kerneltime.Product, 4, kerneltime.FP32}},
		{"volta_sgemm_128x64_nn", "aten::bmm", Deed{kerneltime.BatchedProduct, 4, kerneltime.FP32}},
		{"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>(x)", "aten::addmm", Deed{kerneltime.Product, 4, kerneltime.TF32}},
		{"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>(x)", "aten::cudnn_convolution", Deed{kerneltime.ConvForward, 4, kerneltime.TF32}},
		{"sm80_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_nhwckcrs_nhwc", "aten::convolution_backward", Deed{kerneltime.ConvData, 2, kerneltime.TF32Conv}},
		{"cudnn::cnn::wgrad_alg0_engine<float, 128>", "aten::convolution_backward", Deed{kerneltime.ConvWeight, 4, kerneltime.TF32Conv}},
		{"void cudnn::ops::nchwToNhwcKernel<float, float>", "aten::cudnn_convolution", Deed{kerneltime.Copy, 4, kerneltime.TF32Conv}},
		{"void pytorch_flash::flash_fwd_kernel<cutlass::bfloat16_t>", "aten::_flash_attention_forward", Deed{kerneltime.AttentionForward, 2, kerneltime.BF16}},
		{"void cudnn::bn_bw_1C11_kernel_new<float>", "aten::cudnn_batch_norm_backward", Deed{kerneltime.BatchNorm, 4, kerneltime.TF32Conv}},
		{"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half>>", "aten::add", Deed{kerneltime.Elementwise, 2, kerneltime.TF32Conv}},
		{"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<x>", "aten::_foreach_add_", Deed{kerneltime.Optimizer, 0, kerneltime.TF32Conv}},
		{"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_3", "aten::_cudnn_attention_backward", Deed{kerneltime.AttentionBackward, 2, kerneltime.TF32Conv}},
		{"nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT", "aten::linear", Deed{kerneltime.Product, 0, kerneltime.TF32Conv}},
	} {
		if got := DeedOf(c.name, c.op); got != c.want {
			t.Errorf("%s in %s: %+v, want %+v", c.name, c.op, got, c.want)
		}
	}
}
