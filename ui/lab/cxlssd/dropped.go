package cxlssd

import (
	"fmt"

	core "spillway/sim/cxlssd"
	"spillway/sim/prose"
	"spillway/sim/report"
)

// dropped compares designs that drop dirty pages as the artifact does with the same that write
// them: the two ends between which they are.
func (v *view) dropped() (*report.Section, error) {
	systems := v.beside(withAll)
	drops, writes := *v.s, *v.s
	drops.Quirks |= core.DemotionLost
	writes.Quirks &^= core.DemotionLost
	t := report.Table{Key: "designs",
		Title: "Speed, of DRAM-only's, and flash programs: dirty pages that leave host DRAM are dropped, or written",
		Head:  []string{"Design", "Dropped: speed", "Written: speed", "Dropped: programs", "Written: programs", "Own lines lost"},
	}
	out := &report.Section{}
	dram, err := core.Run(v.w.Workload, v.s, ideal, nil, nil)
	if err != nil {
		return nil, err
	}
	speed := func(r *core.Result) float64 { return part(int64(dram.Time), int64(r.Time)) }
	for i, x := range systems {
		if x.DRAM {
			continue
		}
		var ends [2]*core.Result
		for k, s := range []*core.Setup{&drops, &writes} {
			r, err := core.Run(v.w.Workload, s, x.Name, nil, nil)
			if err != nil {
				return nil, err
			}
			ends[k] = r
			if d := v.mechanisms(x); !d.Log || d.Promote == core.NoPromotion {
				ends[1] = r // nothing of it can be dropped
				break
			}
		}
		if v.p != nil {
			v.p(i+1, len(systems))
		}
		lost := report.DashCell()
		if ends[0] != ends[1] {
			lost = report.CountCell(ends[0].LinesLost)
			out.Text = append(out.Text, fmt.Sprintf("%s has %s of DRAM-only's speed and programs %s pages where it drops what leaves host DRAM dirty, %s and %s where it writes it.",
				x.Title, prose.Percent(speed(ends[0])), prose.Grouped(programs(ends[0])), prose.Percent(speed(ends[1])), prose.Grouped(programs(ends[1]))))
		}
		t.Rows = append(t.Rows, report.Row{Head: x.Title, Cells: []report.Cell{
			shareCell(int64(dram.Time), int64(ends[0].Time)), shareCell(int64(dram.Time), int64(ends[1].Time)),
			report.CountCell(programs(ends[0])), report.CountCell(programs(ends[1])), lost,
		}})
	}
	now := "written"
	if v.s.Quirks.Has(core.DemotionLost) {
		now = "dropped"
	}
	out.Tables = []report.Table{t}
	out.Notes = []string{"Here they are " + now + " now (switch demotion-lost under Fidelity). Designs without a log write them in both; those without promotion have none."}
	return out, nil
}
