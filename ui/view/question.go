package view

import (
	"html"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/vugu/vugu"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/model/form"
	"spillway/ui/model/question"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
	"spillway/ui/table"
)

// Question is the view that asks what if.
type Question struct {
	*App
	canvas
	markup

	fields   []form.Field
	progress question.Progress
	answer   chart.Answer
	found    []question.Found
	effects  []question.Effect
	table    string // as HTML
	of       *session.Laboratory
	rev, at  int // of the question, and of the settings
	drawings int // counts answers
	made     time.Time

	savingChart, saving *Formats
}

// While many runs come in, what is shown of them is made anew so often; making it
// takes longer than a run.
const (
	manyRuns = 200
	pause    = 600 * time.Millisecond
)

// Compute makes what is shown, if something has changed.
func (c *Question) Compute() {
	if c.of == c.Laboratory && c.rev == c.Question.Rev && c.at == c.Rev {
		return
	}
	same := c.of == c.Laboratory && c.at == c.Rev
	c.of, c.rev, c.at = c.Laboratory, c.Question.Rev, c.Rev
	c.fields, c.progress = c.Question.Fields(), c.Question.Progress()
	if same && c.progress.Active && c.progress.All > manyRuns && time.Since(c.made) < pause {
		return
	}
	c.made = time.Now()
	c.drawings++
	c.answer, c.found, c.effects, c.table = chart.Answer{}, nil, nil, ""
	if c.Question.Problem() != "" {
		return
	}
	switch c.Question.Kind() {
	case state.Vary:
		c.answer = c.Question.Asked()
		c.table = tablesHTML(c.answer.Tables)
	case state.Rank:
		c.answer = c.Question.Asked()
		c.table = tablesHTML(c.answer.Tables)
	case state.Find:
		c.found = c.Question.Found()
		c.answer = c.Question.Asked()
		c.table = tablesHTML(c.answer.Tables)
	default:
		c.effects = c.Question.Gains()
		c.table = c.effectsHTML()
	}
}

func (c *Question) quantity() *report.Quantity { return &c.Info.Quantities[c.Question.Of()] }

func (c *Question) typed(key string, e vugu.DOMEvent) {
	c.Question.Type(key, e.PropString("target", "value"))
}

func (c *Question) picked(key string, e vugu.DOMEvent) {
	c.Question.Choose(key, e.PropString("target", "value"))
}

// inputClass says how wide a field is.
func (c *Question) inputClass(f form.Field) string {
	class := "short"
	if strings.HasSuffix(f.Key, ".list") {
		class = "long"
	}
	if f.Error != "" {
		class += " wrong"
	}
	return class
}

func (c *Question) canRun() bool {
	return c.Question.Problem() == "" && !c.progress.Active && (c.progress.Known < c.progress.All || c.progress.All == 0 || c.progress.Failed > 0)
}

func (c *Question) runLabel() string {
	n := c.progress.All - c.progress.Known
	switch {
	case c.Question.Problem() != "":
		return "Run"
	case c.progress.Active:
		return "Running…"
	case n == 0 && c.progress.Failed == 1:
		return "Try 1 run again"
	case n == 0 && c.progress.Failed > 0:
		return "Try " + chart.Count(int64(c.progress.Failed)) + " runs again"
	case n == 0:
		return "All runs are done"
	case n == 1:
		return "Run 1 run"
	}
	return "Run " + chart.Count(int64(n)) + " runs"
}

// state says how far the runs are, and how long they still take.
func (c *Question) state() string {
	p := &c.progress
	if p.All == 0 {
		return ""
	}
	text := chart.Count(int64(p.Known)) + " of " + chart.Count(int64(p.All)) + " runs"
	if p.Known < p.All && p.Seconds > 0 {
		text += ", about " + chart.Digits(math.Max(1, math.Round(p.Seconds)), 2) + " s"
		if p.Active {
			text += " more"
		}
	}
	return text + "."
}

// says is the finding.
func (c *Question) says() string {
	switch {
	case c.Question.Problem() != "":
		return c.Question.Problem()
	case c.progress.All > 0 && c.progress.Known == 0 && !c.progress.Active:
		return "Not run yet: " + chart.Count(int64(c.progress.All)) + " runs answer this."
	}
	text := c.answer.Says
	if kind := c.Question.Kind(); text != "" && c.progress.Known < c.progress.All && (kind == state.Vary || kind == state.Find || kind == state.Rank) {
		text = c.saysUnfinished()
	}
	switch c.Question.Kind() {
	case state.Effects:
		text = c.saysEffects()
	case state.Buy:
		text = c.saysBuy()
	}
	text = strings.TrimSpace(text + " " + c.saysFailed())
	if text == "" {
		return "Computing…"
	}
	return text
}

