package view

import (
	"html"
	"strconv"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/model/saved"
	"spillway/ui/model/session"
	"spillway/ui/table"
)

// Compare is the view with named runs side by side.
type Compare struct {
	*App
	keep    vugu.Builder
	figures []vugu.Builder

	quantity, chart string     // that are chosen
	renaming        *saved.Row // whose name is typed now
	frozen          bool       // so the list stands, that nothing typed is lost

	// What is shown, of a room at a Rev.
	of     *session.Laboratory
	at     int
	side   *saved.Side
	listed []saved.Row // as the list shows them
	// The list and the tables as HTML, each one string: hundreds of cells and buttons
	// as virtual nodes would cost more than all else on the page.
	text  [2]string
	boxes [2]markup

	tables []report.Table // the same as text[1]
}

// saveSide is the menu's name among what is open.
const saveSide = "save side"

// formats are those of the tables.
func (c *Compare) formats() []format {
	list := c.tableFormats("compare", c.saveCSV, func() *table.File { return c.file(c.side.Headline, "", c.tables...) })
	return append(list, format{"json", "JSON", "Values by quantity", c.saveJSON})
}

// menu is Formats as HTML.
func (c *Compare) menu() string {
	open := c.IsOpen(saveSide)
	var text strings.Builder
	text.WriteString(`<div class="formats">` + button("save-side", "mini", "Save", ` aria-expanded="`+boolText(open)+`" aria-controls="formats-side" aria-label="Save the tables"`))
	if open {
		text.WriteString(`<div class="formats-list" role="group" id="formats-side" aria-label="Formats of the tables">`)
		for _, f := range c.formats() {
			text.WriteString(button(f.key+"-side", "mini", f.label, ""))
		}
		text.WriteString(`</div>`)
	}
	return text.String() + `</div>`
}

// pickFormat opens or closes the menu, or saves; it reports whether the word is of
// the menu.
func (c *Compare) pickFormat(word string) bool {
	if word == "save-side" {
		c.ToggleOpen(saveSide)
		c.Redraw()
		return true
	}
	for _, f := range c.formats() {
		if word == f.key+"-side" {
			c.ToggleOpen(saveSide)
			c.Redraw()
			c.Page.Focus("save-side")
			f.save()
			return true
		}
	}
	return false
}

// newCompare returns the view.
func newCompare(a *App) *Compare {
	c := &Compare{App: a, keep: &Keep{App: a}, side: &saved.Side{}}
	for i := range c.side.Views {
		c.figures = append(c.figures, &Figure{App: a, source: func() *chart.View {
			c.compute()
			return &c.side.Views[i]
		}})
	}
	return c
}

// Compute makes what is shown.
func (c *Compare) Compute() {
	c.compute()
	c.list()
}

// compute makes what depends on results when something changed.
func (c *Compare) compute() {
	if c.of == c.Laboratory && c.at == c.Rev {
		return
	}
	c.of, c.at = c.Laboratory, c.Rev
	c.side = c.Saved.SideBySide(c.quantity, c.chart)
	c.tabulate()
}

// tabulate makes the tables: what the runs' settings differ in, and all numbers
// with their change against the first run.
func (c *Compare) tabulate() {
	c.text[1] = ""
	v := c.side
	if len(v.Shown) == 0 {
		return
	}
	const differ, all = "What the runs differ in", "All numbers, with their change against the reference"
	c.tables = []report.Table{numbersTable("Setting", v.Names, v.Settings), numbersTable("Quantity", v.Heads, v.Numbers)}
	c.tables[0].Title, c.tables[1].Title = differ, all
	c.text[1] = boxed("side-settings", differ, "", numbersMarkup("side-settings", "Setting", v.Names, v.Settings)) +
		boxed("side-numbers", all, c.menu(), numbersMarkup("side-numbers", "Quantity", v.Heads, v.Numbers))
}

// plots are the figures that the laboratory has.
func (c *Compare) plots() []vugu.Builder {
	if !chart.Aligned(c.Info) {
		return c.figures[:2]
	}
	return c.figures
}

// boxed is a table in its box, as HTML.
func boxed(id, title, tools, table string) string {
	return `<section class="figure wide" aria-labelledby="h-` + id + `"><div class="figure-head"><h3 id="h-` + id + `">` + title + `</h3><div class="figure-tools">` + tools +
		`</div></div><div class="scroll" tabindex="0" role="region" aria-label="` + title + `, a table">` + table + `</div></section>`
}

// button is a button as HTML.
func button(id, class, label, more string) string {
	return `<button type="button" id="` + id + `" class="` + class + `"` + more + `>` + label + `</button>`
}

// selection is a list to choose from, as HTML: keys and labels by turns.
func selection(id, chosen string, options []string) string {
	var b strings.Builder
	b.WriteString(`<select id="` + id + `">`)
	for i := 0; i+1 < len(options); i += 2 {
		mark := ""
		if options[i] == chosen {
			mark = " selected"
		}
		b.WriteString(`<option value="` + options[i] + `"` + mark + `>` + html.EscapeString(options[i+1]) + `</option>`)
	}
	b.WriteString(`</select>`)
	return b.String()
}

