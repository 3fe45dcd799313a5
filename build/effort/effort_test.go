package effort

import "testing"

// Every case has its turn, once in a round of commits, and all of them at night.
func TestTakes(t *testing.T) {
	const cases, every = 100, 8
	t.Setenv(Variable, "")
	var seen [cases]int
	for turn := range every {
		t.Setenv(Turn, string(rune('0'+turn)))
		for i := range cases {
			if Takes(i, every) {
				seen[i]++
			}
		}
	}
	for i, n := range seen {
		if n != 1 {
			t.Errorf("case %d is taken %d times in a round", i, n)
		}
	}
	t.Setenv(Variable, "nightly")
	for i := range cases {
		if !Takes(i, every) {
			t.Errorf("case %d is not taken at night", i)
		}
	}
}
