package serve

import "testing"

// BenchmarkRun is ten thousand requests of one H100 near its knee.
func BenchmarkRun(b *testing.B) {
	for _, system := range []string{"hbm", "host"} {
		b.Run("system="+system, func(b *testing.B) {
			recipe := Recipe{
				Arrivals: Poisson, Requests: 10_000, Rate: 40_000, Input: Length{Mean: 800, Sigma: 800, Max: 8000},
				Output: Length{Mean: 200, Sigma: 800, Max: 2000}, Groups: 50, Shared: 256, Zipf: 1000,
			}
			w, err := recipe.Workload()
			if err != nil {
				b.Fatal(err)
			}
			s := Standard()
			s.System, s.Engine = system, "trtllm"
			for b.Loop() {
				if r, err := Run(w, &s, nil); err != nil || !r.Ran() {
					b.Fatal(err, r.Refused)
				}
			}
		})
	}
}
