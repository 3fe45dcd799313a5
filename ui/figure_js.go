//go:build js && wasm

package ui

import (
	"syscall/js"

	vjs "github.com/vugu/vugu/js"
)

// canvas is where a chart is drawn.
type canvas struct {
	element js.Value
	name    string
	rev     int
	drawn   bool
	draw    js.Func // returns what to draw
}

// created runs on every render. When the element or the numbers changed it
// asks for a drawing; charts.js asks back for the numbers when it has time, so
// that many changes in a row cost one drawing.
func (c *Figure) created(v vjs.Value) {
	element := js.Value(v)
	same := c.drawn && element.Equal(c.element)
	if same && c.rev == c.Rev {
		return
	}
	if !same {
		c.dispose()
		c.draw = js.FuncOf(func(js.Value, []js.Value) any {
			ch := c.chart()
			return map[string]any{"option": ch.Option(), "title": ch.Title, "note": ch.Note, "results": ch.Results}
		})
	}
	c.element, c.name, c.rev, c.drawn = element, c.chart().ID, c.Rev, true
	js.Global().Get("charts").Call("show", c.name, element, c.draw)
}

func (c *canvas) dispose() {
	if c.drawn {
		js.Global().Get("charts").Call("dispose", c.name)
		c.draw.Release()
		c.drawn = false
	}
}
