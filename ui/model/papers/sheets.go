package papers

import (
	"slices"

	"spillway/sim/study"
	"spillway/ui/exec"
	"spillway/ui/model/calls"
	"spillway/ui/model/workspace"
)

// Sheets are all sheets of a paper, for those who write them down.
type Sheets struct {
	Outline *study.Outline
	Figures []*study.Sheet
	All     *study.Sheet // of all claims
	// Bundle is of all runs, where Keep was asked for it, and Unbound why there is none;
	// References is what the paper rests on, as BibTeX.
	Bundle              []byte
	Unbound, References string
}

// A collecting is sheets on their way.
type collecting struct {
	Sheets
	of      *Papers
	paper   *paper
	whole   bool // with a bundle and references
	waiting []*calls.Call
	left    int // of them, still to come
	done    func(*Sheets, string)
}

// Collect asks for all sheets of the paper with this key; done gets them, or why
// there are none.
func (p *Papers) Collect(key string, done func(s *Sheets, problem string)) {
	(&collecting{of: p, done: done}).begin(key)
}

// Keep is Collect of all that there is to keep: a bundle and references, too.
func (p *Papers) Keep(key string, done func(s *Sheets, problem string)) {
	(&collecting{of: p, whole: true, done: done}).begin(key)
}

// begin asks for the sheets of a paper.
func (c *collecting) begin(key string) {
	p := c.of
	at := slices.IndexFunc(p.list, func(x *paper) bool { return x.Key == key })
	if at < 0 || p.list[at].outline == nil {
		c.done(nil, "the paper is not open yet")
		return
	}
	if before := p.collecting; before != nil {
		calls.Stop(before.waiting...)
	}
	x := p.list[at]
	c.paper, c.Sheets = x, Sheets{Outline: x.outline, Figures: make([]*study.Sheet, len(x.outline.Figures))}
	p.collecting = c
	ask := func(figure string, put func(*study.Sheet)) {
		j := &exec.Job{Kind: exec.Sheet, Paper: x.Key, Name: figure, Outcomes: x.computed(figure)}
		c.left++
		c.ask(j, func(a *exec.Answer) {
			put(a.Sheet)
			switch c.left--; {
			case c.left > 0:
			case c.whole:
				c.bind()
			default:
				c.end("")
			}
		})
	}
	for i := range x.outline.Figures {
		ask(x.outline.Figures[i].ID, func(s *study.Sheet) { c.Figures[i] = s })
	}
	ask(study.AllClaims, func(s *study.Sheet) { c.All = s })
}

// ask asks for something on the way: what goes wrong ends it.
func (c *collecting) ask(j *exec.Job, then func(*exec.Answer)) {
	c.waiting = append(c.waiting, c.of.desk.Start(j, calls.Shown, func(a *exec.Answer) {
		switch {
		case c.of.collecting != c:
		case a.Error != "":
			c.end(a.Error)
		default:
			then(a)
		}
	}))
}

// end hands over what was asked for, or says why not.
func (c *collecting) end(problem string) {
	c.of.collecting = nil
	calls.Stop(c.waiting...)
	if problem != "" {
		c.done(nil, problem)
		return
	}
	c.done(&c.Sheets, "")
}

// bind asks for a bundle of all runs and for references.
func (c *collecting) bind() {
	x := c.paper
	o := &exec.BundleRequest{Version: c.of.version(), Environment: workspace.Environment}
	o.Redone, c.Unbound = x.parts()
	c.ask(&exec.Job{Kind: exec.Again, Ask: &exec.Ask{Paper: x.Key, Claims: true}, Outcomes: x.computed(study.AllClaims)}, func(a *exec.Answer) {
		o.Redone = append(o.Redone, a.Redone)
		c.ask(&exec.Job{Kind: exec.Bundle, Order: o}, func(a *exec.Answer) {
			c.Bundle, c.References = a.Data, a.References
			c.end("")
		})
	})
}

// parts are the runs of a paper as a bundle has them, or why it can have none.
func (x *paper) parts() (list []*exec.Redone, problem string) {
	for i := range x.runs {
		switch r := &x.runs[i]; {
		case r.outcome == nil:
			return nil, "it is of all runs, and not all are done"
		case r.files != 0:
			return nil, "it is of bundled workloads, and the runs are of files that were opened"
		default:
			list = append(list, &exec.Redone{Run: exec.Ran(&r.Run, r.outcome, r.hash)})
		}
	}
	return list, ""
}

// computed are the outcomes of a figure's runs, or of all, that were made here: a report says on
// what it was computed.
func (x *paper) computed(figure string) []study.Outcome {
	return x.outcomes(figure, func(r *paperRun) *study.Outcome { return r.outcome })
}
