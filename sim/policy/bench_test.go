package policy

import (
	"math/rand/v2"
	"testing"
)

// What a candidate costs, without reading what an engine knows: a rule of no operation, of three,
// and of fourteen.
func BenchmarkCandidate(b *testing.B) {
	in := things(rand.New(rand.NewPCG(36, 7)), len(shop().Features), Width)
	for _, x := range []struct{ name, text string }{
		{"small", "evict = age"},
		{"medium", "evict = max(next, 1) * min(size, short)"},
		{"large", "evict = ((uses * fetch_cost / max(size, 1)) + age * p1) * (4 if mine else 1) + (next * 2 if next < 1000 else 1e6) - last * p2"},
	} {
		a := asker(b, x.text, in, 1<<62)
		c := a.Policy.Rule("evict")
		all := make([]int32, Width)
		for i := range all {
			all[i] = int32(i)
		}
		b.Run("way=one/rule="+x.name, func(b *testing.B) {
			f := c.frame()
			for b.Loop() {
				for range Width {
					c.run(f, &a.Doubts)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/Width, "ns/candidate")
		})
		a.column(c, all)
		f := a.columns[c.number]
		b.Run("way=columns/rule="+x.name, func(b *testing.B) {
			for b.Loop() {
				c.runColumns(f, Width, &a.Doubts)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/Width, "ns/candidate")
		})
		b.Run("way=best/rule="+x.name, func(b *testing.B) {
			for b.Loop() {
				a.Best(c, nil, 1, all)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/Width, "ns/candidate")
		})
	}
}
