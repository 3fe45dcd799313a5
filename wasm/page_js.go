package main

import (
	"fmt"
	"slices"
	"syscall/js"

	"github.com/vugu/vugu"

	"spillway/sim/report"
	"spillway/ui"
	"spillway/ui/model"
	"spillway/ui/pool"
)

// A page joins the session to the document.
type page struct {
	app     *ui.App
	session *model.Session
	pool    *pool.Pool
	env     vugu.EventEnv
	tools   js.Value // window.tools of page.js
	inbox   *inbox
	lean    map[string]bool // laboratories whose program does no whole jobs
	changed bool            // by what was taken from the inbox: something is to be drawn

	files    js.Value // of the newest set that was opened
	answered bool     // a worker has done a job

	shown    string // fragment of the last state that the address bar showed
	zoomed   string // what charts.js knows to be zoomed into
	place    place  // of that state
	visiting bool   // the address bar has what is to be shown next
}

// A place is what the browser's Back button goes back to.
type place struct {
	lab    string
	view   model.View
	figure string
}

func newPage() *page {
	p := &page{tools: js.Global().Get("tools"), inbox: newInbox(), lean: map[string]bool{}, visiting: true}
	cores := 0
	if c := js.Global().Get("navigator").Get("hardwareConcurrency"); c.Type() == js.TypeNumber {
		cores = c.Int()
	}
	p.pool = pool.New(host{p}, cores)
	return p
}

// apply does what arrived from outside Vugu, one after the other.
func (p *page) apply() {
	for {
		f := p.inbox.take()
		p.env.Lock()
		p.changed = false
		f()
		if p.changed {
			p.env.UnlockRender()
		} else {
			p.env.UnlockOnly()
		}
	}
}

// link makes the address bar show the state. Another laboratory, view or figure is
// another place to go back to; other settings are not.
func (p *page) link() {
	r := p.session.Room
	if r == nil || p.session.Wanted() != r.Info.Name {
		return // what is wanted is still to come
	}
	fragment, at := r.State.Encode(r.Info), place{lab: r.Info.Name, view: r.State.View}
	if at.view == model.Reproduce {
		at.figure = r.State.Figure
	}
	if at.lab != p.place.lab {
		js.Global().Get("document").Set("title", r.Info.Title+" · Spillway")
	}
	if fragment != p.shown && !p.visiting {
		step := "pushState"
		if at == p.place {
			step = "replaceState"
		}
		js.Global().Get("history").Call(step, nil, "", "#"+fragment)
		if at.lab != p.place.lab || at.view != p.place.view {
			js.Global().Call("scrollTo", 0, 0) // another page begins at its top
		}
	}
	p.shown, p.place, p.visiting = fragment, at, false
	if zoomed := r.Zoomed(); zoomed != p.zoomed {
		js.Global().Get("charts").Call("zoom", zoomed)
		p.zoomed = zoomed
	}
}

