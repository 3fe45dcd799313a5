package exec

import (
	"testing"

	"spillway/sim/study"
)

// A run is found by its name also where other runs have all its settings and more, and by the
// settings of an earlier version's name where one run alone has them.
func TestCalledByNameBeforeSettings(t *testing.T) {
	runs := []study.Run{{Name: "a x=1 drives=1"}, {Name: "a x=1 drives=2"}, {Name: "a x=1"}, {Name: "a x=2 drives=1"}}
	for name, want := range map[string]int{"a x=1": 2, "a x=1 drives=2": 1, "a x=2": 3, "a drives=1": -1, "a x=3": -1, "b x=1": -1, "": -1} {
		if got := called(runs, name); got != want {
			t.Errorf("%q is run %d, want %d", name, got, want)
		}
	}
}
