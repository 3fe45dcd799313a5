//go:build !(js && wasm)

package ui

import vjs "github.com/vugu/vugu/js"

// paperCanvas is where a figure is drawn; without a browser it is nothing.
type paperCanvas struct{}

func (c *Reproduce) created(vjs.Value) {}

func (c *paperCanvas) dispose() {}

func (c *Reproduce) reveal() {}
