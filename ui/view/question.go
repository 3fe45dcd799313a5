package view

import (
	"html"
	"strconv"
	"strings"
	"time"

	"github.com/vugu/vugu"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/model/drawing"
	"spillway/ui/model/form"
	"spillway/ui/model/question"
	"spillway/ui/model/session"
	"spillway/ui/table"
)

// Question is the view that asks what if.
type Question struct {
	*App
	canvas
	markup
	cards markup
	walk  markup // what a point of the curve has

	point question.Along

	shown    question.Shown
	ready    string // the questions that the laboratory has ready, as HTML
	own      bool   // what is asked is none of them
	answer   string // of the one that is asked, where it is known
	answered bool   // some of them show what they answer, or there are none
	form     bool   // somebody wants to see the form, or not any more
	pressed  bool   // and said so
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
	c.shown.Follow(c.Question)
	if p := &c.shown.Progress; same && p.Active && p.All > manyRuns && time.Since(c.made) < pause {
		return
	}
	c.made = time.Now()
	c.drawings++
	list := c.Question.Ready()
	c.ready, c.own, c.answer, c.answered = readyHTML(list), c.Question.Own(), "", len(list) == 0
	for _, r := range list {
		c.answered = c.answered || r.Chart != ""
		if r.Chosen && r.Chart != "" {
			c.answer = r.Says
		}
	}
	c.shown.Conclude()
	c.table, c.point = c.tables(), question.Along{}
	if c.last() > 0 {
		c.point = c.Question.Along()
	}
}

// rests reports whether nothing is asked yet, hides the same for the markup.
func (c *Question) rests() bool { return c.Question.Untouched() }

func (c *Question) hides() any { return hidden(c.rests()) }

// formed reports whether the form is shown: of a question that is ready when somebody wants it.
func (c *Question) formed() bool {
	return c.editable() && (len(c.Info.Cards) == 0 || c.pressed && c.form || !c.pressed && c.own)
}

// headline is the answer of a question that is ready, else what came out so far, which else
// stands below it.
func (c *Question) headline() string {
	if c.answer != "" && c.shown.Problem() == "" {
		return c.answer
	}
	return c.shown.Says()
}

func (c *Question) finding() string {
	if c.rests() {
		if c.answered {
			return ""
		}
		return "Press a question to compute it here, with these settings:"
	}
	if c.answer == "" || c.shown.Problem() != "" {
		return ""
	}
	return c.shown.Says()
}

// more shows the form, or hides it.
func (c *Question) more() {
	c.form, c.pressed = !c.formed(), true
	if c.form {
		c.Question.Open()
	}
}

func (c *Question) moreLabel() string {
	if c.rests() {
		return "More: ask something else"
	}
	return "More: change this question"
}

// readyClass makes the cards small once one is pressed.
func (c *Question) readyClass() string {
	if c.rests() {
		return "ask-ready"
	}
	return "ask-ready asked"
}

// readyHTML are the questions that are ready.
func readyHTML(list []question.Ready) string {
	var b strings.Builder
	for i, r := range list {
		n := strconv.Itoa(i)
		b.WriteString(`<button type="button" id="ask-ready-` + n + `" data-card="` + n + `" tabindex="` + tab(i) + `" aria-pressed="` + strconv.FormatBool(r.Chosen) + `"><b>` + html.EscapeString(r.Question) + `</b>` + r.Chart + `<span class="fine">` + html.EscapeString(r.Says) + `</span></button>`)
	}
	return b.String()
}

// last is the last point of a curve that one can go along.
func (c *Question) last() int {
	if c.rests() {
		return 0
	}
	return c.Question.Points() - 1
}

func (c *Question) place() string { return strconv.Itoa(c.Question.Place()) }

func (c *Question) along() string { return "At " + c.point.Label + ": " + c.point.Says }

func (c *Question) look(e vugu.DOMEvent) { c.Question.Look(e.PropString("target", "value")) }

func (c *Question) use() { c.Question.Adopt(c.point.Text) }

func (c *Question) useLabel() string { return "Use " + c.point.Label + " in Explore" }

// pointHTML is what the systems have at a point of the curve.
func (c *Question) pointHTML() string {
	var b strings.Builder
	b.WriteString(`<p><b>` + html.EscapeString(c.along()) + `</b></p><table class="board-close"><tbody>`)
	for _, r := range c.point.Rows {
		b.WriteString(`<tr class="` + r.Class + `"><th scope="row">` + html.EscapeString(r.Title) + `</th><td><i style="` + r.Style + `"></i></td><td>` + html.EscapeString(r.Value) + `</td></tr>`)
	}
	b.WriteString(`</tbody></table>`)
	if p := &c.point; p.Setup != nil {
		machineHTML(&b, c.Drawing.ViewAt(p.Setup, p.Report))
	}
	return b.String()
}

