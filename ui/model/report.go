package model

import (
	"slices"

	"spillway/sim/study"
	"spillway/ui/exec"
)

// Sheets are all sheets of a paper, for those who write them down.
type Sheets struct {
	Outline *study.Outline
	Figures []*study.Sheet
	All     *study.Sheet // of all claims
}

// A collecting is sheets on their way.
type collecting struct {
	Sheets
	waiting []int // jobs, 0 where the sheet is there; the last is that of All
	done    func(*Sheets, string)
}

// Collect asks for all sheets of the paper with this key; done gets them, or why
// there are none.
func (p *Papers) Collect(key string, done func(s *Sheets, problem string)) {
	at := slices.IndexFunc(p.list, func(x *paper) bool { return x.Key == key })
	if at < 0 || p.list[at].outline == nil {
		done(nil, "the paper is not open yet")
		return
	}
	if c := p.collecting; c != nil {
		p.room.session.host.Stop(slices.DeleteFunc(c.waiting, func(id int) bool { return id == 0 }))
	}
	x := p.list[at]
	c := &collecting{Sheets: Sheets{Outline: x.outline, Figures: make([]*study.Sheet, len(x.outline.Figures))}, done: done}
	p.collecting = c
	var jobs []*exec.Job
	ask := func(figure string) {
		j := &exec.Job{ID: p.room.session.id(), Lab: p.room.Info.Name, Kind: exec.Sheet, Paper: x.Key, Name: figure, Outcomes: x.outcomes(figure)}
		jobs, c.waiting = append(jobs, j), append(c.waiting, j.ID)
	}
	for i := range x.outline.Figures {
		ask(x.outline.Figures[i].ID)
	}
	ask(study.AllClaims)
	for _, j := range jobs {
		p.room.session.host.Start(j, false)
	}
}

// answer takes what a worker said about a sheet; it reports whether it did.
func (c *collecting) answer(p *Papers, a *exec.Answer) bool {
	if c == nil {
		return false
	}
	i := slices.Index(c.waiting, a.ID)
	switch {
	case i < 0:
		return false
	case !a.Last:
		return true
	case a.Sheet == nil:
		p.collecting = nil
		c.done(nil, a.Error)
		return true
	}
	if c.waiting[i] = 0; i < len(c.Figures) {
		c.Figures[i] = a.Sheet
	} else {
		c.All = a.Sheet
	}
	if !slices.ContainsFunc(c.waiting, func(id int) bool { return id != 0 }) {
		p.collecting = nil
		c.done(&c.Sheets, "")
	}
	return true
}
