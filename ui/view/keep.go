package view

import "github.com/vugu/vugu"

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
	return c.Saved.Suggest(c.all)
}

func (c *Keep) type1(e vugu.DOMEvent) {
	c.name, c.typed = e.PropString("target", "value"), true
}

func (c *Keep) pick(e vugu.DOMEvent) { c.all = e.PropString("target", "value") == "all" }

func (c *Keep) keep() {
	c.Saved.KeepShown(c.text(), c.all)
	c.open, c.typed, c.said = false, false, "Kept."
	c.Page.Focus("keep") // the form is gone
}
