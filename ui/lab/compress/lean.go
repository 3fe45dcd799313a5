//go:build lean

package compress

import "spillway/ui/lab"

// The lean program opens no files; the page asks the whole one when they come.

var open func([]lab.File) (lab.Files, error)

func entry(string, bool, lab.Files) (*memory, error) { return nil, errNoFiles }
