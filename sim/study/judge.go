package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Status is the verdict on one point. It is empty as long as the point is not known.
type Status string

// The verdicts.
const (
	Exact  Status = "exact"  // to the last printed digit
	Within Status = "within" // up to the limit
	Gap    Status = "gap"    // farther off, or a different verdict on fitting
)

// A Row compares one point with what we say.
type Row struct {
	*Point
	Status   Status
	OursFits bool
	Ours     float64
	Diff     float64 // ours/published − 1; ours if 0 was published
	Reason   string  // why ours does not fit
	Rebuilt  bool    // a bundled workload stood in for the paper's own
	// Limit is the relative difference up to which it is Within, on its side.
	Limit float64
	Why   string // what explains a difference
	// Explained is false when Why only says that there is one.
	Explained bool
}

// String says what a row says, for tests and logs.
func (r *Row) String() string {
	return fmt.Sprintf("%s %s %s %s %s: published %v, ours %v (%+.4f %%) %s", r.Figure, r.Quantity, r.Of, r.At, r.System, r.Value, r.Ours, 100*r.Diff, cmp.Or(r.Status, "not run"))
}

// A ledger finds what outcomes say about a paper's points.
type ledger struct {
	paper    *Paper
	tasks    []task
	task     map[string]int
	outcomes []*Outcome // by task, nil where not known
}

// ledger orders outcomes by run. One that cannot be of its run is an error.
func (p *Paper) ledger(outcomes []Outcome) (*ledger, error) {
	l := &ledger{paper: p}
	l.tasks, l.task = p.tasks()
	l.outcomes = make([]*Outcome, len(l.tasks))
	for i := range outcomes {
		o := &outcomes[i]
		at, ok := l.task[o.Run]
		switch {
		case !ok:
			return nil, fmt.Errorf("%s has no run %q", p.Key, o.Run)
		case o.Fits && l.tasks[at].System != "" && len(o.Values) != len(l.tasks[at].points):
			return nil, fmt.Errorf("%s: %d values of the run %q with %d points", p.Key, len(o.Values), o.Run, len(l.tasks[at].points))
		}
		l.outcomes[at] = o
	}
	return l, nil
}

// outcome returns what the run with this name said, nil if it is not known.
func (l *ledger) outcome(run string) *Outcome {
	if at, ok := l.task[run]; ok {
		return l.outcomes[at]
	}
	return nil
}

// own finds what x's run measured, whatever x is relative to.
func (l *ledger) own(x *Point) (value float64, fits, known bool) {
	at, ok := l.task[x.Run()]
	if !ok || l.outcomes[at] == nil {
		return 0, false, false
	}
	o := l.outcomes[at]
	if !o.Fits {
		return 0, false, true
	}
	k := slices.IndexFunc(l.tasks[at].points, func(y Point) bool { return y.Figure == x.Figure && y.Quantity == x.Quantity })
	if k < 0 || math.IsNaN(o.Values[k]) {
		return 0, false, false
	}
	return o.Values[k], true, true
}

// look is a Look at the outcomes.
func (l *ledger) look(x *Point) (value float64, fits, known bool) {
	if x.Derived != nil {
		value, known = x.Derived.Value(l.look)
		return value, known, known
	}
	value, fits, known = l.own(x)
	if x.RelativeTo == "" || !fits {
		return value, fits, known
	}
	b := x.base()
	base, fits, known := l.own(&b)
	if !fits || base == 0 {
		return 0, false, known
	}
	return value / base, true, known
}

// row judges one point.
func (l *ledger) row(x *Point) Row {
	p := l.paper
	r := Row{Point: x, Limit: cmp.Or(x.Limit, p.Tolerance)}
	if x.NotComputed != "" {
		r.Why, r.Explained = x.NotComputed, true
		return r
	}
	var known bool
	r.Ours, r.OursFits, known = l.look(x)
	if !known {
		return r
	}
	if x.Derived != nil {
		_, rebuilt := l.known(x.Figure)
		r.Rebuilt = rebuilt > 0
	} else {
		o := l.outcome(x.Run())
		r.Reason, r.Rebuilt = o.Reason, o.Rebuilt
	}
	if x.Below != 0 && r.Ours < x.Value {
		r.Limit = x.Below
	}
	if x.RelativeTo != "" {
		b := x.base()
		base := l.outcome(b.Run())
		r.Reason, r.Rebuilt = cmp.Or(r.Reason, base.Reason), r.Rebuilt || base.Rebuilt
	}
	if r.Rebuilt {
		r.Limit = max(r.Limit, p.Rebuilt)
	}
	r.judge(p.scale(x, r.Rebuilt))
	if r.Status == Exact {
		return r
	}
	if p.Why != nil {
		r.Why = p.Why(&r)
		r.Explained = r.Why != ""
	}
	switch {
	case r.Explained:
	case r.OursFits != x.Fits:
		r.Why = "one of the two says that it " + p.cannot()
		if r.Reason != "" {
			r.Why += ": " + r.Reason
		}
	case r.Rebuilt:
		r.Why = p.Standing
	}
	return r
}

