package networks

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/kerneltime"
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

// A comparison collects what was compared.
type comparison struct{ rows []string }

// near reports whether ours differs from what was recorded by more than so many percent, and
// keeps a row of it.
func (c *comparison) near(t *testing.T, of, what string, ours, theirs unit.Bytes, percent float64) {
	t.Helper()
	off := 100 * (float64(ours)/float64(max(theirs, 1)) - 1)
	shown := strings.Replace(fmt.Sprintf("%+.1f", off), "-0.0", "+0.0", 1)
	c.rows = append(c.rows, fmt.Sprintf("| %s | %s | %v | %v | %s %% |", of, what, ours, theirs, shown))
	if math.Abs(off) > percent {
		t.Errorf("%s is %v, the recording says %v: %+.2f %%, want at most %v %%", what, ours, theirs, off, percent)
	}
}

// A stack is two layers of an encoder with norms ahead, as torch.nn has them: its attention scales
// queries, not scores.
func stack(t *tape, s size) {
	const hidden, heads, inner, vocabulary = 64, 4, 256, 1000
	rows, each := t.batch*s.length, unit.Bytes(s.length)*long
	x := t.embedding("embedding", t.param("embedding.weight", vocabulary*hidden), t.input("tokens", each), rows, hidden, 0)
	for i := range 2 {
		x = t.block(digits(i), x, func(x *value) *value {
			parts := t.split(t.linear("in_proj", t.layerNorm("norm1", x, hidden), rows, hidden, 3*hidden), 1, 1, 1)
			count, dim := t.batch*heads, int64(hidden/heads)
			k, v := t.contiguous("k", parts[1]), t.contiguous("v", parts[2])
			y := t.bmm("scores", t.scaled("scaled", parts[0]), k, count, s.length, dim, s.length)
			y = t.bmm("heads", t.softmax("softmax", "softmax", y), v, count, s.length, s.length, dim)
			x = t.add("residual1", x, t.linear("out_proj", t.contiguous("context", y), rows, hidden, hidden))
			y = t.pointwise("gelu", "gelu", t.linear("linear1", t.layerNorm("norm2", x, hidden), rows, hidden, inner))
			return t.add("residual2", x, t.linear("linear2", y, rows, inner, hidden))
		})
	}
	t.crossEntropy(t.linear("head", x, rows, hidden, vocabulary), t.input("labels", each))
}

// lasting is what a workload keeps from one iteration to the next.
func lasting(w *workload.Workload) (n unit.Bytes) {
	for i := range w.Tensors {
		if w.Tensors[i].Global {
			n += w.Tensors[i].Bytes
		}
	}
	return n
}

// weighed is the bytes of the tensors of a kind.
func weighed(w *workload.Workload, kind workload.Kind) (n unit.Bytes) {
	for i := range w.Tensors {
		if w.Tensors[i].Kind == kind && w.Tensors[i].Global {
			n += w.Tensors[i].Bytes
		}
	}
	return n
}

// most is the most that is alive at once, to the byte: analyses count pages.
func most(w *workload.Workload) unit.Bytes {
	a, sum := vitality.Analyze(w), lasting(w)
	change := make([]unit.Bytes, len(w.Kernels)+1)
	for t := range w.Tensors {
		if x := &w.Tensors[t]; !x.Global && a.Birth[t] >= 0 {
			change[a.Birth[t]] += x.Bytes
			change[min(int(a.Death[t])+1, len(w.Kernels))] -= x.Bytes
		}
	}
	peak := sum
	for _, c := range change {
		sum += c
		peak = max(peak, sum)
	}
	return peak
}

