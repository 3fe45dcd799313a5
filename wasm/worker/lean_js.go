//go:build lean

package worker

import (
	"spillway/ui/exec"
	"spillway/ui/lab"
)

// binder is nil: the whole program knows bundles.
func binder() exec.Binder { return nil }

// reader is nil: the whole program reads files.
func reader() func(*lab.Lab, []lab.File) (lab.Files, error) { return nil }
