package runs

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/ui/model/results"
	"spillway/ui/model/state"
)

// moreSeeds is how many other seeds the two best systems are run with where random numbers
// decide who is first.
const moreSeeds = 2

// reseeds is runs with other seeds, for the headline.
type reseeds struct {
	asker *results.Asker
	of    string                     // what is compared
	wants map[string][]*results.Want // by system; nil where there is no other seed
}

// Idle asks for what is only worth its time when nobody waits for anything: in a laboratory
// where random numbers decide between those that are near, runs of the two best systems
// with other seeds.
func (r *Runs) Idle() {
	seed := r.room.Info.Say.Seed
	if seed == "" || r.room.State.View != state.Explore || r.Blocked() != "" || r.Active() {
		return
	}
	best := r.twoBest()
	of := r.seedsOf()
	if len(best) < 2 || of == r.reseeds.of {
		return
	}
	r.stopSeeds()
	r.reseeds.of, r.reseeds.wants = of, map[string][]*results.Want{}
	from, err := strconv.Atoi(r.room.State.Setup.Text(seed))
	if err != nil {
		return
	}
	var list []results.Run
	for _, name := range best {
		for k := range moreSeeds {
			u := r.files.Meanwhile(r.room.State.Setup).Clone()
			if u.Set(seed, strconv.Itoa(from+1+k)) == nil { // else it is the last that there is
				list = append(list, results.Run{Setup: u.String(), System: name, Files: r.files.NumberNow()})
			}
		}
	}
	r.reseeds.asker.Wants(list)
	for _, x := range list {
		r.reseeds.wants[x.System] = append(r.reseeds.wants[x.System], r.reseeds.asker.Want(x))
	}
}

// seedsOf is equal while the same is compared.
func (r *Runs) seedsOf() string {
	var text strings.Builder
	text.WriteString(r.files.Runs() + " " + strconv.Itoa(r.files.NumberNow()))
	for _, name := range r.room.State.On {
		text.WriteString(" " + name)
	}
	return text.String()
}

// twoBest are the names of the two systems that are first, no bounds.
func (r *Runs) twoBest() []string {
	at := r.room.Info.Quantity(r.room.Info.Say.Quantity)
	lower := r.room.Info.Quantities[at].Better < 0
	type contender struct {
		name  string
		value float64
	}
	var list []contender
	for i := range r.List {
		if x := &r.List[i]; x.Shown() && !x.Stale && !x.System.Bound {
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
func (r *Runs) stopSeeds() {
	r.reseeds.asker.Wants(nil)
	r.reseeds.of, r.reseeds.wants = "", nil
}

// reseeded takes what came of runs with other seeds.
func (r *Runs) reseeded([]*results.Want) {
	if !r.reseeds.asker.Active() {
		r.room.Rev++
	}
	r.room.Draw()
}

// seedValues are what is known of a run with other seeds, nothing before all of it is; what
// cannot run is not a number.
func (r *Runs) seedValues(x *Run) []float64 {
	wants := r.reseeds.wants[x.System.Name]
	if len(wants) == 0 || r.reseeds.asker.Active() || x.Stale || r.reseeds.of != r.seedsOf() {
		return nil
	}
	at := r.room.Info.Quantity(r.room.Info.Say.Quantity)
	values := slices.Repeat([]float64{math.NaN()}, moreSeeds)
	for k, w := range wants {
		if w.Result != nil && w.Result.Report != nil {
			if v, ok := w.Result.Report.Value(at); ok {
				values[k] = v
			}
		}
	}
	return values
}
