// Package prototype is what a prototype of the bound and of the planner measured, for the tests
// that compare with it, and the workloads and machines of that. Only tests import it.
package prototype

import (
	"testing"

	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/eager"
	"spillway/traces/zoo"
)

// A Setting is a row of the prototype's table: a network, a machine, and what came out.
type Setting struct {
	Model        string
	Batch        int
	GPU          string  // whose times are estimated, or "" for the paper's
	memory, host float64 // GiB
	link         float64 // GB/s
	read, write  float64 // GB/s, of the SSD
	Ideal, Bound float64 // seconds, by the same linear program
	Ours         float64 // how many times the bound its planner took
	Recomputing  float64 // seconds, the bound where values may be computed again; 0 if not measured
}

// Settings is the table.
var Settings = []Setting{
	{"bert-base", 256, "", 40, 128, 15.754, 3.2, 3, 6.248, 6.248, 1.000, 6.248},
	{"vit-s-32", 1280, "", 40, 128, 15.754, 3.2, 3, 4.001, 4.001, 1.000, 4.001},
	{"vit-s-32", 1280, "a100-40", 20, 128, 15.754, 3.2, 3, 1.604, 3.856, 1.039, 1.654},
	{"inception-v3", 512, "a100-40", 30, 128, 15.754, 3.2, 3, 1.149, 2.053, 1.030, 1.162},
	{"gpt2-l-pytorch", 3, "rtx-3090", 24, 128, 15.754, 3.2, 3, 1.242, 2.759, 1.026, 1.283},
	{"resnet-152-pytorch", 128, "rtx-3090", 12, 64, 25, 6.4, 5, 0.585, 0.786, 1.082, 0.595},
	{"resnet-50", 256, "h100-80", 16, 64, 50, 12, 6, 0.239, 0.426, 1.017, 0.244},
	{"bert-base", 384, "h100-80", 16, 64, 25, 6.4, 3, 1.184, 3.674, 1.030, 1.233},
	{"gpt2-xl-pytorch", 2, "a100-80", 40, 32, 25, 6.4, 5, 1.783, 2.025, 1.030, 0},
	{"senet-154", 32, "h100-80", 9.6124, 128, 15.754, 1, 1, 0.454, 0.454, 1.000, 0},
	{"bert-base", 192, "h100-80", 16, 64, 25, 6.4, 3, 0.643, 1.159, 1.038, 0},
	{"gpt2-l-pytorch", 4, "rtx-3090", 16, 64, 25, 6.4, 3, 1.613, 3.445, 1.016, 0},
}

// Machine is the setting's.
func (s *Setting) Machine() machine.Machine {
	m := machine.G10()
	rate := func(gb float64) unit.Bandwidth { return unit.Bandwidth(gb * float64(unit.GBps)) }
	m.GPUMemory, m.HostMemory = unit.Bytes(s.memory*float64(unit.GiB)), unit.Bytes(s.host*float64(unit.GiB))
	m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = rate(s.link), rate(s.link), rate(s.read), rate(s.write)
	return m
}

// Workload is the setting's.
func (s *Setting) Workload(t testing.TB) *workload.Workload {
	t.Helper()
	w, err := Build(s.Model, s.Batch, s.GPU)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// peaks are the GPUs whose times the prototype had: shares of these, from before there was the
// law of kernel times.
var peaks = map[string]zoo.Peaks{
	"a100-40":  zoo.A100(),
	"a100-80":  {FP32: 19.5e12, TF32: 156e12, Memory: 2039 * unit.GBps},
	"v100-32":  {FP32: 14e12, Memory: 900 * unit.GBps},
	"h100-80":  {FP32: 67e12, TF32: 494.7e12, Memory: 3350 * unit.GBps},
	"rtx-3090": {FP32: 35.6e12, TF32: 35.6e12, Memory: 936 * unit.GBps},
}

// Build returns a bundled network with times for a GPU as the prototype had them, or with none
// the paper's.
func Build(model string, batch int, gpu string) (*workload.Workload, error) {
	times, p := zoo.AsPaper(), zoo.A100()
	if gpu != "" {
		p = peaks[gpu]
		times = zoo.Profiled(p)
	}
	if e, err := eager.Find(model); err == nil {
		return eager.Build(e.ID, batch, e.Sequence, e.Optimizer, eager.DeepUM{Name: gpu, FP32: p.FP32, Memory: p.Memory})
	}
	return zoo.BuildFor(model, batch, times, zoo.Optimizers[0])
}
