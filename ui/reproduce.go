package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vugu/vugu"

	study "spillway/sim/train/papers/g10"
	"spillway/ui/model"
)

// Reproduce is the view that runs the published evaluation.
type Reproduce struct {
	*App
	paperCanvas

	// What the shown figure's chart and table were made of.
	chart     model.PaperChart
	table     string
	chartOf   string
	tableOf   string
	chartRev  int
	tableRev  int
	standings []model.Standing // of this drawing of the page, the last of everything
}

// Compute refreshes what every part of the view needs.
func (c *Reproduce) Compute() {
	c.standings = c.standings[:0]
	for i := range c.Paper.Figures {
		c.standings = append(c.standings, c.Paper.Standing(c.Paper.Figures[i].ID))
	}
	c.standings = append(c.standings, c.Paper.Standing(model.ClaimsID))
	if rev := c.Paper.RevOf(c.State.Figure); c.chartOf != c.State.Figure || c.chartRev != rev {
		c.chart, c.chartOf, c.chartRev = c.Paper.Chart(c.State.Figure), c.State.Figure, rev
	}
}

// figure returns what is shown; nil for the claims.
func (c *Reproduce) figure() *study.Figure {
	for i := range c.Paper.Figures {
		if c.Paper.Figures[i].ID == c.State.Figure {
			return &c.Paper.Figures[i]
		}
	}
	return nil
}

func (c *Reproduce) isClaims() bool { return c.figure() == nil }

// standing returns how far the shown figure is.
func (c *Reproduce) standing() *model.Standing {
	for i := range c.Paper.Figures {
		if c.Paper.Figures[i].ID == c.State.Figure {
			return &c.standings[i]
		}
	}
	return c.all()
}

func (c *Reproduce) all() *model.Standing { return &c.standings[len(c.standings)-1] }

// A paperEntry is one line of the list.
type paperEntry struct {
	ID, Name, Title, Current string
	Verdict                  model.Verdict
	Running                  bool
	RunText, RunName         string
	Percent                  string
}

func (c *Reproduce) entries() []paperEntry {
	var es []paperEntry
	for i := range c.Paper.Figures {
		f, s := &c.Paper.Figures[i], &c.standings[i]
		e := paperEntry{ID: f.ID, Name: "Figure " + f.ID, Title: f.Title, Verdict: s.Verdict()}
		c.describe(&e, s)
		es = append(es, e)
	}
	e := paperEntry{ID: model.ClaimsID, Name: "Claims", Title: "The numbers in the paper's text"}
	c.describe(&e, c.all())
	e.Verdict = c.all().ClaimVerdict()
	return append(es, e)
}

func (c *Reproduce) describe(e *paperEntry, s *model.Standing) {
	e.Current = boolText(e.ID == c.State.Figure)
	e.Running = s.Waiting > 0
	e.Percent = strconv.Itoa(s.Percent())
	e.RunText = runLabel(s)
	e.RunName = e.RunText + " " + e.Name
}

func runLabel(s *model.Standing) string {
	switch {
	case s.Waiting > 0:
		return "Cancel"
	case s.Known == s.Runs && s.Errors == 0:
		return "Again"
	}
	return "Run"
}

func (c *Reproduce) run(e paperEntry) {
	for i := range c.Paper.Figures {
		if c.Paper.Figures[i].ID == e.ID {
			c.toggle(e.ID, &c.standings[i])
			return
		}
	}
	c.toggle(e.ID, c.all())
}

// toggle runs, cancels or repeats.
func (c *Reproduce) toggle(id string, s *model.Standing) {
	switch {
	case s.Waiting > 0:
		c.Paper.Cancel(id)
	case s.Known == s.Runs && s.Errors == 0:
		c.Paper.ForgetFigure(id)
		c.Paper.Run(id)
	default:
		c.Paper.Run(id)
	}
	c.show(id)
}

func (c *Reproduce) runShown() { c.toggle(c.State.Figure, c.standing()) }

