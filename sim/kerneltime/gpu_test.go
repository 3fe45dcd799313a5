package kerneltime

import (
	"strings"
	"testing"
)

// Every GPU is found by its key, whatever way it is written, and its data sheet is whole.
func TestGPUs(t *testing.T) {
	for _, g := range GPUs() {
		for _, name := range []string{g.Key, strings.ToUpper(g.Key), strings.ReplaceAll(g.Key, "-", "_"), "NVIDIA " + g.Name} {
			if got := Find(name); got == nil || got.Key != g.Key {
				t.Errorf("%q is %v, want %s", name, got, g.Key)
			}
		}
		if g.FP32 <= 0 || g.Bandwidth <= 0 || g.Memory <= 0 || g.Cache <= 0 || g.SMs <= 0 || g.Watts <= 0 || g.Source == "" {
			t.Errorf("%s: its data sheet is not whole: %+v", g.Key, g)
		}
		if (g.Family >= Ampere) != (g.TF32 > 0) || (g.Family > Pascal) != (g.FP16 > 0) || g.FP16 > 0 && g.FP16 < g.FP32 {
			t.Errorf("%s: its peaks do not fit its family: %+v", g.Key, g)
		}
	}
	for name, want := range map[string]string{
		"A100-SXM4-80GB": "a100-sxm-80", "a100-80gb": "a100-sxm-80", "A100 PCIe 40GB": "a100-pcie-40", "Tesla V100-SXM2-16GB": "v100-sxm2-16", "v100": "v100-sxm2-32",
		"H100 80GB SXM5": "h100-sxm", "h100": "h100-sxm", "h100-pcie": "h100-pcie", "rtx3090": "rtx-3090", "3090": "rtx-3090", "GeForce RTX 4060 Ti": "rtx-4060-ti",
		"RTX A6000": "rtx-a6000", "a6000": "rtx-a6000", "titan-x-pascal": "titan-x-pascal", "titan-xp": "titan-xp", "gtx-1080-ti": "gtx-1080-ti",
		"rtx-6000-ada": "rtx-6000-ada", "RTX 6000 Ada Generation": "rtx-6000-ada", "rtx-8000": "rtx-8000", "quadro-rtx-8000": "rtx-8000",
		"pro-6000-maxq": "pro-6000-maxq", "rtx-pro-6000-max-q": "pro-6000-maxq", "RTX PRO 6000 Blackwell Max-Q Workstation Edition": "pro-6000-maxq", "h200": "h200", "H200 SXM 141GB": "h200", "b200": "b200", "rtx-5090": "rtx-5090",
	} {
		if g := Find(name); g == nil || g.Key != want {
			t.Errorf("%q is %v, want %s", name, g, want)
		}
	}
	for _, name := range []string{"", "abacus", "h1000", "rtx-1090", "-"} {
		if g := Find(name); g != nil {
			t.Errorf("%q is %s", name, g.Key)
		}
	}
}

func TestPrecisions(t *testing.T) {
	for i, name := range Precisions() {
		if p, ok := ParsePrecision(strings.ToUpper(name)); !ok || p != Precision(i) || p.String() != name {
			t.Errorf("%s is %v", name, p)
		}
	}
	for name, want := range map[string]Precision{"float16": FP16, "AMP": AMPFP16, "amp_bf16": AMPBF16, "amp": AMPFP16, "bfloat16": BF16, "fp32/tf32": TF32, "float32": FP32} {
		if p, ok := ParsePrecision(name); !ok || p != want {
			t.Errorf("%s is %v", name, p)
		}
	}
	if _, ok := ParsePrecision("int4"); ok {
		t.Error("int4 is no precision")
	}
}

// The transfer rule gives the shares of FP32 units that the specification prints.
func TestFP32Shares(t *testing.T) {
	for key, want := range map[string]float64{
		"l4": 0.47, "t4": 0.645, "rtx-4090": 0.71, "l40s": 0.595, "rtx-6000-ada": 0.55, "a10": 0.52, "a40": 0.67, "rtx-a6000": 0.66, "rtx-3090": 0.74, "rtx-3060": 0.75,
		"a100-sxm-80": 0.86, "v100-sxm2-16": 0.93, "h100-sxm": 0.717,
	} {
		if got := Find(key).fp32Share(Training); got < want-0.006 || got > want+0.006 {
			t.Errorf("%s: %.3f, want %.3f", key, got, want)
		}
	}
	for key, want := range map[string]float64{"l4": 0.29, "t4": 0.49} {
		if got := Find(key).fp32Share(Alone); got < want-0.006 || got > want+0.006 {
			t.Errorf("%s in a loop: %.3f, want %.3f", key, got, want)
		}
	}
}
