package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/sweep"
	"spillway/ui/lab"
)

const solveForm = `lab=LAB [system=NAME,...] [file=PATH ...] [KEY=VALUE ...] --smallest KEY[=A..B] | --largest KEY[=A..B]
           [--within PERCENT [--than NAME] | --at-least VALUE | --at-most VALUE | --fits] [--csv | --json]
       spillway solve lab=LAB ... --sensitivity [--csv | --json]
       spillway solve lab=LAB ... --fit [--json]`

const solveAbout = `The first form looks for the smallest or the largest value of a setting with which
a system does what is wanted, for each system by itself. It first tries values over
the whole range, then narrows down where the answer begins, and prints the answer
with all that it tried. The answer is exact for settings that are counted and for
--precision 0, else within 1 % of the exact one, as long as more of the setting is
always better (for the largest: worse). It looks around the edge that it found and
says if that is not so; then the answer is the outermost that it has seen.

The second form turns every setting that is a number by a tenth, up or, where that
is not possible, down, and says by how much the quantity of every system changes.

The third form says whether each system can run it and, where a system knows, the
smallest change of settings with which it can, which is then run.
`

// A fitting is the JSON of --fit: whether a system runs, and with what change.
type fitting struct {
	Program string   `json:"program" help:"name and version of the command, Go version, platform, as spillway version prints them"`
	Lab     string   `json:"lab" help:"name of the laboratory"`
	System  string   `json:"system" help:"name of the system"`
	Setup   string   `json:"setup" help:"all settings, as a setup text"`
	Fits    bool     `json:"fits" help:"whether it runs as it is"`
	Reason  string   `json:"reason" help:"why it does not; empty if it does"`
	Change  string   `json:"change" help:"the smallest change of settings with which it runs; empty if it runs, or none is known"`
	Value   *float64 `json:"value" help:"of the quantity, after the change; null if there is none"`
}

// A solved is the JSON of an answer. Names and meanings are stable.
type solved struct {
	Program   string   `json:"program" help:"name and version of the command, Go version, platform, as spillway version prints them"`
	Lab       string   `json:"lab" help:"name of the laboratory"`
	System    string   `json:"system" help:"name of the system"`
	Setup     string   `json:"setup" help:"all other settings, as a setup text"`
	Find      string   `json:"find" help:"smallest or largest"`
	Key       string   `json:"key" help:"of the setting that was turned"`
	Unit      string   `json:"unit" help:"of its values"`
	Quantity  string   `json:"quantity" help:"key of what is judged"`
	Test      string   `json:"test" help:"within, at-least, at-most or fits"`
	Percent   *float64 `json:"percent,omitempty" help:"of within; missing of others"`
	Than      string   `json:"than,omitempty" help:"name of the system compared with; missing if with none"`
	Bound     *float64 `json:"bound,omitempty" help:"value compared with; missing if with none"`
	Found     bool     `json:"found" help:"whether any value that was tried is as wanted"`
	Answer    string   `json:"answer" help:"the value found; empty if none"`
	Not       string   `json:"not" help:"the nearest value tried beyond it, which is not as wanted; empty if all are"`
	Monotone  bool     `json:"monotone" help:"false if more of the setting is not always better (for largest: worse): there may be other answers then"`
	Sure      string   `json:"sure" help:"the value from which on all that were tried are as wanted, upwards (for largest: downwards); empty if there is none"`
	Says      string   `json:"says" help:"the same in words"`
	Precision float64  `json:"precision" help:"how far the answer may be from the exact one, as a share of it; 0 is exact"`
	Probes    []probe  `json:"probes" help:"all values that were tried, the smallest first"`
}

// A probe is one value that was tried.
type probe struct {
	At      string   `json:"at" help:"the value"`
	Holds   bool     `json:"holds" help:"whether it is as wanted"`
	Fits    bool     `json:"fits" help:"false if the system cannot run it"`
	Reason  string   `json:"reason" help:"why it cannot"`
	Problem string   `json:"problem,omitempty" help:"what contradicts in its settings, so that nothing ran; missing if nothing does"`
	Value   *float64 `json:"value" help:"of the quantity; null if there is none"`
	Than    *float64 `json:"than" help:"what it is compared with; null if with nothing"`
}

