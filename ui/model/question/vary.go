package question

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/sweep"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// An Axis is a knob that is varied, with its points.
type Axis struct {
	Knob   *knob.Info
	Texts  []string
	Labels []string
	Xs     []float64 // the points as numbers; nil if they are none
	Now    string    // the text that the settings have
}

// variation is one knob or two that are varied.
type variation struct{ *core }

// axis reads the points of a varied knob; an empty text is what suggests itself.
func (a *variation) axis(key, text string) (Axis, error) {
	u := a.room.State.Setup
	if text == "" {
		text = a.suggest(key)
	}
	s, err := sweep.ParseAxis(u, key+"="+text)
	if err != nil {
		return Axis{}, textProblem(err)
	}
	x := Axis{Knob: u.Knob(key), Texts: s.Texts, Now: u.Text(key)}
	for _, t := range x.Texts {
		if x.Knob.Kind == knob.Number {
			v, _ := strconv.ParseFloat(t, 64) // ParseAxis has read it
			x.Xs = append(x.Xs, v)
			x.Labels = append(x.Labels, t)
			continue
		}
		l := t
		if c := x.Knob.Choice(t); c != nil {
			l = workspace.Label(c)
		}
		x.Labels = append(x.Labels, l)
	}
	return x, nil
}

// textProblem is what is wrong with a text that people typed into a field; they
// see the field, and need no name of it.
func textProblem(err error) error {
	if e, ok := errors.AsType[*sweep.TextError](err); ok {
		err = e.Err
	}
	return errorText(err.Error())
}

type errorText string

func (e errorText) Error() string { return prose.Capital(string(e)) }

// suggested is how many points suggest themselves, and how far from the value
// that is set.
const (
	suggested = 9
	reach     = 4
)

// suggest returns the points of a knob that suggest themselves: around the value
// that is set, each by the same factor above the one before; of a value of 0 those
// that products have, else the whole range; all choices of a knob that has some.
func (a *variation) suggest(key string) string {
	u := a.room.State.Setup
	k := u.Knob(key)
	if k.Kind != knob.Number {
		return "*"
	}
	low, high := k.Min, k.Max
	if l := u.Limit(key); l != nil {
		low, high = max(low, l.Min), min(high, l.Max)
	}
	v, err := knob.ParseDecimal(u.Text(key), k.Scale)
	if err != nil || v <= 0 {
		if list := a.products(key); len(list) > 1 {
			return strings.Join(list, ",")
		}
		if k.Zero != "" { // no number, so nothing to begin with
			list := []string{}
			for v := max(low, k.Scale); v <= min(high, 32*k.Scale); v *= 2 {
				list = append(list, knob.Decimal(v, k.Scale))
			}
			return strings.Join(list, ",")
		}
		return knob.Decimal(low, k.Scale) + ".." + knob.Decimal(high, k.Scale) + "/" + strconv.Itoa(suggested)
	}
	from, to := max(low, 1, v/reach), high
	if v <= high/reach {
		to = v * reach
	}
	if from >= to {
		return knob.Decimal(v, k.Scale)
	}
	return knob.Decimal(from, k.Scale) + ".." + knob.Decimal(to, k.Scale) + "x" + strconv.Itoa(suggested)
}

// products lists the values that choices of other knobs give this one, upwards.
func (a *variation) products(key string) []string {
	var list []int64
	k := a.room.State.Setup.Knob(key)
	for i := range a.room.Info.Knobs {
		o := &a.room.Info.Knobs[i]
		if !o.Derived {
			continue
		}
		for c := range o.Choices {
			pairs, _ := knob.Pairs(o.Choices[c].Set) // lab.New has checked it
			for _, p := range pairs {
				if v, err := knob.ParseDecimal(p.Text, k.Scale); p.Key == key && err == nil && a.room.State.Setup.Valid(key, p.Text) == nil {
					list = append(list, v)
				}
			}
		}
	}
	slices.Sort(list)
	var texts []string
	for _, v := range slices.Compact(list) {
		texts = append(texts, knob.Decimal(v, k.Scale))
	}
	return texts
}

// mostRuns bounds a question: more would not fit into a chart or a tab.
const mostRuns = 10000