// saysUnfinished stands for the finding while runs are missing, which could turn it
// over.
func (c *Question) saysUnfinished() string {
	text := chart.Count(int64(c.progress.Known)) + " of " + chart.Count(int64(c.progress.All)) + " runs are there; "
	if c.progress.Active {
		return text + "what they say follows when all are."
	}
	return text + "run the others to hear what they say."
}

// saysFailed is what went wrong, empty if nothing; of what is varied the gaps say it.
func (c *Question) saysFailed() string {
	if c.progress.Failed == 0 || c.progress.Active || c.Question.Kind() == state.Vary {
		return ""
	}
	return chart.Count(int64(c.progress.Failed)) + " of the runs failed: " + strings.TrimSuffix(c.progress.Error, ".") + "."
}

// announce is what screen readers hear: only what is complete.
func (c *Question) announce() string {
	if c.progress.Active || c.progress.Known < c.progress.All {
		return ""
	}
	return c.says()
}

func (c *Question) foundText(f question.Found) string {
	if f.Failed != "" {
		return f.System.Title + ": a run failed: " + f.Failed
	}
	switch {
	case f.Over:
		return f.Says
	case c.progress.Active:
		return f.System.Title + ": searching…"
	case f.SoFar != "":
		return f.System.Title + ": stopped; so far " + chart.With(f.SoFar, c.Question.Searched().Unit)
	case c.progress.Known == 0:
		return f.System.Title + ": not run yet"
	}
	return f.System.Title + ": stopped"
}

func (c *Question) adoptLabel(f question.Found) string {
	return "Use " + chart.With(f.Value, c.Question.Searched().Unit) + " in Explore"
}

// plotHeight is the height of a drawing that is not there yet.
const plotHeight = 360

func (c *Question) plotStyle() string {
	h := c.answer.Height
	if h == 0 {
		h = plotHeight
	}
	return "height:" + strconv.Itoa(h) + "px"
}

// frameClass keeps small maps side by side where the window is narrow.
func (c *Question) frameClass() string {
	if c.answer.Width > 0 {
		return "paper-scroll"
	}
	return "ask-frame"
}

// drawn is what the canvas draws.
func (c *Question) drawn() (name string, rev int, v *chart.View) {
	return "whatif", c.drawings, &c.answer.View
}

func (c *Question) rows() string { return c.table }

func (c *Question) save(kind string) {
	c.saveChart("whatif", kind, c.Name("whatif", kind), &c.answer.View, c.Question.CSV())
}

// chartMenu has the formats of the chart, tableMenu those of the numbers.
func (c *Question) chartMenu() vugu.Builder {
	if c.savingChart == nil {
		c.savingChart = &Formats{App: c.App, id: "ask-chart", about: func() string { return "the chart" }, list: func() []format { return c.pictures(c.save) }}
	}
	return c.savingChart
}

func (c *Question) tableMenu() vugu.Builder {
	if c.saving == nil {
		c.saving = &Formats{App: c.App, id: "ask", about: func() string { return "the numbers" }, list: func() []format {
			list := c.tableFormats("whatif", c.saveCSV, func() *table.File {
				_, trust := c.Form.Brief()
				tables := c.answer.Tables
				if len(c.effects) > 0 {
					tables = []report.Table{c.effectsTable()}
				}
				return c.file("What if: "+c.says(), strings.Join(trust, " · "), tables...)
			})
			return append(list, format{"json", "JSON", "Every run with its settings", c.saveJSON})
		}}
	}
	return c.saving
}

// effectsTable is the table of what changes bring, as files have it.
func (c *Question) effectsTable() report.Table {
	heads, priced := c.effectsHeads()
	t := report.Table{Title: "Change of " + c.quantity().Label, Head: heads}
	for i := range c.effects {
		e := &c.effects[i]
		cells := []report.Cell{{Text: e.From}, {Text: e.To}}
		if priced {
			cells = append(cells, report.Cell{Text: c.price(e)}, report.Cell{Text: relative(e.Worth)})
		}
		if e.Reason != "" {
			cells = append(cells, report.Cell{Text: e.Reason})
		} else {
			for k := range e.Parts {
				cells = append(cells, report.Cell{Text: e.Parts[k].Say(), Best: k == e.Best})
			}
		}
		t.Rows = append(t.Rows, report.Row{Head: e.Label, Cells: cells})
	}
	return t
}

// effectsHeads are the heads of that table; priced: parts with prices.
func (c *Question) effectsHeads() (heads []string, priced bool) {
	price, worth := c.Question.Prices()
	heads = []string{"Setting", "Now", "Then"}
	if c.Question.Kind() == state.Buy {
		heads[0] = "Part"
		if priced = price >= 0 && worth >= 0; priced {
			heads = append(heads, "Costs", c.Info.Quantities[worth].Label)
		}
	}
	for _, s := range c.Question.Compared() {
		heads = append(heads, s.Title)
	}
	return heads, priced
}

