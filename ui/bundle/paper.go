package bundle

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/study"
	"spillway/ui/exec"
	"spillway/ui/lab"
)

// A run is one of a paper's, in results/runs.json.
type run struct {
	Run    string     `json:"run"`
	System string     `json:"system"` // stable name, empty for an analysis
	Setup  string     `json:"setup"`
	Fits   bool       `json:"fits"`
	Reason string     `json:"reason,omitempty"`
	Values []*float64 `json:"values"` // by what is published of it; null where there is none
	Hash   string     `json:"hash,omitempty"`
}

// claims is the file claims.json.
type claims struct {
	Paper  string         `json:"paper"`
	Title  string         `json:"title"`
	Claims []claim        `json:"claims"`
	Points []study.Record `json:"points"`
}

type claim struct {
	Figure    string        `json:"figure"`
	ID        string        `json:"id"`
	Section   string        `json:"section"`
	Text      string        `json:"text"`
	Stated    string        `json:"stated"`
	Unit      string        `json:"unit,omitempty"`
	Published *float64      `json:"published"`
	Ours      *float64      `json:"ours"`
	Verdict   study.Verdict `json:"verdict"`
}

// measured returns what is recorded of a paper's run.
func measured(l *lab.Lab, paper *study.Paper, r *study.Run, p lab.Progress) (*run, *study.Outcome, error) {
	o, raw, err := l.Measure(paper, r.Name, r.Set, nil, p)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	o.Rebuilt = paper.Standing != ""
	out := &run{Run: r.Name, System: r.System, Setup: r.Set, Fits: o.Fits, Reason: o.Reason, Values: []*float64{}}
	for i := range o.Values {
		if x := &o.Values[i]; math.IsNaN(*x) || math.IsInf(*x, 0) {
			out.Values = append(out.Values, nil)
		} else {
			out.Values = append(out.Values, x)
		}
	}
	if raw != nil {
		out.Hash = l.Hash(raw)
	}
	return out, o, nil
}

// A Part is one run of a paper, done.
type Part struct {
	run     *run
	outcome *study.Outcome
}

// Measure does one run of a paper for BindPaper.
func Measure(l *lab.Lab, paper *study.Paper, r *study.Run) (Part, error) {
	run, o, err := measured(l, paper, r, nil)
	return Part{run, o}, err
}

// BindPaper returns a bundle of everything in a paper. parts are its runs, in
// their order.
func BindPaper(l *lab.Lab, paper *study.Paper, o *exec.Order, parts []Part) ([]byte, error) {
	s := &scenario{lab: l.Name, paper: paper.Key, link: o.Link, workload: paper.Standing, systems: paper.Systems}
	var runs []*run
	var outcomes []study.Outcome
	for _, p := range parts {
		runs, outcomes = append(runs, p.run), append(outcomes, *p.outcome)
	}
	c, err := judged(paper, outcomes)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	if files[runsName], err = write(runs); err != nil {
		return nil, err
	}
	if files[claimsName], err = write(c); err != nil {
		return nil, err
	}
	files[valuesName] = points(c)
	return finish(files, s, o)
}

// judged computes claims and points from outcomes.
func judged(paper *study.Paper, outcomes []study.Outcome) (*claims, error) {
	sheet, err := paper.Sheet(study.AllClaims, outcomes)
	if err != nil {
		return nil, err
	}
	rows, err := paper.Rows(study.AllClaims, outcomes)
	if err != nil {
		return nil, err
	}
	c := &claims{Paper: paper.Key, Title: paper.Title, Claims: []claim{}, Points: []study.Record{}}
	for i := range rows {
		c.Points = append(c.Points, paper.Record(&rows[i]))
	}
	for i := range sheet.Claims {
		x := &sheet.Claims[i]
		n := claim{Figure: paper.Name(x.Figure), ID: x.ID, Section: x.Section, Text: x.Text, Stated: x.Stated, Unit: x.Unit, Verdict: x.Verdict}
		if x.InPaper {
			n.Published = &x.Published
		}
		if x.Known {
			n.Ours = &x.Ours
		}
		c.Claims = append(c.Claims, n)
	}
	return c, nil
}

