package view

import (
	"html"
	"strconv"
	"strings"

	"github.com/vugu/vugu"

	"spillway/ui/model/saved"
	"spillway/ui/model/session"
)

// Shelf is the list of kept runs: what the run in focus can be compared with.
type Shelf struct {
	*App
	open     bool
	renaming *saved.Row // whose name is typed now
	frozen   bool       // so the list stands, that nothing typed is lost

	of     *session.Laboratory // whose runs are listed
	listed []saved.Row         // as the list shows them
	// The list as HTML, one string: as virtual nodes its buttons would cost more than all
	// else on the page.
	text string
	markup
}

// Compute makes the list, with what is wrong and what can be chosen.
func (c *Shelf) Compute() {
	if c.of != c.Laboratory {
		c.of, c.renaming, c.frozen = c.Laboratory, nil, false
	}
	if c.frozen {
		return
	}
	c.frozen = c.renaming != nil
	var b strings.Builder
	notice := func(id, text, more string) {
		if text != "" {
			b.WriteString(`<p class="notice" role="alert" id="` + id + `">` + html.EscapeString(text) + more + `</p>`)
		}
	}
	more := ""
	if c.Saved.Damaged() != "" {
		more = " " + button("save-damaged", "small", "Download what cannot be read", "")
	}
	notice("shelf-problem", c.Saved.Problem, more)
	notice("shelf-lacks", c.Saved.Lacks(), "")
	if c.Saved.Busy() {
		b.WriteString(button("cancel-shown", "small", "Cancel", ""))
	} else if c.Saved.CanRunAgain() {
		b.WriteString(button("again-shown", "small", "Run again", ""))
	}
	if c.listed = c.Saved.List(); len(c.listed) > 0 {
		b.WriteString(`<ul class="shelf" id="shelf" aria-label="Kept runs">`)
		for i := range c.listed {
			c.item(&b, i, &c.listed[i])
		}
		b.WriteString(`</ul>`)
	}
	c.text = b.String()
}

func (c *Shelf) toggle() {
	if c.open = !c.open; c.open {
		c.Saved.Look()
	}
	c.renaming, c.frozen = nil, false
}

// button is a button as HTML.
func button(id, class, label, more string) string {
	return `<button type="button" id="` + id + `" class="` + class + `"` + more + `>` + label + `</button>`
}

// item adds a run to the list.
func (c *Shelf) item(b *strings.Builder, i int, r *saved.Row) {
	n := "-" + strconv.Itoa(i)
	text := html.EscapeString
	b.WriteString(`<li><b class="name">` + text(r.Name) + `</b> <span class="fine">` + text(r.About) + `</span> <span class="fine">` + text(r.Stands) + `</span><span class="shelf-tools">`)
	if c.renaming != nil && c.renaming.Is(r) {
		b.WriteString(`<input type="text" maxlength="120" autocomplete="off" autofocus aria-label="New name" id="name` + n + `" value="` + text(r.Name) + `">`)
	}
	tool := func(id, label, more string) { b.WriteString(button(id+n, "mini", label, more)) }
	if !r.Beside || i > 0 {
		tool("against", "Compare", ` title="Compare what is shown with this run"`)
	}
	if r.Beside {
		tool("release", "Leave out", "")
	}
	tool("visit", "Open", ` title="Show its settings"`)
	tool("rename", "Rename", "")
	if !r.Lasting {
		tool("adopt", "Keep", ` title="It came with a link; keep it in this browser"`)
	} else {
		tool("delete", "Delete", ` title="Undo brings it back"`)
	}
	b.WriteString(`</span></li>`)
}

// target is what an event is about: the word in its element's ID, and the run
// whose place in the list stands behind it, nil if none does.
func (c *Shelf) target(e vugu.DOMEvent) (word string, r *saved.Row) {
	id := e.PropString("target", "id")
	word, place, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(place)
	if err != nil || n < 0 || n >= len(c.listed) {
		return id, nil
	}
	return word, &c.listed[n]
}

func (c *Shelf) clicked(e vugu.DOMEvent) {
	word, r := c.target(e)
	switch {
	case word == "cancel-shown":
		c.Saved.Cancel()
	case word == "again-shown":
		c.Saved.RunAgain()
	case word == "save-damaged":
		c.Page.Save("spillway-damaged-runs.txt", "text/plain", c.Saved.Damaged())
	case r == nil: // nothing that ends the typing of a name
		return
	case word == "rename":
		c.renaming = r
	case !c.Saved.Act(word, r):
		return
	}
	if word != "rename" {
		c.renaming = nil
	}
	c.frozen = false
}

func (c *Shelf) changed(e vugu.DOMEvent) {
	if word, r := c.target(e); r != nil && word == "name" {
		c.Saved.Call(r, e.PropString("target", "value"))
	}
	c.renaming, c.frozen = nil, false
}
