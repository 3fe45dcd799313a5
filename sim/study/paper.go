package study

import (
	"slices"

	"spillway/sim/report"
)

// A Paper is a publication with its own systems, figures, numbers and claims.
type Paper struct {
	Key    string // stable: "g10"
	Title  string // of the publication
	About  string // what is reproduced, and from what
	Short  string // in lists: "G10 (MICRO 2023)"
	Remark string // what must be known before comparing; may be empty
	// Systems are the stable names that the paper compares, in its order. A
	// system that it does not know is shown as "–", never as a zero.
	Systems []string
	// Names are the systems' and quantities' names for people, by stable name.
	Names   map[string]string
	Points  []Point // in the order of the figures
	Figures []Figure
	Claims  []Claim
	// Sums are quantities that are parts of the same whole: with rebuilt
	// workloads their differences are measured against it.
	Sums [][]string
	// Tolerance is the relative difference up to which a point is Within, Rebuilt
	// that for workloads that stand in for the paper's own, and ClaimTolerance
	// that up to which a claim is Near.
	Tolerance, Rebuilt, ClaimTolerance float64
	// Standing says what Rebuilt means: "reconstruction: modelled kernel times".
	// Empty if no workload stands in for another.
	Standing string
	// Originals says what to drop to compare with the paper's own workloads;
	// empty if there is nothing to drop.
	Originals string
	// Measure takes from a run what its points publish: from its report, or from
	// the laboratory's own result. nil takes the report's quantity of that key.
	Measure func(points []Point, quantity func(key string) (float64, bool), raw any) []float64
	// Curves takes from a run what figures draw besides points; may be nil.
	Curves func(points []Point, raw any) []report.Curve
	// Analyze computes an analysis of a workload, the laboratory's own type; nil
	// if no figure has one.
	Analyze func(run string, workload any) (*Outcome, error)
	// Why explains a difference; nil if nothing does. Unexplained gaps fail tests.
	Why func(p *Point, s Status) string
}

// Of returns the points of the run with this name, in the paper's order.
func (p *Paper) Of(run string) []Point {
	return slices.DeleteFunc(slices.Clone(p.Points), func(x Point) bool { return x.Run() != run })
}

// Status is the verdict on one point.
type Status string

// The verdicts.
const (
	Exact  Status = "exact"  // to the last printed digit
	Within Status = "within" // up to the limit
	Gap    Status = "gap"    // farther off, or a different verdict on fitting
)

// A Claim is a number that the text of a paper states, computed again from the
// values that a figure shows.
type Claim struct {
	ID      string
	Figure  string // whose values it is computed from
	Section string // of the paper that states it
	Text    string // what is claimed, in our words
	Stated  string // the number as the paper prints it
	// Lo and Hi bound the values that agree with Stated: its rounding, or the
	// range that it gives.
	Lo, Hi float64
	Unit   string // "×", "%", "GB", "µs"
	// Value computes the claim from the values that look finds; known is false as
	// long as one is missing. Of a claim about analyses, outcome finds them.
	Value func(look Look, outcome func(run string) *Outcome) (value float64, known bool)
}
