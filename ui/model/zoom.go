package model

import "spillway/ui/model/state"

// SetZoom shows a part of a chart, in hundredths of a percent of its axis. That is
// no change of settings: there is nothing to undo.
func (r *Room) SetZoom(chart string, from, to int64) {
	r.State.ZoomInto(state.Zoom{Chart: chart, From: from, To: to})
}

// Zoomed is what charts are zoomed into, as links have it; empty if nothing is.
func (r *Room) Zoomed() string { return state.ZoomText(r.State.Zoom) }
