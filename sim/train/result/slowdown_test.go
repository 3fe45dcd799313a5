package result

import (
	"slices"
	"testing"
)

func TestSlowdowns(t *testing.T) {
	r := &Result{Kernels: []Kernel{{Start: 0, End: 9, Ideal: 3}, {Start: 9, End: 10}, {Start: 10, End: 14, Ideal: 4}, {Start: 14, End: 18, Ideal: 2}}}
	xs := Slowdowns(r)
	if want := []float64{1, 2, 3}; !slices.Equal(xs, want) {
		t.Errorf("slowdowns %v, want %v: a kernel without time has none", xs, want)
	}
	for _, tt := range []struct{ q, want float64 }{{0, 1}, {0.24, 1}, {0.25, 2}, {0.5, 2}, {0.75, 3}, {1, 3}} {
		if got := Quantile(xs, tt.q); got != tt.want {
			t.Errorf("quantile %v is %v, want %v", tt.q, got, tt.want)
		}
	}
	if got := Quantile(nil, 0.5); got != 0 {
		t.Errorf("a quantile of nothing is %v", got)
	}
}
