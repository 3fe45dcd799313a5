package ravenstore

import (
	"fmt"
	"testing"

	"spillway/sim/store"
	"spillway/sim/unit"
)

// String returns the place in the report.
func (p Point) String() string {
	if p.Table == 1 {
		return fmt.Sprintf("Table 1, %s, %d pairs", p.System, p.Count)
	}
	return fmt.Sprintf("Table 2, %d MB, eviction %t", p.Bytes/unit.MB, p.Eviction)
}

// Run plays what was measured and returns its time.
func (p Point) Run() (unit.Time, error) {
	s := store.Published()
	if p.System == "cuda" {
		s = store.Native()
	}
	t := Pairs(p.Count, p.Bytes)
	if p.Table == 2 {
		s.Start = 0 // measured later in the process
		s.GPU = 2*s.Client + p.Bytes
		t = Allocation(p.Bytes, p.Eviction)
	}
	r, err := store.Run(t, s, store.Policies()[0])
	switch {
	case err != nil:
		return 0, err
	case !r.Fits():
		return 0, fmt.Errorf("%v: %v", p, r.Failure)
	}
	last := &r.Clients[len(r.Clients)-1]
	return last.End - last.Parts[store.Away], nil
}

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
