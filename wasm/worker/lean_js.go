//go:build lean

package worker

import "spillway/ui/exec"

// binder is nil: the whole program knows bundles.
func binder() exec.Binder { return nil }
