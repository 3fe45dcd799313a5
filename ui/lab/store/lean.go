//go:build lean

package store

// The lean program knows no bundles and writes nothing; the page asks the whole one when
// results go.

func exports() []format { return nil }
