package view

import (
	"strconv"

	"github.com/vugu/vugu"
)

// Timeline is the view of one run over time.
type Timeline struct {
	*App
	lanes
}

// headline is what the time of the run goes to.
func (c *Timeline) headline() string {
	if c.shown() {
		return c.Timeline.Of() + ": " + c.Timeline.Says()
	}
	return "One run over time"
}

func (c *Timeline) percent() string { return strconv.Itoa(c.Timeline.Percent()) }

// shown reports whether there is something to see.
func (c *Timeline) shown() bool { return c.Timeline.Columns != 0 && c.Timeline.Empty() == "" }

// class is that of the place of the canvas.
func (c *Timeline) class() string {
	if c.Timeline.Stale() {
		return "tl-box waits"
	}
	return "tl-box"
}

func (c *Timeline) choose(e vugu.DOMEvent) { c.SetFocus(e.PropString("target", "value")) }

func (c *Timeline) oppose(e vugu.DOMEvent) {
	c.Timeline.SetAgainst(e.PropString("target", "value"), c.Timeline.ByTime())
}

func (c *Timeline) link(e vugu.DOMEvent) {
	c.Timeline.SetAgainst(c.Timeline.Against(), e.PropString("target", "value") == "time")
}
