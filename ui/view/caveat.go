package view

import "spillway/ui/model/session"

// Caveat says what decides whether the numbers can be trusted. Where it said something its
// room stays, so that nothing jumps when another setting makes it silent.
type Caveat struct {
	*App
	spoken *session.Laboratory // where it last said something
}

// empty reports whether it has said nothing in this laboratory yet.
func (c *Caveat) empty() bool {
	if c.Runs.Caveat() != "" {
		c.spoken = c.Laboratory
	}
	return c.spoken != c.Laboratory
}
