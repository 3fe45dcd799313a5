package cxlssd

import (
	"runtime"
	"runtime/debug"
	"testing"

	"spillway/sim/cxlssd/stream"
)

// TestMemory runs the largest workload of Fig. 14 at full scale, with the collector as a
// worker of the page has it (wasm/worker), threads changing from run to run: all of it,
// with the program, stays below 100 MB. All of Fig. 14 in one worker takes as much.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("two seconds, and the collector's settings are changed")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(72 << 20))
	clear(recipes)
	debug.FreeOSMemory()
	most := uint64(0)
	look := func(int, int) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.Sys-m.HeapReleased)
	}
	w, err := stream.Find("ycsb-a")
	if err != nil {
		t.Fatal(err)
	}
	s := Default()
	s.Scale = 1
	for _, system := range []string{"base-cssd", "skybyte-c", "skybyte-wp", "skybyte-full", "dram-only"} {
		if _, err := Run(w, &s, system, nil, look); err != nil {
			t.Fatal(err)
		}
		look(0, 0)
	}
	t.Logf("%.1f MB", float64(most)/1e6)
	if most > 100e6 {
		t.Errorf("%.1f MB; want at most 100", float64(most)/1e6)
	}
}
