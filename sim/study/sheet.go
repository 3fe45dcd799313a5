package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/report"
)

// A Sheet is everything that is shown of one figure, or of all claims, as data
// alone.
type Sheet struct {
	Paper, Figure string // keys: "g10", "14"; AllClaims for the claims
	Title         string
	Section       string // of the paper
	Says          string // what the paper concludes from it
	Remark        string // how our drawing or the published data differ from the paper's
	Note          string // where the workloads of what is known come from
	Drawing       Drawing
	Rows          []Line // every point, in the order of the paper
	Claims        []ClaimLine
	Tally         Tally
	Whys          []string // what explains the differences, each once
}

// A Drawing is what a figure draws. The marks of both lists are at the same
// places in the same order.
type Drawing struct {
	Kind Kind
	Axes Axes
	// Whole and Read are the figure's.
	Whole bool
	Read  string
	// Panels, Series and Parts are in the order of drawing; without panels there
	// is nothing to draw yet.
	Panels          []string
	Series, Parts   []Series
	Published, Ours []Mark
	Curves          []report.Curve // ours: By is the panel, Name the series
}

// A Series is a line, a kind of bar or a part of a stack.
type Series struct {
	Name   string // for people, in legends
	System string // stable name of the system it is about, empty if none
	Color  string // name of a CSS variable, empty for that of the system or of the place
}

// A Line is a row of the table of differences.
type Line struct {
	Of, At   string // "BERT-256", "host 32 GiB"
	System   string // stable name
	Title    string // of the system
	Quantity string // for people
	Set      string // setup text of the run
	Unit     string
	// Published and Ours mean something only where Fits and OursFits are true, and
	// Diff, ours/published − 1, where both are.
	Published, Ours, Diff float64
	Fits, OursFits        bool
	Status                Status // empty if it has not run
	Verdict               string // the same in words
	Why                   string // what explains a difference
	Note                  string // why the published number is doubted
	Source                string // where it was published
	Rebuilt               bool   // a bundled workload stood in for the paper's own
	Aside                 bool   // nothing here computes it; Why says why
}

// A ClaimLine is a claim with what the published values and ours give.
type ClaimLine struct {
	ID, Figure, Section, Text, Stated, Unit string
	Beside                                  string // what must stand next to the values
	// Published is what the published values give, if InPaper; Ours is known, and
	// judged, if Known.
	Published, Ours float64
	InPaper, Known  bool
	Verdict         Verdict
}

// Sentence is what the paper claims with the number that it states: its Text may need
// it to be whole.
func (c *ClaimLine) Sentence() string {
	last := c.Text[strings.LastIndexByte(c.Text, ' ')+1:]
	if c.Stated == "" {
		return c.Text
	}
	if strings.HasSuffix(last, ",") || strings.Contains(" as away by from gain gains is keeps least most of takes than to up uses ", " "+last+" ") {
		return c.Text + " " + c.Stated
	}
	return c.Text + ": " + c.Stated
}

// Label names a figure or, when its ID is T and a number, a table. It is empty when the
// ID is no number, so that only the title names it.
func Label(id string) string {
	kind, number := "Figure ", id
	if rest, ok := strings.CutPrefix(id, "T"); ok {
		kind, number = "Table ", rest
	}
	if number == "" || number[0] < '0' || number[0] > '9' {
		return ""
	}
	return kind + number
}

// Headed is the title of a figure behind its label, if it has one.
func Headed(id, title string) string {
	if label := Label(id); label != "" {
		return label + ": " + title
	}
	return title
}

// A Tally counts what came out of a figure, or of everything.
type Tally struct {
	Runs, Known, Rebuilt int // simulations and analyses; Rebuilt are of the known ones
	Points, Compared     int
	Aside                int // of the points, those that nothing here computes
	Again                int // of the points, those that another figure counts
	Exact, Within, Gap   int // of the compared ones
	Claims               int
	Holds, Near, Differs int // of the claims that are known
	// Verdict concludes in words, from the points if there are any, and from claims
	// that differ; Good is false when a point is a gap or a claim differs. ClaimVerdict
	// and ClaimsGood are about the claims alone.
	Verdict, ClaimVerdict string
	Good, ClaimsGood      bool
}

