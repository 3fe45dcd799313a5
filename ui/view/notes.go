package view

import (
	"html"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/report"
)

// Notes is what the results say that the reader should know.
type Notes struct{ *App }

// broughtHTML is the policy that is followed, so that who opens a link reads what runs.
func (c *Notes) broughtHTML() vugu.HTML {
	name, text := c.Proof.Brought()
	if text == "" {
		return ""
	}
	return vugu.HTML(`<details class="brought" id="brought"><summary>The policy of Yours: ` + html.EscapeString(name) + `</summary><pre tabindex="0">` + html.EscapeString(text) + `</pre></details>`)
}

// noteClass is that of a note: what lacks data is shown as an error.
func noteClass(t string) string {
	if strings.HasPrefix(t, report.Missing) {
		return "error"
	}
	return ""
}
