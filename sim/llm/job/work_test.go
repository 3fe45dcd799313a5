package job

import (
	"math"
	"testing"

	"spillway/sim/kerneltime"
	"spillway/sim/llm/pretrain"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
)

// The kernels of a job take what the closed formula of a step says, by the same law: the formula
// counts pointwise kernels by their passes, the job by its tensors.
func TestAgreesWithTheFormula(t *testing.T) {
	for _, c := range []struct {
		node, gpu, model string
		data, sequence   int64
		recompute        Recompute
		again            pretrain.Recompute
	}{
		{"dgx-h100", "h100-sxm", "llama3-8b", 8, 8192, KeepAll, pretrain.Nothing},
		{"eight-a100", "a100-sxm-80", "llama3-8b", 8, 4096, Full, pretrain.Full},
		{"eight-a100", "a100-sxm-80", "gpt3-6.7b", 8, 2048, KeepAll, pretrain.Nothing},
		{"one-4090", "rtx-4090", "gpt3-6.7b", 1, 2048, KeepAll, pretrain.Nothing},
	} {
		a, err := model.Find(c.model)
		if err != nil {
			t.Fatal(err)
		}
		var node *machine.Node
		for _, p := range machine.Presets() {
			if p.Key == c.node {
				if node, err = p.Config.Build(); err != nil {
					t.Fatal(err)
				}
			}
		}
		j, err := Build(&Spec{Arch: &a, Node: node, Layout: Layout{
			Pipeline: 1, Tensor: 1, Data: c.data, ZeRO: 3, Batch: c.data, Micro: 1, Sequence: c.sequence, Precision: BF16, Recompute: c.recompute,
		}})
		if err != nil {
			t.Fatal(err)
		}
		var took unit.Time
		for i, k := range j.Parts[0].Kernels {
			if j.Marks[0][i].Phase != Communicate {
				took += k.Time
			}
		}
		s := pretrain.Job{
			Arch: &a, GPU: kerneltime.Find(c.gpu), GPUs: c.data, Batch: 1, Sequence: c.sequence, Accumulate: 1, Recompute: c.again, Compiled: true, Precision: kerneltime.BF16,
		}
		want, err := s.Estimate()
		if err != nil {
			t.Fatal(err)
		}
		if ratio := float64(took) / float64(want.Time-want.Communication); math.Abs(ratio-1) > 0.10 {
			t.Errorf("%s on %s: %v, the formula says %v", c.model, c.node, took, want.Time-want.Communication)
		}
	}
}

// An efficiency of its own is a roofline, whatever the law says; without one large products reach
// what the law says.
func TestReached(t *testing.T) {
	teraio := machine.Standard()
	if got, want := Reached(&teraio, BF16), teraio.GPU.BF16/1000*720; got != want {
		t.Errorf("%d, want %d", got, want)
	}
	if _, _, ok := Trust(&teraio, BF16); ok {
		t.Error("the paper's node has a band")
	}
	for _, p := range machine.Presets()[1:] {
		c := p.Config
		share := float64(Reached(&c, BF16)) / float64(c.GPU.BF16)
		if share < 0.5 || share > 0.95 {
			t.Errorf("%s: large products reach %.2f of the peak", p.Key, share)
		}
		if band, _, ok := Trust(&c, BF16); !ok || band < 5 || band > 40 {
			t.Errorf("%s: a band of %d %%", p.Key, band)
		}
	}
	for _, g := range machine.GPUs() {
		if LawOf(&g) == nil {
			t.Errorf("the law does not know %s", g.Key)
		}
	}
}
