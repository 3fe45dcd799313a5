package g10

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spillway/build/golden"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// TestGolden compares the tensors and kernels of small networks with golden
// text. Each network exercises one family of blocks, or the operator list.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name  string
		setup Setup
	}{
		{"residual", Setup{ResNet: true, Batch: 2, Height: 8, Width: 8}},
		{"inception", Setup{Inception: true, Batch: 2, Height: 16, Width: 16}},
		{"squeeze", Setup{SENet: true, Batch: 2, Height: 16, Width: 16}},
		{"attention", Setup{Transformer: true, Border: 20, Batch: 2}},
		{"patches", Setup{Transformer: true, Border: 19, Batch: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := testdata(t, c.name+".txt")
			b := &builder{w: &workload.Workload{}}
			var err error
			if c.setup.Transformer {
				err = b.transformer(File{c.name, data}, c.setup)
			} else {
				err = b.cnn(File{c.name, data}, c.setup)
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.w.Kernels {
				b.w.Kernels[i].Time = unit.Millisecond
			}
			if err := b.w.Validate(); err != nil {
				t.Error(err)
			}
			golden.Compare(t, "testdata/"+c.name+".golden", []byte(dump(b.w)))
			inferred, err := Infer(File{c.name, data})
			inferred.Batch = c.setup.Batch
			if inferred.Height, inferred.Width = c.setup.Height, c.setup.Width; err != nil || inferred != c.setup {
				t.Errorf("inferred %+v, %v; want %+v", inferred, err, c.setup)
			}
		})
	}
}

// dump prints a workload one tensor and one kernel a line.
func dump(w *workload.Workload) string {
	var s strings.Builder
	for i, t := range w.Tensors {
		mark := "-"
		if t.Global {
			mark = "global"
		}
		fmt.Fprintf(&s, "tensor %-4d %8d B  %-6s  %-12s  %s\n", i, t.Bytes, mark, t.Kind, t.Name)
	}
	for i, k := range w.Kernels {
		fmt.Fprintf(&s, "kernel %-4d %-26s %v -> %v\n", i, k.Name, k.Inputs, k.Outputs)
	}
	return s.String()
}

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const tinyConfig = `# a comment
is_resnet 0
batch_size 2 ignored words
input_H 4
input_W 4

nn_model_input_file ../linear.txt
orig_kernel_time_file ../results/cudnn2.txt
input_pf_kernel_time_file ../results/cudnn2InputPF.txt
pf_kernel_time_file ../results/cudnn2PF.txt
workspace_size_file ../results/cudnn2Workspace.txt
output_folder ../out/
GPU_memory_size_GB 40
`

// tiny returns the files of a network of a convolution and a linear layer.
func tiny(t testing.TB) map[string]string {
	files := map[string]string{"../linear.txt": string(testdata(t, "linear.txt"))}
	for name, f := range map[string]func(k int) string{
		"cudnn2.txt":          func(k int) string { return fmt.Sprintf("%04d 0.%06d ms\n", k, 200+k) },
		"cudnn2InputPF.txt":   func(k int) string { return fmt.Sprintf("%04d 0.%06d ms\n", k, 300+k) },
		"cudnn2PF.txt":        func(k int) string { return fmt.Sprintf("%04d 0.%06d ms\n", k, 400+k) },
		"cudnn2Workspace.txt": func(k int) string { return fmt.Sprintf("%04d %d B\n", k, k%5*100) },
	} {
		for k := range 10 {
			files["../results/"+name] += f(k)
		}
	}
	return files
}

func buildTiny(t testing.TB, config string, files map[string]string) (*workload.Workload, error) {
	t.Helper()
	c, err := ParseConfig("tiny.config", []byte(config))
	if err != nil {
		return nil, err
	}
	return Build(c, func(path string) (string, []byte, error) {
		data, ok := files[path]
		if !ok {
			return "", nil, fmt.Errorf("%s is not among the files; add it", path)
		}
		return filepath.Base(path), []byte(data), nil
	})
}

func TestBuild(t *testing.T) {
	w, err := buildTiny(t, tinyConfig, tiny(t))
	if err != nil {
		t.Fatal(err)
	}
	head := fmt.Sprintf("%s | %q %d %s | %s\n", w.Name, w.Model, w.Batch, w.Times, w.Origin)
	var times strings.Builder
	for i, k := range w.Kernels {
		fmt.Fprintf(&times, "times  %-4d %d %d %d ps\n", i, k.Time, k.InputFault, k.Fault)
	}
	golden.Compare(t, "testdata/linear.golden", []byte(head+dump(w)+times.String()))
}

