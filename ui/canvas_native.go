//go:build !(js && wasm)

package ui

import vjs "github.com/vugu/vugu/js"

// canvas is where a chart is drawn; without a browser it is nothing.
type canvas struct{}

func (c *Figure) created(vjs.Value) { c.drawn() }

func (c *Sheet) created(vjs.Value) { c.drawn() }

func (c *canvas) dispose() {}
