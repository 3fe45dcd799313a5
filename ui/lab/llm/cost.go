package llm

import (
	"fmt"
	"math"

	core "spillway/sim/llm"
	"spillway/sim/machine"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// cost compares what systems do for their money.
func (v *view) cost() (*report.Section, error) {
	list, err := v.each()
	if err != nil {
		return nil, err
	}
	c := &v.s.Node
	t := report.Table{
		Key:   "systems",
		Title: "What a dollar and a kWh train", Head: []string{"System", "Throughput", "Of all in memory", "Price of the machine", "Tokens for a dollar", "Tokens for a kWh", "Drives live", "A billion tokens take", "and cost"},
	}
	const billion = 1e9
	best := 0.0
	for _, r := range list {
		if r.Result.Ran() && !bound(r.Result) {
			best = max(best, float64(r.Tokens)/dollars(r.Result))
		}
	}
	for _, r := range list {
		if bound(r.Result) {
			continue
		}
		x, _ := core.Find(r.System)
		row := report.Row{Head: x.Title}
		if !r.Result.Ran() {
			row.Cells = append(row.Cells, report.Textf("cannot run it"), report.DashCell(), report.DashCell(), report.DashCell(), report.DashCell(), report.DashCell(), report.DashCell(), report.DashCell())
			t.Rows = append(t.Rows, row)
			continue
		}
		each := float64(r.Tokens) / dollars(r.Result)
		row.Cells = append(row.Cells,
			report.Textf("%s tokens/s", prose.ThreeDigits(float64(r.TokenRate())/1000)).With(float64(r.TokenRate())/1000, "tokens/s"), report.ShareCell(float64(r.OfIdeal(r.ideal.Time))/1e6), report.Textf("%s", money(c.Price())).With(float64(c.Price())/100, "$"),
			report.Cell{Text: prose.Grouped(int64(each)), Share: each / max(best, 1e-9), Best: each == best}.Exactly(int64(each)), report.CountCell(r.TokensPerKWh()),
			report.Textf("%s", lasting(lives(r.Result))).With(lives(r.Result), "days"), report.Textf("%s", span(billion/float64(r.Tokens)*inSeconds(r.Time)/day)).With(billion/float64(r.Tokens)*inSeconds(r.Time)/day, "days"), report.Textf("%s", report.Dollars(billion/each)).With(billion/each, "$"))
		t.Rows = append(t.Rows, row)
	}
	tables := []report.Table{t, v.priceTable()}
	if whole := v.whole(list); whole != nil {
		tables = append(tables[:1], *whole, tables[1])
	}
	return &report.Section{
		Text: []string{v.costs(list, best)}, Tables: tables,
		Notes: []string{
			"A dollar pays for electricity, for the machine spread over the years under Prices, and for drives that wear out sooner, which are replaced. Everything is at work all the time; people, cooling and rent are not counted.",
			"GPUs that hold everything: so many more of the same machine that all tensors fit, as fast as the pipeline in proportion. Links between machines are not counted, so a real cluster is slower and dearer.",
		},
	}, nil
}

// bound reports whether a run is of the ideal.
func bound(r *core.Result) bool {
	x, err := core.Find(r.System)
	return err == nil && x.Bound
}

// only reports whether a run is a bound that its machine could not hold, so that it has no bill for a token.
func (r *result) only() bool {
	return bound(r.Result) && r.Job != nil && needs(r.Result) > r.setup.Node.Usable()
}

// costs is the finding.
func (v *view) costs(list []*result, best float64) string {
	for _, r := range list {
		if bound(r.Result) || !r.Result.Ran() || float64(r.Tokens)/dollars(r.Result) != best {
			continue
		}
		x, _ := core.Find(r.System)
		said := fmt.Sprintf("%s trains %s tokens for a dollar, most of all: %s. The machine costs %s", x.Title, prose.Grouped(int64(best)), briefly(&v.s.Node), money(v.s.Node.Price()))
		if days := lives(r.Result); !math.IsNaN(days) {
			said += fmt.Sprintf(", and its drives live %s if it never stops", lasting(days))
			if share := worn(r.Result) / dollars(r.Result); share > 0.005 {
				said += fmt.Sprintf("; new ones are %s of what it costs", prose.Percent(share))
			}
		}
		said += "."
		fast := r
		for _, x := range list {
			if !bound(x.Result) && x.TokenRate() > fast.TokenRate() {
				fast = x
			}
		}
		if fast != r {
			x, _ := core.Find(fast.System)
			said += fmt.Sprintf(" %s is faster, %s instead of %s tokens/s, but trains %s for a dollar.", x.Title, prose.ThreeDigits(float64(fast.TokenRate())/1000), prose.ThreeDigits(float64(r.TokenRate())/1000), prose.Grouped(int64(float64(fast.Tokens)/dollars(fast.Result))))
		}
		return said
	}
	return "No system runs it on this machine."
}

// lasting is a life in days as text.
func lasting(days float64) string {
	if math.IsNaN(days) {
		return "not written"
	}
	return span(days)
}

// whole compares with so many GPUs that everything fits.
func (v *view) whole(list []*result) *report.Table {
	var ideal *core.Result
	for _, r := range list {
		if bound(r.Result) {
			ideal = r.Result
		}
	}
	if ideal == nil || !ideal.Ran() {
		return nil
	}
	c := v.s.Node
	need := needs(ideal)
	times := max(1, (int64(need)+int64(c.Usable())-1)/int64(c.Usable()))
	bare := c
	bare.Drives = 0
	price := times * bare.Price()
	perSecond := float64(ideal.TokenRate()) / 1000 * float64(times)
	cost := float64(electricity(&bare) * float64(times))
	if c.Prices.Years > 0 {
		cost += float64(price) / 100 / (float64(c.Prices.Years) * year * day)
	}
	t := report.Table{Key: "whole", Title: "Beside GPUs that hold everything", Head: []string{"", "Machines", "GPUs", "Price", "Throughput at most", "Tokens for a dollar at most"}}
	t.Rows = append(t.Rows, report.Row{Head: "GPUs that hold everything", Cells: []report.Cell{
		report.CountCell(times), report.CountCell(times * c.GPUs), report.Textf("%s", money(price)).With(float64(price)/100, "$"), report.Textf("%s tokens/s", prose.ThreeDigits(perSecond)).With(perSecond, "tokens/s"), report.CountCell(int64(perSecond / cost)),
	}})
	for _, r := range list {
		if bound(r.Result) || !r.Result.Ran() {
			continue
		}
		x, _ := core.Find(r.System)
		t.Rows = append(t.Rows, report.Row{Head: x.Title, Cells: []report.Cell{
			report.CountCell(1), report.Textf("%d", c.GPUs), report.Textf("%s", money(c.Price())).With(float64(c.Price())/100, "$"), report.Textf("%s tokens/s", prose.ThreeDigits(float64(r.TokenRate())/1000)).With(float64(r.TokenRate())/1000, "tokens/s"), report.CountCell(int64(float64(r.Tokens) / dollars(r.Result))),
		}})
	}
	return &t
}

// electricity is what a second of a node's power costs, in dollars.
func electricity(c *machine.Config) float64 {
	return float64(c.MilliWatts()) / 1e6 / 3600 * float64(c.Prices.KWh) / 100
}

// priceTable lists what the machine is made of.
func (v *view) priceTable() report.Table {
	c := &v.s.Node
	t := report.Table{Key: "parts", Title: "What the machine is made of", Head: []string{"Part", "How many", "Price of one", "Price", "Of all", "Where the price is from"}}
	all := c.Price()
	row := func(head string, many report.Cell, one, price int64, from string) {
		if price > 0 {
			t.Rows = append(t.Rows, report.Row{Head: head, Cells: []report.Cell{many, report.Textf("%s", money(one)).With(float64(one)/100, "$"), report.Textf("%s", money(price)).With(float64(price)/100, "$"), report.ShareCell(part(price, all)), report.Textf("%s", from)}})
		}
	}
	row(c.GPU.Title, report.CountCell(c.GPUs), c.GPU.Cents, c.GPUs*c.GPU.Cents, c.GPU.PriceOf)
	row(c.Drive.Title, report.CountCell(drivesOf(c)), c.Drive.Cents, drivesOf(c)*c.Drive.Cents, c.Drive.PriceOf)
	row("Host memory", report.Textf("%v", c.Host), c.Prices.HostGiB, unit.MulDiv(c.Prices.HostGiB, int64(c.Host), int64(unit.GiB)), "a GiB; comes with the machine (Prices)")
	row("The rest", report.CountCell(1), c.Prices.Base, c.Prices.Base, "comes with the machine (Prices)")
	row("All", report.CountCell(1), all, all, "sum")
	return t
}

// life says how long drives live.
func (v *view) life() (*report.Section, error) {
	c := &v.s.Node
	if c.Drives == 0 {
		return &report.Section{Text: []string{"This machine has no drives."}}, nil
	}
	list, err := v.each()
	if err != nil {
		return nil, err
	}
	t := report.Table{Key: "life", Title: "What " + drivesIn(c) + " take", Head: []string{"System", "An iteration writes", "For each token", "A day writes", "Drives live", "Drive writes a day (DWPD)"}}
	kinds := report.Table{Key: "drives", Title: "How long as many drives of other kinds would live at this rate of writing", Head: []string{"Drive", "Endures", "Writes at most"}}
	var shown []*core.Result
	for _, r := range list {
		if bound(r.Result) || !r.Result.Ran() {
			continue
		}
		x, _ := core.Find(r.System)
		written := written(r.Result)
		t.Rows = append(t.Rows, report.Row{Head: x.Title, Cells: []report.Cell{
			bytesCell(written), bytesCell(unit.Bytes(unit.MulDiv(int64(written), 1, max(1, r.Tokens)))), bytesCell(r.WrittenPerDay()),
			report.Textf("%s", lasting(lives(r.Result))).With(lives(r.Result), "days"), report.Textf("%s", prose.ThreeDigits(float64(r.WrittenPerDay())/float64(max(1, drivesOf(c)))/float64(max(1, c.Drive.Size)))).With(float64(r.WrittenPerDay())/float64(max(1, drivesOf(c)))/float64(max(1, c.Drive.Size)), ""),
		}})
		if written > 0 {
			shown = append(shown, r.Result)
			kinds.Head = append(kinds.Head, x.Title)
		}
	}
	out := &report.Section{Text: []string{v.lifetime(shown)}, Tables: []report.Table{t}, Notes: []string{
		"Until what the maker warrants has been written to every drive, if training never stops. RAID-0 wears its drives alike. What a drive writes besides, because it collects garbage, is in the maker's number: large sequential writes need little of it.",
		fmt.Sprintf("Drive writes a day: how often a day's writes would fill every drive of %s. Drives for servers are warranted for 1 to 10, those for desktops for about 0.3, over five years.", amount(c.Drive.Size)),
	}}
	if len(t.Rows) == 0 {
		out.Text, out.Tables, out.Notes = []string{"No system runs it on this machine."}, nil, nil
	}
	if len(shown) == 0 {
		return out, nil
	}
	for _, d := range machine.Drives() {
		row := report.Row{Head: d.Title, Cells: []report.Cell{report.Textf("%s", terabytes(d.Endurance)).With(float64(d.Endurance), "B"), report.Textf("%v", d.Write)}}
		for _, r := range shown {
			days := lives(r) * float64(d.Endurance) / float64(max(1, c.Drive.Endurance))
			row.Cells = append(row.Cells, report.Textf("%s", span(days)).With(days, "days"))
		}
		kinds.Rows = append(kinds.Rows, row)
	}
	out.Tables = append(out.Tables, kinds)
	return out, nil
}

// written is what an iteration writes to all drives.
func written(r *core.Result) (n unit.Bytes) {
	for _, a := range r.Node.Arrays {
		n += r.Links[a.Write].Bytes
	}
	return n
}

// lifetime is the finding.
func (v *view) lifetime(list []*core.Result) string {
	if len(list) == 0 {
		return "No system that runs writes to drives here."
	}
	of := list[0]
	for _, r := range list {
		if r.System == v.system.Name {
			of = r
		}
	}
	x, _ := core.Find(of.System)
	c := &v.s.Node
	days := lives(of)
	said := fmt.Sprintf("%s writes %s a day, so %s live %s if it never stops.", x.Title, amount(of.WrittenPerDay()), drivesIn(c), lasting(days))
	best := machine.Drives()[0]
	for _, d := range machine.Drives() {
		if d.Endurance > best.Endurance {
			best = d
		}
	}
	return said + fmt.Sprintf(" As many %s would live %s.", best.Title, span(days*float64(best.Endurance)/float64(max(1, c.Drive.Endurance))))
}
