package chart

import (
	"slices"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/report"
)

// barsHeight is the height of n bars in pixels.
func barsHeight(n int) int { return max(180, 62+30*n) }

// row is the place of a run's bar, or of what stands there instead.
func row(r *Run, end string) Row {
	if s := r.status(); s != "" {
		end = s
	}
	return Row{Name: r.System.Title, End: end, Faded: r.Stale && r.shown()}
}

// bars draws one quantity.
func (d *drawing) bars() {
	qs, at := d.quantities()
	if len(qs) == 0 {
		return
	}
	v, q := &d.view, qs[0]
	v.Rows, v.Height = len(d.runs), barsHeight(len(d.runs))
	value := func(r *Run) (float64, bool) { return r.value(at[0]) }
	v.Table.Head = []string{"System", q.Label, "Remark"}
	v.head(q.Key, "remark")
	v.Results = 0
	f := &Figure{Bars: &Bars{Unit: d.unit(q), Max: d.chart.Max}}
	values := make([]float64, len(d.runs))
	var ghosts []float64
	for i, r := range d.runs {
		x, ok := value(r)
		text, file := Dash, ""
		if ok {
			v.Results++
			values[i], text, file = q.Shown(x), Cell(q, x), exact(x)
		}
		change := d.change(r, qs, at)
		place := row(r, behind(text, change))
		if was, had := r.before(at[0]); had && (!ok || change.some()) {
			ghosts = append(ghosts, float64(i), q.Shown(was))
		}
		look := SystemLook(r.System)
		place.Look = &look
		f.Bars.Rows = append(f.Bars.Rows, place)
		cell := report.Cell{}
		if ok {
			cell.Text, cell.Change = With(text, q.Unit), change.text()
		}
		v.Table.Rows = append(v.Table.Rows, report.Row{Head: r.System.Title, Cells: []report.Cell{cell, {Text: remark(r)}}})
		v.rows = append(v.rows, []string{r.System.Name, file, remark(r)})
	}
	d.grade(0, values, q.Better, func(i int) bool { _, ok := value(d.runs[i]); return ok })
	f.Bars.Parts = []Part{{Name: q.Label, Values: f.add(values...)}}
	f.Bars.ghost(f, ghosts)
	d.spread(f, qs[:1], at[:1])
	v.Figure = f
	say := func(r *Run) string {
		if x, ok := value(r); ok {
			return behind(d.amount(q, x), d.change(r, qs, at))
		}
		return Dash
	}
	v.Alt = d.say(say)
	d.sayRoom(f.Bars, at[0], q)
	if r, _ := d.most(func(r *Run) float64 { x, _ := value(r); return q.Shown(x) }); r != nil && d.chart.Say != "" {
		x, _ := value(r)
		if v.Text = d.alike(func(r *Run) (string, bool) { x, ok := value(r); return d.amount(q, x), ok }); v.Text == "" {
			v.Text = sentence(d.leads(r, d.chart.Say+d.level(r, q, at[0], value)+": ") + d.amount(q, x))
		}
	} else if r == nil && v.Results > 0 {
		v.Text = sentence(d.chart.None)
	}
}

// ghost keeps rows and lengths of the baseline's bars, if there are any.
func (b *Bars) ghost(f *Figure, values []float64) {
	if len(values) > 0 {
		b.Ghost = f.add(values...)
	}
}

// alike says that all systems, bounds apart, show the same value; it is empty where
// they do not, or where there is one alone.
func (d *drawing) alike(value func(*Run) (string, bool)) string {
	first, n := "", 0
	for _, r := range d.runs {
		text, ok := value(r)
		if !ok || r.System.Bound {
			continue
		}
		if n++; n > 1 && text != first {
			return ""
		}
		first = text
	}
	if n < 2 {
		return ""
	}
	return "The same for all that are compared: " + first + "."
}

