// Package papers is Reproduce: what papers published, run again and compared.
package papers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spillway/sim/knob"
	"spillway/sim/study"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/model/files"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// Papers runs what a laboratory's papers published and compares. Each run
// happens once, however many figures share it.
type Papers struct {
	Rev int // counts changes of what is known
	Row int // of the shown figure, that somebody asked for, counted from 1; 0 if none

	room  *workspace.Workspace
	files *files.Files
	desk  *calls.Desk
	list  []*paper
	begun time.Time     // when the newest run of work began
	took  time.Duration // how long it took, when over

	opened int // sets of files when papers were last looked after

	version func() string // of the program, as bundles name it

	fetch func() // asks for what the site came with, nil once it has

	collecting *collecting // sheets for a report, nil if nobody waits for them
}

// A paper is one publication.
type paper struct {
	lab.PaperInfo
	outline *study.Outline
	shipped map[string]*study.Outcome // what runs said when the site was built, by their names
	seconds float64                   // that they took then, 0 if unknown
	asked   bool                      // for the outline
	problem string
	runs    []paperRun
	order   []int // in which runs begin: those of one workload together, as a worker keeps one
	byName  map[string]int
	rev     int // counts changes of outcomes
	sheet   *study.Sheet
	sheetOf int    // rev that sheet is of
	figure  string // that sheet was asked for
	tallies []study.Tally
	board   string // of what tallies are of, as HTML
	tallyOf int
	asking  map[exec.Kind]bool // sheets and tallies under way
	at      map[exec.Kind]time.Time
}

// A paperRun is one simulation of a paper, or one analysis.
type paperRun struct {
	study.Run
	wanted  map[string]bool // by the figures that ask for it now
	call    *calls.Call
	outcome *study.Outcome
	err     string
	source  string // the workload it was measured with
	files   int    // the number of the set that has it, 0 of a bundled one
	hash    string // of the whole result, empty of an analysis
}

func (r *paperRun) known() bool { return r.outcome != nil || r.err != "" }

// New returns the papers of a laboratory. version is that of the program; fetch asks for what their runs said when the site was
// built, which comes back through [Papers.Ship].
func New(w *workspace.Workspace, f *files.Files, d *calls.Desk, version func() string, fetch func()) *Papers {
	p := &Papers{room: w, files: f, desk: d, version: version, fetch: fetch}
	for _, i := range w.Info.Papers {
		p.list = append(p.list, &paper{PaperInfo: i, byName: map[string]int{}, asking: map[exec.Kind]bool{}, at: map[exec.Kind]time.Time{}, tallyOf: -1, sheetOf: -1})
	}
	return p
}

// split takes the name of a figure apart: its paper, and its ID there. Without a
// known paper it is the first paper, without a known figure its first.
func (p *Papers) split(name string) (x *paper, figure string) {
	if len(p.list) == 0 {
		return nil, ""
	}
	key, figure, _ := strings.Cut(name, ".")
	at := slices.IndexFunc(p.list, func(x *paper) bool { return x.Key == key })
	if at < 0 {
		at, figure = 0, ""
	}
	x = p.list[at]
	if x.outline == nil || figure == study.AllClaims {
		return x, figure
	}
	if !slices.ContainsFunc(x.outline.Figures, func(f study.FigureOutline) bool { return f.ID == figure }) {
		figure = x.first()
	}
	return x, figure
}

// first is the figure that is shown first: the first with published values.
func (x *paper) first() string {
	if len(x.outline.Figures) == 0 {
		return ""
	}
	at := max(0, slices.IndexFunc(x.outline.Figures, func(f study.FigureOutline) bool { return f.Points > 0 }))
	return x.outline.Figures[at].ID
}

// Shown is the figure that is shown, by its full name: "g10.14".
func (p *Papers) Shown() string {
	x, figure := p.split(p.room.State.Figure)
	if x == nil {
		return ""
	}
	return x.Key + "." + figure
}

// Follow asks for what the view lacks, once it has forgotten what was known of files that
// are others now.
func (p *Papers) Follow() {
	if p.opened != p.files.Opened {
		p.opened = p.files.Opened
		p.filesChanged()
	}
	p.refresh()
}

