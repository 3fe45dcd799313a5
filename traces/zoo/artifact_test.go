package zoo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/workload"
	"spillway/traces/g10"
)

// published are the folders of the artifact's results and configs.
var published = []struct {
	model, results, configs string
}{
	{"bert-base", "BERT_Base", "BERT"},
	{"vit-s-32", "VIT", "VIT"},
	{"inception-v3", "Inceptionv3", "Inceptionv3"},
	{"resnet-152", "ResNet152", "ResNet152"},
	{"senet-154", "SENet154", "SENet154"},
}

// measured builds a workload from the artifact's files, and skips the test
// where they are not at hand.
func measured(t testing.TB, configs string, batch int) *workload.Workload {
	t.Helper()
	dir := artifact.Dir(t)
	names, err := filepath.Glob(filepath.Join(dir, "src/configs", configs, fmt.Sprintf("%d-sim_*.config", batch)))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no config for batch %d: %v", configs, batch, err)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	c, err := g10.ParseConfig(filepath.Base(names[0]), data)
	if err != nil {
		t.Fatal(err)
	}
	w, err := g10.Build(c, func(path string) (string, []byte, error) {
		data, err := os.ReadFile(filepath.Join(dir, "src", path))
		return filepath.Base(path), data, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestGraph compares the five networks with what the artifact's files describe:
// tensors and kernels one by one, workspaces left out.
func TestGraph(t *testing.T) {
	for _, p := range published {
		m, err := Find(p.model)
		if err != nil {
			t.Fatal(err)
		}
		for _, batch := range m.Batches {
			t.Run(fmt.Sprintf("%s-%d", p.model, batch), func(t *testing.T) {
				want := withoutWorkspaces(measured(t, p.configs, batch))
				got, err := Build(p.model, batch, Profiled(A100()))
				if err != nil {
					t.Fatal(err)
				}
				compare(t, got, want)
			})
		}
	}
}

func withoutWorkspaces(w *workload.Workload) *workload.Workload {
	n := slices.IndexFunc(w.Tensors, func(t workload.Tensor) bool { return t.Kind == workload.Workspace })
	if n < 0 {
		return w
	}
	w.Tensors = w.Tensors[:n]
	for i := range w.Kernels {
		k := &w.Kernels[i]
		k.Outputs = slices.DeleteFunc(k.Outputs, func(id workload.TensorID) bool { return int(id) >= n })
	}
	return w
}

func compare(t *testing.T, got, want *workload.Workload) {
	t.Helper()
	if got.Graph != want.Graph || got.Batch != want.Batch || got.Model != want.Model {
		t.Errorf("got %+v, batch %d of %s; want %+v, batch %d of %s",
			got.Graph, got.Batch, got.Model, want.Graph, want.Batch, want.Model)
	}
	if len(got.Tensors) != len(want.Tensors) || len(got.Kernels) != len(want.Kernels) {
		t.Errorf("got %d tensors and %d kernels, want %d and %d",
			len(got.Tensors), len(got.Kernels), len(want.Tensors), len(want.Kernels))
	}
	for i := range min(len(got.Tensors), len(want.Tensors)) {
		g, w := got.Tensors[i], want.Tensors[i]
		if g.Bytes != w.Bytes || g.Global != w.Global || g.Kind != w.Kind {
			t.Fatalf("tensor %d: got %+v, want %+v", i, g, w)
		}
	}
	for i := range min(len(got.Kernels), len(want.Kernels)) {
		g, w := &got.Kernels[i], &want.Kernels[i]
		if g.Name != w.Name || !slices.Equal(g.Inputs, w.Inputs) || !slices.Equal(g.Outputs, w.Outputs) {
			t.Fatalf("kernel %d: got %s %v %v, want %s %v %v", i, g.Name, g.Inputs, g.Outputs, w.Name, w.Inputs, w.Outputs)
		}
	}
}
