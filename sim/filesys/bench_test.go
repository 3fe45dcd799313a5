package filesys

import (
	"testing"

	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
)

// compared are the workloads of the comparison that the goal of 1.5 million calls a
// second is about.
var compared = []string{"create", "delete", "mkdir", "rmdir", "stat", "varmail", "fileserver", "webproxy", "webserver", "oltp"}

// BenchmarkPlain runs the test's own file system: what the engine, the host and the
// device take.
func BenchmarkPlain(b *testing.B) {
	s := machine.Default()
	calls := int64(0)
	for b.Loop() {
		for _, name := range compared {
			w := recipe(b, name, &s)
			for _, memory := range []device.Memory{device.NoMemory, device.WriteLog} {
				r, err := runOf(w, &s, plainOf(memory), nil)
				if err != nil {
					b.Fatal(err)
				}
				calls += r.Calls
			}
		}
	}
	b.ReportMetric(float64(calls)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
}

// BenchmarkComparison runs the whole comparison, by system and all of it, with making
// workloads.
func BenchmarkComparison(b *testing.B) {
	main := []string{"bytefs", "ext4", "f2fs", "nova", "pmfs"}
	for _, system := range main {
		b.Run(system, func(b *testing.B) { comparison(b, system) })
	}
	b.Run("all", func(b *testing.B) { comparison(b, main...) })
}

func comparison(b *testing.B, systems ...string) {
	s := machine.Default()
	calls := int64(0)
	for b.Loop() {
		for _, name := range compared {
			w := recipe(b, name, &s)
			for _, system := range systems {
				r, err := Run(w, &s, system, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				calls += r.Calls
			}
		}
	}
	b.ReportMetric(float64(calls)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
}
