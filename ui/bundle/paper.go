package bundle

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/study"
	"spillway/ui/cite"
	"spillway/ui/exec"
	"spillway/ui/lab"
)

// A Part is one run of a paper, done.
type Part = *exec.Redone

// Measure does one run of a paper for BindPaper.
func Measure(l *lab.Lab, paper *study.Paper, r *study.Run) (Part, error) {
	return exec.Redo(l, &exec.Ask{Paper: paper.Key, Run: r.Name}, nil, nil, nil)
}

// BindPaper returns a bundle of everything in a paper, and what it rests on as BibTeX. parts are
// its runs, in their order.
func BindPaper(l *lab.Lab, paper *study.Paper, o *exec.BundleRequest, parts []Part) (data []byte, references string, err error) {
	var outcomes []study.Outcome
	for _, p := range parts {
		outcomes = append(outcomes, *p.Outcome)
	}
	is, err := exec.Redo(l, &exec.Ask{Paper: paper.Key, Claims: true}, outcomes, nil, nil)
	if err != nil {
		return nil, "", err
	}
	made := *o
	made.Redone = append(slices.Clone(parts), is)
	if data, err = Write(&made, nil); err != nil {
		return nil, "", err
	}
	return data, References(&made), nil
}

// claimed are the claims of the paper that an order is about; nil if it is about none.
func claimed(o *exec.BundleRequest) *exec.Redone {
	if n := len(o.Redone); n > 0 && o.Redone[n-1] != nil && o.Redone[n-1].Claims != nil {
		return o.Redone[n-1]
	}
	return nil
}

// References is what the paper that an order is about rests on, as BibTeX; empty if it is about
// none.
func References(o *exec.BundleRequest) string {
	is := claimed(o)
	if is == nil {
		return ""
	}
	return cite.BibTeX(cite.Rests(is.Claims.Paper, is.Papers))
}

// writePaper returns a bundle of a paper's runs and claims.
func writePaper(o *exec.BundleRequest, is *exec.Redone) ([]byte, error) {
	s := &scenario{lab: is.Info.Name, paper: is.Claims.Paper, link: o.Link, workload: is.Standing, systems: is.Systems}
	var runs []*exec.PaperRun
	for _, p := range o.Redone[:len(o.Redone)-1] {
		if p == nil || p.Run == nil {
			return nil, fmt.Errorf("a run of %s is missing", s.paper)
		}
		runs = append(runs, p.Run)
	}
	files := map[string][]byte{}
	var err error
	if files[runsName], err = write(runs); err != nil {
		return nil, err
	}
	if files[claimsName], err = write(is.Claims); err != nil {
		return nil, err
	}
	files[valuesName] = points(is.Claims)
	return finish(files, s, o)
}

// points is the table of all published values and ours.
func points(c *exec.Claims) []byte {
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

// checkPaper compares one run of a paper, or its claims. It reports whether all is as
// recorded but for the last digits of numbers.
func (b *Bundle) checkPaper(o *exec.BundleRequest, x *exec.Redone, v *exec.Verdict) (rounded bool) {
	if o.Part >= len(b.runs) {
		return b.checkClaims(x.Claims, v)
	}
	was, is := &b.runs[o.Part], x.Run
	v.Outcome = x.Outcome
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
	compareRuns(x.Places, was, is, v)
	return rounds(a, c)
}

// compareRuns compares the values of a paper's run.
func compareRuns(places []exec.Place, was, is *exec.PaperRun, v *exec.Verdict) {
	switch {
	case !said(was.Setup, is.Setup) || was.System != is.System:
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
	d := differences{}
	for i := range was.Values {
		a, c := was.Values[i], is.Values[i]
		where, unit := fmt.Sprintf("value %d", i+1), ""
		if i < len(places) {
			where, unit = places[i].Where, places[i].Unit
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

// said reports whether a setup text says all that another does: a later version may say more,
// where something became a setting.
func said(was, is string) bool {
	now := strings.Fields(is)
	return !slices.ContainsFunc(strings.Fields(was), func(w string) bool { return !slices.Contains(now, w) })
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
func (b *Bundle) checkClaims(is *exec.Claims, v *exec.Verdict) (rounded bool) {
	var was exec.Claims
	if err := parse(claimsName, b.files[claimsName], &was); err != nil {
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
func compareClaims(was, is *exec.Claims, v *exec.Verdict) {
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
