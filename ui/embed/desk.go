package embed

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/ui/chart"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
)

// The most that a question may have; public/embed.js has the same.
const (
	mostLink    = 16384
	mostText    = 1024
	mostKey     = 64
	mostValues  = 64
	mostOnly    = 32
	mostFields  = 256
	mostWaiting = 64
	mostAlong   = 1024 // sets that are done at once
)

// A Question is a message to the frame, taken apart.
type Question struct {
	ID      int    // that embed.js gave it
	Type    string // "set", "run" or "get"
	Link    string // to show first; empty: as it is
	HasLink bool   // an empty link is one, too
	Values  []knob.Pair
	Only    []string
	Fields  []string
	Theme   string

	along []Question // sets behind this one, which are done with it
}

// An Answer is what the frame says to a question: exactly one of Result, State and
// Code is there.
type Answer struct {
	ID            int
	Result        *Result
	State         *State
	Code, Message string // of an error
}

// setting is the type of a question that sets something and asks for no result.
const setting = "set"

// The codes of errors that a desk gives.
const (
	badType  = "type"
	badLimit = "limit"
	badValue = "value"
	badOnly  = "only"
	badLab   = "lab"
	busy     = "busy"
)

// A Stage is the program that a desk works for.
type Stage interface {
	// Begin makes the session of an engine, which has none before somebody asks.
	Begin(fragment string) *session.Session
	// Idle reports whether no job is under way.
	Idle() bool
	// Draw returns a chart as an SVG in a theme, for a link.
	Draw(v *chart.View, theme, link string) string
}

// A Handler answers questions one after the other.
type Handler struct {
	options *Options
	program Stage
	session *session.Session // nil before an engine's first question
	opening string           // the fragment of the frame's address
	queue   []Question
	state   phase // of the first in the queue
	lab     string
}

// A phase is how far a question is.
type phase uint8

const (
	fresh   phase = iota
	opened        // its link is on its way
	running       // its settings stand, what they need is under way
	started       // also what nobody starts by himself in the page
)

// NewDesk returns a desk for a session, nil in an engine: then one begins with the
// first question, with that question's link or the frame's own.
func NewDesk(o *Options, n *session.Session, opening string, s Stage) *Handler {
	return &Handler{options: o, program: s, session: n, opening: opening}
}

// Ask puts a question behind those that wait. If it cannot be one, it returns the
// answer to it.
func (d *Handler) Ask(q *Question) *Answer {
	if code, text := q.check(); code != "" {
		return &Answer{ID: q.ID, Code: code, Message: text}
	}
	if d.joins(q) {
		last := &d.queue[len(d.queue)-1]
		last.along = append(last.along, *q)
		return nil
	}
	if len(d.queue) >= mostWaiting {
		return &Answer{ID: q.ID, Code: busy, Message: fmt.Sprintf("%d questions wait already", len(d.queue))}
	}
	q.Link = q.Link[strings.IndexByte(q.Link, '#')+1:] // of an address its fragment
	d.queue = append(d.queue, *q)
	return nil
}

// joins reports whether a question only sets something behind others that do and were not begun with:
// only what the last of them says is then computed.
func (d *Handler) joins(q *Question) bool {
	n := len(d.queue)
	if q.Type != setting || q.HasLink || n == 0 || n == 1 && d.state != fresh {
		return false
	}
	last := &d.queue[n-1]
	return last.Type == setting && len(last.along) < mostAlong
}

// values are those of a question with what is done along with it: of several for a key the last.
func (q *Question) values() (list []knob.Pair) {
	put := func(p knob.Pair) {
		list = append(slices.DeleteFunc(list, func(x knob.Pair) bool { return x.Key == p.Key }), p)
	}
	for _, p := range q.Values {
		put(p)
	}
	for i := range q.along {
		for _, p := range q.along[i].Values {
			put(p)
		}
	}
	return list
}

