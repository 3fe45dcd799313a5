package latency

import (
	"math"
	"testing"

	"spillway/sim/unit"
)

// TestSteps: a latency is below the limit of its step and not below that of the one before.
func TestSteps(t *testing.T) {
	for i, limit := range steps {
		if want := 1000 * math.Exp2(float64(i)/4); math.Abs(float64(limit)/want-1) > 0.001 {
			t.Errorf("limit %d is %d ps; want %.0f", i, limit, want)
		}
	}
	for at := unit.Time(0); at < 1<<50; at += at/7 + 1 {
		i := step(at)
		if at >= steps[i] && i < len(steps)-1 || i > 0 && at < steps[i-1] {
			t.Errorf("%d ps is in step %d, of %d ps", at, i, steps[i])
		}
	}
	if got := step(math.MaxInt64); got != len(steps)-1 {
		t.Errorf("the longest time is in step %d", got)
	}
}

func TestQuantile(t *testing.T) {
	var r Counts
	longest := unit.Time(0)
	if got := r.Quantile(990, longest); got != 0 {
		t.Errorf("without reads: %v", got)
	}
	read := func(took unit.Time) {
		r.Add(took)
		longest = max(longest, took)
	}
	only := 112340 * unit.Nanosecond
	read(only)
	for _, q := range []int64{1, 500, 990, 1000} {
		if got := r.Quantile(q, longest); got != only {
			t.Errorf("of one read %d of thousand take %v, it took %v", q, got, only)
		}
	}
	r, longest = Counts{}, 0
	for i := range 1000 { // evenly from 10 to 19.99 µs
		read(10*unit.Microsecond + unit.Time(i)*10*unit.Nanosecond)
	}
	for _, q := range []int64{10, 250, 500, 750, 990, 1000} {
		want := 10*unit.Microsecond + unit.Time(q-1)*10*unit.Nanosecond
		if got := r.Quantile(q, longest); max(got-want, want-got) > 300*unit.Nanosecond || got > longest {
			t.Errorf("%d of thousand take %v, want about %v", q, got, want)
		}
	}
	r, longest = Counts{}, 0
	r[20], r[30] = 9, 1
	if got := r.Quantile(990, longest); got != steps[30] {
		t.Errorf("99 %% of ten reads take %v, which is less than one of them takes", got)
	}
}
