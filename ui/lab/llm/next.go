package llm

import (
	"fmt"
	"math"
	"slices"

	core "spillway/sim/llm"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// A tried is a run with another part.
type tried struct {
	core.Change
	after *core.Result
	why   string // it cannot run; empty if it does
	less  bool   // it is left out
	batch int64  // 0 if that of before
}

// try runs a change of a setup. Where other GPUs cannot share the batch evenly, or it is a small one
// for the sake of speed, the batch changes in proportion to them. Plans of runs with less are tried too.
func (v *view) try(s *core.Setup, c *core.Change, less ...*core.Result) *tried {
	b := &tried{Change: *c}
	l := &b.Setup.Layout
	gpus, was := b.Setup.Node.GPUs, s.Node.GPUs
	if gpus != was && (l.Batch%gpus != 0 || l.Batch < v.s.Layout.Batch) {
		each := max(1, l.Micro) * gpus
		l.Batch = max(1, (l.Batch*gpus/was+each/2)/each) * each
		b.batch = l.Batch
	}
	r, err := v.cell(&b.Setup, less...)
	switch {
	case err != nil:
		b.why = err.Error()
	case !r.Ran():
		b.why = r.Reason
	}
	b.after = r
	return b
}

// without lists what could be left out; Cents is what that saves.
func without(s *core.Setup) []core.Change {
	var list []core.Change
	n := &s.Node
	add := func(key, title string, x core.Setup) {
		list = append(list, core.Change{Key: key, Title: title, Setup: x, Cents: n.Price() - x.Node.Price()})
	}
	if n.Drives > 1 {
		x := *s
		x.Node.Drives--
		add("drive", fmt.Sprintf("One drive fewer for each GPU, %d in all", drivesOf(&x.Node)), x)
	}
	if n.Drives > 0 {
		x := *s
		x.Node.Drives = 0
		add("drives", "All drives", x)
	}
	if n.Host > unit.GiB {
		add("half-host", fmt.Sprintf("Half of the host memory, to %v", n.Host/2), withHost(s, n.Host/2))
	}
	if n.Host > 0 {
		add("host", "All host memory", withHost(s, 0))
	}
	if one := max(1, s.Layout.Tensor) * max(1, s.Layout.Data) * max(1, s.Layout.Context); n.GPUs > one && n.Nodes < 2 {
		x := *s
		x.Node.GPUs -= one
		x.Layout.Pipeline = x.Node.GPUs / one
		add("gpus", fmt.Sprintf("%s, %d in all", prose.Count(one, "GPU"), x.Node.GPUs), x)
	}
	return list
}

// next says what to buy next, and what not.
func (v *view) next() (*report.Section, error) {
	if v.system.Bound {
		return v.perfect(), nil
	}
	s, says := v.smaller(mostOfFew)
	changes, less := core.Next(&s), without(&s)
	v.of = len(changes) + len(less) + 1
	before, err := v.cell(&s)
	if err != nil {
		return nil, err
	}
	var list, spared []*tried
	var faster []*core.Result // with less
	for i := range less {
		b := v.try(&s, &less[i])
		b.less = true
		spared = append(spared, b)
		if b.why == "" && b.after.TokenRate() > before.TokenRate() {
			faster = append(faster, b.after)
		}
	}
	if len(faster) > 0 { // a plan for less is better here than its own
		if before, err = v.again(&s, faster); err != nil {
			return nil, err
		}
	}
	for i := range changes {
		if c := &changes[i]; c.Key == "host-path" {
			c.Title = fmt.Sprintf("Software that copies between GPU and host at %v", c.Setup.Node.HostPath)
			if part(c.Setup.Node.HostPath, s.Node.HostPath) < 1.01 {
				v.did()
				continue
			}
		}
		list = append(list, v.try(&s, &changes[i], before))
	}
	fastest := func(a, b *tried) int {
		value := func(x *tried) int64 {
			if x.why != "" {
				return -1
			}
			return x.after.TokenRate()
		}
		return int(max(-1, min(1, value(b)-value(a))))
	}
	slices.SortStableFunc(list, fastest)
	slices.SortStableFunc(spared, fastest)
	out := &report.Section{
		Text:   []string{v.bought(before, list), v.spared(before, spared)},
		Tables: []report.Table{v.buys(before, list), v.spares(before, spared)},
		Notes: []string{
			"Each row changes one part alone; the rest stays, and what is replaced is not sold. A host needs some memory for itself, also where tensors need none. Two together may do more than the sum: drives help nothing where the link is full, and a link nothing where drives are.",
			"Parts that nobody lists a price for are left out. “Nothing to buy” is a setting or software. Tokens for a dollar count electricity, the machine over its years and drives that wear out.",
		},
	}
	if len(spared) == 0 || !before.Ran() {
		out.Text, out.Tables = out.Text[:1], out.Tables[:1]
	}
	if dies := v.dying(before); dies != "" {
		out.Text = append([]string{dies}, out.Text...)
	}
	if len(faster) > 0 {
		out.Notes = append(out.Notes, "A plan made for less is faster on this machine than its own; all numbers have the faster of both.")
	}
	if says != "" {
		out.Text = append(out.Text, says)
	}
	return out, nil
}

// again runs a setup with plans for less of a part too.
func (v *view) again(s *core.Setup, less []*core.Result) (*core.Result, error) {
	v.of++
	return v.run(s, v.system.Name, false, less...)
}

// dying says that drives wear out before the machine has paid, empty if they do not.
func (v *view) dying(r *core.Result) string {
	days, own := lives(r), float64(v.s.Node.Prices.Years)*year
	if math.IsNaN(days) || days >= own {
		return ""
	}
	return fmt.Sprintf("First the drives: what %s writes wears them out in %s if it never stops, of the %s that the machine is used. Their replacement is in tokens for a dollar.", v.system.Title, lasting(days), prose.Count(v.s.Node.Prices.Years, "year"))
}

// changedBy is a run's throughput beside another's, in cells: tokens a second, their change, and
// tokens for a dollar.
func changedBy(before, after *core.Result) []report.Cell {
	each := float64(after.Tokens) / dollars(after)
	cells := []report.Cell{report.Textf("%s tokens/s", prose.ThreeDigits(float64(after.TokenRate())/1000)).With(float64(after.TokenRate())/1000, "tokens/s"), report.DashCell(), report.CountCell(int64(each))}
	if before.Ran() {
		cells[1] = report.Textf("%s", prose.Signed(part(after.TokenRate(), before.TokenRate())-1)).WithShare(part(after.TokenRate(), before.TokenRate()) - 1)
		cells[2] = report.Textf("%s (%s)", prose.Grouped(int64(each)), gains(each/(float64(before.Tokens)/dollars(before)))).With(each, "tokens/$").Part("ratio", each/(float64(before.Tokens)/dollars(before)), "")
	}
	return cells
}

// gains writes a ratio as a change, or as a factor where it is large.
func gains(x float64) string {
	if x >= 2 {
		return "× " + prose.ThreeDigits(x)
	}
	return prose.Signed(x - 1)
}

// cannot are the cells of what cannot run.
func cannot() []report.Cell {
	return []report.Cell{report.Textf("cannot run it"), report.DashCell(), report.DashCell()}
}

// sub is what has to be said of a row.
func (b *tried) sub(before *core.Result) string {
	said := b.why
	switch {
	case said == "" && b.less && before.Ran() && b.after.TokenRate() > before.TokenRate():
		said = "Faster with less: the planner starts over with what is left, tensor by tensor, and happens to do better. The difference is the planner's, not the part's."
	case said == "" && !b.less:
		said = b.Remark(before, b.after)
	case said != "" && said == before.Reason:
		said = "For the same reason as now."
	}
	if b.batch > 0 {
		said = joined(fmt.Sprintf("With a batch of %s, in proportion to the GPUs.", prose.Grouped(b.batch)), said)
	}
	return said
}

// joined puts sentences behind each other.
func joined(a, b string) string {
	if b == "" {
		return a
	}
	return a + " " + b
}

// buys is the table of what could be bought.
func (v *view) buys(before *core.Result, list []*tried) report.Table {
	t := report.Table{Key: "bought", Title: "What each part does to " + v.system.Title, Head: []string{"Bought", "Price", "Tokens a second for $1,000", "Throughput", "Change", "Tokens for a dollar"}}
	for _, b := range list {
		if b.Cents < 0 {
			continue // nobody lists a price
		}
		price := report.Textf("%s", money(b.Cents)).With(float64(b.Cents)/100, "$")
		if b.Cents == 0 {
			price.Text = "nothing to buy"
		}
		worth := report.DashCell()
		if b.Cents > 0 && b.why == "" {
			worth = report.Textf("%s", plus(float64(b.Worth(before, b.after))/1000)).With(float64(b.Worth(before, b.after))/1000, "tokens/s")
		}
		row := report.Row{Head: b.Title, Sub: b.sub(before), Cells: []report.Cell{price, worth}}
		if b.why != "" {
			row.Cells = append(row.Cells, cannot()...)
		} else {
			row.Cells = append(row.Cells, changedBy(before, b.after)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// spares is the table of what could be left out.
func (v *view) spares(before *core.Result, list []*tried) report.Table {
	t := report.Table{Key: "left_out", Title: "What " + v.system.Title + " could do without", Head: []string{"Left out", "Saves", "Throughput", "Change", "Tokens for a dollar"}}
	for _, b := range list {
		row := report.Row{Head: b.Title, Sub: b.sub(before), Cells: []report.Cell{report.Textf("%s", money(b.Cents)).With(float64(b.Cents)/100, "$")}}
		if b.why != "" {
			row.Cells = append(row.Cells, cannot()...)
		} else {
			row.Cells = append(row.Cells, changedBy(before, b.after)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// bought is the finding on what to buy.
func (v *view) bought(before *core.Result, list []*tried) string {
	var worth, most *tried
	for _, b := range list {
		if b.why != "" || b.Cents < 0 {
			continue
		}
		if w := b.Worth(before, b.after); w > 0 && (worth == nil || w > worth.Worth(before, worth.after)) {
			worth = b
		}
		if most == nil && b.after.TokenRate() > before.TokenRate() {
			most = b // the list begins with the fastest
		}
	}
	now := v.system.Title + " cannot run it now"
	if before.Ran() {
		now = fmt.Sprintf("%s trains %s tokens/s", v.system.Title, prose.ThreeDigits(float64(before.TokenRate())/1000))
		if before.Job.Spec.Batch != v.s.Layout.Batch {
			now += fmt.Sprintf(" with a batch of %s", prose.Grouped(before.Job.Spec.Batch))
		} else {
			now += " now"
		}
	}
	switch {
	case most == nil && before.Ran():
		return now + ". No part makes it faster." + v.cheapest(before, list)
	case most == nil:
		return now + ", and no single part changes that: " + before.Reason
	}
	gain := func(b *tried) string {
		if before.Ran() {
			return prose.Signed(part(b.after.TokenRate(), before.TokenRate())-1) + " throughput"
		}
		return prose.ThreeDigits(float64(b.after.TokenRate())/1000) + " tokens/s"
	}
	if worth == nil {
		return fmt.Sprintf("%s. No part that has a price makes it faster; the most is gained by: %s, %s.", now, prose.Lower(most.Title), gain(most))
	}
	said := fmt.Sprintf("%s. For its price the most is gained by: %s (%s, %s), %s tokens a second more for each $1,000.", now, prose.Lower(worth.Title), money(worth.Cents), gain(worth), prose.ThreeDigits(float64(worth.Worth(before, worth.after))/1000))
	if most != worth {
		price := "with nothing to buy"
		if most.Cents > 0 {
			price = "for " + money(most.Cents)
		}
		said += fmt.Sprintf(" The most of all by: %s, %s, %s.", prose.Lower(most.Title), gain(most), price)
	}
	return said + v.cheapest(before, list, most, worth)
}

// cheapest says what gets most out of a dollar, if it is something else.
func (v *view) cheapest(before *core.Result, list []*tried, said ...*tried) string {
	if !before.Ran() {
		return ""
	}
	var best *tried
	for _, b := range list {
		if b.why == "" && b.Cents >= 0 && (best == nil || b.value(before) > best.value(before)) {
			best = b
		}
	}
	if best == nil || best.value(before) < 1+missed || slices.Contains(said, best) {
		return ""
	}
	return fmt.Sprintf(" A dollar trains most tokens with: %s, %s.", prose.Lower(best.Title), gains(best.value(before)))
}

// value is how many tokens a dollar trains, of what it trained before.
func (b *tried) value(before *core.Result) float64 {
	return float64(b.after.Tokens) / dollars(b.after) / (float64(before.Tokens) / dollars(before))
}

// missed is what of its throughput a system may lose where something counts as left out without
// loss, as a share.
const missed = 0.02

// spared is the finding on what could be left out: what makes most of a dollar.
func (v *view) spared(before *core.Result, list []*tried) string {
	if !before.Ran() {
		return ""
	}
	var best *tried
	for _, b := range list {
		if b.why == "" && b.Cents > 0 && part(b.after.TokenRate(), before.TokenRate()) >= 1-missed && (best == nil || b.value(before) > best.value(before)) {
			best = b
		}
	}
	if best == nil {
		return fmt.Sprintf("Nothing can be left out without losing more than %s of throughput.", prose.Percent(missed))
	}
	now, then := float64(before.Tokens)/dollars(before), float64(best.after.Tokens)/dollars(best.after)
	change := "without loss"
	if x := prose.Signed(part(best.after.TokenRate(), before.TokenRate()) - 1); x != "none" {
		change = "for " + x + " of throughput"
	}
	return fmt.Sprintf("It could do without: %s. That saves %s %s, and a dollar trains %s tokens instead of %s.", prose.Lower(best.Title), money(best.Cents), change, prose.Grouped(int64(then)), prose.Grouped(int64(now)))
}

// plus is a gain as text.
func plus(x float64) string {
	switch {
	case x > 0:
		return "+" + prose.ThreeDigits(x)
	case x < 0:
		return "−" + prose.ThreeDigits(-x)
	}
	return "none"
}
