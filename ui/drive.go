package ui

import "spillway/ui/model"

// Drive shows what the simulated SSD delivered.
type Drive struct {
	*App
	report model.DriveReport
	shown  bool
	rev    int
}

// Compute makes the report when something changed.
func (c *Drive) Compute() {
	if c.rev != c.Rev {
		c.report, c.shown = c.DriveReport()
		c.rev = c.Rev
	}
}
