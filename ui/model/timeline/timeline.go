// Package timeline is the view of one run over time: which run it is about, and who computes
// it. What happened goes to the page's canvas as it is; nobody here reads it.
package timeline

import (
	"strconv"
	"strings"

	"spillway/sim/prose"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/model/files"
	"spillway/ui/model/results"
	"spillway/ui/model/runs"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// A Timeline is the run that is shown over time.
type Timeline struct {
	// Columns is the job whose columns are shown, 0 if none are; Part that whose columns are
	// those of a window of them, in which there is more to see, 0 if none are.
	Columns, Part int

	room  *workspace.Workspace
	files *files.Files
	runs  *runs.Runs
	desk  *calls.Desk

	of      results.Run // what is shown or computed
	call    *calls.Call
	window  *calls.Call
	against string // that stands beside
	byTime  bool
	says    string // of what is shown
	word    string // by which the two can be linked
	alone   string // why no other stands beside
	title   string // of its system
	problem string // why there is nothing to show
	stopped bool   // somebody cancelled it
}

// New returns the timeline of a laboratory, which is computed when somebody looks.
func New(w *workspace.Workspace, f *files.Files, r *runs.Runs, d *calls.Desk) *Timeline {
	return &Timeline{room: w, files: f, runs: r, desk: d}
}

// Follow asks for what the view lacks, and stops what it needs no longer.
func (t *Timeline) Follow() {
	if t.room.State.View != state.Timeline || !t.room.Info.Timed {
		t.Rest()
		return
	}
	if t.runs.Blocked() != "" {
		t.Rest()
		t.problem = t.runs.Blocked()
		return
	}
	of := results.Run{Setup: t.files.Runs(), System: t.room.Focus(), Files: t.files.NumberNow()}
	if t.of == of && t.against == t.Against() && t.byTime == t.room.State.ByTime {
		return
	}
	calls.Stop(t.call, t.window)
	t.of, t.against, t.byTime, t.problem, t.stopped = of, t.Against(), t.room.State.ByTime, "", false
	system, err := t.room.Info.System(of.System)
	if err != nil {
		t.problem = prose.Capital(err.Error()) + "."
		return
	}
	j := t.job(lab.Window{})
	j.Against, j.ByTime = t.against, t.byTime
	t.call = t.desk.Start(j, calls.Shown, func(a *exec.Answer) {
		t.call = nil
		t.Columns, t.Part, t.says, t.word, t.alone, t.title = 0, 0, "", "", "", system.Title
		if problem := a.Error + strings.Join(a.Problems, "; "); problem != "" {
			t.problem = prose.Capital(strings.TrimSuffix(problem, ".")) + "."
		} else {
			t.Columns, t.says, t.word, t.alone = a.ID, a.Timeline.Says, a.Timeline.Word, a.Timeline.Alone
		}
		t.room.Rev++
	})
}

// job asks for a window of what is shown.
func (t *Timeline) job(w lab.Window) *exec.Job {
	return &exec.Job{Kind: exec.Timeline, Setup: t.of.Setup, System: t.of.System, Files: t.of.Files, Window: w}
}

// Look asks for all that happens from a tick to another, where the run has too much of it to be
// at hand.
func (t *Timeline) Look(from, to int64) {
	if t.Columns == 0 || t.call.Active() {
		return
	}
	calls.Stop(t.window)
	t.window = t.desk.Start(t.job(lab.Window{From: from, To: to}), calls.Shown, func(a *exec.Answer) {
		if a.Error == "" {
			t.Part = a.ID
		}
	})
}

// Rest stops what is computed.
func (t *Timeline) Rest() {
	if t.call.Active() {
		t.of = results.Run{}
	}
	calls.Stop(t.call, t.window)
}

// Cancel stops what is computed until somebody asks again.
func (t *Timeline) Cancel() {
	calls.Stop(t.call)
	t.stopped = true
	t.room.Draw()
}

// Again asks anew.
func (t *Timeline) Again() {
	t.of = results.Run{}
	t.room.Refresh()
}

// Busy reports whether a run is computed.
func (t *Timeline) Busy() bool { return t.call.Active() }

// Percent is how much of it is done.
func (t *Timeline) Percent() int { return int(100 * t.call.Part()) }

// Waits says what is computed, and how far that is.
func (t *Timeline) Waits() string {
	if !t.Busy() {
		return ""
	}
	text := "Running " + t.Title() + " again, noting what happens…"
	if n := t.Percent(); n > 0 {
		text += " " + strconv.Itoa(n) + " %"
	}
	return text
}

// Title names the system that is in focus.
func (t *Timeline) Title() string {
	if s, err := t.room.Info.System(t.room.Focus()); err == nil {
		return s.Title
	}
	return ""
}

// Of names the system that is shown.
func (t *Timeline) Of() string { return t.title }

// Says is what the time of the run that is shown goes to.
func (t *Timeline) Says() string { return t.says }

// Alone says why no other run stands beside; nothing if one does, or nobody asked.
func (t *Timeline) Alone() string { return t.alone }

// Word is what both runs that are shown do as often, so that they can be linked by it; empty if
// nothing is.
func (t *Timeline) Word() string { return t.word }

// ByTime reports whether two runs are linked by time.
func (t *Timeline) ByTime() bool { return t.room.State.ByTime }

// Against is the system that stands beside, empty if none that is compared does.
func (t *Timeline) Against() string {
	if !t.room.Compares(t.room.State.Against) {
		return ""
	}
	return t.room.State.Against
}

// SetAgainst draws another system beside, or none, linked by time or by progress.
func (t *Timeline) SetAgainst(system string, byTime bool) {
	t.room.State.Against, t.room.State.ByTime, t.room.State.At = system, byTime, ""
	t.room.Refresh()
}

// Stale reports whether what is shown is of other settings than those that are computed.
func (t *Timeline) Stale() bool { return t.Columns != 0 && t.Busy() }

// Stopped reports whether somebody cancelled what was computed.
func (t *Timeline) Stopped() bool { return t.stopped && !t.Busy() }

// Empty says why there is nothing to see; nothing if there is, or will be.
func (t *Timeline) Empty() string {
	switch {
	case !t.room.Info.Timed:
		return "Nothing happens over time in this laboratory. Explore shows all of it: how much fits, and what that costs."
	case t.Busy():
		return ""
	case t.problem != "":
		return t.problem
	case t.Stopped() && t.Columns == 0:
		return "Cancelled."
	}
	return ""
}

// SetAt notes the part that is shown. That is no change of settings: there is nothing to undo.
func (t *Timeline) SetAt(text string) {
	if t.room.State.ReadAt(text) != nil {
		t.room.State.At = ""
	}
}

// Open shows the system with a title, or that in focus, from a place on that a chart of Explore leads
// to. Charts elsewhere are of other runs.
func (t *Timeline) Open(title, at string) {
	if t.room.State.View != state.Explore {
		return
	}
	for i := range t.room.Info.Systems {
		if s := &t.room.Info.Systems[i]; s.Title == title {
			_ = t.room.State.Look.Set(state.FocusKey, s.Name) // it is one of the systems
		}
	}
	t.room.State.Against = ""
	t.SetAt(at)
	t.room.SetView(state.Timeline)
}

// At is the part that is to be shown first.
func (t *Timeline) At() string { return t.room.State.At }
