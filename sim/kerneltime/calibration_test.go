package kerneltime_test

import (
	"strings"
	"testing"

	"spillway/sim/kerneltime"
)

// TestCalibration: text and calibration are inverse, a class's kernels take that much longer
// and no others do, and what is no calibration is refused with what would be one.
func TestCalibration(t *testing.T) {
	const text = "product:1.08,convolution:0.9"
	c, err := kerneltime.ParseCalibration("convolution:0.9,product:1.08")
	if err != nil || c.String() != text {
		t.Fatalf("%q, %v; want %q", c, err, text)
	}
	g := kerneltime.Find("rtx-4090")
	mended := g.Calibrated(c)
	policy := kerneltime.Policy{Precision: kerneltime.AMPFP16, Setting: kerneltime.Training}
	for _, x := range []struct {
		kernel kerneltime.Kernel
		factor float64
	}{
		{kerneltime.Kernel{Class: kerneltime.Product, M: 4096, N: 4096, K: 4096}, 1.08},
		{kerneltime.Kernel{Class: kerneltime.ConvWeight, Batch: 64, C: 64, H: 56, W: 56, K: 64, R: 3, S: 3, Pad: 1}, 0.9},
		{kerneltime.Kernel{Class: kerneltime.Elementwise, Bytes: 1 << 28}, 1},
	} {
		was, is := kerneltime.Time(g, policy, &x.kernel).Time, kerneltime.Time(mended, policy, &x.kernel).Time
		if got := float64(is) / float64(was); got < x.factor-1e-4 || got > x.factor+1e-4 {
			t.Errorf("%s takes %.4f times as long; want %.2f", x.kernel.Class.Word(), got, x.factor)
		}
	}
	if kerneltime.Find("rtx-4090").Calibrated(kerneltime.Calibration{}).Name != g.Name {
		t.Error("a copy has another name")
	}
	for _, bad := range []string{"product", "product:", "product:0", "product:21", "product:NaN", "product:1,", "gemm:1.1"} {
		if _, err := kerneltime.ParseCalibration(bad); err == nil || !strings.Contains(err.Error(), "Calibrated: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
