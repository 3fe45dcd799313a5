package columns

import (
	"cmp"
	"slices"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/timeline"
	"spillway/ui/lab"
)

// listed is how many of the longest waits are told.
const listed = 50

// A Wait is one of the longest: slices of one cause and step that are less than a hundredth of
// their length apart are one. Those of one cause, resource and step that last equally long, as one
// constant does, are one with a count.
type Wait struct {
	Track int   `json:"track"`
	Begin int64 `json:"begin"` // ticks
	End   int64 `json:"end"`
	Cat   int   `json:"cat"`
	For   int   `json:"for"`   // the resource, 0 for none
	Step  int32 `json:"step"`  // -1 for none
	Chain []Why `json:"chain"` // what it came of
	// Times says how many are as long, where there are more than this one, which is the first. Of
	// a run with too many slices the longest are known alone, so that there may be more.
	Times string `json:"times,omitempty"`
}

// A Why is a step of what a wait came of; Track is -1 where it is about no slice.
type Why struct {
	Text  string `json:"text"`
	Track int    `json:"track"`
	Begin int64  `json:"begin"`
}

// A wait is one of a timeline with what it is for: a place in Resources, 0 where nobody says.
type wait struct {
	timeline.Wait
	For uint8
}

// whole are the waits of a timeline, pieces of one as one.
func whole(t *timeline.Timeline) (list []wait) {
	add := func(w wait, slice int) {
		if x := &t.Tracks[w.Track]; slice >= 0 && x.For != nil {
			w.For = x.For[slice]
		}
		if n := len(list) - 1; n >= 0 {
			o := &list[n]
			if gap := w.Begin - o.End; o.Track == w.Track && o.Cat == w.Cat && o.For == w.For && o.Step == w.Step && o.Ref == w.Ref && 100*gap < o.End-o.Begin {
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
			x := &t.Tracks[w.Track]
			at, found := slices.BinarySearch(x.Begin, w.Begin)
			if !found {
				at = -1
			}
			add(wait{Wait: w}, at)
		}
	} else {
		for n := range t.Tracks {
			x := &t.Tracks[n]
			for i, c := range x.Cat {
				if t.IsWait(n, c) {
					add(wait{Wait: timeline.Wait{Track: int32(n), Begin: x.Begin[i], End: x.End[i], Label: x.Label[i], Ref: x.Ref[i], Step: x.Step[i], Cat: c}}, i)
				}
			}
		}
	}
	return list
}

// A kind is what waits have in common that are told together.
type kind struct {
	took int64
	step int32
	cat  uint8
	of   uint8 // as For
}

func kindOf(w *wait) kind { return kind{w.End - w.Begin, w.Step, w.Cat, w.For} }

// longer puts longer waits first, and of equal ones the earlier.
func longer(a, b wait) int {
	return cmp.Or(cmp.Compare(b.End-b.Begin, a.End-a.Begin), cmp.Compare(a.Begin, b.Begin))
}

// waits are the longest waits, and the longest of each category and resource, with what they came
// of where their slices are at hand.
func (e *encoder) waits(h *lab.Happening) []Wait {
	all := whole(e.t)
	slices.SortStableFunc(all, longer)
	list := []Wait{}
	var cats, resources [256]bool
	known := map[kind]int{}
	var counts []int
	for i := range all {
		w := &all[i]
		k := kindOf(w)
		if n, ok := known[k]; ok {
			counts[n]++
			continue
		}
		if len(list) >= listed && cats[w.Cat] && resources[w.For] { // the longest of each are there
			continue
		}
		known[k] = len(list)
		counts = append(counts, 1)
		cats[w.Cat], resources[w.For] = true, true
		y := Wait{Track: int(w.Track), Begin: w.Begin >> e.shift, End: w.End >> e.shift, Cat: int(w.Cat), For: int(w.For), Step: w.Step, Chain: []Why{}}
		if at := mainly(&e.t.Tracks[w.Track], w); at >= 0 && h.Chain != nil {
			y.Chain = e.links(h.Chain(int(w.Track), at))
		}
		list = append(list, y)
	}
	shortest := -1 // of which some may have been forgotten
	if n := len(all) - 1; e.t.Part && len(e.t.Waits) == timeline.MostWaits {
		if at, ok := known[kindOf(&all[n])]; ok {
			shortest = at
		}
	}
	for i, n := range counts {
		if n == 1 {
			continue
		}
		least := ""
		if i == shortest {
			least = "at least "
		}
		list[i].Times = ", " + least + prose.Grouped(n) + " times; first:"
	}
	return list
}

// links are sentences with the slices that they are about.
func (e *encoder) links(of []lab.ChainLink) []Why {
	list := []Why{}
	for _, l := range of {
		list = append(list, Why{l.Text, l.Track, l.Begin >> e.shift})
	}
	return list
}

// mainly is the longest slice of a wait; -1 if none is at hand.
func mainly(x *timeline.Track, w *wait) int {
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
	// Word is what is counted of it, so that another run can stand beside it by progress; empty
	// if nothing is, and where none stands there.
	Word string
	// Alone says why another run does not stand beside it; empty if it does, or nobody asked.
	Alone string
}

// whose is what State tracks are of: "thread" where the first is Thread 1.
func whose(t *timeline.Timeline) string {
	for i := range t.Tracks {
		if t.Tracks[i].Kind == timeline.State {
			name, _, _ := strings.Cut(t.Tracks[i].Name, " ")
			return strings.ToLower(name)
		}
	}
	return "track"
}

// share says what most of the time waits for.
func share(t *timeline.Timeline, most int, said string, tracks int64) string {
	switch c := &t.Cats[most]; {
	case c.Verb && tracks > 1:
		return "A " + whose(t) + " " + c.Label + " " + said + " of its time"
	case c.Verb:
		return said + " of the time it " + c.Label
	case tracks > 1:
		return said + " of the time of all together is " + c.Label
	default:
		return said + " of the time is " + c.Label
	}
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
	list := whole(t)
	if (most < 0 || all == 0) && len(list) == 0 {
		a.Says = "Nothing waits."
		return a
	}
	said := ""
	if most >= 0 {
		said = prose.Percent(float64(spent[most]) / float64(all))
		a.Says = share(t, most, said, tracks)
	}
	if len(list) > 0 {
		w := slices.MinFunc(list, longer)
		of, where := &t.Cats[w.Cat], ""
		if w.Step >= 0 {
			where = " in " + t.Names[t.Steps[w.Step]]
		} else if tracks > 1 || t.Tracks[w.Track].Kind != timeline.State {
			where = " in " + t.Tracks[w.Track].Name
		}
		if a.Says == "" {
			a.Says = "The longest single wait is "
		} else {
			a.Says += "; the longest single wait is "
		}
		a.Says += t.Tick.Time(w.End - w.Begin).String()
		if of.Verb {
			a.Says += where + ", which " + of.Label
		} else {
			a.Says += " of " + of.Label + where
		}
		a.Says += ", at " + t.Tick.Time(w.Begin).String()
	}
	a.Says += "."
	if due := t.Needed(); due != nil {
		top := 0
		for i, n := range due {
			if i > 0 && n > 0 && (top == 0 || n > due[top]) {
				top = i
			}
		}
		var waits int64
		for c, n := range spent {
			if t.Cats[c].Style == timeline.Waiting {
				waits += n
			}
		}
		if top > 0 && 2*due[top] >= waits {
			a.Says += " Most is due to " + t.Resources[top].Label
			if of := prose.Percent(float64(due[top]) / float64(all)); of != said {
				a.Says += ": " + of
			}
			a.Says += "."
		}
	}
	return a
}
