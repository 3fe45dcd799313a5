package serve

import (
	"testing"

	"spillway/sim/model"
	core "spillway/sim/serve"
)

// Answers that are longer than any may be are not run, which is no error of the section.
func TestAnsweredTooLong(t *testing.T) {
	s := standard()
	x, err := s.setting("hbm", nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := answered(&x, 16, 300_000, 4_800_064); r != nil || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// Two copies have their weights in host memory and on drives twice.
func TestWeightsOfCopies(t *testing.T) {
	l := New()
	const set = "workload=made arrivals=burst model=opt-30b gpu=t4 tensor=1 host=512 requests=4 input=128 output=8 gpu_share=0 host_share=50 kv_place=host drives=1 ttft=600 tpot=60000 gpus="
	a, err := model.Find("opt-30b")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"host_used_gib", "drives_used_gib"} {
		one, two := value(t, &l, set+"1", "flexgen", key), value(t, &l, set+"2", "flexgen", key)
		if half := inGiB(core.Stored(&a, core.BF16)) / 2; one < half-0.1 || two < 2*half-0.1 {
			t.Errorf("%s: %.1f GiB of one copy, %.1f of two; weights alone are %.1f for each", key, one, two, half)
		}
	}
}
