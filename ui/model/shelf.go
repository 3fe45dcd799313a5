package model

import "spillway/ui/work"

// A Shelf holds the runs that the visitor named, and the baseline.
type Shelf struct{ room *Room }

func newShelf(r *Room) *Shelf { return &Shelf{room: r} }

// refresh starts what is shown of the shelf and stops what no longer is.
func (*Shelf) refresh() {}

// answer takes what a worker said, if it is about the shelf.
func (*Shelf) answer(*work.Answer) bool { return false }
