package workspace

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
)

// Words says the value of a knob inside a sentence; nothing when it does not
// matter now.
func Words(u *knob.Setup, key string) string {
	k, text := u.Knob(key), u.Text(key)
	if k == nil || u.Hidden(key) {
		return ""
	}
	switch k.Kind {
	case knob.One, knob.Many:
		c := k.Choice(text)
		switch {
		case c == nil && k.Kind == knob.Many:
			return fmt.Sprintf("custom, %d of %d", len(k.Members(text)), len(k.Choices))
		case c == nil || c.Word == "-" || k.Derived && u.Denied(c):
			return ""
		case c.Word != "":
			return c.Word
		}
		return Label(c)
	case knob.Number:
		return report.WithUnit(text, k.Unit)
	case knob.Word:
		if k.Titled {
			text, _, _ = strings.Cut(text, "|")
		}
	}
	return text
}

// Label is what a choice is called.
func Label(c *knob.Choice) string {
	if c.Label == "" {
		return c.Key
	}
	return c.Label
}

// BringsOthers reports whether a knob's choices bring values of others along: it
// is what those go back to, and is not reset with them.
func BringsOthers(k *knob.Info) bool {
	return slices.ContainsFunc(k.Choices, func(c knob.Choice) bool { return c.Set != "" })
}
