package kineto

import "testing"

// TestLaunches: calls of any vendor's runtime and driver launch kernels.
func TestLaunches(t *testing.T) {
	for _, cat := range []string{"cuda_runtime", "cuda_driver", "Runtime", "hip_runtime", "xpu_runtime", "xpu_driver", "privateuse1_runtime", "privateuse1_driver"} {
		if got := categoryOf([]byte(cat)); got != launch {
			t.Errorf("%s: got category %d, want %d", cat, got, launch)
		}
	}
	for cat, want := range map[string]category{"mtia_runtime": mtia, "cpu_op": operator, "ac2g": unneeded} {
		if got := categoryOf([]byte(cat)); got != want {
			t.Errorf("%s: got category %d, want %d", cat, got, want)
		}
	}
}
