package chart

import (
	"math"
	"slices"
	"strings"

	"spillway/sim/report"
)

// seeded says in a chart's help what its bands are.
const seeded = "The line at a bar's end, and what is pale along a curve, is from the lowest to the highest of three runs with other random numbers."

// band is from the lowest to the highest of what a run has and has with other random numbers; ok is
// false where nobody knows, or where all are the same.
func (r *Run) band(now float64, of func(*report.Report) (float64, bool)) (b span, ok bool) {
	b.add(now)
	for _, x := range r.Seeds {
		if !x.Fits {
			continue
		}
		if v, ok := of(x); ok {
			b.add(v)
		}
	}
	return b, b.low < b.high
}

// bandOf is that of what the chart shows of a run, in the unit that it is shown in.
func (d *drawing) bandOf(r *Run, qs []*report.Quantity, at []int) (span, bool) {
	if r.Stale {
		return span{}, false
	}
	now, has := d.sum(r.value, qs, at)
	if !has {
		return span{}, false
	}
	return r.band(now, func(x *report.Report) (float64, bool) { return d.sum(x.Value, qs, at) })
}

// spread draws the bands of bars.
func (d *drawing) spread(f *Figure, qs []*report.Quantity, at []int) {
	var list []float64
	for i, r := range d.runs {
		if b, ok := d.bandOf(r, qs, at); ok {
			list = append(list, float64(i), b.low, b.high)
		}
	}
	if len(list) > 0 {
		f.Bars.Band = f.add(list...)
		d.seeded()
	}
}

// overlap reports whether other random numbers may put b before a, or where a is.
func (d *drawing) overlap(a, b *Run, qs []*report.Quantity, at []int) bool {
	x, _ := d.bandOf(a, qs, at)
	y, _ := d.bandOf(b, qs, at)
	return len(a.Seeds) > 0 && len(b.Seeds) > 0 && x.any && y.any && x.low <= y.high && y.low <= x.high
}

func (d *drawing) seeded() {
	if !strings.Contains(d.view.Help, seeded) {
		d.view.Help = strings.TrimSpace(d.view.Help + " " + seeded)
	}
}

// along is the band of a curve at its own places: x, the lowest and the highest, as far as all runs
// with other random numbers have it.
func (d *drawing) along(r *Run, k int, xs, ys []float64) (list []float64) {
	var others []*report.Curve
	for _, x := range r.Seeds {
		if !x.Fits {
			continue
		}
		if cs := d.drawn(x); k < len(cs) && len(cs[k].X) > 0 {
			others = append(others, cs[k])
		}
	}
	if len(others) == 0 || r.Stale {
		return nil
	}
	from, to := math.Inf(-1), math.Inf(1)
	var at [][]float64
	for _, c := range others {
		px, _, _ := clean(c, d.chart.LogY)
		if len(px) == 0 {
			return nil
		}
		from, to = max(from, px[0]), min(to, px[len(px)-1])
		at = append(at, sampled(c, xs))
	}
	random := false
	for i, x := range xs {
		if x < from || x > to {
			continue
		}
		b := span{}
		b.add(ys[i])
		for _, o := range at {
			b.add(o[i])
		}
		random = random || b.low < b.high
		list = append(list, x, b.low, b.high)
	}
	if !random {
		return nil
	}
	return slices.Clip(list)
}
