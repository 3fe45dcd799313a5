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
	read := func(took unit.Time) {
		r.ReadLatency[bin(took)]++
		r.Longest = max(r.Longest, took)
	}
	only := 112340 * unit.Nanosecond
	read(only)
	for _, q := range []int64{1, 500, 990, 1000} {
		if got := r.ReadQuantile(q); got != only {
			t.Errorf("of one read %d of thousand take %v, it took %v", q, got, only)
		}
	}
	r = Result{}
	for i := range 1000 { // evenly from 10 to 19.99 µs
		read(10*unit.Microsecond + unit.Time(i)*10*unit.Nanosecond)
	}
	for _, q := range []int64{10, 250, 500, 750, 990, 1000} {
		want := 10*unit.Microsecond + unit.Time(q-1)*10*unit.Nanosecond
		if got := r.ReadQuantile(q); max(got-want, want-got) > 300*unit.Nanosecond || got > r.Longest {
			t.Errorf("%d of thousand take %v, want about %v", q, got, want)
		}
	}
	r = Result{}
	r.ReadLatency[20], r.ReadLatency[30] = 9, 1
	if got := r.ReadQuantile(990); got != bins[30] {
		t.Errorf("99 %% of ten reads take %v, which is less than one of them takes", got)
	}
}
