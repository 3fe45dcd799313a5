package store

import (
	"sort"
	"testing"

	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// What tensors take of a memory is what is in use of it: in no interval of the run's own curves more
// than its most there, and at some moment the most of all.
func TestLives(t *testing.T) {
	l := New()
	for _, set := range []string{"", "workload=two-trainings", "workload=services"} {
		u := labtest.Setup(t, &l, set)
		for _, system := range []string{"lru", "size-aware", "oracle"} {
			h, err := l.Timeline(u, system, nil, lab.Window{}, nil)
			if err != nil {
				t.Fatal(set, system, err)
			}
			if err := h.Check(); err != nil || len(h.Lives) != 2 {
				t.Fatal(set, system, len(h.Lives), err)
			}
			for m := range h.Lives {
				lives, curve := &h.Lives[m], &h.Counters[m]
				var most, least, top int64
				for _, when := range lives.Begin { // memory is fullest when something comes
					sum, instant := int64(0), int64(0)
					for k := range lives.Begin {
						if lives.Begin[k] <= when && lives.End[k] >= when {
							instant += lives.Amount[k]
							if lives.End[k] > when {
								sum += lives.Amount[k]
							}
						}
					}
					at := sort.Search(len(curve.At), func(i int) bool { return curve.At[i] > when }) - 1
					if sum > curve.Value[at] {
						t.Fatalf("%q, %s, %s: at %d tensors have %d, the curve says %d at most", set, system, lives.Name, when, sum, curve.Value[at])
					}
					most, least = max(most, instant), max(least, sum)
				}
				for _, v := range curve.Value {
					top = max(top, v)
				}
				// One may come to the host in the moment in which another leaves it.
				if top < least || top > most || m == 0 && top != least {
					t.Errorf("%q, %s, %s: tensors have %d to %d at most, %d are in use", set, system, lives.Name, least, most, top)
				}
			}
		}
	}
}

// All policies do as many operations, by which two runs are linked.
func TestLinked(t *testing.T) {
	l := New()
	u := labtest.Setup(t, &l, "workload=services")
	labtest.Linked(t, &l, u, "operation", "lru", "size-aware", "oracle")
}
