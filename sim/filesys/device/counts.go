package device

import (
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// An Interface is how the host reaches the device.
type Interface uint8

// The interfaces.
const (
	Block Interface = iota
	Byte
	Interfaces
)

// A Direction is which way data go.
type Direction uint8

// The directions.
const (
	Reads Direction = iota
	Writes
	Directions
)

// A Why is why a page of flash is read or programmed.
type Why uint8

// The reasons.
const (
	ByHost     Why = iota // a block command, or a load that the DRAM does not have
	ByBuffer              // a miss of the page buffer: its read, or the program of what leaves
	ByCleaning            // the log: the coalescing read, the program
	ByCollection
	Whys
)

// Counts are what a device did.
type Counts struct {
	// Bytes between host and device, and accesses (commands, or loads and stores of one
	// page), by structure.
	Bytes    [plan.Structures][Interfaces][Directions]int64
	Accesses [plan.Structures][Interfaces][Directions]int64
	// Pages of flash read and programmed, by why, and programmed by the structure of the
	// page, but for those that collection copied.
	FlashReads, FlashPrograms [Whys]int64
	Programmed                [plan.Structures]int64
	Erases                    int64
	Commits                   int64
	// Of the log: lines appended, those that replaced one, lines that block writes and
	// trims made void, lines of open transactions that cleaning carried to the other half,
	// reads of a page that it served wholly and in part, swaps, pages cleaned by how many
	// lines were merged, stores that waited for room
	// (which the engine counts, once each).
	Appended, Replaced, Voided, Carried int64
	LogHits, LogPartial                 int64
	Swaps                               int64
	Merged                              [65]int64
	Full                                int64
	// Of the page buffer: accesses of pages that it has, and that it has not.
	BufferHits, BufferMisses int64
	// Promoted are pages without content that the page buffer took in, where the setup counts them
	// as read from flash (CountsEmpty); flash did nothing for them.
	Promoted int64 `json:",omitempty"`
	// Busy is how long each channel worked.
	Busy []unit.Time
}