// An effect is the JSON of what turning one setting does.
type effect struct {
	Key     string   `json:"key" help:"of the setting"`
	From    string   `json:"from" help:"its value"`
	To      string   `json:"to" help:"what it was turned to; empty if it was not"`
	Share   float64  `json:"share" help:"by how much, as a share of its value: 0.1 is a tenth more"`
	Nothing bool     `json:"nothing" help:"whether that changes the quantity of no system at all"`
	Why     string   `json:"why" help:"why it does nothing, or was not turned; empty if nobody knows"`
	Changes []change `json:"changes" help:"by system; none if it was not turned"`
}

type change struct {
	System string   `json:"system" help:"name of the system"`
	Before *float64 `json:"before" help:"value of the quantity; null if there is none"`
	After  *float64 `json:"after" help:"value of the quantity; null if there is none"`
	Share  *float64 `json:"share" help:"after / before − 1; null without both"`
	Why    string   `json:"why,omitempty" help:"why there is none; missing if there is"`
}

const solveCSV = "With --csv, a search prints a line a value that was tried: system, key, value, status (ok, cannot run or contradicts), why it cannot, the quantity, what it is compared with, whether it is as wanted, and whether it is the answer. A sensitivity prints a line a setting and system."

// A question is what the flags of solve say.
type question struct {
	smallest, largest, than string
	within, precision       string
	atLeast, atMost, of     string
	fits, sensitivity, fit  bool
	form                    *outForm
}

func (q *question) flags(fs *flag.FlagSet) {
	fs.StringVar(&q.smallest, "smallest", "", "find the smallest value of a setting: `KEY` or KEY=FIRST..LAST")
	fs.StringVar(&q.largest, "largest", "", "find the largest value of a setting: `KEY` or KEY=FIRST..LAST")
	fs.StringVar(&q.within, "within", "", "the quantity is at most `PERCENT` worse than that of --than")
	fs.StringVar(&q.than, "than", "", "`NAME` of the system that --within compares with; without it the first bound among the systems, else the laboratory's first")
	fs.StringVar(&q.atLeast, "at-least", "", "the quantity is at least `VALUE`, in its own unit, or that of the system named")
	fs.StringVar(&q.atMost, "at-most", "", "the quantity is at most `VALUE`, in its own unit, or that of the system named")
	fs.BoolVar(&q.fits, "fits", false, "the system can run it; for --largest nothing else need be said")
	fs.StringVar(&q.of, "of", "", "`KEY` of the quantity; without it the one that the laboratory's headline is about")
	fs.StringVar(&q.precision, "precision", "", "how far in `PERCENT` the answer may be from the exact one; 0 is exact")
	fs.BoolVar(&q.sensitivity, "sensitivity", false, "turn every setting by a tenth")
	fs.BoolVar(&q.fit, "fit", false, "say the smallest change with which each system can run it")
	q.form = formFlags(fs, "below")
}

func (s *shell) solve(args []string) error {
	fs := s.flags("solve", solveForm, solveAbout,
		doc{"--json prints an array of objects, one a system:", solved{}},
		doc{"With --sensitivity an array of objects, one a setting:", effect{}}, doc{"With --fit an array of objects, one a system:", fitting{}}, doc{solveCSV, struct{}{}})
	var ask question
	ask.flags(fs)
	s.forceFlag(fs)
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	q, err := readRequest("", rest)
	if err == nil && q.lab == "" {
		err = errors.New("name a laboratory: lab=LAB")
	}
	if err == nil {
		err = ask.check()
	}
	if err != nil {
		return fmt.Errorf("solve: %w", err)
	}
	x, err := s.open(q)
	if err != nil {
		return err
	}
	base, err := setup(x.lab, x.files, q.pairs)
	if err != nil {
		return err
	}
	if x.files, err = s.surveyed(x.lab, x.files, nil, base); err != nil {
		return err
	}
	v := &solving{sweeping: x, question: ask, base: base, crew: s.crew(x.door), known: map[string]sweep.Reading{}}
	v.crew.told = &progress{shell: s}
	at := x.lab.Quantity(x.lab.Say.Quantity)
	if ask.of != "" {
		if at, err = quantity(&x.lab.Info, ask.of); err != nil {
			return fmt.Errorf("solve: %w", err)
		}
	}
	v.at, v.quantity = at, &x.lab.Quantities[at]
	switch {
	case ask.fit:
		return v.fit(len(q.systems) > 0)
	case ask.sensitivity:
		return v.sensitivity()
	}
	return v.search(len(q.systems) > 0)
}

