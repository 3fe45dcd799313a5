package recording

import (
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
)

// A Deed is what the names of a kernel and of the operator that launched it say to the law of
// kernel times.
type Deed struct {
	Class   kerneltime.Class
	Element unit.Bytes // 0 if they say nothing of it
	// Units are those of products and convolutions: in 4 bytes kerneltime.FP32 or TF32,
	// TF32Conv where nothing is said, as PyTorch is by default; in 2 bytes BF16 where they say so.
	Units kerneltime.Precision
}

// deeds are parts of kernels' names and their classes; the first that a name has counts.
var deeds = []struct {
	class kerneltime.Class
	parts []string
}{
	{kerneltime.Copy, []string{"nchwtonhwc", "nhwctonchw", "transpose", "memcpy", "memset", "catarray"}},
	{kerneltime.AttentionBackward, []string{"flash_bwd", "fmha_bwd", "fmha_cutlassb", "attn_bwd", "attention_backward", "flashattnbwd", "fmha_dgrad", "flash_bprop"}},
	{kerneltime.AttentionForward, []string{"flash_fwd", "fmha", "attn_fwd", "attention_kernel", "unified_attention", "flashattnfwd", "flash_fprop"}},
	{kerneltime.BatchNorm, []string{"bn_fw", "bn_bw", "batch_norm", "batchnorm"}},
	{kerneltime.Normalization, []string{"layer_norm", "layernorm", "softmax", "rms_norm", "rmsnorm", "group_norm", "groupnorm", "rowwisemoments", "gammabeta"}},
	{kerneltime.ConvData, []string{"dgrad", "bwd_data", "bwddata", "igemm_bwd"}},
	{kerneltime.ConvWeight, []string{"wgrad", "bwd_weight", "bwdweight", "igemm_wrw", "bwd_filter"}},
	{kerneltime.ConvForward, []string{"fprop", "implicit_convolve", "winograd", "conv2d", "conv_fwd", "convolve", "igemm_fwd", "scudnn"}},
	{kerneltime.Reduction, []string{"splitkreduce", "splitk_reduce"}},
	{kerneltime.Product, []string{"gemm", "gemv", "cijk_", "nvjet", "matmul", "s884", "s1688", "s16816", "cutlass"}},
	{kerneltime.Optimizer, []string{"multi_tensor", "adam", "sgd_"}},
	{kerneltime.Pooling, []string{"pool"}},
	{kerneltime.Embedding, []string{"embedding", "indexselect", "index_select", "gather", "scatter", "index_elementwise"}},
	{kerneltime.Reduction, []string{"reduce", "triton_red", "nll_loss"}},
	{kerneltime.Copy, []string{"copy", "fill"}},
}

// Parts of names that say how many bytes an element has, or what multiplies 4 of them.
var (
	brains = []string{"bfloat16", "bf16", "_bbs", "_bs_bh"}
	halves = []string{"half", "f16", "fp16", "hgemm", "h884", "h16816", "s16816", "s161616", "_hhs", "_hs_bh"}
	tf32s  = []string{"tf32", "tensorop_s1688", "s1688gemm"}
	fp32s  = []string{"sgemm", "simt", "scudnn", "ffma"}
)

// DeedOf is what a kernel does, by its name and its operator's.
func DeedOf(name, op string) Deed {
	name, op = strings.ReplaceAll(strings.ToLower(name), "fbgemm", ""), strings.TrimPrefix(op, "aten::")
	has := func(parts []string) bool {
		for _, p := range parts {
			if strings.Contains(name, p) {
				return true
			}
		}
		return false
	}
	d := Deed{Units: kerneltime.TF32Conv}
	for i := range deeds {
		if has(deeds[i].parts) {
			d.Class = deeds[i].class
			break
		}
	}
	switch {
	case d.Class == kerneltime.Product && strings.Contains(op, "conv") && strings.HasSuffix(op, "backward"):
		d.Class = kerneltime.ConvData
	case d.Class == kerneltime.Product && strings.Contains(op, "conv"):
		d.Class = kerneltime.ConvForward
	case d.Class == kerneltime.Product && (op == "bmm" || op == "baddbmm"):
		d.Class = kerneltime.BatchedProduct
	case d.Class == kerneltime.Elementwise && strings.HasPrefix(op, "_foreach"):
		d.Class = kerneltime.Optimizer
	}
	switch {
	case has(brains):
		d.Element, d.Units = 2, kerneltime.BF16
	case has(halves):
		d.Element = 2
	case has(tf32s):
		d.Element, d.Units = 4, kerneltime.TF32
	case has(fp32s):
		d.Element, d.Units = 4, kerneltime.FP32
	case strings.Contains(name, "float"):
		d.Element = 4
	}
	return d
}

// policy is what a kernel's products and convolutions run on. A GPU without tensor cores of a
// kind leaves open whether one that has them would use them: there it is as by default.
func (d *Deed) policy(on *kerneltime.GPU) kerneltime.Policy {
	p := kerneltime.Policy{Precision: d.Units, Setting: kerneltime.Training}
	switch {
	case d.Element == 1:
		p.Precision = kerneltime.FP8
	case d.Element == 2 && d.Units != kerneltime.BF16:
		p.Precision = kerneltime.FP16
	case d.Element == 2: // as it is
	case on.TF32 == 0:
		p.Precision = kerneltime.TF32Conv
	}
	return p
}

// ClassOf is what the work of an operator is to the law of kernel times, where no kernel was
// recorded; of a convolution's gradients it is that of its input's.
func ClassOf(op string) kerneltime.Class {
	rest, ok := strings.CutPrefix(op, "aten::")
	if !ok {
		return kerneltime.Elementwise
	}
	backward := strings.HasSuffix(rest, "backward")
	switch {
	case rest == "bmm" || rest == "baddbmm":
		return kerneltime.BatchedProduct
	case rest == "mm" || rest == "addmm" || rest == "_addmm_activation" || rest == "matmul" || rest == "linear" || rest == "mkldnn_linear":
		return kerneltime.Product
	case strings.Contains(rest, "attention") && backward:
		return kerneltime.AttentionBackward
	case strings.Contains(rest, "attention"):
		return kerneltime.AttentionForward
	case strings.Contains(rest, "convolution") && backward:
		return kerneltime.ConvData
	case strings.Contains(rest, "convolution"), rest == "conv1d", rest == "conv2d", rest == "conv3d":
		return kerneltime.ConvForward
	case strings.Contains(rest, "batch_norm"):
		return kerneltime.BatchNorm
	case strings.Contains(rest, "layer_norm"), strings.Contains(rest, "rms_norm"), strings.Contains(rest, "group_norm"), strings.Contains(rest, "softmax"):
		return kerneltime.Normalization
	case strings.Contains(rest, "embedding"):
		return kerneltime.Embedding
	case rest == "sum" || rest == "mean":
		return kerneltime.Reduction
	}
	return kerneltime.Elementwise
}
