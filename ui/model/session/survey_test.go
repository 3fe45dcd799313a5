package session_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/bakery"
)

// grain is opened files with two sacks, of which a gas oven needs to know every
// grain.
type grain struct{ known []string }

const grains = 20 // parts of a sack

func (g *grain) Notes() []string { return []string{fmt.Sprintf("%d sacks are known", len(g.known))} }

func (g *grain) Entries() []lab.Entry {
	list := []lab.Entry{{Name: "rye"}, {Name: "spelt"}, {Name: "oats"}}
	for i := range list[1:] {
		e := &list[1+i]
		if !slices.Contains(g.known, e.Name) {
			e.Survey = &lab.Survey{Set: "oven=gas", Until: "oven=wood watts=1", Parts: grains, Bytes: 1000 * grains}
		}
	}
	return list
}

func (g *grain) Survey(entry string, part int, p lab.Progress) ([]byte, error) {
	p(500, 1000)
	return fmt.Appendf(nil, "%s %d,", entry, part), nil
}

func (g *grain) Join(entry string, found [][]byte) ([]byte, error) {
	for i, data := range found {
		if string(data) != fmt.Sprintf("%s %d,", entry, i) {
			return nil, fmt.Errorf("part %d is %q", i, data)
		}
	}
	return []byte(strings.Join(append(g.known, entry), " ")), nil
}

// mill is a bakery whose flour is surveyed.
func mill() lab.Lab {
	l := bakery.New()
	l.Accept = func(found []byte, _ []lab.File) (lab.Files, error) {
		return &grain{known: strings.Fields(string(found))}, nil
	}
	return l
}

// unknown reads flour of which no grain is known.
func unknown(_ *lab.Lab, files []lab.File) (lab.Files, error) {
	if files[0].Name == "stone" {
		return nil, errors.New("stone: a stone; want flour")
	}
	return &grain{}, nil
}

// miller shows a sack for a gas oven, before anything else was done.
func miller(t *testing.T) *host {
	t.Helper()
	h := hostOf(t, "v=2&lab=bakery&flour=spelt&oven=gas", nil, mill())
	h.benches["bakery"].Reader = unknown
	h.Open([]string{"sack"}, func(n, _ int) { h.benches["bakery"].Open(n, files("sack")) })
	h.do(exec.Open, exec.List)
	return h
}

// wantSurvey checks how far the survey of what is shown is.
func (h *host) wantSurvey(done int64, active bool) {
	h.Helper()
	s := h.Files.Survey()
	if s == nil || s.Done() != done || s.Active() != active || s.Percent() != int(100*done/s.Bytes) {
		h.Errorf("survey %+v; want %d done, active %t", s, done, active)
	}
}

