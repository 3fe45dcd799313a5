package g10

import (
	"slices"

	"spillway/sim/study"
	"spillway/sim/train/result"
)

// What follows is how spillway verify asks, until it sees nothing but study.Paper.

// Status is the verdict on one point.
type Status = study.Status

// The verdicts on points.
const (
	Exact  = study.Exact
	Within = study.Within
	Gap    = study.Gap
)

// A Row compares one point.
type Row struct {
	Point
	OursFits bool
	Ours     float64
	Diff     float64 // ours/published − 1
	Status   study.Status
}

// String formats the row for tables.
func (r *Row) String() string {
	s := study.Row{Point: &r.Point.Point, Ours: r.Ours, Diff: r.Diff, Status: r.Status}
	return s.String()
}

// Compare judges r, the result of p's request, against p.
func Compare(p Point, r *result.Result) Row {
	q := study.Paper{Points: []study.Point{p.Point}, Tolerance: Tolerance, Why: why}
	o := study.Outcome{Run: p.Run(), Fits: r.Fits, Reason: r.Reason}
	if r.Fits {
		o.Values = measure(q.Points, nil, r)
	}
	rows, err := q.Rows(study.AllClaims, []study.Outcome{o})
	if err != nil {
		panic(err)
	}
	return Row{p, rows[0].OursFits, rows[0].Ours, rows[0].Diff, rows[0].Status}
}

// Unexpected returns the gaps that nobody has explained.
func Unexpected(rows []Row) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Status != Gap || explained[r.Run()] != "" })
}

// A Look finds the value of a point, published or ours.
type Look func(p *Point) (value float64, fits, known bool)

// AsPublished looks a point up in the paper's artifact.
func AsPublished(p *Point) (value float64, fits, known bool) { return p.Value, p.Fits, true }

// A Claim is a number that the text of the paper states.
type Claim struct{ study.Claim }

// Claims returns the numbers that the paper's text states about the figures.
func Claims() []Claim {
	var cs []Claim
	for _, c := range claims(All()) {
		cs = append(cs, Claim{c})
	}
	return cs
}

// Value computes the claim from the values that look finds.
func (c *Claim) Value(points []Point, look Look) (value float64, known bool) {
	return c.Claim.Value(func(x *study.Point) (value float64, fits, known bool) {
		for i := range points {
			if points[i].Point == *x {
				return look(&points[i])
			}
		}
		return 0, false, false
	}, func(string) *study.Outcome { return nil })
}
