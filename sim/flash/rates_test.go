package flash

import (
	"math"
	"testing"

	"spillway/sim/sustained"
	"spillway/sim/unit"
)

// patterns are what a host may do to a drive, from one small place to all of it.
func patterns() (list []Pattern) {
	for _, use := range []int64{1, 500, 1000} {
		for _, request := range []unit.Bytes{unit.Page, 640 * unit.KiB, 64 * unit.MiB, unit.GiB} {
			for _, hot := range []int64{1, 30, 1000} {
				for _, reads := range []int64{0, 1, 500, 1000} {
					list = append(list, Pattern{Utilization: use, Request: request, Hot: hot, HotWrites: 1000, Cyclic: true, Reads: reads})
				}
			}
		}
	}
	return list
}

// Whatever the host does, no drive is faster than its planes, channels and link: what a proof may
// rest on.
func TestNeverMoreThanMost(t *testing.T) {
	for _, d := range Drives() {
		read, write := d.Spec.Most()
		t.Logf("%s: at most %v and %v", d.Key, read, write)
		for i, p := range patterns() {
			if testing.Short() && i%7 != 0 {
				continue
			}
			m := simulate(t, d.Spec, p)
			if max(m.Read, m.MixedRead) > read || max(m.Write, m.MixedWrite) > write {
				t.Errorf("%s under %+v: %+v; at most %v and %v", d.Key, p, m, read, write)
			}
		}
	}
}

// One drive has one rate: what a simulated drive writes in turn for long is what the part of the
// same name sustains.
func TestOneRate(t *testing.T) {
	for _, d := range Drives() {
		known, ok := sustained.FindDrive(d.Key)
		want := d.Sheet.Write
		if ok {
			want = known.Write
		}
		m := simulate(t, d.Spec, Pattern{Utilization: 1000, Request: 64 * unit.MiB, Hot: 30, HotWrites: 1000, Cyclic: true, Reads: 500})
		t.Logf("%s: %v, elsewhere %v", d.Key, m.Write, want)
		if math.Abs(off(m.Write, want)) > 3 {
			t.Errorf("%s: simulated it writes %v, elsewhere %v", d.Key, m.Write, want)
		}
	}
}