// check reports what is asked twice or not at all.
func (q *question) check() error {
	count := func(given ...bool) (n int) {
		for _, g := range given {
			if g {
				n++
			}
		}
		return n
	}
	what := count(q.smallest != "", q.largest != "", q.sensitivity, q.fit)
	tests := count(q.within != "", q.atLeast != "", q.atMost != "", q.fits)
	switch {
	case what != 1:
		return errors.New("want one of --smallest KEY, --largest KEY, --sensitivity and --fit")
	case q.fit && (tests > 0 || q.than != "" || q.precision != "" || q.form.csv):
		return errors.New("--fit asks for no value and prints no CSV; leave the other flags out")
	case q.sensitivity && (tests > 0 || q.than != "" || q.precision != ""):
		return errors.New("--sensitivity asks for no value; leave the other flags out")
	case tests > 1:
		return errors.New("want one of --within, --at-least, --at-most and --fits")
	case tests == 0 && q.smallest != "":
		return errors.New("say what is wanted: --within PERCENT, --at-least VALUE, --at-most VALUE or --fits")
	case q.than != "" && q.within == "":
		return errors.New("--than belongs to --within")
	}
	return q.form.check()
}

// A solving is a question on its way to an answer.
type solving struct {
	*sweeping
	question
	base     *knob.Setup
	crew     *crew
	at       int
	quantity *report.Quantity
	known    map[string]sweep.Reading // by setup and system: searches ask for the same
}

// An asker asks for runs in rounds.
type asker interface {
	Next() []sweep.Run
	Take(i int, r sweep.Reading)
}

// answer runs what the askers want to know until they know it. All that they ask
// for in one round runs at once.
func (v *solving) answer(askers []asker) error {
	for {
		rounds := make([][]sweep.Run, len(askers))
		var fresh []sweep.Run
		var keys []string
		asked := map[string]bool{}
		open := false
		for i, a := range askers {
			rounds[i] = a.Next()
			for _, r := range rounds[i] {
				key := r.System + " " + r.Setup.String()
				_, there := v.known[key]
				if open = true; !there && !asked[key] {
					asked[key] = true
					fresh, keys = append(fresh, r), append(keys, key)
				}
			}
		}
		if !open {
			return nil
		}
		err := ordered(v.crew, len(fresh), 1, func(l *lab.Lab, i int) (sweep.Reading, error) {
			return v.read(l, fresh[i])
		}, func(i int, r sweep.Reading) error {
			v.known[keys[i]] = r
			return nil
		})
		if err != nil {
			return err
		}
		for i, a := range askers {
			for k, r := range rounds[i] {
				a.Take(k, v.known[r.System+" "+r.Setup.String()])
			}
		}
	}
}

// read does one run.
func (v *solving) read(l *lab.Lab, r sweep.Run) (sweep.Reading, error) {
	if err := l.Check(r.Setup); err != nil {
		return sweep.Reading{Problem: sweep.OneLine(err)}, nil
	}
	rep, _, err := l.Run(r.Setup, r.System, v.files, nil)
	if problem := much(err); problem != "" {
		return sweep.Reading{Problem: problem}, nil
	}
	if err != nil {
		return sweep.Reading{}, broken(l, r, err)
	}
	y := sweep.Reading{Fits: rep.Fits, Reason: rep.Reason, Value: report.None()}
	if value, ok := rep.Value(v.at); ok {
		y.Value = value
	}
	return y, nil
}

