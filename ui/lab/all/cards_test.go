package all_test

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/sweep"
	"spillway/ui/lab"
	labs "spillway/ui/lab/all"
	"spillway/ui/model/link"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
)

// mostOfCard is how much work a card may be: some ten seconds of one worker. What to buy tries every product, with progress
// and a way to stop it: three times as much.
const (
	mostOfCard   = 4_000_000
	mostOfBuying = 3 * mostOfCard
)

// A laboratory has six questions, or none yet, all different, and each can be asked of what
// it opens on: every value may be set, and the answer takes seconds.
func TestCards(t *testing.T) {
	for _, door := range labs.Labs {
		l := door.New()
		if n := len(l.Cards); n != 6 && n != 0 {
			t.Errorf("%s: %d cards", l.Name, len(l.Cards))
		}
		var asked []string
		for i := range l.Cards {
			c := &l.Cards[i]
			if !strings.HasSuffix(c.Question, "?") || c.About == "" || slices.Contains(asked, c.Question) {
				t.Errorf("%s: %q, %q", l.Name, c.Question, c.About)
			}
			asked = append(asked, c.Question)
			card(t, &l, c)
		}
	}
}

func card(t *testing.T, l *lab.Lab, c *lab.Card) {
	pairs, err := knob.Pairs("view=whatif " + c.Ask)
	if err != nil {
		t.Fatalf("%s, %s: %v", l.Name, c.Question, err)
	}
	s, err := link.Read(&l.Info, pairs)
	if err != nil {
		t.Fatalf("%s, %s: %v", l.Name, c.Question, err)
	}
	if ask := s.Ask.Pairs(); len(ask) == 0 || s.Ask.Text(state.AskKey) == state.Vary && s.Ask.Text(state.ValuesKey) == "" {
		t.Errorf("%s, %s: what is asked is left open: %v", l.Name, c.Question, ask)
	}
	n := session.New([]session.Tab{{Name: l.Name, Title: l.Title}}, "", deaf{})
	n.Enter(&l.Info, "")
	n.Change("", func() { n.State.View, n.State.Ask = state.WhatIf, s.Ask })
	if p := n.Question.Problem(); p != "" {
		t.Errorf("%s, %s: %s", l.Name, c.Question, p)
	}
	g := sweep.Grid{Base: n.State.Setup, Systems: n.State.On}
	for _, x := range n.Question.Axes() {
		if key := x.Knob.Key; key == n.Info.Say.Seed && key != "" || strings.Contains(x.Knob.Label, "Seed") || x.Knob.Label == "Instructions" {
			t.Errorf("%s, %s: varies %s", l.Name, c.Question, x.Knob.Label)
		}
		if x.Knob.Zero != "" && slices.Contains(x.Texts, "0") {
			t.Errorf("%s, %s: %s 0 is %s", l.Name, c.Question, x.Knob.Label, x.Knob.Zero)
		}
		if n.State.Setup.Hidden(x.Knob.Key) {
			t.Errorf("%s, %s: %s is not shown", l.Name, c.Question, x.Knob.Label)
		}
		g.Axes = append(g.Axes, sweep.Axis{Key: x.Knob.Key, Texts: x.Texts})
	}
	steps, most := 0, mostOfCard
	for i := range g.Len() {
		r := g.At(i)
		if r.Problem == "" {
			if err := l.Check(r.Setup); err != nil {
				r.Problem = err.Error()
			}
		}
		if r.Problem != "" {
			t.Errorf("%s, %s: %s", l.Name, c.Question, r.Problem)
			continue
		}
		k, err := l.Steps(r.Setup, r.System)
		if err != nil {
			t.Errorf("%s, %s, %s: %v", l.Name, c.Question, r.System, err)
		}
		steps += k
	}
	if s.Ask.Text(state.AskKey) == state.Buy { // each run is of about the same work
		steps, most = steps/len(n.State.On)*n.Question.Progress().All, mostOfBuying
	}
	if steps < 1 || steps > most {
		t.Errorf("%s, %s: %d steps of work", l.Name, c.Question, steps)
	}
}

func (deaf) Recorded(string) {}
func (deaf) Answered(string) {}
