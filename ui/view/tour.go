package view

import (
	"fmt"
	"slices"
	"strings"

	"spillway/ui/lab"
	"spillway/ui/model/palette"
)

// Tour is the bar that leads through a laboratory, beside what it is about.
type Tour struct{ *App }

func (c *Tour) on() bool { return c.stop() != nil }

func (c *Tour) stop() *lab.Stop {
	if c.Laboratory == nil {
		return nil
	}
	return c.Tour.Stop()
}

func (c *Tour) first() bool { return c.on() && c.Tour.Number() == 1 }

func (c *Tour) last() bool { return c.on() && c.Tour.Number() == len(c.Info.Tour) }

// holds reports whether what the stop says is about what is shown.
func (c *Tour) holds() bool { return c.on() && c.Tour.AtStop() }

func (c *Tour) title() string {
	if !c.on() {
		return ""
	}
	return fmt.Sprintf("%d of %d: %s", c.Tour.Number(), len(c.Info.Tour), c.stop().Title)
}

func (c *Tour) next() string {
	if c.last() {
		return "Finish"
	}
	return "Next"
}

// says is the stop's text with the numbers of the runs that are shown.
func (c *Tour) says() string {
	switch {
	case !c.on():
		return ""
	case !c.holds():
		return "The page no longer shows what this step is about."
	}
	return c.stop().Filled(c.Runs.Blank)
}

// to goes on by some stops.
func (c *Tour) to(by int) {
	if by > 0 && c.last() {
		c.end()
		return
	}
	c.Tour.GoTo(c.Tour.Number() + by)
}

func (c *Tour) end() {
	c.Tour.End()
	c.Page.Focus("main")
}

// Obey does what the palette found.
func (a *App) Obey(id string) {
	if key, ok := strings.CutPrefix(id, "save "); ok && a.Laboratory != nil {
		a.saveAs(key)
		return
	}
	if in, ok := strings.CutPrefix(id, "in "); ok {
		name, what, _ := strings.Cut(in, " ")
		a.GoThen(name, func() { a.Obey(what) })
		return
	}
	show, err := palette.Obey(a.Session, id)
	if err != nil {
		a.Tell("The palette: " + err.Error() + ".")
		return
	}
	if key, ok := strings.CutPrefix(id, "knob "); ok {
		a.Jump(key)
	}
	if show != "" {
		a.Page.Show(show)
	}
}

// saveAs saves all numbers, all results or the run in focus in a format of the
// menu that is with the numbers.
func (a *App) saveAs(key string) {
	a.fresh()
	list := (&Numbers{App: a}).formats()
	if at := slices.IndexFunc(list, func(f format) bool { return f.key == key }); at >= 0 {
		list[at].save()
	}
}
