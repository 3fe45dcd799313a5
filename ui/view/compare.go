package view

import (
	"html"
	"math"
	"strconv"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/jsontext"
	"spillway/ui/lab"
	"spillway/ui/model/saved"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
	"spillway/ui/table"
)

// Compare is the view with named runs side by side.
type Compare struct {
	*App
	keep    vugu.Builder
	figures []vugu.Builder

	quantity, chart string      // that are chosen
	renaming        *state.Kept // whose name is typed now
	frozen          bool        // so the list stands, that nothing typed is lost

	// What is shown, of a room at a Rev.
	of            *session.Laboratory
	at            int
	shown         []saved.ShownRun
	named         []lab.System // the runs as if they were systems
	side          []chart.Run
	views         [3]chart.View
	headline      string
	lookAt, drawn string       // the quantity and the chart
	listed        []state.Kept // as the list shows them
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
	list := c.tableFormats("compare", c.saveCSV, func() *table.File { return c.file(c.headline, "", c.tables...) })
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
		c.Laboratory.Rev++
		return true
	}
	for _, f := range c.formats() {
		if word == f.key+"-side" {
			c.ToggleOpen(saveSide)
			c.Laboratory.Rev++
			c.Page.Focus("save-side")
			f.save()
			return true
		}
	}
	return false
}

