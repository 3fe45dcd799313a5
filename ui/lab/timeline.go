package lab

import (
	"errors"

	"spillway/sim/timeline"
)

// ErrNothingHappens is of a system whose run has nothing over time: it is a closed formula.
var ErrNothingHappens = errors.New("nothing happens over time")

// A Happening is what happened in one run over time.
type Happening struct {
	*timeline.Timeline
	// Chain says of a slice that waits, by its track and place there, what it came of; nil in
	// a laboratory that does not say.
	Chain func(track, slice int) []ChainLink
	// Apart says of two runs in one picture where they part.
	Apart []ChainLink
}

// A ChainLink is one step of what a wait came of: a sentence, and the slice that it is about.
type ChainLink struct {
	Text  string
	Track int   // -1 for no slice
	Begin int64 // of the slice, in ticks
}

// A Window is a part of a run, in its ticks; the zero window is all of it.
type Window = timeline.Window
