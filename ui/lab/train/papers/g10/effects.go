package g10

import (
	_ "embed"
	"slices"
	"strconv"

	"spillway/sim/train"
	"spillway/sim/train/quirk"
	"spillway/sim/unit"
)

//go:embed effects.csv
var effectsCSV string

// An Effect is what one accident of the published simulator does to one system
// on one of the five headline workloads (G10 paper, Figure 11) with their
// measured kernel times and the machine of Table 2. Times are those of the
// reported iteration in cycles of 1.2 GHz; 0 means that it does not fit.
type Effect struct {
	Quirk  quirk.Set
	Model  string // as in the model zoo
	Batch  int
	System string
	// Published is the time with all quirks, Without the time with all but this one.
	Published, Without unit.Cycles
	// Corrected is the time without quirks, With the time with this one alone.
	Corrected, With unit.Cycles
}

// Removed returns by which share the published time changes when the accident
// is removed. ok is false when one of the two runs does not fit.
func (e *Effect) Removed() (share float64, ok bool) { return change(e.Published, e.Without) }

// Added returns by which share the corrected time changes when the accident is added.
func (e *Effect) Added() (share float64, ok bool) { return change(e.Corrected, e.With) }

func change(before, after unit.Cycles) (share float64, ok bool) {
	if before == 0 || after == 0 {
		return 0, before == after
	}
	return float64(after)/float64(before) - 1, true
}

// Effects returns what each quirk does to each system it may change, by quirk,
// workload and system: "what changes when this accident is removed".
func Effects() []Effect {
	type run struct {
		quirk, model, batch, system string
	}
	times := map[run][2]unit.Cycles{}
	for _, f := range records("effects.csv", effectsCSV)[1:] {
		times[run{f[0], f[1], f[2], f[3]}] = [2]unit.Cycles{unit.Cycles(integer(f[4])), unit.Cycles(integer(f[5]))}
	}
	var es []Effect
	workloads := Headline()
	for _, q := range quirk.All() {
		affected := Affected(q.Quirk)
		for _, p := range workloads {
			for _, system := range affected {
				r := run{noQuirk, p.Model, strconv.Itoa(p.Batch), system}
				base := times[r]
				r.quirk = q.Key
				changed, ok := times[r]
				if !ok { // the file leaves out what changes nothing
					changed = base
				}
				es = append(es, Effect{q.Quirk, p.Model, p.Batch, system, base[0], changed[0], base[1], changed[1]})
			}
		}
	}
	return es
}

// Affected returns which of the paper's systems a quirk may change.
func Affected(q quirk.Set) []string {
	return slices.DeleteFunc(train.Reading(q), func(name string) bool { return !slices.Contains(Systems, name) })
}

// noQuirk marks the rows of effects.csv that others are compared with.
const noQuirk = "none"