// What needs a survey runs without it first, and again when it is done.
func TestSurvey(t *testing.T) {
	h := miller(t)
	runs, parts := h.open(exec.Run), h.open(exec.Survey)
	if len(runs) != 2 || runs[0].Setup != "dish=rye flour=spelt watts=1" || runs[0].Files != 1 {
		t.Fatalf("%+v", runs[0])
	}
	if len(parts) != 8 || runs[1].ID > parts[0].ID || !h.bulk[parts[0].ID] || h.bulk[runs[0].ID] {
		t.Errorf("%d parts under way", len(parts))
	}
	for i, j := range parts {
		if j.Portion != i || j.Entry != "spelt" || j.Files != 1 {
			t.Errorf("%+v", j)
		}
	}
	h.do(exec.Run)
	sample := h.run("oven").Report
	if sample == nil || h.run("oven").Stale || h.run("oven").Status() != "" {
		t.Errorf("%+v", h.run("oven"))
	}
	h.wantSurvey(0, true)
	h.Answer(&exec.Answer{ID: parts[3].ID, Done: 500, Total: 1000})
	h.wantSurvey(500, true)
	h.say(parts[3], exec.Answer{Data: []byte("spelt 3,")})
	h.wantSurvey(1000, true)
	if n := len(h.open(exec.Survey)); n != 8 {
		t.Errorf("%d parts are under way", n)
	}
	h.do(exec.Survey)
	h.wantSurvey(1000*grains, true)
	j := h.one(exec.Join)
	if j.Set != 2 || j.Files != 1 || len(j.Found) != grains || h.bulk[j.ID] {
		t.Errorf("%+v", j)
	}
	h.do()
	if h.Files.Survey() != nil || h.Files.Number != 2 || h.Entry() != "spelt" || !slices.Equal(h.Files.Notes, []string{"1 sacks are known"}) {
		t.Errorf("%+v", h.Files)
	}
	if r := h.run("oven"); r.Report == nil || r.Report == sample || r.RunState() != "done" || h.Runs.Blocked() != "" {
		t.Errorf("%+v", r)
	}
	again := 0
	for _, x := range h.jobs[slices.Index(h.jobs, j)+1:] {
		if x.Kind == exec.Run {
			again++
		}
		if x.Setup != "dish=rye flour=spelt oven=gas" || x.Files != 2 {
			t.Errorf("%+v", x)
		}
	}
	if again != 2 {
		t.Errorf("%d runs with what is known", again)
	}
	n := len(h.jobs)
	h.Files.Pick("oats") // another that needs one
	h.do()
	if h.Files.Survey() != nil || h.Files.Number != 3 || len(h.jobs) < n+grains {
		t.Errorf("%+v", h.Files)
	}
	n = len(h.jobs)
	h.Files.Pick("spelt") // it is known still
	h.do()
	if h.Files.Survey() != nil || slices.ContainsFunc(h.jobs[n:], func(j *exec.Job) bool { return j.Kind == exec.Survey }) {
		t.Error("it is gone through again")
	}
}

// What was found stays when a survey is cancelled, and it goes on from there.
func TestCancelSurvey(t *testing.T) {
	h := miller(t)
	for range 5 {
		j := h.open(exec.Survey)[0]
		h.say(j, exec.Answer{Data: fmt.Appendf(nil, "spelt %d,", j.Portion)})
	}
	h.wantSurvey(5000, true)
	h.Files.CancelSurvey()
	h.wantSurvey(5000, false)
	if s := h.Files.Survey(); !s.Cancelled || s.Left() != 0 || len(h.open(exec.Survey)) != 0 {
		t.Errorf("%+v", s)
	}
	h.do()
	if h.run("oven").RunState() != "done" || len(h.open()) != 0 {
		t.Error("what can be said without it was cancelled too")
	}
	ran := func(text string) bool { // setup and link in a file are of what ran
		text = strings.ReplaceAll(text, `\u0026`, "&")
		return strings.Contains(text, `"setup": "dish=rye flour=spelt watts=1"`) && strings.Contains(text, "&dish=rye&flour=spelt&watts=1&") && !strings.Contains(text, "oven=gas")
	}
	h.Laboratory.Output.Export("", func(text, problem string) {
		if problem != "" || !ran(text) {
			t.Errorf("%s\n%s", problem, text)
		}
	})
	h.Laboratory.Output.Bundle(nil, nil, func([]byte, string) {})
	h.do(exec.Carry, exec.Again)
	if o := h.one(exec.Bundle).Order; !ran(fmt.Sprintf(`"setup": %q, %s`, o.Redone[0].Setup, o.Link)) {
		t.Errorf("%q, %q", o.Redone[0].Setup, o.Link)
	}
	if text := h.Question.JSON(); !ran(text) {
		t.Error(text)
	}
	h.do()
	if h.State.Setup.Text("oven") != "gas" {
		t.Error("what is set changed")
	}
	h.Type("watts", "55") // other settings do not begin it again
	h.do()
	h.wantSurvey(5000, false)
	n := len(h.jobs)
	h.Files.GoOn()
	h.do()
	again := 0
	for _, j := range h.jobs[n:] {
		if j.Kind == exec.Survey {
			again++
		}
	}
	if h.Files.Survey() != nil || h.Files.Number != 2 || again != grains-5 {
		t.Errorf("%d parts after 5; %+v", again, h.Files)
	}
	h.Files.CancelSurvey() // there is none
	h.Files.GoOn()
}

