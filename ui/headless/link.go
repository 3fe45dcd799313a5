package headless

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
)

// State is what a preset with some changes shows. Pairs are settings and whatever
// else links have: systems, view, figure, a chart's axis. Without a preset settings
// are as by default, as for the native command.
func State(i *lab.Info, preset string, pairs []knob.Pair) (*state.State, error) {
	var all []knob.Pair
	focus := ""
	if preset != "" {
		at := slices.IndexFunc(i.Presets, func(p lab.Preset) bool { return p.Key == preset })
		if at < 0 {
			return nil, fmt.Errorf("%s has no preset %q; there are %s", i.Title, preset, Presets(i))
		}
		all, _ = knob.Pairs(i.Presets[at].Set) // lab.New has checked it
		if on := i.Presets[at].Systems; len(on) > 0 {
			all = append(all, knob.Pair{Key: "systems", Text: strings.Join(on, ",")})
			focus = on[len(on)-1]
		}
	}
	for _, p := range pairs { // of a setting that is named again the later text counts
		all = slices.DeleteFunc(all, func(q knob.Pair) bool { return q.Key == p.Key && p.Key != "run" })
		all = append(all, p)
	}
	all = i.Setup().WithCompanions(all)
	s, err := link.Read(i, all)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "in this link: "))
	}
	i.Presume(s.Setup, all, nil)
	named := func(p knob.Pair) bool { return p.Key == state.FocusKey }
	switch chosen := slices.ContainsFunc(pairs, named); {
	case len(s.On) == 0 || chosen:
	case slices.Contains(s.On, focus):
		_ = s.Look.Set(state.FocusKey, focus) // the preset's
	default:
		_ = s.Look.Set(state.FocusKey, s.On[len(s.On)-1]) // it is one of the systems
	}
	return &s, nil
}

// Presets names the presets of a laboratory.
func Presets(i *lab.Info) string {
	var names []string
	for k := range i.Presets {
		names = append(names, i.Presets[k].Key)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}
