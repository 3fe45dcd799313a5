package question

import (
	"fmt"
	"math"
	"slices"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	"spillway/ui/model/state"
)

// backward is the least loss with more hardware that is told, as a share.
const backward = 0.02

// Backwards says which compared systems do worse with more hardware at points that are varied, where most
// is lost; "" where none does. Planners are greedy: such a bar is theirs, not the part's.
func (a *Question) Backwards() string {
	axes := a.Axes()
	if a.Kind() != state.Vary || len(axes) == 0 || len(axes) > 2 {
		return ""
	}
	rows := 1
	if len(axes) == 2 {
		rows = len(axes[1].Texts)
	}
	q := &a.room.Info.Quantities[a.Of()]
	x := &axes[0]
	most, from, to, row := backward, -1, -1, 0
	var names []string
	for _, s := range a.Compared() {
		does := false
		for i := range x.Texts {
			for k := range x.Texts {
				if s.Bound || !a.hardware(x.Knob, x.Texts[i], x.Texts[k]) || rows == 1 && a.level(s.Name, i, k) {
					continue
				}
				for r := range rows {
					loss := lost(q, a.At(s.Name, i, r).Value, a.At(s.Name, k, r).Value)
					does = does || loss >= backward
					if loss > most {
						most, from, to, row = loss, i, k, r
					}
				}
			}
		}
		if does {
			names = append(names, s.Title)
		}
	}
	if from < 0 {
		return ""
	}
	verb := "does"
	if len(names) > 1 {
		verb = "do"
	}
	text := fmt.Sprintf("%s %s worse with more: by %s with %s than with %s", prose.List(names), verb, chart.Digits(100*most, 2)+" %", x.said(to), x.said(from))
	if rows > 1 {
		text += " (" + axes[1].said(row) + ")"
	}
	return text + "."
}

// level reports whether other seeds could make two points of a curve the same.
func (a *Question) level(system string, i, k int) bool {
	low, high := a.Band(system, i)
	least, most := a.Band(system, k)
	return (low < high || least < most) && low <= most && least <= high
}

// said is a point of an axis in a sentence.
func (x *Axis) said(i int) string {
	if x.Xs == nil {
		return x.Labels[i]
	}
	return chart.With(x.Labels[i], x.Knob.Unit)
}

// lost is by which share a value with more is worse than with less, 0 where it is not or one is unknown.
func lost(q *report.Quantity, less, more float64) float64 {
	if math.IsNaN(less) || math.IsNaN(more) || q.Better == 0 || less <= 0 || more <= 0 {
		return 0
	}
	if q.Better < 0 {
		less, more = more, less
	}
	return max(0, prose.Less(more, less))
}

// hardware reports whether a value of a setting is more hardware than another and in nothing less.
func (a *core) hardware(k *knob.Info, less, more string) bool {
	x, y := []knob.Pair{{Key: k.Key, Text: less}}, []knob.Pair{{Key: k.Key, Text: more}}
	if k.Kind == knob.One {
		was, is := k.Choice(less), k.Choice(more)
		if was == nil || is == nil {
			return false
		}
		x, _ = knob.Pairs(was.Set) // lab.New has checked both
		y, _ = knob.Pairs(is.Set)
	}
	sum := 0
	for i, p := range y {
		if len(x) != len(y) || x[i].Key != p.Key {
			return false
		}
		switch way := compared(a.room.Info.Hardware, a.room.State.Setup.Knob(p.Key), x[i].Text, p.Text); {
		case way < 0:
			return false
		default:
			sum += way
		}
	}
	return sum > 0
}

// compared is 1 where the second value of a setting is more hardware, 0 where it is the same, -1 where it is less or
// nobody knows.
func compared(hardware []string, k *knob.Info, less, more string) int {
	x, errX := knob.ParseDecimal(less, k.Scale)
	y, errY := knob.ParseDecimal(more, k.Scale)
	switch {
	case less == more:
		return 0
	case errX != nil || errY != nil:
		return -1
	case slices.Contains(hardware, k.Key) && y > x, slices.Contains(hardware, lab.Less+k.Key) && y < x:
		return 1
	}
	return -1
}
