//go:build lean

package train

import (
	"spillway/sim/report"
	"spillway/sim/train/result"
	"spillway/ui/lab"
)

// A program that opens no files and writes no JSON is half as large: the decoders
// are the other half. The page starts with that; it asks the whole one when files
// come or results go.

var open func([]lab.File) (lab.Files, error)

// account needs a recording, which is in files.
func account(Workload) *report.Section { return &report.Section{} }

func encode(*result.Result) ([]byte, error) { return nil, errNoFiles }

func exports() []format { return nil }

func entry(*settings, lab.Files) (Workload, error) { return Workload{}, errNoFiles }
