package g10

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

//go:embed doubts.csv
var doubtsCSV string

// A Sensitive is what corrected mode says of the headline workloads with one
// value of a parameter whose true value is not known.
type Sensitive struct {
	Value int64 // of the parameter, in its knob's base units
	// Usual is true of the value that everything else is computed with.
	Usual bool
	Survivor
	all []Survival
}

// Sensitivity returns the sums of corrected mode for every value of a doubted
// parameter, its default among them, in the order of the doubt's values.
func Sensitivity(d *machine.Doubt, times workload.TimeSource) []Sensitive {
	type run struct{ value, model, system string }
	cycles := map[run]unit.Cycles{}
	for _, f := range records("doubts.csv", doubtsCSV)[1:] {
		if f[0] == d.Key && f[2] == string(times) {
			cycles[run{f[1], f[3], f[5]}] = unit.Cycles(integer(f[6]))
		}
	}
	base := Survive()
	list := []Sensitive{{usual(d.Key), true, survivor(base, times, true), base}}
	for _, v := range d.Values {
		if v == list[0].Value {
			continue
		}
		all := slices.Clone(base)
		for i := range all {
			s := &all[i]
			if c, ok := cycles[run{strconv.FormatInt(v, 10), s.Model, s.System}]; ok && s.Times == times {
				s.Corrected = c
			}
		}
		list = append(list, Sensitive{v, false, survivor(all, times, true), all})
	}
	rising := d.Values[0] < d.Values[len(d.Values)-1]
	slices.SortFunc(list, func(a, b Sensitive) int {
		if rising {
			return int(a.Value - b.Value)
		}
		return int(b.Value - a.Value)
	})
	return list
}

// usual is the default of a machine's parameter.
func usual(key string) int64 {
	m := machine.G10()
	for _, k := range machine.Knobs() {
		if k.Key == key {
			return k.Get(&m)
		}
	}
	panic("g10: no parameter " + key) // machine.Doubts names one that is not there
}

// A Doubtful is a parameter of unknown value with the unit and name that people
// read.
type Doubtful struct {
	machine.Doubt
	Label string
}

// Doubts returns the doubted parameters that corrected conclusions hang on.
func Doubts() []Doubtful {
	var list []Doubtful
	for _, d := range machine.Doubts() {
		for _, k := range machine.Knobs() {
			if k.Key == d.Key {
				list = append(list, Doubtful{d, k.Label})
			}
		}
	}
	return list
}

// Times returns how many times as fast one system is as another, either of which
// may be Ideal: the geometric mean over the networks that both can run.
func (s *Sensitive) Times(fast, slow string) float64 {
	speed := func(model, system string) float64 {
		for i := range s.all {
			if x := &s.all[i]; x.Times == s.Survivor.Times && x.Model == model && x.System == system {
				return x.Speed(true)
			}
		}
		return 0
	}
	var g geomean
	for _, p := range Headline() {
		if a, b := speed(p.Model, fast), speed(p.Model, slow); a > 0 && b > 0 {
			g.add(a / b)
		}
	}
	return g.value()
}

// hang says what a speedup is with each value of a doubted parameter: "1.80 with
// 256, 2.45 with 64, 55.1 with 1".
func hang(list []Sensitive, fast, slow string) string {
	parts := make([]string, len(list))
	for i := range list {
		parts[i] = fmt.Sprintf("%s with %d", short(list[i].Times(fast, slow)), list[i].Value)
	}
	return strings.Join(parts, ", ")
}

// short prints a speedup with three digits.
func short(x float64) string {
	switch {
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// noticeable is by which factor a doubted parameter must change a speedup to be
// named beside it.
const noticeable = 1.05

// hangs reports whether a speedup hangs on a doubted parameter.
func hangs(list []Sensitive, fast, slow string) bool {
	least, most := math.Inf(1), 0.0
	for i := range list {
		x := list[i].Times(fast, slow)
		least, most = min(least, x), max(most, x)
	}
	return most > noticeable*least
}

// beside is what must stand next to a speedup in corrected mode: what it is with
// other values of what nobody knows. It is empty if it hardly changes.
func beside(times workload.TimeSource, fast, slow string) string {
	var parts []string
	for _, d := range Doubts() {
		if list := Sensitivity(&d.Doubt, times); hangs(list, fast, slow) {
			parts = append(parts, fmt.Sprintf("this hangs on %s, of which nobody knows the true number: %s.", strings.ToLower(d.Label), hang(list, fast, slow)))
		}
	}
	return strings.Join(parts, " ")
}

// hanging says, for both systems that fault, from what to what G10's speedup over
// it goes with what nobody knows.
func hanging(times workload.TimeSource) string {
	var text strings.Builder
	for _, d := range Doubts() {
		list := Sensitivity(&d.Doubt, times)
		first, last := &list[0], &list[len(list)-1]
		var parts []string
		for _, system := range []string{"uvm", "deepum+"} {
			if hangs(list, "g10", system) {
				parts = append(parts, fmt.Sprintf("over %s from %s to %s", Title(system), short(first.Times("g10", system)), short(last.Times("g10", system))))
			}
		}
		if len(parts) > 0 {
			text.WriteString(fmt.Sprintf(" This hangs on %s, of which nobody knows the true number: from %d to %d of them it goes %s.",
				strings.ToLower(d.Label), first.Value, last.Value, strings.Join(parts, ", ")))
		}
	}
	return text.String()
}
