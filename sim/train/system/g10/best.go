package g10

import (
	"spillway/sim/train/published"
	"spillway/sim/train/quirk"
)

// best returns the best candidate: the one with most benefit, then weight.
func (s *planner) best() *period {
	changed := s.moot || s.shut || s.relief.lo < s.relief.hi || s.out.lo < s.out.hi || s.in.lo < s.in.hi
	if changed {
		s.shut = false
		s.refresh()
	}
	if s.quirks.Has(quirk.UnstableSort) {
		s.sort(changed)
		return &s.periods[s.order[0].Index]
	}
	first := int32(0)
	for _, i := range s.open {
		first = s.better(first, i)
	}
	if s.periods[first].benefit <= 0 {
		for i := range s.periods { // the others' benefit is 0
			first = s.better(first, int32(i))
		}
	}
	return &s.periods[first]
}

// better returns the better one of two periods.
func (s *planner) better(i, j int32) int32 {
	b, c := s.periods[i].benefit, s.periods[j].benefit
	if c > b || c == b && (s.weight[j] > s.weight[i] || s.weight[j] == s.weight[i] && j < i) {
		return j
	}
	return i
}

// sort orders the candidates. Where no benefit has changed since it last did,
// sorting only moves equal candidates about, and as what the sort compares is the
// same every time, so is where it moves them.
func (s *planner) sort(changed bool) {
	same := true
	if changed {
		for i := range s.order {
			k := &s.order[i]
			if b := s.periods[k.Index].benefit; k.Value != b {
				k.Value, same = b, false
			}
		}
	}
	switch {
	case !same:
		s.again = nil
		published.Sort(s.order, s.weight)
	case s.again == nil:
		s.was = append(s.was[:0], s.order...)
		published.Sort(s.order, s.weight)
		s.again = s.permutation(s.was)
	default:
		s.order, s.was = s.was, s.order
		for i, from := range s.again {
			s.order[i] = s.was[from]
		}
	}
}

// permutation returns where in was each candidate comes from, or nil if
// candidates that compare differently changed places.
func (s *planner) permutation(was []published.Key) []int32 {
	place := make([]int32, len(was))
	for i, k := range was {
		place[k.Index] = int32(i)
		if n := s.order[i]; n.Value != k.Value || k.Value != 0 && s.weight[n.Index] != s.weight[k.Index] {
			return nil
		}
	}
	from := make([]int32, len(was))
	for i, k := range s.order {
		from[i] = place[k.Index]
	}
	return from
}
