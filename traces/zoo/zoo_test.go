package zoo

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// build builds a workload of the artifact's kernels, warm.
func build(t testing.TB, id string, batch int) *workload.Workload {
	t.Helper()
	w, err := Build(id, batch, Profiled(A100()))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestSize compares parameters and arithmetic with published totals: those of
// torchvision and Hugging Face model cards, and for the forward pass the sum
// over layers of their definitions, two operations a multiply-accumulate.
func TestSize(t *testing.T) {
	for _, c := range []struct {
		id         string
		parameters int64
		missing    int64 // published parameters that G10's networks lack
		gflop      float64
	}{
		{"bert-base", 109482240, 0, 22.348},
		{"vit-s-32", 22878952, 384, 2.286}, // the class token
		{"inception-v3", 23834568, 0, 11.426},
		{"resnet-152", 60192808, 0, 23.027},
		{"senet-154", 348203096, 50864, 132.416}, // biases of the squeezes
		{"resnet-50", 25557032, 0, 8.178},
		{"gpt2-xl", 1557611200, 0, 3506.704},
	} {
		m, err := Find(c.id)
		if err != nil {
			t.Fatal(err)
		}
		for _, exact := range []bool{false, true} {
			const samples = 4
			g, err := m.define(samples, exact)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := g.parameters, c.parameters-c.missing; got != want || m.Parameters != want {
				t.Errorf("%s, exact %v: got %d parameters, want %d", c.id, exact, got, want)
			}
			got := 2 * float64(macs(&g, "_Forward")) / samples / 1e9
			if math.Abs(got-c.gflop) > 0.0006 {
				t.Errorf("%s, exact %v: got %.4f GFLOP a sample in the forward pass, want %.3f", c.id, exact, got, c.gflop)
			}
		}
	}
}

// macs sums the multiply-accumulates of the products whose kernel name contains part.
func macs(g *graph, part string) (n int64) {
	for i := range g.w.Kernels {
		name := g.w.Kernels[i].Name
		product := conv2d(name) || strings.HasPrefix(name, "BatchMatMul") ||
			strings.HasPrefix(name, "Linear_") && !strings.Contains(name, "Apply") && !strings.Contains(name, "Bias")
		if product && strings.Contains(name, part) {
			n += g.work[i].MACs
		}
	}
	return n
}

// TestIterationWork compares the arithmetic of whole iterations with what the
// shapes in the G10 artifact give. The operator lists' sums are a little lower
// there, which counted some attention products differently.
func TestIterationWork(t *testing.T) {
	for _, c := range []struct {
		id    string
		batch int
		tflop float64
		ratio float64 // ours over theirs
	}{
		{"resnet-152", 256, 17.685, 1},
		{"senet-154", 256, 101.696, 1},
		{"inception-v3", 512, 17.551, 1},
		{"bert-base", 256, 16.967, 1.0116},
		{"vit-s-32", 256, 1.711, 1.0086},
	} {
		m, err := Find(c.id)
		if err != nil {
			t.Fatal(err)
		}
		g, err := m.define(c.batch, false)
		if err != nil {
			t.Fatal(err)
		}
		got := 2 * float64(macs(&g, "")) / 1e12 / c.tflop
		if math.Abs(got-c.ratio) > 0.0005 {
			t.Errorf("%s: got %.4f of the reference, want %.4f", c.id, got, c.ratio)
		}
	}
}

// TestWarm compares warm iterations with estimates made apart from this model,
// which leave the constant part of cold kernels out of the measured times.
func TestWarm(t *testing.T) {
	for _, c := range []struct {
		id    string
		batch int
		warm  float64 // seconds
	}{
		{"bert-base", 256, 2.206},
		{"bert-base", 768, 6.416},
		{"bert-base", 1024, 8.521},
		{"inception-v3", 512, 1.143},
		{"inception-v3", 1024, 2.192},
		{"inception-v3", 1280, 2.716},
		{"resnet-152", 256, 1.026},
		{"resnet-152", 1024, 3.727},
		{"resnet-152", 2048, 7.330},
		{"senet-154", 256, 4.014},
		{"senet-154", 512, 7.779},
		{"senet-154", 768, 11.544},
		{"vit-s-32", 256, 0.402},
		{"vit-s-32", 512, 0.702},
		{"vit-s-32", 1024, 1.301},
	} {
		const tolerance = 0.02
		if off := total(build(t, c.id, c.batch))/c.warm - 1; math.Abs(off) > tolerance {
			t.Errorf("%s, batch %d: %+.1f %% off; want at most %.0f %%", c.id, c.batch, 100*off, 100*tolerance)
		}
	}
}

// total sums the kernel times, in seconds.
func total(w *workload.Workload) float64 {
	var sum unit.Time
	for i := range w.Kernels {
		sum += w.Kernels[i].Time
	}
	return float64(sum) / float64(unit.Second)
}

// TestModels builds every model at all its batches and both ends of its range,
// with all its time sources, on all GPUs.
func TestModels(t *testing.T) {
	for i := range Models {
		m := &Models[i]
		if !slices.Contains(m.Batches, m.DefaultBatch) || !slices.IsSorted(m.Batches) || m.About == "" || m.Source == "" || m.Sample == "" {
			t.Errorf("%s: a part is missing: %+v", m.ID, m)
		}
		for _, batch := range append([]int{m.MinBatch, m.MaxBatch}, m.Batches...) {
			for _, g := range kerneltime.GPUs() {
				w, err := Build(m.ID, batch, ByLaw(&g, kerneltime.TF32))
				if err != nil {
					t.Error(err)
					continue
				}
				if w.Model != m.ID || w.Batch != batch || w.Times != workload.Estimated {
					t.Errorf("%s, batch %d: got %s, batch %d, %s", m.ID, batch, w.Model, w.Batch, w.Times)
				}
			}
			if m.profiled {
				if _, err := Build(m.ID, batch, AsPaper()); err != nil {
					t.Error(err)
				}
			}
		}
		if m.profiled != (len(m.Sources()) == 2) {
			t.Errorf("%s: sources are %v", m.ID, m.Sources())
		}
	}
}

// TestGPUs checks that a faster GPU is never slower.
func TestGPUs(t *testing.T) {
	for i := range Models {
		seconds := map[string]float64{}
		for _, key := range []string{"a100-40", "a100-80", "v100-32", "h100-80"} {
			w, err := Build(Models[i].ID, Models[i].DefaultBatch, ByLaw(kerneltime.Find(key), kerneltime.TF32))
			if err != nil {
				t.Fatal(err)
			}
			seconds[key] = total(w)
		}
		for _, pair := range [][2]string{{"h100-80", "a100-80"}, {"a100-80", "a100-40"}, {"a100-40", "v100-32"}} {
			if seconds[pair[0]] >= seconds[pair[1]] {
				t.Errorf("%s: %s takes %g s, %s %g s", Models[i].ID, pair[0], seconds[pair[0]], pair[1], seconds[pair[1]])
			}
		}
	}
}

func TestErrors(t *testing.T) {
	warm := Profiled(A100())
	other := AsPaper()
	other.Peaks.FP32 = 14 * tera
	measured := warm
	measured.Source = workload.Measured
	var all []string
	for i := range Models {
		all = append(all, Models[i].ID)
	}
	for _, c := range []struct {
		id    string
		batch int
		times TimeModel
		want  string
	}{
		{"bert", 1, warm, `unknown model "bert"; the zoo has ` + strings.Join(all, ", ")},
		{"resnet-50", 0, warm, "resnet-50: batch 0; want 1 to 65536 images"},
		{"resnet-50", -1, warm, "resnet-50: batch -1; want 1 to 65536 images"},
		{"gpt2-xl", math.MaxInt, warm, fmt.Sprintf("gpt2-xl: batch %d; want 1 to 4096 sequences of 1024 tokens", math.MaxInt)},
		{"resnet-50", 1, TimeModel{}, `resnet-50: the zoo has no "" kernel times; take "estimated" or "as-paper"`},
		{"bert-base", 1, measured, `bert-base: the zoo has no "measured" kernel times; take "estimated" or "as-paper"`},
		{"bert-base", 1, TimeModel{Source: workload.Estimated}, "bert-base: kernel times need a GPU"},
		{"resnet-50", 1, AsPaper(), `resnet-50: the G10 paper has not profiled ResNet-50; take "estimated" kernel times`},
		{"bert-base", 1, other, `bert-base: the G10 paper profiled on an A100 40 GB alone; take "estimated" kernel times`},
	} {
		w, err := Build(c.id, c.batch, c.times)
		if err == nil {
			t.Errorf("%s, batch %d: no error, want %q", c.id, c.batch, c.want)
			continue
		}
		if err.Error() != c.want || w != nil {
			t.Errorf("%s, batch %d:\n got %q\nwant %q", c.id, c.batch, err, c.want)
		}
	}
}

// TestTooLarge checks that sizes that overflow are errors from below, too.
func TestTooLarge(t *testing.T) {
	for i := range Models {
		for _, batch := range []int{1 << 30, math.MaxInt} {
			if _, err := Models[i].define(batch, false); err == nil || !strings.Contains(err.Error(), "elements; want 1 to") {
				t.Errorf("%s, batch %d: got %v, want an error about a tensor's elements", Models[i].ID, batch, err)
			}
		}
	}
}

func TestExplain(t *testing.T) {
	for i := range Models {
		m := &Models[i]
		got := Explain(m.ID)
		if !strings.Contains(got, "Estimated: ") || m.profiled != strings.Contains(got, "As the paper measured: ") {
			t.Errorf("%s: %q", m.ID, got)
		}
	}
	want := "At batch 256 an iteration of ResNet-152 takes 106 s in its profile and about 1.0 s warm, 103 times less; at batch 2048 it is 16 times less."
	if got := Explain("resnet-152"); !strings.Contains(got, want) {
		t.Errorf("got %q, want it to contain %q", got, want)
	}
	if got := Explain("vgg"); got != "" {
		t.Errorf("unknown model: got %q", got)
	}
}

func BenchmarkBuild(b *testing.B) {
	for i := range Models {
		m := &Models[i]
		b.Run("model="+m.ID, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				build(b, m.ID, m.DefaultBatch)
			}
		})
	}
}
