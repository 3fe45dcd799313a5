package timeline

import (
	"cmp"
	"fmt"
	"slices"
)

// Lives are what objects take of a memory over time: life i takes Amount[i] from Begin[i] up to
// End[i]. They are in order of Begin. Drawn from Y[i] on, none covers another; that is no address.
type Lives struct {
	Group      int32
	Name, Unit string
	High       int64 // how high they stand together
	Begin, End []int64
	Ref        []int32 // object, -1 of what is nobody's
	Cat        []uint8
	Amount, Y  []int64
}

// Lives begins lives of the last group and returns their number.
func (r *Recorder) Lives(name, unit string) int {
	r.t.Lives = append(r.t.Lives, Lives{Group: int32(len(r.t.Groups) - 1), Name: name, Unit: unit})
	return len(r.t.Lives) - 1
}

// Live adds a life, in any order. What takes no time or nothing is none.
func (r *Recorder) Live(lives int, s Slice) {
	s.Begin, s.End = max(0, s.Begin), min(s.End, r.t.End)
	if s.Begin >= s.End || s.Amount <= 0 {
		return
	}
	l := &r.t.Lives[lives]
	l.Begin, l.End, l.Ref, l.Cat, l.Amount = append(l.Begin, s.Begin), append(l.End, s.End), append(l.Ref, s.Ref), append(l.Cat, s.Cat), append(l.Amount, s.Amount)
}

// A gap is room that nothing takes.
type gap struct{ y, size int64 }

// pack orders lives, of those that begin together the longer first, and gives each the smallest
// gap that it fits into, the lowest of equal ones.
func (l *Lives) pack() {
	order := make([]int, len(l.Begin))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int {
		return cmp.Or(cmp.Compare(l.Begin[i], l.Begin[k]), cmp.Compare(l.End[k], l.End[i]))
	})
	l.Begin, l.End, l.Amount = by(order, l.Begin), by(order, l.End), by(order, l.Amount)
	l.Ref, l.Cat = by(order, l.Ref), by(order, l.Cat)
	l.Y = make([]int64, len(order))
	ends := make([]int, len(order))
	for i := range ends {
		ends[i] = i
	}
	slices.SortStableFunc(ends, func(i, k int) int { return cmp.Compare(l.End[i], l.End[k]) })
	var gaps []gap
	l.High = 0
	for i, begin := range l.Begin {
		for ; l.End[ends[0]] <= begin; ends = ends[1:] {
			gaps = give(gaps, gap{l.Y[ends[0]], l.Amount[ends[0]]})
		}
		best := -1
		for n := range gaps {
			if gaps[n].size >= l.Amount[i] && (best < 0 || gaps[n].size < gaps[best].size) {
				best = n
			}
		}
		if best < 0 { // on top, where the highest gap is open
			l.Y[i] = l.High
			if n := len(gaps) - 1; n >= 0 && gaps[n].y+gaps[n].size == l.High {
				l.Y[i] = gaps[n].y
				gaps = gaps[:n]
			}
			l.High = l.Y[i] + l.Amount[i]
			continue
		}
		g := &gaps[best]
		l.Y[i] = g.y
		if g.y, g.size = g.y+l.Amount[i], g.size-l.Amount[i]; g.size == 0 {
			gaps = slices.Delete(gaps, best, best+1)
		}
	}
}

// by puts a column in order.
func by[T any](order []int, of []T) []T {
	list := make([]T, len(of))
	for i, k := range order {
		list[i] = of[k]
	}
	return list
}

// give puts a gap between others and joins those that touch.
func give(gaps []gap, g gap) []gap {
	i, _ := slices.BinarySearchFunc(gaps, g.y, func(x gap, y int64) int { return cmp.Compare(x.y, y) })
	if i < len(gaps) && g.y+g.size == gaps[i].y {
		gaps[i].y, gaps[i].size = g.y, gaps[i].size+g.size
	} else {
		gaps = slices.Insert(gaps, i, g)
	}
	if i > 0 && gaps[i-1].y+gaps[i-1].size == gaps[i].y {
		gaps[i-1].size += gaps[i].size
		gaps = slices.Delete(gaps, i, i+1)
	}
	return gaps
}

// check says what contradicts.
func (l *Lives) check(t *Timeline) error {
	n := len(l.Begin)
	for _, m := range []int{len(l.End), len(l.Ref), len(l.Cat), len(l.Amount), len(l.Y)} {
		if m != n {
			return fmt.Errorf("columns of %d and %d", n, m)
		}
	}
	for i := range n {
		if l.Begin[i] < 0 || l.End[i] <= l.Begin[i] || l.End[i] > t.End || i > 0 && l.Begin[i] < l.Begin[i-1] || l.Amount[i] <= 0 || l.Y[i] < 0 || l.Y[i]+l.Amount[i] > l.High {
			return fmt.Errorf("life %d from %d to %d, %d at %d of %d", i, l.Begin[i], l.End[i], l.Amount[i], l.Y[i], l.High)
		}
		if int(l.Ref[i]) >= len(t.Objects) || int(l.Cat[i]) >= len(t.Cats) || int(l.Group) >= len(t.Groups) {
			return fmt.Errorf("life %d is of what is not there", i)
		}
	}
	return nil
}

// placed is where the lives of a side are in a picture.
func (l *Lives) placed(s *Side) Lives {
	y := *l
	y.Begin, y.End, y.Ref, y.Cat = make([]int64, len(l.Begin)), make([]int64, len(l.End)), slices.Clone(l.Ref), slices.Clone(l.Cat)
	for i := range l.Begin {
		y.Begin[i], y.End[i] = s.place(l.Begin[i], false), s.place(l.End[i], true)
	}
	return y
}
