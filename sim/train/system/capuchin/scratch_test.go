package capuchin_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/traces/eager"
)

func TestScratch(t *testing.T) {
	model, batch, sysname := os.Getenv("MODEL"), os.Getenv("BATCH"), os.Getenv("SYS")
	if model == "" {
		t.Skip()
	}
	b, _ := strconv.Atoi(batch)
	m, err := eager.Find(model)
	if err != nil {
		t.Fatal(err)
	}
	w, err := eager.Build(model, b, 0, m.Optimizer, eager.Rates{Name: "V100", FP32: 14e12, Memory: 900 * unit.GBps})
	if err != nil {
		t.Fatal(err)
	}
	mm := machine.G10()
	mm.GPUMemory = 32 * unit.GiB
	if g, _ := strconv.Atoi(os.Getenv("GPU")); g > 0 {
		mm.GPUMemory = unit.Bytes(g) * unit.GiB
	}
	mm.HostMemory = 512 * unit.GiB
	mm.HostLink, mm.GPULink = 12500*unit.MBps, 12500*unit.MBps
	o := system.Published()
	o.Quirks = quirk.Corrected()
	o.Params = system.Params(os.Getenv("PARAMS"))
	start := time.Now()
	r, err := train.Run(w, train.Request{System: sysname, Machine: mm, Options: o}, nil)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(model, b, sysname, "kernels", len(w.Kernels), "tensors", len(w.Tensors), "real", time.Since(start))
	if !r.Fits {
		fmt.Println(r.Reason)
		return
	}
	sec := func(c unit.Cycles) float64 { return float64(c) / float64(r.Clock) }
	fmt.Printf("ideal %.2f\n", sec(r.Ideal))
	for _, it := range r.Iterations {
		fmt.Printf("%.2f s  in %v out %v  fault %.2f host %.2f late %.2f evict %.2f recomp %.2f  %+v\n", sec(it.Time), it.Traffic.HostIn, it.Traffic.HostOut, sec(it.Ledger.FaultHandling), sec(it.Ledger.HostRead), sec(it.Ledger.LatePrefetch), sec(it.Ledger.Eviction), sec(it.Ledger.Recomputation), *it.Swapping)
	}
}