// Undo stops a survey and redo goes on; so do another laboratory and other files.
func TestSurveyStops(t *testing.T) {
	h := miller(t)
	part := func() {
		j := h.open(exec.Survey)[0]
		h.say(j, exec.Answer{Data: fmt.Appendf(nil, "spelt %d,", j.Portion)})
	}
	part()
	h.Choose("oven", "wood")
	if len(h.open(exec.Survey)) != 0 || h.Files.Survey() != nil {
		t.Error("it goes on for nobody")
	}
	h.Undo()
	h.wantSurvey(1000, true)
	part()
	h.Open([]string{"stone"}, func(n, _ int) { h.benches["bakery"].Open(n, files("stone")) })
	if len(h.open(exec.Survey)) != 0 || h.Files.Survey() != nil {
		t.Error("it goes on while others are opened")
	}
	list := h.listing()
	h.say(list, exec.Answer{Error: "stone: a stone; want flour"}) // nothing is taken away
	h.wantSurvey(2000, true)
	h.Open([]string{"sack"}, func(int, int) {})
	h.Files.CancelOpening()
	h.wantSurvey(2000, true)
	part()
	old := h.open(exec.Survey)[0]
	h.Open([]string{"sack"}, func(n, _ int) { h.benches["bakery"].Open(n, files("sack")) })
	if h.say(old, exec.Answer{Data: []byte("spelt 9,")}) {
		t.Error("an answer about files that are gone")
	}
	h.do(exec.Open, exec.List)
	h.wantSurvey(0, true) // other files
	h.do()
	if h.Files.Survey() != nil || h.run("oven").RunState() != "done" {
		t.Error("it did not end")
	}
}

// A part that fails is said with its reason; what was found stays.
func TestSurveyFails(t *testing.T) {
	h := miller(t)
	h.do(exec.Run)
	list := h.open(exec.Survey)
	h.say(list[0], exec.Answer{Data: []byte("spelt 0,")})
	h.say(list[1], exec.Answer{Error: "sack cannot be read: it is gone. Open it again"})
	s := h.Files.Survey()
	if s == nil || s.Error != "sack cannot be read: it is gone. Open it again" || s.Active() || len(h.open(exec.Survey)) != 0 {
		t.Fatalf("%+v, %d parts", s, len(h.open(exec.Survey)))
	}
	h.wantSurvey(1000, false)
	h.Type("portions", "6")
	h.do()
	h.wantSurvey(1000, false)
	h.Files.GoOn()
	h.wantSurvey(1000, true)
	h.do(exec.Survey, exec.Run)
	h.say(h.one(exec.Join), exec.Answer{Error: "it changed"})
	if s := h.Files.Survey(); s.Error != "it changed" || s.Active() {
		t.Errorf("%+v", s)
	}
	h.wantSurvey(1000*grains, false)
	h.Files.GoOn()
	h.do()
	if h.Files.Survey() != nil || h.Files.Number != 3 {
		t.Errorf("%+v", h.Files)
	}
}

// While a survey is not done, all that leaves the page is about what is shown.
func TestMeanwhile(t *testing.T) {
	h := miller(t)
	h.do(exec.Run)
	h.Laboratory.Output.Bundle(nil, nil, func([]byte, string) {})
	if j := h.one(exec.Carry); strings.Contains(j.Setup, "gas") {
		t.Errorf("%+v", j)
	}
	if link := h.Link(); !strings.Contains(link, "oven=gas") {
		t.Error(link)
	}
	h.want("oven", "gas")
	if h.Files.Survey() == nil || h.Files.Has("known") {
		t.Errorf("%+v", h.Files)
	}
	h.Go("bakery")
	h.wantBlocked("")
}
