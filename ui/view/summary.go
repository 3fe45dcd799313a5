package view

import (
	"github.com/vugu/vugu"

	"spillway/ui/chart"
)

// Summary says who wins and how the runs stand.
type Summary struct {
	*App
	baseline vugu.Builder
}

func (c *Summary) headline() string {
	c.fresh()
	if c.Runs.Blocked() != "" && !c.Runs.Results() {
		return "Not computed; the message above says why."
	}
	if c.before != "" {
		return c.before
	}
	return chart.Headline(c.Info, c.runs)
}

// announce is what screen readers hear: only finished comparisons.
func (c *Summary) announce() string {
	if c.Runs.Active() {
		return ""
	}
	return c.headline()
}
