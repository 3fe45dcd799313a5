package filesys

import (
	"math"
	"testing"

	"spillway/sim/unit"
)

// TestBins: a latency is below the limit of its bin and not below that of the one before.
func TestBins(t *testing.T) {
	for i, limit := range bins {
		if want := 1000 * math.Exp2(float64(i)/4); math.Abs(float64(limit)/want-1) > 0.001 {
			t.Errorf("limit %d is %d ps; want %.0f", i, limit, want)
		}
	}
	for at := unit.Time(0); at < 1<<50; at += at/7 + 1 {
		i := bin(at)
		if at >= bins[i] && i < len(bins)-1 || i > 0 && at < bins[i-1] {
			t.Errorf("%d ps is in bin %d, of %d ps", at, i, bins[i])
		}
	}
	if got := bin(math.MaxInt64); got != len(bins)-1 {
		t.Errorf("the longest time is in bin %d", got)
	}
}

func TestReadQuantile(t *testing.T) {
	var r Result
	if got := r.ReadQuantile(990); got != 0 {
		t.Errorf("without reads: %v", got)
	}
	for range 989 {
		r.ReadLatency[bin(10*unit.Microsecond)]++
	}
	for range 11 {
		r.ReadLatency[bin(unit.Millisecond)]++
	}
	if got := r.ReadQuantile(500); got < 10*unit.Microsecond || got > 12*unit.Microsecond {
		t.Errorf("the median is %v", got)
	}
	if got := r.ReadQuantile(990); got < unit.Millisecond || got > 1200*unit.Microsecond {
		t.Errorf("one of a hundred takes %v", got)
	}
	r = Result{}
	r.ReadLatency[20], r.ReadLatency[30] = 9, 1
	if got := r.ReadQuantile(990); got != bins[30] {
		t.Errorf("99 %% of ten reads take %v, which is less than one of them takes", got)
	}
}
