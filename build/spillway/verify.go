package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"spillway/sim/knob"
	"spillway/sim/study"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
)

const verifyAbout = `Runs what the papers measured and compares with every number that they published.

Without --artifact bundled workloads stand in for a paper's own where these cannot
be part of Spillway; how far such a number is off is reported but is no failure,
unless the paper has no workloads of its own: then all must be as recorded.
With it, only papers are verified whose workloads are in the folder, and all of
their numbers must be as recorded: exit code 1 if a gap is not explained.

With --bounds it checks proofs of the best possible in training instead: those of
files that spillway export certificate writes, or of all presets. So does
python3 bound.py FILE, a script of the page, by itself.
`

// A verification is the JSON of spillway verify. Names and meanings are stable.
type verification struct {
	Program string   `json:"program" help:"name and version of the command, Go version, platform, as spillway version prints them"`
	Points  []point  `json:"points" help:"every published number, in the order of the papers' figures"`
	Claims  []claim  `json:"claims" help:"numbers that the papers' texts state, computed again"`
	Figures []figure `json:"figures" help:"what came out of every figure"`
}

type point struct {
	study.Record
	Rebuilt   bool `json:"rebuilt" help:"a bundled workload stood in for the paper's own"`
	Explained bool `json:"explained" help:"why explains the difference, so that it is as recorded"`
}

type claim struct {
	Figure    string        `json:"figure" help:"whose values it is computed from"`
	ID        string        `json:"id" help:"stable, in its paper"`
	Section   string        `json:"section" help:"of the paper that states it"`
	Text      string        `json:"text" help:"what is claimed, in our words"`
	Stated    string        `json:"stated" help:"the number as the paper prints it"`
	Unit      string        `json:"unit" help:"of published and ours"`
	Published *float64      `json:"published" help:"from the published values; null if these do not say"`
	Ours      *float64      `json:"ours" help:"from ours; null if something needed has not run"`
	Verdict   study.Verdict `json:"verdict" help:"of ours: holds, near or differs; empty without ours"`
	Beside    string        `json:"beside,omitempty" help:"what must stand next to the values, as that they hang on a number that nobody knows"`
}

type figure struct {
	Figure  string  `json:"figure" help:"g10.11; g10.all for a whole paper, if all of its figures are verified"`
	Runs    int     `json:"runs" help:"simulations and analyses"`
	Rebuilt int     `json:"rebuilt" help:"of these with bundled workloads in place of the paper's own"`
	Points  int     `json:"points" help:"published numbers"`
	Exact   int     `json:"exact" help:"to the last printed digit"`
	Within  int     `json:"within" help:"up to their limit"`
	Gap     int     `json:"gap" help:"farther off"`
	Failed  int     `json:"failed" help:"of the gaps those that are neither explained nor with bundled workloads in place of the paper's own"`
	Worst   float64 `json:"worst" help:"largest relative difference"`
	Verdict string  `json:"verdict" help:"in words"`
	Claims  int     `json:"claims" help:"stated numbers"`
	Holds   int     `json:"holds" help:"to the rounding of the stated number"`
	Near    int     `json:"near" help:"off by at most the paper's tolerance"`
	Differs int     `json:"differs" help:"farther off"`
}

var verifyDoc = doc{"--json prints one object:", verification{}}

func (s *shell) verify(args []string) error {
	fs := s.flags("verify", "[--paper KEY] [--figures NAME,...] [--artifact FOLDER] [--all] [--strict] [--json]\n       spillway verify --bounds [FILE ...]", verifyAbout, verifyDoc)
	key := fs.String("paper", "", "verify only the paper with this `KEY`; spillway list has them")
	figures := fs.String("figures", "", "comma-separated `NAMES` of figures, like 11,18 or g10.11,g10.18; all without it")
	artifact := fs.String("artifact", "", "`FOLDER` (or zip) with a paper's own workloads, as its authors published them")
	every := fs.Bool("all", false, "print every point, not only those that differ")
	asJSON := fs.Bool("json", false, "print everything as one JSON object")
	strict := fs.Bool("strict", false, "exit code 1 as well if a claim of a paper differs")
	bounds := fs.Bool("bounds", false, "check proofs of the best possible")
	rest, err := parse(fs, args)
	if err == nil && *bounds {
		return s.bounds(rest)
	}
	if err := noMore(rest, err); err != nil {
		return err
	}
	list, err := s.reviews(*key, *figures)
	if err != nil {
		return err
	}
	if *artifact != "" {
		if list, err = s.originals(list, *artifact); err != nil {
			return err
		}
	}
	total := &verification{Program: s.program, Points: []point{}, Claims: []claim{}, Figures: []figure{}}
	var gaps []study.Row
	for _, r := range list {
		if err := r.measure(s.crew(r.door)); err != nil {
			return err
		}
		bad, err := r.report(total)
		if err != nil {
			return err
		}
		gaps = append(gaps, bad...)
	}
	if *asJSON {
		err = printJSON(s.out, total)
	} else {
		err = total.print(s.out, list, *every)
	}
	if err == nil && len(gaps) > 0 {
		err = failed{fmt.Errorf("%d points are not as recorded, the first: %v", len(gaps), gaps[0].String())}
	}
	if err == nil && *strict {
		for i := range total.Claims {
			if c := &total.Claims[i]; c.Verdict == study.Differs {
				return failed{fmt.Errorf("a claim differs: %s", c.ID)}
			}
		}
	}
	return err
}

