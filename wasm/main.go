//go:build js && wasm

// Wasm is the program in the page and in its workers.
package main

import "syscall/js"

func main() {
	if app := js.Global().Get("document"); app.Truthy() {
		app.Call("querySelector", "#app").Set("textContent", "Spillway")
	}
	select {}
}
