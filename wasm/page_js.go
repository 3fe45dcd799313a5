package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/vugu/vugu"

	"spillway/sim/report"
	"spillway/ui/draw"
	"spillway/ui/exec"
	"spillway/ui/model/palette"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
	"spillway/ui/pool"
	"spillway/ui/table"
	"spillway/ui/view"
	"spillway/wasm/browser"
)

// A page joins the session to the document.
type page struct {
	app     *view.App
	session *session.Session
	pool    *pool.Pool
	env     vugu.EventEnv
	tools   js.Value // window.tools of page.js
	inbox   *inbox
	changed bool                    // by what was taken from the inbox: something is to be drawn
	jobs    map[int]asked           // under way
	known   map[string][]exec.Known // by laboratory: what the site came with
	others  []palette.Entry         // what other laboratories have; nil before anybody searches
	rests   bool                    // nothing is to be drawn
	drawn   time.Time               // last
	frame   *frame                  // in another page, nil if the page stands by itself

	sets     map[int]js.Value // opened files, by the number of their set
	answered bool             // a worker has done a job
	// handed is what stands for a set, by laboratory.
	handed map[int]map[string]found

	shown    string // fragment of the last state that the address bar showed
	zoomed   string // what charts.js knows to be zoomed into
	place    place  // of that state
	visiting bool   // the address bar has what is to be shown next
	visited  string // fragment of the address bar that the session knows

	shared *view.Shared // what the share dialog shows, nil before it was opened
	looked string       // the stop of a tour that was last looked at
}

// A place is what the browser's Back button goes back to.
type place struct {
	lab    string
	view   state.View
	figure string
}

func newPage() *page {
	p := &page{tools: js.Global().Get("tools"), inbox: newInbox(), jobs: map[int]asked{}, known: map[string][]exec.Known{}, sets: map[int]js.Value{}, handed: map[int]map[string]found{}, visiting: true}
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
		p.frame.step()
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
	r := p.session.Laboratory
	if r == nil || p.session.Wanted() != r.Info.Name {
		return // what is wanted is still to come
	}
	link, at := r.Link(), place{lab: r.Info.Name, view: r.State.View}
	if at.view == state.Reproduce {
		at.figure = r.State.Figure
	}
	if at.lab != p.place.lab {
		js.Global().Get("document").Set("title", r.Info.Title+" · Spillway")
	}
	if link != p.shown && !p.visiting && p.frame == nil { // a frame leaves the history alone
		step := "pushState"
		if at == p.place {
			step = "replaceState"
		}
		js.Global().Get("history").Call(step, nil, "", "#"+link)
		p.visited = fragment()
		if at.lab != p.place.lab || at.view != p.place.view {
			js.Global().Call("scrollTo", 0, 0) // another page begins at its top
		}
	}
	p.shown, p.place, p.visiting = link, at, false
	if zoomed := r.State.Zoomed(); zoomed != p.zoomed {
		js.Global().Get("charts").Call("zoom", zoomed)
		p.zoomed = zoomed
	}
}

