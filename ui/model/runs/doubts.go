package runs

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/order"
	"spillway/ui/model/results"
	"spillway/ui/model/state"
)

// moreSeeds is how many other seeds the two best systems are run with where random numbers
// decide who is first.
const moreSeeds = 2

// doubts is runs that say whether the order of the two best holds: with other seeds, or with
// what the results rest on at both ends of its band.
type doubts struct {
	asker *results.Asker
	of    string                     // what is compared
	wants map[string][]*results.Want // by system; nil where there is no other seed
}

// Idle asks for what is only worth its time when nobody waits for anything: whether the two
// best systems keep their order where random numbers or estimates decide.
func (r *Runs) Idle() {
	if r.room.State.View != state.Explore || r.Blocked() != "" || r.Active() || r.room.Info.Say.Seed == "" && r.room.Info.Say.Scaled == "" {
		return
	}
	best := r.twoBest()
	of := r.comparedNow()
	if len(best) < 2 || of == r.doubts.of {
		return
	}
	r.stopDoubts()
	r.doubts.of, r.doubts.wants = of, map[string][]*results.Want{}
	others := r.others(best[0])
	var list []results.Run
	for _, name := range best {
		for _, setup := range others {
			list = append(list, results.Run{Setup: setup, System: name, Files: r.files.NumberNow()})
		}
	}
	r.doubts.asker.Wants(list)
	for _, x := range list {
		r.doubts.wants[x.System] = append(r.doubts.wants[x.System], r.doubts.asker.Want(x))
	}
}

// others are the setups with which the order of the two best is tried: the next seeds, or both
// ends of the band that a report has.
func (r *Runs) others(system string) (setups []string) {
	say := &r.room.Info.Say
	setup := r.files.Meanwhile(r.room.State.Setup)
	with := func(key string, value int) {
		if u := setup.Clone(); u.Set(key, strconv.Itoa(value)) == nil { // else it is beyond the last
			setups = append(setups, u.String())
		}
	}
	if say.Seed != "" {
		if from, err := strconv.Atoi(setup.Text(say.Seed)); err == nil {
			for k := range moreSeeds {
				with(say.Seed, from+1+k)
			}
		}
	}
	if say.Scaled != "" {
		band := r.band(system)
		if now, err := strconv.Atoi(setup.Text(say.Scaled)); err == nil && band > 0 {
			with(say.Scaled, now*(100-band)/100)
			with(say.Scaled, now*(100+band)/100)
		}
	}
	return setups
}

// band is how far off what a system's result rests on may be, in percent; 0 where it is certain.
func (r *Runs) band(system string) int {
	at := r.room.Info.Quantity(r.room.Info.Say.Band)
	for i := range r.List {
		if x := &r.List[i]; x.System.Name == system && x.Shown() {
			if v, ok := x.Report.Value(at); ok {
				return int(min(v, 90))
			}
		}
	}
	return 0
}

// comparedNow is equal while the same is compared.
func (r *Runs) comparedNow() string {
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
		if x := &r.List[i]; x.Shown() && !x.Stale && !x.System.Bound && !x.System.Yardstick {
			if v, ok := x.Report.Value(at); ok {
				list = append(list, contender{x.System.Name, v})
			}
		}
	}
	order.Stable(list, func(a, b contender) int {
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

// stopDoubts ends the runs that try the order.
func (r *Runs) stopDoubts() {
	r.doubts.asker.Wants(nil)
	r.doubts.of, r.doubts.wants = "", nil
}

// tried takes what came of them.
func (r *Runs) tried([]*results.Want) {
	if !r.doubts.asker.Active() {
		r.room.Rev++
	}
	r.room.Draw()
}

// doubted is what is known of a run with other seeds, nothing before all of it is; what
// cannot run is not a number.
func (r *Runs) doubted(x *Run) []float64 {
	wants := r.doubts.wants[x.System.Name]
	if len(wants) == 0 || r.doubts.asker.Active() || x.Stale || r.doubts.of != r.comparedNow() {
		return nil
	}
	at := r.room.Info.Quantity(r.room.Info.Say.Quantity)
	values := slices.Repeat([]float64{math.NaN()}, len(wants))
	for k, w := range wants {
		if w.Result != nil && w.Result.Report != nil {
			if v, ok := w.Result.Report.Value(at); ok {
				values[k] = v
			}
		}
	}
	return values
}
