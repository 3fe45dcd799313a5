package model

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/ui/exec"
	"spillway/ui/model/calls"
	"spillway/ui/model/state"
)

// moreSeeds is how many other seeds the two best systems are run with where random numbers
// decide who is first.
const moreSeeds = 2

// seeding is runs with other seeds, for the headline.
type seeding struct {
	of     string // what is compared
	calls  []*calls.Call
	values map[string][]float64 // by system; NaN is not known, or cannot run
	left   int                  // runs that are not done
}

// Idle asks for what is only worth its time when nobody waits for anything: in a laboratory
// where random numbers decide between those that are near, runs of the two best systems
// with other seeds.
func (r *Room) Idle() {
	seed := r.Info.Say.Seed
	if seed == "" || r.State.View != state.Explore || r.Blocked() != "" || r.Active() {
		return
	}
	best := r.twoBest()
	of := r.seedsOf()
	if len(best) < 2 || of == r.seeds.of {
		return
	}
	r.stopSeeds()
	r.seeds = seeding{of: of, values: map[string][]float64{}}
	from, err := strconv.Atoi(r.State.Setup.Text(seed))
	if err != nil {
		return
	}
	for _, name := range best {
		r.seeds.values[name] = slices.Repeat([]float64{math.NaN()}, moreSeeds)
		for k := range moreSeeds {
			u := r.meanwhile(r.State.Setup).Clone()
			if u.Set(seed, strconv.Itoa(from+1+k)) != nil { // it is the last that there is
				continue
			}
			j := &exec.Job{Kind: exec.Run, Setup: u.String(), System: name, Files: r.number()}
			value := &r.seeds.values[name][k]
			r.seeds.left++
			r.seeds.calls = append(r.seeds.calls, r.call(j, calls.Behind, func(a *exec.Answer) { r.reseeded(value, a) }))
		}
	}
}

// seedsOf is equal while the same is compared.
func (r *Room) seedsOf() string {
	var text strings.Builder
	text.WriteString(r.runs() + " " + strconv.Itoa(r.number()))
	for _, name := range r.State.On {
		text.WriteString(" " + name)
	}
	return text.String()
}

// twoBest are the names of the two systems that are first, no bounds.
func (r *Room) twoBest() []string {
	at := r.Info.Quantity(r.Info.Say.Quantity)
	lower := r.Info.Quantities[at].Better < 0
	type contender struct {
		name  string
		value float64
	}
	var list []contender
	for i := range r.Runs {
		if x := &r.Runs[i]; x.Shown() && !x.Stale && !x.System.Bound {
			if v, ok := x.Report.Value(at); ok {
				list = append(list, contender{x.System.Name, v})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b contender) int {
		switch {
		case a.value == b.value:
			return 0
		case a.value > b.value != lower:
			return -1
		}
		return 1
	})
	var names []string
	for _, x := range list[:min(2, len(list))] {
		names = append(names, x.name)
	}
	return names
}

// stopSeeds ends the runs with other seeds.
func (r *Room) stopSeeds() {
	calls.Stop(r.seeds.calls...)
	r.seeds = seeding{}
}

// reseeded takes what came of a run with another seed.
func (r *Room) reseeded(value *float64, a *exec.Answer) {
	if a.Report != nil {
		if v, ok := a.Report.Value(r.Info.Quantity(r.Info.Say.Quantity)); ok {
			*value = v
		}
	}
	if r.seeds.left--; r.seeds.left == 0 {
		r.Rev++
	}
}

// seedValues are what is known of a run with other seeds, nothing before all of it is.
func (r *Room) seedValues(x *Run) []float64 {
	if r.seeds.left > 0 || r.seeds.of == "" || x.Stale || r.seeds.of != r.seedsOf() {
		return nil
	}
	return r.seeds.values[x.System.Name]
}
