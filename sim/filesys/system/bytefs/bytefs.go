// Package bytefs is ByteFS: metadata by bytes, data by whichever is less, in transactions of the device's log (ASPLOS 2025).
package bytefs

import (
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
)

// Options are its mechanisms, for ablations.
type Options struct {
	// Log: the device's DRAM is a log, and COMMIT ends a transaction; else it is a page
	// buffer.
	Log bool
	// Select: a page that changed little goes by bytes; else data always go in blocks.
	Select bool
}

// New returns the file system over the nodes that exist.
func New(h *host.Host, o Options) plan.FS { panic("stub") }
