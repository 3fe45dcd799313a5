package train

import (
	"fmt"
	"testing"
)

// Two ways to lower the same network take about as long by the law: within 10 %.
func TestTwins(t *testing.T) {
	l := New()
	for _, tt := range []struct {
		one, other string
		batch      int
	}{
		{"resnet-152-pytorch", "resnet152", 64},
		{"resnet-200-pytorch", "resnet200", 64},
		{"gpt2-l-pytorch", "gpt2-large", 4},
		{"gpt2-xl-pytorch", "gpt2-1.5b", 1},
	} {
		for _, gpu := range []string{"a100-40", "rtx-4090", "v100-32"} {
			set := fmt.Sprintf(" batch=%d gpu=%s times=estimated", tt.batch, gpu)
			a, b := alone(t, &l, "model="+tt.one+set)["ideal_s"], alone(t, &l, "model="+tt.other+set+" pytorch=1.8")["ideal_s"]
			if a > 1.1*b || b > 1.1*a {
				t.Errorf("%s, batch %d, %s: %.4f s; %s: %.4f s", gpu, tt.batch, tt.one, a, tt.other, b)
			}
		}
	}
}
