package bakery

import (
	"math"
	"testing"
)

// The invented laboratory is one that could be.
func TestBakery(t *testing.T) {
	l := New()
	p, err := l.Paper("crumb")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if r, _, err := l.Run(l.Setup(), "oven", nil, nil); err != nil || math.Abs(r.Values[0]-25) > 1e-9 {
		t.Errorf("%+v, %v", r, err)
	}
}
