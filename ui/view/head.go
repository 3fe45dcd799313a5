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

// views are the tabs, in their order.
var views = []struct {
	view  state.View
	title string
}{{state.Explore, "Explore"}, {state.Timeline, "Timeline"}, {state.WhatIf, "What if"}, {state.Reproduce, "Reproduce"}}

// tools are the buttons of the head, in their order; opens is what aria-haspopup says.
var tools = []struct {
	id, title, label, tab, opens string
}{
	{"find", "Find a setting, system, chart or word (Ctrl+K)", "Search <kbd>Ctrl K</kbd>", "0", "dialog"},
	{"undo", "Undo the last change of settings (Ctrl+Z)", "Undo", "-1", "false"},
	{"redo", "Redo (Ctrl+Shift+Z)", "Redo", "-1", "false"},
	{"link", "Link, code to embed, how to cite", "Share", "-1", "dialog"},
	{"theme", "Switch between dark and light", "Theme", "-1", "false"},
	{"help", "Help and keyboard shortcuts (?)", "Help", "-1", "false"},
}

// usable reports whether a tool has something to do.
func (c *Head) usable(tool string) bool {
	switch tool {
	case "undo":
		return c.Laboratory != nil && c.CanUndo()
	case "redo":
		return c.Laboratory != nil && c.CanRedo()
	}
	return true
}

// use does what a tool does.
func (c *Head) use(tool string) {
	switch tool {
	case "find":
		c.Page.Find()
	case "undo":
		c.Undo()
	case "redo":
		c.Redo()
	case "link":
		c.Page.Share()
	case "theme":
		c.Page.Theme()
	case "help":
		c.Page.Help()
	}
}

// opens reports whether the laboratory has a view.
func (c *Head) opens(v state.View) bool {
	return c.Laboratory != nil && (v != state.Reproduce || len(c.Info.Papers) > 0)
}

func (c *Head) hasSettings() bool { return c.Laboratory != nil && c.Viewing() != state.Reproduce }
