// Package sweep asks "what if": which setups to run, and what their values mean.
// A [Grid] varies one knob or several, a [Search] looks for the smallest or
// largest value of one that is good enough, a [Sensitivity] turns every knob a
// little. It knows setups and values, never who runs them.
package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
)

// A Run is one thing to be run.
type Run struct {
	Setup  *knob.Setup
	System string
}

// A Reading is what one run says about the quantity that is asked about.
type Reading struct {
	// Problem says what contradicts in the setup; nothing ran then.
	Problem string
	// Fits is false when the system cannot run it; Reason says why.
	Fits   bool
	Reason string
	// Value is the quantity's, in its own unit; report.None if the run has none.
	Value float64
}

// What comes of a run, in a word: as files and tables have it.
const (
	OK          = "ok"
	CannotRun   = "cannot run"
	Contradicts = "contradicts"
)

// Status says in a word what came of the run.
func (r *Reading) Status() string {
	switch {
	case r.Problem != "":
		return Contradicts
	case !r.Fits:
		return CannotRun
	}
	return OK
}

// Why says why there is no value, empty if there may be one.
func (r *Reading) Why() string {
	if r.Problem != "" {
		return r.Problem
	}
	return r.Reason
}

// ok reports whether there is a value.
func (r *Reading) ok() bool { return r.Problem == "" && r.Fits && r.Value == r.Value }

// maxRuns bounds a grid. More is a mistake in typing, not a question.
const maxRuns = 10_000_000

// A Grid is every combination of the axes' texts, run by every system.
type Grid struct {
	Base    *knob.Setup
	Axes    []Axis
	Systems []string
	// Keep are settings that stand whatever the choices of an axis bring along:
	// those that somebody typed beside them. A point in which they contradict an
	// axis says so.
	Keep []knob.Pair
	// Start returns what a point begins with, if that depends on it; without it
	// every point begins with Base.
	Start func(axes []knob.Pair) (*knob.Setup, error)
}

// A Point is one run of a grid.
type Point struct {
	Run
	Texts []string // by axis
	// Problem says why its settings cannot be, empty if they can as far as the
	// knobs know. Setup is then as near to it as they allow.
	Problem string
}

// Check reports what is wrong with the grid.
func (g *Grid) Check() error {
	if len(g.Systems) == 0 {
		return errors.New("no system is chosen; choose one")
	}
	runs := len(g.Systems)
	for i, a := range g.Axes {
		if len(a.Texts) == 0 {
			return fmt.Errorf("%s has no values; name some", a.Key)
		}
		if slices.ContainsFunc(g.Axes[:i], func(b Axis) bool { return a.Key == b.Key }) {
			return fmt.Errorf("%s is varied twice; put its values into one list", a.Key)
		}
		if runs > maxRuns/len(a.Texts) {
			return fmt.Errorf("these are more than %d runs; take fewer values of %s", maxRuns, a.Key)
		}
		runs *= len(a.Texts)
	}
	return nil
}

// Len is the number of runs.
func (g *Grid) Len() int {
	n := len(g.Systems)
	for i := range g.Axes {
		n *= len(g.Axes[i].Texts)
	}
	return n
}

// At returns the i-th run. Systems change fastest, so that a workload that is at
// hand is used again, then the last axis; the first axis changes slowest.
func (g *Grid) At(i int) Point {
	p := Point{Texts: make([]string, len(g.Axes))}
	pairs := make([]knob.Pair, len(g.Axes))
	p.System, i = g.Systems[i%len(g.Systems)], i/len(g.Systems)
	for k, a := range slices.Backward(g.Axes) {
		p.Texts[k], i = a.Texts[i%len(a.Texts)], i/len(a.Texts)
		pairs[k] = knob.Pair{Key: a.Key, Text: p.Texts[k]}
	}
	u, err := g.start(pairs)
	if err == nil {
		err = g.turn(u, pairs)
	}
	if p.Setup = u; err != nil {
		p.Problem = OneLine(err)
	}
	return p
}

// start returns what the point with these texts begins with; never nil.
func (g *Grid) start(pairs []knob.Pair) (*knob.Setup, error) {
	if g.Start == nil {
		return g.Base.Clone(), nil
	}
	u, err := g.Start(pairs)
	if u == nil {
		u = g.Base.Clone()
	}
	return u, err
}

// passes is how often settings are applied at most until nothing changes: a
// product may be slowed by a link that comes behind it in the list.
const passes = 3

// turn gives u what is kept and the axes' texts, and checks that they hold.
func (g *Grid) turn(u *knob.Setup, pairs []knob.Pair) error {
	var all []knob.Pair
	for _, p := range g.Keep {
		if !slices.ContainsFunc(pairs, func(q knob.Pair) bool { return p.Key == q.Key }) {
			all = append(all, p)
		}
	}
	all = append(all, pairs...)
	for range passes {
		before := u.Clone()
		if err := u.Apply(all); err != nil {
			return err
		}
		if u.Equal(before) {
			break
		}
	}
	for _, p := range pairs {
		if v := u.Clone(); u.Knob(p.Key).Derived && (v.Apply([]knob.Pair{p}) != nil || !v.Equal(u)) {
			return fmt.Errorf("%s=%s does not hold: other settings of this run change what it brings", p.Key, p.Text)
		}
	}
	return nil
}

// OneLine is a joined error on one line, as a problem is told.
func OneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