// search answers for every system; named is whether they were chosen: a bound is
// not asked about by itself.
func (v *solving) search(named bool) error {
	var systems []string
	for _, name := range v.Systems {
		if x, err := v.lab.System(name); err == nil && (named || !x.Bound) {
			systems = append(systems, name)
		}
	}
	goal, test, err := v.goal()
	if err != nil {
		return fmt.Errorf("solve: %w", err)
	}
	var searches []*sweep.Search
	var askers []asker
	for _, name := range systems {
		goal.System = name
		search, err := sweep.NewSearch(goal)
		if err != nil {
			return fmt.Errorf("solve: %w", err)
		}
		searches, askers = append(searches, search), append(askers, search)
	}
	if err := v.answer(askers); err != nil {
		return err
	}
	list := make([]solved, len(searches))
	for i, search := range searches {
		list[i] = v.solved(search, test)
	}
	switch {
	case v.form.json:
		return printJSON(v.shell.out, list)
	case v.form.csv:
		return v.searchCSV(list)
	}
	return v.searchTable(list)
}

// goal reads what is looked for, but for the system.
func (v *solving) goal() (g sweep.Goal, test string, err error) {
	g = sweep.Goal{Base: v.base, Largest: v.largest != "", Want: sweep.Want{Quantity: *v.quantity}}
	if g.Range, err = sweep.ParseRange(v.base, v.smallest+v.largest); err != nil {
		return g, "", listed(err, v.lab.Name)
	}
	g.Precision = sweep.UsualPrecision(v.base.Knob(g.Range.Key))
	if v.precision != "" {
		if g.Precision, err = percent("precision", v.precision); err != nil {
			return g, "", err
		}
	}
	switch {
	case v.within != "":
		g.Want.Test, test = sweep.Within, "within"
		if g.Want.Share, err = percent("within", v.within); err == nil {
			g.Than, err = v.bound()
		}
	case v.atLeast != "":
		g.Want.Test, test = sweep.AtLeast, "at-least"
		g.Than, g.Want.Bound, err = v.other("at-least", v.atLeast)
	case v.atMost != "":
		g.Want.Test, test = sweep.AtMost, "at-most"
		g.Than, g.Want.Bound, err = v.other("at-most", v.atMost)
	default:
		g.Want.Test, test = sweep.Fits, "fits"
	}
	return g, test, err
}

// percent reads a flag's percentage as a share.
func percent(name, text string) (float64, error) {
	p, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil || !(p >= 0 && p-p == 0) {
		return 0, fmt.Errorf("--%s %s: want a percentage, like 5", name, text)
	}
	return p / 100, nil
}

// bound returns the system that --within compares with.
func (v *solving) bound() (string, error) {
	if v.than != "" {
		x, err := v.lab.System(v.than)
		if err != nil {
			return "", err
		}
		return x.Name, nil
	}
	if x := v.lab.Ideal(v.Systems); x != nil {
		return x.Name, nil
	}
	return "", fmt.Errorf("the laboratory %s has no bound; say --than NAME", v.lab.Name)
}

// other reads a value, or the name of a system.
func (v *solving) other(flag, text string) (system string, bound float64, err error) {
	if bound, err = strconv.ParseFloat(text, 64); err == nil && bound-bound == 0 {
		return "", bound, nil
	}
	if x, err := v.lab.System(text); err == nil {
		return x.Name, 0, nil
	}
	return "", 0, fmt.Errorf("--%s %s: want a number, or a system that spillway list %s names", flag, text, v.lab.Name)
}

// title is a system's name for people.
func (v *solving) title(name string) string {
	if x, err := v.lab.System(name); err == nil {
		return x.Title
	}
	return name
}

