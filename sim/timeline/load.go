package timeline

import (
	"slices"
	"sort"
)

// A Load is how many slices of some tracks last at the same time, summed over time.
type Load struct {
	at       []int64 // moments at which one begins or ends, in order
	all, any []int64 // ticks before each: of all slices, and in which there is one
	count    []int64 // from each on
}

// Load sums slices of tracks from one up to another, those whose category is accepts.
func (t *Timeline) Load(first, last int, is func(cat uint8) bool) *Load {
	var edges []int64 // twice a moment, and one more where a slice begins: plain numbers are sorted quickest
	for n := first; n < last; n++ {
		x := &t.Tracks[n]
		for i, c := range x.Cat {
			if is(c) {
				edges = append(edges, 2*x.Begin[i]+1, 2*x.End[i])
			}
		}
	}
	slices.Sort(edges)
	l := &Load{}
	var all, some, count, now int64
	for i, e := range edges {
		at := e >> 1
		if i > 0 {
			took := at - now
			all += count * took
			if count > 0 {
				some += took
			}
		}
		now = at
		count += 2*(e&1) - 1
		if n := len(l.at) - 1; n >= 0 && l.at[n] == at {
			l.count[n] = count
			continue
		}
		l.at, l.all, l.any, l.count = append(l.at, at), append(l.all, all), append(l.any, some), append(l.count, count)
	}
	return l
}

// before are the sums before a moment.
func (l *Load) before(t int64) (all, some int64) {
	i := sort.Search(len(l.at), func(i int) bool { return l.at[i] > t }) - 1
	if i < 0 {
		return 0, 0
	}
	took := t - l.at[i]
	return l.all[i] + l.count[i]*took, l.any[i] + min(l.count[i], 1)*took
}

// Within is how long slices last in a part of the run, summed, and how long there is at least one.
func (l *Load) Within(from, to int64) (all, some int64) {
	a, s := l.before(to)
	b, r := l.before(from)
	return a - b, s - r
}
