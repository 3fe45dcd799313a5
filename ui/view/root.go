package view

import (
	"github.com/vugu/vugu"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
)

// Root is the whole page.
type Root struct {
	*App
	head, verdict, alerts, files, systems, picture, summary, caveat, baseline, lag, numbers, notes, question, timeline, papers, tour vugu.Builder

	parts *parts // of the laboratory that is shown
	rooms map[*session.Laboratory]*parts
}

// parts are the components that a laboratory brings.
type parts struct{ panels, why, figures, tables, accounts, sections []vugu.Builder }

// NewRoot returns the page.
func NewRoot(a *App) *Root {
	return &Root{
		App: a, head: &Head{App: a}, verdict: &Verdict{App: a}, alerts: &Alerts{App: a}, files: &Files{App: a}, systems: &Systems{App: a}, summary: &Summary{App: a, given: &Given{App: a}}, caveat: &Caveat{App: a}, baseline: &Baseline{App: a, keep: &Keep{App: a}, shelf: &Shelf{App: a}}, lag: &Figure{App: a, source: func() *chart.View { return &a.lag }},
		numbers: &Numbers{App: a}, notes: &Notes{App: a}, papers: &Papers{App: a},
		picture: &Picture{App: a}, question: &Question{App: a}, timeline: &Timeline{App: a}, tour: &Tour{App: a}, parts: &parts{}, rooms: map[*session.Laboratory]*parts{},
	}
}

// Compute finds the components of the laboratory that is shown.
func (c *Root) Compute() {
	if c.Laboratory == nil {
		return
	}
	c.fresh()
	if c.rooms[c.Laboratory] == nil {
		c.rooms[c.Laboratory] = c.assemble()
	}
	c.parts = c.rooms[c.Laboratory]
}

func (c *Root) assemble() *parts {
	p := &parts{}
	for i, panel := range c.Info.Panels {
		p.panels = append(p.panels, &Panel{App: c.App, Index: i})
		// Of the settings there is first only what runs: the drawing has the others
		// that one begins with.
		c.closed[c.folding(panel.Key)] = panel.Folded || i > 0
	}
	c.closed[c.folding("systems")], c.closed[c.folding("files")] = true, true
	for i, ch := range c.Info.Charts {
		if ch.Kind == report.Values {
			p.tables = append(p.tables, &Values{App: c.App, Index: i})
			continue
		}
		p.figures = append(p.figures, &Figure{App: c.App, Index: i})
	}
	for i := range c.Info.Sections {
		s := &Section{App: c.App, Key: c.Info.Sections[i].Key}
		switch {
		case s.Key == lab.WhyKey:
			p.why = append(p.why, s)
		case c.Info.Sections[i].Entry:
			p.accounts = append(p.accounts, s)
		default:
			p.sections = append(p.sections, s)
		}
	}
	return p
}

// figuresClass hides the charts where there is nothing to draw.
func (c *Root) figuresClass() string {
	if c.Runs.Nothing() {
		return "figures idle"
	}
	return "figures"
}

// accounts are the sections of the entry that is shown. They come first where they
// are all that there is to see; else that which asks why does.
func (c *Root) accounts(first bool) []vugu.Builder {
	switch {
	case c.Runs.Nothing() == first:
		return c.parts.accounts
	case first:
		return c.parts.why
	}
	return nil
}

// lags is the chart of where time is lost and won, where there is one.
func (c *Root) lags() []vugu.Builder {
	if c.App.lag.Absent {
		return nil
	}
	return []vugu.Builder{c.lag}
}

// first is the panel of what runs; the others follow the systems.
func (c *Root) first() vugu.Builder {
	if len(c.parts.panels) == 0 {
		return nil
	}
	return c.parts.panels[0]
}

func (c *Root) others() []vugu.Builder { return c.parts.panels[min(1, len(c.parts.panels)):] }

// sided reports whether the view has the settings at its side.
func (c *Root) sided() bool { return c.here() && c.Viewing() != state.Reproduce }

// in reports whether a view is shown.
func (c *Root) in(v state.View) bool { return c.here() && c.Viewing() == v }

// side is the class of the settings, which are a drawer where there is no room
// for them beside the results.
func (c *Root) side() string {
	if c.drawer {
		return "side open"
	}
	return "side"
}

func (c *Root) starting() string {
	if c.Laboratory != nil {
		return "Loading " + c.title() + "…"
	}
	if c.Notice != "" {
		return c.Notice
	}
	return "Starting…"
}

// Drawn returns the charts by the ID of their place, for those who draw them
// without a browser.
func (c *Root) Drawn() map[string]*chart.View {
	all := map[string]*chart.View{}
	for _, b := range c.parts.figures {
		if f, ok := b.(*Figure); ok {
			all[f.id()] = f.view()
		}
	}
	return all
}