// Sheet says what outcomes tell about a figure, or, if it is AllClaims, about all
// claims and points together. Published values are always there. The error is
// about the figure, or about an outcome that is of another paper.
func (p *Paper) Sheet(figure string, outcomes []Outcome) (*Sheet, error) {
	l, err := p.ledger(outcomes)
	if err != nil {
		return nil, err
	}
	s := &Sheet{Paper: p.Key, Figure: figure, Title: "Claims"}
	if figure != AllClaims {
		f, err := p.Figure(figure)
		if err != nil {
			return nil, err
		}
		s.Title, s.Section, s.Says, s.Remark = f.Title, f.Section, f.Says, f.Remark
		s.Drawing = l.drawing(f)
	}
	rows := l.rows(figure)
	s.Claims = l.claims(figure)
	s.Tally = l.tally(figure, rows, s.Claims)
	s.Note = p.origin(&s.Tally)
	for i := range rows {
		r := &rows[i]
		why := r.Why
		if d := Doubt(r.Note); d != "" && figure != AllClaims { // doubts have their own lines
			why = strings.Trim(strings.Replace(why, Doubtful+d, "", 1), "; ")
		}
		if r.Explained && why != "" {
			s.Whys = append(s.Whys, prose.Capital(why)+".")
		}
	}
	s.Whys = distinct(s.Whys)
	if figure == AllClaims {
		return s, nil
	}
	s.Whys = append(s.Whys, p.doubts(rows, s.Drawing.Kind == Table)...)
	for i := range rows {
		s.Rows = append(s.Rows, p.line(&rows[i]))
	}
	return s, nil
}

// doubts says why published numbers are doubted, each reason once with the cells that
// it is about, or all; in a list of several quantities also with these.
func (p *Paper) doubts(rows []Row, listed bool) (list []string) {
	listed = listed && slices.ContainsFunc(rows, func(r Row) bool { return r.Quantity != rows[0].Quantity })
	cells, times := map[string][]string{}, map[string]int{}
	var whys []string
	for i := range rows {
		r := &rows[i]
		why := Doubt(r.Note)
		if why == "" {
			continue
		}
		times[why]++
		parts := []string{r.Of, r.At, p.Called(r.System)}
		if listed {
			parts = append(parts, p.Called(r.Quantity))
		}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		whys, cells[why] = append(whys, why), append(cells[why], strings.Join(parts, " "))
	}
	for _, why := range distinct(whys) {
		of := strings.Join(distinct(cells[why]), ", ")
		if times[why] == len(rows) && len(rows) > 1 {
			of = "All"
		}
		list = append(list, "? "+of+": "+why+".")
	}
	return list
}

// Tallies counts what came out of every figure, in their order, and last of
// everything: what a list of the figures shows, for less than all sheets. The scores are of the
// same.
func (p *Paper) Tallies(outcomes []Outcome) ([]Tally, []Score, error) {
	l, err := p.ledger(outcomes)
	if err != nil {
		return nil, nil, err
	}
	var list []Tally
	var scores []Score
	var all scoring
	for i := range p.Figures {
		id := p.Figures[i].ID
		rows := l.rows(id)
		s := p.score(rows)
		all.join(&s)
		list, scores = append(list, l.tally(id, rows, l.claims(id))), append(scores, s.Score)
	}
	all.finish()
	return append(list, l.tally(AllClaims, l.rows(AllClaims), l.claims(AllClaims))), append(scores, all.Score), nil
}

func (p *Paper) line(r *Row) Line {
	return Line{
		Of: r.Of, At: r.At, System: r.System, Title: p.Called(r.System), Quantity: p.Called(r.Quantity), Set: r.Set, Unit: r.Unit,
		Published: r.Value, Ours: r.Ours, Diff: r.Diff, Fits: r.Fits, OursFits: r.OursFits,
		Status: r.Status, Verdict: p.verdict(r), Why: r.Why, Note: r.Note, Source: r.Source, Rebuilt: r.Rebuilt,
		Aside: r.NotComputed != "",
	}
}

