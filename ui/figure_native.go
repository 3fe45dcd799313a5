//go:build !(js && wasm)

package ui

import vjs "github.com/vugu/vugu/js"

// canvas is where a chart is drawn; without a browser it is nothing.
type canvas struct{}

func (c *Figure) created(vjs.Value) {}

func (c *canvas) dispose() {}
