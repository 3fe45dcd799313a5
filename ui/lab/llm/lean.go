//go:build lean

package llm

// The lean program writes nothing; the page asks the whole one when results go.

func exports() []format { return nil }
