// Package browser is what the page and the laboratories' programs both need from
// JavaScript.
package browser

import "syscall/js"

// Await blocks the goroutine until the promise settles. It must not be called
// in a js.FuncOf callback.
func Await(promise js.Value) (js.Value, error) {
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

// Bytes copies a Uint8Array.
func Bytes(array js.Value) []byte {
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	return b
}

// Array copies b into a Uint8Array.
func Array(b []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}