// machineHTML is the drawing of the first screen without what can be turned.
func machineHTML(b *strings.Builder, v drawing.View) {
	b.WriteString(`<ul class="drawing" style="` + v.Columns + `">`)
	for _, p := range v.Parts {
		b.WriteString(`<li class="` + p.Class + `" style="` + p.Place + `"><div>` + string(partHTML(p)) + `</div></li>`)
	}
	b.WriteString(`</ul>`)
}

// mattersHTML is the tornado: of each setting what half and twice as much do.
func mattersHTML(x *question.Shown) string {
	list, zone := x.Matters()
	var b strings.Builder
	b.WriteString(`<table class="numbers ask-numbers tornado"><caption>` + html.EscapeString(x.Tables[0].Title) + `</caption><thead><tr><th scope="col">Setting</th><th scope="col">Half</th><th scope="col">changes</th><th aria-hidden="true"></th><th scope="col">changes</th><th scope="col">Twice</th></tr></thead><tbody>`)
	for i := range list {
		m := &list[i]
		class := ""
		if m.Noise {
			class = "ask-none"
		}
		b.WriteString(`<tr class="` + class + `"><th scope="row">` + html.EscapeString(m.Label) + ` <span class="fine">` + html.EscapeString(m.From) + `</span></th><td>` + html.EscapeString(m.Texts[0]) + `</td><td>` + html.EscapeString(m.Says[0]) + `</td><td class="field" aria-hidden="true"><i class="zone" style="` + zone + `"></i>`)
		for side, class := range [2]string{"half", "twice"} {
			b.WriteString(`<i class="` + class + `" style="` + m.Bars[side] + `"></i>`)
		}
		b.WriteString(`</td><td>` + html.EscapeString(m.Says[1]) + `</td><td>` + html.EscapeString(m.Texts[1]) + `</td></tr>`)
	}
	b.WriteString(`</tbody></table>`)
	return b.String()
}

// tables are what came out in numbers, as HTML.
func (c *Question) tables() string {
	if list, _ := c.shown.Matters(); list != nil {
		return mattersHTML(&c.shown)
	}
	if c.shown.Weighs() {
		return effectsHTML(&c.shown)
	}
	return tablesHTML(c.shown.Tables)
}

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

// plotHeight is the height of a drawing that is not there yet.
const plotHeight = 360

func (c *Question) plotStyle() string {
	h := c.shown.Answer.Height
	if h == 0 {
		h = plotHeight
	}
	return "height:" + strconv.Itoa(h) + "px"
}

// frameClass keeps small maps side by side where the window is narrow.
func (c *Question) frameClass() string {
	if c.shown.Answer.Width > 0 {
		return "paper-scroll"
	}
	return "ask-frame"
}

// drawn is what the canvas draws.
func (c *Question) drawn() (name string, rev int, v *chart.View) {
	return "whatif", c.drawings, &c.shown.Answer.View
}

func (c *Question) rows() string { return c.table }

func (c *Question) save(kind string) {
	c.saveChart("whatif", kind, c.Name("whatif", kind), &c.shown.Answer.View, c.Question.CSV())
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
				return c.file("What if: "+c.shown.Says(), strings.Join(trust, " · "), c.shown.Tables...)
			})
			return append(list, format{"json", "JSON", "Every run with its settings", c.saveJSON})
		}}
	}
	return c.saving
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

// effectsHTML is the table of what changes bring. What brings nothing says why, over all
// systems.
func effectsHTML(x *question.Shown) string {
	t := &x.Tables[0]
	const words = 2 // cells from the left: a setting now and then
	var b strings.Builder
	b.WriteString(`<table class="numbers ask-numbers"><caption>` + html.EscapeString(t.Title) + `</caption><thead><tr>`)
	for i, h := range t.Head {
		class := ""
		if i <= words {
			class = "left"
		}
		b.WriteString(`<th scope="col" class="` + class + `">` + html.EscapeString(h) + `</th>`)
	}
	b.WriteString(`</tr></thead><tbody>`)
	for i := range t.Rows {
		r := &t.Rows[i]
		if x.Idle(i) {
			b.WriteString(`<tr class="ask-none">`)
		} else {
			b.WriteString(`<tr>`)
		}
		b.WriteString(`<th scope="row" class="">` + html.EscapeString(r.Head) + `</th>`)
		for k, cell := range r.Cells {
			open := `<td class="">`
			switch {
			case k < words:
				open = `<td class="left">`
			case x.Idle(i) && k == len(r.Cells)-1:
				open = `<td class="left" colspan="` + strconv.Itoa(len(t.Head)-len(r.Cells)) + `">`
			case cell.Best:
				open = `<td class="best">`
			}
			b.WriteString(open + html.EscapeString(cell.Text) + `</td>`)
		}
		b.WriteString(`</tr>`)
	}
	b.WriteString(`</tbody></table>`)
	return b.String()
}