// refresh asks for what the view lacks.
func (p *Papers) refresh() {
	if p.room.State.View != state.Reproduce {
		return
	}
	if fetch := p.fetch; fetch != nil {
		p.fetch = nil
		fetch()
	}
	for _, x := range p.list {
		if !x.asked {
			x.asked = true
			p.ask(x, &exec.Job{Kind: exec.Outline}, calls.Shown, x.open)
		}
	}
	p.sheets()
}

// ask asks a worker about a paper; told gets what it says, before the sheets are looked
// after.
func (p *Papers) ask(x *paper, j *exec.Job, priority calls.Priority, told func(*exec.Answer)) *calls.Call {
	j.Paper = x.Key
	return p.desk.Start(j, priority, func(a *exec.Answer) {
		p.Rev++
		told(a)
		p.sheets()
	})
}

// open takes a paper's outline.
func (x *paper) open(a *exec.Answer) {
	x.outline, x.problem = a.Outline, a.Error
	x.asked = a.Outline != nil // else once more when the view is shown again
	if a.Outline == nil {
		return
	}
	for i, r := range a.Outline.Runs {
		x.byName[r.Name] = i
		x.runs = append(x.runs, paperRun{Run: r, wanted: map[string]bool{}})
		x.order = append(x.order, i)
	}
	slices.SortStableFunc(x.order, func(a, b int) int { return strings.Compare(x.runs[a].Set, x.runs[b].Set) })
}

// oftenest is how often the shown figure follows runs that are going on, tallied how
// often the verdicts of all do: that takes a worker several times as long.
const (
	oftenest = 400 * time.Millisecond
	tallied  = 1200 * time.Millisecond
)

// sheets asks for the sheet of the shown figure and the tallies of all, when what
// is known has changed.
func (p *Papers) sheets() {
	shown, figure := p.split(p.room.State.Figure)
	for _, x := range p.list {
		if x.outline == nil {
			continue
		}
		early := func(k exec.Kind, often time.Duration) bool { return p.Active() && time.Since(x.at[k]) < often }
		other := x.sheetOf < 0 || x.figure != figure
		if x == shown && !x.asking[exec.Sheet] && (other || x.sheetOf != x.rev && !early(exec.Sheet, oftenest)) && figure != "" {
			x.asking[exec.Sheet], x.at[exec.Sheet] = true, time.Now()
			rev := x.rev
			p.ask(x, &exec.Job{Kind: exec.Sheet, Name: figure, Outcomes: x.shown(p, figure)}, calls.Shown, func(a *exec.Answer) {
				x.asking[exec.Sheet] = false
				x.sheet, x.sheetOf, x.figure, x.problem = a.Sheet, rev, figure, a.Error
			})
		}
		if !x.asking[exec.Tallies] && x.tallyOf != x.rev && !early(exec.Tallies, tallied) {
			x.asking[exec.Tallies], x.at[exec.Tallies] = true, time.Now()
			rev := x.rev
			p.ask(x, &exec.Job{Kind: exec.Tallies, Outcomes: x.shown(p, study.AllClaims)}, calls.Shown, func(a *exec.Answer) {
				x.asking[exec.Tallies] = false
				x.tallies, x.board, x.tallyOf = a.Tallies, a.Board, rev
			})
		}
	}
}

// shown are what is known about a figure, or about everything: of runs that were not made
// here what the site came with.
func (x *paper) shown(p *Papers, figure string) []study.Outcome {
	return x.outcomes(figure, func(r *paperRun) *study.Outcome {
		if r.known() {
			return r.outcome
		}
		return x.came(p, r)
	})
}

// outcomes are what of finds of a figure's runs, or of all; nil is nothing.
func (x *paper) outcomes(figure string, of func(*paperRun) *study.Outcome) (list []study.Outcome) {
	for i := range x.runs {
		if r := &x.runs[i]; r.serves(figure) {
			if o := of(r); o != nil {
				list = append(list, *o)
			}
		}
	}
	return list
}

func (r *paperRun) serves(figure string) bool {
	return figure == study.AllClaims || slices.Contains(r.Figures, figure)
}

