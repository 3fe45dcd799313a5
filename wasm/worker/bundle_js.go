//go:build !lean

package worker

import (
	"spillway/ui/bundle"
	"spillway/ui/exec"
	"spillway/ui/files"
	"spillway/ui/lab"
)

// binder is what the program knows of bundles.
func binder() exec.Binder { return bundle.Binder{} }

// reader reads files for a laboratory.
func reader() func(*lab.Lab, []lab.File) (lab.Files, error) { return files.Open }
