package serve

import "spillway/sim/serve/load"

// What is served has a package of its own, so that readers of files know no system.
type (
	// A Block is load's.
	Block = load.Block
	// A Request is load's.
	Request = load.Request
	// A Workload is load's.
	Workload = load.Workload
)

// The most that a workload may have, as load's.
const (
	MostRequests = load.MostRequests
	MostTokens   = load.MostTokens
	MostBlocks   = load.MostBlocks
)