// judge compares with what was published; scale is what a difference is measured
// against.
func (r *Row) judge(scale float64) {
	switch {
	case r.OursFits != r.Fits:
		r.Status = Gap
		return
	case !r.Fits:
		r.Status = Exact
		return
	}
	if r.Diff = r.Ours/r.Value - 1; r.Value == 0 {
		r.Diff = r.Ours
	}
	switch off := math.Abs(r.Ours - r.Value); {
	case off == 0:
		r.Diff = 0
		if r.Status = Exact; r.Rebuilt {
			r.Status = Within // by chance
		}
	case r.Rebuilt && off <= r.Limit*scale, !r.Rebuilt && math.Abs(r.Diff) <= r.Limit:
		r.Status = Within
	default:
		r.Status = Gap
	}
}

// scale is what a difference from x is measured against: its value, or, with
// rebuilt workloads, the sum that it is a part of.
func (p *Paper) scale(x *Point, rebuilt bool) float64 {
	for _, parts := range p.Sums {
		if !rebuilt || !slices.Contains(parts, x.Quantity) {
			continue
		}
		whole := 0.0
		for i := range p.Points {
			y := &p.Points[i]
			if y.Figure == x.Figure && slices.Contains(parts, y.Quantity) && y.Run() == x.Run() {
				whole += y.Value
			}
		}
		return whole
	}
	return math.Abs(x.Value)
}

func (p *Paper) cannot() string { return cmp.Or(p.Cannot, "cannot run") }

// Rows compares every point of a figure, of all if it is AllClaims, with what the
// outcomes say.
func (p *Paper) Rows(figure string, outcomes []Outcome) ([]Row, error) {
	l, err := p.ledger(outcomes)
	if err != nil {
		return nil, err
	}
	return l.rows(figure), nil
}

func (l *ledger) rows(figure string) []Row {
	var rows []Row
	for i := range l.paper.Points {
		if x := &l.paper.Points[i]; figure == AllClaims || x.Figure == figure {
			rows = append(rows, l.row(x))
		}
	}
	return rows
}

// Unexpected returns the gaps that nobody has explained.
func Unexpected(rows []Row) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Status != Gap || r.Explained })
}

// percent prints a share: "0.5 %".
func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 3, 64) + " %" }

// verdict words a row's status.
func (p *Paper) verdict(r *Row) string {
	switch {
	case r.NotComputed != "":
		return "not computed"
	case r.Status == "":
		return "not run"
	case r.Status == Exact && !r.Fits:
		return "same: " + p.cannot()
	case r.Status == Exact:
		return "exact"
	case r.Status == Within:
		return "within " + percent(r.Limit)
	case !r.Fits:
		return "runs only here"
	case !r.OursFits:
		return p.cannot() + " here"
	}
	return "off"
}

// A Record is one published number with ours, for programs that read them.
type Record struct {
	Figure   string `json:"figure"` // "g10.11"
	Of       string `json:"of"`     // for people: "BERT-256"
	At       string `json:"at,omitempty"`
	System   string `json:"system"`  // stable name
	Setting  string `json:"setting"` // setup text
	Quantity string `json:"quantity"`
	Unit     string `json:"unit"`
	// Published and Ours are null where it cannot run; Ours also where it has not.
	Published *float64 `json:"published"`
	Ours      *float64 `json:"ours"`
	// Difference is ours/published − 1, where there are both.
	Difference *float64 `json:"difference"`
	Limit      float64  `json:"limit"`   // relative difference up to which it agrees
	Status     Status   `json:"status"`  // empty if it has not run
	Verdict    string   `json:"verdict"` // the same in words
	Why        string   `json:"why,omitempty"`
	Note       string   `json:"note,omitempty"`   // why the published number is doubted
	Source     string   `json:"source,omitempty"` // where it was published
}

// Record returns the row for programs.
func (p *Paper) Record(r *Row) Record {
	c := Record{
		Figure: p.Name(r.Figure), Of: r.Of, At: r.At, System: r.System, Setting: r.Set, Quantity: r.Quantity, Unit: r.Unit,
		Limit: r.Limit, Status: r.Status, Verdict: p.verdict(r), Why: r.Why, Note: r.Note, Source: r.Source,
	}
	if r.Fits {
		c.Published = &r.Value
	}
	if r.OursFits {
		c.Ours = &r.Ours
		if r.Fits {
			c.Difference = &r.Diff
		}
	}
	return c
}
