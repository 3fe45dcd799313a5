package chart

import (
	"math"
	"slices"
	"strconv"

	"spillway/sim/prose"
	"spillway/sim/report"
)

// A Heat is one map or several of two varied knobs: a cell for every pair of
// points, its color by the value or by who is best.
type Heat struct {
	Names []string `json:"names"` // of the maps
	X     Axis     `json:"x"`     // Labels are the points
	Y     Axis     `json:"y"`
	Unit  string   `json:"unit,omitempty"`
	// Values are those of all cells, by map, then row, then column; not a number
	// where there is none.
	Values Column `json:"values"`
	// Who is the system of each cell, by place in Looks; of maps of who is best.
	Who   Column   `json:"who"`
	Looks []Part   `json:"looks"` // empty: colors say values
	Marks []string `json:"marks"` // by cell of all maps: what stands where there is no value
	Here  []int    `json:"here"`  // column and row of what is set now, if it is among the points
	// Dense is true of grids of many small cells, the first row on top: Who is the
	// class of each, by place in Looks, and there are no values.
	Dense bool   `json:"dense,omitempty"`
	Picks Column `json:"picks,omitzero"` // by row: what picking its first cell says; of the others Step more each
	Step  int    `json:"step,omitzero"`  // 0 is 1
}

// Heights of maps, in pixels.
const (
	mapHeight = 250
	mapRow    = 22
)

// maps draws two knobs.
func (s *Sweep) maps(a *Answer) {
	x, y := &s.Dims[0], &s.Dims[1]
	h := &Heat{X: Axis{Name: join(x.Label, x.Unit), Labels: x.Labels}, Y: Axis{Name: join(y.Label, y.Unit), Labels: y.Labels}, Unit: s.Of.Unit}
	f := &Figure{Heat: h}
	if i, k := slices.Index(x.Labels, x.Now), slices.Index(y.Labels, y.Now); i >= 0 && k >= 0 {
		h.Here = []int{i, k}
	}
	var values, who []float64
	show := s.mapped()
	for _, n := range show {
		name := "Who is best"
		if n >= 0 {
			name = s.Systems[n].Title
		}
		h.Names = append(h.Names, name)
		table := report.Table{Title: name + ": " + s.Of.Label, Head: append([]string{y.Label + bracketed(y.Unit)}, x.Labels...)}
		table.Title += ". Rows: " + inner(y.Label) + bracketed(y.Unit) + "; columns: " + inner(x.Label) + bracketed(x.Unit)
		for k := range y.Labels {
			row := report.Row{Head: y.Labels[k]}
			for i := range x.Labels {
				at, winner := n, 0
				if n < 0 {
					at, winner = s.best(i, k), s.winner(i, k)
				}
				t := s.lack(i, k)
				if at >= 0 {
					t = s.At(at, i, k)
				}
				values, who = append(values, s.shown(t.Value)), append(who, float64(winner))
				h.Marks = append(h.Marks, mark(t))
				text := s.cell(t)
				switch {
				case n >= 0 || winner < 0:
				case winner == len(s.Systems):
					text = severalTie + ", " + text
				default:
					text = s.Systems[winner].Title + ", " + text
				}
				row.Cells = append(row.Cells, report.Cell{Text: text})
			}
			table.Rows = append(table.Rows, row)
		}
		a.Tables = append(a.Tables, table)
	}
	h.Values, h.Who = f.add(values...), f.add()
	if len(show) == 1 && show[0] < 0 {
		h.Who = f.add(who...)
		for _, sys := range s.Systems {
			h.Looks = append(h.Looks, Part{Name: sys.Title, Look: new(SystemLook(sys))})
		}
		h.Looks = append(h.Looks, Part{Name: severalTie, Look: &Look{Color: "--axis", Pattern: 2}})
	}
	a.Figure = f
	a.Height = 60 + panelRows(len(show))*max(mapHeight, mapRow*len(y.Labels)+70)
	if len(show) > 1 {
		a.Width = 640
	}
	a.Says = s.sayMaps()
	a.Alt = a.Says
}

// severalTie is said where the best are equally good.
const severalTie = "several alike"

// winner is the place of the best system at a point, that behind the last system
// where several are equally good, -1 where none has a value.
func (s *Sweep) winner(i, k int) int {
	best := s.best(i, k)
	if best < 0 {
		return -1
	}
	v := s.At(best, i, k).Value
	for n := range s.Systems {
		if x := s.At(n, i, k).Value; n != best && s.rival(n) && finite(x) && near(x, v) {
			return len(s.Systems)
		}
	}
	return best
}

// mapped lists the systems that have a map; -1 is that of who is best.
func (s *Sweep) mapped() []int {
	switch {
	case s.Show == "focus":
		for n, sys := range s.Systems {
			if sys.Name == s.Focus {
				return []int{n}
			}
		}
	case s.Show == "wins" && s.Of.Better != 0:
		return []int{-1}
	}
	var list []int
	for n, sys := range s.Systems {
		if !sys.Bound || len(s.Systems) == 1 {
			list = append(list, n)
		}
	}
	return list
}

// lack is the trial that says why no system has a value at a point.
func (s *Sweep) lack(i, k int) Trial {
	t := Trial{Known: true, Value: math.NaN()}
	for n := range s.Systems {
		x := s.At(n, i, k)
		if !x.Known {
			return x
		}
		if x.Unfit && !s.Systems[n].Bound || t.Why == "" && x.Why != "" {
			t.Why, t.Unfit = x.Why, x.Unfit
		}
	}
	return t
}

// mark is what stands in a cell without a value.
func mark(t Trial) string {
	switch {
	case !t.Known, finite(t.Value):
		return ""
	case t.Unfit:
		return "×"
	}
	return Dash
}

// sayMaps is the finding about two knobs.
func (s *Sweep) sayMaps() string {
	if s.Of.Better == 0 {
		return ""
	}
	count := make([]int, len(s.Systems)+1)
	all, top := 0, -1
	var bi, bk int
	for i := range s.Dims[0].Labels {
		for k := range s.Dims[1].Labels {
			n := s.best(i, k)
			if n < 0 {
				continue
			}
			all++
			count[s.winner(i, k)]++
			if top < 0 || s.ahead(s.At(n, i, k).Value, s.At(top, bi, bk).Value) {
				top, bi, bk = n, i, k
			}
		}
	}
	if all == 0 {
		return ""
	}
	order := make([]int, len(count))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return count[b] - count[a] })
	name := func(n int) string {
		if n == len(s.Systems) {
			return severalTie
		}
		return s.Systems[n].Title
	}
	var said []string
	for _, n := range order {
		if count[n] > 0 {
			said = append(said, name(n)+" at "+strconv.Itoa(count[n]))
		}
	}
	text := "best of " + strconv.Itoa(all) + " points: " + prose.List(said)
	if count[order[0]] == all {
		text = capital(name(order[0])) + " at all " + strconv.Itoa(all) + " points"
	}
	return sentence(text) + " " + sentence("the best is "+s.say(s.At(top, bi, bk).Value)+", "+name(s.winner(bi, bk))+" with "+s.point(bi, bk))
}