// drawing draws what was published and what is known.
func (l *ledger) drawing(f *Figure) Drawing {
	d := Drawing{Kind: f.Kind, Axes: f.Axes, Whole: f.Whole, Read: f.Read}
	panels, parts := slices.Clone(f.Panels), []string(nil)
	series := func(list *[]Series, name, system string) {
		if !slices.ContainsFunc(*list, func(s Series) bool { return s.Name == name }) {
			*list = append(*list, Series{name, system, f.Colors[name]})
		}
	}
	if f.Marks != nil {
		d.Published, d.Ours = f.Marks(Published), f.Marks(l.look)
		for i, m := range f.Marks(undoubted) {
			x := &d.Published[i]
			x.Doubted = x.Known && (!m.Known || math.IsNaN(m.Y) && !math.IsNaN(x.Y))
		}
	}
	for i := range d.Published {
		m := &d.Published[i]
		panels, parts = append(panels, m.Panel), append(parts, m.Part)
		series(&d.Series, m.Series, m.System)
	}
	for i := range l.tasks {
		if l.outcomes[i] == nil {
			continue
		}
		for _, c := range l.outcomes[i].Curves {
			if c.Chart == f.ID {
				d.Curves, panels = append(d.Curves, c), append(panels, c.By)
				series(&d.Series, c.Name, l.tasks[i].System)
			}
		}
	}
	d.Panels = distinct(panels)
	if f.Kind == Stacks {
		for _, name := range distinct(parts) {
			series(&d.Parts, name, "")
		}
	}
	return d
}

// undoubted is Published without the doubted values: what is made of one is no number,
// whatever a figure does with it.
func undoubted(p *Point) (value float64, fits, known bool) {
	if value, fits, known = Published(p); known && Doubt(p.Note) != "" {
		value = math.NaN()
	}
	return value, fits, known
}

// Describe says how many of the drawn values agree, for those who do not see.
func (d *Drawing) Describe() string {
	published, known, same, doubted := 0, 0, 0, ""
	for i := range d.Ours {
		u, p := &d.Ours[i], &d.Published[i]
		if !p.Known {
			continue
		}
		published++
		if p.Doubted {
			doubted = " Some published values are doubted."
		}
		if u.Known {
			if known++; u.Fits == p.Fits && u.Y == p.Y {
				same++
			}
		}
	}
	if published == 0 {
		return "Computed for " + strings.Join(d.Panels, ", ") + "; the claims have the numbers."
	}
	return fmt.Sprintf("%d published values; %d of them computed here, %d of these the same.%s The table has all of them.", published, known, same, doubted)
}

// claims judges the claims about a figure, or all.
func (l *ledger) claims(figure string) []ClaimLine {
	p := l.paper
	var list []ClaimLine
	for i := range p.Claims {
		c := &p.Claims[i]
		if figure != AllClaims && c.Figure != figure {
			continue
		}
		n := ClaimLine{ID: c.ID, Figure: c.Figure, Section: c.Section, Text: c.Text, Stated: c.Stated, Unit: c.Unit, Beside: c.Beside}
		n.Published, n.InPaper = c.Published()
		if n.Ours, n.Known = c.Value(l.look, l.outcome); n.Known {
			tolerance := p.ClaimTolerance
			if _, rebuilt := l.known(c.Figure); rebuilt > 0 {
				tolerance = max(tolerance, p.Rebuilt)
			}
			n.Verdict = c.Judge(n.Ours, tolerance)
		}
		list = append(list, n)
	}
	return list
}

// known counts the runs of a figure, or all, that are known, and those of them
// with bundled workloads in place of the paper's own.
func (l *ledger) known(figure string) (known, rebuilt int) {
	for i, o := range l.outcomes {
		if o != nil && l.serves(i, figure) {
			known++
			if o.Rebuilt {
				rebuilt++
			}
		}
	}
	return known, rebuilt
}

func (l *ledger) serves(task int, figure string) bool {
	return figure == AllClaims || slices.Contains(l.tasks[task].Figures, figure)
}

