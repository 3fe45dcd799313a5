//go:build lean

package compress

import "spillway/ui/lab"

// The lean program opens no files and writes no JSON; the page asks the whole one when
// they come or results go.

var open func([]lab.File) (lab.Files, error)

func entry(string, bool, lab.Files) (*memory, error) { return nil, errNoFiles }
