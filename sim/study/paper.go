package study

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"spillway/sim/prose"
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
	Names  map[string]string
	Points []Point // in the order of the figures
	// Probes are what figures draw and claims need besides the points: values that the
	// paper does not print. They are measured like points, and compared with nothing.
	Probes  []Point
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
	// Cannot is what is said of a run that does not fit; empty for "cannot run".
	Cannot string
	// Fitted reports whether a point decided a constant, or is of what inputs were counted in, so
	// that agreement says only that numbers fit together; nil if none is. See Basis.
	Fitted func(x *Point) bool
	// Why explains a difference, Within or Gap, as far as the paper's comparison
	// knows; nil if nothing does. Unexplained gaps fail tests.
	Why func(r *Row) string

	// list and at are what tasks has found: a paper does not change.
	list []task
	at   map[string]int
}

// AllClaims stands for a figure where all claims of a paper are meant.
const AllClaims = "claims"

// Called returns the name for people of a system or quantity.
func (p *Paper) Called(name string) string { return cmp.Or(p.Names[name], name) }

// Name returns the name of a figure among all papers: "g10.14".
func (p *Paper) Name(figure string) string { return p.Key + "." + figure }

// Figure returns the figure with this ID. The error says which there are.
func (p *Paper) Figure(id string) (*Figure, error) {
	if at := slices.IndexFunc(p.Figures, func(f Figure) bool { return f.ID == id }); at >= 0 {
		return &p.Figures[at], nil
	}
	ids := make([]string, len(p.Figures))
	for i := range p.Figures {
		ids[i] = p.Figures[i].ID
	}
	return nil, fmt.Errorf("%s has no figure %q; %s", p.Key, id, prose.Among(id, ids))
}

// PointsOf returns the points of a figure; they are the paper's own.
func (p *Paper) PointsOf(figure string) []*Point {
	var list []*Point
	for i := range p.Points {
		if p.Points[i].Figure == figure {
			list = append(list, &p.Points[i])
		}
	}
	return list
}

// A task is a run with what is measured in it.
type task struct {
	Run
	points []Point
}

// tasks returns what the paper needs, each run once, and where each run is.
func (p *Paper) tasks() ([]task, map[string]int) {
	if p.at != nil {
		return p.list, p.at
	}
	var list []task
	at := map[string]int{}
	add := func(r Run, figure string) *task {
		i, ok := at[r.Name]
		if !ok {
			i = len(list)
			at[r.Name] = i
			r.Figures = nil
			list = append(list, task{Run: r})
		}
		t := &list[i]
		if !slices.Contains(t.Figures, figure) {
			t.Figures = append(t.Figures, figure)
		}
		return t
	}
	measure := func(x *Point) {
		if x.NotComputed != "" || x.Derived != nil {
			return
		}
		t := add(Run{Name: x.Run(), System: x.System, Set: x.Set, Workload: x.Workload}, x.Figure)
		if !slices.ContainsFunc(t.points, func(y Point) bool { return y.Figure == x.Figure && y.Quantity == x.Quantity }) {
			t.points = append(t.points, *x)
		}
	}
	for i := range p.Figures {
		for _, r := range p.Figures[i].Analyses {
			add(r, p.Figures[i].ID)
		}
	}
	for i := range p.Points {
		measure(&p.Points[i])
	}
	for i := range p.Probes {
		measure(&p.Probes[i])
	}
	for i := range p.Points {
		if p.Points[i].RelativeTo != "" {
			b := p.Points[i].base()
			measure(&b)
		}
	}
	// A drawing may have values of other figures beside its own, whose runs it needs too.
	for i := range p.Figures {
		f := &p.Figures[i]
		if f.Marks == nil {
			continue
		}
		use := func(run string) {
			if k, ok := at[run]; ok && !slices.Contains(list[k].Figures, f.ID) {
				list[k].Figures = append(list[k].Figures, f.ID)
			}
		}
		var look Look
		look = func(x *Point) (value float64, fits, known bool) {
			if x.Derived != nil {
				value, known = x.Derived.Value(look)
				return value, known, known
			}
			use(x.Run())
			if x.RelativeTo != "" {
				b := x.base()
				use(b.Run())
			}
			return 1, true, true
		}
		f.Marks(look)
	}
	p.list, p.at = list, at
	return list, at
}

// Runs returns every simulation and analysis that the paper needs, each once:
// the analyses first, then in the order of the points.
func (p *Paper) Runs() []Run {
	tasks, _ := p.tasks()
	runs := make([]Run, len(tasks))
	for i := range tasks {
		runs[i] = tasks[i].Run
	}
	return runs
}

// Of returns what is measured in the run with this name, in the order of an
// outcome's values: the paper's points, then those that others are relative to. It is
// called with every run, so it looks for this one alone.
func (p *Paper) Of(run string) []Point {
	var list []Point
	add := func(x *Point) {
		for i := range list {
			if list[i].Figure == x.Figure && list[i].Quantity == x.Quantity {
				return
			}
		}
		list = append(list, *x)
	}
	for _, points := range [][]Point{p.Points, p.Probes} {
		for i := range points {
			if x := &points[i]; x.NotComputed == "" && x.Derived == nil && isRun(run, x.System, cmp.Or(x.Source, x.Set)) {
				add(x)
			}
		}
	}
	for i := range p.Points {
		if x := &p.Points[i]; x.RelativeTo != "" && x.NotComputed == "" && isRun(run, x.RelativeTo, cmp.Or(x.Source, x.RelativeToSet, x.Set)) {
			b := x.base()
			add(&b)
		}
	}
	return list
}