// check says what is wrong with a question, "" if nothing.
func (q *Question) check() (code, text string) {
	if q.Type != setting && q.Type != "run" && q.Type != "get" {
		return badType, fmt.Sprintf("there are no messages of the type %.40q", q.Type)
	}
	long := func(list []string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return len(s) > mostKey })
	}
	switch {
	case len(q.Link) > mostLink:
		return badLimit, fmt.Sprintf("the link has %d bytes, more than %d", len(q.Link), mostLink)
	case len(q.Values) > mostValues, len(q.Only) > mostOnly, len(q.Fields) > mostFields, long(q.Only), long(q.Fields):
		return badLimit, fmt.Sprintf("at most %d values, %d charts and %d fields, with keys of at most %d bytes", mostValues, mostOnly, mostFields, mostKey)
	}
	for _, p := range q.Values {
		if len(p.Key) > mostKey || len(p.Text) > mostText {
			return badLimit, fmt.Sprintf("the value of %.40q is too long: at most %d bytes", p.Key, mostText)
		}
	}
	return "", ""
}

// Drop forgets what waits and stops what runs.
func (d *Handler) Drop() {
	d.queue, d.state = nil, fresh
	if d.session == nil || d.session.Laboratory == nil {
		return
	}
	r := d.session.Laboratory
	r.Runs.Cancel()
	r.Question.Cancel()
	if name := r.Papers.Shown(); name != "" {
		r.Papers.Cancel(name)
	}
}

// Step goes on with the questions and returns the answers that are ready. It is to
// be called whenever something has happened.
func (d *Handler) Step() (answers []Answer) {
	for len(d.queue) > 0 {
		q := &d.queue[0]
		a := d.step(q)
		if a == nil {
			return answers
		}
		if a.Code == badValue && len(q.along) > 0 { // each by itself, as one of them cannot be
			apart := append([]Question{*q}, q.along...)
			apart[0].along = nil
			d.queue, d.state = append(apart, d.queue[1:]...), fresh
			d.queue[0].HasLink = false // it is shown
			continue
		}
		along := q.along
		a.ID = q.ID
		answers = append(answers, *a)
		for i := range along {
			b := *a
			b.ID = along[i].ID
			answers = append(answers, b)
		}
		d.queue, d.state = d.queue[1:], fresh
	}
	return answers
}

// step goes on with one question; nil if it has to wait.
func (d *Handler) step(q *Question) *Answer {
	if d.state == fresh {
		d.open(q)
		d.state = opened
	}
	n := d.session
	if d.state == opened {
		if n.Wanted() != d.lab {
			return &Answer{Code: badLab, Message: n.Notice}
		}
		if n.Laboratory == nil || n.Info.Name != d.lab {
			return nil // its description is on its way
		}
		if err := n.SetAll(q.values()); err != nil {
			return &Answer{Code: badValue, Message: strings.ReplaceAll(err.Error(), "\n", "; ")}
		}
		d.state = running
		if q.Type == "run" && n.Runs.CanRunAgain() {
			n.Runs.RunAgain()
		}
	}
	if q.Type != "run" {
		return d.settings(q)
	}
	if !d.program.Idle() {
		return nil
	}
	if d.state == running {
		d.state = started
		Kick(d.session)
		if !d.program.Idle() {
			return nil
		}
	}
	return d.result(q)
}

// open shows the question's link, if it has one.
func (d *Handler) open(q *Question) {
	switch {
	case d.session == nil && q.HasLink:
		d.session = d.program.Begin(q.Link)
	case d.session == nil:
		d.session = d.program.Begin(d.opening)
	case q.HasLink:
		d.session.Visit(q.Link)
	}
	d.lab = d.session.Wanted()
}

// Kick runs what in the page may wait for a button: a paper's figure, and the runs
// of a question.
func Kick(n *session.Session) {
	switch n.State.View {
	case state.Reproduce:
		n.Papers.Run(n.Papers.Shown())
	case state.WhatIf:
		n.Question.Run()
	}
}
