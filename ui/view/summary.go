package view

import (
	"cmp"
	"strings"

	"github.com/vugu/vugu"

	"spillway/ui/lab"
	"spillway/ui/model/state"
)

// Summary says what is asked, who wins and why.
type Summary struct {
	*App
	given     vugu.Builder
	says, why string // the verdict and its cause
}

// Compute finds the verdict.
func (c *Summary) Compute() {
	c.fresh()
	if c.says, c.why = c.App.says, c.App.why; c.Runs.Blocked() != "" && !c.Runs.Results() {
		c.says, c.why = "Not computed; the message above says why.", ""
	}
}

// announce is what screen readers hear: only finished comparisons.
func (c *Summary) announce() string {
	if c.Runs.Active() {
		return ""
	}
	return strings.TrimSpace(c.says + " " + c.why)
}

// A way is one of a laboratory's.
type way struct {
	lab.Way
	lab string
}

// ways are all laboratories'; they are in sight on a first visit.
func (c *Summary) ways() (all []way) {
	for _, t := range c.Tabs {
		for _, w := range t.Ways {
			all = append(all, way{Way: w, lab: t.Name})
		}
	}
	return all
}

func (c *Summary) take(w way) {
	c.GoThen(w.lab, func() { c.SetView(cmp.Or(state.View(w.View), state.Explore)) })
}

// tab is the tabindex of a button in a toolbar that Tab reaches at its first.
func tab(i int) string {
	if i == 0 {
		return "0"
	}
	return "-1"
}
