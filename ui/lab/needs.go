package lab

import (
	"spillway/sim/knob"
	"spillway/sim/timeline"
	"spillway/sim/unit"
)

// Needs are what the time of a run is for: of every resource how long State tracks spend for it, the
// mean over them, the first for none.
type Needs struct {
	Resources []timeline.Resource
	Times     []unit.Time
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
	n := &Needs{Resources: h.Resources, Times: make([]unit.Time, len(h.Resources))}
	tracks := int64(0)
	for i := range h.Tracks {
		if h.Tracks[i].Kind == timeline.State {
			tracks++
		}
	}
	if sums := h.Needed(); sums != nil {
		for i, ticks := range sums {
			n.Times[i] = h.Tick.Time(ticks / max(1, tracks))
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
		looked := part.Window.To - part.Window.From
		for i, ticks := range part.Needed() {
			n.Times[i] += h.Tick.Time(unit.MulDiv(ticks/max(1, tracks), each, max(1, looked)))
		}
	}
	return n, nil
}

// Most is the resource that most of the time is for, by its place; 0 if none is known.
func (n *Needs) Most() (most int) {
	for i, took := range n.Times {
		if i > 0 && took > 0 && (most == 0 || took > n.Times[most]) {
			most = i
		}
	}
	return most
}
