package columns

import (
	"cmp"
	"slices"

	"spillway/sim/prose"
	"spillway/sim/timeline"
	"spillway/ui/lab"
)

// listed is how many of the longest waits are told.
const listed = 50

// A Wait is one of the longest: slices of one cause and step that are less than a hundredth of
// their length apart are one.
type Wait struct {
	Track int   `json:"track"`
	Begin int64 `json:"begin"` // ticks
	End   int64 `json:"end"`
	Cat   int   `json:"cat"`
	Step  int32 `json:"step"`  // -1 for none
	Chain []Why `json:"chain"` // what it came of
}

// A Why is a step of what a wait came of; Track is -1 where it is about no slice.
type Why struct {
	Text  string `json:"text"`
	Track int    `json:"track"`
	Begin int64  `json:"begin"`
}

// whole are the waits of a timeline, pieces of one as one.
func whole(t *timeline.Timeline) (list []timeline.Wait) {
	add := func(w timeline.Wait) {
		if n := len(list) - 1; n >= 0 {
			o := &list[n]
			if gap := w.Begin - o.End; o.Track == w.Track && o.Cat == w.Cat && o.Step == w.Step && o.Ref == w.Ref && 100*gap < o.End-o.Begin {
				o.End = w.End
				return
			}
		}
		list = append(list, w)
	}
	if t.Part { // of all slices only the longest waits are known
		known := slices.Clone(t.Waits)
		slices.SortStableFunc(known, func(a, b timeline.Wait) int {
			return cmp.Or(cmp.Compare(a.Track, b.Track), cmp.Compare(a.Begin, b.Begin))
		})
		for _, w := range known {
			add(w)
		}
	} else {
		for n := range t.Tracks {
			x := &t.Tracks[n]
			for i, c := range x.Cat {
				if x.Kind == timeline.State && t.Cats[c].Style == timeline.Waiting {
					add(timeline.Wait{Track: int32(n), Begin: x.Begin[i], End: x.End[i], Label: x.Label[i], Ref: x.Ref[i], Step: x.Step[i], Cat: c})
				}
			}
		}
	}
	return list
}

// longer puts longer waits first, and of equal ones the earlier.
func longer(a, b timeline.Wait) int {
	return cmp.Or(cmp.Compare(b.End-b.Begin, a.End-a.Begin), cmp.Compare(a.Begin, b.Begin))
}

// waits are the longest waits with what they came of, where their slices are at hand.
func (e *encoder) waits(h *lab.Happening) []Wait {
	all := whole(e.t)
	slices.SortStableFunc(all, longer)
	list := []Wait{}
	for _, w := range all[:min(listed, len(all))] {
		y := Wait{Track: int(w.Track), Begin: w.Begin >> e.shift, End: w.End >> e.shift, Cat: int(w.Cat), Step: w.Step, Chain: []Why{}}
		if at := mainly(&e.t.Tracks[w.Track], &w); at >= 0 && h.Chain != nil {
			for _, l := range h.Chain(int(w.Track), at) {
				y.Chain = append(y.Chain, Why{l.Text, l.Track, l.Begin >> e.shift})
			}
		}
		list = append(list, y)
	}
	return list
}

// mainly is the longest slice of a wait; -1 if none is at hand.
func mainly(x *timeline.Track, w *timeline.Wait) int {
	best := -1
	first, _ := slices.BinarySearch(x.Begin, w.Begin)
	for i := first; i < len(x.Begin) && x.Begin[i] < w.End; i++ {
		if x.Cat[i] == w.Cat && (best < 0 || x.End[i]-x.Begin[i] > x.End[best]-x.Begin[best]) {
			best = i
		}
	}
	return best
}

// An About is what is told of a run beside its columns.
type About struct {
	Says string // what its time goes to, and its longest wait
	// Apart says where it parts from another run; empty if nobody asked.
	Apart []string
}

// Tell says what the time of a run goes to.
func Tell(h *lab.Happening) *About {
	t := h.Timeline
	a := &About{}
	spent, tracks := t.Spent(), int64(0)
	var all int64
	most := -1
	for c, n := range spent {
		all += n
		if t.Cats[c].Style == timeline.Waiting && n > 0 && (most < 0 || n > spent[most]) {
			most = c
		}
	}
	for i := range t.Tracks {
		if t.Tracks[i].Kind == timeline.State {
			tracks++
		}
	}
	of := "the time"
	if tracks > 1 {
		of = "the time of all together"
	}
	if most < 0 || all == 0 {
		a.Says = "Nothing waits."
		return a
	}
	a.Says = prose.Percent(float64(spent[most])/float64(all)) + " of " + of + " is " + t.Cats[most].Label
	if list := whole(t); len(list) > 0 {
		w := slices.MinFunc(list, longer)
		a.Says += "; the longest single wait is " + t.Tick.Time(w.End-w.Begin).String() + " of " + t.Cats[w.Cat].Label
		if w.Step >= 0 {
			a.Says += " in " + t.Names[t.Steps[w.Step]]
		} else if tracks > 1 {
			a.Says += " in " + t.Tracks[w.Track].Name
		}
		a.Says += ", at " + t.Tick.Time(w.Begin).String()
	}
	a.Says += "."
	return a
}
