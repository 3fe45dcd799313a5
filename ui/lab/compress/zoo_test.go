package compress

import (
	"strings"
	"testing"

	"spillway/traces/zoo"
	"spillway/ui/lab/labtest"
)

// Networks in training hold what is alive at once, and the trap is visible: of what
// their kernels leave nothing but masks and indices reaches a target.
func TestNetworks(t *testing.T) {
	l := New()
	for i := range zoo.Models {
		m := &zoo.Models[i]
		u := labtest.Setup(t, &l, "contents="+m.ID)
		if u.Hidden("batch") {
			t.Errorf("%s has no batch size", m.ID)
		}
		for _, s := range l.Running() {
			r, raw, err := l.Run(u, s.Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			ratio, _ := r.Value(l.Quantity("ratio"))
			if !r.Fits || ratio < 1 || ratio > 1.01 || len(r.Caveats) == 0 || !strings.Contains(r.Caveats[0], "Dense floats do not compress") {
				t.Errorf("%s, %s: %.3f, %+v", m.ID, s.Name, ratio, r.Caveats)
			}
			if p := raw.(*result).Programs; len(p) != 1 || !strings.HasPrefix(p[0].Program, m.Title) {
				t.Errorf("%s: %d programs", m.ID, len(p))
			}
		}
		for _, s := range l.Sections {
			view := l.Setup()
			if v, err := l.Section(s.Key, view, u, "per-allocation-16x", nil, nil); err != nil || v == nil {
				t.Errorf("%s, section %s: %v", m.ID, s.Key, err)
			}
		}
	}
	if u := labtest.Setup(t, &l, "contents=alexnet"); !u.Hidden("batch") {
		t.Error("AlexNet has a batch size that changes nothing")
	}
	r, _, err := l.Run(labtest.Setup(t, &l, "contents=resnet-152 batch=32"), "ideal", nil, nil)
	if err != nil || !strings.Contains(strings.Join(r.Notes, " "), "zeros of a ReLU") {
		t.Errorf("%+v, %v", r, err)
	}
}
