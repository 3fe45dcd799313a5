package question

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	"spillway/ui/model/state"
)

// backward is the least loss with more hardware that is told, as a share.
const backward = 0.02

// Backwards says which compared systems do worse with more hardware at points that are varied, and by how
// much at most; "" where none does. Planners are greedy: such a bar is theirs, not the part's.
func (a *Question) Backwards() string {
	axes := a.Axes()
	if a.Kind() != state.Vary || len(axes) == 0 || len(axes) > 2 {
		return ""
	}
	q := &a.room.Info.Quantities[a.Of()]
	rows := 1
	if len(axes) == 2 {
		rows = len(axes[1].Texts)
	}
	value := func(v float64) string { return chart.With(chart.Digits(q.Shown(v), 3), q.Unit) }
	var said []string
	for _, s := range a.Compared() {
		most, text := backward, ""
		for from := range axes[0].Texts {
			for to := range axes[0].Texts {
				if !a.hardware(axes[0].Knob, axes[0].Texts[from], axes[0].Texts[to]) {
					continue
				}
				for k := range rows {
					less, more := a.At(s.Name, from, k).Value, a.At(s.Name, to, k).Value
					loss := lost(q, less, more)
					if s.Bound || loss <= most {
						continue
					}
					most = loss
					text = fmt.Sprintf("%s does worse with more: %s with %s, %s with %s", s.Title,
						value(more), axes[0].said(to), value(less), axes[0].said(from))
					if rows > 1 {
						text += ", both with " + axes[1].said(k)
					}
				}
			}
		}
		if text != "" {
			said = append(said, text+".")
		}
	}
	if len(said) > 2 {
		said = append(said[:2], "So do others.")
	}
	return strings.Join(said, " ")
}

// said is a point of an axis in a sentence.
func (x *Axis) said(i int) string {
	if x.Xs == nil {
		return x.Labels[i]
	}
	return chart.With(x.Labels[i], x.Knob.Unit) + " (" + prose.Lower(x.Knob.Label) + ")"
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
