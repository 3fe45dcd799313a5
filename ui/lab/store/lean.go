//go:build lean

package store

import "spillway/ui/lab"

// The lean program opens no files and knows no bundles; the page asks the whole one
// when files come or results go.

var open func([]lab.File) (lab.Files, error)

func entry(string, lab.Files) (*trace, error) { return nil, errNoFiles }

func exports() []format { return nil }