// shows reports whether the document has what was last done to the page, and nothing
// is under way. Whoever asks from JavaScript finds every goroutine waiting, so none
// has handled an event by half.
func (p *page) shows() bool {
	r := p.session.Laboratory
	return p.rests && len(p.jobs) == 0 && r != nil && p.session.Wanted() == r.Info.Name && fragment() == p.visited
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
	inRoom := func(f func(r *session.Laboratory)) func() {
		return func() {
			if r := p.session.Laboratory; r != nil {
				f(r)
			}
		}
	}
	on("onUndo", func([]js.Value) func() { return inRoom((*session.Laboratory).Undo) })
	on("onRedo", func([]js.Value) func() { return inRoom((*session.Laboratory).Redo) })
	on("onEscape", func([]js.Value) func() { return func() { p.app.CloseDrawer() } })
	on("onStep", func(args []js.Value) func() {
		key, by := args[0].String(), args[1].Int()
		return inRoom(func(r *session.Laboratory) { r.Form.Step(key, by) })
	})
	on("onOpen", func(args []js.Value) func() {
		line := args[0].Int()
		return inRoom(func(r *session.Laboratory) { r.Papers.OpenLine(line) })
	})
	on("onCard", func(args []js.Value) func() {
		i := args[0].Int()
		return inRoom(func(r *session.Laboratory) { r.Question.Ask(i) })
	})
	on("onFigure", func(args []js.Value) func() {
		figure, row := args[0].String(), args[1].Int()
		return inRoom(func(r *session.Laboratory) {
			r.Papers.Show(figure)
			r.Papers.Row = row
		})
	})
	p.tools.Set("memory", js.FuncOf(func(js.Value, []js.Value) any { return p.session.Memory() }))
	p.tools.Set("shows", js.FuncOf(func(js.Value, []js.Value) any { return p.shows() }))
	p.listenHelp(on)
	p.tools.Set("picture", js.FuncOf(p.picture))
	on("onShare", func([]js.Value) func() { return p.Share })
	on("onVisit", func(args []js.Value) func() {
		fragment := args[0].String()
		p.visited = fragment
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
			p.session.Open(names, func(number, behind int) {
				p.sets[number] = p.behind(behind, names, files)
				p.pool.OpenFiles(number)
			})
		}
	})
	p.tools.Set("onExpect", js.FuncOf(func(js.Value, []js.Value) any {
		boot().Call("expect", filesProgram)
		return nil
	}))
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
		return inRoom(func(r *session.Laboratory) {
			if n, err := strconv.ParseInt(text, 10, 64); err == nil && r.Sections.PickCell(id, n) {
				return
			}
			i := slices.IndexFunc(r.Info.Charts, func(c report.Chart) bool { return c.ID == id })
			if i >= 0 && r.Info.Charts[i].Pick != "" {
				r.Sections.Pick(r.Info.Charts[i].Pick, text)
			}
		})
	})
	on("onLook", func(args []js.Value) func() {
		title, at := args[0].String(), args[1].String()
		return inRoom(func(r *session.Laboratory) { r.Timeline.Open(title, at) })
	})
	on("onZoom", func(args []js.Value) func() {
		id, from, to := args[0].String(), args[1].Int(), args[2].Int()
		return inRoom(func(r *session.Laboratory) {
			r.SetZoom(id, int64(from), int64(to))
			p.zoomed = r.State.Zoomed()
			p.changed = false // nothing but the address
			p.link()
		})
	})
	on("onAt", func(args []js.Value) func() {
		text := args[0].String()
		return inRoom(func(r *session.Laboratory) {
			r.Timeline.SetAt(text)
			p.changed = false // nothing but the address
			p.link()
		})
	})
	on("onWindow", func(args []js.Value) func() {
		from, to := int64(args[0].Float()), int64(args[1].Float())
		return inRoom(func(r *session.Laboratory) { r.Timeline.Look(from, to) })
	})
	p.tools.Call("start")
	if p.frame != nil {
		p.frame.listen()
	}
}

// Save implements view.Page.
func (p *page) Save(name, mime, text string) { p.tools.Call("save", name, mime, text) }

// SaveTables implements view.Page.
func (p *page) SaveTables(name string, format *table.Format, f *table.File) {
	if text, err := f.JSON(); err == nil { // texts always can be written
		p.Save(name, format.Mime, js.Global().Get("share").Call("tables", format.Key, text).String())
	}
}

// SaveZip implements view.Page.
func (p *page) SaveZip(name string, files [][2]string) {
	list := make([]any, len(files))
	for i, f := range files {
		list[i] = []any{f[0], browser.Array([]byte(f[1]))}
	}
	p.tools.Call("save", name, "application/zip", js.Global().Get("share").Call("zip", list))
}

// SaveBytes implements view.Page.
func (p *page) SaveBytes(name, mime string, data []byte) {
	p.tools.Call("save", name, mime, browser.Array(data))
}

// Address implements view.Page.
func (p *page) Address() string {
	location := js.Global().Get("location")
	if !strings.HasPrefix(location.Get("protocol").String(), "http") {
		return ""
	}
	return location.Get("origin").String() + location.Get("pathname").String()
}

