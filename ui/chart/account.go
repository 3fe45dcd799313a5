package chart

import "strings"

// An Account says where the time of two systems goes, on one scale: of the one in focus and of
// the one that it is compared with.
type Account struct {
	Of   string // what the parts are of, where that is not the whole time
	Rows []AccountRow
	Key  []Segment // what the rows have, in their order
}

// An AccountRow is one system's time.
type AccountRow struct {
	Title, Total string
	Says         string // all of it in words
	Segments     []Segment
}

// A Segment is a part of a row.
type Segment struct {
	Name  string
	Style string // its colour, and in a row its length
	Says  string // its name and amount
}

// leastSegment is the share of a row below which a part is not drawn.
const leastSegment = 0.002

// AccountOf accounts for the time of the system in focus and of the one that everybody knows,
// or where that is in focus of the best. It has no rows where the laboratory keeps no such
// account, or where there is nothing to account for yet.
func AccountOf(c *Context, runs []Run) (a Account) {
	h := headline{info: c.Info, say: &c.Info.Say}
	d, qs, places := h.ledger()
	if len(qs) == 0 {
		return a
	}
	d.Context = c
	of := c.Info.Quantity(h.say.LossOf)
	names := partNames(d.chart, qs)
	rest := Segment{Name: h.say.Rest, Style: Look{Color: "--compute"}.Style()}
	type row struct {
		*Run
		stack
		total float64
	}
	var rows []row
	longest := 0.0
	for _, r := range pair(c, runs) {
		x := row{r, d.stack(r, qs, places), 0}
		x.total = x.stack.total
		if all, ok := r.value(of); ok {
			whole := c.Info.Quantities[of].Shown(all)
			switch {
			case x.total > 1.01*whole: // a sum over several
				a.Of = d.chart.Title
			case rest.Name != "":
				x.total = max(x.total, whole)
			}
		}
		longest = max(longest, x.total)
		rows = append(rows, x)
	}
	if longest <= 0 || len(rows) < 2 {
		return Account{}
	}
	unit := d.unit(qs[0])
	used := make([]bool, len(qs)+1)
	for _, x := range rows {
		line := AccountRow{Title: x.System.Title, Total: With(Digits(x.total, 3), unit)}
		add := func(k int, s Segment, amount float64) {
			if amount < leastSegment*longest {
				return
			}
			used[k] = true
			s.Says = s.Name + " " + With(Digits(amount, 2), unit)
			s.Style += ";--share:" + part(amount/longest)
			line.Segments = append(line.Segments, s)
		}
		add(0, rest, x.total-x.stack.total)
		for k := range qs {
			add(k+1, d.segment(k, names), x.parts[k])
		}
		said := make([]string, len(line.Segments))
		for k, s := range line.Segments {
			said[k] = inner(s.Says)
		}
		line.Says = line.Title + ", " + line.Total + ": " + strings.Join(said, ", ")
		a.Rows = append(a.Rows, line)
	}
	for k := range used {
		switch {
		case !used[k]:
		case k == 0:
			a.Key = append(a.Key, rest)
		default:
			a.Key = append(a.Key, d.segment(k-1, names))
		}
	}
	return a
}

// segment is the k-th of the chart's parts, without an amount.
func (d *drawing) segment(k int, names []string) Segment {
	return Segment{Name: names[k], Style: d.partLook(k).Style()}
}

// Rival is the name of the system that the one in focus is compared with where nobody says
// another, empty if there is none yet.
func Rival(c *Context, runs []Run) string {
	if p := pair(c, runs); len(p) > 1 {
		return p[1].System.Name
	}
	return ""
}

// pair is the run in focus and the one that it is compared with, nil while there are no two.
func pair(c *Context, runs []Run) (list []*Run) {
	at := c.Info.Quantity(c.Info.Say.Quantity)
	var focus, known, best *Run
	top := 0.0
	for _, r := range visible(runs) {
		x, ok := r.value(at)
		switch {
		case !ok:
		case r.System.Name == c.Focus:
			focus = r
		case r.System.Usual:
			known = r
		case !r.System.Bound && !r.System.Yardstick && (best == nil || float64(c.Info.Quantities[at].Better)*(x-top) > 0):
			best, top = r, x
		}
	}
	if known == nil {
		known = best
	}
	if c.Other != nil {
		known = nil
		if _, ok := c.Other.value(at); ok {
			known = c.Other
		}
	}
	if focus == nil || known == nil {
		return nil
	}
	return []*Run{focus, known}
}
