package g10

import (
	"slices"

	"spillway/sim/study"
	"spillway/sim/train/result"
)

// What follows is how page, workers and command asked before they saw nothing
// but study.Paper.

// Of returns the points of the run with this name, in the order of All.
func Of(run string) []Point {
	return slices.DeleteFunc(All(), func(p Point) bool { return p.Run() != run })
}

// An Outcome is what one simulation says about the points that share it.
type Outcome struct {
	Run    string // as Point.Run
	Fits   bool
	Reason string    // why not
	Values []float64 // by point, in the order of Of(Run); empty if it does not fit
	// Curve holds, for a run of Figure 13, the slowdowns of the worst quarter
	// of the kernels: the quantiles from 0.75 to 1 in equal steps.
	Curve []float64
}

// Measure extracts from r, the result of the run that points share, what they
// publish.
func Measure(points []Point, r *result.Result) *Outcome {
	o := &Outcome{Run: points[0].Run(), Fits: r.Fits, Reason: r.Reason}
	if !r.Fits {
		return o
	}
	o.Values = measure(generic(points), nil, r)
	if slices.ContainsFunc(points, func(p Point) bool { return p.Figure == "13" }) {
		o.Curve = worst(r)
	}
	return o
}

func generic(points []Point) []study.Point {
	out := make([]study.Point, len(points))
	for i := range points {
		out[i] = points[i].Point
	}
	return out
}

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
	Why      string // what explains a difference
}

// String formats the row for tables.
func (r *Row) String() string {
	s := study.Row{Point: &r.Point.Point, Ours: r.Ours, Diff: r.Diff, Status: r.Status}
	return s.String()
}

// Compare judges r, the result of p's request, against p.
func Compare(p Point, r *result.Result) Row {
	return Measure([]Point{p}, r).Rows([]Point{p}, false)[0]
}

// Rows compares the outcome with the points of its run.
func (o *Outcome) Rows(points []Point, reconstructed bool) []Row {
	p := &study.Paper{
		Points: generic(points), Sums: [][]string{{"compute", "overlap", "stall"}, {"ssd_in", "ssd_out", "host_in", "host_out"}},
		Tolerance: Tolerance, Rebuilt: Rebuilt, Standing: "reconstruction: modelled kernel times", Cannot: "does not fit", Why: why,
	}
	judged, err := p.Rows(study.AllClaims, []study.Outcome{{Run: o.Run, Fits: o.Fits, Reason: o.Reason, Values: o.Values, Rebuilt: reconstructed}})
	if err != nil {
		panic(err)
	}
	rows := make([]Row, len(points))
	for i := range rows {
		j := &judged[i]
		rows[i] = Row{points[i], j.OursFits, j.Ours, j.Diff, j.Status, j.Why}
	}
	return rows
}

// Unexpected returns the gaps that nobody has explained.
func Unexpected(rows []Row) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Status != Gap || explained[r.Run()] != "" })
}

// Reconstruction is Rebuilt.
const Reconstruction = Rebuilt

// A Look finds the value of a point, published or ours.
type Look func(p *Point) (value float64, fits, known bool)

// AsPublished looks a point up in the paper's artifact.
func AsPublished(p *Point) (value float64, fits, known bool) { return p.Value, p.Fits, true }

// in asks look for one of points.
func (look Look) in(points []Point) study.Look {
	return func(x *study.Point) (value float64, fits, known bool) {
		for i := range points {
			if points[i].Point == *x {
				return look(&points[i])
			}
		}
		return 0, false, false
	}
}

// A Mark is one place in a drawn figure.
type Mark = study.Mark

// A Kind says how a figure is drawn.
type Kind uint8

// The kinds of figure.
const (
	Bars Kind = iota
	Stacks
	Lines
	Curves
	Shares
	Lengths
	Sizes
)

// A Figure is one figure of the paper.
type Figure struct {
	study.Figure
	Kind Kind
}

// Figures returns the reproduced figures in the order of the paper.
func Figures() []Figure {
	kinds := map[string]Kind{"2": Shares, "3": Lengths, "4": Sizes}
	var fs []Figure
	for _, f := range figures(All()) {
		k, ok := kinds[f.ID]
		if !ok {
			k = Kind(f.Kind)
		}
		fs = append(fs, Figure{f, k})
	}
	return fs
}

// FindFigure returns the figure with this ID.
func FindFigure(id string) (Figure, bool) {
	fs := Figures()
	if i := slices.IndexFunc(fs, func(f Figure) bool { return f.ID == id }); i >= 0 {
		return fs[i], true
	}
	return Figure{}, false
}

// Points returns the published numbers that belong to the figure.
func (f *Figure) Points() []Point { return of(All(), f.ID) }

// Marks returns what the figure draws of the values that look finds.
func (f *Figure) Marks(points []Point, look Look) []Mark {
	if f.Figure.Marks == nil {
		return nil
	}
	return f.Figure.Marks(look.in(points))
}

// Memory reports whether the figure shows the tensors' lifetimes.
func (f *Figure) Memory() bool { return len(f.Analyses) > 0 }

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
	if c.FromMemory() {
		return 0, false
	}
	return c.Claim.Value(look.in(points), nil)
}

// FromMemory reports whether the claim is about the tensors' lifetimes.
func (c *Claim) FromMemory() bool { return c.Figure == "2" || c.Figure == "3" || c.Figure == "4" }

// ValueOf computes a claim of Figures 2 to 4.
func (c *Claim) ValueOf(memory func(Need) *Memory) (value float64, known bool) {
	if !c.FromMemory() {
		return 0, false
	}
	return c.Claim.Value(nil, func(run string) *study.Outcome {
		for _, n := range studied {
			if m := memory(n); m != nil && n.analysis() == run {
				return m.outcome(n)
			}
		}
		return nil
	})
}

// A Verdict says how a value agrees with a claim.
type Verdict = study.Verdict

// The verdicts on claims.
const (
	Holds   = study.Holds
	Near    = study.Near
	Differs = study.Differs
)