// measured takes what came of a run.
func (p *Papers) measured(x *paper, r *paperRun, a *exec.Answer) {
	r.call, r.outcome, r.err, r.hash = nil, a.Outcome, a.Error, a.Hash
	clear(r.wanted)
	if !r.known() {
		r.err = "the worker answered something else"
	}
	x.rev++
	p.feed()
	if p.took == 0 && !p.Active() {
		p.took = time.Since(p.begun)
	}
}

// source returns the setup of a run: with the original of its workload if the
// opened files have it, else the bundled one that stands in for it.
func (p *Papers) source(x *paper, r *study.Run) (set string, files int, rebuilt bool) {
	f := p.files
	if p.room.Info.Entry == "" || r.Workload == "" || f.Opening {
		return r.Set, 0, x.outline.Standing != ""
	}
	var best *lab.Entry
	for i := range f.Entries {
		if e := &f.Entries[i]; e.Is == r.Workload && e.Error == "" && (best == nil || e.Set == "" && best.Set != "") {
			best = e
		}
	}
	if best == nil {
		return r.Set, 0, x.outline.Standing != ""
	}
	return r.Set + " " + knob.Join([]knob.Pair{{Key: p.room.Info.Entry, Text: best.Name}}, " "), f.Number, false
}

// filesChanged forgets what was known about workloads that are now others.
func (p *Papers) filesChanged() {
	for _, x := range p.list {
		for i := range x.runs {
			r := &x.runs[i]
			if set, files, _ := p.source(x, &r.Run); (r.known() || r.call.Active()) && r.source != fmt.Sprint(set, files) {
				r.stop()
				r.outcome, r.err = nil, ""
			}
		}
		x.rev++
	}
	p.Rev++
	p.feed()
}

// Run reproduces a figure, by its full name; what is known is not run again. A
// paper's claims reproduce everything in it.
func (p *Papers) Run(name string) {
	x, figure := p.split(name)
	if x == nil || x.outline == nil {
		return
	}
	idle := !p.Active()
	for i := range x.runs {
		r := &x.runs[i]
		if !r.serves(figure) {
			continue
		}
		r.err = "" // try again
		if !r.known() {
			r.wanted[figure] = true
		}
	}
	if idle && p.Active() {
		p.begun, p.took = time.Now(), 0
	}
	p.Rev++
	p.feed()
	p.refresh()
}

// Cancel stops what only this figure waits for; of a paper's claims, everything.
func (p *Papers) Cancel(name string) {
	x, figure := p.split(name)
	if x == nil {
		return
	}
	for i := range x.runs {
		r := &x.runs[i]
		if figure == study.AllClaims {
			clear(r.wanted)
		}
		delete(r.wanted, figure)
		if len(r.wanted) == 0 {
			r.stop()
		}
	}
	p.Rev++
	p.feed()
	p.sheets()
}

// Forget drops what is known about a figure, so that it can be run again; others
// that share its runs lose them too.
func (p *Papers) Forget(name string) {
	p.Cancel(name)
	x, figure := p.split(name)
	if x == nil {
		return
	}
	for i := range x.runs {
		if r := &x.runs[i]; r.serves(figure) {
			r.stop()
			r.outcome, r.err = nil, ""
			clear(r.wanted)
		}
	}
	x.rev++
	p.Rev++
	p.refresh()
}

// stop ends the run's job, if it has one. The run stays wanted.
func (r *paperRun) stop() {
	calls.Stop(r.call)
	r.call = nil
}

// feed hands wanted runs to the workers.
func (p *Papers) feed() {
	if p.files.Opening {
		return
	}
	busy := 0
	for _, x := range p.list {
		for i := range x.runs {
			if x.runs[i].call.Active() {
				busy++
			}
		}
	}
	for _, x := range p.list {
		for _, i := range x.order {
			if busy >= calls.MostAtOnce {
				return
			}
			r := &x.runs[i]
			if len(r.wanted) == 0 || r.call.Active() || r.known() {
				continue
			}
			set, files, rebuilt := p.source(x, &r.Run)
			j := &exec.Job{Kind: exec.Measure, Setup: set, System: r.System, Files: files, Name: r.Name, Rebuilt: rebuilt, Hash: files == 0}
			r.call = p.ask(x, j, calls.Behind, func(a *exec.Answer) { p.measured(x, r, a) })
			r.source, r.files = fmt.Sprint(set, files), files
			busy++
		}
	}
}