// planVary plans every point of one axis or two.
func (a *variation) planVary(p *plan) {
	for _, at := range [][2]string{{state.VaryKey, state.ValuesKey}, {state.Vary2Key, state.Values2Key}} {
		key := a.text(at[0])
		if key == state.NoKnob || len(p.axes) == 1 && p.axes[0].Knob.Key == key {
			continue
		}
		x, err := a.axis(key, a.text(at[1]))
		if err != nil {
			p.problem = "The values: " + err.Error() + "."
			return
		}
		p.axes = append(p.axes, x)
	}
	g := sweep.Grid{Base: a.room.State.Setup, Systems: []string{""}}
	all := len(p.systems)
	for _, x := range p.axes {
		g.Axes = append(g.Axes, sweep.Axis{Key: x.Knob.Key, Texts: x.Texts})
		all *= len(x.Texts)
	}
	if len(p.axes) == 1 && p.axes[0].Knob.Key != a.room.Info.Say.Seed {
		p.seeds = a.seeds(p.setup)
		if len(p.seeds) > 0 {
			g.Axes = append(g.Axes, sweep.Axis{Key: a.room.Info.Say.Seed, Texts: append([]string{p.setup.Text(a.room.Info.Say.Seed)}, p.seeds...)})
			all *= 1 + len(p.seeds)
		}
	}
	if all > mostRuns {
		p.problem = "These are " + strconv.Itoa(all) + " runs; take fewer points, at most " + strconv.Itoa(mostRuns) + " runs together."
		return
	}
	g.Start = func([]knob.Pair) (*knob.Setup, error) { return a.bundled(p.axes), nil }
	levels := make([]int, g.Len())
	for i := range g.Len() {
		x := g.At(i)
		v := variant{problem: strings.TrimSuffix(prose.Capital(x.Problem), ".") + "."}
		if x.Problem == "" {
			v = variant{setup: x.Setup.String(), can: true}
		}
		p.variants = append(p.variants, v)
		p.order = append(p.order, i)
		rest := i
		if n := 1 + len(p.seeds); n > 1 {
			levels[i] = i % n * n * len(p.axes[0].Texts) // other seeds once the curve is there
			rest /= n
		}
		for _, axis := range slices.Backward(p.axes) {
			levels[i] = max(levels[i], level(rest%len(axis.Texts), len(axis.Texts)))
			rest /= len(axis.Texts)
		}
	}
	slices.SortStableFunc(p.order, func(i, k int) int { return levels[i] - levels[k] })
}

// bundled is what every point begins with: the settings, without the entry of
// opened files when the workload itself is varied.
func (a *variation) bundled(axes []Axis) *knob.Setup {
	u := a.room.State.Setup.Clone()
	for _, x := range axes {
		if e := a.room.Info.Entry; a.room.Info.LeavesEntry(x.Knob.Key) {
			_ = u.Set(e, "") // what was opened is left
		}
	}
	return u
}

// level is the round in which the i-th of n points is run: the ends first, then
// halves, quarters and so on.
func level(i, n int) int {
	if i == 0 || i == n-1 {
		return 0
	}
	for step, l := 1<<bits(n), 1; step > 0; step, l = step/2, l+1 {
		if i%step == 0 {
			return l
		}
	}
	return n
}

func bits(n int) (b int) {
	for n > 2 {
		n, b = (n+1)/2, b+1
	}
	return b
}

// A Cell is one system at one point.
type Cell struct {
	Known   bool
	Value   float64 // not a number if there is none
	Problem string  // why there is none
	Unfit   bool    // the system cannot run it
}

// Axes are those of what is varied; none if it cannot be.
func (a *variation) Axes() []Axis {
	if a.now == nil {
		return nil
	}
	return a.now.axes
}

// Band is the lowest and the highest of a system at a point of a curve, with other seeds.
func (a *variation) Band(system string, i int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for k := range 1 + len(a.now.seeds) {
		if y := a.cell(a.now, i*(1+len(a.now.seeds))+k, system).Value; !math.IsNaN(y) {
			low, high = min(low, y), max(high, y)
		}
	}
	return low, high
}

// At is what a system gives at the i-th point of the first axis and the k-th of
// the second, k 0 if there is one axis.
func (a *variation) At(system string, i, k int) Cell {
	p := a.now
	if len(p.axes) == 2 {
		i = i*len(p.axes[1].Texts) + k
	}
	return a.cell(p, i*(1+len(p.seeds)), system)
}

func (a *variation) cell(p *plan, v int, system string) Cell {
	o := a.of(p, v, system)
	if o == nil {
		return Cell{Value: math.NaN()}
	}
	c := Cell{Known: true, Value: math.NaN(), Problem: o.Problem, Unfit: o.Unfit}
	if o.Error != "" {
		c.Problem = o.Error
	}
	if x, ok := o.Value(a.Of()); ok {
		c.Value = x
	}
	return c
}
