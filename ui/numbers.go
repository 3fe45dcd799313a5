package ui

import (
	"spillway/ui/chart"
	"spillway/ui/model"
)

// Numbers is the table of all quantities.
type Numbers struct {
	*App
	heads []string
	rows  []chart.Number
	of    *model.Room
	at    int
}

// Compute makes the table when something changed.
func (c *Numbers) Compute() {
	c.fresh()
	if c.of == nil || c.of != c.Room || c.at != c.Rev {
		c.of, c.at = c.Room, c.Rev
		c.heads, c.rows = chart.Numbers(c.Info, c.runs)
	}
}
