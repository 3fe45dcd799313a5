package runs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spillway/sim/order"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/model/calls"
	"spillway/ui/model/files"
	"spillway/ui/model/form"
	"spillway/ui/model/results"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// Runs are the systems of a laboratory, each with how it stands.
type Runs struct {
	List []Run
	// Problems is what contradicts in the settings, so that nothing can run.
	Problems []string
	remedies []string // as setup texts
	Remedies Remedies
	// Baseline is what they are compared with.
	Baseline *Baseline
	caveat   string // when nothing was computed last
	words

	room  *workspace.Workspace
	files *files.Files
	form  *form.Form
	store *results.Store
	asker *results.Asker

	begun     time.Time // when the newest run was asked for whose last result is shown
	problemOf string    // the setup that Problems is about
	opened    int       // sets of files then: what is known is of others when more are
	settled   []func()  // are told when a run has ended
	doubts    doubts
	floor     *floor
}

// New returns the runs of a laboratory, none of which has begun.
func New(w *workspace.Workspace, f *files.Files, g *form.Form, s *results.Store) *Runs {
	r := &Runs{room: w, files: f, form: g, store: s, asker: s.Asker(calls.Shown)}
	r.asker.Told, r.asker.Ended = w.Draw, r.ended
	r.doubts = doubtsOf(r, s)
	r.floor = newFloor(r)
	for k := range w.Info.Systems {
		r.List = append(r.List, Run{System: &w.Info.Systems[k]})
	}
	r.Baseline, r.words, r.Remedies = newBaseline(r), words{r}, Remedies{r}
	return r
}

// Settled has f called when a run has ended, and nothing else has changed.
func (r *Runs) Settled(f func()) { r.settled = append(r.settled, f) }

// Nothing reports whether what is shown cannot be run by any system.
func (r *Runs) Nothing() bool {
	return r.form.Latest != nil && r.form.Latest.Nothing && r.room.Entry() != ""
}

// Blocked says why nothing can run now, empty if it can.
func (r *Runs) Blocked() string {
	switch bad := len(r.form.Wrong()); {
	case bad == 1:
		return "One setting is not valid. Correct it to run." + r.shownMeanwhile()
	case bad > 1:
		return fmt.Sprintf("%d settings are not valid. Correct them to run.", bad) + r.shownMeanwhile()
	case len(r.Problems) > 0:
		return r.room.Info.ContradictionHelp + r.shownMeanwhile() + " " + prose.Sentences(r.Problems)
	case r.files.Lost() && r.files.Opening:
		return "Files are being read."
	case r.files.Lost():
		if len(r.files.Remembered) > 0 {
			return fmt.Sprintf("After a reload the page no longer has your files. Drop %s again.", files.Describe(r.files.Remembered))
		}
		if e := r.files.Entry(); e != nil {
			return fmt.Sprintf("%s cannot be run: %s. Choose another of the opened files, or drop the file or folder that holds %q.", e.Name, strings.TrimSuffix(e.Error, "."), e.Name)
		}
		if r.files.Number > 0 {
			return fmt.Sprintf("The opened files have no %q. Choose what they have, or drop the file or folder that holds %q.", r.room.Entry(), r.room.Entry())
		}
		return fmt.Sprintf("This link is about a file. Drop the file or folder that holds %q on the page.", r.room.Entry())
	}
	return ""
}

// shownMeanwhile says what the charts show while the settings cannot run.
func (r *Runs) shownMeanwhile() string {
	if slices.ContainsFunc(r.List, func(x Run) bool { return x.On && x.Report != nil }) {
		return " The charts show the last valid settings."
	}
	return ""
}

// learn takes a report, which says what its system is called: cards, charts and messages have it from here.
func (r *Runs) learn(x *Run, rep *report.Report) {
	if s, err := r.room.Info.System(x.System.Name); err == nil {
		x.Report, x.System = rep, s.As(rep)
	}
}

// of is the run of a system with what is shown.
func (r *Runs) of(system string) results.Run {
	return results.Run{Setup: r.files.Runs(), System: system, Files: r.files.NumberNow()}
}