func (c *Question) saveCSV() { c.Page.Save(c.Name("whatif", "csv"), "text/csv", c.Question.CSV()) }

func (c *Question) saveJSON() {
	c.Page.Save(c.Name("whatif", "json"), "application/json", c.Question.JSON())
}

// Destroy lets go of the drawing.
func (c *Question) Destroy() { c.dispose() }

// tablesHTML writes tables as one string, as Numbers does.
func tablesHTML(tables []report.Table) string {
	var b strings.Builder
	for i := range tables {
		t := &tables[i]
		words := wordColumns(t)
		b.WriteString(`<table class="numbers ask-numbers"><caption>` + html.EscapeString(t.Title) + `</caption><thead><tr>`)
		for k, h := range t.Head {
			if k > 0 && words[k-1] {
				b.WriteString(`<th scope="col" class="left">`)
			} else {
				b.WriteString(`<th scope="col">`)
			}
			b.WriteString(html.EscapeString(h) + `</th>`)
		}
		b.WriteString(`</tr></thead><tbody>`)
		for k := range t.Rows {
			r := &t.Rows[k]
			b.WriteString(`<tr><th scope="row">` + html.EscapeString(r.Head))
			if r.Sub != "" {
				b.WriteString(` <span class="chip">` + html.EscapeString(r.Sub) + `</span>`)
			}
			b.WriteString(`</th>`)
			for n, x := range r.Cells {
				switch {
				case words[n]:
					b.WriteString(`<td class="left words">`)
				case x.Best:
					b.WriteString(`<td class="best">`)
				default:
					b.WriteString(`<td>`)
				}
				b.WriteString(html.EscapeString(x.Text) + `</td>`)
			}
			b.WriteString(`</tr>`)
		}
		b.WriteString(`</tbody></table>`)
	}
	return b.String()
}

// longCell is from how many bytes on a cell is a text that needs several lines.
const longCell = 40

// wordColumns reports which cells of a table's rows may be such texts.
func wordColumns(t *report.Table) []bool {
	most := 0
	for i := range t.Rows {
		most = max(most, len(t.Rows[i].Cells))
	}
	words := make([]bool, max(most, len(t.Head)))
	for i := range t.Rows {
		for k := range t.Rows[i].Cells {
			words[k] = words[k] || len(t.Rows[i].Cells[k].Text) >= longCell
		}
	}
	return words
}

// effectsHTML is the table of what changes bring.
func (c *Question) effectsHTML() string {
	heads, priced := c.effectsHeads()
	var b strings.Builder
	cell := func(tag, class, text string) {
		b.WriteString("<" + tag + ` class="` + class + `">` + html.EscapeString(text) + "</" + tag[:2] + ">")
	}
	b.WriteString(`<table class="numbers ask-numbers"><caption>` + html.EscapeString("Change of "+c.quantity().Label) + `</caption><thead><tr>`)
	for i, h := range heads {
		class := ""
		if i < 3 {
			class = "left"
		}
		cell(`th scope="col"`, class, h)
	}
	b.WriteString(`</tr></thead><tbody>`)
	for i := range c.effects {
		e := &c.effects[i]
		if e.Reason != "" {
			b.WriteString(`<tr class="ask-none">`)
		} else {
			b.WriteString(`<tr>`)
		}
		cell(`th scope="row"`, "", e.Label)
		cell("td", "left", e.From)
		cell("td", "left", e.To)
		lead := 3
		if priced {
			cell("td", "", c.price(e))
			cell("td", "", relative(e.Worth))
			lead = 5
		}
		if e.Reason != "" {
			b.WriteString(`<td class="left" colspan="` + strconv.Itoa(len(heads)-lead) + `">` + html.EscapeString(e.Reason) + `</td></tr>`)
			continue
		}
		for k := range e.Parts {
			class := ""
			if k == e.Best {
				class = "best"
			}
			cell("td", class, e.Parts[k].Say())
		}
		b.WriteString(`</tr>`)
	}
	b.WriteString(`</tbody></table>`)
	return b.String()
}

// price is what a part costs more.
func (c *Question) price(e *question.Effect) string {
	if math.IsNaN(e.Price) {
		return chart.Dash
	}
	at, _ := c.Question.Prices()
	q := &c.Info.Quantities[at]
	text := chart.With(chart.Cell(q, math.Abs(e.Price)), q.Unit)
	switch {
	case e.Price > 0:
		return "+" + text
	case e.Price < 0:
		return "−" + text
	}
	return text
}

