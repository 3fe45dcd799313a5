// Package flash is the SSD underneath a machine: bandwidth and latency come out
// of its channels, planes and flash translation layer instead of going in.
//
// # Source
//
// The G10 paper, §5, runs an SSD simulator after Agrawal et al., "Design
// Tradeoffs for SSD Performance" (USENIX ATC 2008), with garbage collection and
// flash chip accesses, for a Samsung Z-NAND drive (Table 2); §7.7 computes the
// drive's lifetime. The paper gives no geometry. Numbers of the drives here
// come from data sheets and conference papers; each says so in its source text,
// or that it is assumed.
//
// # Model
//
// Logical pages are striped over all planes ([Spec.units]); each plane maps its
// share page by page, writes to one open block, and when its last free block is
// opened collects the closed block with the fewest valid pages (greedy; among
// equals the one that has had that count longest). A plane senses, programs or
// erases one thing at a time, the host's reads first. A channel carries one page at a time
// between its planes and the controller, the host's reads first. The link to the host is full duplex.
// A write is done for the host when it is in the controller's protected buffer,
// and leaves the buffer when it is programmed; a full buffer stops the host.
//
// [Simulate] brings a scaled-down drive into the steady state of a [Pattern]
// and then measures it with reads alone, writes alone and both.
//
// [Layer] is the translation layer by itself, for devices that keep their own time:
// with planes or with superblocks, thresholds of collection, old pages as counts, and as
// many frontiers a plane as streams are told apart (NVMe's Flexible Data Placement, NVM
// Command Set specification 1.1), where pages stay in their stream when they are collected
// or go to a frontier of their own: there isolated persistently and initially.
//
// # Parameters
//
// [Knobs] lists them. [Drives] has presets. What a drive is used for is not
// known here: a laboratory makes the pattern and takes the measurement.
//
// # Departures
//
//  1. The simulated drive is smaller than the drive ([Scale]): a slice of the
//     channels with the same slice of link, buffer and queue; fewer pages a block,
//     with erase time, buffer and requests shrunk alike; and fewer blocks, with
//     the same share of spare blocks. Striping makes slices equal.
//  2. Planes work independently; real dies want their planes to start together.
//  3. A read of the host suspends the program or erase in progress on its plane,
//     which goes on afterwards and loses nothing.
//  4. A plane has one frontier, for what the host writes and for what is collected. Wear
//     leveling is the first-in first-out order of free blocks; blocks do not
//     go bad, reads do not disturb, and map pages are all in the controller's DRAM.
//  5. Commands cost no bandwidth; firmware is one fixed overhead an access.
//  6. A drive with a single-bit write cache ([Spec.Burst]) writes at cache speed
//     only when fresh. In the steady state every page passes through the cache and is
//     folded, which occupies its plane for both; training fills such a cache in seconds.
//  7. A medium written in place (Erase 0) has no translation layer: its write
//     amplification is 1 and its state has no history.
//  8. Reads and writes count in whole flash pages: smaller requests move as much
//     as a page, except where latency is measured.
//  9. A measurement has rates for three states: reads alone, writes alone, both.
//     Collection is on demand, as writes need blocks, so that it slows what goes on
//     while the host writes, and its rates there have it in them; bursts within such
//     a state are in their mean. A buffer that fills when writes begin and drains
//     when they have ended, at most Buffer over Write (35 ms on a 990 PRO), is not
//     in them.
package flash

import (
	"errors"
	"fmt"
	"math"

	"spillway/sim/knob"
	"spillway/sim/unit"
)

// A Spec is one drive. It is copied freely.
type Spec struct {
	// Capacity is what the host can address; the flash holds OverProvision
	// thousandths more.
	Capacity      unit.Bytes
	OverProvision int64

	// Channels times Dies times Planes is how many pages can be programmed at a time.
	Channels, Dies, Planes int64
	// Pages is how many pages a block has, Page how large one is.
	Pages int64
	Page  unit.Bytes

	// Read, Program and Erase are how long a plane needs. Erase 0 is a medium
	// written in place.
	Read, Program, Erase unit.Time
	// BurstProgram is the program time of the single-bit write cache and Burst
	// its size; both 0 without one.
	BurstProgram unit.Time
	Burst        unit.Bytes

	// Channel is the rate of one channel.
	Channel unit.Bandwidth
	// Link is the host link after line coding, each direction, and Payload the
	// most data one of its packets carries.
	Link    unit.Bandwidth
	Payload unit.Bytes
	// ReadOverhead and WriteOverhead are the fixed part of an access: firmware,
	// command and completion.
	ReadOverhead, WriteOverhead unit.Time
	// Buffer holds written data until they are programmed.
	Buffer unit.Bytes

	// Endurance is what the host may write over Years of warranty.
	Endurance unit.Bytes
	Years     int64
}

