package filesys

import (
	"testing"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
	"spillway/ui/lab/labtest"
)

func TestEngine(t *testing.T) {
	type setup = machine.Setup
	e := labtest.Engine[setup]{Chances: 3, Slack: 1, Better: []labtest.Better[setup]{
		{Name: "twice the channels", Set: func(m *setup) { m.Device.Channels *= 2 }},
		{Name: "twice the DRAM of the SSD", Set: func(m *setup) { m.Device.DRAM *= 2 }},
		{Name: "twice the page cache", Set: func(m *setup) { m.Host.Cache *= 2 }},
		{Name: "flash reads in half the time", Set: func(m *setup) { m.Device.Read /= 2 }},
		{Name: "flash programs in half the time", Set: func(m *setup) { m.Device.Program /= 2 }},
		{Name: "pages on the link in half the time", Set: func(m *setup) { m.Device.Transfer /= 2 }},
		{Name: "lines in half the time", Set: func(m *setup) {
			m.Device.LineRead, m.Device.LineWrite = m.Device.LineRead/2, m.Device.LineWrite/2
		}},
	}}
	for _, recipe := range load.Recipes() {
		for _, system := range core.Systems {
			e.Cases = append(e.Cases, labtest.Case[setup]{Name: system.Name + " on " + recipe.Name, Run: func(x labtest.Try[setup]) (took, least unit.Time) {
				m, r := machine.Default(), recipe
				m.Scale, m.Seed = 256, m.Seed+x.Chance
				x.Change(&m)
				if x.Slow {
					labtest.Twice(&m)
					labtest.Twice(&r)
				}
				w, err := load.Generate(&r, &m)
				if err != nil {
					t.Fatal(err)
				}
				if bound, err := core.Bound(w, &m); err == nil {
					least = bound.Time
				} else if _, unsure := core.IsUnsure(err); !unsure {
					t.Fatal(err)
				}
				if got, err := core.Run(w, &m, system.Name, nil, nil); err == nil { // else the device is full
					took = got.Time
				}
				return took, least
			}})
		}
	}
	labtest.Engines(t, e)
}
