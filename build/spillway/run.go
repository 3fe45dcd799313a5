package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/exec"
	"spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
	"spillway/ui/lab/own"
	"spillway/ui/model/form"
)

const runForm = `lab=LAB [system=NAME,...] [file=PATH ...] [KEY=VALUE ...] [--json]
       spillway run WORKLOAD... [FLAGS]`

const runAbout = `The first form runs systems of any laboratory; spillway list says which there are.
Without system=, those run that the page compares at first. KEY=VALUE is any
setting of the laboratory; VALUE stands as it is, without escapes. file= may be
repeated and may name a file, a folder or a zip; if these hold more than one thing
that can be run, the entry setting (see list) chooses. policy=@PATH reads a policy of
your own from a file, policy=- from standard input (see spillway policy).

The second form runs workloads of training: a .config file of the G10 artifact, a
trace, MODEL@BATCH, MODEL@BATCH@GPU (estimated kernel times) or
MODEL@BATCH@as-paper. All flags but --json and --setup belong to it.
`

// An ownRun is a run with the laboratory's own result.
type ownRun struct {
	exec.Record
	Result json.RawMessage `json:"result,omitempty" help:"the laboratory's own, of those that are described below; missing in others"`
}

var runDocs = []doc{
	{"With lab=, --json prints an array of objects, one a system, in the order of system=:", ownRun{}},
	{"Without lab=, --json prints an array of objects, one a workload. Cycles are ticks of clock_hz, pages have 4096 bytes. When fits is false, of the rest only ideal_cycles and clock_hz count.", oldRun{}},
}

// resultDocs describe the results of the laboratories that print them.
func resultDocs(doors []all.Entry) (list []doc) {
	for _, d := range doors {
		if l := d.New(); l.Inline {
			list = append(list, doc{"The member result of lab=" + l.Name + ":", l.Result})
		}
	}
	return list
}

// afterUsage prints more below the help of a command.
func afterUsage(fs *flag.FlagSet, more func()) {
	usage := fs.Usage
	fs.Usage = func() {
		usage()
		more()
	}
}

func (s *shell) run(args []string) error {
	fs := s.flags("run", runForm, runAbout, runDocs...)
	afterUsage(fs, func() { // laboratories are built for who asks what they print
		for _, d := range resultDocs(s.labs) {
			fmt.Fprintf(s.out, "\n%s", d.text())
		}
	})
	asJSON := fs.Bool("json", false, "print JSON, described below")
	setup := fs.String("setup", "", "settings as one `TEXT`: key=value with blanks or & between, values escaped as in links; may also have lab= and system=")
	s.forceFlag(fs)
	o := trainingFlags(fs)
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	q, err := readRequest(*setup, rest)
	switch {
	case q.lab == "" && *setup == "":
		o.json = *asJSON
		return s.training(rest, o)
	case err == nil && q.lab == "":
		err = errors.New("--setup needs lab=LAB")
	}
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if err := only(fs, "json", "setup", "force"); err != nil {
		return err
	}
	runs, l, err := s.runLab(q)
	switch {
	case err != nil:
		return err
	case !*asJSON:
		return printRuns(s.out, l, runs)
	}
	list := make([]ownRun, len(runs))
	for i := range runs {
		list[i] = ownRun{runs[i].record(l), runs[i].own}
		list[i].Program = s.program
	}
	return printJSON(s.out, list)
}

// only refuses flags besides these, in the form with lab=.
func only(fs *flag.FlagSet, names ...string) (err error) {
	fs.Visit(func(f *flag.Flag) {
		if !slices.Contains(names, f.Name) && err == nil {
			err = fmt.Errorf("%s: --%s belongs to the form without lab=; here settings are written KEY=VALUE", fs.Name(), f.Name)
		}
	})
	return err
}

// A request is what a command line asks of a laboratory.
type request struct {
	lab     string
	systems []string
	files   []string
	pairs   []knob.Pair
}

