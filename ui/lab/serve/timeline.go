package serve

import (
	"fmt"

	core "spillway/sim/serve"
	"spillway/sim/timeline"
	"spillway/ui/lab"
	"spillway/ui/lab/timefiles"
)

// timed is a run over time.
func timed(v *view) (*timefiles.Run, error) {
	sys, err := v.Settings.system(v.System)
	if err != nil {
		return nil, err
	}
	x, err := v.Settings.setting(v.System, v.Workload.own)
	if err != nil {
		return nil, err
	}
	r, t, err := core.Record(v.Workload.Workload, &x, v.Window, v.Progress)
	if err != nil {
		return nil, err
	}
	if !r.Ran() {
		return nil, fmt.Errorf("%s cannot serve it: %s", sys.Title, r.Refused)
	}
	c, makes := &chain{t: t}, why()
	return &timefiles.Run{
		Timeline: t, Chain: c.of, For: c.finder, Resources: makes.Resources(),
		Origin: v.Origin, System: sys.Title, About: v.Workload.about, Workload: v.Workload.origin,
	}, nil
}

// A chain says what waits of requests and engines came of.
type chain struct{ t *timeline.Timeline }

// of is the chain of a wait: what moves meanwhile, or what engines do.
func (c *chain) of(track, slice int) []lab.ChainLink {
	x := &c.t.Tracks[track]
	switch c.t.Cats[x.Cat[slice]].Style {
	case timeline.Waiting, timeline.Moving:
	default:
		return nil
	}
	from, to := x.Begin[slice], x.End[slice]
	own := x.Ref[slice]
	best, at, most := -1, -1, int64(0)
	for n := range c.t.Tracks {
		y := &c.t.Tracks[n]
		if n == track || y.Kind != timeline.Link && y.Kind != timeline.State {
			continue
		}
		i, ticks := y.Longest(from, to, func(i int) bool {
			return y.Kind == timeline.State && c.t.Cats[y.Cat[i]].Style == timeline.Working || y.Kind == timeline.Link && y.Ref[i] == own
		})
		if y.Kind == timeline.Link && i >= 0 { // its own keys and values say more than what others do
			ticks += to - from
		}
		if i >= 0 && ticks > most {
			best, at, most = n, i, ticks
		}
	}
	if best < 0 {
		return nil
	}
	y := &c.t.Tracks[best]
	if y.Kind == timeline.Link {
		return []lab.ChainLink{{Text: fmt.Sprintf("%s: keys and values of %s, in %v.", y.Name, c.t.Names[y.Label[at]], c.t.Tick.Time(y.End[at]-y.Begin[at])), Track: best, Begin: y.Begin[at]}}
	}
	return []lab.ChainLink{{Text: fmt.Sprintf("Meanwhile the engine computes %s of others, for %v.", c.t.Cats[y.Cat[at]].Label, c.t.Tick.Time(min(to, y.End[at])-max(from, y.Begin[at]))), Track: best, Begin: y.Begin[at]}}
}

// forLink is the place of the link among the causes, from 1.
const forLink = 1

// finder says what engines wait for: keys and values that come, where nothing else is to do.
func (c *chain) finder() func(track, slice int) uint8 {
	return func(track, slice int) uint8 {
		if x := &c.t.Tracks[track]; x.Kind == timeline.State && core.Doing(x.Cat[slice]) == core.Fetching {
			return forLink
		}
		return 0
	}
}

// timelineTotals are the quantities that its slices add up to.
func timelineTotals() []lab.Total {
	var list []lab.Total
	for d, x := range doings {
		list = append(list, lab.Total{Quantity: x, Column: "ticks", Where: map[string]string{"pid": "1", "name": core.Doing(d).String()}, Over: "tid", Among: map[string]string{"pid": "1"}, Unit: 1e12})
	}
	return list
}