// packet is what PCIe adds to the payload of a packet: framing 4, header 16,
// checksum 4 bytes, and 2 for acknowledgements and flow control.
const packet unit.Bytes = 26

// Rate returns what of the host link is left for data, each direction.
func (s *Spec) Rate() unit.Bandwidth {
	return unit.Bandwidth(unit.MulDiv(int64(s.Link), int64(s.Payload), int64(s.Payload+packet)))
}

// Most returns rates that the drive never exceeds, whatever the host does: what its link carries,
// what its channels carry, and what all planes sense or, behind a write cache, program and fold.
func (s *Spec) Most() (read, write unit.Bandwidth) {
	planes := func(each unit.Time) unit.Bandwidth {
		pages := unit.MulDiv(s.units(), int64(unit.Second), int64(each))
		return unit.Bandwidth(min(pages, math.MaxInt64/int64(s.Page)) * int64(s.Page))
	}
	outside := min(s.Rate(), unit.Bandwidth(s.Channels)*s.Channel)
	return min(outside, planes(s.Read)), min(outside, planes(s.sustainedProgram()))
}

// sustainedProgram is how long a page occupies its plane once a write cache is full: it is written
// there, read, and programmed (departure 6).
func (s *Spec) sustainedProgram() unit.Time {
	if s.BurstProgram > 0 {
		return s.Program + s.BurstProgram + s.Read
	}
	return s.Program
}

// InPlace reports whether the medium needs no erase.
func (s *Spec) InPlace() bool { return s.Erase == 0 }

// units is how many planes the drive has.
func (s *Spec) units() int64 { return s.Channels * s.Dies * s.Planes }

// Blocks returns how many blocks a plane has: enough for the capacity and the
// over-provisioning.
func (s *Spec) Blocks() int64 {
	raw := unit.MulDiv(int64(s.Capacity), 1000+s.OverProvision, 1000)
	block := s.units() * s.Pages * int64(s.Page)
	return (raw + block - 1) / block
}

// DWPD returns the rated drive writes per day in thousandths.
func (s *Spec) DWPD() int64 {
	return unit.MulDiv(int64(s.Endurance)/(365*s.Years), 1000, int64(s.Capacity))
}

