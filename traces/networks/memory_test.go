package networks

import (
	"bytes"
	"io"
	"math"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
	"spillway/traces/recording"
	"spillway/traces/torch"
)

// recorded opens a sample recording.
func recorded(t *testing.T, name string) *recording.Recording {
	t.Helper()
	data := artifact.Sample(t, name)
	recs, notes, err := torch.Open([]torch.File{{Name: name, Size: int64(len(data)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}}}, nil)
	if err != nil || len(recs) != 1 {
		t.Fatalf("%s: %d recordings, %v, %v", name, len(recs), notes, err)
	}
	return recs[0]
}

// saved is what is alive, and not kept from one iteration to the next, when the backward
// pass begins.
func saved(w *workload.Workload, loss int) (n unit.Bytes) {
	a := vitality.Analyze(w)
	for t := range w.Tensors {
		if x := &w.Tensors[t]; !x.Global && a.Birth[t] >= 0 && int(a.Birth[t]) <= loss && int(a.Death[t]) > loss+1 {
			n += x.Bytes
		}
	}
	return n
}

// near reports whether ours differs from what was recorded by more than so many percent.
func near(t *testing.T, what string, ours, theirs unit.Bytes, percent float64) {
	t.Helper()
	off := 100 * (float64(ours)/float64(max(theirs, 1)) - 1)
	t.Logf("%s: %v, recorded %v (%+.2f %%)", what, ours, theirs, off)
	if math.Abs(off) > percent {
		t.Errorf("%s is %v, the recording says %v: %+.2f %%, want at most %v %%", what, ours, theirs, off, percent)
	}
}

// TestMemory compares what networks of this package need with what PyTorch recorded of the
// same ones, in the same batch and precision: ResNet-50 in fp32. No recording here was made
// with autocast, or with checkpoints around single blocks, so those are not compared.
func TestMemory(t *testing.T) {
	t.Run("ResNet-50, batch 32, ExecutionTrace", func(t *testing.T) {
		w, report, err := recorded(t, "et/et-1.1.1-resnet50-1gpu.json.gz").Fold(recording.Choices{})
		if err != nil {
			t.Fatal(err)
		}
		theirs := vitality.Analyze(w).Measure(w)
		l := lowered(t, "resnet50", Options{Batch: 32, PyTorch: 1})
		ours := vitality.Analyze(l.Workload).Measure(l.Workload)
		near(t, "peak", ours.Most, report.Rebuilt, 1)
		near(t, "activations and their gradients at most", ours.Rest, theirs.Rest, 1)
		near(t, "optimizer state", ours.Optimizer, theirs.Optimizer, 0.1)
	})
	t.Run("ResNet-50, batch 32, memory timeline", func(t *testing.T) {
		p := recorded(t, "memory-timeline/memory-timeline.raw.json.gz").Picture
		most := map[string]unit.Bytes{}
		var peak unit.Bytes
		for i := range p.Times {
			var sum unit.Bytes
			for r, role := range p.Roles {
				most[role] = max(most[role], p.Levels[r][i])
				sum += p.Levels[r][i]
			}
			peak = max(peak, sum)
		}
		l := lowered(t, "resnet50", Options{Batch: 32, PyTorch: 1})
		ours := vitality.Analyze(l.Workload).Measure(l.Workload)
		near(t, "peak", ours.Most, peak, 1)
		near(t, "saved", saved(l.Workload, lossOf(l.Workload)), most["activations"], 1)
		near(t, "optimizer state", ours.Optimizer, most["optimizer state"], 1)
	})
}

// lossOf is the place of the kernel that computes the loss.
func lossOf(w *workload.Workload) int {
	for k := range w.Kernels {
		if bytes.Contains([]byte(w.Kernels[k].Name), []byte("nll_loss_forward")) {
			return k
		}
	}
	return -1
}
