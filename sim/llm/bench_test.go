package llm

import (
	"math"
	"strconv"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/system"
	"spillway/sim/llm/system/teraio"
	"spillway/sim/model"
)

// large is a batch on the TERAIO paper's node.
func large(b *testing.B, arch string, batch, micro int64) Setup {
	b.Helper()
	s := Standard()
	a, err := model.Find(arch)
	if err != nil {
		b.Fatal(err)
	}
	s.Arch = a
	s.Layout = job.Layout{Batch: batch, Micro: micro, Sequence: 2048}
	return s
}

func bench(b *testing.B, s *Setup, name string) {
	b.ReportAllocs()
	var kernels int
	for b.Loop() {
		r, err := Run(s, name, true, nil)
		if err != nil {
			b.Fatal(err)
		}
		if !r.Ran() {
			b.Fatal(r.Reason)
		}
		kernels = 0
		for _, w := range r.Job.Parts {
			kernels += len(w.Kernels)
		}
	}
	b.ReportMetric(float64(kernels), "kernels")
}

// BenchmarkRun builds, plans and runs three iterations. Llama-3 8B with a batch of 64 may
// take 1.5 s, Llama-3 70B with one of 32 may take 5 s and 200 MB.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		arch         string
		batch, micro int64
	}{{"llama3-8b", 64, 4}, {"llama3-70b", 32, 2}} {
		s := large(b, c.arch, c.batch, c.micro)
		for _, sys := range Systems {
			if c.arch == "llama3-70b" && (sys.Name == "zero-offload" || sys.Name == "fsdp-offload") {
				continue // does not fit
			}
			b.Run(c.arch+"/"+sys.Name, func(b *testing.B) { bench(b, &s, sys.Name) })
		}
	}
}

// BenchmarkGrowth plans TERAIO-SSD, once, for batches that grow: planning grows with moves times
// the logarithm of kernels, so that the last number stays about the same.
func BenchmarkGrowth(b *testing.B) {
	for _, batch := range []int64{8, 16, 32, 64} {
		s := large(b, "llama3-70b", batch, 2)
		s.Options.Fallback = system.Demand
		b.Run(strconv.FormatInt(batch, 10), func(b *testing.B) {
			node, j, o, err := cut(&s, &teraio.SSD)
			if err != nil {
				b.Fatal(err)
			}
			moves, kernels := 0, 0
			for b.Loop() {
				plans, err := teraio.SSD.Plan(j, node, &o, nil)
				if err != nil {
					b.Fatal(err)
				}
				moves, kernels = 0, 0
				for i, p := range plans[0].Programs {
					moves += len(p.Ops)
					kernels += len(j.Parts[i].Kernels)
				}
			}
			b.ReportMetric(float64(moves), "moves")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(moves)/math.Log2(float64(kernels)), "ns/move/log-kernel")
		})
	}
}

// BenchmarkBuild only builds.
func BenchmarkBuild(b *testing.B) {
	s := large(b, "llama3-70b", 32, 2)
	sys := Systems[0]
	b.ReportAllocs()
	for b.Loop() {
		if _, _, _, err := cut(&s, sys); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFits is what a system can train.
func BenchmarkFits(b *testing.B) {
	s := Standard()
	for _, sys := range Systems {
		b.Run(sys.Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Fits(&s, sys.Name, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
