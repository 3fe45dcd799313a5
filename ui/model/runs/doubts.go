package runs

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/order"
	"spillway/sim/report"
	"spillway/ui/model/calls"
	"spillway/ui/model/results"
	"spillway/ui/model/state"
)

// moreSeeds is how many other seeds systems are run with where random numbers decide.
const moreSeeds = 2

// doubts is runs that say how sure results are: all systems with other seeds, or the two best with
// what the results rest on at both ends of its band.
type doubts struct {
	asker *results.Asker
	of    string                     // what is compared
	wants map[string][]*results.Want // by system; nil where there is no other seed
}

// doubtsOf asks for runs with other seeds, whose curves are drawn too, or for values.
func doubtsOf(r *Runs, s *results.Store) doubts {
	a := s.ValueAsker()
	if r.random() {
		a = s.Asker(calls.Behind)
		a.Passing = true
	}
	a.Told, a.Ended = r.room.Draw, r.tried
	return doubts{asker: a}
}

// random reports whether random numbers decide results.
func (r *Runs) random() bool { return r.room.Info.Say.Seed != "" }

// Idle asks for what is only worth its time when nobody waits for anything: what all systems are
// with other random numbers, where these decide, and whether the two best keep their order where
// estimates do.
func (r *Runs) Idle() {
	if r.room.State.View != state.Explore || r.Blocked() != "" || r.Active() || !r.random() && r.room.Info.Say.Scaled == "" {
		return
	}
	list := r.doubtful()
	of := r.comparedNow()
	if len(list) == 0 || of == r.doubts.of {
		return
	}
	r.stopDoubts()
	r.doubts.of, r.doubts.wants = of, map[string][]*results.Want{}
	others := r.others(list[0])
	var runs []results.Run
	for _, name := range list {
		for _, setup := range others {
			runs = append(runs, results.Run{Setup: setup, System: name, Files: r.files.NumberNow()})
		}
	}
	r.doubts.asker.Wants(runs)
	for _, x := range runs {
		r.doubts.wants[x.System] = append(r.doubts.wants[x.System], r.doubts.asker.Want(x))
	}
}

// others are the setups with which systems are tried: the next seeds, or both
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

// doubtful are the names of the systems whose results may be others: where random numbers decide all
// that run, and else the two that are first, no bounds.
func (r *Runs) doubtful() []string {
	at := r.room.Info.Quantity(r.room.Info.Say.Quantity)
	lower := r.room.Info.Quantities[at].Better < 0
	type contender struct {
		name  string
		value float64
	}
	var list []contender
	for i := range r.List {
		x := &r.List[i]
		if !x.Shown() || x.Stale || x.System.Bound || x.System.Yardstick && !r.random() {
			continue
		}
		if v, ok := x.Report.Value(at); ok {
			list = append(list, contender{x.System.Name, v})
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
	if !r.random() {
		if len(list) < 2 {
			return nil
		}
		list = list[:2]
	}
	var names []string
	for _, x := range list {
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

// doubted is what is known of a run with other seeds, or at the ends of the band, nothing before all
// of it is: the values of what decides, which are not numbers where it cannot run, and the reports.
func (r *Runs) doubted(x *Run) (values []float64, reports []*report.Report) {
	wants := r.doubts.wants[x.System.Name]
	if len(wants) == 0 || r.doubts.asker.Active() || x.Stale || r.doubts.of != r.comparedNow() {
		return nil, nil
	}
	at := r.room.Info.Quantity(r.room.Info.Say.Quantity)
	values = slices.Repeat([]float64{math.NaN()}, len(wants))
	for k, w := range wants {
		if w.Result == nil || w.Result.Report == nil {
			continue
		}
		if v, ok := w.Result.Report.Value(at); ok {
			values[k] = v
		}
		if r.random() {
			reports = append(reports, w.Result.Report)
		}
	}
	return values, reports
}