// leads says what the one with most is, of which nothing is said where it is alone.
func (d *drawing) leads(r *Run, is string) string {
	others := func(x *Run) bool { return x != r && !x.System.Bound }
	if slices.ContainsFunc(d.runs, others) {
		return r.System.Title + " " + is
	}
	return r.System.Title + ": "
}

// level names those that show the same value as the best, those whose bands overlap, and those of
// which the headline says that they are level.
func (d *drawing) level(best *Run, q *report.Quantity, at int, value func(*Run) (float64, bool)) string {
	top, _ := value(best)
	h := headline{say: &d.Info.Say, quantity: q}
	return d.levelled(best, func(r *Run) bool {
		x, ok := value(r)
		return ok && (Cell(q, x) == Cell(q, top) || d.bandOf(best, []*report.Quantity{q}, []int{at}).over(d.bandOf(r, []*report.Quantity{q}, []int{at})) || q.Key == d.Info.Say.Quantity && h.chance(contender{best, top}, contender{r, x}))
	})
}

// levelIn names those that show the same as the best.
func (d *drawing) levelIn(best *Run, value func(*Run) (string, bool)) string {
	top, _ := value(best)
	return d.levelled(best, func(r *Run) bool { text, ok := value(r); return ok && text == top })
}

// levelled names those that are as good as the best.
func (d *drawing) levelled(best *Run, as func(*Run) bool) string {
	var names []string
	for _, r := range d.runs {
		if r != best && !r.System.Bound && as(r) {
			names = append(names, r.System.Title)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", level with " + prose.List(names)
}

// unit is that of the chart's axis.
func (d *drawing) unit(q *report.Quantity) string {
	if d.chart.Unit != "" {
		return d.chart.Unit
	}
	return q.Unit
}

// amount prints a value with its unit, as the bars' ends do.
func (d *drawing) amount(q *report.Quantity, x float64) string {
	return With(Cell(q, x), d.unit(q))
}

// remark says what a run lacks, in a table.
func remark(r *Run) string {
	switch {
	case r.unfit():
		return r.Report.Reason
	case r.status() != "" && r.Error != "":
		return r.status() + ": " + r.Error
	case r.shown() && r.Stale:
		return "of other settings"
	}
	return r.status()
}

// grade gives a column of the table its bars and marks the best that is no bound.
func (d *drawing) grade(column int, values []float64, better int, known func(i int) bool) {
	rows := d.view.Table.Rows
	top, best, rivals := 0.0, -1, 0
	for i, x := range values {
		if !known(i) {
			continue
		}
		top = max(top, x)
		if d.runs[i].System.Bound {
			continue
		}
		if rivals++; best < 0 || float64(better)*x > float64(better)*values[best] {
			best = i
		}
	}
	for i, x := range values {
		if !known(i) {
			continue
		}
		cell := &rows[i].Cells[column]
		cell.Share = share(x, top)
		cell.Best = better != 0 && rivals > 1 && x == values[best] && !d.runs[i].System.Bound
	}
}

// A stack is a run's values of the chart's quantities, in their units.
type stack struct {
	parts []float64
	known []bool
	total float64
	any   bool
}

func (d *drawing) stack(r *Run, qs []*report.Quantity, at []int) stack {
	s := stack{parts: make([]float64, len(qs)), known: make([]bool, len(qs))}
	for k, q := range qs {
		if x, ok := d.needed(r, at[k]); ok {
			s.parts[k], s.known[k], s.any = q.Shown(x), true, true
			s.total += s.parts[k]
		}
	}
	return s
}

// needed is a run's value, in a chart with a limit also that of a system that was
// found not to fit: what it would need.
func (d *drawing) needed(r *Run, at int) (v float64, ok bool) {
	if d.chart.Limit != "" && r.unfit() && at < len(r.Report.Values) {
		v = r.Report.Values[at]
		return v, finite(v)
	}
	return r.value(at)
}

// lastPart is one past the last part that a run has, 0 if none has any.
func (d *drawing) lastPart(qs []*report.Quantity, at []int) (last int) {
	for _, r := range d.runs {
		for k, known := range d.stack(r, qs, at).known {
			if known {
				last = max(last, k+1)
			}
		}
	}
	return last
}

// largest returns the part with the most and its share of all.
func (s *stack) largest() (part int, share float64) {
	for k, x := range s.parts {
		if x > s.parts[part] {
			part = k
		}
	}
	if s.total <= 0 {
		return part, 0
	}
	return part, s.parts[part] / s.total
}

// stacks draws parts of a sum.
func (d *drawing) stacks() {
	qs, at := d.quantities()
	if len(qs) == 0 {
		return
	}
	if last := d.lastPart(qs, at); last > 0 { // the others stand before, so that looks stay
		qs, at = qs[:last], at[:last]
	}
	v, unit, names := &d.view, d.unit(qs[0]), partNames(d.chart, qs)
	v.Rows = len(d.runs) + 1 + (len(qs)-1)/5 // the legend takes a row or more
	v.Height = barsHeight(v.Rows)
	v.Table.Head = []string{"System"}
	for _, name := range names {
		v.Table.Head = append(v.Table.Head, join(name, unit))
	}
	v.Table.Head = append(v.Table.Head, join("All", unit))
	v.head(d.keys(qs)...)
	stacks := make([]stack, len(d.runs))
	f := &Figure{Bars: &Bars{Unit: unit, Max: d.chart.Max}}
	v.Results = 0
	var ghosts []float64
	for i, r := range d.runs {
		s := d.stack(r, qs, at)
		stacks[i] = s
		change := d.change(r, qs, at)
		if was, had := d.sum(r.before, qs, at); had && (!s.any || change.some()) {
			ghosts = append(ghosts, float64(i), was)
		}
		end, cells, file := Dash, make([]report.Cell, len(qs)+1), []string{r.System.Name}
		if s.any {
			v.Results++
			end = behind(amount(s.total, unit), change)
			cells[len(qs)] = report.Cell{Text: Digits(s.total, 4), Change: change.text()}
		}
		for k := range qs {
			text := ""
			if s.known[k] {
				x, _ := d.needed(r, at[k])
				cells[k], text = report.Cell{Text: Digits(s.parts[k], 4), Change: d.change(r, qs[k:k+1], at[k:k+1]).text()}, exact(x)
			}
			file = append(file, text)
		}
		v.Table.Rows = append(v.Table.Rows, report.Row{Head: r.System.Title, Cells: cells})
		v.rows = append(v.rows, file)
		place := row(r, end)
		if s.any && r.unfit() {
			place.End = "needs " + end
		}
		f.Bars.Rows = append(f.Bars.Rows, place)
	}
	column := make([]float64, len(d.runs))
	for k := range qs {
		for i := range stacks {
			column[i] = stacks[i].parts[k]
		}
		look := d.partLook(k)
		f.Bars.Parts = append(f.Bars.Parts, Part{Name: names[k], Look: &look, Values: f.add(column...)})
	}
	f.Bars.ghost(f, ghosts)
	d.spread(f, qs, at)
	v.Figure = f
	v.Alt = d.say(func(r *Run) string {
		s := d.stack(r, qs, at)
		part, share := s.largest()
		switch {
		case !s.any:
			return Dash
		case share == 0 && d.chart.None != "":
			return inner(d.chart.None)
		case share == 0:
			return amount(0, unit)
		}
		return behind(amount(s.total, unit), d.change(r, qs, at)) + ", " + Percent(share, 1) + " of it " + inner(names[part])
	})
	d.saySum(qs, at, names, unit)
	d.sayFits(f.Bars, stacks, unit)
	if sum := d.Info.Quantity(d.chart.Sum); sum >= 0 {
		d.sayRoom(f.Bars, sum, &d.Info.Quantities[sum])
	}
}

// sayRoom draws the best possible into bars, and says it.
func (d *drawing) sayRoom(b *Bars, at int, q *report.Quantity) {
	var said string
	if b.Room, said = d.room(at, d.unit(q)); said != "" {
		d.view.Alt += " " + said
	}
	if b.Room == nil { // no line says it
		d.view.Help = strings.TrimSpace(d.view.Help + " " + said)
	}
}

// sayFits draws the limit across the bars and says who stays below it, unless it is
// far away or there is none.
func (d *drawing) sayFits(b *Bars, stacks []stack, unit string) {
	limit, ok := d.limitAt()
	if !ok || limit <= 0 {
		return
	}
	most := 0.0
	var fit, need []string
	for i, r := range d.runs {
		s := &stacks[i]
		most = max(most, s.total)
		switch {
		case !s.any || r.Stale || r.System.Bound:
		case r.unfit():
			need = append(need, r.System.Title+" "+amount(s.total, unit))
		default:
			fit = append(fit, r.System.Title)
		}
	}
	said := []string{d.limitText(limit)}
	if len(fit) > 0 {
		said = append(said, "it is enough for "+prose.List(fit))
	}
	if len(need) > 0 {
		said = append(said, "too little for what others need: "+prose.List(need))
	}
	text := sentence(strings.Join(said, "; "))
	d.view.Text = strings.TrimSpace(d.view.Text + " " + text)
	d.view.Alt += " " + text
	if limit <= 4*most {
		b.Limit = &Limit{limit, d.limitText(limit)}
	}
}

// saySum says who has most and which part of it is the largest.
func (d *drawing) saySum(qs []*report.Quantity, at []int, names []string, unit string) {
	r, total := d.most(func(r *Run) float64 { s := d.stack(r, qs, at); return s.total })
	if r == nil {
		if d.view.Results > 0 {
			d.view.Text = sentence(d.chart.None)
		}
		return
	}
	s := d.stack(r, qs, at)
	part, share := s.largest()
	say := d.chart.Say
	if say == "" {
		say = "has most"
	}
	shown := func(r *Run) (string, bool) { s := d.stack(r, qs, at); return amount(s.total, unit), s.any }
	if d.view.Text = d.alike(shown); d.view.Text != "" {
		if d.chart.Max == 100 && len(qs) > 1 {
			d.view.Text = d.shares(qs, at, names)
		} else if part, who, most, least := d.apart(qs, at); most-least > apart*total {
			d.view.Text += " " + sentence(names[part]+": most with "+who.System.Title+", "+amount(most, unit))
		}
		return
	}
	level := d.levelled(r, func(x *Run) bool {
		text, ok := shown(x)
		top, _ := shown(r)
		return ok && (text == top || d.bandOf(r, qs, at).over(d.bandOf(x, qs, at)))
	})
	d.view.Text = d.leads(r, say+level+", ") + amount(total, unit)
	if len(qs) > 1 {
		d.view.Text += "; " + Percent(share, 1) + " of it is " + inner(names[part])
	}
	d.view.Text += "."
}

// apart is the share of a whole by which parts of stacks of the same height must differ to be told.
const apart = 0.02

// apart is the part in which systems differ most, who has most of it, and the most and the least of it.
func (d *drawing) apart(qs []*report.Quantity, at []int) (part int, who *Run, most, least float64) {
	for k := range qs {
		var top *Run
		high, low := 0.0, 0.0
		for _, r := range d.runs {
			s := d.stack(r, qs, at)
			if !s.any || r.System.Bound {
				continue
			}
			x := s.parts[k]
			if top == nil {
				high, low, top = x, x, r
			}
			if x > high {
				high, top = x, r
			}
			low = min(low, x)
		}
		if who == nil || high-low > most-least {
			part, who, most, least = k, top, high, low
		}
	}
	return part, who, most, least
}

// shares says of stacks that are all of 100 % in which part systems differ most, and who has most
// of it; if in none, which is the largest.
func (d *drawing) shares(qs []*report.Quantity, at []int, names []string) string {
	part, who, most, least := d.apart(qs, at)
	if Percent(most/100, 1) != Percent(least/100, 1) {
		return sentence(names[part] + ": most with " + who.System.Title + ", " + Percent(most/100, 1))
	}
	largest, high := 0, 0.0
	for _, r := range d.runs {
		s := d.stack(r, qs, at)
		if !s.any || r.System.Bound {
			continue
		}
		for k, x := range s.parts {
			if x > high {
				largest, high = k, x
			}
		}
	}
	return "The same for all that are compared: " + Percent(high/100, 1) + " is " + inner(names[largest]) + "."
}

func (*drawing) keys(qs []*report.Quantity) []string {
	keys := make([]string, len(qs))
	for i, q := range qs {
		keys[i] = q.Key
	}
	return keys
}

// partNames are the chart's own names of its parts, or the quantities' labels
// without what they all begin with: of "Beyond ideal: faults" it is "Faults".
func partNames(ch *report.Chart, qs []*report.Quantity) []string {
	if len(ch.Names) == len(qs) {
		return ch.Names
	}
	names := make([]string, len(qs))
	prefix := ""
	for i, q := range qs {
		names[i] = q.Label
		at := strings.Index(q.Label, ": ")
		if i == 0 && at > 0 {
			prefix = q.Label[:at+2]
		}
	}
	if prefix != "" && !slices.ContainsFunc(names, func(s string) bool { return !strings.HasPrefix(s, prefix) || s == prefix }) {
		for i := range names {
			names[i] = capital(strings.TrimPrefix(names[i], prefix))
		}
	}
	return names
}

// join is a heading with a unit.
func join(name, unit string) string {
	if unit == "" {
		return name
	}
	return name + ", " + unit
}

// values is a table of quantities, a row a system.
func (d *drawing) values() {
	qs, at := d.quantities()
	v := &d.view
	v.Table.Head = []string{"System"}
	for _, q := range qs {
		v.Table.Head = append(v.Table.Head, join(q.Label, q.Unit))
	}
	v.head(d.keys(qs)...)
	for _, r := range d.runs {
		cells, file := make([]report.Cell, len(qs)), []string{r.System.Name}
		for k, q := range qs {
			s := d.stack(r, qs[k:k+1], at[k:k+1])
			cells[k].Text = Dash
			text := ""
			if s.any {
				x, _ := r.value(at[k])
				cells[k].Text, text = Cell(q, x), exact(x)
				cells[k].Change = d.change(r, qs[k:k+1], at[k:k+1]).text()
			}
			file = append(file, text)
		}
		v.Table.Rows = append(v.Table.Rows, report.Row{Head: r.System.Title, Sub: remark(r), Cells: cells})
		v.rows = append(v.rows, file)
	}
	for k, q := range qs {
		values := make([]float64, len(d.runs))
		known := make([]bool, len(d.runs))
		for i, r := range d.runs {
			s := d.stack(r, qs[k:k+1], at[k:k+1])
			values[i], known[i] = s.total, s.any
		}
		d.grade(k, values, q.Better, func(i int) bool { return known[i] })
	}
	v.Alt = d.say(func(r *Run) string {
		var said []string
		for k, q := range qs {
			if x, ok := r.value(at[k]); ok {
				said = append(said, inner(q.Label)+" "+With(Cell(q, x), q.Unit))
			}
		}
		return strings.Join(said, ", ")
	})
	if len(qs) > 0 && d.chart.Say != "" {
		q := qs[0]
		if r, x := d.most(func(r *Run) float64 { x, _ := r.value(at[0]); return x }); r != nil {
			v.Text = sentence(d.leads(r, d.chart.Say+": ") + With(Cell(q, x), q.Unit))
		}
	}
}
