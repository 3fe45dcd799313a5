package train

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/ui/chart"
)

// paged is a result of three iterations in the block memory model.
func pagedResult() *result.Result {
	r := fake(4, 2, result.FaultHandling)
	first, last := r.Iterations[0], r.Iterations[0]
	first.Time *= 3
	first.Paging = &result.Paging{Faults: 900, Missed: 90, In: 100, Out: 100, GarbageOut: 50}
	last.Paging = &result.Paging{
		Faults: 12, Missed: 3, Late: 2, Prefetched: 40, Useless: 1, Dropped: 7, In: 3e9, Out: 1e9, GarbageIn: 1e9, GarbageOut: 0, Tables: 81920, Reserved: 5 * unit.GiB,
	}
	r.Iterations, r.Reported = []result.Iteration{first, last, last}, 2
	return r
}

// What systems count that move blocks, and those that swap tensors, is there, and
// only there; numbers by hand.
func TestMoved(t *testing.T) {
	l := New()
	s := standard()
	w := Workload{Workload: &workload.Workload{Batch: 1}}
	rep := reported(w, &s, pagedResult())
	want := map[string]float64{
		"page_faults": 12, "missed_blocks": 3, "late_blocks": 2, "prefetched_blocks": 40, "useless_blocks": 1, "dropped_blocks": 7,
		"alive_in_bytes": 2e9, "garbage_in_bytes": 1e9, "alive_out_bytes": 1e9, "garbage_out_bytes": 0, "garbage_percent": 25,
		"correlation_table_bytes": 81920, "reserved_bytes": float64(5 * unit.GiB),
	}
	for key, x := range want {
		if got := value(t, &l, rep, key); got != x {
			t.Errorf("%s is %v, want %v", key, got, x)
		}
	}
	curve := func(r *report.Report, id string) *report.Curve {
		if at := slices.IndexFunc(r.Curves, func(c report.Curve) bool { return c.Chart == id }); at >= 0 {
			return &r.Curves[at]
		}
		return nil
	}
	for id, y := range map[string][]float64{"warmup": {0.024, 0.008, 0.008}, "warmup_faults": {900, 12, 12}, "warmup_garbage": {25, 25, 25}} {
		if c := curve(rep, id); c == nil || !slices.Equal(c.X, []float64{1, 2, 3}) || !slices.Equal(c.Y, y) {
			t.Errorf("%s: %+v, want %v", id, c, y)
		}
	}
	swapped := fake(4, 2, result.Recomputation)
	swapped.Main().Swapping = &result.Swapping{Demand: 1, Early: 2, Late: 3, Forced: 4, Ahead: 5, Recomputed: 6, Reserved: 7 * unit.GiB, Fragmented: unit.GiB}
	other := reported(w, &s, swapped)
	for key, x := range map[string]float64{
		"demand_fetches": 1, "early_fetches": 2, "late_fetches": 3, "forced_evictions": 4, "early_evictions": 5, "recomputed_kernels": 6,
		"reserved_bytes": float64(7 * unit.GiB), "fragmented_bytes": float64(unit.GiB), "beyond_ideal_recomputation_s": 0.004,
	} {
		if got := value(t, &l, other, key); got != x {
			t.Errorf("%s is %v, want %v", key, got, x)
		}
		want[key] = x
	}
	// Nobody else has any of it, and no chart of it.
	plain := reported(w, &s, fake(4, 2, result.SSDRead))
	for key := range want {
		if _, ok := plain.Value(l.Quantity(key)); ok {
			t.Errorf("%s has a value where nothing counts it", key)
		}
	}
	if len(plain.Curves) != 3 || curve(other, "warmup_faults") != nil {
		t.Errorf("%d curves", len(plain.Curves))
	}
	uvm, err := l.System("uvm")
	if err != nil {
		t.Fatal(err)
	}
	c := &chart.Context{Info: &l.Info, Setup: l.Setup(), Variant: map[string]string{}}
	for _, x := range []struct {
		r    *report.Report
		rare bool
	}{{rep, true}, {plain, false}} {
		for _, v := range chart.Views(c, []chart.Run{{System: uvm, On: true, Report: x.r}}) {
			if rare := strings.HasPrefix(v.ID, "warmup") || v.ID == "garbage"; rare && (v.Absent == x.rare || (v.Figure != nil) != x.rare) || !rare && v.Absent {
				t.Errorf("%s: absent %t", v.ID, v.Absent)
			}
		}
	}
}
