//go:build !lean

package worker

import (
	"spillway/ui/bundle"
	"spillway/ui/exec"
)

// binder is what the program knows of bundles.
func binder() exec.Binder { return bundle.Binder{} }
