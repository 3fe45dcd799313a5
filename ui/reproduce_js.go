//go:build js && wasm

package ui

import (
	"syscall/js"
	"time"

	vjs "github.com/vugu/vugu/js"
)

// paperCanvas is where the shown figure is drawn.
type paperCanvas struct {
	element js.Value
	figure  string
	rev     int
	drawn   bool
	at      time.Time
	draw    js.Func
}

// oftenest is how often a chart follows runs that are going on.
const oftenest = 400 * time.Millisecond

// created runs on every render; it asks for a drawing when the element, the
// figure or the numbers changed.
func (c *Reproduce) created(v vjs.Value) {
	if c.isClaims() {
		c.dispose()
		return
	}
	element, rev := js.Value(v), c.Paper.RevOf(c.State.Figure)
	same := c.drawn && element.Equal(c.element)
	if same && c.paperCanvas.figure == c.State.Figure && (rev == c.rev || c.Paper.Active() && time.Since(c.at) < oftenest) {
		return
	}
	if !same {
		c.dispose()
		c.draw = js.FuncOf(func(js.Value, []js.Value) any {
			ch := &c.chart
			return map[string]any{"option": ch.Option(), "title": ch.Title, "note": ch.Note + " " + ch.Text, "results": 1}
		})
	}
	c.element, c.paperCanvas.figure, c.rev, c.drawn, c.at = element, c.State.Figure, rev, true, time.Now()
	js.Global().Get("charts").Call("show", "paper", element, c.draw)
}

func (c *paperCanvas) dispose() {
	if c.drawn {
		js.Global().Get("charts").Call("dispose", "paper")
		c.draw.Release()
		c.drawn = false
	}
}

// reveal brings the shown figure into view.
func (c *Reproduce) reveal() {
	js.Global().Get("document").Call("getElementById", "main").Call("scrollIntoView")
}
