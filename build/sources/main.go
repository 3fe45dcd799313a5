// Sources prints the hash of the sources of site and command, which their versions have.
//
//	go run ./build/sources
package main

import (
	"fmt"
	"os"

	"spillway/build/tree"
)

func main() {
	sum, err := tree.Hash(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "sources:", err)
		os.Exit(1)
	}
	fmt.Println(sum)
}
