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
}

// created runs on every render; it draws when the element or the numbers changed.
func (c *Figure) created(v vjs.Value) {
	element := js.Value(v)
	same := c.drawn && element.Equal(c.element)
	if same && c.rev == c.Rev {
		return
	}
	if !same {
		c.dispose()
	}
	ch := c.chart()
	c.element, c.name, c.rev, c.drawn = element, ch.ID, c.Rev, true
	js.Global().Get("charts").Call("show", c.name, element, ch.Option(), ch.Title, ch.Note)
}

func (c *canvas) dispose() {
	if c.drawn {
		js.Global().Get("charts").Call("dispose", c.name)
		c.drawn = false
	}
}
