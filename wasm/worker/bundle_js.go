//go:build !lean

package worker

import (
	"spillway/ui/bundle"
	"spillway/ui/work"
)

// binder is what the program knows of bundles.
func binder() work.Binder { return bundle.Binder{} }