// list makes the list of runs, with what is wrong and what can be chosen.
func (c *Compare) list() {
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
	b.WriteString(button("cancel-shown", "small", "Cancel", hide(!c.Saved.Busy())) + button("again-shown", "small", "Run again", hide(c.Saved.Busy() || !c.Saved.CanRunAgain())))
	b.WriteString(`<ul class="shelf" id="shelf" aria-label="Runs">`)
	c.listed = c.Saved.List(c.side)
	for i := range c.listed {
		c.item(&b, i, &c.listed[i])
	}
	b.WriteString(`</ul><ul class="troubles">`)
	for _, t := range c.side.Troubles() {
		b.WriteString(`<li class="refusal">` + html.EscapeString(t) + `</li>`)
	}
	b.WriteString(`</ul>`)
	if len(c.side.Shown) > 0 {
		var quantities, charts []string
		for i := range c.Info.Quantities {
			quantities = append(quantities, c.Info.Quantities[i].Key, c.Info.Quantities[i].Label)
		}
		for _, ch := range saved.SideCharts(c.Info) {
			charts = append(charts, ch.ID, ch.Title)
		}
		b.WriteString(`<div class="section-knobs"><label for="side-of">Bars of</label>` + selection("side-of", c.side.Quantity, quantities) +
			`<label for="side-chart">and</label>` + selection("side-chart", c.side.Chart.ID, charts) + `</div>`)
	}
	c.text[0] = b.String()
}

func hide(yes bool) string {
	if yes {
		return " hidden"
	}
	return ""
}

// item adds a run to the list.
func (c *Compare) item(b *strings.Builder, i int, r *saved.Row) {
	n := "-" + strconv.Itoa(i)
	check, look := "", `<span class="swatch off"></span>`
	switch {
	case r.Look != nil:
		check = " checked"
		look = `<span class="` + swatchClass(r.Look) + `" style="` + swatch(r.Look) + `"></span><b>` + r.Look.Title[:1] + `</b>`
	case c.Saved.Full():
		check = " disabled"
	}
	b.WriteString(`<li><label><input type="checkbox" id="show` + n + `"` + check + `>` + look + `<span class="name">` + html.EscapeString(r.Name) + `</span></label> <span class="fine">` +
		html.EscapeString(r.About) + `</span> <span class="fine">` + html.EscapeString(r.Stands) + `</span><span class="shelf-tools">`)
	if c.renaming != nil && c.renaming.Is(r) {
		b.WriteString(`<input type="text" maxlength="120" autocomplete="off" autofocus aria-label="New name" id="name` + n + `" value="` + html.EscapeString(r.Name) + `">`)
	}
	tool := func(id, label, more string) { b.WriteString(button(id+n, "mini", label, more)) }
	switch {
	case r.Look != nil && i == 0 && len(c.side.Shown) > 1:
		b.WriteString(`<span class="chip ok">reference</span>`)
	case r.Look != nil && i > 0:
		tool("first", "Make reference", ` title="Compare the others with this run"`)
	}
	tool("visit", "Open", ` title="Show its settings under Explore"`)
	tool("rename", "Rename", "")
	if !r.Lasting {
		tool("adopt", "Keep", ` title="It came with a link; keep it in this browser"`)
	}
	tool("delete", "Delete", ` title="Undo brings it back"`)
	b.WriteString(`</span></li>`)
}

// target is what an event is about: the word in its element's ID, and the run
// whose place in the list stands behind it, nil if none does.
func (c *Compare) target(e vugu.DOMEvent) (word string, r *saved.Row) {
	id := e.PropString("target", "id")
	word, place, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(place)
	if err != nil || n < 0 || n >= len(c.listed) {
		return id, nil
	}
	return word, &c.listed[n]
}

func (c *Compare) clicked(e vugu.DOMEvent) {
	word, r := c.target(e)
	switch {
	case word == "cancel-shown":
		c.Saved.Cancel()
	case word == "again-shown":
		c.Saved.RunAgain()
	case word == "save-damaged":
		c.Page.Save("spillway-damaged-runs.txt", "text/plain", c.Saved.Damaged())
	case r != nil && word == "rename":
		c.renaming = r
	case r != nil && word != "show":
		if !c.Saved.Act(word, r) {
			return
		}
	default:
		if !c.pickFormat(word) {
			return // nothing that ends the typing of a name
		}
	}
	if word != "rename" {
		c.renaming = nil
	}
	c.frozen = false
}

func (c *Compare) changed(e vugu.DOMEvent) {
	word, r := c.target(e)
	text := e.PropString("target", "value")
	switch {
	case r != nil && word == "show":
		c.Saved.Act(word, r)
	case r != nil && word == "name":
		c.Saved.Call(r, text)
	case word == "side-of":
		c.quantity = text
		c.Redraw()
	case word == "side-chart":
		c.chart = text
		c.Redraw()
	}
	c.renaming, c.frozen = nil, false
}

// says is the headline, or how to begin.
func (c *Compare) says() string {
	if len(c.side.Shown) == 0 {
		return "Nothing to compare yet. Keep a run, here or under Explore, change something, and keep another."
	}
	return c.side.Headline
}

// announce is what screen readers hear: only finished comparisons.
func (c *Compare) announce() string {
	if c.Saved.Busy() {
		return ""
	}
	return c.says()
}

func (c *Compare) saveCSV() {
	c.compute()
	c.Page.Save("spillway-compare.csv", "text/csv", c.side.CSV())
}

func (c *Compare) saveJSON() {
	c.compute()
	c.Page.Save("spillway-compare.json", "application/json", c.side.JSON(c.Link()))
}
