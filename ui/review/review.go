// Package review writes a reviewer's report: one HTML file with every claim and
// every published number of papers, ours beside them, and the verdicts. It needs
// no script and asks for nothing; it prints, and follows the reader's theme.
package review

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"spillway/sim/hash"
	"spillway/sim/report"
	"spillway/sim/study"
)

// A Paper is one paper with what is known of it.
type Paper struct {
	Outline *study.Outline
	Sheets  []*study.Sheet // of its figures, in its order
	All     *study.Sheet   // of all of its claims
}

// Options say what else a report names.
type Options struct {
	Version, Environment string
	// Link makes the address that shows a figure, by its full name; nil for none.
	Link func(figure string) string
	// Figure draws a figure as SVG, "" for none; nil draws none.
	Figure func(s *study.Sheet) string
	// Bundle is a bundle of all runs, and Unbound why there is none. References is BibTeX of what
	// the paper rests on. Only Files wants them.
	Bundle              []byte
	Unbound, References string
}

// HTML returns the report.
func HTML(papers []Paper, o Options) string {
	w := &writer{o: o}
	title := "Spillway: what was reproduced"
	if len(papers) == 1 {
		title = "Reproduced with Spillway: " + papers[0].Outline.Short
	}
	w.begin(title)
	w.element("h1", "", title)
	w.element("p", "", "Every number that the papers print, computed again with the Spillway simulator, and what their text claims. A verdict never says more than its tolerance: exact is to the last printed digit, within is up to the tolerance that stands beside it, off is farther.")
	w.summary(papers)
	for i := range papers {
		w.paper(&papers[i])
	}
	w.about(papers)
	w.raw("</main>\n</body>\n</html>\n")
	return w.b.String()
}

// begin opens a page.
func (w *writer) begin(title string) {
	w.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
	w.element("title", "", title)
	w.raw("<style>" + style + "</style>\n</head>\n<body>\n<main>\n")
}

// style is the report's style sheet.
const style = `:root{--text:#1a1d21;--weak:#525a66;--line:#d5d9e0;--back:#fff;--good:#116329;--warn:#7a4b00;--bad:#a40e26}
@media (prefers-color-scheme:dark){:root{--text:#e6e8eb;--weak:#a8b0bb;--line:#3a414b;--back:#15181c;--good:#6fdd8b;--warn:#e8b04b;--bad:#ff8f9a}}
*{box-sizing:border-box}body{margin:0;font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back)}
main{max-width:1100px;margin:0 auto;padding:16px}h1{font-size:24px}h2{margin-top:2em;border-top:2px solid var(--line);padding-top:.6em}h3{margin-top:1.6em}
p,li{overflow-wrap:anywhere}th[scope=row]{min-width:9em;text-align:left}td.v{min-width:6em}td.w{min-width:12em}.weak{color:var(--weak)}.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:13px}
caption{text-align:left;color:var(--weak);padding:4px 0}th,td{border-bottom:1px solid var(--line);padding:3px 8px;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.ok{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}td.ok,td.warn,td.bad{white-space:nowrap}
figure{margin:1em 0;overflow-x:auto}figure svg{max-width:100%;height:auto}a{color:inherit}code{overflow-wrap:anywhere}
@media print{:root{--text:#000;--weak:#333;--line:#999;--back:#fff;--good:#000;--warn:#000;--bad:#000}main{max-width:none;padding:0}h2{break-before:page}h3,caption,figure{break-after:avoid}tr,figure{break-inside:avoid}thead{display:table-header-group}.scroll{overflow:visible}table{font-size:10px}}`

type writer struct {
	b strings.Builder
	o Options
}

func (w *writer) raw(text string) { w.b.WriteString(text) }

// element writes text in an element, with attributes if there are any.
func (w *writer) element(name, attributes, text string) {
	if text == "" {
		return
	}
	if attributes != "" {
		attributes = " " + attributes
	}
	w.raw("<" + name + attributes + ">" + html.EscapeString(text) + "</" + name + ">\n")
}

// A cell is one of a table's; class is "n" for numbers, "v" for short texts, "w" for
// long ones, or a verdict's color.
type cell struct{ class, text string }

