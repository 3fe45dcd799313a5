package exec

import (
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// A Record is the JSON of one system's run, the same from the page and from the command.
// Names and meanings are stable.
type Record struct {
	Program  string             `json:"program" help:"name and version of what computed it, Go version, platform"`
	Lab      string             `json:"lab" help:"name of the laboratory"`
	System   string             `json:"system" help:"name of the system"`
	Workload string             `json:"workload" help:"what ran, its name for people"`
	Setup    string             `json:"setup" help:"all settings that are not as by default, as a text: spillway run lab=LAB --setup SETUP sets them again"`
	Fits     bool               `json:"fits" help:"false if the system cannot run it"`
	Reason   string             `json:"reason" help:"why it cannot"`
	Values   map[string]float64 `json:"values" help:"by quantity (see spillway list), those that this run has; none if it does not fit"`
	Notes    []string           `json:"notes" help:"what the reader should know"`
	Ignored  []string           `json:"ignored,omitempty" help:"keys of settings that were set and that the system does not use"`
	About    string             `json:"about" help:"what ran, in numbers"`
	Origin   string             `json:"origin" help:"where that comes from"`
	Hash     string             `json:"hash" help:"of the whole result: equal results have equal hashes on every platform"`
}

// RecordOf returns a run of which there is no report yet.
func RecordOf(i *lab.Info, system string, u *knob.Setup) Record {
	return Record{Lab: i.Name, System: system, Setup: i.SetupText(u), Values: map[string]float64{}, Notes: []string{}}
}

// Say adds what a report says.
func (r *Record) Say(i *lab.Info, x *report.Report, hash string) {
	r.Fits, r.Reason, r.About, r.Origin, r.Hash = x.Fits, x.Reason, x.About, x.Origin, hash
	r.Notes = append([]string{}, x.Notes...)
	r.Ignored = x.Ignored
	for k := range i.Quantities {
		if v, ok := x.Value(k); ok {
			r.Values[i.Quantities[k].Key] = v
		}
	}
}