// newCompare returns the view.
func newCompare(a *App) *Compare {
	c := &Compare{App: a, keep: &Keep{App: a}}
	for i := range c.views {
		c.figures = append(c.figures, &Figure{App: a, source: func() *chart.View {
			c.compute()
			return &c.views[i]
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
	s := c.Saved.SideBySide(c.quantity, c.chart)
	c.shown, c.named, c.side, c.views, c.headline = s.Shown, s.Systems, s.Runs, s.Views, s.Headline
	c.lookAt, c.drawn = s.Quantity, s.Chart.ID
	c.tabulate()
}

// tabulate makes the tables: what the runs' settings differ in, and all numbers
// with their change against the first run.
func (c *Compare) tabulate() {
	var setups []*knob.Setup
	system := chart.Number{Label: "System"}
	names := make([]string, len(c.shown))
	for i := range c.shown {
		x := &c.shown[i]
		setups, names[i] = append(setups, x.Setup), c.named[i].Title
		system.Cells = append(system.Cells, report.Cell{Text: x.Title})
	}
	c.text[1] = ""
	if len(c.shown) == 0 {
		return
	}
	against := make([]chart.Run, len(c.side))
	for i, r := range c.side {
		if i > 0 {
			r.Before = c.side[0].Report
		}
		against[i] = r
	}
	heads, rows := chart.Numbers(c.Info, against)
	c.tables = []report.Table{numbersTable("Setting", names, append([]chart.Number{system}, chart.Settings(setups)...)), numbersTable("Quantity", heads, rows)}
	c.tables[0].Title, c.tables[1].Title = "What the runs differ in", "All numbers, with their change against the reference"
	c.text[1] = boxed("side-settings", "What the runs differ in", "", numbersMarkup("side-settings", "Setting", names, append([]chart.Number{system}, chart.Settings(setups)...))) +
		boxed("side-numbers", "All numbers, with their change against the reference", c.menu(), numbersMarkup("side-numbers", "Quantity", heads, rows))
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
	notice("shelf-lacks", c.lacks(), "")
	b.WriteString(button("cancel-shown", "small", "Cancel", hide(!c.Saved.Busy())) + button("again-shown", "small", "Run again", hide(c.Saved.Busy() || !c.Saved.CanRunAgain())))
	b.WriteString(`<ul class="shelf" id="shelf" aria-label="Runs">`)
	c.listed = c.Saved.All()
	shown := c.Saved.Shown() // as they stand now, with their progress
	for i, k := range c.listed {
		var run *saved.ShownRun
		if i < len(shown) && i < len(c.named) {
			run = &shown[i]
		}
		c.item(&b, i, k, run)
	}
	b.WriteString(`</ul><ul class="troubles">`)
	for _, t := range c.troubles() {
		b.WriteString(`<li class="refusal">` + html.EscapeString(t) + `</li>`)
	}
	b.WriteString(`</ul>`)
	if len(c.shown) > 0 {
		var quantities, charts []string
		for i := range c.Info.Quantities {
			quantities = append(quantities, c.Info.Quantities[i].Key, c.Info.Quantities[i].Label)
		}
		for _, ch := range saved.SideCharts(c.Info) {
			charts = append(charts, ch.ID, ch.Title)
		}
		b.WriteString(`<div class="section-knobs"><label for="side-of">Bars of</label>` + selection("side-of", c.lookAt, quantities) +
			`<label for="side-chart">and</label>` + selection("side-chart", c.drawn, charts) + `</div>`)
	}
	c.text[0] = b.String()
}

func hide(yes bool) string {
	if yes {
		return " hidden"
	}
	return ""
}

// item adds a run to the list; shown is nil if it is only kept.
func (c *Compare) item(b *strings.Builder, i int, k state.Kept, shown *saved.ShownRun) {
	n := "-" + strconv.Itoa(i)
	check, look, stands := "", `<span class="swatch off"></span>`, ""
	switch {
	case shown != nil:
		check, stands = " checked", shown.Run.RunState()
		look = `<span class="` + swatchClass(&c.named[i]) + `" style="` + swatch(&c.named[i]) + `"></span><b>` + c.named[i].Title[:1] + `</b>`
		if shown.Needs != "" {
			stands = "needs a file"
		}
	case len(c.shown) >= state.MostShown:
		check = " disabled"
	}
	about := c.Of(c.Saved.Setup(k))
	if sys, err := c.Info.System(k.System); err == nil {
		about += " · " + sys.Title
	}
	b.WriteString(`<li><label><input type="checkbox" id="show` + n + `"` + check + `>` + look + `<span class="name">` + html.EscapeString(k.Name) + `</span></label> <span class="fine">` +
		html.EscapeString(about) + `</span> <span class="fine">` + html.EscapeString(stands) + `</span><span class="shelf-tools">`)
	if c.renaming != nil && *c.renaming == k {
		b.WriteString(`<input type="text" maxlength="120" autocomplete="off" autofocus aria-label="New name" id="name` + n + `" value="` + html.EscapeString(k.Name) + `">`)
	}
	tool := func(id, label, more string) { b.WriteString(button(id+n, "mini", label, more)) }
	switch {
	case shown != nil && i == 0 && len(c.shown) > 1:
		b.WriteString(`<span class="chip ok">reference</span>`)
	case shown != nil && i > 0:
		tool("first", "Make reference", ` title="Compare the others with this run"`)
	}
	tool("visit", "Open", ` title="Show its settings under Explore"`)
	tool("rename", "Rename", "")
	if !c.Saved.IsKept(k) {
		tool("adopt", "Keep", ` title="It came with a link; keep it in this browser"`)
	}
	tool("delete", "Delete", ` title="Undo brings it back"`)
	b.WriteString(`</span></li>`)
}

// target is what an event is about: the word in its element's ID, and the run
// whose place in the list stands behind it.
func (c *Compare) target(e vugu.DOMEvent) (word string, k state.Kept) {
	id := e.PropString("target", "id")
	word, place, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(place)
	if err != nil || n < 0 || n >= len(c.listed) {
		return id, k
	}
	return word, c.listed[n]
}

func (c *Compare) clicked(e vugu.DOMEvent) {
	word, k := c.target(e)
	switch word {
	case "cancel-shown":
		c.Saved.Cancel()
	case "again-shown":
		c.Saved.RunAgain()
	case "save-damaged":
		c.Page.Save("spillway-damaged-runs.txt", "text/plain", c.Saved.Damaged())
	case "first":
		c.Saved.Refer(k)
	case "visit":
		c.Saved.Visit(k)
	case "rename":
		c.renaming = &k
	case "adopt":
		c.Saved.Adopt(k)
	case "delete":
		c.Saved.Delete(k)
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
	word, k := c.target(e)
	text := e.PropString("target", "value")
	switch word {
	case "show":
		c.Saved.Show(k)
	case "name":
		c.Saved.Rename(k, text)
	case "side-of":
		c.quantity = text
		c.Laboratory.Rev++
	case "side-chart":
		c.chart = text
		c.Laboratory.Rev++
	}
	c.renaming, c.frozen = nil, false
}

// says is the headline, or how to begin.
func (c *Compare) says() string {
	if len(c.shown) == 0 {
		return "Nothing to compare yet. Keep a run, here or under Explore, change something, and keep another."
	}
	return c.headline
}

// announce is what screen readers hear: only finished comparisons.
func (c *Compare) announce() string {
	if c.Saved.Busy() {
		return ""
	}
	return c.says()
}

// lacks asks for the files that runs need.
func (c *Compare) lacks() string {
	if list := c.Saved.Lacking(); len(list) > 0 {
		return "Drop the file or folder that holds " + strings.Join(list, ", ") + " on the page to see the runs of it."
	}
	return ""
}

// troubles are the runs without numbers, and why.
func (c *Compare) troubles() (list []string) {
	for i := range c.side {
		switch r := &c.side[i]; {
		case r.Error != "":
			list = append(list, r.System.Title+": "+r.Error)
		case r.Report != nil && !r.Report.Fits:
			list = append(list, r.System.Title+" does not fit: "+r.Report.Reason)
		}
	}
	return list
}

func (c *Compare) saveCSV() {
	c.compute()
	var systems []*lab.System
	var setups []*knob.Setup
	for i := range c.shown {
		systems, setups = append(systems, c.shown[i].Run.System), append(setups, c.shown[i].Setup)
	}
	c.Page.Save("spillway-compare.csv", "text/csv", chart.SideCSV(&chart.Context{Info: c.Info}, c.side, systems, setups))
}

// A sideFile is the runs side by side as a file.
type sideFile struct {
	Format  string    `json:"format"` // "spillway-compare"
	Version int       `json:"version"`
	Lab     string    `json:"lab"`
	Link    string    `json:"link"` // fragment that shows the same
	Runs    []sideRun `json:"runs"`
}

type sideRun struct {
	Name   string             `json:"name"`
	System string             `json:"system"`
	Setup  string             `json:"setup"`
	Status string             `json:"status"`
	Values map[string]float64 `json:"values,omitempty"` // by quantity, in the quantities' own units
}

func (c *Compare) saveJSON() {
	c.compute()
	f := sideFile{Format: "spillway-compare", Version: 1, Lab: c.Info.Name, Link: c.Link()}
	for i := range c.shown {
		x := &c.shown[i]
		run := sideRun{Name: x.Name, System: x.System, Setup: x.Kept.Setup, Status: x.Run.Status(), Values: map[string]float64{}}
		if run.Status == "" {
			run.Status = "ok"
		}
		for k := range c.Info.Quantities {
			if x.Run.Report == nil {
				break
			}
			if v, ok := x.Run.Report.Value(k); ok && !math.IsInf(v, 0) {
				run.Values[c.Info.Quantities[k].Key] = v
			}
		}
		f.Runs = append(f.Runs, run)
	}
	text, err := jsontext.MarshalIndent(&f)
	if err != nil {
		c.Notice = "The runs cannot be saved: " + err.Error() + "."
		return
	}
	c.Page.Save("spillway-compare.json", "application/json", string(text))
}
