package chart

import (
	"slices"
	"strconv"

	"spillway/sim/report"
	"spillway/ui/lab"
)

// A Standing is how one system stands in the ranking of the first screen.
type Standing struct {
	Place int    // from 1, the best first; those without a value come last
	Text  string // its value, or what stands in its place
	Style string // its place in the list and its bar, for the style sheet
	Bar   bool   // there is a bar to draw
	Heard string // its place, for those who listen
}

// A Board is the ranking of all systems by what decides in a laboratory: the longer a bar the
// better the system, also where less is better.
type Board struct {
	Title string
	Note  string     // what 100 % is, or that longer is better
	Room  string     // what the line over all bars is, empty where there is none
	Style string     // where the line is
	Rows  []Standing // of every run, in the runs' order
}

// Standings ranks the runs. floor is what the laboratory's floor says of the setup, as
// [Context.Floor] has it.
func Standings(c *Context, runs []Run) Board {
	d := drawing{Context: c, runs: visible(runs)}
	at := c.Info.Quantity(c.Info.Say.Quantity)
	if at < 0 {
		return Board{Rows: make([]Standing, len(runs))}
	}
	q := &c.Info.Quantities[at]
	b := Board{Title: q.Label, Rows: make([]Standing, len(runs))}
	room, _ := d.room(at, q.Unit)
	if room != nil && q.Better < 0 && room.Known > farAway*room.Least {
		room = nil // bars could not be read
	}
	longest := d.longest(at, room)
	if q.Better < 0 {
		b.Note = "Bars show speed: longer is better."
	}
	if room != nil && longest > 0 {
		b.Room, b.Style = "best possible", "--least:"+part(length(q.Better, room.Least, longest))
	}
	list := make([]int, 0, len(runs))
	for i := range runs {
		if runs[i].On {
			list = append(list, i)
		}
	}
	value := func(i int) (float64, bool) { x, ok := runs[i].value(at); return x, ok && !runs[i].lost() }
	slices.SortStableFunc(list, func(i, k int) int {
		x, has := value(i)
		y, had := value(k)
		switch {
		case has != had:
			return map[bool]int{true: -1, false: 1}[has]
		case !has || x == y:
			return 0
		}
		return map[bool]int{true: -1, false: 1}[float64(q.Better)*x > float64(q.Better)*y]
	})
	for n, i := range list {
		r, s := &runs[i], &b.Rows[i]
		s.Place, s.Text = n+1, orElse(r.status(), r.Status)
		s.Style = "--place:" + strconv.Itoa(n+1)
		x, ok := value(i)
		if !ok {
			continue
		}
		s.Bar, s.Text = true, boardText(&c.Info.Say, q, x)
		s.Heard = "place " + strconv.Itoa(n+1) + " of " + strconv.Itoa(len(list))
		s.Style += ";--bar:" + part(length(q.Better, q.Shown(x), longest)) + r.spread(q.Better, q.Shown, longest)
	}
	return b
}

// lost reports whether what the run has is of other settings and nothing new is to come.
func (r *Run) lost() bool { return r.Stale && r.Status == Cancelled }

// boardText prints a value of what decides.
func boardText(say *lab.Say, q *report.Quantity, x float64) string {
	if say.Percent {
		return Digits(100*x, 2) + " %"
	}
	return With(Digits(q.Shown(x), 3), q.Unit)
}

// longest is the value that has the longest bar, as it is shown.
func (d *drawing) longest(at int, room *Room) (top float64) {
	q := &d.Info.Quantities[at]
	if room != nil {
		top = room.Least
	}
	for _, r := range d.runs {
		if x, ok := r.value(at); ok {
			if y := q.Shown(x); top == 0 || float64(q.Better)*y > float64(q.Better)*top {
				top = y
			}
		}
	}
	return top
}

// length is that of a bar, of the longest: speeds are as long as they are high, times as short
// as they are long.
func length(better int, x, longest float64) float64 {
	switch {
	case x <= 0 || longest <= 0:
		return 0
	case better < 0:
		return min(1, longest/x)
	}
	return min(1, x/longest)
}

// spread is where the ends of the line on a run's bar are: the lowest and the highest of its
// value and of those with other random numbers or estimates.
func (r *Run) spread(better int, shown func(float64) float64, longest float64) string {
	low, high, some := 1.0, 0.0, false
	for _, x := range r.Doubted {
		if finite(x) {
			at := length(better, shown(x), longest)
			low, high, some = min(low, at), max(high, at), true
		}
	}
	if !some || low == high {
		return ""
	}
	return ";--low:" + part(low) + ";--high:" + part(high)
}

// part is a share as the style sheet takes it.
func part(x float64) string { return strconv.FormatFloat(100*x, 'f', 2, 64) + "%" }