// settingOf takes an argument KEY=VALUE apart, and reads the file that a policy is in; ok is false if it
// is none.
func settingOf(argument string) (p knob.Pair, ok bool, err error) {
	p.Key, p.Text, ok = strings.Cut(argument, "=")
	if ok = ok && p.Key != ""; ok && p.Key == own.TextKey {
		p.Text, err = policyText(p.Text)
	}
	return p, ok, err
}

// readRequest reads a setup text and the arguments behind it, which count more.
func readRequest(setup string, args []string) (request, error) {
	var q request
	pairs, err := knob.Pairs(setup)
	for _, a := range args {
		p, ok, problem := settingOf(a)
		if !ok && err == nil {
			err = fmt.Errorf("%q is no setting; want KEY=VALUE", a)
		}
		err = cmp.Or(err, problem)
		pairs = append(pairs, p)
	}
	for _, p := range pairs {
		switch p.Key {
		case "lab":
			if q.lab != "" && q.lab != p.Text && err == nil {
				err = fmt.Errorf("lab=%s and lab=%s; want one laboratory", q.lab, p.Text)
			}
			q.lab = p.Text
		case "system":
			q.systems = strings.Split(p.Text, ",")
		case "file":
			q.files = append(q.files, p.Text)
		default:
			q.pairs = append(q.pairs, p)
		}
	}
	return q, err
}

// A labResult is what one system said.
type labResult struct {
	system *lab.System
	setup  *knob.Setup
	report *report.Report
	hash   string
	own    json.RawMessage // the laboratory's own result, of those that are Inline
}

// runLab runs the systems that q asks for. The laboratory is the one it is about.
func (s *shell) runLab(q request) ([]labResult, *lab.Lab, error) {
	door, err := s.door(q.lab)
	if err != nil {
		return nil, nil, err
	}
	l := door.New()
	files, err := openFiles(&l, q.files)
	if err != nil {
		return nil, nil, err
	}
	systems, err := chosen(&l, files, q)
	if err != nil {
		return nil, nil, err
	}
	if files != nil {
		for _, note := range files.Notes() {
			fmt.Fprintln(s.errs, "note:", note)
		}
	}
	u, err := setup(&l, files, q.pairs)
	if err != nil {
		return nil, nil, err
	}
	if files, err = s.surveyed(&l, files, nil, u); err != nil {
		return nil, nil, err
	}
	var runs []labResult
	for _, x := range systems {
		runs = append(runs, labResult{system: x, setup: u})
	}
	err = each(s.crew(door), len(runs), func(l *lab.Lab, i int) error {
		r := &runs[i]
		rep, raw, err := l.Run(r.setup, r.system.Name, files, nil)
		if err != nil {
			return err
		}
		r.system, r.report, r.hash = r.system.As(rep), rep, l.Hash(raw)
		if l.Inline {
			r.own, err = l.JSON(raw)
		}
		return err
	})
	if err == nil {
		relate(&l, runs)
	}
	return runs, &l, err
}

// relate gives runs of the same settings their headroom, if the floor is among them.
func relate(l *lab.Lab, runs []labResult) {
	names, reports := make([]string, len(runs)), make([]*report.Report, len(runs))
	for i := range runs {
		names[i], reports[i] = runs[i].system.Name, runs[i].report
	}
	for i, r := range l.Related(names, reports) {
		runs[i].report = r
	}
}