// Active reports whether any run waits or computes.
func (p *Papers) Active() bool {
	return slices.ContainsFunc(p.list, func(x *paper) bool {
		return slices.ContainsFunc(x.runs, func(r paperRun) bool { return len(r.wanted) > 0 })
	})
}

// Elapsed is how long the newest work has taken; 0 if there was none.
func (p *Papers) Elapsed() time.Duration {
	switch {
	case p.begun.IsZero():
		return 0
	case p.took > 0:
		return p.took
	}
	return time.Since(p.begun)
}

// A Progress says how far the runs of a figure, or of a paper, are.
type Progress struct {
	Runs, Known, Waiting, Errors int
	Error                        string // the first
	// Shipped are runs of which the site came with an outcome. Of these Confirmed said the
	// same here, and Differing something else: First is the name of the first of them.
	Shipped, Confirmed, Differing int
	First                         string
	done                          float64
}

// Percent is the progress from 0 to 100, which it is when every run is known.
func (s *Progress) Percent() int {
	switch s.Runs {
	case 0:
		return 0
	case s.Known:
		return 100
	}
	return min(99, int(100*(float64(s.Known)+s.done)/float64(s.Runs)))
}

// Standing tells about a figure by its full name, or about a paper's claims.
func (p *Papers) Standing(name string) Progress {
	var s Progress
	x, figure := p.split(name)
	if x == nil {
		return s
	}
	for i := range x.runs {
		r := &x.runs[i]
		if !r.serves(figure) {
			continue
		}
		s.Runs++
		s.confirm(x.came(p, r), r)
		switch {
		case r.err != "":
			s.Known++
			if s.Errors++; s.Error == "" {
				s.Error = r.err
			}
		case r.known():
			s.Known++
		case r.wanted[figure]:
			s.Waiting++
			s.done += r.call.Part()
		}
	}
	return s
}

// A Verdict is a conclusion in words and a class that colors it.
type Verdict struct{ Text, Class string }

// Verdict concludes about a figure by its full name.
func (p *Papers) Verdict(name string) Verdict {
	s := p.Standing(name)
	switch {
	case s.Waiting > 0:
		return Verdict{fmt.Sprintf("%d of %d runs", s.Known, s.Runs), "busy"}
	case s.Errors > 0:
		return Verdict{fmt.Sprintf("%d runs failed", s.Errors), "bad"}
	}
	x, figure := p.split(name)
	t := x.tally(figure)
	switch {
	case t == nil || t.Known < t.Runs || t.Verdict == "" || t.Points+t.Claims == 0:
		if s.Known == 0 {
			return Verdict{"not run", "none"}
		}
		if t == nil || s.Known < s.Runs {
			return Verdict{fmt.Sprintf("%d of %d runs", s.Known, s.Runs), "none"}
		}
		if t.Known < t.Runs { // what came last is not compared yet
			return Verdict{"comparing", "busy"}
		}
		return Verdict{"run", "none"}
	case s.Runs == 0: // nothing here computes it
		return Verdict{t.Verdict, "none"}
	case figure == study.AllClaims:
		return Verdict{t.ClaimVerdict, class(t.ClaimsGood)}
	}
	return Verdict{t.Verdict, class(t.Good)}
}

func class(good bool) string {
	if good {
		return "ok"
	}
	return "warn"
}

// tally is what came out of a figure, or of everything; nil if not known.
func (x *paper) tally(figure string) *study.Tally {
	if x.outline == nil || len(x.tallies) != len(x.outline.Figures)+1 {
		return nil
	}
	for i := range x.outline.Figures {
		if x.outline.Figures[i].ID == figure {
			return &x.tallies[i]
		}
	}
	return &x.tallies[len(x.tallies)-1]
}

// An Item is a line in the list of what can be reproduced.
type Item struct {
	Name    string // full: "g10.14"
	Label   string // "Figure 14"; the title where its ID is no number
	Title   string // empty where the label has it
	Shown   bool
	Verdict Verdict
	Origin  string // where its numbers come from: "shipped"; empty if there are none
	Running bool
	Known   bool // nothing is left to run
	Empty   bool // nothing runs for it
	Percent int
}

