package zoo

import (
	"math"
	"slices"
	"strings"
	"testing"

	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// trainFor builds a warm workload with an optimizer on the first GPU.
func trainFor(t *testing.T, id string, batch int, optimizer string) *workload.Workload {
	t.Helper()
	o, err := FindOptimizer(optimizer)
	if err != nil {
		t.Fatal(err)
	}
	w, err := BuildFor(id, batch, Profiled(A100()), o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// kept sums the payload of a kind of tensors, those of one number left out: they
// are indices.
func kept(w *workload.Workload, kind workload.Kind) (sum unit.Bytes) {
	for i := range w.Tensors {
		if t := &w.Tensors[i]; t.Kind == kind && t.Global && t.Bytes > element && !strings.Contains(t.Name, " running_") {
			sum += t.Bytes
		}
	}
	return sum
}

// With an optimizer a weight has 4 bytes a parameter and its state 4 or 8, at every
// batch: what the artifact counts as persistent in BERT grows with the batch, from
// 453 MiB to 4 TiB.
func TestStateBytes(t *testing.T) {
	for i := range Models {
		m := &Models[i]
		for optimizer, each := range map[string]int64{"sgd": 0, "momentum": 4, "adam": 8} {
			for _, batch := range []int{1, m.DefaultBatch, m.MaxBatch} {
				w := trainFor(t, m.ID, batch, optimizer)
				if got := int64(kept(w, workload.Weight)); got != 4*m.Parameters {
					t.Errorf("%s with %s, batch %d: %d bytes of weights, want 4 times %d", m.ID, optimizer, batch, got, m.Parameters)
				}
				if got := int64(kept(w, workload.Optimizer)); got != each*m.Parameters {
					t.Errorf("%s with %s, batch %d: %d bytes of state, want %d times %d", m.ID, optimizer, batch, got, each, m.Parameters)
				}
			}
		}
	}
	for batch, want := range map[int]string{1: "453.57 MiB", 1 << 16: "4.06 TiB"} {
		if got := build(t, "bert-base", batch).GlobalBytes().String(); got != want {
			t.Errorf("the artifact's BERT keeps %s at batch %d, want %s", got, batch, want)
		}
	}
	// GPT-2 XL with Adam, by hand: 1,557,611,200 parameters of 16 bytes are 23.2
	// GiB, of which the 5.8 GiB of gradients are not yet there at the peak, at the
	// end of the forward pass. Rounded up to pages.
	f := measure(trainFor(t, "gpt2-xl", 1, "adam"))
	for what, pair := range map[string][2]unit.Bytes{
		"weights": {f.Weights, 4 * 1557611200}, "gradients": {f.Gradients, 4 * 1557611200}, "state": {f.Optimizer, 8 * 1557611200},
	} {
		if pair[0] < pair[1] || pair[0] > pair[1]+pair[1]/1000 {
			t.Errorf("GPT-2 XL has %v of %s, want %v", pair[0], what, pair[1])
		}
	}
	if f.Most < f.Weights+f.Optimizer+f.Rest || f.Most > f.Weights+f.Optimizer+f.Rest+f.Gradients {
		t.Errorf("%+v", f)
	}
}

func measure(w *workload.Workload) vitality.Footprint { return vitality.Analyze(w).Measure(w) }

// With an optimizer every weight that is trained has one step, at the end, in the
// network's order, and its gradient lives until then.
func TestSteps(t *testing.T) {
	for i := range Models {
		for _, o := range Optimizers[1:] {
			w := trainFor(t, Models[i].ID, 4, o.Key)
			first, last := -1, workload.TensorID(-1)
			stepped := map[workload.TensorID]bool{}
			for k := range w.Kernels {
				kernel := &w.Kernels[k]
				if strings.Contains(kernel.Name, "Apply_Grad") {
					t.Fatalf("%s: kernel %d is %s", w.Name, k, kernel.Name)
				}
				if kernel.Name != o.kernel {
					if first >= 0 {
						t.Fatalf("%s: %s after a step", w.Name, kernel.Name)
					}
					continue
				}
				if first < 0 {
					first = k
				}
				weight := kernel.Inputs[1]
				if weight <= last || stepped[weight] || !slices.Equal(kernel.Inputs[1:], kernel.Outputs) || len(kernel.Outputs) != 1+len(o.state) {
					t.Errorf("%s: step %d reads %v and writes %v", w.Name, k, kernel.Inputs, kernel.Outputs)
				}
				last, stepped[weight] = weight, true
				dw := &w.Tensors[kernel.Inputs[0]]
				if dw.Kind != workload.Gradient || dw.Bytes != w.Tensors[weight].Bytes {
					t.Errorf("%s: the gradient of %s is %+v", w.Name, w.Tensors[weight].Name, dw)
				}
			}
			for id := range w.Tensors {
				tensor := &w.Tensors[id]
				trains := tensor.Kind == workload.Weight && tensor.Bytes > element && !strings.Contains(tensor.Name, " running_")
				if trains != stepped[workload.TensorID(id)] {
					t.Errorf("%s: %s has a step: %v", w.Name, tensor.Name, !trains)
				}
			}
		}
	}
}

// A step takes 10 µs and its memory traffic: Adam reads four numbers a parameter
// and writes three.
func TestStepTime(t *testing.T) {
	w := trainFor(t, "gpt2-xl", 1, "adam")
	for i := range w.Kernels {
		k := &w.Kernels[i]
		if k.Name != "Adam_Step" || w.Tensors[k.Inputs[1]].Name != "weight 0" {
			continue
		}
		want := 10e-6 + 28*50257*1600/(1555e9*0.7624)
		if got := float64(k.Time) / float64(unit.Second); math.Abs(got-want) > 1e-9 {
			t.Errorf("the step of the embedding takes %g s, want %g", got, want)
		}
		return
	}
	t.Error("the embedding has no step")
}

// A weight that is used twice has one gradient: the two are added up.
func TestTied(t *testing.T) {
	w := trainFor(t, "gpt2-xl", 1, "sgd")
	n := 0
	for i := range w.Kernels {
		k := &w.Kernels[i]
		if k.Name == accumulate && w.Tensors[k.Outputs[0]].Bytes == 4*50257*1600 && len(k.Inputs) == 2 {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the gradients of the tied embedding are added up %d times", n)
	}
}

func TestOptimizerErrors(t *testing.T) {
	if _, err := FindOptimizer("adagrad"); err == nil || err.Error() != `unknown optimizer "adagrad"; there are none, sgd, momentum, adam` {
		t.Error(err)
	}
	if _, err := BuildFor("bert-base", 1, AsPaper(), Optimizers[3]); err == nil || err.Error() != `bert-base: the G10 paper profiled no optimizer; take "estimated" kernel times` {
		t.Error(err)
	}
}