func (l *ledger) tally(figure string, rows []Row, claims []ClaimLine) Tally {
	t := Tally{Points: len(rows), Claims: len(claims)}
	for i := range l.tasks {
		if l.serves(i, figure) {
			t.Runs++
		}
	}
	t.Known, t.Rebuilt = l.known(figure)
	limit := l.paper.Tolerance
	for i := range rows {
		r := &rows[i]
		if r.Duplicate && figure == AllClaims {
			t.Points--
			continue
		}
		if r.Duplicate {
			t.Again++
		}
		if r.NotComputed != "" {
			t.Aside++
		}
		switch r.Status {
		case Exact:
			t.Exact++
		case Within:
			t.Within++
			limit = max(limit, r.Limit)
		case Gap:
			t.Gap++
		}
	}
	t.Compared = t.Exact + t.Within + t.Gap
	for i := range claims {
		switch claims[i].Verdict {
		case Holds:
			t.Holds++
		case Near:
			t.Near++
		case Differs:
			t.Differs++
		}
	}
	t.ClaimVerdict, t.ClaimsGood = t.ofClaims()
	switch t.Verdict, t.Good = t.ofPoints(l.paper.Rebuilt, limit, l.paper.Originals == ""); {
	case t.Known == 0 || t.Known < t.Runs:
	case t.Points == t.Aside && t.Claims == 0 && t.Runs > 0:
		t.Verdict, t.Good = "nothing to compare", true
	case t.Points == t.Aside:
		t.Verdict, t.Good = t.ClaimVerdict, t.ClaimsGood
	case t.Differs > 0: // the worst that can be said of a figure decides
		t.Verdict += fmt.Sprintf("; claims that differ: %d of %d", t.Differs, t.Claims)
		t.Good = false
	}
	if t.Aside > 0 && t.Aside < t.Points && t.Known == t.Runs {
		t.Verdict += fmt.Sprintf("; %d not computed", t.Aside)
	}
	return t
}

// ofPoints concludes from the points. rebuilt is the tolerance with workloads
// that stand in for the paper's, limit the largest that a point needed; only says that
// there are no others.
func (t *Tally) ofPoints(rebuilt, limit float64, only bool) (text string, good bool) {
	switch {
	case t.Runs == 0 && t.Aside > 0:
		return "not computed", false
	case t.Known == 0:
		return "not run", false
	case t.Known < t.Runs:
		return fmt.Sprintf("%d of %d runs", t.Known, t.Runs), false
	case t.Rebuilt > 0 && only:
		return fmt.Sprintf("%d of %d within their limits", t.Compared-t.Gap, t.Compared), t.Gap == 0
	case t.Rebuilt > 0:
		return fmt.Sprintf("%d of %d within %s", t.Compared-t.Gap, t.Compared, percent(max(rebuilt, limit))), t.Gap == 0
	case t.Exact == t.Compared:
		return "exact", true
	case t.Gap == 0:
		return fmt.Sprintf("%d exact, %d within %s", t.Exact, t.Within, percent(limit)), true
	}
	return fmt.Sprintf("%d exact, %d within, %d off", t.Exact, t.Within, t.Gap), false
}

// ofClaims concludes from the claims.
func (t *Tally) ofClaims() (text string, good bool) {
	if t.Holds+t.Near+t.Differs == 0 {
		return "not run", false
	}
	text = fmt.Sprintf("%d of %d hold", t.Holds, t.Claims)
	if t.Near > 0 {
		text += fmt.Sprintf(", %d near", t.Near)
	}
	switch t.Differs {
	case 0:
	case 1:
		text += ", 1 differs"
	default:
		text += fmt.Sprintf(", %d differ", t.Differs)
	}
	return text, t.Differs == 0
}

// origin says where the workloads of what is known come from; "" if nothing is
// known or the paper has no others.
func (p *Paper) origin(t *Tally) string {
	standing := fmt.Sprintf("%s; tolerance %s", prose.Capital(p.Standing), percent(p.Rebuilt))
	if p.Originals == "" { // nothing but stand-ins, each point with a tolerance of its own
		standing = prose.Capital(p.Standing)
	}
	switch {
	case t.Known == 0 || p.Standing == "":
		return ""
	case t.Rebuilt == 0:
		return "With the paper's own workloads, from the opened files."
	case t.Rebuilt == t.Known:
		return standing + "."
	}
	return fmt.Sprintf("%d of %d runs with the paper's own workloads, from the opened files. The others: %s.", t.Known-t.Rebuilt, t.Known, p.Standing)
}
