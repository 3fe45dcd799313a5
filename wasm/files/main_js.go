// Files is the program that reads files for all laboratories: what people drop goes there
// first, and a laboratory gets what was found.
package main

import (
	"spillway/ui/files"
	"spillway/wasm/worker"
)

func main() { worker.Run(&files.Desk{}) }
