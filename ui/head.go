package ui

import "spillway/ui/model"

// Head is the bar at the top: name and tools.
type Head struct{ *App }

// icon is an attribute value that the compiler of components cannot see
// through: it writes constant markup anew on every render, and the browser
// would load the image again.
var icon = "icon.svg"

func (c *Head) viewing(v model.View) string { return boolText(c.State.View == v) }

func (c *Head) linkLabel() string {
	if c.Copied {
		return "Link copied"
	}
	return "Copy link"
}

// off is the value of a disabled attribute: nil leaves the attribute out.
func off(b bool) any {
	if b {
		return nil
	}
	return "disabled"
}
