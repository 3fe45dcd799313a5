package ui

import "spillway/ui/model"

// Numbers is the table of all numbers.
type Numbers struct {
	*App
	heads []string
	rows  []model.NumberRow
	rev   int
}

// Compute fills the table when something changed.
func (c *Numbers) Compute() {
	if c.heads == nil || c.rev != c.Rev {
		c.heads, c.rows = c.Session.Numbers()
		c.rev = c.Rev
	}
}
