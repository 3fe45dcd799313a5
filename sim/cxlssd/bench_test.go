package cxlssd

import (
	"testing"

	"spillway/sim/cxlssd/stream"
)

// figure14 are the workloads and systems of Fig. 14.
var (
	figure14Workloads = []string{"bc", "bfs-dense", "dlrm", "radix", "srad", "tpcc", "ycsb-a"}
	figure14Systems   = []string{"base-cssd", "skybyte-p", "skybyte-c", "skybyte-w", "skybyte-cp", "skybyte-wp", "skybyte-full", "dram-only"}
)

// BenchmarkFig14 runs what Fig. 14 runs, by workload and all of it. Requests are those
// that retire in measured runs: making streams and warming the log take time too.
func BenchmarkFig14(b *testing.B) {
	for _, name := range figure14Workloads {
		b.Run(name, func(b *testing.B) { figure14(b, name) })
	}
	b.Run("all", func(b *testing.B) { figure14(b, figure14Workloads...) })
}

func figure14(b *testing.B, names ...string) {
	setup := Default()
	requests := int64(0)
	for b.Loop() {
		for _, name := range names {
			w, err := stream.Find(name)
			if err != nil {
				b.Fatal(err)
			}
			for _, system := range figure14Systems {
				r, err := Run(w, &setup, system, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				for _, n := range r.Requests {
					requests += n
				}
			}
		}
	}
	b.ReportMetric(float64(requests)/b.Elapsed().Seconds()/1e6, "Mrequests/s")
}
