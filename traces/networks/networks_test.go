package networks

import (
	"strings"
	"testing"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Parameters are those that were published.
func TestParameters(t *testing.T) {
	for i := range networks {
		n := &networks[i]
		l, err := n.Lower(Options{Batch: 2})
		if err != nil {
			t.Errorf("%s: %v", n.Name, err)
			continue
		}
		if l.Parameters != n.Parameters {
			t.Errorf("%s: %d parameters, published %d (%+d)", n.Name, l.Parameters, n.Parameters, l.Parameters-n.Parameters)
		}
	}
}

// DLRM's counts are sums over published tables: of the Kaggle data 33 762 577 rows, of the terabyte
// with 40 million at most 187 767 399. Its step changes the rows of a batch, not the tables.
func TestDLRM(t *testing.T) {
	for name, want := range map[string]int64{
		"dlrm-kaggle":   33762577*16 + 155984 + 320001,
		"dlrm-terabyte": 187767399*128 + 171392 + 2197505,
	} {
		l := lowered(t, name, Options{Batch: 2048})
		if l.Parameters != want {
			t.Errorf("%s: %d parameters, want %d", name, l.Parameters, want)
		}
		e := l.Time(kerneltime.Find("a100-sxm-80"), kerneltime.Graphs)
		if whole := unit.Time(4 * float64(want) / 2039e9 * 1e12); name == "dlrm-terabyte" && e.Time > whole/10 {
			t.Errorf("%s: an iteration takes %v, reading all tables once %v", name, e.Time, whole)
		}
	}
}

// Stable Diffusion's U-Net multiplies 339·10⁹ pairs for an image, besides those between tokens, which
// profilers of layers do not see (SnapFusion, 2023: 678 GFLOPs for the one of version 1.5).
func TestDenoiserArithmetic(t *testing.T) {
	l := lowered(t, "stable-diffusion-v1-5", Options{Batch: 1, Inference: true})
	var sum int64
	for i := range l.Step.Kernels {
		switch k := &l.Step.Kernels[i]; k.Class {
		case kerneltime.Product:
			sum += k.M * k.N * k.K
		case kerneltime.ConvForward:
			p, q := (k.H+2*k.Pad-k.R)/k.Stride+1, (k.W+2*k.Pad-k.S)/k.Stride+1
			sum += k.Batch * p * q * k.K * k.C / max(k.Groups, 1) * k.R * k.S
		}
	}
	if sum < 335e9 || sum > 343e9 {
		t.Errorf("%d·10⁹ multiplications an image", sum/1e9)
	}
}

// Operators are counted as the measurements of small batches were: torchvision's modules.
func TestOperators(t *testing.T) {
	for name, want := range map[string]int64{"resnet18": 68, "resnet50": 174, "densenet201": 706} {
		l := lowered(t, name, Options{Batch: 1, Inference: true})
		if got := l.Step.Operators; got != want {
			t.Errorf("%s: %d operators, want %d", name, got, want)
		}
	}
}

func lowered(t *testing.T, name string, o Options) *Lowered {
	t.Helper()
	n, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	l, err := n.Lower(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Every kernel has what the law asks for, and tensors that make a valid workload once it
// has times.
func TestWorkloads(t *testing.T) {
	g := kerneltime.Find("a100-sxm-80")
	families := map[string]bool{}
	for i := range networks {
		n := &networks[i]
		if families[n.Family] {
			continue
		}
		families[n.Family] = true
		for _, o := range []Options{
			{Batch: 4, Precision: kerneltime.AMPFP16, Layout: kerneltime.NHWC},
			{Batch: 4, PyTorch: 1, Attention: kerneltime.Unfused},
			{Batch: 4, Precision: kerneltime.BF16, Accumulate: 2, Checkpoint: true},
			{Batch: 4, Precision: kerneltime.AMPFP16, Compile: true},
		} {
			l, err := n.Lower(o)
			if err != nil {
				t.Fatal(err)
			}
			w := l.Workload
			for k := range w.Kernels {
				w.Kernels[k].Time = kerneltime.Time(g, l.Policy, &l.Step.Kernels[k]).Time
			}
			if err := w.Validate(); err != nil {
				t.Errorf("%s %+v: %v", n.Name, o, err)
			}
			checkWrites(t, w)
		}
	}
}

// checkWrites reports a tensor that is read before anything writes it.
func checkWrites(t *testing.T, w *workload.Workload) {
	t.Helper()
	written := make([]bool, len(w.Tensors))
	for k := range w.Kernels {
		for _, id := range w.Kernels[k].Inputs {
			if !written[id] && !w.Tensors[id].Global {
				t.Fatalf("%s: kernel %d (%s) reads %s, which nothing has written", w.Name, k, w.Kernels[k].Name, w.Tensors[id].Name)
			}
		}
		for _, id := range w.Kernels[k].Outputs {
			written[id] = true
		}
	}
}

// Names come in many spellings.
func TestFind(t *testing.T) {
	for spelled, want := range map[string]string{
		"ResNet-50": "resnet50", "resnet50.a1_in1k": "resnet50", "mobilenetv2_100": "mobilenet_v2", "mnasnet1.0": "mnasnet1_0", "vit_b_16": "vit_base_patch16_224",
		"google-bert/bert-large-uncased": "bert-large-uncased", "bert-base": "bert-base-uncased", "gpt2-xl": "gpt2-1.5b", "mnasnet_100.rmsp_in1k": "mnasnet1_0", "MPT-7B": "mpt-7b",
		"tf_mobilenetv3_large_100": "mobilenet_v3_large", "gluon_resnet50": "resnet50",
	} {
		if n, err := Find(spelled); err != nil || n.Name != want {
			t.Errorf("%s: found %v, %v; want %s", spelled, n, err, want)
		}
	}
	if _, err := Find("resnet51"); err == nil || !strings.Contains(err.Error(), "resnet51") {
		t.Errorf("an unknown name: %v", err)
	}
}

// What does not fit together is refused with a sentence.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		says string
	}{
		{"resnet50", Options{}, "batch 0"},
		{"resnet50", Options{Batch: 7, Accumulate: 2}, "multiple of 2"},
		{"resnet50", Options{Batch: 1, Side: 9}, "9 pixels"},
		{"gpt2", Options{Batch: 1, Sequence: 3}, "3 tokens"},
		{"gpt2", Options{Batch: 1, Optimizer: "lion"}, "lion"},
		{"sd-1.5", Options{Batch: 1, Side: 520}, "multiple of 64"},
		{"inception_v3", Options{Batch: 1, Side: 64}, "at least 96"},
	} {
		n, err := Find(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.Lower(tt.o); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s %+v: %v; want something with %q", tt.name, tt.o, err, tt.says)
		}
	}
}

// Compiling a network makes it faster and smaller, and changes neither its products nor
// what training keeps.
func TestCompile(t *testing.T) {
	g := kerneltime.Find("a100-sxm-80")
	for _, name := range []string{"gpt2", "resnet50", "llama-3.2-1b", "vit_base_patch16_224"} {
		eager := lowered(t, name, Options{Batch: 16, Precision: kerneltime.AMPBF16})
		compiled := lowered(t, name, Options{Batch: 16, Precision: kerneltime.AMPBF16, Compile: true})
		if a, b := eager.Time(g, kerneltime.Graphs).Time, compiled.Time(g, kerneltime.Graphs).Time; b >= a {
			t.Errorf("%s: %v compiled, %v without", name, b, a)
		}
		if a, b := eager.Workload.IntermediateBytes(), compiled.Workload.IntermediateBytes(); b >= a {
			t.Errorf("%s: %v of intermediates compiled, %v without", name, b, a)
		}
		if a, b := eager.Workload.GlobalBytes(), compiled.Workload.GlobalBytes(); a != b {
			t.Errorf("%s: %v of globals compiled, %v without", name, b, a)
		}
	}
}
