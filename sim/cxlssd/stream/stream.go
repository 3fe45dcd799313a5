// Package stream is what runs in the laboratory of the CXL-SSD: threads that ask
// memory for cache lines, after the last-level cache. A stream is generated from a
// [Recipe] or was recorded.
//
// # Source
//
// The recipes are reconstructed from what the SkyByte artifact's reports and warm-up
// snapshots say of its traces, which are not published with it: request mixes,
// footprints, residency at the start, work by thread.
package stream

import (
	"spillway/sim/unit"
)

// Lines is how many cache lines of 64 bytes a page of 4 KiB has.
const Lines = 64

// A Request is one access to memory: the page, the line in it, whether it writes, and
// the core's cycles between the thread's previous request and this one.
//
// Bits 0 to 23 are the page, 24 to 29 the line, bit 30 is set of a write, bits 31 to
// 63 are the cycles.
type Request uint64

// MaxPages bounds the pages of a stream, MaxGap the cycles before a request.
const (
	MaxPages = 1 << 24
	MaxGap   = 1<<33 - 1
)

// NewRequest returns a request. gap is in cycles of the core, at most MaxGap.
func NewRequest(page uint32, line uint8, write bool, gap unit.Cycles) Request {
	r := Request(page) | Request(line)<<24 | Request(gap)<<31
	if write {
		r |= 1 << 30
	}
	return r
}

// Page returns the page, by its number in the stream: pages count from 0 without gaps.
func (r Request) Page() uint32 { return uint32(r) & (MaxPages - 1) }

// Line returns the line in the page, 0 to 63.
func (r Request) Line() uint8 { return uint8(r>>24) & (Lines - 1) }

// Write reports whether the request writes.
func (r Request) Write() bool { return r>>30&1 != 0 }

// Gap returns the cycles that the core computes before it.
func (r Request) Gap() unit.Cycles { return unit.Cycles(r >> 31) }

// A Stream is the requests of every thread. It is immutable: every design with the
// same number of threads runs the same one.
type Stream struct {
	Threads [][]Request
	Pages   int32 // of the footprint
	Count   int64 // requests of all threads
}

// A Workload is what a stream is made of: a recipe or a recording.
type Workload struct {
	Name, Title, About, Origin string
	// Recipe has, of a recording, what a recording does not say: how loads overlap, and
	// how full the device is at the start.
	Recipe   Recipe
	Recorded *Stream // nil of one that is generated
	Seed     int64
	// made are the streams that were asked for, the last ones; scaled is what At returned.
	made   []made
	scale  int64
	scaled *Workload
}

type made struct {
	threads int
	stream  *Stream
}

// A Bucket is a range of how many lines of a page a visit touches, with its
// probability in millionths.
type Bucket struct {
	Millionths int64
	Low, High  int32
}

// A Resident is a point of what is resident at the start: with a cache of Pages pages
// the share of the class's pages in millionths.
type Resident struct {
	Pages      int64
	Millionths int64
}

// A Class is a kind of page visit: a range of pages that are visited alike.
type Class struct {
	Name   string
	Pages  int64
	Visits int64 // of random order, or of several passes; 0 is one pass
	Random bool  // pages are drawn; else every thread walks its own chunk in order
	Theta  int64 // popularity skew of drawn pages in thousandths; 0 is uniform
	Lines  []Bucket
	Writes int64      // share of requests that write, in thousandths
	Warm   []Resident // linear between points, beyond the last never resident
	// WarmLog is what is resident in designs with a write log, where it differs; NoLog
	// says that nothing is then.
	WarmLog []Resident
	NoLog   bool
}

// Stores says what a store costs a core in designs without a write log.
type Stores int64

// What a store may be.
const (
	Blocking Stores = iota // as a load
	Buffered Stores = 2    // it enters the store buffer
)

// A Recipe says how a stream is generated and how its threads run. All counts are at
// full scale; Scaled returns what runs.
type Recipe struct {
	Instructions int64       // of all threads together
	CPI          int64       // cycles an instruction between requests, in thousandths
	OnChip       unit.Cycles // fixed cost of every request before memory
	DRAM         unit.Time   // latency of a request where all is in DRAM
	Overlap      int64       // probability that a load does not block its thread, in thousandths
	Outstanding  int64       // loads under way at most
	Visits       int64       // page visits that a thread has under way
	Stores       Stores
	Heavy        int64 // of every eight threads so many have HeavyShare of all visits, in thousandths
	HeavyShare   int64
	// Sharing is how many threads in a row walk over the same pages of classes that are walked in
	// order, each reading its part of every visit's lines; 0 and 1: each has its own pages.
	Sharing     int64
	DemoteDirty int64 // probability in thousandths that a promotion into a full host DRAM costs a program
	DemoteMost  int64 // host DRAM up to so many MiB is full at the start
	Fill        int64 // probability in thousandths that a cache way holds a foreign page at the start
	FillPromote int64 // the same in designs with promotion
	Switching   int64 // threads of designs that switch
	Classes     []Class
}
