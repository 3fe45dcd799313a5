package g10

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// readArtifact returns a function that reads a path as it stands in a .config
// file of the artifact.
func readArtifact(t testing.TB) func(path string) (string, []byte, error) {
	t.Helper()
	dir := artifact.Dir(t)
	return func(path string) (string, []byte, error) {
		data, err := os.ReadFile(filepath.Join(dir, "src", path))
		return filepath.Base(path), data, err
	}
}

// readConfig parses a .config file of the artifact, for example "BERT/256-sim_lru".
func readConfig(t testing.TB, name string) *Config {
	t.Helper()
	path := filepath.Join(artifact.Dir(t), "src/configs", name+".config")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ParseConfig(filepath.Base(path), data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCheckpoints compares the built workloads with figures of the published
// simulator's own runs.
func TestCheckpoints(t *testing.T) {
	read := readArtifact(t)
	for _, c := range []struct {
		net                       string
		batch                     int
		kernels, tensors, globals int
		periods, wraps            int
		weights, rest, first      unit.Bytes
		ideal                     unit.Cycles
		model                     string
	}{
		{"BERT", 128, 1369, 1463, 156, 1269, 155, 9115529216, 70799519744, 50331648, 7087159999, "bert-base"},
		{"BERT", 256, 1369, 1463, 156, 1269, 155, 17823494144, 141134852096, 100663296, 8742558777, "bert-base"},
		{"BERT", 512, 1369, 1463, 156, 1269, 155, 35239424000, 281805516800, 201326592, 11799396628, "bert-base"},
		{"VIT", 512, 1489, 1563, 157, 1437, 156, 7351373824, 72013090816, 38535168, 3046779498, "vit-s-32"},
		{"VIT", 1024, 1489, 1563, 157, 1437, 156, 14618632192, 143864987648, 77070336, 3919374961, "vit-s-32"},
		{"VIT", 1280, 1489, 1563, 157, 1437, 156, 18252263424, 179791499264, 96337920, 4459141336, "vit-s-32"},
		{"Inceptionv3", 512, 929, 2171, 378, 1358, 377, 96358400, 283605540864, 549281792, 64334907021, "inception-v3"},
		{"Inceptionv3", 1536, 929, 2171, 378, 1358, 377, 96358400, 845781843968, 1647841280, 71633241480, "inception-v3"},
		{"ResNet152", 512, 1299, 3330, 622, 2023, 621, 242307072, 472845639680, 308281344, 130102121477, "resnet-152"},
		{"ResNet152", 1280, 1299, 3330, 622, 2023, 621, 242307072, 1166032891904, 770703360, 135107260924, "resnet-152"},
		{"SENet154", 256, 2319, 4405, 730, 2799, 729, 1394003968, 496717889536, 154140672, 155317502505, "senet-154"},
		{"SENet154", 1024, 2319, 4341, 730, 2799, 729, 1394003968, 1835909935104, 616562688, 159444570406, "senet-154"},
	} {
		t.Run(fmt.Sprintf("%s-%d", c.net, c.batch), func(t *testing.T) {
			w, err := Build(readConfig(t, fmt.Sprintf("%s/%d-sim_prefetch_lru", c.net, c.batch)), read)
			if err != nil {
				t.Fatal(err)
			}
			check := func(what string, got, want any) {
				t.Helper()
				if got != want {
					t.Errorf("%s: got %v, want %v", what, got, want)
				}
			}
			check("kernels", len(w.Kernels), c.kernels)
			check("tensors", len(w.Tensors), c.tensors)
			globals := 0
			for i := range w.Tensors {
				if w.Tensors[i].Global {
					globals++
				}
			}
			check("globals", globals, c.globals)
			check("global bytes", int64(w.GlobalBytes()), int64(c.weights))
			check("intermediate bytes", int64(w.IntermediateBytes()), int64(c.rest))
			check("tensor 0", int64(w.Tensors[0].Bytes.Aligned()), int64(c.first))
			a := vitality.Analyze(w)
			wraps := 0
			for _, p := range a.Periods {
				if p.Wraps {
					wraps++
				}
			}
			check("inactive periods", len(a.Periods), c.periods)
			check("wrapping periods", wraps, c.wraps)
			var ideal unit.Cycles
			for i := range w.Kernels {
				ideal += (1200 * unit.MHz).PublishedCycles(w.Kernels[i].Time)
			}
			check("ideal cycles", ideal, c.ideal)
			check("model", w.Model, c.model)
			check("batch", w.Batch, c.batch)
			check("times", w.Times, workload.Measured)
		})
	}
}

// TestFirstTensors compares BERT's first tensors with the published simulator's.
func TestFirstTensors(t *testing.T) {
	w, err := Build(readConfig(t, "BERT/256-sim_lru"), readArtifact(t))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		size   unit.Bytes
		global bool
		name   string
	}{
		{100663296, false, "GatherV2 215"},
		{8192, true, "weight 2"},
		{131072, false, "input 211"},
		{8192, false, "GatherV2 215 d_input0"},
		{100663296, false, "GatherV2 213"},
		{93765632, true, "weight 0"},
		{131072, false, "input 210"},
		{93765632, false, "GatherV2 213 d_input0"},
		{100663296, false, "Add 214"},
		{100663296, true, "weight 1"},
	} {
		got := w.Tensors[i]
		if got.Bytes.Aligned() != want.size || got.Global != want.global || got.Name != want.name {
			t.Errorf("tensor %d: got %d bytes, global %v, %q; want %d, %v, %q",
				i, got.Bytes.Aligned(), got.Global, got.Name, want.size, want.global, want.name)
		}
	}
}

// TestConfigs reads all configs of the artifact.
func TestConfigs(t *testing.T) {
	dir := artifact.Dir(t)
	policies := map[string]int{}
	paths, err := filepath.Glob(filepath.Join(dir, "src/configs/*/*.config"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name, _ := filepath.Rel(filepath.Join(dir, "src/configs"), path)
		c := readConfig(t, strings.TrimSuffix(name, ".config"))
		policies[c.Policy()]++
		for _, file := range []string{c.Network, c.Times, c.InputFault, c.Fault, c.Workspace} {
			if _, err := fs.Stat(os.DirFS(dir), strings.TrimPrefix(file, "../")); err != nil {
				t.Errorf("%s names %s: %v", name, file, err)
			}
		}
	}
	want := map[string]int{"uvm": 50, "g10": 187, "deepum+": 60, "flashneuron": 50, "g10-gds": 5, "g10-host": 5}
	if got := fmt.Sprint(policies); got != fmt.Sprint(want) {
		t.Errorf("%d configs: got %v, want %v", len(paths), got, want)
	}
}

func BenchmarkBuild(b *testing.B) {
	readFile := readArtifact(b)
	for _, name := range []string{"BERT/256-sim_lru", "SENet154/1024-sim_lru"} {
		b.Run(name, func(b *testing.B) {
			c := readConfig(b, name)
			files := map[string][]byte{}
			read := func(path string) (string, []byte, error) {
				var err error
				if files[path] == nil {
					_, files[path], err = readFile(path)
				}
				return path, files[path], err
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Build(c, read); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestBare builds all networks without a .config file.
func TestBare(t *testing.T) {
	read := readArtifact(t)
	for _, name := range []string{"BERT/256-sim_lru", "VIT/512-sim_lru", "Inceptionv3/512-sim_lru", "ResNet152/512-sim_lru", "SENet154/256-sim_lru"} {
		c := readConfig(t, name)
		want, err := Build(c, read)
		if err != nil {
			t.Fatal(err)
		}
		p := Parts{}
		for path, f := range map[string]*File{
			c.Network: &p.Network, c.Times: &p.Times, c.InputFault: &p.InputFault, c.Fault: &p.Fault, c.Workspace: &p.Workspace,
		} {
			if f.Name, f.Data, err = read(path); err != nil {
				t.Fatal(err)
			}
		}
		got, err := p.BuildBare(int(c.Batch))
		if err != nil {
			t.Fatal(err)
		}
		got.Origin = want.Origin
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: built without the .config file it is another workload", name)
		}
	}
}