// solved is the answer for programs.
func (v *solving) solved(s *sweep.Search, test string) solved {
	g, a := s.Goal(), s.Answer()
	o := solved{
		Program: v.shell.program, Lab: v.lab.Name, System: g.System, Setup: v.lab.SetupText(v.base), Find: "smallest", Key: g.Range.Key, Unit: v.base.Knob(g.Range.Key).Unit,
		Quantity: v.quantity.Key, Test: test, Than: g.Than, Found: a.At >= 0, Monotone: a.Dip == nil,
		Says: s.Say(v.title(g.System), v.title(g.Than)), Precision: g.Precision, Probes: []probe{},
	}
	switch {
	case g.Want.Test == sweep.Within:
		percent := g.Want.Share * 100
		o.Percent = &percent
	case g.Want.Test != sweep.Fits && g.Than == "":
		o.Bound = &g.Want.Bound
	}
	if g.Largest {
		o.Find = "largest"
	}
	if a.At >= 0 {
		o.Answer = a.Probes[a.At].Text
	}
	if a.Sure >= 0 {
		o.Sure = a.Probes[a.Sure].Text
	}
	if a.Not >= 0 {
		o.Not = a.Probes[a.Not].Text
	}
	for i := range a.Probes {
		p := &a.Probes[i]
		x := probe{At: p.Text, Holds: p.Holds, Fits: p.Y.Fits, Reason: p.Y.Reason, Problem: p.Y.Problem, Value: some(p.Y)}
		if g.Want.Test != sweep.Fits {
			x.Than = some(p.Than)
		}
		o.Probes = append(o.Probes, x)
	}
	return o
}

// some is a reading's value, nil if it has none.
func some(r sweep.Reading) *float64 {
	if r.Problem != "" || !r.Fits || r.Value != r.Value {
		return nil
	}
	return &r.Value
}

