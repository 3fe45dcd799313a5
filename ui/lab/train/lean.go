//go:build lean

package train

import "spillway/sim/train/result"

// A program that writes no JSON is much smaller. The page starts with that; it asks the
// whole one when results go.

func encode(*result.Result) ([]byte, error) { return nil, errNoFiles }

func exports() []format { return nil }
