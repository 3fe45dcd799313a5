//go:build lean

package filesys

import "spillway/ui/lab"

// The lean program opens no files and writes no JSON; the page asks the whole one when
// files come or results go.

var open func([]lab.File) (lab.Files, error)

func entry(*settings, lab.Files) (*work, error) { return nil, errNoFiles }

func export(string, *work, *settings, string, lab.Origin, lab.Progress) ([]byte, error) {
	return nil, errNoFiles
}

func encode(*result) ([]byte, error) { return nil, errNoFiles }
