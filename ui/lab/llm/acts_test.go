package llm

import (
	"math"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab"
)

// asked runs what a person says, as the command does.
func asked(t *testing.T, l *lab.Lab, system, text string) (map[string]float64, []string) {
	t.Helper()
	pairs, err := knob.Pairs(text)
	if err != nil {
		t.Fatal(err)
	}
	u := l.Setup()
	if err := u.Apply(u.WithCompanions(pairs)); err != nil {
		t.Fatal(err)
	}
	r, _, err := l.Run(u, system, nil, nil)
	if err != nil || !r.Fits {
		t.Fatalf("%s with %s: %v %v", system, text, err, r)
	}
	values := map[string]float64{}
	for i, q := range l.Quantities {
		values[q.Key] = r.Values[i]
	}
	return values, r.Ignored
}

// What a recipe puts into host memory crosses the link, and takes at least that time.
func TestNothingMovesForFree(t *testing.T) {
	l := New()
	const of = "gpu=h100-sxm gpus=1 model=qwen3-8b layers=12 batch=2 sequence=4096 precision=bf16 recompute=none micro=2 "
	kept, _ := asked(t, &l, "single", of)
	for _, more := range []string{"activation_offload=1", "activation_offload=1 accumulate=3", "optimizer=paged-32bit gpu_memory=64", "activation_offload=1 host_path=5"} {
		v, _ := asked(t, &l, "single", of+more)
		if v["host_gib"] > 0 && (v["host_read_gb"] <= 0 || v["host_written_gb"] <= 0) {
			t.Errorf("%s: %v GiB are in host memory, and %v GB come from there", more, v["host_gib"], v["host_read_gb"])
		}
		least := math.Max(v["host_read_gb"]/v["host_read_rate"], v["host_written_gb"]/v["host_write_rate"])
		if v["iteration_s"] < least*(1-1e-9) {
			t.Errorf("%s: an iteration takes %v s, and what it moves %v", more, v["iteration_s"], least)
		}
	}
	if v, _ := asked(t, &l, "single", of+"activation_offload=1"); v["tokens_s"] > kept["tokens_s"]/1.3 {
		t.Errorf("moving all that layers keep: %v tokens/s, %v without", v["tokens_s"], kept["tokens_s"])
	}
}

// What FSDP does not read is told, and what comes along with a GPU or a machine is not.
func TestIgnored(t *testing.T) {
	l := New()
	for _, text := range []string{"gpu=h100-sxm gpus=8", "node=dgx-h100", "node=dgx-h100 gpu=h200", "node=eight-a100 gpus=4"} {
		if _, not := asked(t, &l, "fsdp", text+" model=qwen3-8b precision=bf16 recompute=full batch=16 tensor=2"); !slices.Equal(not, []string{"tensor"}) {
			t.Errorf("%s: FSDP is said not to use %v", text, not)
		}
	}
	for text, want := range map[string]string{"": "", "network=10": "network", "network=10 nodes=2": "", "drives=0 ssd_read=3 rank=4": "rank ssd_read"} {
		of := "node=one-4090 model=llama3-8b layers=2 batch=2 micro=1 sequence=512 "
		if _, not := asked(t, &l, "zero-offload", of+text); strings.Join(not, " ") != want {
			t.Errorf("%s: ZeRO-Offload is said not to use %v", text, not)
		}
	}
}
