package papers

import (
	"slices"

	"spillway/sim/study"
	"spillway/ui/exec"
	"spillway/ui/model/calls"
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
	waiting []*calls.Call
	left    int // of them, still to come
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
		calls.Stop(c.waiting...)
	}
	x := p.list[at]
	c := &collecting{Sheets: Sheets{Outline: x.outline, Figures: make([]*study.Sheet, len(x.outline.Figures))}, done: done}
	p.collecting = c
	ask := func(figure string, put func(*study.Sheet)) {
		j := &exec.Job{Kind: exec.Sheet, Paper: x.Key, Name: figure, Outcomes: x.computed(figure)}
		c.left++
		c.waiting = append(c.waiting, p.desk.Start(j, calls.Shown, func(a *exec.Answer) {
			put(a.Sheet)
			p.collected(a)
		}))
	}
	for i := range x.outline.Figures {
		ask(x.outline.Figures[i].ID, func(s *study.Sheet) { c.Figures[i] = s })
	}
	ask(study.AllClaims, func(s *study.Sheet) { c.All = s })
}

// collected hands over what is there once it is all, or why one sheet is not.
func (p *Papers) collected(a *exec.Answer) {
	c := p.collecting
	switch c.left--; {
	case a.Sheet == nil:
		p.collecting = nil
		calls.Stop(c.waiting...)
		c.done(nil, a.Error)
	case c.left == 0:
		p.collecting = nil
		c.done(&c.Sheets, "")
	}
}

// computed are the outcomes of a figure's runs, or of all, that were made here: a report says on
// what it was computed.
func (x *paper) computed(figure string) []study.Outcome {
	return x.outcomes(figure, func(r *paperRun) *study.Outcome { return r.outcome })
}
