package session

import (
	"slices"

	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/model/drawing"
	"spillway/ui/model/files"
	"spillway/ui/model/form"
	"spillway/ui/model/output"
	"spillway/ui/model/papers"
	"spillway/ui/model/proof"
	"spillway/ui/model/question"
	"spillway/ui/model/results"
	"spillway/ui/model/runs"
	"spillway/ui/model/saved"
	"spillway/ui/model/sections"
	"spillway/ui/model/state"
	"spillway/ui/model/timeline"
	"spillway/ui/model/tour"
	"spillway/ui/model/workspace"
)

// A Laboratory is one laboratory of a session: the visitor's work in it, and all that is
// shown of that. It has no more to do than to hold its parts together.
type Laboratory struct {
	*workspace.Workspace
	Results  *results.Store
	Files    *files.Files
	Form     *form.Form
	Proof    *proof.Proof
	Runs     *runs.Runs
	Baseline *runs.Baseline
	Drawing  *drawing.Drawing
	Question *question.Question
	Papers   *papers.Papers
	Saved    *saved.Saved
	Sections *sections.Sections
	Timeline *timeline.Timeline
	Output   *output.Output
	Tour     *tour.Tour

	arrival *arrival // how files came from another laboratory, nil if none did
}

// newLaboratory makes a laboratory of its parts. They follow what is changed in this order:
// what is shown asks first.
func newLaboratory(n *Session, i *lab.Info) *Laboratory {
	l := &Laboratory{}
	draw := func() {
		if n.Laboratory == l {
			n.changed = true
		}
	}
	desk := calls.NewDesk(n.calls, i.Name, draw)
	l.Workspace = workspace.New(i, draw, func(text string) { n.Notice = text })
	l.Results = results.NewStore(i.Name, n.calls)
	l.Files = files.New(l.Workspace, desk, &n.sets, n.check)
	l.Files.Elsewhere = func(o *files.Offered) { n.openElsewhere(i, o) }
	l.Form = form.New(l.Workspace, l.Files)
	l.Proof = proof.New(l.Workspace, desk)
	l.Runs = runs.New(l.Workspace, l.Files, l.Form, l.Results)
	l.Baseline = l.Runs.Baseline
	l.Drawing = drawing.New(l.Workspace, l.Form, l.Runs)
	l.Question = question.New(l.Workspace, l.Files, l.Form, l.Runs, l.Results, func() { n.host.Answered(i.Name) })
	l.Papers = papers.New(l.Workspace, l.Files, desk, func() string { return n.Version }, func() { n.host.Recorded(i.Name) })
	l.Saved = saved.New(l.Workspace, l.Files, l.Results, n.host)
	l.Sections = sections.New(l.Workspace, l.Files, l.Form, l.Runs, l.Results, desk)
	l.Timeline = timeline.New(l.Workspace, l.Files, l.Runs, desk)
	l.Output = output.New(l.Workspace, l.Files, l.Form, l.Runs, desk, func() string { return n.Version })
	l.Tour = tour.New(l.Workspace, l.Sections, l.Runs.Active)
	for _, f := range []func(){
		l.Proof.Follow, l.Runs.Follow, l.Files.Follow, l.Papers.Follow, l.Question.Follow, l.Saved.Follow, l.Baseline.Follow, l.Sections.Follow, l.Timeline.Follow,
	} {
		l.Follow(f)
	}
	return l
}

// New reports whether nothing has happened in the laboratory yet.
func (l *Laboratory) New() bool { return !l.CanUndo() && l.Form.Latest == nil }

// Show shows a state, as a step unless there is nothing to come back to; it reports whether
// that is so, and nobody has been told.
func (l *Laboratory) Show(s *state.State) (first bool) {
	s.Keep(&l.State)
	if l.New() {
		l.State = *s
		return true
	}
	if s.Setup.Equal(l.State.Setup) && slices.Equal(s.On, l.State.On) && s.Look.Equal(l.State.Look) && s.Ask.Equal(l.State.Ask) && s.SameRuns(&l.State) {
		l.State.View, l.State.Figure, l.State.Zoom, l.State.At, l.State.Against = s.View, s.Figure, s.Zoom, s.At, s.Against // no settings, so nothing to undo
		l.Refresh()
		return false
	}
	l.Change("", func() {
		l.State = *s
		clear(l.Drafts)
	})
	return false
}

// Rest stops what is under way in a laboratory that is left.
func (l *Laboratory) Rest() {
	l.Runs.Rest()
	l.Files.Pause()
	l.Question.Rest()
	l.Baseline.Rest()
	l.Saved.Rest()
	l.Sections.Rest()
	l.Timeline.Rest()
	l.Proof.Rest()
}
