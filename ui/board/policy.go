package board

import (
	"html"
	"strings"

	"spillway/sim/script"
)

// Examples returns the texts that a policy can start from.
func Examples(p *script.Proof) string {
	if len(p.Examples) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(`<span class="hint">Start from</span>`)
	for i := range p.Examples {
		e := &p.Examples[i]
		chip(&b, e.Text, e.Title, "", e.About, ` data-whole=""`)
	}
	return b.String()
}

// Words returns what may stand in a policy.
func Words(p *script.Proof) string {
	var b strings.Builder
	for _, k := range p.Words {
		if len(k.Words) == 0 {
			continue
		}
		b.WriteString(`<h4>` + html.EscapeString(k.Title) + `</h4><dl>`)
		for _, w := range k.Words {
			b.WriteString(`<dt>`)
			chip(&b, w.Write, w.Name, w.Unit, w.Help, "")
			b.WriteString(`</dt><dd>` + html.EscapeString(w.Help) + `</dd>`)
		}
		b.WriteString(`</dl>`)
	}
	return b.String()
}

// chip is a button that writes something.
func chip(b *strings.Builder, write, name, unit, title, more string) {
	b.WriteString(`<button type="button" class="pill" title="` + html.EscapeString(title) + `" data-write="` + html.EscapeString(write) + `"` + more + `>` + html.EscapeString(name) + `</button>`)
	if unit != "" {
		b.WriteString(` <span class="unit">` + html.EscapeString(unit) + `</span>`)
	}
}