func (c *Reproduce) shownLabel() string {
	if c.isClaims() {
		if label := runLabel(c.standing()); label != "Again" {
			return label + " everything"
		}
		return "Everything again"
	}
	return runLabel(c.standing())
}

// show chooses what the view shows.
func (c *Reproduce) show(id string) {
	if c.State.Figure != id {
		c.State.Figure = id
		if c.Page.Narrow() {
			c.reveal()
		}
	}
}

func (c *Reproduce) runAll() { c.Paper.Run(model.ClaimsID) }

func (c *Reproduce) cancelAll() { c.Paper.Cancel(model.ClaimsID) }

// hasWork reports whether there is anything left to run.
func (c *Reproduce) hasWork() bool {
	s := c.all()
	return s.Known+s.Waiting < s.Runs || s.Errors > 0
}

func (c *Reproduce) canForget() bool { return !c.Paper.Active() && c.all().Known > 0 }

func (c *Reproduce) allLabel() string { return "Reproduce everything" }

func (c *Reproduce) allPercent() string { return strconv.Itoa(c.all().Percent()) }

func (c *Reproduce) allState() string {
	s := c.all()
	took := c.Paper.Elapsed()
	text := fmt.Sprintf("%d of %d runs", s.Known, s.Runs)
	switch {
	case c.Paper.Active():
		return text + ", running for " + seconds(took)
	case took > 0:
		return text + ". The last work took " + seconds(took)
	}
	return text
}

func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// score sums up everything compared so far.
func (c *Reproduce) score() string {
	s := c.all()
	if s.Compared == 0 {
		return ""
	}
	if s.Reconstructed() {
		return fmt.Sprintf("%d of %d published values compared: %d within tolerance, %d off.", s.Compared, s.Points, s.Exact+s.Within, s.Gap)
	}
	return fmt.Sprintf("%d of %d published values compared: %d exact, %d within 0.5 %%, %d off.", s.Compared, s.Points, s.Exact, s.Within, s.Gap)
}

// announce is what screen readers hear when work is over.
func (c *Reproduce) announce() string {
	if c.Paper.Active() || c.all().Known == 0 {
		return ""
	}
	return c.title() + ": " + c.verdict().Text + ". " + c.score()
}

func (c *Reproduce) sourceText() string {
	have, need := c.Paper.Measured()
	switch {
	case c.Files.Opening:
		return "Reading…"
	case have == 0:
		return "Bundled networks are a reconstruction with modelled kernel times. For exact numbers drop the G10 artifact on this page: its zip, its folder, or the files of one network. They stay on this computer."
	case have < need:
		return fmt.Sprintf("The opened files hold %d of the %d workloads; the others are reconstructed.", have, need)
	}
	return fmt.Sprintf("The opened files hold all %d workloads.", need)
}

func (c *Reproduce) problem() string { return c.standing().Error }

func (c *Reproduce) title() string {
	if f := c.figure(); f != nil {
		return "Figure " + f.ID + ": " + f.Title
	}
	return "The numbers in the paper's text"
}

func (c *Reproduce) section() string {
	if f := c.figure(); f != nil {
		return "The paper, " + f.Section + ":"
	}
	return "The paper:"
}

func (c *Reproduce) says() string {
	if f := c.figure(); f != nil {
		return strings.ReplaceAll(f.Says+" "+f.Remark, " %", "\u00a0%")
	}
	return "Each number is computed again from the values of its figure, once from the published ones and once from ours. Where the published values already give another number, the text does not follow from them."
}

func (c *Reproduce) verdict() model.Verdict {
	if c.isClaims() {
		return c.all().ClaimVerdict()
	}
	return c.standing().Verdict()
}

func (c *Reproduce) plotStyle() string {
	return "height:" + strconv.Itoa(max(200, c.chart.Height)) + "px"
}

func (c *Reproduce) alt() string { return c.title() + ". " + c.chart.Alt }

func (c *Reproduce) caption() string { return c.chart.Text }