// points is the table of all published values and ours.
func points(c *claims) []byte {
	rows := [][]string{{"figure", "of", "at", "system", "quantity", "unit", "published", "ours", "difference", "verdict"}}
	cell := func(x *float64) string {
		if x == nil {
			return ""
		}
		return exact(*x)
	}
	for i := range c.Points {
		p := &c.Points[i]
		rows = append(rows, []string{p.Figure, p.Of, p.At, p.System, p.Quantity, p.Unit, cell(p.Published), cell(p.Ours), cell(p.Difference), p.Verdict})
	}
	return table(rows)
}

// readRuns reads the runs of a paper.
func (b *Bundle) readRuns() error {
	if b.bad[runsName] {
		return nil
	}
	text, ok := b.files[runsName]
	if !ok {
		return fmt.Errorf("it is about a paper, but there is no %s", runsName)
	}
	if err := parse(runsName, text, &b.runs); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range b.runs {
		if name := b.runs[i].Run; name == "" || seen[name] {
			return fmt.Errorf("%s: run %d has the name %.60q, which is empty or taken", runsName, i+1, name)
		}
		seen[b.runs[i].Run] = true
	}
	return nil
}

// checkPaper does one run of a paper again, or computes its claims again. It reports
// whether all is as recorded but for the last digits of numbers.
func (b *Bundle) checkPaper(l *lab.Lab, o *exec.Order, p lab.Progress, v *exec.Verdict) (rounded bool) {
	paper, err := l.Paper(b.manifest.Paper)
	if err != nil {
		cannot(v, err)
		return false
	}
	if o.Part >= len(b.runs) {
		return b.checkClaims(paper, o, v)
	}
	was := &b.runs[o.Part]
	runs := paper.Runs()
	at := slices.IndexFunc(runs, func(r study.Run) bool { return r.Name == was.Run })
	if at < 0 {
		cannot(v, fmt.Errorf("this version's %s has no run %.80q", paper.Key, was.Run))
		return false
	}
	is, outcome, err := measured(l, paper, &runs[at], p)
	if err != nil {
		cannot(v, err)
		return false
	}
	v.Outcome = outcome
	a, err1 := write(was)
	c, err2 := write(is)
	if err1 == nil && err2 == nil && bytes.Equal(a, c) {
		return true // replayed
	}
	v.Finding = exec.Agrees
	if hashedOtherwise(was.Hash, is.Hash) {
		is.Hash = was.Hash
		if c, err2 = write(is); err2 == nil && bytes.Equal(a, c) {
			v.Says = otherwiseHashed
			return false
		}
	}
	compareRuns(paper, was, is, v)
	return rounds(a, c)
}

// compareRuns compares the values of a paper's run.
func compareRuns(paper *study.Paper, was, is *run, v *exec.Verdict) {
	switch {
	case was.Setup != is.Setup || was.System != is.System:
		v.Finding = exec.Differs
		v.Differences = []exec.Difference{{Where: "the setup of the run", Recorded: clip(was.System + " " + was.Setup), Got: clip(is.System + " " + is.Setup)}}
		return
	case was.Fits != is.Fits || len(was.Values) > len(is.Values): // more are those of figures that came later
		v.Finding = exec.Differs
		v.Differences = []exec.Difference{{
			Where: "whether it can run", Recorded: fmt.Sprintf("%t, %d values", was.Fits, len(was.Values)), Got: fmt.Sprintf("%t, %d values", is.Fits, len(is.Values)),
		}}
		return
	}
	points := paper.Of(was.Run)
	d := differences{}
	for i := range was.Values {
		a, c := was.Values[i], is.Values[i]
		where, unit := fmt.Sprintf("value %d", i+1), ""
		if i < len(points) {
			where, unit = paper.Name(points[i].Figure)+" "+paper.Called(points[i].Quantity), points[i].Unit
		}
		d.value(where, a, c, unit)
	}
	if len(d.list) == 0 && was.Hash == is.Hash && was.Reason == is.Reason {
		v.Says = "All recorded values are the same; this version has more."
		return
	}
	if len(d.list) == 0 && was.Hash == is.Hash {
		v.Differences = []exec.Difference{{Where: "why it cannot run", Recorded: clip(was.Reason), Got: clip(is.Reason)}}
		return
	}
	if len(d.list) == 0 {
		v.Differences = []exec.Difference{{Where: "the hash of the whole result", Recorded: clip(was.Hash), Got: is.Hash}}
		v.Says = "All values are the same; the rest of the result is not."
		return
	}
	d.conclude(v)
}

