// Package headless shows what a link says without a page: it runs everything that the
// page would run and hands over the session, whose room has the charts. The site's
// builder, the native command and the optional host use it.
package headless

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
)

// Show opens a link's fragment on a laboratory and does all of its runs, those of
// the figure of a paper too. Tabs may be nil; else they are the laboratories that a
// page would have. That a system cannot run something is a result. It is an error
// when the link cannot be read, is about another laboratory, contradicts itself or
// needs files, and when a run fails.
func Show(l lab.Lab, tabs []session.Tab, fragment string) (*session.Session, error) {
	return show(l, tabs, fragment, &host{bench: exec.Executor{Lab: l}})
}

// Open shows what a laboratory opens on and runs nothing: for those who want links.
func Open(l lab.Lab) (*session.Session, error) { return open(l, nil, "lab="+l.Name, &host{}) }

// Opening is Show for what a laboratory opens on, with what a page does when it rests, and
// returns what came of all jobs, too.
func Opening(l lab.Lab, tabs []session.Tab) (*session.Session, []exec.Known, error) {
	h := &host{bench: exec.Executor{Lab: l}, learns: true}
	n, err := show(l, tabs, "lab="+l.Name, h)
	if err == nil {
		n.Runs.Idle()
		err = h.work(n)
	}
	return n, h.known, err
}

// Card is what a laboratory opens on when it has asked one of the questions that are ready.
func Card(l lab.Lab, i int) (*session.Session, error) {
	h := &host{bench: exec.Executor{Lab: l}}
	n, err := open(l, nil, "lab="+l.Name, h)
	if err != nil {
		return nil, err
	}
	h.jobs = nil // what Explore shows
	n.SetView(state.WhatIf)
	n.Question.Ask(i)
	err = h.work(n)
	return n, err
}

// open shows a link; its jobs wait.
func open(l lab.Lab, tabs []session.Tab, fragment string, h *host) (*session.Session, error) {
	if tabs == nil {
		tabs = []session.Tab{{Name: l.Name, Title: l.Title, About: l.About}}
	}
	n := session.New(tabs, fragment, h)
	if h.wanted != l.Name {
		return nil, fmt.Errorf("the link is about the laboratory %q, not %q", h.wanted, l.Name)
	}
	info := l.Complete()
	n.Enter(&info, "")
	if n.Notice != "" {
		return nil, errors.New(strings.TrimSuffix(n.Notice, "."))
	}
	return n, nil
}

func show(l lab.Lab, tabs []session.Tab, fragment string, h *host) (*session.Session, error) {
	n, err := open(l, tabs, fragment, h)
	if err != nil {
		return nil, err
	}
	if err := h.work(n); err != nil {
		return nil, err
	}
	switch n.State.View {
	case state.WhatIf:
		n.Question.Run()
	case state.Reproduce:
		n.Papers.Run(n.Papers.Shown())
	}
	if len(h.jobs) > 0 {
		if err := h.work(n); err != nil {
			return nil, err
		}
	}
	return n, blocked(n)
}

// blocked says why not everything could run.
func blocked(n *session.Session) error {
	if len(n.Runs.Problems) > 0 {
		return errors.New(strings.Join(n.Runs.Problems, "; "))
	}
	if names := n.Saved.Lacking(); len(names) > 0 {
		return needs(names[0])
	}
	switch {
	case n.State.View == state.Reproduce:
	case n.Entry() != "":
		return needs(n.Entry())
	case n.Runs.Blocked() != "":
		return errors.New(strings.TrimSuffix(n.Runs.Blocked(), "."))
	}
	return nil
}

// A Failure is a run that broke off.
type Failure struct{ Run, Text string }

func (f *Failure) Error() string { return f.Run + ": " + f.Text }

func needs(entry string) error {
	return fmt.Errorf("the link is about a file, %q, which is not in it: open it in the page, or run it with file=", entry)
}

// A host does a session's jobs one after the other, with nobody looking.
type host struct {
	bench  exec.Executor
	files  []lab.File // opened
	jobs   []*exec.Job
	wanted string // the laboratory that the session asked for
	learns bool   // what came of jobs is kept
	known  []exec.Known
}

// work does jobs until there are none.
func (h *host) work(n *session.Session) error {
	for len(h.jobs) > 0 {
		j := h.jobs[0]
		h.jobs = h.jobs[1:]
		a := h.bench.Do(j, nil)
		if a.Error != "" {
			return &Failure{j.System + j.Name, a.Error}
		}
		if len(a.Problems) > 0 {
			return errors.New(strings.Join(a.Problems, "; "))
		}
		if a.Set != a.Of {
			h.bench.Open(a.Set, exec.Lent(a.Handed, h.files))
		}
		if h.learns {
			h.known = append(h.known, exec.Learn(j, &a))
		}
		n.Answer(&a)
	}
	return nil
}

func (h *host) Start(j *exec.Job, _ calls.Priority) { h.jobs = append(h.jobs, j) }

// Answered asks for nothing: whoever wants a card's answer asks it.
func (*host) Answered(string) {}

func (*host) Raise(int, calls.Priority) {}

func (h *host) Stop(ids []int) {
	h.jobs = slices.DeleteFunc(h.jobs, func(j *exec.Job) bool { return slices.Contains(ids, j.ID) })
}

// Recorded asks for nothing: what a headless page shows is computed.
func (h *host) Recorded(string) {}

func (h *host) Fetch(name string, _ bool) { h.wanted = name }
func (*host) Stored(string) string        { return "" }
func (*host) Store(string, string) bool   { return false }
