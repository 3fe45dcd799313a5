// Package device is a memory-semantic SSD: one space of pages that can be reached by
// block commands and, line by line, as memory.
package device

import (
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// A Memory says what the device's DRAM is.
type Memory uint8

// The memories.
const (
	NoMemory   Memory = iota // block commands only (Ext4, F2FS)
	PageBuffer               // an LRU cache of pages for the byte path (NOVA, PMFS; ByteFS without its log)
	WriteLog                 // a log of lines (ByteFS)
)

// A Device is an SSD under way. Every method is used in the order of simulated time and
// returns when the host may go on.
type Device struct {
	Counts Counts
}

// New returns a device whose flash holds nothing but old data. waits says that block
// writes are answered when they are programmed. record may be nil.
func New(m *machine.Setup, memory Memory, waits bool, record func(plan.Event)) *Device {
	panic("stub")
}

// Pages is how many logical pages the device has.
func (d *Device) Pages() int32 { panic("stub") }

// Preload gives a page content before the run begins, without time or counts.
func (d *Device) Preload(page int32) { panic("stub") }

// BlockRead reads n pages from page.
func (d *Device) BlockRead(now unit.Time, s plan.Structure, page, n int32) unit.Time { panic("stub") }

// BlockWrite writes n pages from page, for transaction tx or 0.
func (d *Device) BlockWrite(now unit.Time, s plan.Structure, page, n, tx int32) unit.Time {
	panic("stub")
}

// ByteRead loads lines of a page.
func (d *Device) ByteRead(now unit.Time, s plan.Structure, page int32, lines uint64) unit.Time {
	panic("stub")
}

// ByteWrite stores lines of a page. false says that the log is full: nothing was done, and
// the host asks again at the time returned, which is when a page will have been cleaned.
func (d *Device) ByteWrite(now unit.Time, s plan.Structure, page int32, lines uint64, tx int32) (unit.Time, bool) {
	panic("stub")
}

// Commit commits a transaction.
func (d *Device) Commit(now unit.Time, tx int32) unit.Time { panic("stub") }

// Trim says that a page holds nothing.
func (d *Device) Trim(now unit.Time, page int32) { panic("stub") }

// Mapped reports whether a page has content, in flash or in DRAM.
func (d *Device) Mapped(page int32) bool { panic("stub") }

// Due returns when the device next does something by itself (cleaning, collection), and
// false if it will not until it is used. Act does what is due at that time.
func (d *Device) Due() (unit.Time, bool) { panic("stub") }

// Act does what is due.
func (d *Device) Act(now unit.Time) { panic("stub") }

// Log returns how many bytes of the log are in use, of how many, and whether it is being
// cleaned.
func (d *Device) Log() (used, size int64, cleaning bool) { panic("stub") }

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
	// Pages of flash read and programmed, by why, and programmed by the structure of the page.
	FlashReads, FlashPrograms [Whys]int64
	Programmed                [plan.Structures]int64
	Erases                    int64
	Commits                   int64
	// Of the log: lines appended, those that replaced one, lines that block writes and
	// trims made void, reads that it served wholly and in part, swaps, pages cleaned by
	// how many lines were merged, waits of writers for room.
	Appended, Replaced, Voided int64
	LogHits, LogPartial        int64
	Swaps                      int64
	Merged                     [65]int64
	Full                       int64
	// Of the page buffer.
	BufferHits, BufferMisses int64
	// Busy is how long each channel worked, FirmwareBusy the firmware, LinkBusy the link.
	Busy                   []unit.Time
	FirmwareBusy, LinkBusy unit.Time
	// Waited is how long accesses of the host waited at channels, in sum.
	Waited unit.Time
}
