package g10_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/train/system/g10"
	"spillway/sim/unit"
	"spillway/sim/workload"
	traces "spillway/traces/g10"
)

// load reads one of the artifact's configs.
func load(t testing.TB, config string) (*workload.Workload, machine.Machine, system.Options) {
	t.Helper()
	src := filepath.Join(artifact.Dir(t), "src")
	data, err := os.ReadFile(filepath.Join(src, "configs", config+".config"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := traces.ParseConfig(config, data)
	if err != nil {
		t.Fatal(err)
	}
	w, err := traces.Build(c, func(path string) (string, []byte, error) {
		data, err := os.ReadFile(filepath.Join(src, path))
		return path, data, err
	})
	if err != nil {
		t.Fatal(err)
	}
	q := train.Request{Machine: machine.G10(), Options: system.Published()}
	for _, p := range c.Pairs {
		if _, err := train.Configure(&q, p.Key, p.Value); err != nil {
			t.Fatalf("%s:%d: %v", config, p.Line, err)
		}
	}
	return w, q.Machine, q.Options
}

// counts are the operations of a plan as the artifact's log counts them.
type counts struct{ free, host, ssd, gpu int }

func count(p *program.Program) counts {
	return counts{
		free: p.Count(program.Free, machine.Nowhere),
		host: p.Count(program.Evict, machine.Host),
		ssd:  p.Count(program.Evict, machine.SSD),
		gpu:  p.Count(program.Prefetch, machine.Nowhere),
	}
}

// published lists the operation counts of the plans that the artifact's own
// scheduler makes for its configs, and the rounds where they are known.
var published = []struct {
	model, config string
	want          counts
	rounds        int // -1: not known
}{
	{"BERT-128", "BERT/128-sim_prefetch_lru", counts{899, 0, 0, 899}, 0},
	{"BERT-256", "BERT/256-sim_prefetch_lru", counts{1306, 18, 6, 1330}, 25},
	{"BERT-512", "BERT/512-sim_prefetch_lru", counts{1306, 98, 61, 1465}, -1},
	{"ViT-512", "VIT/512-sim_prefetch_lru", counts{974, 0, 0, 974}, 0},
	{"ViT-1024", "VIT/1024-sim_prefetch_lru", counts{1405, 124, 1, 1530}, 311},
	{"ViT-1280", "VIT/1280-sim_prefetch_lru", counts{1405, 135, 44, 1584}, 294},
	{"Inception-512", "Inceptionv3/512-sim_prefetch_lru", counts{1792, 1, 2, 1795}, -1},
	{"Inception-1536", "Inceptionv3/1536-sim_prefetch_lru", counts{1792, 59, 385, 2236}, -1},
	{"ResNet152-512", "ResNet152/512-sim_prefetch_lru", counts{2707, 51, 70, 2828}, -1},
	{"ResNet152-1280", "ResNet152/1280-sim_prefetch_lru", counts{2707, 101, 709, 3517}, -1},
	{"SENet154-256", "SENet154/256-sim_prefetch_lru", counts{3674, 73, 46, 3793}, -1},
	{"SENet154-1024", "SENet154/1024-sim_prefetch_lru", counts{3610, 76, 1226, 4912}, -1},
}

func TestPublishedCounts(t *testing.T) {
	for _, tt := range published {
		t.Run(tt.model, func(t *testing.T) {
			w, m, o := load(t, tt.config)
			p := plan(t, g10.System, w, &m, &o)
			if got := count(p); got != tt.want {
				t.Errorf("plan has %+v operations, want %+v", got, tt.want)
			}
			if tt.rounds >= 0 && p.Rounds != tt.rounds {
				t.Errorf("%d rounds, want %d", p.Rounds, tt.rounds)
			}
		})
	}
}

// TestPublishedBERT256 checks the published plan for BERT-256 in detail.
func TestPublishedBERT256(t *testing.T) {
	w, m, o := load(t, "BERT/256-sim_prefetch_lru")
	p := plan(t, g10.System, w, &m, &o)
	type move struct {
		at     workload.KernelID
		tensor workload.TensorID
		to     machine.Tier
	}
	const host, ssd = machine.Host, machine.SSD
	want := []move{
		{40, 126, ssd},
		{41, 125, host},
		{42, 129, ssd},
		{78, 242, host},
		{79, 241, host},
		{80, 245, host},
		{116, 358, host},
		{117, 357, host},
		{118, 361, ssd},
		{154, 474, host},
		{155, 473, host},
		{156, 477, host},
		{192, 590, ssd},
		{193, 589, host},
		{194, 593, host},
		{230, 706, host},
		{231, 705, host},
		{232, 709, host},
		{268, 822, host},
		{269, 821, host},
		{270, 825, host},
		{306, 938, ssd},
		{307, 937, host},
		{17, 53, ssd},
	}
	var got []move
	for _, op := range p.Ops {
		if op.Kind == program.Evict {
			got = append(got, move{op.At, op.Tensor, op.To})
		}
	}
	order := func(x, y move) int { return int(x.at - y.at) }
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("moves are %v, want %v", got, want)
	}
	pre := func(t workload.TensorID) program.Op { return program.Op{Kind: program.Prefetch, Tensor: t} }
	free := func(t workload.TensorID) program.Op { return program.Op{Kind: program.Free, Tensor: t} }
	first := [][]program.Op{
		{pre(2), pre(4), pre(6)}, {pre(8)}, {pre(12)}, {free(4), pre(15)}, {pre(18), free(8), pre(17)}, {pre(20)}, {pre(23), free(15)},
	}
	i := 0
	for k, ops := range first {
		for _, op := range ops {
			op.At = workload.KernelID(k)
			if p.Ops[i] != op {
				t.Errorf("operation %d is %+v, want %+v", i, p.Ops[i], op)
			}
			i++
		}
	}
}

// BenchmarkPlan plans as published, and without quirks.
func BenchmarkPlan(b *testing.B) {
	for _, q := range []quirk.Set{quirk.Published(), quirk.Corrected()} {
		for _, c := range published {
			b.Run(fmt.Sprintf("mode=%v/model=%s", q, c.model), func(b *testing.B) {
				w, m, o := load(b, c.config)
				o.Quirks = q
				b.ReportAllocs()
				for b.Loop() {
					plan(b, g10.System, w, &m, &o)
				}
			})
		}
	}
	b.Run("mode=published/model=toy", func(b *testing.B) {
		m, o := machine.G10(), system.Published()
		m.GPUMemory = 420 * unit.MiB
		w := toy(8, 64*unit.MiB, unit.MiB, 10*unit.Millisecond)
		b.ReportAllocs()
		for b.Loop() {
			plan(b, g10.System, w, &m, &o)
		}
	})
}
