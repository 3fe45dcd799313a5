package view

import (
	"fmt"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/knob"
	"spillway/ui/chart"
)

// Baseline pins what is shown as what everything is compared with.
type Baseline struct {
	*App
	keep vugu.Builder
}

func (c *Baseline) label() string {
	if c.Baseline.Pinned() {
		return "Unpin the baseline"
	}
	return "Pin as baseline"
}

func (c *Baseline) toggle() {
	if c.Baseline.Pinned() {
		c.Baseline.Unpin()
	} else {
		c.Baseline.Pin()
	}
}

// mostSteps is how many changes are listed one by one.
const mostSteps = 4

// says tells what has changed since the baseline, or why nothing is compared.
func (c *Baseline) says() string {
	note := c.Baseline.Note()
	base := c.Baseline.Base()
	switch {
	case !c.Baseline.Pinned():
		return ""
	case base == nil && note == "":
		return "This is the baseline. Change a setting to see what it does."
	case base == nil:
		return note
	}
	steps := chart.Steps(knob.Differ(base, c.State.Setup))
	if n := len(steps) - mostSteps; n > 1 {
		steps = append(steps[:mostSteps], fmt.Sprintf("and %d more", n))
	}
	text := "Since the baseline: " + strings.Join(steps, "; ") + "."
	if c.Baseline.Pending() {
		text += " Its runs are being computed…"
	}
	return strings.TrimSpace(text + " " + note)
}

// away reports whether there is a baseline to go back to.
func (c *Baseline) away() bool {
	return c.Baseline.Pinned() && !c.State.Base.Equal(c.State.Setup)
}
