// Wasm is the page's program: it shows laboratories and talks to their programs,
// which run in Web Workers (see wasm/worker). It has no simulator.
package main

import (
	"log"
	"runtime/debug"
	"syscall/js"
	"time"

	"github.com/vugu/vugu"
	"github.com/vugu/vugu/domrender"

	"spillway/ui/model/session"
	"spillway/ui/view"
	"spillway/ui/wire"
	"spillway/wasm/browser"
)

func main() {
	atWork()
	debug.SetGCPercent(300) // what a drawing leaves behind is small beside what stays
	yield()
	p := newPage()
	tabs, err := labs()
	if err != nil {
		stop("the list of laboratories cannot be read", err)
		return
	}
	p.frame = newFrame(p, tabs)
	if !p.frame.drawn() {
		p.frame.serve()
	}
	p.visited = fragment()
	p.session = session.New(tabs, p.visited, p)
	p.session.Version = p.version()
	p.session.Recall(p.tools.Call("remembered").String())
	yield()
	// The laboratory's description is under way since boot.js began. The first
	// thing drawn is the whole page, or why there is none.
	for p.session.Wanted() != "" && p.session.Laboratory == nil && p.session.Notice == "" {
		p.inbox.take()()
		yield()
	}
	for p.inbox.any() { // what is known
		p.inbox.take()()
		yield()
	}
	p.app = view.NewApp(p.session, p)
	var root vugu.Builder = view.NewRoot(p.app)
	if p.frame != nil {
		root = view.NewEmbedded(p.app, p.frame.options)
	}
	p.link()
	p.listen()

	renderer, err := domrender.New("#app")
	if err != nil {
		stop("the page cannot be drawn", err)
		return
	}
	p.env = renderer.EventEnv()
	build, err := vugu.NewBuildEnv(p.env)
	if err != nil {
		stop("the page cannot be drawn", err)
		return
	}
	still := view.NewDiffer()
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
	yield()
	for first := true; ; first = false {
		p.rests = true
		<-dirty
		p.rests = false
		// While runs come in, drawing each by itself would take longer than all of
		// them.
		if wait := breath - time.Since(p.drawn); p.busy() && wait > 0 {
			time.Sleep(wait)
		}
		p.drawn = time.Now()
		p.env.RLock()
		built := build.RunBuild(root)
		p.env.RUnlock()
		if first {
			yield()
		}
		still.Take(built, p.tools.Call("takeTouched").Bool())
		if err := renderer.Render(built); err != nil {
			log.Print("Spillway: drawing the page: ", err)
		}
		if first {
			mark("page-drawn")
			yield()
		}
		p.link()
		p.look()
		nextFrame()
	}
}

// breath is the least time between two drawings while runs are under way.
const breath = 250 * time.Millisecond

// progressBreath is the least time between two drawings of how far runs are, where none has
// ended.
const progressBreath = time.Second

// busy reports whether anything computes for what is shown.
func (p *page) busy() bool {
	p.env.RLock()
	defer p.env.RUnlock()
	r := p.session.Laboratory
	return r != nil && (p.session.Checking.Active() || r.Runs.Active() || r.Papers.Active() || r.Question.Active() || r.Saved.Busy())
}

// labs returns the laboratories of this site.
func labs() (tabs []session.Tab, err error) {
	data, err := fetch("labs.info")
	if err == nil {
		err = wire.Unmarshal(data, &tabs)
	}
	return tabs, err
}

// fetch returns a file of the site. boot.js has asked for some already.
func fetch(name string) ([]byte, error) {
	array, err := browser.Await(boot().Call("fetch", name))
	if err != nil {
		return nil, err
	}
	return browser.Bytes(array), nil
}

// boot is what boot.js does for the program.
func boot() js.Value { return js.Global().Get("boot") }

// stop tells the visitor that the program cannot go on.
func stop(what string, err error) { boot().Call("crashed", what+": "+err.Error()) }

// mark notes a moment of the start in the browser's performance timeline.
func mark(name string) { js.Global().Get("performance").Call("mark", name) }

// yield gives the thread back for a moment, so that the start is several tasks and what a
// visitor does meanwhile is not kept waiting for all of it.
func yield() {
	done := make(chan struct{})
	channel := js.Global().Get("MessageChannel").New()
	f := js.FuncOf(func(js.Value, []js.Value) any {
		close(done)
		return nil
	})
	channel.Get("port1").Set("onmessage", f)
	channel.Get("port2").Call("postMessage", nil)
	<-done
	channel.Get("port1").Call("close")
	f.Release()
}

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
