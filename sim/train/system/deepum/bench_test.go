package deepum

import (
	"testing"

	"spillway/sim/train/engine/blocks"
)

// BenchmarkPager is an iteration of DeepUM alone, of the size of ResNet-152 at batch
// 1536, without the engine: 2500 kernels that name 320 blocks each. Learned: nothing
// faults any more. Faults: every block faults.
func BenchmarkPager(b *testing.B) {
	const kernels, each, all = 2500, 320, 140_000
	of := func(k, i int) blocks.ID { return blocks.ID((k*each/2 + i) % all) }
	for _, c := range []struct {
		name   string
		faults bool
	}{{"learned", false}, {"faults", true}} {
		b.Run(c.name, func(b *testing.B) {
			p := newPager(newScript(), usual())
			iterate := func(faults bool) {
				for k := range kernels {
					p.Launch(0, blocks.ExecID(k))
					for i := range each {
						if faults {
							p.Fault(of(k, i), false)
						} else {
							p.Next()
						}
					}
				}
			}
			iterate(true)
			iterate(true)
			b.ReportAllocs()
			for b.Loop() {
				iterate(c.faults)
			}
			bytes := 0
			for _, t := range p.tables {
				bytes += 4*cap(t.cells) + 4*cap(t.slots)
			}
			b.ReportMetric(float64(bytes)/(1<<20), "MiB-tables")
		})
	}
}