// TestSpeedup checks kernel_speedup: what a kernel gains with all data resident
// is taken off its other times too, which never get below. The original does so
// in whole cycles, with doubles.
func TestSpeedup(t *testing.T) {
	for _, c := range []struct {
		speedup string
		by, ghz float64
		time    unit.Time // of kernel 0: 200, 300 and 400 ns before
	}{
		{"1", 1, 1.2, 200000},
		{"2", 2, 1.2, 100000},
		{"3", 3, 1.2, 66667}, // 80 cycles, not 79
		{"7", 7, 1.2, 28571},
		{"7", 7, 1.755, 28571},
		{"1.37", 1.37, 1.2, 145985},
		{"0.5", 0.5, 1.2, 400000},
		{"1e9", 1e9, 1.2, 1},
	} {
		w, err := buildTiny(t, fmt.Sprintf("%skernel_speedup %s\nGPU_frequency_GHz %g\n", tinyConfig, c.speedup, c.ghz), tiny(t))
		if err != nil {
			t.Fatal(err)
		}
		cycles := func(ms float64) float64 { return math.Trunc(float64(ms*(c.ghz*1e9)) / 1000) }
		exec, inputFault, fault := cycles(0.0002), cycles(0.0003), cycles(0.0004)
		gained := exec - exec/c.by
		k := w.Kernels[0]
		for _, x := range []struct {
			got  unit.Time
			want float64
		}{{k.Time, math.Trunc(exec - gained)}, {k.InputFault, math.Trunc(inputFault - gained)}, {k.Fault, math.Trunc(fault - gained)}} {
			if got := cycles(float64(x.got) / 1e9); got != x.want {
				t.Errorf("kernel_speedup %s at %g GHz: %d ps are %g cycles, want %g", c.speedup, c.ghz, x.got, got, x.want)
			}
		}
		if k.Time != c.time {
			t.Errorf("kernel_speedup %s: got %d ps; want %d", c.speedup, k.Time, c.time)
		}
	}
	files := tiny(t)
	files["../results/cudnn2PF.txt"] = strings.Replace(files["../results/cudnn2PF.txt"], "0.000400", "0.000001", 1)
	w, err := buildTiny(t, tinyConfig+"kernel_speedup 2\n", files)
	if err != nil || w.Kernels[0].Fault != w.Kernels[0].InputFault {
		t.Errorf("a fault time below the input fault time: got %v, %v", w.Kernels[0], err)
	}
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64 // -1: an error
	}{
		{"0.197632", 197632000},
		{"163.257339", 163257339000},
		{"1", 1000000000},
		{".5", 500000000},
		{"2.", 2000000000},
		{"0.0000000014", 1},
		{"0.0000000015", 2},
		{"0.00000000149", 1},
		{"0.9999999999", 1000000000},
		{"", -1},
		{".", -1},
		{"-1", -1},
		{"1e3", -1},
		{"0.1.2", -1},
		{"99999999999999999999", -1},
	} {
		got, err := decimal([]byte(c.text), int64(unit.Millisecond))
		if err != nil {
			got = -1
		}
		if got != c.want {
			t.Errorf("%q: got %d, %v; want %d", c.text, got, err, c.want)
		}
	}
}

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       Role
	}{
		{"results/VIT/cudnn256.txt", "0000 0.1 ms\n", TimesFile},
		{"results/VIT/cudnn256InputPF.txt", "0000 0.1 ms\n", InputFile},
		{"results/VIT/cudnn256PF.txt", "\r\n0000 0.1 ms\r\n", FaultFile},
		{"results/VIT/cudnn256Workspace.txt", "0000 0 B", WorkspaceFile},
		{"times", "0000 0.1 ms\n", TimesFile},
		{"BERT.txt", "215\nGatherV2\n2\n", NetworkFile},
		{"net", "ResNet(\n  (conv1): Conv2d(3, 64\n", NetworkFile},
		{"a.txt", "# hello\nbatch_size 5\n", ConfigFile},
		{"a.txt", "batch_sice 5\nis_resnet 1\n", ConfigFile},
		{"a.config", "", ConfigFile},
		{"App.config", "<?xml version=\"1.0\"?>", Unknown},
		{"a.py", "batch_size = 5\n", Unknown},
		{"a.txt", "1\n2\n3\n", Unknown},
		{"a.txt", "hello (\nworld", Unknown},
		{"a", "", Unknown},
	} {
		if got := Classify(File{c.name, []byte(c.data)}); got != c.want {
			t.Errorf("%s %q: got %d, want %d", c.name, c.data, got, c.want)
		}
	}
}
