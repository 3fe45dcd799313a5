package compress

import (
	"math"
	"strings"
	"testing"

	"spillway/sim/unit"
)

func run(t *testing.T, suite string, link unit.Bandwidth, variant string) ([]*Result, Summary) {
	t.Helper()
	x, err := FindSuite(suite)
	if err != nil {
		t.Fatal(err)
	}
	v, err := Find(variant)
	if err != nil {
		t.Fatal(err)
	}
	s := Published()
	s.Link = link
	var list []*Result
	programs := x.Programs()
	for i := range programs {
		list = append(list, Run(&programs[i], &s, &v))
	}
	sum := Summarize(list)
	t.Logf("%s %s %v: optimistic %.3f, ratio %.3f, overflow %.4f, slowdown %.4f", suite, variant, link, sum.Optimistic, sum.Ratio, sum.Overflow, sum.Slowdown)
	return list, sum
}

// TestSuites compares with the numbers that the suites are fitted to, and with
// those that they are not.
func TestSuites(t *testing.T) {
	const link = 150 * unit.GBps
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s is %.4f; published %.4f, allowed %.4f", what, got, want, tolerance)
		}
	}
	for _, tt := range []struct {
		suite, variant  string
		ratio, overflow float64
	}{
		{"dl", "naive", 1.18, 0.32},
		{"dl", "per-allocation", 1.42, 0.04},
		{"dl", "per-allocation-16x", 1.50, 0.04},
		{"hpc", "naive", 1.57, 0.08},
		{"hpc", "per-allocation", 1.70, 0.0008},
		{"hpc", "per-allocation-16x", 1.90, 0.0008},
	} {
		_, sum := run(t, tt.suite, link, tt.variant)
		near(tt.suite+" "+tt.variant+": ratio", sum.Ratio, tt.ratio, 0.04*tt.ratio)
		near(tt.suite+" "+tt.variant+": overflow", sum.Overflow, tt.overflow, 0.025)
	}
	list, sum := run(t, "dl", link, "per-allocation-16x")
	near("optimistic ratio of deep learning", sum.Optimistic, 1.85, 0.03*1.85)
	for _, r := range list {
		switch r.Program {
		case "AlexNet":
			near("AlexNet's overflow", r.Overflow, 0.054, 0.001)
			near("AlexNet's slowdown", r.Time.Slowdown(), 0.065, 0.005)
		case "ResNet50":
			near("ResNet50's ratio", r.Ratio(), 1.64, 0.02)
		case "SqueezeNet v1.1":
			near("SqueezeNet's ratio", r.Ratio(), 1.49, 0.02)
		}
	}
	slow, _ := run(t, "dl", 50*unit.GBps, "per-allocation-16x")
	near("AlexNet's slowdown at 50 GB/s", slow[1].Time.Slowdown(), 0.35, 0.005)
	// Held out.
	near("slowdown of deep learning", sum.Slowdown, 0.022, 0.01)
	if _, sum := run(t, "dl", 50*unit.GBps, "per-allocation-16x"); sum.Slowdown < 0.20 {
		t.Errorf("deep learning slows down by %.3f at 50 GB/s; published is more than 0.20", sum.Slowdown)
	}
	_, hpc := run(t, "hpc", link, "per-allocation-16x")
	near("optimistic ratio of HPC", hpc.Optimistic, 2.51, 0.05)
	// The model has no latency, which is what the paper's HPC programs pay with.
	near("slowdown of HPC", hpc.Slowdown, 0.01, 0.10)
}

// TestLaws checks what holds for all: the ideal GPU costs nothing, a slower link
// never helps, more designs never lose capacity.
func TestLaws(t *testing.T) {
	for _, suite := range []string{"dl", "hpc"} {
		list, sum := run(t, suite, 150*unit.GBps, "ideal")
		if sum.Slowdown != 0 || sum.Ratio != 1 || sum.Overflow != 0 || sum.Buddy != 0 {
			t.Errorf("ideal: %+v", sum)
		}
		if n := len(list); n != map[string]int{"dl": 6, "hpc": 10}[suite] {
			t.Errorf("%d programs", n)
		}
		before := math.Inf(1)
		for _, gbps := range []unit.Bandwidth{16, 32, 50, 100, 150, 200, 450, 900} {
			_, sum := run(t, suite, gbps*unit.GBps, "per-allocation-16x")
			if sum.Slowdown > before {
				t.Errorf("%s: %.4f at %d GB/s, %.4f at less", suite, sum.Slowdown, gbps, before)
			}
			before = sum.Slowdown
		}
		_, plain := run(t, suite, 150*unit.GBps, "per-allocation")
		_, special := run(t, suite, 150*unit.GBps, "per-allocation-16x")
		if special.Ratio < plain.Ratio {
			t.Errorf("%s: 16x makes memory smaller", suite)
		}
	}
}

func TestNames(t *testing.T) {
	if _, err := Find("magic"); err == nil || !strings.Contains(err.Error(), `"magic"`) {
		t.Error(err)
	}
	if _, err := FindSuite("magic"); err == nil || !strings.Contains(err.Error(), `"magic"`) {
		t.Error(err)
	}
	s := Published()
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	s.Link = 2 * s.Memory
	if err := s.Validate(); err == nil {
		t.Error("a link faster than memory")
	}
}

func TestShares(t *testing.T) {
	for _, c := range kinds {
		h := c.histogram()
		if h.Entries != 1_000_000 {
			t.Errorf("%s: shares sum to %d", c.name, h.Entries)
		}
	}
	for _, s := range Suites() {
		for _, m := range s.members {
			var sum int64
			for _, x := range m.shares {
				sum += x
			}
			if sum != 100 {
				t.Errorf("%s: shares sum to %d", m.name, sum)
			}
		}
	}
}
