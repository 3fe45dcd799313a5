package pretrain

import (
	"math"
	"slices"
	"testing"

	"spillway/sim/kerneltime"
)

// TorchTitan's rates of Llama-3.1 8B on eight H100 of 500 W, and on 64 A100: nothing was
// fitted to them. Layouts are those of its performance notes.
func TestTorchTitan(t *testing.T) {
	var errors []float64
	for _, c := range []struct {
		arch, gpu   string
		gpus, batch int64
		sequence    int64
		compiled    bool
		recompute   Recompute
		tokens      float64
	}{
		{"llama-3.1-8b", "h100-sxm", 8, 2, 8192, false, Selective, 5762},
		{"llama-3.1-8b", "h100-sxm", 8, 2, 8192, true, Selective, 6667},
		{"llama3-8b", "a100-sxm-80", 64, 1, 8192, false, Selective, 2904},
		{"llama3-8b", "a100-sxm-80", 64, 1, 8192, true, Selective, 2973},
		{"llama3-70b", "a100-sxm-80", 64, 1, 8192, false, Full, 331},
		{"llama2-13b", "a100-sxm-80", 64, 1, 4096, false, Selective, 2162},
		{"llama2-70b", "a100-sxm-80", 64, 1, 4096, false, Full, 353},
	} {
		a, ok := Find(c.arch)
		if !ok {
			t.Fatalf("no %s", c.arch)
		}
		j := Job{Arch: &a, GPU: kerneltime.Find(c.gpu), GPUs: c.gpus, Batch: c.batch, Sequence: c.sequence, Accumulate: 1, Compiled: c.compiled, Recompute: c.recompute, Precision: kerneltime.BF16}
		s, err := j.Estimate()
		if err != nil {
			t.Fatal(err)
		}
		ratio := float64(s.Milli) / 1000 / c.tokens
		if math.Abs(ratio-1) > 0.20 {
			t.Errorf("%s on %d %s, compiled %v: %.2f of the published rate", c.arch, c.gpus, c.gpu, c.compiled, ratio)
		}
		errors = append(errors, math.Abs(ratio-1))
	}
	if slices.Sort(errors); errors[len(errors)/2] > 0.10 {
		t.Errorf("the median error is %.2f; want 0.10 at most", errors[len(errors)/2])
	}
}

// However large a job, its parts add up and nothing overflows.
func TestSteps(t *testing.T) {
	for _, name := range Names() {
		a, ok := Find(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		for i, g := range kerneltime.GPUs() {
			j := Job{Arch: &a, GPU: &g, GPUs: 1 << (i % 10), Batch: 1 << (i % 7), Sequence: 512, Accumulate: 1 + int64(i), Compiled: i%2 == 0, Recompute: Recompute(i % 3), Precision: kerneltime.Precision(i % 8)}
			if i%5 == 0 {
				j.Sequence, j.Accumulate = mostTokens/j.Batch, mostTokens
			}
			s, err := j.Estimate()
			if err != nil {
				if a.Encoder == 0 {
					t.Fatalf("%s on %s: %v", name, g.Key, err)
				}
				continue
			}
			parts := sum(s.Products, s.Attention, s.Moving, s.Communication, s.Optimizer)
			if s.Time <= 0 || s.Time != parts || s.Communication < 0 || s.Milli < 0 {
				t.Errorf("%s on %s: %+v", name, g.Key, s)
			}
		}
	}
}

// What cannot be estimated is said.
func TestRefuses(t *testing.T) {
	a, _ := Find("mpt-7b")
	t5, _ := Find("t5-11b")
	g := kerneltime.Find("a100")
	for _, j := range []Job{
		{},
		{Arch: &a, GPU: g, GPUs: 0, Batch: 1, Sequence: 1, Accumulate: 1},
		{Arch: &a, GPU: g, GPUs: 1, Batch: 1 << 20, Sequence: 1 << 20, Accumulate: 1},
		{Arch: &t5, GPU: g, GPUs: 1, Batch: 1, Sequence: 1, Accumulate: 1},
	} {
		if _, err := j.Estimate(); err == nil {
			t.Errorf("%+v is estimated", j)
		}
	}
	if _, ok := Find("mpt-8b"); ok {
		t.Error("there is no mpt-8b")
	}
}
