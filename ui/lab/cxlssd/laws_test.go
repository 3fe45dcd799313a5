package cxlssd

import (
	"slices"
	"testing"

	core "spillway/sim/cxlssd"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
	"spillway/ui/lab/labtest"
)

// TestEngine: flash reads in half the time come with a threshold as much lower: below it no read
// switches threads, so that with 1.5 µs instead of 3 and a threshold of 2 µs designs that switch are
// up to 16 % slower.
func TestEngine(t *testing.T) {
	e := labtest.Engine[core.Setup]{Chances: 3, Slack: 1, Better: []labtest.Better[core.Setup]{
		{Name: "twice the channels", Set: func(s *core.Setup) { s.Channels *= 2 }},
		{Name: "twice the DRAM", Set: func(s *core.Setup) { s.DRAM *= 2 }},
		{Name: "twice the host DRAM", Set: func(s *core.Setup) { s.Host *= 2 }},
		{Name: "flash reads in half the time", Set: func(s *core.Setup) { s.Read, s.Threshold = s.Read/2, s.Threshold/2 }},
		{Name: "flash programs in half the time", Set: func(s *core.Setup) { s.Program /= 2 }},
		{Name: "half the latency of the link", Set: func(s *core.Setup) { s.Link /= 2 }},
		{Name: "switches in half the time", Set: func(s *core.Setup) { s.Switch /= 2 }},
	}}
	for _, r := range stream.Recipes() {
		w, err := stream.Find(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		slow := &stream.Workload{Name: w.Name, Recipe: w.Recipe, Seed: w.Seed}
		slow.Recipe.Classes = slices.Clone(w.Recipe.Classes)
		labtest.Twice(&slow.Recipe)
		for i := range core.Systems {
			name := core.Systems[i].Name
			e.Cases = append(e.Cases, labtest.Case[core.Setup]{Name: name + " on " + w.Name, Run: func(x labtest.Try[core.Setup]) (unit.Time, unit.Time) {
				s, w := core.Default(), w
				s.Scale, s.Seed = 64, s.Seed+x.Chance
				x.Change(&s)
				if x.Slow {
					w = slow
					labtest.Twice(&s)
				}
				least, err := core.Bound(w, &s)
				if err != nil {
					t.Fatal(err)
				}
				got, err := core.Run(w, &s, name, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				return got.Time, least
			}})
		}
	}
	labtest.Engines(t, e)
}