// Follow starts what the state asks for and is neither known nor under way, and
// stops what it no longer asks for.
func (r *Runs) Follow() {
	if r.opened != r.files.Opened {
		r.opened = r.files.Opened
		r.store.ForgetReports() // what files mean has changed
	}
	if setup := r.room.State.Setup.String(); r.problemOf != setup {
		r.Problems, r.remedies, r.problemOf = nil, nil, setup
	}
	if r.doubts.of != "" && r.doubts.of != r.comparedNow() {
		r.stopDoubts()
	}
	blocked := r.Blocked() != "" || r.room.State.View != state.Explore
	var wanted []results.Run
	var start []*Run
	for i := range r.List {
		x := &r.List[i]
		x.On = slices.Contains(r.room.State.On, x.System.Name)
		of := r.of(x.System.Name)
		if x.Active() && (blocked || !x.On || x.of != of) {
			x.Want, x.of = nil, results.Run{}
		}
		switch {
		case !x.On, !x.Active() && x.of == of && (x.Cancelled || !x.Stale):
		case x.Active():
			wanted = append(wanted, of)
		case blocked:
			x.Stale = x.of != of
		default:
			if known := r.store.Report(of); known != nil {
				x.of, x.Error, x.Cancelled, x.Stale = of, "", false, false
				r.learn(x, known)
				r.form.Latest = known
				break
			}
			wanted, start = append(wanted, of), append(start, x)
		}
	}
	for _, x := range start {
		r.begin(x)
	}
	order.Stable(wanted, func(a, b results.Run) int { return r.store.Cheaper(a.System, b.System) })
	r.asker.Wants(wanted)
	for _, x := range start {
		x.Want = r.asker.Want(x.of)
	}
	r.floor.follow(blocked)
}

// begin says that a run is asked for.
func (r *Runs) begin(x *Run) {
	if x.Report != nil { // else there is nothing that could stand meanwhile
		r.begun = time.Now()
	}
	x.of, x.Stale, x.Cancelled = r.of(x.System.Name), x.Report != nil || x.Error != "", false
}

// want tells the store which runs are waited for, after some have been given up.
func (r *Runs) want() {
	var list []results.Run
	for i := range r.List {
		if x := &r.List[i]; x.Active() {
			list = append(list, x.of)
		}
	}
	r.asker.Wants(list)
}

// Rest stops what is under way in a laboratory that is left.
func (r *Runs) Rest() {
	for i := range r.List {
		if x := &r.List[i]; x.Active() {
			x.Want, x.of = nil, results.Run{}
		}
	}
	r.want()
	r.stopDoubts()
	r.floor.forget()
}

// ended takes what came of runs.
func (r *Runs) ended(list []*results.Want) {
	for _, w := range list {
		at := slices.IndexFunc(r.List, func(x Run) bool { return x.Want == w })
		if at >= 0 {
			r.ran(&r.List[at], w.Result)
		}
	}
	r.room.Draw()
}

// ran takes what came of a run.
func (r *Runs) ran(x *Run, a *results.Result) {
	r.room.Rev++
	x.Want = nil
	if r.Remedies.yield(a.Remedies) {
		return
	}
	if len(a.Problems) > 0 {
		r.remedies = a.Remedies
		r.Problems, r.problemOf = a.Problems, r.room.State.Setup.String()
		x.Stale, x.of = true, results.Run{}
		r.room.Refresh()
		return
	}
	x.Stale, x.Error, x.remedies = false, a.Error, a.Remedies
	r.learn(x, a.Report)
	if a.Report != nil {
		r.form.Latest = a.Report
	}
	for _, f := range r.settled {
		f()
	}
}

// grace is how long what was drawn before stands while new runs are under way:
// most are done by then, and are drawn once.
const grace = 700 * time.Millisecond

// Settling reports whether runs have begun so lately that all their results may be
// there in a moment.
func (r *Runs) Settling() bool { return r.Active() && time.Since(r.begun) < grace }

// About describes what runs, and Origin where it came from; empty before the
// first report.
func (r *Runs) About() (about, origin string) {
	if r.form.Latest == nil {
		return "", ""
	}
	return r.form.Latest.About, r.form.Latest.Origin
}

// Active reports whether anything waits or computes.
func (r *Runs) Active() bool {
	return slices.ContainsFunc(r.List, func(x Run) bool { return x.Active() })
}

// Cancel stops everything that runs.
func (r *Runs) Cancel() {
	for i := range r.List {
		if x := &r.List[i]; x.Active() {
			x.Want, x.Cancelled = nil, true
		}
	}
	r.floor.cancel()
	r.want()
	r.room.Rev++
}

// RunAgain starts what was cancelled or failed, the baseline's runs too.
func (r *Runs) RunAgain() {
	for i := range r.List {
		if x := &r.List[i]; x.again() {
			x.of, x.Error = results.Run{}, ""
		}
	}
	r.floor.forget()
	r.Baseline.forget()
	r.room.Refresh()
}

// again reports whether the run was cancelled or failed.
func (r *Run) again() bool { return r.On && !r.Active() && (r.Cancelled || r.Error != "") }

// CanRunAgain reports whether something was cancelled or failed.
func (r *Runs) CanRunAgain() bool {
	return r.Baseline.again() || slices.ContainsFunc(r.List, func(x Run) bool { return x.again() })
}