// chosen returns the systems that a request names, or else those that the entry of files is
// for, or those that are compared at first.
func chosen(l *lab.Lab, files lab.Files, q request) ([]*lab.System, error) {
	names := q.systems
	if len(names) == 0 {
		if e, err := chosenEntry(l, files, q.pairs); err == nil && e != nil { // what is wrong says who reads settings
			names = e.Systems
		}
	}
	var list []*lab.System
	for _, name := range names {
		x, err := l.System(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	for i := range l.Systems {
		if len(names) == 0 && !l.Systems[i].Off {
			list = append(list, &l.Systems[i])
		}
	}
	return list, nil
}

// chosenEntry returns the entry of files that runs, nil without files.
func chosenEntry(l *lab.Lab, files lab.Files, pairs []knob.Pair) (*lab.Entry, error) {
	want := ""
	for _, p := range pairs {
		if p.Key == l.Entry {
			want = p.Text
		}
	}
	switch {
	case files == nil && want != "":
		return nil, fmt.Errorf("%s=%s is in files; name them with file=PATH", l.Entry, want)
	case files == nil || l.Entry == "":
		return nil, nil
	}
	return choose(files.Entries(), want, l.Entry)
}

// setup returns the settings of a command line. What the file says that an entry
// is from counts less.
func setup(l *lab.Lab, files lab.Files, pairs []knob.Pair) (*knob.Setup, error) {
	for _, p := range pairs {
		if l.Setup().Knob(p.Key) == nil {
			return nil, listed(fmt.Errorf("unknown setting %q", p.Key), l.Name)
		}
	}
	u, err := fromFiles(l, files, pairs)
	if err != nil {
		return nil, err
	}
	shown := ""
	if l.Entry != "" {
		shown = u.Text(l.Entry)
	}
	if err := u.Apply(u.WithCompanions(pairs)); err != nil {
		return nil, errors.Join(err, meansFile(l, u, pairs))
	}
	if files != nil && l.Entry != "" && shown == "" { // an entry that stands for itself
		err = u.Apply([]knob.Pair{{Key: l.Entry}})
	}
	return u, errors.Join(err, l.Check(u))
}

// meansFile says how a file is opened where a choice was given one's path, nil where none was.
func meansFile(l *lab.Lab, u *knob.Setup, pairs []knob.Pair) error {
	if l.Entry == "" {
		return nil
	}
	for _, p := range pairs {
		k := u.Knob(p.Key)
		if k == nil || k.Kind != knob.One || k.Choice(p.Text) != nil {
			continue
		}
		if _, err := os.Stat(p.Text); err == nil || strings.ContainsAny(p.Text, `/\`) {
			return fmt.Errorf("%s chooses one of this list; a file is opened by file=%s", p.Key, p.Text)
		}
	}
	return nil
}

// fromFiles returns the settings that come with the entry of files that pairs
// choose, the defaults without files.
func fromFiles(l *lab.Lab, files lab.Files, pairs []knob.Pair) (*knob.Setup, error) {
	u := l.Setup()
	e, err := chosenEntry(l, files, pairs)
	if err != nil {
		return u, err
	}
	l.Presume(u, pairs, e)
	if e == nil {
		return u, nil
	}
	if err := u.Read(e.Set); err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	return u, u.Apply([]knob.Pair{{Key: l.Entry, Text: e.Shown()}})
}

// openFiles opens files as the laboratory understands them, nil if there are none.
func openFiles(l *lab.Lab, paths []string) (lab.Files, error) {
	list, err := readLab(l, paths)
	if err != nil || list == nil {
		return nil, err
	}
	return openLab(l, list)
}

// openLab opens files for a laboratory. Tests have one whose files nobody else knows.
var openLab = files.Open

// readLab reads files for a laboratory.
func readLab(l *lab.Lab, paths []string) ([]lab.File, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if l.Entry == "" {
		return nil, fmt.Errorf("the laboratory %s takes no files", l.Name)
	}
	return readFiles(paths)
}

// choose returns the entry with this name, or the only one that can be used. The
// error lists what there is; key is that of the setting that chooses.
func choose(entries []lab.Entry, name, key string) (*lab.Entry, error) {
	var usable []int
	for i := range entries {
		e := &entries[i]
		switch {
		case e.Name == name && e.Error != "":
			return nil, fmt.Errorf("%s: %s", e.Name, e.Error)
		case e.Name == name:
			return e, nil
		case e.Error == "" && lab.Choosable(entries, e):
			usable = append(usable, i)
		}
	}
	if name == "" && len(usable) == 1 {
		return &entries[usable[0]], nil
	}
	var b strings.Builder
	switch {
	case name != "":
		fmt.Fprintf(&b, "the files hold no %q; there are", name)
	case len(usable) == 0:
		b.WriteString("the files hold nothing that can be run")
	default:
		fmt.Fprintf(&b, "the files hold %d things that can be run; choose one with %s=NAME", len(usable), key)
	}
	for i := range entries {
		e := &entries[i]
		info := e.Info
		if e.Error != "" {
			info = "cannot be used: " + e.Error
		}
		fmt.Fprintf(&b, "\n  %s=%q  %s", key, e.Name, info)
	}
	return nil, errors.New(b.String())
}

// record is the run for programs.
func (r *labResult) record(l *lab.Lab) exec.Record {
	o := exec.RecordOf(&l.Info, r.system.Name, r.setup)
	o.Say(&l.Info, r.report, r.hash)
	if pieces, _ := r.brief(l); len(pieces) > 0 {
		o.Workload = pieces[0]
	}
	return o
}

// brief says what ran, as the page does: the workload, the machine, how far numbers can be
// trusted.
func (r *labResult) brief(l *lab.Lab) (pieces, trust []string) {
	return form.Brief(&l.Info, r.setup, r.report)
}

// spoken is a setup text without what an opened entry makes meaningless and nobody said:
// settings that name another workload.
func spoken(i *lab.Info, u *knob.Setup) string {
	if i.Entry == "" || u.Text(i.Entry) == "" {
		return i.SetupText(u)
	}
	entry := u.Knob(i.Entry)
	return knob.Join(slices.DeleteFunc(i.Said(u), func(p knob.Pair) bool {
		k := u.Knob(p.Key)
		return k.Panel == entry.Panel && k.Key != i.Entry && !slices.Contains(i.EntryKnobs, k.Key) && p.Text == k.Default
	}), " ")
}

// answer is what the page would say first of these runs: what is given, who is best and why.
func answer(l *lab.Lab, runs []labResult) string {
	shown := make([]chart.Run, len(runs))
	lead := ""
	for i := range runs {
		shown[i] = chart.Run{System: runs[i].system, On: true, Report: runs[i].report}
		lead = cmp.Or(lead, runs[i].report.Lead)
	}
	says, why := chart.Verdict(&l.Info, shown)
	return strings.Join(slices.DeleteFunc([]string{lead, says, why}, func(s string) bool { return s == "" }), "\n")
}

// printRuns prints a table of all quantities, a column a system.
func printRuns(w io.Writer, l *lab.Lab, runs []labResult) error {
	pieces, _ := runs[0].brief(l)
	if len(pieces) > 0 {
		fmt.Fprintln(w, strings.Join(pieces, " · "))
	}
	fmt.Fprintf(w, "lab=%s %s\n%s", l.Name, spoken(&l.Info, runs[0].setup), wrap(answer(l, runs)+"\n"+runs[0].report.About+"\n"+runs[0].report.Origin, ""))
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i := range runs {
		fmt.Fprintf(tw, "\t%s", runs[i].system.Title)
	}
	fmt.Fprintln(tw)
	for i := range l.Quantities {
		q := &l.Quantities[i]
		cells, some := "", false
		for k := range runs {
			text := "–"
			if v, ok := runs[k].report.Value(i); ok {
				text, some = strconv.FormatFloat(q.Shown(v), 'f', q.Places, 64), true
			}
			cells += "\t" + text
		}
		label := q.Label
		if q.Unit != "" {
			label += ", " + q.Unit
		}
		if some {
			fmt.Fprintf(tw, "%s%s\n", label, cells)
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for i := range runs {
		r := &runs[i]
		switch {
		case r.report.Nothing && len(runs) > 1: // whatever the system
			if i == 0 {
				fmt.Fprintln(w, r.report.Reason)
			}
			continue
		case !r.report.Fits && r.system.Bound: // which runs nothing
			fmt.Fprintf(w, "%s: %s\n", r.system.Title, r.report.Reason)
		case !r.report.Fits:
			fmt.Fprintf(w, "%s cannot run it: %s\n", r.system.Title, r.report.Reason)
		case r.report.Answer != "":
			fmt.Fprintf(w, "%s: %s\n", r.system.Title, r.report.Answer)
		}
		for _, n := range slices.Concat(r.report.Caveats, r.report.Notes) {
			fmt.Fprintf(w, "%s: %s\n", r.system.Title, n)
		}
	}
	return nil
}
