package main

import "syscall/js"

// laboratories, where it is set, is what this program does in a worker. The single
// HTML file has one program for the page and all laboratories, because each program
// by itself would bring the Go runtime along; build/site adds the file that sets it.
var laboratories func()

// atWork does the laboratories' work if this is a worker that has them, for ever.
func atWork() {
	if laboratories != nil && js.Global().Get("document").IsUndefined() {
		laboratories()
	}
}
