package llm

import (
	"slices"
	"strings"
	"testing"

	"spillway/ui/lab/labtest"
)

// TestOrder: where a machine, a GPU, a drive and a model stand in a text makes no difference.
func TestOrder(t *testing.T) {
	l := New()
	parts := []string{"node=one-4090", "gpu=v100-32", "drive=pm9a3", "model=gpt2-xl", "gpu_memory=20"}
	want := labtest.Setup(t, &l, strings.Join(parts, " ")).String()
	for range parts {
		parts = append(parts[1:], parts[0])
		back := slices.Clone(parts)
		slices.Reverse(back)
		for _, list := range [][]string{parts, back} {
			if got := labtest.Setup(t, &l, strings.Join(list, " ")).String(); got != want {
				t.Errorf("%v is %q, want %q", list, got, want)
			}
		}
	}
}

// TestLinksOfTheGPU: a chassis that was measured with other GPUs gives none a link that it lacks.
func TestLinksOfTheGPU(t *testing.T) {
	l := New()
	of := func(system, text string) float64 {
		r, _, err := l.Run(labtest.Setup(t, &l, text), system, nil, nil)
		if err != nil || !r.Fits {
			t.Fatalf("%s: %v, %+v", text, err, r)
		}
		v, _ := r.Value(l.Quantity("tokens_s"))
		return v
	}
	const lora = "model=llama3.2-1b method=lora gpus=8 micro=1 recompute=full node=dgx-h100 gpu=rtx-4090"
	if chassis, own := of("fsdp", lora), of("fsdp", lora+" collective=0"); chassis != own {
		t.Errorf("%v tokens a second in a chassis with NVLink, %v over PCIe", chassis, own)
	}
	const full = "model=llama3-8b layers=3 batch=2 micro=1 sequence=1024 node=one-4090"
	if direct, not := of("teraio-ssd", full+" gds=1"), of("teraio-ssd", full+" gds=0"); direct != not {
		t.Errorf("%v with drives that copy to a GeForce directly, %v without", direct, not)
	}
}
