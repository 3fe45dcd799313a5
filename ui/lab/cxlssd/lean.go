//go:build lean

package cxlssd

import "spillway/ui/lab"

// The lean program opens no files and writes no JSON; the page asks the whole one when
// files come or results go.

var open func([]lab.File) (lab.Files, error)

func entry(*settings, lab.Files) (*trace, error) { return nil, errNoFiles }

func exports() []format { return nil }

func encode(*result) ([]byte, error) { return nil, errNoFiles }
