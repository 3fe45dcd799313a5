//go:build !(js && wasm)

package view

import vjs "github.com/vugu/vugu/js"

// canvas is where a chart is drawn; without a browser it is nothing.
type canvas struct{}

func (c *Figure) created(vjs.Value) { c.drawn() }

func (c *Sheet) created(vjs.Value) { c.drawn() }

func (c *canvas) dispose() {}

// markup is an element whose content is set as a whole; without a browser it is
// nothing.
type markup struct{}

func (m *markup) set(string) {}

func (c *Numbers) created(vjs.Value) { c.set(c.content()) }

func (c *Shelf) filled(vjs.Value) { c.set(c.text) }

func (c *Papers) filled(vjs.Value) { c.set(c.board()) }

func (c *Sheet) filled(vjs.Value) { c.set(c.rows()) }

func (c *Question) created(vjs.Value) { c.drawn() }

func (c *Question) filled(vjs.Value) { c.set(c.rows()) }

func (c *Question) walked(vjs.Value) { c.walk.set(c.pointHTML()) }

func (c *Question) asked(vjs.Value) { c.cards.set(c.ready) }

// lanes is where a run is drawn over time; without a browser it is nothing.
type lanes struct{}

func (*lanes) draw() {}

func (c *Timeline) created(vjs.Value) { c.draw() }
