package view

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vugu/vugu"

	"spillway/sim/knob"
	"spillway/ui/model/form"
)

// Panel edits the knobs of one panel.
type Panel struct {
	*App
	Index int
}

func (c *Panel) form() *form.Panel { return &c.forms[c.Index] }

func (c *Panel) unfolded() bool { return !c.closed[c.folding(c.form().Key)] }

func (c *Panel) fold() {
	c.closed[c.folding(c.form().Key)] = c.unfolded()
	if c.unfolded() && c.form().Writes {
		c.Proof.Look()
	}
}

// startHTML offers policies to start from, wordsHTML what may stand in one.
func (c *Panel) startHTML() vugu.HTML { return vugu.HTML(c.Proof.Start()) }

func (c *Panel) wordsHTML() vugu.HTML { return vugu.HTML(c.Proof.Words()) }

// underlined is the text of a policy with the place marked at which it is wrong; it lies under the
// field, whose own text is above it.
func underlined(f form.Field) vugu.HTML {
	line, column := 0, 0
	if n, _ := fmt.Sscanf(f.Error, "Line %d, column %d:", &line, &column); n < 2 {
		return ""
	}
	rest := f.Text
	from := 0
	for ; line > 1; line-- {
		end := strings.IndexAny(rest[from:], "\n@")
		if end < 0 {
			return ""
		}
		from += end + 1
	}
	for ; column > 1 && from < len(rest) && rest[from] != '\n'; column-- {
		_, size := utf8.DecodeRuneInString(rest[from:])
		from += size
	}
	to := from + len(rest[from:]) - len(strings.TrimLeftFunc(rest[from:], func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }))
	if to == from && from < len(rest) && rest[from] != '\n' {
		_, size := utf8.DecodeRuneInString(rest[from:])
		to += size
	}
	word := rest[from:to]
	if word == "" { // something is missing at the end of a line
		word = " "
	}
	return vugu.HTML(html.EscapeString(rest[:from]) + "<u>" + html.EscapeString(word) + "</u>" + html.EscapeString(rest[to:]))
}

// loud and calm are how an error is said: at once, or once nobody types for a while.
func loud(f form.Field) any {
	if isScript(f) {
		return nil
	}
	return "alert"
}

func calm(f form.Field) any {
	if isScript(f) {
		return ""
	}
	return nil
}

// resetClass hides the button where there is nothing to see of what it resets.
func (c *Panel) resetClass() string {
	if c.unfolded() && c.form().Changed {
		return "small"
	}
	return "small away"
}

// fromFile reports whether an opened file stands in for what is chosen here.
func (c *Panel) fromFile() bool {
	return c.Entry() != "" && c.PanelOf(c.Info.Entry) == c.form().Key
}

func (c *Panel) fileText() string { return "From the opened files: " + c.Entry() + "." }

func (c *Panel) leaveFile() { c.Choose(c.Info.Entry, "") }

func (c *Panel) groups() []form.Group {
	if !c.unfolded() { // what is not seen need not be drawn
		return nil
	}
	return c.form().Groups
}

// problems are what contradicts; they stand in the panel with most numbers.
func (c *Panel) problems() []string {
	if c.form().Key != c.Info.Contradictions {
		return nil
	}
	return c.Runs.Problems
}

func (c *Panel) typed(key string, e vugu.DOMEvent) { c.Type(key, e.PropString("target", "value")) }

func (c *Panel) picked(key string, e vugu.DOMEvent) { c.Choose(key, e.PropString("target", "value")) }

func (c *Panel) listLabel(f form.Field) string {
	verb := "Show"
	if c.IsOpen("list " + f.Key) {
		verb = "Hide"
	}
	return fmt.Sprintf("%s all %d one by one", verb, len(f.Options))
}

// fieldClass is the CSS class of a field's input.
func fieldClass(f form.Field) string {
	switch {
	case f.Error != "":
		return "wrong"
	case f.Changed:
		return "changed"
	}
	return "plain"
}

// rowClass is the CSS class of the row of a text: words need more room than numbers.
func rowClass(f form.Field) string {
	if f.Kind == knob.Number {
		return "row"
	}
	return "row words"
}

// inputMode is the keyboard that a telephone shows.
func inputMode(f form.Field) string {
	if f.Kind == knob.Number {
		return "decimal"
	}
	return "text"
}

// hints reports whether a field's hint is shown: with the help, or when it is not
// clear what to enter.
func (c *Panel) hints(f form.Field) bool {
	return f.Hint != "" && !isMany(f) && (c.IsOpen("help "+f.Key) || f.Error != "")
}

// step is the key of a number that arrows change, nothing for other texts.
func step(f form.Field) string {
	if f.Kind == knob.Number {
		return f.Key
	}
	return ""
}

const nothing = ""

// brings says what more of a number would do, empty as long as nobody has asked.
func (c *Panel) brings(f form.Field) string {
	if f.Kind != knob.Number || f.Mark != "" {
		return nothing
	}
	return c.Question.Effect(f.Key)
}

// weighs reports whether the panel asks what its numbers bring: the one with most
// of them.
func (c *Panel) weighs() bool {
	return c.form().Key == c.Info.Contradictions && c.unfolded() && c.Runs.Blocked() == ""
}
