package lab

import (
	"fmt"
	"slices"
	"strconv"

	"spillway/sim/knob"
	"spillway/sim/timeline"
)

// Needs are what the time of a run is for: of every resource how long State tracks spend for it, the
// mean over them, the first for none.
type Needs struct {
	Resources []timeline.Resource
	Times     []int64  // picoseconds
	Longest   []Waited // the longest waits first, of those whose slices are at hand
}

// A Waited is a wait as people read it.
type Waited struct {
	In, What string // a step or who waits; its category
	For      string // its resource, empty if nobody knows
	At       string // its place in Timeline, as links say it
	Begin    int64  // in the run, in picoseconds
	Took     int64
	// Count is how many of those that are known are as long, of one step, category and resource:
	// this is the first.
	Count int
}

// longest is how many waits are told.
const longest = 10

// waited are the longest waits of what happened.
func waited(h *Happening) (list []Waited) {
	type kind struct {
		took int64
		step int32
		cat  uint8
		of   string
	}
	known := map[kind]int{}
	for i := range h.Waits {
		w := &h.Waits[i]
		x := &h.Tracks[w.Track]
		at, found := slices.BinarySearch(x.Begin, w.Begin)
		if h.End >= 1<<53 { // in longer runs places are told otherwise
			break
		}
		k := kind{took: w.End - w.Begin, step: w.Step, cat: w.Cat}
		if found && x.For != nil {
			k.of = h.Resources[x.For[at]].Label
		}
		if n, ok := known[k]; ok {
			list[n].Count++
			continue
		}
		if len(list) == longest {
			break
		}
		known[k] = len(list)
		y := Waited{In: x.Name, What: h.Cats[w.Cat].Label, Begin: int64(h.Tick.Time(w.Begin)), Took: int64(h.Tick.Time(w.End - w.Begin)), For: k.of, Count: 1}
		if w.Step >= 0 {
			y.In = h.Names[h.Steps[w.Step]]
			if h.Word != "" {
				y.In = fmt.Sprintf("%s, %s %d", y.In, h.Word, w.Step)
			}
		}
		took := w.End - w.Begin
		for k, n := range []int64{max(0, w.Begin-took), 3 * took, int64(w.Track), w.Begin} {
			if k > 0 {
				y.At += "."
			}
			y.At += strconv.FormatInt(n, 36)
		}
		list = append(list, y)
	}
	return list
}

// looks is at how many windows of a run with too many slices somebody looks who wants to know what
// its waits are for, and parts into how many the run is cut for that: each is in the middle of an
// equal part.
const (
	looks = 4
	parts = 16
)

// Needs runs a system with a recorder and says what its time is for; nil in a laboratory that does
// not say. Of a run with too many slices it is what windows of it say, scaled to all of it.
func (l *Lab) Needs(u *knob.Setup, system string, f Files) (*Needs, error) {
	if l.Timeline == nil {
		return nil, nil
	}
	h, err := l.Timeline(u, system, f, Window{}, nil)
	if err != nil || h.Resources == nil {
		return nil, err
	}
	n := &Needs{Resources: h.Resources, Times: make([]int64, len(h.Resources)), Longest: waited(h)}
	tracks := int64(0)
	for i := range h.Tracks {
		if h.Tracks[i].Kind == timeline.State {
			tracks++
		}
	}
	if sums := h.Needed(); sums != nil {
		for i, ticks := range sums {
			n.Times[i] = int64(h.Tick.Time(ticks / max(1, tracks)))
		}
		return n, nil
	}
	each := h.End / looks
	for k := range int64(looks) {
		from := k*each + each/2 - h.End/parts/2
		part, err := l.Timeline(u, system, f, Window{From: from, To: from + h.End/parts}, nil)
		if err != nil {
			return nil, err
		}
		for i, ticks := range part.NeededOver(each) {
			n.Times[i] += int64(h.Tick.Time(ticks / max(1, tracks)))
		}
	}
	return n, nil
}

// Most is the resource that most of the time is for, by its place; 0 if none is known.
func (n *Needs) Most() int { return int(timeline.Largest(n.Times)) }
