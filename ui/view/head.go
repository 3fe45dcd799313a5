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

// lab is the laboratory that is shown.
func (c *Head) lab() string {
	for _, t := range c.Tabs {
		if t.Name == c.Wanted() {
			return t.Title
		}
	}
	return "Laboratories"
}

// reach shows the settings to who skips to them.
func (c *Head) reach() {
	if c.hasSettings() {
		c.OpenDrawer()
	}
}

// enter goes to a laboratory and closes the menu of them.
func (c *Head) enter(lab string) {
	c.ToggleOpen("labs")
	c.Page.Focus("labs")
	c.Go(lab)
}

// more is the class of the tools, which are a menu where the bar has no room for them.
func (c *Head) more() string {
	if c.IsOpen("more") {
		return "formats more open"
	}
	return "formats more"
}

func (c *Head) current(lab string) string { return boolText(c.Wanted() == lab) }

func (c *Head) viewing(v state.View) string {
	return boolText(c.Laboratory != nil && c.Viewing() == v)
}

// viewTab is the tabindex of a view: Tab reaches the one that is shown, arrows the others.
func (c *Head) viewTab(v state.View) string {
	if c.Laboratory == nil && v == state.Explore || c.viewing(v) == "true" {
		return "0"
	}
	return "-1"
}

func (c *Head) hasPapers() bool { return c.Laboratory != nil && len(c.Info.Papers) > 0 }

func (c *Head) hasSettings() bool { return c.Laboratory != nil && c.Viewing() != state.Reproduce }

func (c *Head) canUndo() bool { return c.Laboratory != nil && c.CanUndo() }

func (c *Head) canRedo() bool { return c.Laboratory != nil && c.CanRedo() }
