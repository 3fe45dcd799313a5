package zoo

import "spillway/sim/unit"

// Peaks are what the kernels of the G10 artifact reach shares of. They are those of a data
// sheet, dense.
type Peaks struct {
	FP32   float64        // of the FP32 units, operations a second
	TF32   float64        // of the TF32 tensor cores, 0 without any
	Memory unit.Bandwidth // of the GPU's own memory
}

// tera is 1e12 operations a second.
const tera = 1e12

// A100 returns the peaks of the GPU that the artifact's kernels ran on: an A100 SXM with 40 GB.
func A100() Peaks { return Peaks{19.5 * tera, 156 * tera, 1555 * unit.GBps} }

// tensorPeak is how much faster the A100's TF32 tensor cores are than its FP32 units.
const tensorPeak = 156 / 19.5

// plainConv is the share of the FP32 peak that convolutions reach on a GPU without TF32
// (typical of large fused multiply-add kernels; not measured).
const plainConv = 0.55

// arithmetic returns operations a second at an efficiency, which is a share of the FP32 peak.
// Above 1 it was reached on tensor cores.
func (p *Peaks) arithmetic(efficiency float64) float64 {
	switch {
	case efficiency <= 1:
		return p.FP32 * efficiency
	case p.TF32 == 0:
		return p.FP32 * plainConv
	}
	return p.TF32 * (efficiency / tensorPeak)
}
