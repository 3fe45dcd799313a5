package g10

import (
	"reflect"
	"testing"

	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
)

// TestMatchesNaive compares plans with those of the planner that recomputes
// everything in every round.
func TestMatchesNaive(t *testing.T) {
	rounds, moves := 0, 0
	for seed := range uint64(600) {
		for _, v := range []variant{{host: true}, {direct: true}, {host: true, direct: true}} {
			w, m, o := random(seed)
			got, err := v.plan(w, m, o)
			if err != nil {
				t.Fatalf("seed %d, %+v: %v", seed, v, err)
			}
			want := naivePlan(v, w, m, o)
			if got.Rounds != want.Rounds {
				t.Fatalf("seed %d, %+v: %d rounds, want %d", seed, v, got.Rounds, want.Rounds)
			}
			if !reflect.DeepEqual(got.Ops, want.Ops) {
				t.Fatalf("seed %d, %+v: plans differ\n got %v\nwant %v", seed, v, got.Ops, want.Ops)
			}
			rounds += got.Rounds
			for _, op := range got.Ops {
				if op.Kind == program.Evict {
					moves++
				}
			}
		}
	}
	if rounds < 10000 || moves < 3000 {
		t.Errorf("the random workloads exercise little: %d rounds, %d moves", rounds, moves)
	}
}

// TestBenefitsAreCurrent checks, for every quirk setting, that benefits kept
// from round to round are those of a planner that knows nothing yet.
func TestBenefitsAreCurrent(t *testing.T) {
	sets := []quirk.Set{quirk.Published(), quirk.Corrected(), quirk.WrapSlip, quirk.WeightsIgnoreLanes, quirk.ZeroBenefit, quirk.Published() &^ quirk.SSDBenefit}
	for seed := range uint64(150) {
		w, m, o := random(seed)
		o.Quirks = sets[seed%uint64(len(sets))]
		s := newPlanner(variant{host: true}, w, m, o, nil)
		s.allocate()
		for s.rounds < len(s.periods) && s.round() {
			s.refresh()
			kept := make([]period, len(s.periods))
			copy(kept, s.periods)
			for i := range s.periods {
				if c := &s.periods[i]; c.state < settled {
					c.gone, c.back, c.benefit, c.state = -1, -1, -1, open
					for i := machine.SSD; i <= machine.Host; i++ {
						if x := &c.ways[i]; !x.shut {
							x.gone, x.back = -1, -1
						}
					}
				}
			}
			s.relief.lo, s.relief.hi = 0, s.n
			s.open = everyPeriod(s)
			s.refresh()
			for i := range kept {
				if kept[i].state == spent { // when its transfers would be, nobody asks any more
					kept[i].gone, kept[i].back, kept[i].to, kept[i].ways = s.periods[i].gone, s.periods[i].back, s.periods[i].to, s.periods[i].ways
				}
				if kept[i] != s.periods[i] {
					t.Fatalf("seed %d, quirks %v, round %d, period %d: kept %+v, recomputed %+v",
						seed, o.Quirks, s.rounds, i, kept[i], s.periods[i])
				}
			}
		}
	}
}

func everyPeriod(s *planner) (all []int32) {
	for i := range s.periods {
		all = append(all, int32(i))
	}
	return all
}
