package train

import (
	"reflect"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/workload"
	"spillway/ui/lab/train/papers/g10"
)

// The setup text of every published point runs, in the laboratory, exactly what
// the point is measured by.
func TestPublishedSetups(t *testing.T) {
	l := New()
	lists := knobs()
	for _, p := range g10.All() {
		pairs, err := knob.Pairs(p.Set)
		if err != nil {
			t.Fatal(err)
		}
		u := l.Setup()
		if err := u.Apply(pairs); err != nil {
			t.Fatalf("%s: %v", p.Set, err)
		}
		s := standard()
		for _, list := range lists {
			if err := knob.Fill(list, &s, u); err != nil {
				t.Fatalf("%s: %v", p.Set, err)
			}
		}
		q, err := s.request(p.System)
		want := p.Request()
		want.Machine.Name = q.Machine.Name
		if err != nil || !reflect.DeepEqual(q, want) || s.Model != p.Model || int(s.Batch) != p.Batch || workload.TimeSource(s.Times) != workload.ColdModel {
			t.Errorf("%s: runs %s, batch %d, %s, %+v (%v); want %+v", p.Set, s.Model, s.Batch, s.Times, q, err, want)
		}
	}
}
