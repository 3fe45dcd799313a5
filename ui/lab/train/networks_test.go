package train

import (
	"math"
	"strings"
	"testing"

	"spillway/sim/train/result"
	"spillway/ui/lab"
)

// alone runs a network on a GPU that holds everything, and returns its quantities.
func alone(t *testing.T, l *lab.Lab, set string) map[string]float64 {
	t.Helper()
	u, err := l.Read(set)
	if err != nil {
		t.Fatalf("%s: %v", set, err)
	}
	r, raw, err := l.Run(u, "ideal", nil, nil)
	if err != nil {
		t.Fatalf("%s: %v", set, err)
	}
	if _, ok := raw.(*result.Result); !ok || !r.Fits {
		t.Fatalf("%s: %s", set, r.Reason)
	}
	values := map[string]float64{}
	for i, v := range r.Values {
		values[l.Quantities[i].Key] = v
	}
	return values
}

// Networks by their public names run at the published rates (NVIDIA's DeepLearningExamples
// for ResNet-50 on an A100 with 80 GB: 2470 images a second), and what is chosen does to
// memory and time what it is chosen for.
func TestNamedNetworks(t *testing.T) {
	l := New()
	const a100 = " gpu=a100-80 times=estimated"
	if v := alone(t, &l, "model=resnet50 batch=256 precision=amp-fp16 layout=nhwc"+a100); math.Abs(v["samples_s"]/2470-1) > 0.2 || v["band_percent"] != 12 {
		t.Errorf("ResNet-50: %.0f images a second within %.0f %%; published are 2470", v["samples_s"], v["band_percent"])
	}
	usual := alone(t, &l, "model=gpt2-medium batch=8"+a100)
	for _, tt := range []struct {
		set         string
		time        string // "less" or "more" than as usual
		activations string
	}{
		{"precision=amp-bf16", "less", "less"},
		{"precision=amp-bf16 attention=flash2", "less", "less"},
		{"accumulate=4", "more", "less"},
		{"checkpoint=1", "more", "less"},
		{"compile=1", "less", "less"},
	} {
		got := alone(t, &l, "model=gpt2-medium batch=8 "+tt.set+a100)
		for _, q := range [][2]string{{"compute_s", tt.time}, {"activations_bytes", tt.activations}} {
			if less := got[q[0]] < usual[q[0]]; less != (q[1] == "less") {
				t.Errorf("%s: %s is %g, %g as usual; want %s", tt.set, q[0], got[q[0]], usual[q[0]], q[1])
			}
		}
	}
}

// A link of a network has how it is run, and none of it where that is as usual.
func TestRunningInLinks(t *testing.T) {
	l := New()
	for set, has := range map[string]string{
		"model=resnet50 batch=64":                                      "",
		"model=resnet50 batch=64 precision=amp-fp16 layout=nhwc":       "precision=amp-fp16 layout=nhwc",
		"model=gpt2-small batch=4 attention=flash2 precision=bf16":     "precision=bf16 attention=flash2",
		"model=gpt2-small batch=4 accumulate=2 checkpoint=1 compile=1": "accumulate=2 checkpoint=1 compile=1",
		"model=bert-base batch=256 times=as-paper gpu=a100-40":         "",
	} {
		u, err := l.Read(set)
		if err != nil {
			t.Fatal(err)
		}
		text := u.String()
		if !strings.Contains(text, has) || has == "" && strings.Contains(text, "precision") {
			t.Errorf("%s is %s", set, text)
		}
		if again, err := l.Read(text); err != nil || !again.Equal(u) {
			t.Errorf("%s is read as %v, %v", text, again, err)
		}
	}
}
