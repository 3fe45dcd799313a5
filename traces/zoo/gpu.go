package zoo

import (
	"fmt"
	"strings"

	"spillway/sim/unit"
)

// A GPU is what kernel times depend on. Peaks are those of a data sheet, dense.
type GPU struct {
	Key        string // of the part in package machine's GPU slot
	Name       string
	FP32       float64        // peak of the FP32 units, operations a second
	TF32       float64        // peak of the TF32 tensor cores, 0 without any
	Memory     unit.Bandwidth // of the GPU's own memory
	Source     string
	Confidence string // how well the numbers are known
}

// tera is 1e12 operations a second.
const tera = 1e12

// GPUs lists the GPUs kernel times can be estimated for, in any order but for the
// first, which is the G10 paper's and the one the model is calibrated on. A part of
// the machine's GPU slot that is not here is a GPU without kernel times.
var GPUs = []GPU{
	{"a100-40", "A100 40 GB", 19.5 * tera, 156 * tera, 1555 * unit.GBps, "NVIDIA A100 data sheet (SXM, 40 GB)", "high; calibrated"},
	{"a100-80", "A100 80 GB", 19.5 * tera, 156 * tera, 2039 * unit.GBps, "NVIDIA A100 data sheet (SXM, 80 GB)", "high; scaled from the A100 40 GB"},
	{"v100-32", "V100 32 GB", 14 * tera, 0, 900 * unit.GBps, "NVIDIA V100 data sheet (PCIe)", "high; scaled from the A100, convolutions on FP32 units"},
	{"v100-16", "V100 16 GB", 14 * tera, 0, 900 * unit.GBps, "NVIDIA V100 data sheet (PCIe)", "high; scaled from the A100, convolutions on FP32 units"},
	{"h100-80", "H100 80 GB", 67 * tera, 494.7 * tera, 3350 * unit.GBps, "NVIDIA H100 data sheet (SXM)", "high; scaled from the A100"},
	{"rtx-4090", "GeForce RTX 4090", 82.6 * tera, 82.6 * tera, 1008 * unit.GBps, "NVIDIA Ada architecture whitepaper", "high; scaled from the A100"},
	{"rtx-3090", "GeForce RTX 3090", 35.6 * tera, 35.6 * tera, 936 * unit.GBps, "NVIDIA Ampere GA102 architecture whitepaper", "high; scaled from the A100"},
	{"rtx-3060", "GeForce RTX 3060 12 GB", 12.7 * tera, 12.7 * tera, 360 * unit.GBps, "NVIDIA at launch: 13 TFLOPS, 360 GB/s (technologyforyou.org, smartworld.cc)", "medium; scaled from the A100"},
}

// FindGPU returns the GPU with a key; the error says that there are no kernel times for it.
func FindGPU(key string) (GPU, error) {
	for _, g := range GPUs {
		if g.Key == key {
			return g, nil
		}
	}
	keys := make([]string, len(GPUs))
	for i := range GPUs {
		keys[i] = GPUs[i].Key
	}
	return GPU{}, fmt.Errorf("no kernel times can be estimated for GPU %q; there are %s", key, strings.Join(keys, ", "))
}

// tensorPeak is how much faster the calibrated A100's TF32 tensor cores are
// than its FP32 units.
const tensorPeak = 156 / 19.5

// plainConv is the share of the FP32 peak that convolutions reach on a GPU
// without TF32 (typical of large fused multiply-add kernels; not measured).
const plainConv = 0.55

// arithmetic returns operations a second at an efficiency, which is a share of
// the FP32 peak. Above 1 it was reached on tensor cores.
func (g *GPU) arithmetic(efficiency float64) float64 {
	switch {
	case efficiency <= 1:
		return g.FP32 * efficiency
	case g.TF32 == 0:
		return g.FP32 * plainConv
	}
	return g.TF32 * (efficiency / tensorPeak)
}
