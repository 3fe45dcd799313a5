package serve

import (
	"testing"

	"spillway/sim/model"
)

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

// BenchmarkHour is an hour of conversations of long prompts on four replicas with three tiers, as Mooncake's trace.
func BenchmarkHour(b *testing.B) {
	recipe := Recipe{
		Arrivals: Poisson, Requests: 12_000, Rate: 3400, Input: Length{Mean: 6000, Sigma: 1000, Max: 60_000}, Output: Length{Mean: 350, Sigma: 700, Max: 2000},
		Turns: 3, Think: 30_000_000_000_000, Block: 512,
	}
	w, err := recipe.Workload()
	if err != nil {
		b.Fatal(err)
	}
	s := Standard()
	a, err := model.Find("llama3-70b")
	if err != nil {
		b.Fatal(err)
	}
	s.System, s.Model, s.Weights, s.KV, s.Tensor = "host-ssd", &a, BF16, BF16, 8
	s.Node.GPUs, s.Node.Nodes, s.HostKV, s.DriveKV = 32, 4, 1<<40, 8e12
	s.Node.Network = s.Node.GPU.Link
	for b.Loop() {
		if r, err := Run(w, &s, nil); err != nil || !r.Ran() {
			b.Fatal(err, r.Refused)
		}
	}
}
