// Package effort says how much a test shall try: a change waits for the tests of
// today, `make nightly` runs all that they leave out. Only tests import it.
//
// There are three efforts. With -short a test tries what shows that the platform is
// right (WebAssembly, copies of the repository). Without it a test tries everything but
// the long lists of like cases, of which it takes a share that changes with the commit.
// At night it takes them all.
package effort

import (
	"iter"
	"os"
	"runtime"
	"strconv"
	"testing"
)

// The variables of the environment that build/suites sets.
const (
	Variable = "SPILLWAY_EFFORT" // "nightly", or nothing
	Turn     = "SPILLWAY_TURN"   // which share is this run's: a number made of the commit
)

// Nightly reports whether a test shall try everything.
func Nightly() bool { return os.Getenv(Variable) == "nightly" }

// Takes reports whether a test tries case number index of a long list of like cases:
// at night all, otherwise one in every, others with another commit.
func Takes(index, every int) bool {
	if Nightly() {
		return true
	}
	turn, _ := strconv.ParseUint(os.Getenv(Turn), 10, 32)
	return uint64(index)%uint64(every) == turn%uint64(every)
}

// Seeds are those of n random cases that a test tries: a quarter of them, half as many where
// tests are to be short, all at night.
func Seeds(n int) iter.Seq[uint64] {
	every := 4
	if testing.Short() {
		every *= 2
	}
	return func(yield func(uint64) bool) {
		for seed := range n {
			if Takes(seed, every) && !yield(uint64(seed)) {
				return
			}
		}
	}
}

// Natively skips a test where it runs as WebAssembly by day: its point is no platform's.
func Natively(t testing.TB) {
	t.Helper()
	if runtime.GOARCH == "wasm" && !Nightly() {
		t.Skip("natively each time; as WebAssembly at night")
	}
}

// Examples is the variable that says that the documents' examples were added to what is
// tested: golden files lack what they bring.
const Examples = "SPILLWAY_EXAMPLES"

// WithExamples reports that.
func WithExamples() bool { return os.Getenv(Examples) != "" }

// Outsider is the variable that asks build/outsider for more than that the examples of
// the documents apply: "whole" also vets, tests and runs the copy.
const Outsider = "SPILLWAY_OUTSIDER"
