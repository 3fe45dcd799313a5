package model

import (
	"strings"

	"spillway/sim/report"
	"spillway/ui/chart"
)

// ranking compares the systems of the question, the best first.
func (r *Room) ranking() chart.Answer {
	p := r.Ask.now
	if p == nil || len(p.variants) == 0 {
		return chart.Answer{}
	}
	pieces, trust := r.Brief()
	k := &chart.Ranking{
		Info: r.Info, Setup: r.State.Setup, Of: r.asked(), Columns: r.columns(), Active: r.Ask.Active(),
		Note: strings.Join(pieces, " · "), Mode: strings.Join(trust, " · "),
	}
	for _, name := range p.systems {
		sys, _ := r.Info.System(name) // of the laboratory's own
		x := chart.Ranked{System: sys}
		if o := r.Ask.of(p, 0, name); o != nil {
			x.Known, x.Values, x.Unfit, x.Why = true, o.Values, o.Unfit, o.Problem+o.Error
		}
		k.Systems = append(k.Systems, x)
	}
	return k.Answer()
}

// columns are the quantities that a ranking shows beside the one that decides.
func (r *Room) columns() []*report.Quantity {
	keys := r.Info.Rank
	if len(keys) == 0 {
		keys = append([]string{r.Info.Say.Quantity}, r.Info.Say.Change...)
	}
	var list []*report.Quantity
	for _, key := range keys {
		if at := r.Info.Quantity(key); at >= 0 && at != r.Ask.Of() {
			list = append(list, &r.Info.Quantities[at])
		}
	}
	return list
}
