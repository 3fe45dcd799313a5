package main

import (
	"log"
	"syscall/js"

	"github.com/vugu/vugu"
	"github.com/vugu/vugu/domrender"

	"spillway/ui"
	"spillway/ui/job"
	"spillway/ui/model"
)

// A page joins the session to the document.
type page struct {
	app     *ui.App
	session *model.Session
	pool    *pool
	env     vugu.EventEnv
	tools   js.Value // window.tools of page.js
	events  chan func()
	shown   string // fragment of the last state that the address bar showed
}

// runPage shows the page until it is closed.
func runPage() {
	p := &page{tools: js.Global().Get("tools"), events: make(chan func(), 4096)}
	// Workers first: they start while the page is drawn.
	p.pool = newPool(js.Global().Get("wasmModule"), func(a job.Answer) { p.events <- func() { p.session.Answer(a) } })
	fragment := js.Global().Get("location").Get("hash").String()
	state, err := model.Decode(fragment)
	p.session = model.NewSession(state, p.pool)
	if err != nil {
		p.session.Notice = err.Error()
	}
	p.pool.begin()
	mark("worker-started")
	p.shown = p.session.State.Encode()
	p.app = ui.NewApp(p.session, p)
	p.listen()

	renderer, err := domrender.New("#app")
	if err != nil {
		log.Fatal("Spillway: ", err)
	}
	p.env = renderer.EventEnv()
	build, err := vugu.NewBuildEnv(p.env)
	if err != nil {
		log.Fatal("Spillway: ", err)
	}
	root := ui.NewRoot(p.app)
	dirty := make(chan struct{}, 1)
	dirty <- struct{}{}
	go func() {
		for renderer.EventWait() {
			select {
			case dirty <- struct{}{}:
			default:
			}
		}
	}()
	go p.apply()
	for first := true; ; first = false {
		<-dirty
		p.env.RLock()
		built := build.RunBuild(root)
		p.env.RUnlock()
		if err := renderer.Render(built); err != nil {
			log.Print("Spillway: drawing the page: ", err)
		}
		if first {
			mark("page-drawn")
		}
		p.link()
		nextFrame()
	}
}

// apply does what arrived from outside Vugu, one after the other.
func (p *page) apply() {
	for f := range p.events {
		p.env.Lock()
		f()
		p.env.UnlockRender()
	}
}

// link makes the address bar show the state.
func (p *page) link() {
	if now := p.session.State.Encode(); now != p.shown {
		p.shown = now
		js.Global().Get("history").Call("replaceState", nil, "", "#"+now)
	}
}

// listen connects what page.js and the browser report.
func (p *page) listen() {
	on := func(name string, f func(args []js.Value)) {
		p.tools.Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any {
			f(args)
			return nil
		}))
	}
	later := func(f func()) { p.events <- f }
	on("onUndo", func([]js.Value) { later(p.session.Undo) })
	on("onRedo", func([]js.Value) { later(p.session.Redo) })
	on("onVisit", func(args []js.Value) {
		fragment := args[0].String()
		later(func() {
			if fragment != "#"+p.shown {
				p.session.Visit(fragment)
				p.shown = p.session.State.Encode()
			}
		})
	})
	on("onCopied", func(args []js.Value) {
		copied := args[0].Bool()
		later(func() { p.app.Copied = copied })
	})
	on("onFiles", func(args []js.Value) {
		files := args[0]
		names := make([]string, files.Length())
		for i := range names {
			names[i] = files.Index(i).Get("name").String()
		}
		later(func() {
			p.session.Open(names, func(number int) { p.pool.open(number, files) })
		})
	})
	on("onRefused", func(args []js.Value) {
		text := args[0].String()
		later(func() { p.session.Notice = text })
	})
	p.tools.Call("start")
}

// Save implements ui.Page.
func (p *page) Save(name, mime, text string) { p.tools.Call("save", name, mime, text) }

// SaveChart implements ui.Page.
func (p *page) SaveChart(id, kind, name string) {
	js.Global().Get("charts").Call("save", id, kind, name)
}

// CopyLink implements ui.Page.
func (p *page) CopyLink() { p.tools.Call("copyLink", "#"+p.session.State.Encode()) }

// Pick implements ui.Page.
func (p *page) Pick(folder bool) { p.tools.Call("pick", folder) }

// Theme implements ui.Page.
func (p *page) Theme() { p.tools.Call("theme") }

// Narrow implements ui.Page. The width is that of style.css.
func (p *page) Narrow() bool {
	return js.Global().Call("matchMedia", "(max-width: 820px)").Get("matches").Bool()
}

// Show implements ui.Page.
func (p *page) Show(id string) { p.tools.Call("show", id) }

// Help implements ui.Page.
func (p *page) Help() { p.tools.Call("help") }

// mark notes a moment of the start in the browser's performance timeline.
func mark(name string) { js.Global().Get("performance").Call("mark", name) }

// nextFrame blocks until the next animation frame, or 50 ms in a tab that
// shows none.
func nextFrame() {
	ch := make(chan struct{}, 2)
	f := js.FuncOf(func(js.Value, []js.Value) any {
		select {
		case ch <- struct{}{}:
		default:
		}
		return nil
	})
	g := js.Global()
	id := g.Call("requestAnimationFrame", f)
	timer := g.Call("setTimeout", f, 50)
	<-ch
	g.Call("cancelAnimationFrame", id)
	g.Call("clearTimeout", timer)
	f.Release()
}