// An Outline is a paper as the page lists it: data alone.
type Outline struct {
	Key, Title, About, Short, Remark string
	// Standing, Originals, Tolerance, Rebuilt and ClaimTolerance are the paper's.
	Standing, Originals                string
	Tolerance, Rebuilt, ClaimTolerance float64
	Systems                            []string // stable names
	Figures                            []FigureOutline
	Runs                               []Run
	Points, Claims                     int // how many there are
}

// A FigureOutline is a figure in an Outline.
type FigureOutline struct {
	ID, Name, Title, Section string // ID is "14", Name "g10.14"
	Kind                     Kind
	Points, Claims           int   // how many there are
	Runs                     []int // what it needs, as indices into Outline.Runs
}

// Outline returns what can be said of the paper before anything has run.
func (p *Paper) Outline() *Outline {
	o := &Outline{
		Key: p.Key, Title: p.Title, About: p.About, Short: p.Short, Remark: p.Remark, Standing: p.Standing, Originals: p.Originals,
		Tolerance: p.Tolerance, Rebuilt: p.Rebuilt, ClaimTolerance: p.ClaimTolerance,
		Systems: p.Systems, Runs: p.Runs(), Points: len(p.Points), Claims: len(p.Claims),
	}
	for i := range p.Figures {
		f := &p.Figures[i]
		g := FigureOutline{ID: f.ID, Name: p.Name(f.ID), Title: f.Title, Section: f.Section, Kind: f.Kind, Points: len(p.PointsOf(f.ID))}
		for k := range p.Claims {
			if p.Claims[k].Figure == f.ID {
				g.Claims++
			}
		}
		for k := range o.Runs {
			if slices.Contains(o.Runs[k].Figures, f.ID) {
				g.Runs = append(g.Runs, k)
			}
		}
		o.Figures = append(o.Figures, g)
	}
	return o
}

// Check reports what is wrong with a paper's own data; tests of every paper ask.
func (p *Paper) Check() error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(p.Key+": "+format, a...)) }
	seen := map[string]bool{AllClaims: true}
	for i := range p.Figures {
		f := &p.Figures[i]
		if seen[f.ID] {
			bad("there are two figures %q, or the name is taken", f.ID)
		}
		seen[f.ID] = true
		if f.Marks == nil && len(f.Analyses) == 0 && f.Kind != Table {
			bad("figure %s draws nothing", f.ID)
		}
	}
	set := map[string]string{}
	places := map[string]bool{}
	for i := range p.Points {
		x := &p.Points[i]
		place := x.Run() + "|" + x.Figure + "|" + x.Quantity
		switch {
		case !seen[x.Figure] || x.Figure == AllClaims:
			bad("point %d is of figure %q, which is not there", i, x.Figure)
		case x.RelativeToSet != "" && x.RelativeTo == "":
			bad("point %d has a setup of what it is relative to, and is relative to nothing", i)
		case x.NotComputed != "":
			if p.Names[x.Quantity] == "" || x.System != "" || x.Set != "" {
				bad("point %d is not computed, and has a system, a setup or no name of %q for people", i, x.Quantity)
			}
			continue
		case x.Derived != nil:
			if p.Names[x.Quantity] == "" || x.System != "" && !slices.Contains(p.Systems, x.System) || x.Set != "" || x.RelativeTo != "" {
				bad("point %d is made of others, and has a setup, is relative to another, has a system that the paper does not list or no name of %q for people", i, x.Quantity)
			}
			continue
		case !slices.Contains(p.Systems, x.System) || x.RelativeTo != "" && !slices.Contains(p.Systems, x.RelativeTo):
			bad("point %d is of a system that the paper does not list: %q over %q", i, x.System, x.RelativeTo)
		case p.Names[x.System] == "" || p.Names[x.Quantity] == "":
			bad("point %d: no names for people of %q, %q", i, x.System, x.Quantity)
		case places[place]:
			bad("point %d is there twice: %s", i, place)
		case set[x.Run()] != "" && set[x.Run()] != x.Set:
			bad("the run %q has two setups, %q and %q", x.Run(), set[x.Run()], x.Set)
		}
		set[x.Run()], places[place] = x.Set, true
	}
	for i := range p.Probes {
		switch x := &p.Probes[i]; {
		case !x.Unpublished || x.NotComputed != "" || x.Derived != nil || x.RelativeTo != "":
			bad("probe %d is published, not computed, made of others or relative to another", i)
		case !seen[x.Figure] || x.Figure == AllClaims || !slices.Contains(p.Systems, x.System):
			bad("probe %d is of figure %q or of system %q, which are not there", i, x.Figure, x.System)
		case set[x.Run()] != "" && set[x.Run()] != x.Set:
			bad("the run %q has two setups, %q and %q", x.Run(), set[x.Run()], x.Set)
		}
	}
	ids := map[string]bool{}
	for i := range p.Claims {
		c := &p.Claims[i]
		if ids[c.ID] || !seen[c.Figure] || c.Lo > c.Hi || c.Value == nil {
			bad("claim %q is there twice, of no figure, without a range or without a value", c.ID)
		}
		ids[c.ID] = true
	}
	return errors.Join(errs...)
}