func (w *writer) table(caption string, head []string, rows [][]cell) {
	if len(rows) == 0 {
		return
	}
	w.raw(`<div class="scroll" role="region" tabindex="0" aria-label="` + html.EscapeString(caption) + `"><table>`)
	w.element("caption", "", caption)
	w.raw("<thead><tr>")
	for _, h := range head {
		w.element("th", `scope="col"`, h)
	}
	w.raw("</tr></thead><tbody>\n")
	for _, row := range rows {
		w.raw("<tr>")
		for i, c := range row {
			switch text := html.EscapeString(c.text); {
			case i == 0:
				w.raw(`<th scope="row">` + text + "</th>")
			case c.class != "":
				w.raw(`<td class="` + c.class + `">` + text + "</td>")
			default:
				w.raw("<td>" + text + "</td>")
			}
		}
		w.raw("</tr>\n")
	}
	w.raw("</tbody></table></div>\n")
}

// summary is a line a paper.
func (w *writer) summary(papers []Paper) {
	var rows [][]cell
	for i := range papers {
		p := &papers[i]
		t := &p.All.Tally
		rows = append(rows, []cell{
			{"", p.Outline.Short},
			{"n", fmt.Sprintf("%d of %d", t.Known, t.Runs)},
			{"n", fmt.Sprintf("%d of %d", t.Compared, t.Points)},
			{"n", strconv.Itoa(t.Exact)},
			{"n", strconv.Itoa(t.Within)},
			{"n", strconv.Itoa(t.Gap)},
			{"n", fmt.Sprintf("%d of %d", t.Holds, t.Claims)},
			{"n", strconv.Itoa(t.Near)},
			{"n", strconv.Itoa(t.Differs)},
		})
	}
	w.table("What came out", []string{"Paper", "Runs done", "Numbers compared", "Exact", "Within tolerance", "Off", "Claims that hold", "Near", "Differ"}, rows)
}

func (w *writer) paper(p *Paper) {
	o := p.Outline
	w.element("h2", `id="`+o.Key+`"`, o.Short)
	w.element("p", "", o.Title)
	w.element("p", `class="weak"`, o.About+" "+o.Remark)
	w.element("p", "", p.All.Note)
	tolerance := fmt.Sprintf("Tolerances: numbers %s, claims %s", percent(o.Tolerance), percent(o.ClaimTolerance))
	if o.Standing != "" {
		tolerance += fmt.Sprintf("; with bundled workloads in place of the paper's own %s (%s)", percent(o.Rebuilt), o.Standing)
	}
	w.element("p", "", tolerance+".")
	w.claims("Claims in the text", p.All.Claims)
	for _, s := range p.Sheets {
		w.figure(o.Key, s)
	}
}

func (w *writer) claims(caption string, list []study.ClaimLine) {
	var rows [][]cell
	for i := range list {
		c := &list[i]
		verdict := cell{"", "not run"}
		switch {
		case !c.Known:
		case c.Verdict == study.Holds:
			verdict = cell{"ok", "✓ holds"}
		case c.Verdict == study.Near:
			verdict = cell{"ok", "≈ near"}
		default:
			verdict = cell{"warn", "≠ " + string(c.Verdict)}
		}
		off := ""
		if c.Known && c.InPaper && c.Published != 0 {
			off = signed(c.Ours/c.Published - 1)
		}
		rows = append(rows, []cell{
			{"", strings.TrimSpace(c.Sentence() + ". " + c.Beside)},
			{"", c.Section},
			{"", c.Stated},
			{"n", value(c.Published, c.Unit, c.InPaper)},
			{"n", value(c.Ours, c.Unit, c.Known)},
			{"n", off},
			verdict,
		})
	}
	w.table(caption, []string{"Claim", "Section", "As stated", "From published values", "Ours", "Difference", "Verdict"}, rows)
}

