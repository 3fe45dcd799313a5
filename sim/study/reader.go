package study

import (
	"fmt"
	"math"

	"spillway/sim/report"
)

// Values finds a value of a run's report by the key of its quantity; false where there is
// none.
type Values func(key string) (float64, bool)

// A Reader takes from runs what a paper publishes. W is what a simulator runs, R what it
// returns; a paper without one publishes quantities of reports.
type Reader[W, R any] struct {
	// Measure takes from a run what its points publish, a value a point: from its report, or
	// from the result. nil takes the report's quantity of that key.
	Measure func(points []Point, values Values, r R) []float64
	// Curves takes from a run what figures draw besides points; may be nil.
	Curves func(points []Point, r R) []report.Curve
	// Analyze computes an analysis of a workload; nil if no figure has one.
	Analyze func(run string, w W) (*Outcome, error)
}

// Outcome takes from a run of a system what p needs of it. values finds values of its
// report r.
func (x *Reader[W, R]) Outcome(p *Paper, run string, r *report.Report, values Values, result R) (*Outcome, error) {
	points := p.Of(run)
	if len(points) == 0 {
		return nil, fmt.Errorf("%s has no run %q", p.Key, run)
	}
	o := &Outcome{Run: run, Fits: r.Fits, Reason: r.Reason}
	if !r.Fits {
		return o, nil
	}
	if x.Measure != nil {
		o.Values = x.Measure(points, values, result)
	} else {
		for i := range points {
			v, ok := values(points[i].Quantity)
			if !ok {
				v = math.NaN()
			}
			o.Values = append(o.Values, v)
		}
	}
	if len(o.Values) != len(points) {
		return nil, fmt.Errorf("%s: %d values of the run %q with %d points", p.Key, len(o.Values), run, len(points))
	}
	if x.Curves != nil {
		o.Curves = x.Curves(points, result)
	}
	return o, nil
}
