package llm

import (
	"math"
	"slices"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/machine"
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
	l.Presume(u, pairs, nil)
	if err := u.Apply(pairs); err != nil {
		t.Fatal(err)
	}
	again := l.Setup() // what is said of it is the same again
	l.Presume(again, l.Said(u), nil)
	if err := again.Apply(l.Said(u)); err != nil || !again.Equal(u) {
		t.Errorf("%s is said as %s, which is read as %s (%v)", text, l.SetupText(u), again, err)
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

// A GPU brings the machine that it is sold in; a machine that is named stays.
func TestAGPUBringsItsMachine(t *testing.T) {
	l := New()
	const of = "model=llama3-8b layers=8 batch=8 micro=1 sequence=512 precision=bf16 zero_cut=data buffer_size=0 "
	for _, p := range machine.Presets() {
		gpus := knob.Decimal(p.Config.GPUs, 1)
		named, _ := asked(t, &l, "zero-infinity", of+"node="+p.Key)
		alone, _ := asked(t, &l, "zero-infinity", of+"gpu="+p.Config.GPU.Key+" gpus="+gpus)
		if named["tokens_s"] != alone["tokens_s"] {
			t.Errorf("%s: %v tokens/s, and %v where only its GPU is named", p.Key, named["tokens_s"], alone["tokens_s"])
		}
	}
	paper := machine.Standard()
	for _, g := range machine.GPUs() {
		for _, several := range []bool{false, true} {
			c := machine.Usual(&g, several)
			if _, err := c.Build(); err != nil || g.Key != paper.GPU.Key && (c.HostPath == paper.HostPath || c.Collective == paper.Collective) || c.HostPath > g.Link {
				t.Errorf("%s: %v to host memory, %v in collectives: %v", g.Key, c.HostPath, c.Collective, err)
			}
		}
	}
	kept, _ := asked(t, &l, "zero-infinity", of+"node=teraio gpu=b200")
	brought, _ := asked(t, &l, "zero-infinity", of+"gpu=b200")
	if kept["communicate_s"] <= brought["communicate_s"] {
		t.Errorf("a B200 in the paper's machine communicates %v s, in its own %v", kept["communicate_s"], brought["communicate_s"])
	}
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

// A micro-batch is never larger than the batch, and what FSDP does not read is told.
func TestNoMicroBatchIsLargerThanTheBatch(t *testing.T) {
	l := New()
	const of = "node=one-4090 model=llama3.1-8b sequence=2048 precision=bf16 recompute=full method=lora loss=chunked optimizer=adamw-bf16 batch=1 "
	one, _ := asked(t, &l, "single", of+"micro=1")
	two, _ := asked(t, &l, "single", of+"micro=2")
	if one["gpu_gib"] != two["gpu_gib"] || one["tokens_s"] != two["tokens_s"] {
		t.Errorf("micro=2 of one sequence: %v GiB, with micro=1 %v", two["gpu_gib"], one["gpu_gib"])
	}
	if _, not := asked(t, &l, "fsdp", "gpu=h100-sxm gpus=8 model=qwen3-8b precision=bf16 recompute=full batch=16 tensor=2"); !slices.Equal(not, []string{"tensor"}) {
		t.Errorf("FSDP is said not to use %v", not)
	}
}