// A View is one paper as the page lists it.
type View struct {
	lab.PaperInfo
	Outline *study.Outline // nil before it is there
	Problem string         // why it cannot be shown, or the first run that failed
	All     Item           // everything in it, and its claims
	Items   []Item
	Tally   *study.Tally // of everything; nil before anything is known
	Board   string       // how far all of it is off, as HTML; empty before anything is known
	Shown   bool         // a figure of it is
	// Have and Need say how many of its workloads the opened files hold; Need is 0
	// when it has none of its own.
	Have, Need int
	// Seconds is about how long it takes to run what is left of it here, whole; 0 if nobody knows.
	Seconds int
}

// Views returns the papers.
func (p *Papers) Views() []View {
	list := make([]View, len(p.list))
	for i, x := range p.list {
		v := View{PaperInfo: x.PaperInfo, Outline: x.outline, Problem: x.problem, Board: x.board}
		shown, _ := p.split(p.room.State.Figure)
		v.Shown = x == shown
		if x.outline != nil {
			for _, f := range x.outline.Figures {
				label, title := study.Label(f.ID), f.Title
				if label == "" {
					label, title = title, ""
				}
				v.Items = append(v.Items, p.item(x, f.ID, label, title))
			}
			v.All = p.item(x, study.AllClaims, "Claims", "The numbers in the text")
			v.Tally = x.tally(study.AllClaims)
			v.Have, v.Need = p.originals(x)
			s := p.Standing(v.All.Name)
			v.Seconds = int(p.left(x, &s) + 0.5)
			if s.Differing > 0 {
				v.Problem = s.differs()
			}
			if s.Error != "" {
				v.Problem = fmt.Sprintf("%d runs failed. The first: %s", s.Errors, s.Error)
			}
		}
		list[i] = v
	}
	return list
}

func (p *Papers) item(x *paper, figure, label, title string) Item {
	name := x.Key + "." + figure
	s := p.Standing(name)
	return Item{
		Origin: s.origin(),
		Name:   name, Label: label, Title: title, Shown: p.Shown() == name, Verdict: p.Verdict(name),
		Running: s.Waiting > 0, Known: s.Known == s.Runs && s.Errors == 0, Empty: s.Runs == 0, Percent: s.Percent(),
	}
}

// originals counts the workloads that the opened files hold, of those that stand
// in for others.
func (p *Papers) originals(x *paper) (have, need int) {
	if x.outline.Standing == "" {
		return 0, 0
	}
	seen := map[string]bool{}
	for i := range x.runs {
		if r := &x.runs[i]; r.Workload != "" && !seen[r.Workload] {
			seen[r.Workload] = true
			if _, _, rebuilt := p.source(x, &r.Run); !rebuilt {
				have++
			}
		}
	}
	return have, len(seen)
}

// Sheet is what is known of the shown figure; nil before it is there.
func (p *Papers) Sheet() *study.Sheet {
	x, figure := p.split(p.room.State.Figure)
	if x == nil || x.sheet == nil || x.sheet.Figure != figure {
		return nil
	}
	return x.sheet
}

// Show shows a figure by its full name.
func (p *Papers) Show(name string) {
	p.room.State.Figure, p.Row = name, 0
	p.Rev++
	p.refresh()
}

// OpenLine shows the run behind a row of the paper's figure that is shown, as it
// was published, with the system in focus.
func (p *Papers) OpenLine(i int) {
	s := p.Sheet()
	if s == nil || i < 0 || i >= len(s.Rows) {
		return
	}
	line := &s.Rows[i]
	u, err := p.room.Info.Read(line.Set)
	if err != nil {
		p.room.Warn(err)
		return
	}
	p.room.State.View = state.Explore
	p.room.Change("", func() {
		p.room.State.Setup = u
		clear(p.room.Drafts)
		if !slices.Contains(p.room.State.On, line.System) {
			p.room.State.Toggle(p.room.Info, line.System)
		}
		_ = p.room.State.Look.Set(state.FocusKey, line.System) // one of the laboratory's
	})
}
