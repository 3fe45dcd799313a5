package teraio

import (
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/model"
)

// paperJob is a setting of the paper's Figure 7.
func paperJob(tb testing.TB, name string, batch, sequence, micro int64) (*job.Job, *machine.Node) {
	tb.Helper()
	c := machine.Standard()
	n, err := c.Build()
	if err != nil {
		tb.Fatal(err)
	}
	a, err := model.Find(name)
	if err != nil {
		tb.Fatal(err)
	}
	j, err := job.Build(&job.Spec{Arch: &a, Node: n, Layout: job.Layout{Pipeline: 2, Tensor: 1, Data: 1, Batch: batch, Sequence: sequence, Micro: micro}})
	if err != nil {
		tb.Fatal(err)
	}
	return j, n
}

// The paper's smaller and its largest model: all of a system's planning, for one schedule and for two.
func BenchmarkPaper(b *testing.B) {
	for _, tt := range []struct {
		name, model  string
		batch, micro int64
		system       *system.System
		fallback     system.Fallback
	}{
		{"8b/ssd/demand", "llama3-8b", 64, 4, &SSD, system.Demand},
		{"8b/ssd/better", "llama3-8b", 64, 4, &SSD, system.Better},
		{"70b/ssd/demand", "llama3-70b", 32, 2, &SSD, system.Demand},
		{"70b/mixed/demand", "llama3-70b", 32, 2, &Mixed, system.Demand},
		{"70b/mixed/better", "llama3-70b", 32, 2, &Mixed, system.Better},
	} {
		b.Run(tt.name, func(b *testing.B) {
			j, n := paperJob(b, tt.model, tt.batch, 2048, tt.micro)
			o := system.Standard()
			o.Fallback = tt.fallback
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tt.system.Plan(j, n, &o, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