// TestMemory compares what networks of this package need with what PyTorch recorded of the
// same ones, in the same batch and precision: peaks, what is saved for the backward pass, and
// what stays. Each public recording that has a network of this package and says enough is here; none
// was made with autocast, which TestOwnRecordings has.
func TestMemory(t *testing.T) {
	var c comparison
	for _, name := range []string{"et-1.0.3-resnet50-1gpu", "et-1.1.0-resnet50-2gpu", "et-1.1.1-resnet50-1gpu"} {
		t.Run(name, func(t *testing.T) {
			of := "ResNet-50, fp32, batch 32, training (" + name + ")"
			w, report, err := recorded(t, "et/"+name+".json.gz").Fold(recording.Choices{})
			if err != nil {
				t.Fatal(err)
			}
			theirs := vitality.Analyze(w).Measure(w)
			l := lowered(t, "resnet50", Options{Batch: 32, PyTorch: 1})
			ours := vitality.Analyze(l.Workload).Measure(l.Workload)
			c.near(t, of, "peak", ours.Most, report.Rebuilt, 1)
			c.near(t, of, "activations and their gradients at most", ours.Rest, theirs.Rest, 1)
			c.near(t, of, "saved", saved(l.Workload, lossOf(l.Workload)), saved(w, lossOf(w)), 1)
			c.near(t, of, "optimizer state", ours.Optimizer, theirs.Optimizer, 0.1)
		})
	}
	t.Run("memory-timeline", func(t *testing.T) {
		const of = "ResNet-50, fp32, batch 32, training (memory-timeline)"
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
		c.near(t, of, "peak", ours.Most, peak, 1)
		c.near(t, of, "saved", saved(l.Workload, lossOf(l.Workload)), most["activations"], 1)
		c.near(t, of, "optimizer state", ours.Optimizer, most["optimizer state"], 1)
	})
	t.Run("attention unfused", func(t *testing.T) {
		const of = "Encoder of two layers, attention unfused, fp32, training (et-1.0.1-own-transformer-cpu)"
		w, report, err := recorded(t, "et/et-1.0.1-own-transformer-cpu.json.gz").Fold(recording.Choices{})
		if err != nil {
			t.Fatal(err)
		}
		n := Network{Name: "stack", Title: "Encoder", Family: "Described", Optimizer: "adam", Sequence: 32, write: stack}
		l, err := n.Lower(Options{Batch: 4, PyTorch: 2})
		if err != nil {
			t.Fatal(err)
		}
		c.near(t, of, "peak", most(l.Workload), report.Rebuilt, 2)
		c.near(t, of, "saved", saved(l.Workload, lossOf(l.Workload)), saved(w, lossOf(w)), 2)
		c.near(t, of, "weights", weighed(l.Workload, workload.Weight), 915872, 0)
		c.near(t, of, "optimizer state", weighed(l.Workload, workload.Optimizer), 1831852, 0.1)
	})
	// What a library of products takes while it works, cuBLASLt and hipBLASLt: no tensor of the network.
	for _, x := range []struct {
		name      string
		workspace unit.Bytes
	}{{"h100-bert-small-infer-shapes-memory", unit.MiB}, {"mi300-bert-small-infer-shapes-memory", 76 * unit.MiB}} {
		name, workspace := x.name, x.workspace
		t.Run(name, func(t *testing.T) {
			of := "BERT-small, FlashAttention, bf16, inference (" + name + ")"
			r := recorded(t, "kineto/"+name+".json.gz")
			theirs := r.Steps[r.Chosen].Memory
			n := Network{
				Name: "bert-small", Title: "BERT small", Family: "Described", Optimizer: "adam", Sequence: 141,
				write: bidirectional{layers: 4, hidden: 512, heads: 8, inner: 2048, vocabulary: 30522, positions: 512, types: 2, words: true}.write,
			}
			l, err := n.Lower(Options{Batch: 1, Precision: kerneltime.BF16, Inference: true, Attention: kerneltime.Flash2})
			if err != nil {
				t.Fatal(err)
			}
			c.near(t, of, "peak over what stays, without the library's workspace", most(l.Workload)-lasting(l.Workload), theirs.Peak-theirs.LevelBefore-workspace, 1)
		})
	}
	t.Run("bf16", func(t *testing.T) {
		const of = "ResNet-18, bf16 (mi300-resnet-ddp-checkpoint-train-shapes)"
		artifact.Sample(t, "kineto/mi300-resnet-ddp-checkpoint-train-shapes.json.gz")
		l := lowered(t, "resnet18", Options{Batch: 32, Precision: kerneltime.BF16, PyTorch: 2})
		c.near(t, of, "parameters and running statistics", weighed(l.Workload, workload.Weight), 23398224, 0)
	})
	if text, err := os.ReadFile("../../public/docs/validation.md"); err != nil || !t.Failed() && !t.Skipped() && len(c.rows) == recordedRows && !strings.Contains(string(text), strings.Join(c.rows, "\n")+"\n") {
		t.Errorf("validation.md has another table (%v); it is\n%s", err, strings.Join(c.rows, "\n"))
	}
}

// recordedRows is how many rows the table has where all recordings are at hand.
const recordedRows = 22

// lossOf is the place of the last kernel ahead of the backward pass.
func lossOf(w *workload.Workload) int {
	for k := range w.Kernels {
		if strings.Contains(w.Kernels[k].Name, "backward") {
			return k - 1
		}
	}
	return -1
}

// An ExecutionTrace, whose times are the law's by the shapes of its operators, takes about what
// the network takes that it is of.
func TestEstimatedTrace(t *testing.T) {
	r := recorded(t, "et/et-1.1.1-resnet50-1gpu.json.gz")
	for _, gpu := range []string{"a100-sxm-40", "rtx-4090", "h100-sxm"} {
		w, report, err := r.Fold(recording.Choices{GPU: gpu})
		if err != nil {
			t.Fatal(err)
		}
		var theirs unit.Time
		for k := range w.Kernels {
			theirs += w.Kernels[k].Time
		}
		l := lowered(t, "resnet50", Options{Batch: 32, PyTorch: 1, Precision: kerneltime.TF32Conv})
		ours := l.Time(kerneltime.Find(gpu), kerneltime.Graphs).Time
		if off := math.Abs(float64(theirs)/float64(ours) - 1); off > 0.12 || report.Band < 20 || report.Band > 100 {
			t.Errorf("on %s the trace takes %v ± %d %%, the network %v", gpu, theirs, report.Band, ours)
		}
	}
}
