package serve

import "testing"

// TestDraws: chance moves what is drawn and nothing else; the band of every system has a reason.
func TestDraws(t *testing.T) {
	s := Standard()
	recipe := Recipe{Arrivals: Poisson, Requests: 500, Rate: 10_000, Input: Length{Mean: 500}, Output: Length{Mean: 50}}
	list, err := Draws(recipe, &s, 3, nil)
	if err != nil || len(list) != 3 {
		t.Fatal(len(list), err)
	}
	var first []int64
	for _, r := range list {
		first = append(first, int64(r.TTFT.Mean))
	}
	if Apart(first) == 0 || Apart(first) > 500 {
		t.Errorf("first tokens after %v: %d thousandths apart", first, Apart(first))
	}
	recipe.Arrivals = Burst
	if list, err = Draws(recipe, &s, 3, nil); err != nil || len(list) != 1 {
		t.Errorf("%d draws without chance, %v", len(list), err)
	}
	if got := Apart([]int64{90, 100, 110}); got != 200 {
		t.Errorf("%d thousandths apart, want 200", got)
	}
	for _, sys := range Systems() {
		s.System = sys.Key
		for _, e := range Engines() {
			s.Engine = e.Key
			if percent, why := s.Band(); percent < 5 || percent > 60 || why == "" {
				t.Errorf("%s, %s: %d %% %q", sys.Key, e.Key, percent, why)
			}
		}
	}
}
