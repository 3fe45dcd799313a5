package question

import (
	"strings"

	"spillway/sim/report"
	"spillway/ui/chart"
)

// ranking compares the systems of the question, the best first.
func (a *answers) ranking() chart.Answer {
	p := a.now
	if p == nil || len(p.variants) == 0 {
		return chart.Answer{}
	}
	pieces, trust := a.form.Brief()
	k := &chart.Ranking{
		Info: a.room.Info, Setup: a.room.State.Setup, Of: a.asked(), Columns: a.columns(), Active: a.Active(),
		Note: strings.Join(pieces, " · "), Mode: strings.Join(trust, " · "),
	}
	for _, name := range p.systems {
		sys, _ := a.room.Info.System(name) // of the laboratory's own
		x := chart.Ranked{System: sys}
		if o := a.of(p, 0, name); o != nil {
			x.Known, x.Values, x.Unfit, x.Why = true, o.Values, o.Unfit, o.Problem+o.Error
		}
		k.Systems = append(k.Systems, x)
	}
	return k.Answer()
}

// columns are the quantities that a ranking shows beside the one that decides.
func (a *answers) columns() []*report.Quantity {
	keys := a.room.Info.Rank
	if len(keys) == 0 {
		keys = append([]string{a.room.Info.Say.Quantity}, a.room.Info.Say.Change...)
	}
	var list []*report.Quantity
	for _, key := range keys {
		if at := a.room.Info.Quantity(key); at >= 0 && at != a.Of() {
			list = append(list, &a.room.Info.Quantities[at])
		}
	}
	return list
}
