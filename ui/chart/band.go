package chart

import (
	"slices"
	"strings"

	"spillway/sim/report"
)

// seeded says in a chart's help what its bands are.
const seeded = "The line at a bar's end, and what is pale along a curve, is from the lowest to the highest of three runs with other random numbers."

// bandOf is from the lowest to the highest of what the chart shows of a run, in its unit, and of what
// it is with other random numbers.
func (d *drawing) bandOf(r *Run, qs []*report.Quantity, at []int) (b span) {
	now, ok := d.sum(r.value, qs, at)
	if !ok || r.Stale || len(r.Seeds) == 0 {
		return b
	}
	b.add(now)
	for _, x := range r.Seeds {
		if v, ok := d.sum(x.Value, qs, at); ok && x.Fits {
			b.add(v)
		}
	}
	return b
}

// over reports whether spans have something in common.
func (s span) over(o span) bool { return s.any && o.any && s.low <= o.high && o.low <= s.high }

// spread draws the bands of bars.
func (d *drawing) spread(f *Figure, qs []*report.Quantity, at []int) {
	var list []float64
	for i, r := range d.runs {
		if b := d.bandOf(r, qs, at); b.low < b.high {
			list = append(list, float64(i), b.low, b.high)
		}
	}
	if len(list) > 0 {
		f.Bars.Band = f.add(list...)
		d.seeded()
	}
}

func (d *drawing) seeded() {
	if !strings.Contains(d.view.Help, seeded) {
		d.view.Help = strings.TrimSpace(d.view.Help + " " + seeded)
	}
}

// along is the band of a curve at its own places: x, the lowest and the highest, as far as all runs
// with other random numbers have it.
func (d *drawing) along(r *Run, k int, xs, ys []float64) (list []float64) {
	low, high, n := slices.Clone(ys), slices.Clone(ys), len(xs)
	if r.Stale {
		return nil
	}
	for _, x := range r.Seeds {
		cs := d.drawn(x)
		if k >= len(cs) || len(cs[k].X) == 0 {
			return nil
		}
		first, last := cs[k].X[0], cs[k].X[len(cs[k].X)-1]
		for i, y := range sampled(cs[k], xs[:n]) {
			switch {
			case xs[i] > last:
				n = min(n, i)
			case xs[i] >= first:
				low[i], high[i] = min(low[i], y), max(high[i], y)
			}
		}
	}
	if slices.Equal(low[:n], high[:n]) {
		return nil
	}
	for i := range n {
		list = append(list, xs[i], low[i], high[i])
	}
	return list
}
