package llm

import (
	"testing"

	"spillway/sim/machine"
	"spillway/sim/model"
)

// TestRank: what is ranked is what a run says, the fastest first, on one GPU and on several.
func TestRank(t *testing.T) {
	for _, x := range []struct {
		model, gpu string
		gpus       int64
	}{{"llama3-8b", "rtx-4090", 1}, {"llama3.2-1b", "rtx-3060", 1}, {"llama3-70b", "h200", 4}, {"qwen2.5-7b", "a100-80", 2}} {
		s := Standard()
		var err error
		if s.Arch, err = model.Find(x.model); err != nil {
			t.Fatal(err)
		}
		g, err := machine.FindGPU(x.gpu)
		if err != nil {
			t.Fatal(err)
		}
		s.Node.GPU, s.Node.GPUs, s.Node.Efficiency, s.Layout.Batch = g, x.gpus, 0, 8
		fits, last := 0, int64(0)
		for i, r := range Rank(&s, &s.Node) {
			if !r.Fits {
				if r.Reason == "" && r.Memory.Peak <= r.Job.Memory && r.Memory.Host <= r.Job.Host {
					t.Errorf("%s on %s: %s fits, and is said not to", x.model, x.gpu, r.Way.Key)
				}
				continue
			}
			if fits != i || last != 0 && r.Step.Milli > last {
				t.Errorf("%s on %s: %s is at place %d, with %d after %d", x.model, x.gpu, r.Way.Key, i, r.Step.Milli, last)
			}
			fits, last = fits+1, r.Step.Milli
			u := r.Setup(&s)
			got, err := Run(&u, r.System(), false, nil)
			if err != nil || !got.Ran() {
				t.Fatalf("%s on %s, %s: %v %v", x.model, x.gpu, r.Way.Key, err, got.Reason)
			}
			if d := got.TokenRate() - r.Step.Milli; d > 1 || d < -1 || got.GPUs[0].Peak != r.Memory.Peak {
				t.Errorf("%s on %s, %s: a run has %d and %v, the ranking %d and %v", x.model, x.gpu, r.Way.Key, got.TokenRate(), got.GPUs[0].Peak, r.Step.Milli, r.Memory.Peak)
			}
		}
		if fits < 2 {
			t.Errorf("%s on %s: %d ways fit", x.model, x.gpu, fits)
		}
	}
	s := Standard()
	if n := len(Others(&s.Node)); n < 15 {
		t.Errorf("%d other machines", n)
	}
}