// listen connects what page.js and the browser report.
func (p *page) listen() {
	on := func(name string, f func(args []js.Value) func()) {
		p.tools.Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any {
			do := f(args)
			p.inbox.put(func() {
				p.changed = true
				do()
			})
			return nil
		}))
	}
	// inRoom does something when a laboratory is shown.
	inRoom := func(f func(r *model.Room)) func() {
		return func() {
			if r := p.session.Room; r != nil {
				f(r)
			}
		}
	}
	on("onUndo", func([]js.Value) func() { return inRoom((*model.Room).Undo) })
	on("onRedo", func([]js.Value) func() { return inRoom((*model.Room).Redo) })
	on("onEscape", func([]js.Value) func() { return func() { p.app.CloseDrawer() } })
	on("onStep", func(args []js.Value) func() {
		key, by := args[0].String(), args[1].Int()
		return inRoom(func(r *model.Room) { r.Step(key, by) })
	})
	on("onOpen", func(args []js.Value) func() {
		line := args[0].Int()
		return inRoom(func(r *model.Room) { r.OpenLine(line) })
	})
	p.tools.Set("memory", js.FuncOf(func(js.Value, []js.Value) any { return p.session.Memory() }))
	on("onHelp", func([]js.Value) func() { return p.Help })
	on("onShare", func([]js.Value) func() { return p.Share })
	on("onVisit", func(args []js.Value) func() {
		fragment := args[0].String()
		return func() {
			if fragment != "#"+p.shown {
				p.visiting = true
				p.session.Visit(fragment)
			}
		}
	})
	on("onFiles", func(args []js.Value) func() {
		files := args[0]
		names := make([]string, files.Length())
		for i := range names {
			names[i] = files.Index(i).Get("name").String()
		}
		return func() {
			p.session.Open(names, func(number int) {
				p.files = files
				p.pool.OpenFiles(number)
			})
		}
	})
	on("onRefused", func(args []js.Value) func() {
		text := args[0].String()
		return func() { p.session.Notice = text }
	})
	on("onPick", func(args []js.Value) func() {
		id, value := args[0].String(), args[1]
		text := value.String()
		if value.Type() == js.TypeNumber {
			text = fmt.Sprint(value.Int())
		}
		return inRoom(func(r *model.Room) {
			i := slices.IndexFunc(r.Info.Charts, func(c report.Chart) bool { return c.ID == id })
			if i >= 0 && r.Info.Charts[i].Pick != "" {
				r.SetLook(r.Info.Charts[i].Pick, text)
			}
		})
	})
	on("onZoom", func(args []js.Value) func() {
		id, from, to := args[0].String(), args[1].Int(), args[2].Int()
		return inRoom(func(r *model.Room) {
			r.SetZoom(id, int64(from), int64(to))
			p.zoomed = r.Zoomed()
			p.changed = false // nothing but the address
			p.link()
		})
	})
	p.tools.Call("start")
}

// Save implements ui.Page.
func (p *page) Save(name, mime, text string) { p.tools.Call("save", name, mime, text) }

// SaveChart implements ui.Page.
func (p *page) SaveChart(id, kind, name, data string) {
	js.Global().Get("charts").Call("save", id, kind, name, data)
}

// Share implements ui.Page. The address bar gets the link that the dialog shows.
func (p *page) Share() {
	s := p.app.Shared()
	if s == nil {
		return
	}
	p.link()
	charts := make([]any, len(s.Charts))
	for i := range s.Charts {
		v := &s.Charts[i]
		csv := ""
		if v.Figure != nil {
			csv = v.CSV()
		}
		charts[i] = map[string]any{"id": v.ID, "title": v.Title, "text": v.Text, "note": v.Note, "mode": v.Mode, "height": v.Height, "csv": csv}
	}
	p.tools.Call("share", map[string]any{
		"link": s.Link, "lab": s.Lab, "about": s.About, "papers": list(s.Papers), "entries": list(s.Entries), "charts": charts, "files": p.opened(),
	})
}

// opened are the files of the newest set, if what is shown is about files.
func (p *page) opened() any {
	if p.session.Room == nil || len(p.session.Needs()) == 0 || p.session.Files.Number == 0 || p.files.IsUndefined() {
		return nil
	}
	return p.files
}

// list makes strings ready for JavaScript.
func list(texts []string) []any {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	return all
}

// Pick implements ui.Page.
func (p *page) Pick(folder bool) { p.tools.Call("pick", folder) }

// Theme implements ui.Page.
func (p *page) Theme() { p.tools.Call("theme") }

// Narrow implements ui.Page. The width is that of style.css.
func (p *page) Narrow() bool {
	return js.Global().Call("matchMedia", "(max-width: 1100px)").Get("matches").Bool()
}

// Show implements ui.Page.
func (p *page) Show(id string) { p.tools.Call("show", id) }

// Focus implements ui.Page.
func (p *page) Focus(id string) { p.tools.Call("focus", id) }

// Near implements ui.Page.
func (p *page) Near(id string) { p.tools.Call("near", id) }

// Help implements ui.Page. The dialog has what is the same for all laboratories.
func (p *page) Help() {
	title, about, entries := "", "", []any{}
	if r := p.session.Room; r != nil {
		title, about = r.Info.Title, r.Info.About
		for _, h := range r.Info.Help {
			entries = append(entries, map[string]any{"title": h.Title, "text": h.Text})
		}
	}
	p.tools.Call("help", title, about, entries)
}
