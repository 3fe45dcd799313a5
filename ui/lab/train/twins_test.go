package train

import (
	"fmt"
	"strings"
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
		{"resnet-50", "resnet50", 64},
		{"resnet-152", "resnet-152-pytorch", 64},
		{"inception-v3", "inception_v3", 64},
		{"vit-s-32", "vit_small_patch32_224", 256},
		{"bert-base", "bert-base-uncased", 64},
	} {
		for _, gpu := range []string{"a100-40", "rtx-4090", "v100-32"} {
			set := func(model string) string {
				text := fmt.Sprintf("model=%s batch=%d gpu=%s times=estimated", model, tt.batch, gpu)
				if strings.HasPrefix(model, "bert") && namedNetwork(model) != nil {
					text += " sequence=128"
				}
				switch {
				case namedNetwork(model) == nil && (strings.HasPrefix(model, "vit") || strings.HasPrefix(model, "bert")):
					text += " optimizer=adam" // each tensor at its own size
				case namedNetwork(model) != nil:
					text += " pytorch=1.8"
				case strings.HasPrefix(model, "resnet") || strings.HasPrefix(model, "inception"):
					text += " optimizer=momentum"
				}
				return text
			}
			a, b := alone(t, &l, set(tt.one))["ideal_s"], alone(t, &l, set(tt.other))["ideal_s"]
			if a > 1.1*b || b > 1.1*a {
				t.Errorf("%s, batch %d, %s: %.4f s; %s: %.4f s", gpu, tt.batch, tt.one, a, tt.other, b)
			}
		}
	}
}

// Operator lists of the zoo have no dropout and spell norms out, so GPT-2 XL of the zoo and
// PyTorch's are alike within 1.3.
func TestGPT2Twins(t *testing.T) {
	l := New()
	const set = " batch=1 optimizer=adam gpu=rtx-4090 times=estimated"
	a, b := alone(t, &l, "model=gpt2-xl"+set)["ideal_s"], alone(t, &l, "model=gpt2-xl-pytorch"+set)["ideal_s"]
	if a > 1.3*b || b > 1.3*a {
		t.Errorf("%.4f s in the zoo, %.4f s as PyTorch runs it", a, b)
	}
}
