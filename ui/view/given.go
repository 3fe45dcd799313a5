package view

import "spillway/ui/model/form"

// Given is the sentence that says what is given, in pieces that are menus: of what to start from,
// and of what each says.
type Given struct {
	*App
	shown string // the piece whose menu is open, empty if none is
}

func (c *Given) tokens() []form.Token { return c.Form.Tokens() }

// between is what stands before a piece to who does not see where it ends.
func between(i int) string {
	if i == 0 {
		return ""
	}
	return " · "
}

func (c *Given) open(key string) {
	if c.shown == key {
		key = ""
	}
	c.shown = key
}

func (c *Given) expanded(key string) string { return boolText(c.shown == key) }

// close closes the menu and goes back to its piece.
func (c *Given) close() {
	c.Page.Focus("given-" + c.shown)
	c.shown = ""
}

// preset is what the settings start from, and whether they were changed since.
func (c *Given) preset() string {
	switch p := c.Began(); {
	case p == nil:
		return "Start from"
	case p.Key == c.Preset():
		return p.Title
	default:
		return p.Title + ", changed"
	}
}

func (c *Given) holds(key string) string { return boolText(c.Preset() == key) }

func (c *Given) start(key string) {
	c.close()
	c.UsePreset(key)
}

func (c *Given) take(key, option string) {
	c.close()
	c.Form.Take(key, option)
}

// jump leads to the setting.
func (c *Given) jump(key string) {
	c.shown = ""
	c.Jump(key)
}
