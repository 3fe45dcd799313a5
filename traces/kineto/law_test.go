package kineto

import (
	"testing"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/traces/recording"
)

// Kernels of operators with known dimensions have the law's shapes: in a recording of BERT-small
// three quarters of the time.
func TestLawShapes(t *testing.T) {
	_, list := recorded(t, "kineto/h100-bert-small-infer-shapes-memory.json.gz")
	step := &list[0].Steps[list[0].Chosen]
	var all, shaped unit.Time
	seen := map[kerneltime.Kernel]int{}
	for i := range step.Kernels {
		k := &step.Kernels[i]
		all += k.Time
		if k.Shape != nil {
			shaped += k.Time
			seen[*k.Shape]++
		}
	}
	for want, n := range map[kerneltime.Kernel]int{
		{Class: kerneltime.Product, M: 141, K: 512, N: 2048, Element: 2}:                                                     4,
		{Class: kerneltime.Product, M: 141, K: 2048, N: 512, Element: 2}:                                                     4,
		{Class: kerneltime.Product, M: 141, K: 512, N: 30522, Element: 2}:                                                    1,
		{Class: kerneltime.AttentionForward, Batch: 1, Heads: 8, KVHeads: 8, SeqQ: 141, SeqKV: 141, HeadDim: 64, Element: 2}: 4,
	} {
		if seen[want] != n {
			t.Errorf("%d kernels of %+v, want %d; there are %v", seen[want], want, n, seen)
		}
	}
	if 4*shaped < 3*all {
		t.Errorf("shapes are known of %v of %v", shaped, all)
	}
}

// A convolution's shape is that of its arguments, whatever the order in which operators have them,
// and its gradients' follow from the result.
func TestConvolves(t *testing.T) {
	const dims = "[[8, 64, 56, 56], [128, 64, 3, 3], []"
	want := kerneltime.Kernel{Class: kerneltime.ConvForward, Batch: 8, C: 64, H: 56, W: 56, K: 128, R: 3, S: 3, Stride: 2, Pad: 1, Groups: 1, Layout: kerneltime.NHWC, Element: 4}
	for name, signature := range map[string]string{
		"convolution":       dims + "]\x00[\"float\", \"float\", \"\"]\x00[]\x00[\"\", \"\", \"\", \"[2, 2]\", \"[1, 1]\", \"[1, 1]\", \"False\", \"[0, 0]\", \"1\"]",
		"cudnn_convolution": dims + "]\x00[\"float\", \"float\", \"\"]\x00[]\x00[\"\", \"\", \"[1, 1]\", \"[2, 2]\", \"[1, 1]\", \"1\"]",
	} {
		if got := parseCall(signature).shape(name, convolutions, kerneltime.ConvForward); got == nil || *got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	back := parseCall("[[8, 128, 28, 28], [8, 64, 56, 56], [128, 64, 3, 3]]\x00[\"float\", \"float\", \"float\"]\x00[]\x00[]")
	want.Class = kerneltime.ConvWeight
	if got := back.shape("convolution_backward", convolutions, kerneltime.ConvWeight); got == nil || *got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := back.shape("convolution_backward", convolutions, recording.DeedOf("nchwToNhwcKernel", "aten::convolution_backward").Class); got != nil {
		t.Errorf("a change of layout is %+v", got)
	}
}
