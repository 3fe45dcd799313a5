package model

import (
	"slices"
	"strconv"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/chart"
)

// mapID is what a section's map is called among the charts of the page.
func mapID(section, m string) string { return "section-" + section + "-" + m }

// Maps returns the maps of a section as charts.
func (r *Room) Maps(v *SectionView) []chart.View {
	if v.Shown == nil {
		return nil
	}
	list := make([]chart.View, len(v.Shown.Maps))
	for i := range list {
		m := &v.Shown.Maps[i]
		list[i] = chart.Cells(mapID(v.Key, m.ID), m, r.State.Look)
		list[i].Note = v.Title
	}
	return list
}

// PickCell does what picking a cell of the map with this ID does, and reports
// whether there is such a map.
func (r *Room) PickCell(id string, n int64) bool {
	for key, x := range r.sections {
		if x.shown == nil {
			continue
		}
		for i := range x.shown.Maps {
			if m := &x.shown.Maps[i]; mapID(key, m.ID) == id && m.Pick.Key != "" {
				r.pick(&m.Pick, n)
				return true
			}
		}
	}
	return false
}

func (r *Room) pick(p *report.Pick, n int64) {
	if r.Info.Section(p.Section) != nil {
		r.section(p.Section).open = true
	}
	r.Change("look "+p.Key, func() {
		pairs, err := knob.Pairs(p.Set)
		if err == nil {
			err = r.State.Look.Apply(append(pairs, knob.Pair{Key: p.Key, Text: strconv.FormatInt(n, 10)}))
		}
		if err != nil {
			r.session.Notice = prose.Capital(err.Error()) + "."
		}
	})
}

// offer makes a field for any text a list, where its section offers texts for it.
func offer(f *Field, s *report.Section) {
	if f.Kind != knob.Word || s == nil {
		return
	}
	at := slices.IndexFunc(s.Offers, func(o report.Offers) bool { return o.Key == f.Key })
	if at < 0 || len(s.Offers[at].Choices) == 0 {
		return
	}
	list := make([]knob.Choice, len(s.Offers[at].Choices))
	for i, o := range s.Offers[at].Choices {
		list[i] = knob.Choice{Key: o.Text, Label: o.Label}
	}
	f.Kind, f.Options = knob.One, offered(list, f.Text)
}
