package store

import (
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// later is a mix whose second client comes so much later.
func later(m Mix, by unit.Time) *ops.Trace {
	trace := m.Trace()
	trace.Ops[slices.IndexFunc(trace.Ops, func(o ops.Op) bool { return o.Client == 1 })].Think += by
	return trace
}

// TestMoreHardwareNeverHurts: a machine or a store with more or faster parts is not slower by more
// than it makes a difference when the second client comes. The mean over nine times of arrival
// counts, and the spread is of both. With prefetch as published it is no law: what holds its room
// is evicted in another order with every change.
func TestMoreHardwareNeverHurts(t *testing.T) {
	better := []struct {
		name string
		set  func(*Setup)
	}{
		{"a quarter more GPU memory", func(s *Setup) { s.GPU += s.GPU / 4 }},
		{"half the page tables", func(s *Setup) { s.Client /= 2 }},
		{"twice the link", func(s *Setup) { s.Link *= 2 }},
		{"allocation in half the time", func(s *Setup) { s.Alloc /= 2 }},
		{"free in half the time", func(s *Setup) { s.Free /= 2 }},
		{"calls in half the time", func(s *Setup) { s.IPC /= 2 }},
		{"evictions in half the time", func(s *Setup) { s.EvictFixed, s.EvictCopy = s.EvictFixed/2, s.EvictCopy/2 }},
		{"callback and copy at the same time", func(s *Setup) { s.Parallel = 1 }},
		{"a GPU for each client", func(s *Setup) { s.Shared = 0 }},
	}
	const arrivals = 9
	compared := 0
	for k, m := range Mixes() {
		for i, p := range all() {
			if !effort.Takes(k*len(all())+i, 8) {
				continue
			}
			for prefetch := range int64(2) {
				times := func(set func(*Setup)) (list []unit.Time) {
					for n := range unit.Time(arrivals) {
						s := m.Setup()
						s.Prefetch, s.Yields = prefetch, 1
						set(&s)
						r, err := Run(later(m, n*7*unit.Millisecond), s, p)
						if err != nil || !r.Fits() {
							t.Fatal(err, r.Failure)
						}
						list = append(list, r.Time)
					}
					return list
				}
				mean := func(list []unit.Time) (sum unit.Time) {
					for _, x := range list {
						sum += x
					}
					return sum / arrivals
				}
				before := times(func(*Setup) {})
				for _, x := range better {
					after := times(x.set)
					spread := max(slices.Max(before)-slices.Min(before), slices.Max(after)-slices.Min(after))
					if a, b := mean(before), mean(after); b > a+spread {
						t.Errorf("%s, %s, prefetch %d: with %s it takes %v, before %v, spread %v", m.Name, p.Name, prefetch, x.name, b, a, spread)
					}
					compared++
				}
			}
		}
	}
	t.Logf("%d comparisons", compared)
}