// version is that of the site.
func (p *page) version() string {
	if at := js.Global().Get("document").Call("querySelector", "meta[name=version]"); at.Truthy() {
		return at.Get("content").String()
	}
	return ""
}

// SaveChart implements view.Page.
func (p *page) SaveChart(id, name, data string) {
	o := p.Drawing(id)
	js.Global().Get("charts").Call("save", id, name, o.Link, o.Version, data)
}

// Drawing implements view.Page. The link of a page that is a file on somebody's
// computer is its state alone.
func (p *page) Drawing(id string) draw.Options {
	document, location := js.Global().Get("document"), js.Global().Get("location")
	o := draw.Options{Theme: draw.Light, Version: p.session.Version}
	if document.Get("documentElement").Get("dataset").Get("theme").String() == draw.Dark {
		o.Theme = draw.Dark
	}
	if r := p.session.Laboratory; r != nil {
		o.Link = "#" + r.Link()
	}
	if strings.HasPrefix(location.Get("protocol").String(), "http") {
		o.Link = location.Get("origin").String() + location.Get("pathname").String() + o.Link
	}
	hidden := js.Global().Get("charts").Call("hidden", id)
	for i := range hidden.Length() {
		o.Hide = append(o.Hide, hidden.Index(i).String())
	}
	return o
}

// Share implements view.Page. The address bar gets the link that the dialog shows.
func (p *page) Share() {
	s := p.app.Shared()
	if s == nil {
		return
	}
	p.link()
	p.shared = s
	charts := make([]any, len(s.Charts))
	for i := range s.Charts {
		v := &s.Charts[i]
		csv, numbers := "", ""
		if v.Figure != nil {
			csv = v.CSV()
			f := table.File{Title: v.Title, Mode: v.Mode, Link: p.Address() + "#" + s.Link, Tables: []report.Table{v.Table}}
			numbers, _ = f.JSON() // texts always can be written
		}
		charts[i] = map[string]any{"table": numbers, "id": v.ID, "title": v.Title, "text": v.Text, "note": v.Note, "mode": v.Mode, "height": v.Height, "csv": csv}
	}
	p.tools.Call("share", map[string]any{
		"link": s.Link, "lab": s.Lab, "about": s.About, "papers": words(s.Papers), "entries": words(s.Entries), "charts": charts, "files": p.opened(),
	})
}

// picture is one of the shared charts as an SVG for other pages, which bring their
// own theme, and have the data behind the link; or, in a width, for a file.
func (p *page) picture(_ js.Value, args []js.Value) any {
	for i := range p.shared.Charts {
		if v := &p.shared.Charts[i]; v.ID == args[0].String() && v.Figure != nil {
			o := draw.Options{Link: args[1].String(), Version: p.session.Version, Data: " "}
			if len(args) > 2 { // for a file, which has its data, in a width
				o.Data, o.Width, o.Theme = "", args[2].Int(), draw.Light
			}
			return draw.SVG(v, o)
		}
	}
	return ""
}

// opened are the files of the newest set, if what is shown is about files.
func (p *page) opened() any {
	if r := p.session.Laboratory; r != nil && len(r.Needs()) > 0 {
		if files, ok := p.sets[r.Files.Number]; ok {
			return files
		}
	}
	return nil
}

// Pick implements view.Page.
func (p *page) Pick(folder bool) { p.tools.Call("pick", folder) }

// Theme implements view.Page.
func (p *page) Theme() { p.tools.Call("theme") }

// Narrow implements view.Page. The width is that of style.css.
func (p *page) Narrow() bool {
	return js.Global().Call("matchMedia", "(max-width: 1100px)").Get("matches").Bool()
}

// Dock implements view.Page.
func (p *page) Dock(shown bool) { p.tools.Call("dock", shown) }

// Show implements view.Page.
func (p *page) Show(id string) { p.tools.Call("show", id) }

// Focus implements view.Page.
func (p *page) Focus(id string) { p.tools.Call("focus", id) }

// Near implements view.Page.
func (p *page) Near(id string) { p.tools.Call("near", id) }
