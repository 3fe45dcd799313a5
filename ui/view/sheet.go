package view

import (
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/ui/chart"
	"spillway/ui/model/papers"
	"spillway/ui/table"
)

// Sheet is one figure of a paper: our values over the published ones, the claims
// about it and every difference.
type Sheet struct {
	*App
	canvas
	markup

	item   papers.Item // the figure in the list
	claims []chart.ClaimRow
	view   chart.View
	table  string
	row    int          // that is marked in the table
	of     *study.Sheet // that the above was made of
	rev    int          // counts sheets

	savingChart, saving *Formats
}

// Compute makes what the figure shows when its sheet has changed.
func (c *Sheet) Compute() {
	c.item = papers.Item{}
	for _, v := range c.Papers.Views() {
		for _, e := range append(v.Items[:len(v.Items):len(v.Items)], v.All) {
			if e.Shown {
				c.item = e
			}
		}
	}
	s := c.Papers.Sheet()
	if s == c.of {
		return
	}
	c.of, c.table, c.claims = s, "", nil
	c.rev++
	if s == nil {
		return
	}
	if len(s.Drawing.Panels) > 0 {
		c.view = chart.Sheet(s, c.Info)
	} else {
		c.view = chart.View{}
	}
	for i := range s.Claims {
		c.claims = append(c.claims, chart.ClaimOf(&s.Claims[i]))
	}
}

// sheet is what is shown; an empty one before it is there.
func (c *Sheet) sheet() *study.Sheet {
	if c.of == nil {
		return &study.Sheet{}
	}
	return c.of
}

func (c *Sheet) title() string {
	if c.item.Name == "" {
		return "Opening the paper…"
	}
	return strings.TrimSuffix(c.item.Label+": "+c.item.Title, ": ")
}

// draws reports whether there is a place for a drawing.
func (c *Sheet) draws() bool {
	return c.of == nil || c.of.Figure != study.AllClaims && c.of.Drawing.Kind != study.Table
}

func (c *Sheet) caption() string {
	return strings.TrimSpace(c.view.Text + " " + c.sheet().Remark)
}

// firstHeight is the height of a drawing that is not there yet, in pixels.
const firstHeight = 400

func (c *Sheet) plotStyle() string {
	h := firstHeight
	if c.view.Height > 0 {
		h = c.view.Height
	}
	return "height:" + strconv.Itoa(h) + "px"
}

func (c *Sheet) alt() string { return c.title() + ". " + c.sheet().Drawing.Describe() }

func (c *Sheet) empty() string {
	if c.of != nil && len(c.of.Drawing.Published)+len(c.of.Drawing.Curves) == 0 {
		return "Not run yet; nothing was published for it but the drawing."
	}
	return c.view.Empty
}

// drawn is what the canvas of the figure draws.
func (c *Sheet) drawn() (name string, rev int, v *chart.View) { return "paper", c.rev, &c.view }

func (c *Sheet) filename(ext string) string {
	return "spillway-" + strings.ReplaceAll(c.item.Name, ".", "-") + "." + ext
}

func (c *Sheet) save(kind string) { c.saveChart("paper", kind, c.filename(kind), &c.view, "") }

// chartMenu has the formats of the chart, tableMenu those of its numbers or of all
// claims.
func (c *Sheet) chartMenu() vugu.Builder {
	if c.savingChart == nil {
		c.savingChart = &Formats{App: c.App, id: "paper-chart", about: c.title, list: func() []format { return c.pictures(c.save) }}
	}
	return c.savingChart
}

func (c *Sheet) tableMenu() vugu.Builder {
	if c.saving == nil {
		c.saving = &Formats{App: c.App, id: "paper", about: func() string { return c.title() + ", its numbers" }, list: func() []format {
			return c.tableFormats(strings.ReplaceAll(c.item.Name, ".", "-"), c.saveCSV, func() *table.File { return c.file(c.title(), c.sheet().Note, c.numbers()...) })
		}}
	}
	return c.saving
}

// numbers are the claims and the differences as files have them.
func (c *Sheet) numbers() []report.Table {
	var list []report.Table
	if s := c.sheet(); len(s.Rows) > 0 {
		t := chart.Differences(s)
		t.Title = c.rowsTitle()
		list = append(list, t)
	}
	if len(c.claims) > 0 {
		t := report.Table{Title: "What the paper's text says in numbers", Head: []string{"Claim", "Paper's text", "Published values give", "Here", "Verdict"}}
		for _, x := range c.claims {
			t.Rows = append(t.Rows, report.Row{Head: x.Text, Cells: []report.Cell{{Text: x.Stated}, {Text: x.Published}, {Text: x.Ours}, {Text: x.Verdict}}})
		}
		list = append(list, t)
	}
	return list
}

func (c *Sheet) rowsTitle() string {
	if c.sheet().Figure == study.AllClaims {
		return "All claims"
	}
	return "Every published number"
}