func (c *Reproduce) empty() string { return c.chart.Empty }

func (c *Reproduce) claims() []model.ClaimRow { return c.Paper.Claims(c.State.Figure) }

func (c *Reproduce) claimText(r model.ClaimRow) string {
	if c.isClaims() {
		return r.Text + " (Figure " + r.Figure + "; " + r.Section + ")"
	}
	return r.Text + " (" + r.Section + ")"
}

func (c *Reproduce) dash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

func (c *Reproduce) claimVerdict(r model.ClaimRow) string {
	if !r.Known {
		return "not run"
	}
	if r.Verdict != study.Holds && r.Ours == r.Published {
		return string(r.Verdict) + ", as published"
	}
	return string(r.Verdict)
}

func (c *Reproduce) claimClass(r model.ClaimRow) string {
	switch {
	case !r.Known:
		return "none"
	case r.Verdict == study.Holds:
		return "ok"
	case r.Verdict == study.Near:
		return "warn"
	}
	return "differs"
}

func (c *Reproduce) claimsNote() string {
	return fmt.Sprintf("“Holds”: equal to the rounding of the text, or in its range. “Near”: off by at most %.0f %%, with reconstructed workloads %.0f %%. “As published”: the artifact's own values say what we say.", 100*study.ClaimTolerance, 100*study.Reconstruction)
}

func (c *Reproduce) hasRows() bool { return c.standing().Points > 0 && !c.isClaims() }

func (c *Reproduce) showsRows() bool { return c.hasRows() && c.IsOpen("paper-rows") }

func (c *Reproduce) rowsTitle() string {
	if c.hasRows() {
		return "Difference of each published value"
	}
	return "Data"
}

func (c *Reproduce) rowsLabel() string {
	if c.IsOpen("paper-rows") {
		return "Hide"
	}
	return fmt.Sprintf("Show all %d", c.standing().Compared)
}

// summary counts verdicts in words.
func (c *Reproduce) summary() string {
	s := c.standing()
	switch {
	case c.isClaims():
		return fmt.Sprintf("%d claims: %d hold, %d are near, %d differ, %d are not computed yet.", s.Claims, s.Holds, s.Near, s.Differs, s.Claims-s.Holds-s.Near-s.Differs)
	case s.Points == 0:
		return "Nothing was published to compare with; the download has what is drawn."
	case s.Compared == 0:
		return fmt.Sprintf("%d published values, none computed yet.", s.Points)
	case s.Reconstructed():
		return fmt.Sprintf("%d of %d published values computed: %d within %.0f %%, %d off. Times by activity and traffic are measured against their sum.", s.Compared, s.Points, s.Exact+s.Within, 100*study.Reconstruction, s.Gap)
	}
	return fmt.Sprintf("%d of %d published values computed: %d exact to the last digit, %d within 0.5 %%, %d off.", s.Compared, s.Points, s.Exact, s.Within, s.Gap)
}

// rows is the table of differences, made when it is shown.
func (c *Reproduce) rows() vugu.HTML {
	if !c.showsRows() {
		return ""
	}
	if rev := c.Paper.RevOf(c.State.Figure); c.tableOf != c.State.Figure || c.tableRev != rev {
		c.table, c.tableOf, c.tableRev = c.Paper.RowsHTML(c.State.Figure), c.State.Figure, rev
	}
	return vugu.HTML(c.table)
}

// file names a download.
func (c *Reproduce) file(ext string) string {
	if c.isClaims() {
		return "spillway-g10-paper-claims." + ext
	}
	return "spillway-g10-paper-figure-" + c.State.Figure + "." + ext
}

func (c *Reproduce) save(kind string) { c.Page.SaveChart("paper", kind, c.file(kind)) }

func (c *Reproduce) saveCSV() { c.Page.Save(c.file("csv"), "text/csv", c.Paper.CSV(c.State.Figure)) }

// Destroy lets go of the drawing.
func (c *Reproduce) Destroy() { c.dispose() }
