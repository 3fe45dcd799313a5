package view

import (
	"github.com/vugu/vugu"

	"spillway/ui/embed"
	"spillway/ui/model/state"
)

// Embedded is the page inside another one: what its address asks for, without the
// bar at the top, and always a way to the page itself.
type Embedded struct {
	*Root
	sheet vugu.Builder
}

// NewEmbedded returns the page inside another one.
func NewEmbedded(a *App, o *embed.Options) *Embedded {
	a.frame = o
	root := NewRoot(a)
	root.summary = &Summary{App: a, given: &Given{App: a}} // a baseline is set in the page itself
	return &Embedded{Root: root, sheet: &Sheet{App: a}}
}

// shows reports whether a part is there.
func (a *App) shows(part string) bool { return a.frame == nil || a.frame.Shows(part) }

// tooled reports whether charts and tables have buttons.
func (a *App) tooled() bool { return a.shows(embed.Tools) }

// editable reports whether settings can be changed.
func (a *App) editable() bool { return a.frame == nil || a.frame.Mode == embed.Edit }

// figures are the charts that are wanted, tables those that are tables.
func (c *Embedded) figures() []vugu.Builder {
	var list []vugu.Builder
	for _, b := range c.parts.figures {
		if f, ok := b.(*Figure); ok && c.frame.Draws(f.view().ID) {
			list = append(list, b)
		}
	}
	return list
}

func (c *Embedded) tables() []vugu.Builder {
	var list []vugu.Builder
	for _, b := range c.parts.tables {
		if v, ok := b.(*Values); ok && (c.frame.Draws(v.view().ID) && len(c.frame.Only) > 0 || c.shows(embed.Tables)) {
			list = append(list, b)
		}
	}
	return list
}

// class of the figures: one alone takes the whole width.
func (c *Embedded) class() string {
	if len(c.figures()) == 1 {
		return "figures one"
	}
	return "figures"
}

// lacking says which charts the address names and there are not.
func (c *Embedded) lacking() string {
	if !c.in(state.Explore) {
		return ""
	}
	return embed.Lacking(c.frame.Only, c.views)
}

// href is the link to the page itself, with the state as it is now.
func (c *Embedded) href() string {
	if c.Laboratory == nil {
		return c.frame.Site
	}
	return c.frame.Link(c.Link())
}

// settings reports whether there are settings for a drawer.
func (c *Embedded) settings() bool {
	return c.Laboratory != nil && c.Viewing() != state.Reproduce && c.shows(embed.Settings)
}

// sectioned are the laboratory's own parts.
func (c *Embedded) sectioned() []vugu.Builder {
	if !c.shows(embed.Sections) {
		return nil
	}
	return c.parts.sections
}

func (c *Embedded) undoes() bool { return c.Laboratory != nil && c.CanUndo() }
