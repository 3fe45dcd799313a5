package view

import (
	"spillway/ui/model/state"
)

// Head is the bar at the top: name, laboratories, views and tools.
type Head struct{ *App }

// icon is an attribute value that the compiler of components cannot see
// through: it writes constant markup anew on every render, and the browser
// would load the image again.
var icon = "icon.svg"

// lead says what the laboratory is about.
func (c *Head) lead() string {
	if c.Laboratory == nil {
		return "Simulated in this tab; nothing is uploaded."
	}
	return c.Info.Lead + " Simulated in this tab; nothing is uploaded."
}

func (c *Head) current(lab string) string { return boolText(c.Wanted() == lab) }

func (c *Head) viewing(v state.View) string {
	return boolText(c.Laboratory != nil && c.Viewing() == v)
}

func (c *Head) hasPapers() bool { return c.Laboratory != nil && len(c.Info.Papers) > 0 }

func (c *Head) hasSettings() bool { return c.Laboratory != nil && c.Viewing() != state.Reproduce }

func (c *Head) canUndo() bool { return c.Laboratory != nil && c.CanUndo() }

func (c *Head) canRedo() bool { return c.Laboratory != nil && c.CanRedo() }
