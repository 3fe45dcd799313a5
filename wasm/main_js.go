// Wasm is the browser's half of Spillway, one program with two roles: in a
// document it is the page, in a Web Worker it runs simulations.
package main

import (
	"runtime/debug"
	"syscall/js"
)

func main() {
	if js.Global().Get("document").Truthy() {
		runPage()
		return
	}
	debug.SetGCPercent(200)        // short jobs on a small heap: collect less often,
	debug.SetMemoryLimit(72 << 20) // but a tab never gives memory back
	runWorker()
}

// await blocks the goroutine until the promise settles. It must not be called
// in a js.FuncOf callback.
func await(promise js.Value) (js.Value, error) {
	type outcome struct {
		value js.Value
		err   error
	}
	ch := make(chan outcome, 1)
	good := js.FuncOf(func(_ js.Value, args []js.Value) any {
		ch <- outcome{value: args[0]}
		return nil
	})
	bad := js.FuncOf(func(_ js.Value, args []js.Value) any {
		ch <- outcome{err: js.Error{Value: args[0]}}
		return nil
	})
	defer good.Release()
	defer bad.Release()
	promise.Call("then", good, bad)
	o := <-ch
	return o.value, o.err
}
