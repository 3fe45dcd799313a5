package view

import (
	"strconv"
	"strings"

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
		says := c.Timeline.Says()
		if rest, ok := strings.CutPrefix(says, "A "); ok { // behind a colon
			says = "a " + rest
		}
		return c.Timeline.Of() + ": " + says
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

// link draws what stands beside over the same time, or over the same progress.
func (c *Timeline) link() { c.Timeline.SetAgainst(c.Timeline.Against(), !c.Timeline.ByTime()) }

// linked is how it would be drawn then.
func (c *Timeline) linked() string {
	if c.Timeline.ByTime() {
		return "Link by " + c.Timeline.Word()
	}
	return "Link by time"
}

// about is what the run is of, and why no other stands beside.
func (c *Timeline) about() string { return c.Note() + " " + c.Timeline.Alone() }