func (w *writer) figure(paper string, s *study.Sheet) {
	name := paper + "." + s.Figure
	w.element("h3", `id="`+html.EscapeString(name)+`"`, study.Headed(s.Figure, s.Title))
	w.element("p", "", strings.TrimSpace(s.Section+" "+s.Says))
	w.element("p", `class="weak"`, s.Remark)
	good := "warn"
	if s.Tally.Good {
		good = "ok"
	}
	w.element("p", `class="`+good+`"`, "Verdict: "+s.Tally.Verdict+".")
	if w.o.Figure != nil {
		if svg := w.o.Figure(s); svg != "" {
			w.raw("<figure>" + svg + "</figure>\n")
		}
	}
	if w.o.Link != nil {
		w.element("p", `class="weak"`, "Run it: "+w.o.Link(name))
	}
	var rows [][]cell
	for i := range s.Rows {
		rows = append(rows, point(&s.Rows[i]))
	}
	w.table(fmt.Sprintf("The %d published numbers of %s", len(rows), cmp.Or(study.Label(s.Figure), s.Title)), []string{"Of", "System", "Quantity", "Published", "Ours", "Difference", "Verdict", "Why"}, rows)
}

// point is the row of a published number.
func point(l *study.Line) []cell {
	published, ours, off := "cannot run", "–", ""
	if l.Fits {
		published = value(l.Published, l.Unit, true)
	}
	verdict := cell{"", l.Verdict}
	switch l.Status {
	case study.Exact:
		verdict = cell{"ok", "✓ " + l.Verdict}
	case study.Within:
		verdict = cell{"ok", "≈ " + l.Verdict}
	case study.Gap:
		verdict = cell{"warn", "≠ " + l.Verdict}
	}
	if l.Status != "" {
		ours = "cannot run"
	}
	if l.OursFits {
		ours = value(l.Ours, l.Unit, true)
		if l.Fits {
			off = signed(l.Diff)
		}
	}
	return []cell{
		{"", strings.TrimSpace(l.Of + " " + l.At)},
		{"", l.Title},
		{"", l.Quantity},
		{"n", published},
		{"n", ours},
		{"n", off},
		verdict,
		{"w", strings.TrimSpace(l.Why + " " + l.Note)},
	}
}

// about says where all of this was computed, and how to do it again.
func (w *writer) about(papers []Paper) {
	w.raw("<h2 id=\"about\">Environment</h2>\n<ul>\n")
	w.element("li", "", "Spillway, version "+orUnknown(w.o.Version)+".")
	w.element("li", "", "Computed in "+orUnknown(w.o.Environment)+".")
	for i := range papers {
		w.element("li", "", fmt.Sprintf("SHA-256 of all numbers of %s as computed here: %s. The same runs give the same on every platform.", papers[i].Outline.Key, Hash(&papers[i])))
	}
	w.element("li", "", "To check it: spillway verify, or Reproduce on the page; spillway bundle --paper KEY makes a bundle of the same runs, which spillway check computes again.")
	w.raw("</ul>\n")
}

// Hash is that of every number of a paper that was computed.
func Hash(p *Paper) string {
	var b strings.Builder
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, s := range p.Sheets {
		for i := range s.Rows {
			l := &s.Rows[i]
			b.WriteString(s.Figure + "\t" + l.Of + "\t" + l.At + "\t" + l.System + "\t" + l.Quantity + "\t" + string(l.Status))
			if l.OursFits && l.Status != "" {
				b.WriteString("\t" + exact(l.Ours))
			}
			b.WriteByte('\n')
		}
	}
	for i := range p.All.Claims {
		c := &p.All.Claims[i]
		b.WriteString(c.ID)
		if c.Known {
			b.WriteString("\t" + exact(c.Ours))
		}
		b.WriteByte('\n')
	}
	return hash.Sum([]byte(b.String()))
}

func orUnknown(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}

// value prints a number with its unit.
func value(v float64, unit string, known bool) string {
	if !known {
		return "–"
	}
	text := strconv.FormatFloat(v, 'g', 6, 64)
	if v == math.Trunc(v) && math.Abs(v) >= 1e6 && math.Abs(v) < 1e15 {
		text = grouped(strconv.FormatInt(int64(v), 10)) // a count, whose every digit is published
	}
	return report.WithUnit(text, unit)
}

// grouped puts narrow blanks between thousands.
func grouped(digits string) string {
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "\u202f" + digits[i:]
	}
	return digits
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 3, 64) + " %" }

// signed prints a relative difference.
func signed(x float64) string {
	if x == 0 {
		return "0"
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%+.3g %%", 100*x)
}