func relative(x float64) string {
	if math.IsNaN(x) {
		return chart.Dash
	}
	return question.Signed(x)
}

// saysEffects is the finding about the settings.
func (c *Question) saysEffects() string {
	nothing := 0
	for i := range c.effects {
		if c.effects[i].Reason != "" {
			nothing++
		}
	}
	text := ""
	if e := c.top(); e != nil {
		more := " more "
		if e.Turned < 0 {
			more = " less "
		}
		text = strings.TrimPrefix(question.Signed(math.Abs(e.Turned)), "+") + more + lowered(e.Label) + " brings most: " + c.says1(e) + "."
		if e.Best < 0 {
			text = "No setting helps by itself; what changes most is " + lowered(e.Label) + "."
		}
	} else if c.progress.Known == c.progress.All && c.progress.Failed == 0 && len(c.effects) > 0 {
		text = "A little more of any one setting changes nothing."
	}
	if nothing > 0 && c.progress.Known == c.progress.All {
		text += " " + strconv.Itoa(nothing) + " of " + strconv.Itoa(len(c.effects)) + " settings do nothing here."
	}
	return c.soFar(text)
}

// saysBuy is the finding about parts.
func (c *Question) saysBuy() string {
	e := c.top()
	if e == nil || e.Best < 0 {
		if len(c.effects) > 0 && c.progress.Known == c.progress.All && c.progress.Failed == 0 {
			return "No other single part makes anything better."
		}
		return ""
	}
	text := e.To + " instead of " + e.From + " brings most: " + c.says1(e)
	text += c.forPrice(e) + "."
	best := -1
	for i := range c.effects {
		if x := &c.effects[i]; x.Known && x.Worth > least && (best < 0 || x.Worth > c.effects[best].Worth) {
			best = i
		}
	}
	if best >= 0 {
		x := &c.effects[best]
		_, worth := c.Question.Prices()
		s, _ := c.Info.System(x.Parts[x.For].System) // one that was compared
		text += " Most for the money is " + x.To + " instead of " + x.From + c.forPrice(x) + ": " + s.Title + " " + question.Signed(x.Worth) + " in " + lowered(c.Info.Quantities[worth].Label) + "."
	}
	return c.soFar(text)
}

// part says which part can be put into the machine; empty if none helps.
func (c *Question) part() string {
	if c.Question.Kind() != state.Buy {
		return ""
	}
	if e := c.top(); e != nil && e.Best >= 0 {
		return "Use " + e.To + " in Explore"
	}
	return ""
}

func (c *Question) adoptPart() {
	if e := c.top(); e != nil {
		c.Question.AdoptPart(e.Key, e.Choice)
	}
}

// least is what is worth to be told of a change, as a share.
const least = 0.005

// forPrice says what a part costs, behind what it brings.
func (c *Question) forPrice(e *question.Effect) string {
	at, _ := c.Question.Prices()
	if math.IsNaN(e.Price) || at < 0 {
		return ""
	}
	q := &c.Info.Quantities[at]
	if e.Price < 0 {
		return ", for " + chart.With(chart.Cell(q, -e.Price), q.Unit) + " less"
	}
	return ", for " + chart.With(chart.Cell(q, e.Price), q.Unit) + " more"
}

func (c *Question) soFar(text string) string {
	if text != "" && c.progress.Known < c.progress.All {
		return "So far: " + text
	}
	return text
}

// top is the change that helps a system most, else one that only hurts; nil if
// none does anything.
func (c *Question) top() *question.Effect {
	var top *question.Effect
	for i := range c.effects {
		e := &c.effects[i]
		if e.Reason != "" || !e.Known || e.Failed && e.Best < 0 {
			continue
		}
		if top != nil && top.Best >= 0 && e.Coarse() && !top.Coarse() {
			continue // of another size
		}
		if top == nil || e.Best >= 0 && (top.Best < 0 || e.Parts[e.Best].Gain > top.Parts[top.Best].Gain) {
			top = e
		}
	}
	return top
}

// says1 says what a change brings the system that it helps most.
func (c *Question) says1(e *question.Effect) string {
	if e.Best < 0 {
		return "nothing better"
	}
	p := &e.Parts[e.Best]
	s, err := c.Info.System(p.System)
	if err != nil {
		return ""
	}
	if p.Text != "" {
		return s.Title + " " + p.Text
	}
	return s.Title + " " + p.Say() + " in " + lowered(c.quantity().Label)
}

// lowered is a label as it stands inside a sentence.
func lowered(label string) string {
	if len(label) > 1 && label[1] >= 'a' && label[1] <= 'z' {
		return strings.ToLower(label[:1]) + label[1:]
	}
	return label
}