// Knobs returns the list of every parameter of a Spec.
func Knobs() []knob.Knob[Spec] {
	var ks []knob.Knob[Spec]
	add := func(k knob.Knob[Spec]) {
		k.Source = "the drive's source text"
		ks = append(ks, k)
	}
	count := func(ref func(*Spec) *int64, key, label, help, group, name string, least, most int64) {
		add(knob.Int(knob.Info{Key: key, Label: label, Help: help, Group: group, Unit: name, Scale: 1, Min: least, Max: most}, ref))
	}
	size := func(ref func(*Spec) *unit.Bytes, key, label, help, group, name string, scale, least, most unit.Bytes) {
		add(knob.Int(knob.Info{Key: key, Label: label, Help: help, Group: group, Unit: name, Scale: int64(scale), Min: int64(least), Max: int64(most)}, ref))
	}
	span := func(ref func(*Spec) *unit.Time, key, label, help, group string, least unit.Time) {
		add(knob.Int(knob.Info{Key: key, Label: label, Help: help, Group: group, Unit: "µs", Scale: int64(unit.Microsecond), Min: int64(least), Max: int64(unit.Second)}, ref))
	}
	rate := func(ref func(*Spec) *unit.Bandwidth, key, label, help, group string) {
		add(knob.Int(knob.Info{Key: key, Label: label, Help: help, Group: group, Unit: "GB/s", Scale: int64(unit.GBps), Min: int64(10 * unit.MBps), Max: int64(1000 * unit.GBps)}, ref))
	}
	const (
		geometry = "SSD geometry"
		medium   = "SSD medium"
		outside  = "SSD interface"
		wear     = "SSD endurance"
	)
	size(func(s *Spec) *unit.Bytes { return &s.Capacity }, "flash_capacity", "Capacity", "What the host can address.", geometry, "GB", unit.GB, unit.GB, 1e6*unit.GB)
	add(knob.Int(knob.Info{
		Key: "flash_spare", Label: "Over-provisioning", Group: geometry, Unit: "%", Scale: 10, Min: 0, Max: 4000,
		Help: "Flash beyond the capacity, which garbage collection works with.",
	}, func(s *Spec) *int64 { return &s.OverProvision }))
	count(func(s *Spec) *int64 { return &s.Channels }, "flash_channels", "Channels", "Buses between controller and flash.", geometry, "", 1, 256)
	count(func(s *Spec) *int64 { return &s.Dies }, "flash_dies", "Dies", "Dies on a channel that work at a time.", geometry, "", 1, 64)
	count(func(s *Spec) *int64 { return &s.Planes }, "flash_planes", "Planes", "Planes of a die; each works on a page of its own.", geometry, "", 1, 8)
	count(func(s *Spec) *int64 { return &s.Pages }, "flash_pages", "Pages per block", "What one erase frees.", geometry, "pages", 2, 1<<14)
	size(func(s *Spec) *unit.Bytes { return &s.Page }, "flash_page", "Flash page", "What one program writes.", geometry, "KiB", unit.KiB, unit.Page, 256*unit.KiB)
	span(func(s *Spec) *unit.Time { return &s.Read }, "flash_read", "Page read", "Time a plane needs to sense a page.", medium, unit.Nanosecond)
	span(func(s *Spec) *unit.Time { return &s.Program }, "flash_program", "Page program", "Time a plane needs to program a page.", medium, unit.Nanosecond)
	span(func(s *Spec) *unit.Time { return &s.Erase }, "flash_erase", "Block erase", "Time a plane needs to erase a block; 0 is a medium written in place.", medium, 0)
	span(func(s *Spec) *unit.Time { return &s.BurstProgram }, "flash_burst_program", "Cache program", "Program time of the write cache; 0 without a cache.", medium, 0)
	size(func(s *Spec) *unit.Bytes { return &s.Burst }, "flash_burst", "Write cache", "Size of the single-bit write cache of a fresh drive.", medium, "GB", unit.GB, 0, 1e5*unit.GB)
	rate(func(s *Spec) *unit.Bandwidth { return &s.Channel }, "flash_channel", "Channel rate", "Rate of one channel.", outside)
	rate(func(s *Spec) *unit.Bandwidth { return &s.Link }, "flash_link", "Host link", "Host link after line coding, each direction.", outside)
	size(func(s *Spec) *unit.Bytes { return &s.Payload }, "flash_payload", "Packet payload", "Most data in one packet of the host link; packets have 26 bytes of their own.", outside, "B", 1, 64, unit.Page)
	span(func(s *Spec) *unit.Time { return &s.ReadOverhead }, "flash_read_overhead", "Read overhead", "Firmware and command time of a read.", outside, 0)
	span(func(s *Spec) *unit.Time { return &s.WriteOverhead }, "flash_write_overhead", "Write overhead", "Firmware and command time of a write.", outside, 0)
	size(func(s *Spec) *unit.Bytes { return &s.Buffer }, "flash_buffer", "Write buffer", "Holds written data until they are programmed.", outside, "MiB", unit.MiB, unit.MiB, 64*unit.GiB)
	size(func(s *Spec) *unit.Bytes { return &s.Endurance }, "flash_endurance", "Endurance", "What the host may write during the warranty.", wear, "TB", 1000*unit.GB, unit.GB, 1e9*unit.GB)
	count(func(s *Spec) *int64 { return &s.Years }, "flash_years", "Warranty", "Years the endurance is rated for.", wear, "years", 1, 50)
	return ks
}

// Validate reports every parameter that is out of range and every relation
// between parameters that does not hold.
func (s Spec) Validate() error {
	if err := knob.CheckAll(Knobs(), &s); err != nil {
		return err
	}
	var errs []error
	if (s.BurstProgram == 0) != (s.Burst == 0) {
		errs = append(errs, errors.New("a write cache needs both a size and a program time; set both or neither to 0"))
	}
	if !s.InPlace() && s.OverProvision < minSpare {
		errs = append(errs, fmt.Errorf("over-provisioning is %s %%; a drive with garbage collection needs at least %s %%",
			knob.Decimal(s.OverProvision, 10), knob.Decimal(minSpare, 10)))
	}
	if s.Blocks() < 8 {
		errs = append(errs, fmt.Errorf("a plane has only %d blocks; want 8 or more: raise the capacity or lower channels, dies, planes or pages per block", s.Blocks()))
	}
	return errors.Join(errs...)
}

// minSpare is the least over-provisioning, in thousandths, that the scaled-down
// drive can represent.
const minSpare = 20
