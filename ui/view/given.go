package view

import (
	"slices"

	"spillway/ui/lab"
	"spillway/ui/model/form"
)

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

// preset is what the settings start from, as far as they are one's that the laboratory has.
func (c *Given) preset() string {
	is := c.Preset()
	at := slices.IndexFunc(c.Info.Presets, func(p lab.Preset) bool { return p.Key == is })
	if at < 0 {
		return "Start from"
	}
	return c.Info.Presets[at].Title
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
