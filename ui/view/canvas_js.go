//go:build js && wasm

package view

import (
	"strconv"
	"sync"
	"syscall/js"
	"unsafe"

	vjs "github.com/vugu/vugu/js"

	"spillway/ui/chart"
)

// canvas is where a chart is drawn.
type canvas struct {
	element js.Value
	name    string
	rev     int
	shown   bool
	results int     // in what was shown
	draw    js.Func // returns what to draw
}

// printing hands charts.js how numbers are written, once.
var printing = sync.OnceFunc(func() {
	js.Global().Get("charts").Call("prints", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return chart.Tip(args[0].Float(), args[1].String())
	}))
})

// created runs on every render.
func (c *Figure) created(v vjs.Value) {
	if c.canvas.results > 0 && c.Runs.Settling() && js.Value(v).Equal(c.canvas.element) {
		return
	}
	c.canvas.update(js.Value(v), c.drawn)
}

// created runs on every render.
func (c *Sheet) created(v vjs.Value) { c.canvas.update(js.Value(v), c.drawn) }

// created runs on every render.
func (c *Question) created(v vjs.Value) { c.canvas.update(js.Value(v), c.drawn) }

// update asks for a drawing when the element or the numbers changed; charts.js
// asks back for the numbers when it has time, so that many changes in a row cost
// one drawing.
func (c *canvas) update(element js.Value, what func() (string, int, *chart.View)) {
	name, rev, v := what()
	if v == nil || v.Figure == nil {
		c.dispose()
		return
	}
	printing()
	same := c.shown && element.Equal(c.element) && c.name == name
	if same && c.rev == rev {
		return
	}
	if !same {
		c.dispose()
		c.draw = js.FuncOf(func(js.Value, []js.Value) any {
			_, _, v := what()
			if v == nil || v.Figure == nil {
				return nil
			}
			text, data := v.Figure.Encode()
			return map[string]any{"figure": text, "data": array(data), "title": v.Title, "note": v.Note, "mode": v.Mode, "results": v.Results}
		})
	}
	c.element, c.name, c.rev, c.shown, c.results = element, name, rev, true, v.Results
	js.Global().Get("charts").Call("show", name, element, c.draw)
}

// array hands numbers to the browser as they are.
func array(data []float64) js.Value {
	a := js.Global().Get("Float64Array").New(len(data))
	if len(data) > 0 {
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), 8*len(data))
		js.CopyBytesToJS(js.Global().Get("Uint8Array").New(a.Get("buffer")), bytes)
	}
	return a
}

func (c *canvas) dispose() {
	if c.shown {
		js.Global().Get("charts").Call("dispose", c.name)
		c.draw.Release()
		c.shown, c.results = false, 0
	}
}

// markup is an element whose content is set as a whole, and only when it has
// changed: what the virtual nodes do not have is left alone.
type markup struct {
	inside js.Value
	html   string
}

func (m *markup) set(element js.Value, html string) {
	if element.Equal(m.inside) && m.html == html {
		return
	}
	m.inside, m.html = element, html
	id := ""
	if at := js.Global().Get("document").Get("activeElement"); at.Truthy() && element.Call("contains", at).Bool() {
		id = at.Get("id").String()
	}
	element.Set("innerHTML", html)
	next := element.Call("querySelector", "[autofocus]")
	if !next.Truthy() && id != "" {
		next = js.Global().Get("document").Call("getElementById", id)
	}
	if next.Truthy() { // what was used stays in use
		next.Call("focus", map[string]any{"preventScroll": true})
	}
}

// created runs on every render.
func (c *Numbers) created(v vjs.Value) { c.markup.set(js.Value(v), c.content()) }

// filled runs on every render.
func (c *Shelf) filled(v vjs.Value) { c.set(js.Value(v), c.text) }

// filled runs on every render.
func (c *Papers) filled(v vjs.Value) { c.markup.set(js.Value(v), c.board()) }

// filled runs on every render.
func (c *Sheet) filled(v vjs.Value) {
	text := c.rows()
	is := text != c.markup.html
	c.markup.set(js.Value(v), text)
	if at := js.Value(v).Call("querySelector", "tr.here"); is && at.Truthy() {
		at.Call("scrollIntoView", map[string]any{"block": "center"})
	}
}

// filled runs on every render.
func (c *Question) filled(v vjs.Value) { c.markup.set(js.Value(v), c.rows()) }

// walked runs on every render.
func (c *Question) walked(v vjs.Value) { c.walk.set(js.Value(v), c.pointHTML()) }

// asked runs on every render.
func (c *Question) asked(v vjs.Value) { c.cards.set(js.Value(v), c.ready) }

// lanes is where a run is drawn over time.
type lanes struct {
	element js.Value
	job     int            // whose columns are drawn
	part    int            // that the newest window of them came with
	kept    map[string]int // by laboratory: whose columns the page keeps
}

// columns are those that came with a job, which the page keeps in place of another's.
func (l *lanes) columns(name string, job int) js.Value {
	all := js.Global().Get("tools").Get("columns")
	if was := l.kept[name]; was != job {
		if l.kept == nil {
			l.kept = map[string]int{}
		}
		l.kept[name] = job
		all.Delete(strconv.Itoa(was))
	}
	return all.Get(strconv.Itoa(job))
}

// created runs on every render.
func (c *Timeline) created(v vjs.Value) {
	t, tools := c.Timeline, js.Global().Get("tools")
	if !c.shown() {
		return
	}
	if element := js.Value(v); t.Columns != c.job || !element.Equal(c.element) {
		c.job, c.part, c.element = t.Columns, 0, element
		tools.Call("lanes", element, c.columns(c.Info.Name, t.Columns), t.Of(), t.At(), c.Name("timeline", ""))
	}
	if t.Part != c.part {
		c.part = t.Part
		tools.Call("lanesPart", c.columns(c.Info.Name+" part", t.Part))
	}
}
