package lab

import (
	"slices"

	"spillway/sim/report"
)

// A Floor names a system that is a proof of how fast any can be, the quantity that it bounds
// from below, and the quantity that says how many times as much another has. Where runs of
// the same settings are side by side and the floor is among them, each says so. All are
// empty in a laboratory without one.
type Floor struct{ System, Of, Headroom string }

// Related returns reports of the same settings, by system, each with its headroom if the
// floor is among them. Reports may be nil; those that are changed are copies.
func (l *Info) Related(systems []string, reports []*report.Report) []*report.Report {
	of, to, at := l.Quantity(l.Floor.Of), l.Quantity(l.Floor.Headroom), slices.Index(systems, l.Floor.System)
	if to < 0 || at < 0 || reports[at] == nil {
		return reports
	}
	least, ok := reports[at].Value(of)
	if !ok || least <= 0 {
		return reports
	}
	out := slices.Clone(reports)
	for i, r := range reports {
		if s, err := l.System(systems[i]); r == nil || i != at && (err != nil || s.Bound) {
			continue // what is ideal may well be below
		}
		if v, ok := r.Value(of); ok {
			x := *r
			x.Values = slices.Clone(r.Values)
			x.Values[to] = v / least
			out[i] = &x
		}
	}
	return out
}
