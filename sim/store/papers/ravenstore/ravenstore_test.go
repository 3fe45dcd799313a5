package ravenstore

import (
	"testing"

	"spillway/sim/store"
	"spillway/sim/unit"
)

// TestPublished runs all points. Table 2 defines the parameters it is compared
// with, see the package comment.
func TestPublished(t *testing.T) {
	points := Points()
	if len(points) != 12 {
		t.Fatalf("%d points, want 12", len(points))
	}
	for _, p := range points {
		got, err := p.Run()
		if err != nil {
			t.Fatal(err)
		}
		off := 1000 * float64(got-p.Value) / float64(p.Value)
		t.Logf("%-32v published %10v, ours %10v, %+.1f %%", p, p.Value, got, off/10)
		if off > float64(p.Tolerance()) || -off > float64(p.Tolerance()) {
			t.Errorf("%v: got %v, published %v: off by %.1f thousandths, more than %d", p, got, p.Value, off, p.Tolerance())
		}
	}
}

// TestRatio holds the report's sentence on Table 1: slower by a factor of 1.6.
func TestRatio(t *testing.T) {
	run := func(system string) unit.Time {
		d, err := Point{Table: 1, System: system, Count: 1000, Bytes: 128}.Run()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if ratio := unit.MulDiv(int64(run("ravenstore")), 100, int64(run("cuda"))); ratio < 155 || ratio > 165 {
		t.Errorf("the ratio is %d hundredths, want 160", ratio)
	}
}

// TestPause shows why the pause after evictions is off: it is fifteen times the
// eviction it follows.
func TestPause(t *testing.T) {
	s := store.Published()
	s.GPU, s.Pause = 2*s.Client+16*unit.MB, 100*unit.Millisecond
	r, err := store.Run(Allocation(16*unit.MB, true), s, store.Policies()[0])
	if err != nil || !r.Fits() {
		t.Fatal(err, r)
	}
	p := &r.Clients[1].Parts
	if p[store.WaitPause] < 15*p[store.WaitEvict] {
		t.Errorf("pause %v, eviction %v", p[store.WaitPause], p[store.WaitEvict])
	}
}
