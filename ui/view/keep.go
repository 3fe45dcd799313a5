package view

import (
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/knob"
	"spillway/ui/chart"
)

// Keep gives the run that is shown a name.
type Keep struct {
	*App
	open, all bool
	name      string // as typed
	typed     bool
	said      string // what was kept last
}

func (c *Keep) toggle() {
	if c.open, c.typed, c.said = !c.open, false, ""; c.open {
		c.Page.Focus("keep-name")
	}
}

// text is the name that the run gets: what was typed, or what it differs in from
// the baseline, from the newest kept run, or from its presets.
func (c *Keep) text() string {
	if c.typed {
		return c.name
	}
	u := c.State.Setup
	from := c.State.Base
	if n := len(c.State.Kept); from == nil && n > 0 {
		from = c.Saved.Setup(c.State.Kept[n-1])
	}
	var said []string
	if from == nil || len(knob.Differ(from, u)) == 0 {
		from, said = u.Base(), append(said, c.Of(u))
	}
	for _, d := range knob.Differ(from, u) {
		text := chart.Value(d.Knob, d.Is)
		if d.Knob.Kind == knob.Number {
			text = d.Knob.Label + " " + text
		}
		if len(said) < 3 && text != "" {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		said = append(said, c.Of(u))
	}
	text := strings.Join(said, ", ")
	if !c.all {
		text = c.focus() + ": " + text
	}
	return text
}

// focus is what the system in focus is called.
func (c *Keep) focus() string {
	if s, err := c.Info.System(c.Focus()); err == nil {
		return s.Title
	}
	return ""
}

func (c *Keep) type1(e vugu.DOMEvent) {
	c.name, c.typed = e.PropString("target", "value"), true
}

func (c *Keep) pick(e vugu.DOMEvent) { c.all = e.PropString("target", "value") == "all" }

func (c *Keep) keep() {
	name, systems := c.text(), []string{c.Focus()}
	if c.all {
		systems = c.State.On
	}
	c.Saved.Keep(name, systems)
	c.open, c.typed, c.said = false, false, "Kept; Compare shows it beside others."
	c.Page.Focus("keep") // the form is gone
}
