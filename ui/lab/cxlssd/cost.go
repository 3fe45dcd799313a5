package cxlssd

import (
	"fmt"

	core "spillway/sim/cxlssd"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// cost says what memory costs, what it does for the price, and how long flash lasts.
func (v *view) cost() (*report.Section, error) {
	systems := v.beside(withAll)
	results, err := v.each(systems, nil)
	if err != nil {
		return nil, err
	}
	var bound, r *core.Result
	for i, x := range systems {
		if x.DRAM {
			bound = results[i]
		}
		if x == v.system {
			r = results[i]
		}
	}
	price := core.PriceOf(v.s, v.design())
	out := &report.Section{
		Text:   []string{v.costs(&price, bound, r)},
		Tables: []report.Table{v.parts(&price), v.effects(systems, results, bound), v.lifetimes(systems, results), v.prices(bound, r)},
		Notes: []string{
			"Cost-effectiveness is the share of DRAM-only's speed divided by the share of its cost: above 1 a design does more for the money than DRAM. The paper counts flash against DRAM of its size; here the DRAM of the device and of the host counts, too.",
			"“Programs a page written” counts flash programs for each page that the device asks its flash to program: garbage collection adds to it, and gathering lines in a log does not lower it. “Programmed over written”, in the table of all numbers, is per line that requests write.",
			"Lifetimes assume that flash is written without pause as in the run; how often a block can be erased is set under Device.",
			"A log that is not compacted within the run says nothing about how long flash lasts: its programs are those of what it began with, and what it ends with is still to be programmed. More of the workload (Scale) or a smaller log compacts it.",
		},
	}
	if s := v.design(); s.DRAM {
		out.Notes = append(out.Notes, "DRAM-only has no flash: choose another design to see what one costs.")
	}
	return out, nil
}

// dollars writes thousandths of a dollar.
func dollars(x int64) string {
	return report.Dollars(float64(x) / 1000)
}

// costs is the finding.
func (v *view) costs(p *core.Price, bound, r *core.Result) string {
	if v.design().DRAM {
		return fmt.Sprintf("%v of DRAM cost %s.", v.s.Capacity(), dollars(p.Total()))
	}
	return fmt.Sprintf("%s costs %s for %v, DRAM of this size %s: %s times as much. It has %s of DRAM-only's speed, so it does %s times as much for the money.",
		v.system.Title, dollars(p.Total()), v.s.Capacity(), dollars(p.DRAM), times(p.Cheaper()), prose.Percent(part(int64(bound.Time), int64(r.Time))), times(p.Effect(r.Time, bound.Time)))
}

// times writes thousandths.
func times(x int64) string { return prose.Fixed(float64(x)/1000, 2) }

// thousandths is a cell of them.
func thousandths(x int64) report.Cell { return report.Textf("%s", times(x)).With(float64(x)/1000, "") }

// parts lists what the design costs.
func (v *view) parts(p *core.Price) report.Table {
	t := report.Table{Key: "parts", Title: "What " + v.system.Title + " costs", Head: []string{"Memory", "Size", "$ a GiB", "Price", "Of all"}}
	d := v.design()
	row := func(head string, size unit.Bytes, gb, x int64) {
		if x > 0 {
			t.Rows = append(t.Rows, report.Row{Head: head, Cells: []report.Cell{report.Textf("%v", size), report.Textf("%s", times(gb)).With(float64(gb)/1000, "$"), report.Textf("%s", dollars(x)).With(float64(x)/1000, "$"), shareCell(x, p.Total())}})
		}
	}
	row("Flash", v.s.Capacity(), v.s.FlashPrice, p.Flash)
	row("DRAM of the device", v.s.DRAM, v.s.DRAMPrice, p.DeviceDRAM)
	host := v.s.Host
	if d.DRAM {
		host = v.s.Capacity()
	}
	row("DRAM of the host", host, v.s.DRAMPrice, p.HostDRAM)
	row("All", v.s.Capacity(), unit.MulDiv(p.Total(), int64(unit.GiB), int64(max(1, v.s.Capacity()))), p.Total())
	return t
}

// effects compares designs.
func (v *view) effects(systems []*core.System, results []*core.Result, bound *core.Result) report.Table {
	t := report.Table{Key: "designs", Title: "What designs do for their price", Head: []string{"Design", "Price", "DRAM costs times as much", "Speed of DRAM-only's", "Cost-effectiveness"}}
	var best int64
	for i, x := range systems {
		p := core.PriceOf(v.s, v.mechanisms(x))
		best = max(best, p.Effect(results[i].Time, bound.Time))
	}
	for i, x := range systems {
		p := core.PriceOf(v.s, v.mechanisms(x))
		effect := p.Effect(results[i].Time, bound.Time)
		t.Rows = append(t.Rows, report.Row{Head: x.Title, Cells: []report.Cell{
			report.Textf("%s", dollars(p.Total())).With(float64(p.Total())/1000, "$"), thousandths(p.Cheaper()), shareCell(int64(bound.Time), int64(results[i].Time)),
			report.Cell{Text: times(effect), Share: part(effect, best), Best: effect == best}.With(float64(effect)/1000, ""),
		}})
	}
	return t
}

// mechanisms are those of a system.
func (v *view) mechanisms(x *core.System) core.Design {
	return v.s.Mechanisms(x)
}

// lifetimes says how long flash lasts.
func (v *view) lifetimes(systems []*core.System, results []*core.Result) report.Table {
	t := report.Table{Key: "life", Title: "How long flash lasts", Head: []string{"Design", "Programs", "Written a second", "Programs a page written", "Drive writes a day", "Years"}}
	for i, x := range systems {
		if x.DRAM {
			continue
		}
		r := results[i]
		life := r.Life(v.s)
		rate := unit.Bandwidth(unit.MulDiv((r.EvictionPrograms+r.CompactionPrograms+r.DemotionPrograms)*int64(unit.Page), int64(unit.Second), int64(max(1, r.Time))))
		years, writes := thousandths(life.Years), thousandths(life.DWPD)
		switch {
		case !r.Lasts():
			years, writes = report.Textf("log not compacted"), report.DashCell()
		case life.PerYear == 0:
			years = report.Textf("no end")
		case life.Years > 1_000_000:
			years.Text = "more than 1000"
		}
		t.Rows = append(t.Rows, report.Row{Head: x.Title, Cells: []report.Cell{
			report.CountCell(programs(r)), report.Textf("%v", rate), thousandths(r.Amplification(v.s)), writes, years,
		}})
	}
	return t
}

// prices varies what DRAM and flash cost.
func (v *view) prices(bound, r *core.Result) report.Table {
	t := report.Table{Key: "prices", Title: "Cost-effectiveness of " + v.system.Title + " with other prices", Head: []string{"DRAM"}}
	factors := []int64{25, 50, 100, 200, 400} // percent
	for _, f := range factors {
		t.Head = append(t.Head, "Flash at $"+times(unit.MulDiv(v.s.FlashPrice, f, 100)))
	}
	for _, d := range factors {
		s := *v.s
		s.DRAMPrice = unit.MulDiv(v.s.DRAMPrice, d, 100)
		row := report.Row{Head: "$" + times(s.DRAMPrice) + " a GiB"}
		for _, f := range factors {
			s.FlashPrice = unit.MulDiv(v.s.FlashPrice, f, 100)
			p := core.PriceOf(&s, v.design())
			row.Cells = append(row.Cells, report.Cell{Text: times(p.Effect(r.Time, bound.Time)), Best: d == 100 && f == 100}.With(float64(p.Effect(r.Time, bound.Time))/1000, ""))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
