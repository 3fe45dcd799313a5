//go:build lean && !edge

package filesys

import "spillway/ui/lab"

// The page knows the presets; a host (tag edge) is asked for them.

func presets() []lab.Preset { return nil }
