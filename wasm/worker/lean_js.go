//go:build lean

package worker

import "spillway/ui/work"

// binder is nil: the whole program knows bundles.
func binder() work.Binder { return nil }
