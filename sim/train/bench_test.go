package train_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/workload"
	"spillway/traces/g10"
	"spillway/traces/zoo"
)

// published are runs whose time in the original simulator is known: measured
// with the artifact's own program on a two-core machine.
var published = []struct {
	config, name string
	original     float64 // seconds
}{
	{"BERT/256-sim_prefetch_lru.config", "model=bert-base/batch=256/system=g10", 39},
	{"BERT/256-sim_lru.config", "model=bert-base/batch=256/system=uvm", 94},
	{"ResNet152/512-sim_prefetch_lru.config", "model=resnet-152/batch=512/system=g10", 301},
	{"SENet154/512-sim_prefetch_lru.config", "model=senet-154/batch=512/system=g10", 672},
}

// BenchmarkPublished plans and runs configurations of the artifact. times-faster
// compares with the original simulator.
func BenchmarkPublished(b *testing.B) {
	for _, p := range published {
		b.Run(p.name, func(b *testing.B) {
			w, q := loadConfig(b, p.config)
			b.ReportAllocs()
			for b.Loop() {
				run(b, w, q)
			}
			b.ReportMetric(p.original/(b.Elapsed().Seconds()/float64(b.N)), "times-faster")
		})
	}
}

func loadConfig(tb testing.TB, config string) (*workload.Workload, train.Request) {
	tb.Helper()
	c, w, err := g10.Load(os.DirFS(artifact.Dir(tb)), config)
	if err != nil {
		tb.Fatal(err)
	}
	q := train.Request{System: c.Policy(), Machine: machine.G10(), Options: system.Published()}
	for _, p := range c.Pairs {
		if _, err := train.Configure(&q, p.Key, p.Value); err != nil {
			tb.Fatal(err)
		}
	}
	return w, q
}

func run(tb testing.TB, w *workload.Workload, q train.Request) {
	tb.Helper()
	if _, err := train.Run(w, q, nil); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkSystem runs every system on BERT-base at batch 256 of the zoo, in
// both modes.
func BenchmarkSystem(b *testing.B) {
	w := bert(b)
	for _, o := range []system.Options{system.Published(), inCorrectedMode()} {
		for _, s := range train.Systems {
			b.Run(fmt.Sprintf("mode=%v/system=%s", o.Quirks, s.Name), func(b *testing.B) {
				q := train.Request{System: s.Name, Machine: machine.G10(), Options: o}
				b.ReportAllocs()
				for b.Loop() {
					run(b, w, q)
				}
			})
		}
	}
}

// BenchmarkGrowth shows how the cost of a run grows when all pages double and
// when all kernels double. As published, the G10 planner sorts all candidates
// every round, and the order of ties makes each sort count; corrected, it does not.
func BenchmarkGrowth(b *testing.B) {
	w := bert(b)
	m := machine.G10()
	for _, q := range []train.Request{
		{System: "uvm", Options: system.Published()},
		{System: "g10", Options: system.Published()},
		{System: "g10", Options: inCorrectedMode()},
	} {
		for _, c := range []struct {
			name string
			w    *workload.Workload
			m    machine.Machine
		}{
			{"pages=1/kernels=1", w, m},
			{"pages=2/kernels=1", twicePages(w), twiceMachine(m)},
			{"pages=1/kernels=2", twiceKernels(w), roomy(m)},
		} {
			q.Machine = c.m
			b.Run(fmt.Sprintf("system=%s/mode=%v/%s", q.System, q.Options.Quirks, c.name), func(b *testing.B) {
				for b.Loop() {
					run(b, c.w, q)
				}
			})
		}
	}
}

// inCorrectedMode returns the options of corrected mode.
func inCorrectedMode() system.Options {
	o := system.Published()
	o.Quirks = quirk.Corrected()
	return o
}

func bert(tb testing.TB) *workload.Workload {
	tb.Helper()
	w, err := zoo.Build("bert-base", 256, zoo.AsPaper())
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// twicePages doubles every tensor; with twiceMachine, a run keeps its shape.
func twicePages(w *workload.Workload) *workload.Workload {
	d := *w
	d.Tensors = slices.Clone(w.Tensors)
	for i := range d.Tensors {
		d.Tensors[i].Bytes = 2 * d.Tensors[i].Bytes.Aligned()
	}
	return &d
}

func twiceMachine(m machine.Machine) machine.Machine {
	m.GPUMemory *= 2
	m.HostMemory *= 2
	m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = 2*m.GPULink, 2*m.HostLink, 2*m.SSDRead, 2*m.SSDWrite
	m.BatchPages *= 2
	m.AllocRate /= 2
	return m
}

// roomy doubles the host's memory, which holds twice as many dead pages when an
// iteration has twice the tensors.
func roomy(m machine.Machine) machine.Machine {
	m.HostMemory *= 2
	return m
}

// twiceKernels runs w twice in one iteration, on separate intermediates.
func twiceKernels(w *workload.Workload) *workload.Workload {
	d := *w
	d.Tensors = slices.Clone(w.Tensors)
	d.Kernels = slices.Clone(w.Kernels)
	second := make([]workload.TensorID, len(w.Tensors))
	for i, t := range w.Tensors {
		second[i] = workload.TensorID(i)
		if !t.Global {
			second[i] = workload.TensorID(len(d.Tensors))
			d.Tensors = append(d.Tensors, t)
		}
	}
	rename := func(ids []workload.TensorID) []workload.TensorID {
		out := make([]workload.TensorID, len(ids))
		for i, id := range ids {
			out[i] = second[id]
		}
		return out
	}
	for _, k := range w.Kernels {
		k.Inputs, k.Outputs = rename(k.Inputs), rename(k.Outputs)
		d.Kernels = append(d.Kernels, k)
	}
	return &d
}