// full is a value for programs, empty if there is none.
func full(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// shown is a value for people.
func shown(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.10g", *v)
}

// reading is what the probe says, without its value.
func (p *probe) reading() *sweep.Reading {
	return &sweep.Reading{Problem: p.Problem, Fits: p.Fits, Reason: p.Reason}
}

func (v *solving) searchCSV(list []solved) error {
	w := csv.NewWriter(v.shell.out)
	lines := [][]string{{"system", "key", "value", "status", "reason", v.quantity.Key, "than", "holds", "answer"}}
	for i := range list {
		o := &list[i]
		for k := range o.Probes {
			p := &o.Probes[k]
			y := p.reading()
			lines = append(lines, []string{
				o.System, o.Key, p.At, y.Status(), y.Why(), full(p.Value), full(p.Than),
				strconv.FormatBool(p.Holds), strconv.FormatBool(o.Found && p.At == o.Answer),
			})
		}
	}
	return writeAll(w, lines)
}

// writeAll writes lines of comma-separated values.
func writeAll(w *csv.Writer, lines [][]string) error {
	for i := range lines {
		lines[i] = report.Cells(lines[i])
	}
	return w.WriteAll(lines)
}

// searchTable prints sentences, and below each the curve.
func (v *solving) searchTable(list []solved) error {
	for i := range list {
		o := &list[i]
		if i > 0 {
			fmt.Fprintln(v.shell.out)
		}
		fmt.Fprint(v.shell.out, wrap(o.Says, ""))
		tw := tabwriter.NewWriter(v.shell.out, 0, 0, 2, ' ', 0)
		than := o.Than
		if than == "" && o.Test != "fits" {
			than = "bound"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t\n", o.Key, v.quantity.Key, than)
		for k := range o.Probes {
			p := &o.Probes[k]
			value, mark := shown(p.Value), "no"
			if status := p.reading().Status(); status != sweep.OK {
				value = status
			}
			if p.Holds {
				mark = "yes"
			}
			if o.Found && p.At == o.Answer {
				mark += ", the answer"
			}
			other := ""
			if than != "" {
				other = shown(p.Than)
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", p.At, value, other, mark)
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// fit says of every system whether it runs, and with what change it would.
func (v *solving) fit(named bool) error {
	list := []fitting{}
	for _, name := range v.Systems {
		x, err := v.lab.System(name)
		if err != nil || x.Bound && !named {
			continue
		}
		run := func(u *knob.Setup) (*report.Report, error) {
			r, _, err := v.lab.Run(u, name, v.files, nil)
			if err != nil {
				return nil, broken(v.lab, sweep.Run{Setup: u, System: name}, err)
			}
			return r, nil
		}
		r, err := run(v.base)
		if err != nil {
			return err
		}
		o := fitting{Program: v.shell.program, Lab: v.lab.Name, System: name, Setup: v.lab.SetupText(v.base), Fits: r.Fits, Reason: r.Reason}
		if r.Mend != "" {
			change := r.Mend
			pairs, err := knob.Pairs(change)
			other := v.base.Clone()
			if err == nil {
				err = errors.Join(other.Apply(pairs), v.lab.Check(other))
			}
			if err != nil {
				return err
			}
			if r, err = run(other); err != nil {
				return err
			}
			if r.Fits {
				o.Change = change
			}
		}
		if value, ok := r.Value(v.at); ok {
			o.Value = &value
		}
		list = append(list, o)
	}
	if v.form.json {
		return printJSON(v.shell.out, list)
	}
	for i := range list {
		o := &list[i]
		said := o.System + ": " + o.Reason
		switch {
		case o.Fits:
			said = o.System + ": it runs as it is"
		case o.Change != "":
			said = o.System + ": it runs with " + o.Change
		}
		if o.Value != nil {
			said += fmt.Sprintf(", %s %s", shown(o.Value), v.quantity.Unit)
		}
		fmt.Fprint(v.shell.out, wrap(said, ""))
	}
	return nil
}

// sensitivity turns every setting.
func (v *solving) sensitivity() error {
	s := sweep.NewSensitivity(v.base, v.Systems)
	if err := v.answer([]asker{s}); err != nil {
		return err
	}
	list := []effect{}
	for _, e := range s.Effects() {
		o := effect{Key: e.Key, From: e.From, To: e.To, Share: e.Share, Nothing: e.Nothing, Why: e.Why, Changes: []change{}}
		for i, c := range e.Changes {
			x := change{System: v.Systems[i], Before: some(c.Before), After: some(c.After)}
			if c.Known {
				x.Share = &c.Share
			}
			x.Why = cmp.Or(c.Before.Why(), c.After.Why())
			o.Changes = append(o.Changes, x)
		}
		list = append(list, o)
	}
	switch {
	case v.form.json:
		return printJSON(v.shell.out, list)
	case v.form.csv:
		return v.effectsCSV(list)
	}
	return v.effectsTable(v.shell.out, list)
}

func (v *solving) effectsCSV(list []effect) error {
	w := csv.NewWriter(v.shell.out)
	lines := [][]string{{"key", "from", "to", "share", "nothing", "system", v.quantity.Key, "after", "change", "reason"}}
	for i := range list {
		e := &list[i]
		head := []string{e.Key, e.From, e.To, strconv.FormatFloat(e.Share, 'g', -1, 64), strconv.FormatBool(e.Nothing)}
		if len(e.Changes) == 0 {
			lines = append(lines, append(head, "", "", "", "", e.Why))
		}
		for _, c := range e.Changes {
			lines = append(lines, append(head[:len(head):len(head)], c.System, full(c.Before), full(c.After), full(c.Share), c.Why))
		}
	}
	return writeAll(w, lines)
}

func (v *solving) effectsTable(w io.Writer, list []effect) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s\tfrom\tto", v.quantity.Key)
	for _, name := range v.Systems {
		fmt.Fprintf(tw, "\t%s", name)
	}
	fmt.Fprintln(tw, "\t")
	for i := range list {
		e := &list[i]
		to := e.To
		if to == "" {
			to = "–"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s", e.Key, e.From, to)
		for k := range v.Systems {
			text := "–"
			if k < len(e.Changes) && e.Changes[k].Share != nil {
				text = "0 %"
				if share := *e.Changes[k].Share; share != 0 {
					text = fmt.Sprintf("%+.2f %%", share*100)
				}
			}
			fmt.Fprintf(tw, "\t%s", text)
		}
		note := e.Why
		if e.Nothing {
			note = strings.TrimSuffix("does nothing here: "+e.Why, ": ")
		}
		fmt.Fprintf(tw, "\t%s\n", note)
	}
	return tw.Flush()
}
