package job

import (
	"testing"

	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
	"spillway/sim/vitality"
)

// node is the TERAIO paper's, with so many GPUs; Build looks at its GPU and efficiency only.
func node(gpus int64) *machine.Node {
	c := machine.Standard()
	c.GPUs = gpus
	return &machine.Node{Config: c}
}

// The fifteen settings of Figure 7 with the peak memory M it prints (the last two are of batch 16: see papers/teraio), and what comes out here: M, mean and
// most of the tensors that a kernel uses, all in hundredths of a percent of 80 GiB, and GPU 0's kernels and tensors.
var figure7 = []struct {
	model                     string
	batch, sequence, micro    int64
	published, m, mean, most  int64
	kernels, tensors, longest int64 // longest: milliseconds of the busier GPU's kernels
}{
	{"llama3-8b", 32, 2048, 4, 18756, 18982, 74, 733, 3923, 3932, 38369},
	{"llama3-8b", 64, 2048, 4, 18881, 19107, 77, 733, 7411, 7284, 76681},
	{"llama3-8b", 128, 2048, 4, 19132, 19357, 78, 733, 14387, 13988, 153304},
	{"llama3-8b", 64, 1024, 8, 18756, 18982, 74, 733, 3923, 3932, 37657},
	{"llama3-8b", 64, 4096, 2, 19132, 19357, 78, 733, 14387, 13988, 159005},
	{"granite-8b", 32, 4096, 4, 37934, 37947, 131, 656, 4986, 5284, 82489},
	{"granite-8b", 64, 4096, 4, 38184, 38197, 136, 656, 9482, 9916, 164918},
	{"granite-8b", 128, 4096, 4, 38684, 38697, 139, 656, 18474, 19180, 329777},
	{"granite-8b", 64, 2048, 8, 37934, 37947, 131, 656, 4986, 5284, 79282},
	{"granite-8b", 64, 8192, 2, 38685, 38697, 139, 656, 18474, 19180, 355432},
	{"llama3-70b", 8, 2048, 2, 94023, 93718, 111, 1467, 5419, 5616, 82933},
	{"llama3-70b", 16, 2048, 2, 94085, 93780, 111, 1467, 9755, 9788, 165369},
	{"llama3-70b", 32, 2048, 2, 94210, 93905, 112, 1467, 18427, 18132, 330241},
	{"llama3-70b", 16, 3072, 2, 109180, 107817, 141, 1467, 9755, 9788, 250456},
	{"llama3-70b", 16, 4096, 2, 124275, 121853, 171, 1467, 9755, 9788, 337324},
}

func paperSpec(name string, batch, sequence, micro int64) *Spec {
	a, err := model.Find(name)
	if err != nil {
		panic(err)
	}
	return &Spec{Arch: &a, Node: node(2), Layout: Layout{Pipeline: 2, Tensor: 1, Data: 1, Batch: batch, Sequence: sequence, Micro: micro}}
}

func active(j *Job, part int) (mean, most unit.Bytes) {
	w := j.Parts[part]
	var sum unit.Bytes
	for _, b := range vitality.Analyze(w).Active(w) {
		sum += b
		most = max(most, b)
	}
	return sum / unit.Bytes(len(w.Kernels)), most
}

func busy(j *Job, part int) (t unit.Time) {
	for i := range j.Parts[part].Kernels {
		t += j.Parts[part].Kernels[i].Time
	}
	return t
}

func percent(b unit.Bytes) int64 { return 10000 * int64(b) / int64(80*unit.GiB) }

func TestFigure7(t *testing.T) {
	for _, tt := range figure7 {
		j, err := Build(paperSpec(tt.model, tt.batch, tt.sequence, tt.micro))
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Validate(); err != nil {
			t.Fatal(err)
		}
		mean, most := active(j, 0)
		got := tt
		got.m, got.mean, got.most = percent(j.Peak(0)), percent(mean), percent(most)
		got.kernels, got.tensors = int64(len(j.Parts[0].Kernels)), int64(len(j.Parts[0].Tensors))
		got.longest = int64(max(busy(j, 0), busy(j, 1)) / unit.Millisecond)
		if off := got.m - tt.published; max(off, -off)*50 > tt.published {
			t.Errorf("%s, %d x %d: M is %d, more than 2 %% from the published %d", tt.model, tt.batch, tt.sequence, got.m, tt.published)
		}
		// Figure 1 has 1.7 % on average, and always less than 14 %, in other settings (TestFigure1): two sequences of
		// 70B at once have 14.67 %.
		if got.most > 1500 || got.mean > 200 || got.mean < 50 {
			t.Errorf("%s, %d x %d: kernels use %d in the mean, %d at most", tt.model, tt.batch, tt.sequence, got.mean, got.most)
		}
		if got != tt {
			t.Errorf("got {%q, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d},", got.model, got.batch, got.sequence, got.micro, got.published, got.m, got.mean, got.most, got.kernels, got.tensors, got.longest)
		}
	}
}

// The models of section 2 (Figure 1), whose kernels use 1.7 % of the GPU's memory on average and always less than
// 14 %. The memory is the 80 GiB that M is of. The paper gives no micro-batches; these are those of papers/teraio,
// inferred from Figure 2. A miss: Adam's update of the head of 70B, three tensors of 3.9 GiB, has 14.67 %, which
// would be less than 14 % of 94 GB only. Values are hundredths of a percent of the GPU that uses more.
func TestFigure1(t *testing.T) {
	for _, tt := range []struct {
		model                  string
		batch, sequence, micro int64
		mean, most             int64
	}{
		{"llama3-8b", 128, 4096, 2, 87, 978},
		{"llama3-70b", 256, 2048, 1, 79, 1467},
		{"gpt2-40b", 16, 1024, 2, 76, 575},
		{"t5-11b", 64, 512, 2, 29, 93},
	} {
		j, err := Build(paperSpec(tt.model, tt.batch, tt.sequence, tt.micro))
		if err != nil {
			t.Fatal(err)
		}
		var mean, most int64
		for p := range 2 {
			a, b := active(j, p)
			mean, most = max(mean, percent(a)), max(most, percent(b))
		}
		if mean != tt.mean || most != tt.most {
			t.Errorf("%s: kernels use %d in the mean, %d at most; want %d and %d", tt.model, mean, most, tt.mean, tt.most)
		}
		if published := int64(1400); most >= published && tt.model != "llama3-70b" {
			t.Errorf("%s: kernels use %d at most; published are less than %d", tt.model, most, published)
		}
	}
}