// A review is a paper that is verified, or some figures of it.
type review struct {
	door     all.Entry
	lab      lab.Lab
	paper    *study.Paper
	figures  []string // IDs
	runs     []study.Run
	files    lab.Files   // with originals; nil without
	entries  []lab.Entry // of files
	outcomes []study.Outcome
	note     string // where the workloads come from
}

// reviews returns the papers with this key, all if it is empty, with the figures
// in a list of names that may lack the paper's key, all if it is empty.
func (s *shell) reviews(key, figures string) ([]*review, error) {
	var list []*review
	var keys []string
	for _, d := range s.labs {
		l := d.New()
		for _, p := range l.Studies() {
			if keys = append(keys, p.Key); key == "" || p.Key == key {
				list = append(list, &review{door: d, lab: l, paper: p})
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("verify: unknown paper %q; there are %s", key, strings.Join(keys, ", "))
	}
	wanted := map[string]bool{} // whether it was found
	if figures != "" {
		for name := range strings.SplitSeq(figures, ",") {
			wanted[strings.TrimSpace(name)] = false
		}
	}
	var names []string
	for _, r := range list {
		for i := range r.paper.Figures {
			id := r.paper.Figures[i].ID
			name := r.paper.Name(id)
			names = append(names, name)
			_, short := wanted[id]
			_, long := wanted[name]
			if short {
				wanted[id] = true
			}
			if long {
				wanted[name] = true
			}
			if short || long || figures == "" {
				r.figures = append(r.figures, id)
			}
		}
		for _, run := range r.paper.Runs() {
			if slices.ContainsFunc(run.Figures, func(id string) bool { return slices.Contains(r.figures, id) }) {
				r.runs = append(r.runs, run)
			}
		}
		// Runs of one workload follow each other, so that it is loaded once.
		slices.SortStableFunc(r.runs, func(a, b study.Run) int { return strings.Compare(a.Workload, b.Workload) })
	}
	for name, found := range wanted {
		if !found {
			return nil, fmt.Errorf("verify: there is no figure %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(list, func(r *review) bool { return len(r.figures) == 0 }), nil
}

// originals returns those whose own workloads are in a folder.
func (s *shell) originals(list []*review, folder string) ([]*review, error) {
	originals, err := readFiles([]string{folder})
	if err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	var found []*review
	var whys []string
	for _, r := range list {
		why := r.paper.Standing + "; " + r.paper.Originals
		if r.lab.Entry != "" {
			if r.files, err = openLab(&r.lab, originals); err != nil {
				why = err.Error()
			} else {
				r.entries = r.files.Entries()
			}
		}
		if slices.ContainsFunc(r.runs, func(run study.Run) bool { return r.original(&run) != nil }) {
			found = append(found, r)
			continue
		}
		whys = append(whys, fmt.Sprintf("no workload of %s in %s: %s", r.paper.Short, folder, why))
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("verify: %s", strings.Join(whys, "\n"))
	}
	for _, why := range whys {
		fmt.Fprintln(s.errs, "left out,", why)
	}
	return found, nil
}

// original returns the entry that a run was measured on: one that says nothing
// but what runs, if there is one.
func (r *review) original(run *study.Run) *lab.Entry {
	var best *lab.Entry
	for i := range r.entries {
		e := &r.entries[i]
		if run.Workload != "" && e.Is == run.Workload && e.Error == "" && (best == nil || e.Set == "" && best.Set != "") {
			best = e
		}
	}
	return best
}

// measure does the runs, each once, on all processors.
func (r *review) measure(c *crew) error {
	r.outcomes = make([]study.Outcome, len(r.runs))
	return each(c, len(r.runs), func(l *lab.Lab, i int) error {
		run := &r.runs[i]
		set, files, rebuilt := run.Set, lab.Files(nil), r.paper.Standing != ""
		if e := r.original(run); e != nil {
			set += " " + knob.Join([]knob.Pair{{Key: l.Entry, Text: e.Name}}, " ")
			files, rebuilt = r.files, false
		}
		o, _, err := l.Measure(r.paper, run.Name, set, files, nil)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", r.paper.Key, run.Name, err)
		}
		o.Rebuilt = rebuilt
		r.outcomes[i] = *o
		return nil
	})
}

// whole stands for all figures of a paper.
const whole = "all"

// report adds what came out to v and returns the points that are not as recorded.
func (r *review) report(v *verification) ([]study.Row, error) {
	sum := figure{Figure: r.paper.Name(whole)}
	var gaps []study.Row
	for _, id := range r.figures {
		sheet, err := r.paper.Sheet(id, r.outcomes)
		if err != nil {
			return nil, err
		}
		rows, err := r.paper.Rows(id, r.outcomes)
		if err != nil {
			return nil, err
		}
		t := &sheet.Tally
		f := figure{
			Figure: r.paper.Name(id), Runs: t.Runs, Rebuilt: t.Rebuilt, Points: t.Points, Exact: t.Exact, Within: t.Within, Gap: t.Gap,
			Verdict: t.Verdict, Claims: t.Claims, Holds: t.Holds, Near: t.Near, Differs: t.Differs,
		}
		for i := range rows {
			v.Points = append(v.Points, point{r.paper.Record(&rows[i]), rows[i].Rebuilt, rows[i].Explained})
			if rows[i].OursFits && rows[i].Fits {
				f.Worst = max(f.Worst, math.Abs(rows[i].Diff))
			}
		}
		for _, gap := range study.Unexpected(rows) {
			if !gap.Rebuilt || r.paper.Originals == "" { // nothing else could be compared with
				gaps = append(gaps, gap)
				f.Failed++
			}
		}
		for i := range sheet.Claims {
			v.Claims = append(v.Claims, r.claim(&sheet.Claims[i]))
		}
		sum.add(&f)
		v.Figures = append(v.Figures, f)
	}
	sum.Runs = len(r.runs)
	sum.Rebuilt = 0
	for i := range r.outcomes {
		if r.outcomes[i].Rebuilt {
			sum.Rebuilt++
		}
	}
	sheet, err := r.paper.Sheet(study.AllClaims, r.outcomes)
	if err != nil {
		return nil, err
	}
	if r.note, sum.Verdict = sheet.Note, sheet.Tally.Verdict; len(r.figures) == len(r.paper.Figures) {
		v.Figures = append(v.Figures, sum)
	}
	return gaps, nil
}

// add counts another figure.
func (f *figure) add(o *figure) {
	f.Points += o.Points
	f.Exact += o.Exact
	f.Within += o.Within
	f.Gap += o.Gap
	f.Failed += o.Failed
	f.Claims += o.Claims
	f.Holds += o.Holds
	f.Near += o.Near
	f.Differs += o.Differs
	f.Worst = max(f.Worst, o.Worst)
}

func (r *review) claim(c *study.ClaimLine) claim {
	out := claim{Figure: r.paper.Name(c.Figure), ID: c.ID, Section: c.Section, Text: c.Text, Stated: c.Stated, Unit: c.Unit, Verdict: c.Verdict, Beside: c.Beside}
	if c.InPaper {
		out.Published = &c.Published
	}
	if c.Known {
		out.Ours = &c.Ours
	}
	return out
}

// print prints for people: the points that differ, or every one, a line a figure,
// and the claims.
func (v *verification) print(w io.Writer, list []*review, every bool) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	heading := "figure\tquantity\tof\tat\tsystem\tpublished\tours\tdifference\tverdict"
	for i := range v.Points {
		p := &v.Points[i]
		if !every && (p.Status == study.Exact || p.Status == study.Within && p.Rebuilt) {
			continue
		}
		if heading != "" {
			fmt.Fprintln(tw, heading)
			heading = ""
		}
		difference := "–"
		if p.Difference != nil {
			difference = fmt.Sprintf("%+.5f %%", 100**p.Difference)
		}
		none := "cannot run"
		if p.Status == "" { // no run yields it
			none = "–"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", p.Figure, p.Quantity, p.Of, p.At, cmp.Or(p.System, "–"),
			value(p.Published, "cannot run"), value(p.Ours, none), difference, p.Verdict)
	}
	if heading == "" {
		fmt.Fprintln(tw)
	}
	fmt.Fprintln(tw, "figure\tpoints\texact\twithin\tgap\tworst\tclaims\thold\tverdict")
	for i := range v.Figures {
		f := &v.Figures[i]
		worst := "–"
		if f.Points > 0 {
			worst = fmt.Sprintf("%.3f %%", 100*f.Worst)
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%s\t%d\t%d\t%s\n", f.Figure, f.Points, f.Exact, f.Within, f.Gap, worst, f.Claims, f.Holds, f.Verdict)
	}
	if len(v.Claims) > 0 {
		fmt.Fprintln(tw, "\nclaim\tstated\tpublished values\tours\tverdict")
	}
	for i := range v.Claims {
		c := &v.Claims[i]
		fmt.Fprintf(tw, "%s %s: %s\t%s\t%s\t%s\t%s\n", c.Figure, c.Section, c.Text, c.Stated, short(c.Published, c.Unit), short(c.Ours, c.Unit), c.Verdict)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, r := range list {
		if r.note != "" {
			fmt.Fprintf(w, "\n%s: %s\n", r.paper.Short, r.note)
		}
	}
	return nil
}

// value prints a number exactly enough to compare it, none as something else.
func value(x *float64, none string) string {
	if x == nil {
		return none
	}
	return fmt.Sprintf("%.10g", *x)
}

// short prints a number with its unit.
func short(x *float64, unit string) string {
	if x == nil {
		return "–"
	}
	return strings.TrimSpace(fmt.Sprintf("%.4g %s", *x, unit))
}