// counts reports whether there are published numbers to list, or claims that stand for
// them.
func (c *Sheet) counts() bool {
	return c.of == nil || c.of.Figure == study.AllClaims || c.hasRows() || len(c.of.Whys) > 0
}

func (c *Sheet) hasRows() bool { return len(c.sheet().Rows) > 0 }

// tabled reports whether the figure is a table, whose rows are what there is to see.
func (c *Sheet) tabled() bool { return c.of != nil && c.of.Drawing.Kind == study.Table && c.hasRows() }

func (c *Sheet) showsRows() bool {
	return c.hasRows() && (c.tabled() || c.Papers.Row > 0 || c.IsOpen("paper-rows"))
}

// remark stands below the heading where no caption has it.
func (c *Sheet) remark() string {
	if c.draws() {
		return ""
	}
	return c.sheet().Remark
}

func (c *Sheet) rowsLabel() string {
	if c.IsOpen("paper-rows") {
		return "Hide the differences"
	}
	return "Show the differences"
}

// claimsHTML is the table of what the paper's text says in numbers.
func (c *Sheet) claimsHTML() vugu.HTML {
	return tableHTML(`<table class="numbers paper-claims">`, []string{"Claim", "Paper's text", "Published values give", "Here", "Verdict"}, len(c.claims), func(i int) string {
		r := &c.claims[i]
		return rowHTML(r.Text, r.Stated, r.Published, r.Ours) + `<td>` + tag("chip "+r.Class, "", html.EscapeString(r.Verdict)) + `</td>`
	})
}

// rows is the table of differences as HTML: one row a point. It is one string
// because a page of thousands of separate cells would be slow.
func (c *Sheet) rows() string {
	if !c.showsRows() {
		return ""
	}
	if c.table == "" || c.row != c.Papers.Row {
		c.row = c.Papers.Row
		c.table = rowsHTML(c.of.Rows, c.row-1)
	}
	return c.table
}

// sides are the classes of columns of words, which begin at the left.
var sides = [...]string{left, left, left, "", "", left, "", left, ""}

const left = ` class="left"`

// rowsHTML leaves out systems and quantities of which all rows have the same, and says them once above.
func rowsHTML(rows []study.Line, marked int) string {
	var b strings.Builder
	lines := make([]chart.LineRow, len(rows))
	for i := range rows {
		lines[i] = chart.LineOf(&rows[i])
	}
	alike := func(of func(*chart.LineRow) string) bool {
		return len(lines) > 1 && !slices.ContainsFunc(lines, func(r chart.LineRow) bool { return of(&r) != of(&lines[0]) })
	}
	system := alike(func(r *chart.LineRow) string { return r.System })
	quantity := alike(func(r *chart.LineRow) string { return r.Quantity })
	var said []string
	b.WriteString(`<table class="numbers paper-rows">`)
	if system {
		said = append(said, lines[0].System)
	}
	if quantity {
		said = append(said, lines[0].Quantity)
	}
	if len(said) > 0 {
		b.WriteString(`<caption class="fine">All rows: ` + html.EscapeString(strings.Join(said, ", ")) + `.</caption>`)
	}
	b.WriteString(`<thead><tr>`)
	for k, name := range [...]string{"About", "System", "Quantity", "Published", "Here", "Unit", "Difference", "Verdict", "Explore"} {
		if !(k == 1 && system || k == 2 && quantity) {
			b.WriteString(`<th scope="col"` + sides[k] + `>` + name + `</th>`)
		}
	}
	b.WriteString(`</tr></thead><tbody>`)
	for i := range lines {
		r := &lines[i]
		class := r.Class
		if i == marked {
			class += " here"
		}
		b.WriteString(`<tr class="` + class + `">`)
		for k, text := range [...]string{r.About, r.System, r.Quantity, r.Published, r.Ours, r.Unit, r.Difference} {
			if !(k == 1 && system || k == 2 && quantity) {
				b.WriteString("<td" + sides[k] + ">" + html.EscapeString(text) + "</td>")
			}
		}
		b.WriteString(`<td class="left verdict" title="` + html.EscapeString(r.Why) + `">` + html.EscapeString(r.Verdict) + `</td><td>`)
		if r.Opens { // which no run yields
			b.WriteString(`<button type="button" class="link" data-open="` + strconv.Itoa(i) + `" aria-label="Open ` + html.EscapeString(r.About+", "+r.System) + ` in Explore">Open</button>`)
		}
		b.WriteString(`</td></tr>`)
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// saveCSV downloads the figure's numbers, or all claims.
func (c *Sheet) saveCSV() { c.Page.Save(c.filename("csv"), "text/csv", chart.SheetCSV(c.sheet())) }

// Destroy lets go of the drawing.
func (c *Sheet) Destroy() { c.dispose() }