// value adds two values that are not the same; nil is none.
func (d *differences) value(where string, recorded, got *float64, unit string) {
	switch {
	case recorded == nil && got == nil, recorded != nil && got != nil && *recorded == *got:
	case recorded == nil || got == nil:
		d.add(exec.Difference{Where: where, Recorded: some(recorded, unit), Got: some(got, unit)}, math.Inf(1))
	default:
		d.add(exec.Difference{Where: where, Recorded: shown(*recorded, unit), Got: shown(*got, unit), Off: off(*recorded, *got)}, relative(*recorded, *got))
	}
}

func some(x *float64, unit string) string {
	if x == nil {
		return "none"
	}
	return shown(*x, unit)
}

// checkClaims compares the claims with those of outcomes, as checkPaper does runs.
func (b *Bundle) checkClaims(paper *study.Paper, o *exec.Order, v *exec.Verdict) (rounded bool) {
	var was claims
	if err := parse(claimsName, b.files[claimsName], &was); err != nil {
		cannot(v, err)
		return false
	}
	is, err := judged(paper, o.Outcomes)
	if err != nil {
		cannot(v, err)
		return false
	}
	text, err := write(is)
	if err != nil {
		cannot(v, err)
		return false
	}
	if bytes.Equal(text, b.files[claimsName]) && (b.bad[valuesName] || bytes.Equal(points(is), b.files[valuesName])) {
		v.Says = fmt.Sprintf("%d claims and %d published values with the same verdicts.", len(is.Claims), len(is.Points))
		return true // replayed
	}
	v.Finding = exec.Agrees
	compareClaims(&was, is, v)
	if !b.bad[valuesName] && !bytes.Equal(points(&was), b.files[valuesName]) {
		v.Finding = exec.Differs
		v.Differences = append(v.Differences, exec.Difference{Where: valuesName, Recorded: "a table of other values", Got: "that of the claims"})
	}
	if len(v.Differences) == 0 {
		at, a, c := firstLine(b.files[claimsName], text)
		v.Differences = []exec.Difference{{Where: fmt.Sprintf("%s:%d", claimsName, at), Recorded: a, Got: c}}
	}
	return rounds(b.files[claimsName], text)
}

// compareClaims compares verdicts and values.
func compareClaims(was, is *claims, v *exec.Verdict) {
	d := differences{}
	word := func(where, a, c string) {
		if a != c {
			d.add(exec.Difference{Where: where, Recorded: clip(a), Got: clip(c)}, math.Inf(1))
		}
	}
	if len(was.Claims) > len(is.Claims) || len(was.Points) > len(is.Points) {
		word("the number of claims and points", fmt.Sprint(len(was.Claims), ", ", len(was.Points)), fmt.Sprint(len(is.Claims), ", ", len(is.Points)))
	}
	for i := range min(len(was.Claims), len(is.Claims)) {
		a, c := &was.Claims[i], &is.Claims[i]
		where := "claim " + c.ID
		word(where, a.ID, c.ID)
		word(where+", the verdict", string(a.Verdict), string(c.Verdict))
		word(where+", as stated", a.Stated, c.Stated)
		d.value(where+", ours", a.Ours, c.Ours, c.Unit)
		d.value(where+", published", a.Published, c.Published, c.Unit)
	}
	for i := range min(len(was.Points), len(is.Points)) {
		a, c := &was.Points[i], &is.Points[i]
		where := strings.TrimSpace(fmt.Sprint(c.Figure, " ", c.Quantity, " of ", c.Of, " ", c.At, " ", c.System))
		word(where, a.Figure+" "+a.Quantity+" "+a.System, c.Figure+" "+c.Quantity+" "+c.System)
		word(where+", the verdict", a.Verdict, c.Verdict)
		d.value(where+", published", a.Published, c.Published, c.Unit)
		d.value(where+", ours", a.Ours, c.Ours, c.Unit)
	}
	d.conclude(v)
}
