package system

import (
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
)

// A Param is a parameter of one system, or of several that are variants of each
// other. It is declared in the system's package.
type Param struct {
	Key               string // stable: in URLs, in JSON, on the command line
	Label, Help       string
	Source            string // where the default comes from
	Unit              string
	Scale             int64  // base units in one Unit
	Min, Max, Default int64  // in base units
	Config            string // key in the G10 artifact's .config files, empty if none
}

// Params holds the values of systems' own parameters that are not the default,
// by key in order: "lookahead=4 safety=250". It is text, so that options can be
// copied and compared; each Param reads and writes its own part.
type Params string

// Of returns the parameter's value in o.
func (p *Param) Of(o *Options) int64 {
	for field := range strings.FieldsSeq(string(o.Params)) {
		if text, ok := strings.CutPrefix(field, p.Key+"="); ok {
			v, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				panic("system: options with parameters " + strconv.Quote(string(o.Params)))
			}
			return v
		}
	}
	return p.Default
}

// Set changes the parameter's value in o.
func (p *Param) Set(o *Options, v int64) {
	fields := slices.DeleteFunc(strings.Fields(string(o.Params)), func(field string) bool {
		return strings.HasPrefix(field, p.Key+"=")
	})
	if v != p.Default {
		fields = append(fields, p.Key+"="+strconv.FormatInt(v, 10))
		slices.Sort(fields)
	}
	o.Params = Params(strings.Join(fields, " "))
}

// Knob returns the parameter as one of the options' knobs.
func (p *Param) Knob() knob.Knob[Options] {
	return knob.Knob[Options]{
		Info: knob.Info{
			Key: p.Key, Config: p.Config, Label: p.Label, Help: p.Help, Source: p.Source, Group: group,
			Unit: p.Unit, Scale: p.Scale, Min: p.Min, Max: p.Max,
		},
		Get: p.Of, Set: p.Set,
	}
}
