package ui

// Head is the bar at the top: name and tools.
type Head struct{ *App }

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
