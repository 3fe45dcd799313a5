package model

import "spillway/ui/work"

// An Ask is the question of the view "What if".
type Ask struct{ room *Room }

func newAsk(r *Room) *Ask { return &Ask{room: r} }

// refresh starts what the question needs and stops what it no longer does.
func (*Ask) refresh() {}

// answer takes what a worker said, if it is about the question.
func (*Ask) answer(*work.Answer) bool { return false }
