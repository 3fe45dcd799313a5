package spillway

import "testing"

// TestWithin: a recipe needs nothing that is switched off, and stays where nothing is.
func TestWithin(t *testing.T) {
	for bits := range 16 {
		u := parts{prices: bits&1 != 0, primal: bits&2 != 0, tiers: bits&4 != 0, ahead: bits&8 != 0}
		for r := range rules {
			for o := range orders {
				for _, b := range [][2]bool{{}, {true, false}, {false, true}, {true, true}} {
					x := recipe{rule: r, order: o, ahead: b[0], narrow: b[1]}
					got := u.within(x)
					byPrices := got.rule == byMargin || got.rule == bySteps || got.order == byPrice
					byPrimal := got.rule == byShare || got.rule == byShareAlone || got.order == byMix
					switch {
					case bits == 15 && got != x:
						t.Errorf("%+v becomes %+v, with all parts", x, got)
					case byPrices && !u.prices || got.rule == byShare && !u.prices, byPrimal && !u.primal, got.order < orders && !u.tiers, got.ahead && !u.ahead:
						t.Errorf("%+v becomes %+v, with %+v", x, got, u)
					case u.within(got) != got:
						t.Errorf("%+v becomes %+v and then %+v", x, got, u.within(got))
					}
				}
			}
		}
	}
}
