package train

import "testing"

// TestTimeScale: all kernels at half their time run twice as fast where nothing moves, and a
// calibration changes its class alone.
func TestTimeScale(t *testing.T) {
	l := New()
	const of = "model=resnet50 batch=64 times=estimated gpu=rtx-4090"
	usual := alone(t, &l, of)
	half := alone(t, &l, of+" time_scale=50")
	if x := half["samples_s"] / usual["samples_s"]; x < 1.999 || x > 2.001 {
		t.Errorf("with kernels at half their time %.4f times as fast", x)
	}
	mended := alone(t, &l, of+" calibrate=convolution:2")
	if x := usual["samples_s"] / mended["samples_s"]; x < 1.2 || x > 1.99 {
		t.Errorf("with convolutions at twice their time it takes %.4f times as long", x)
	}
	u := l.Setup()
	if err := u.Set("calibrate", "gemm:1.1"); err == nil && l.Check(u) == nil {
		t.Error("an unknown class is taken")
	}
}
