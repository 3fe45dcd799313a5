package stream

import (
	"fmt"

	"spillway/sim/unit"
)

// A Filtered is what a last-level cache let through.
type Filtered struct {
	*Stream
	Accesses   int64 // that the cache was asked
	Misses     int64 // reads of memory, for loads and stores
	WriteBacks int64 // writes to memory: dirty lines that made room
	Left       int64 // dirty lines that are in the cache at the end, and are not written
}

// A line of the cache: its number, and whether it is dirty.
const (
	dirtyLine = 1 << 31
	noLine    = 1<<31 - 1 // of a page beyond MaxPages
)

// Filter puts a last-level cache before the stream, which then are all accesses of the
// threads, and returns the requests that reach memory. The cache has lines of 64 bytes
// in sets of so many ways, replaces the one not used for longest, and is shared: the
// threads' accesses come in the order of their clocks, which are the sums of their gaps.
// It is empty at the beginning. A load or store that misses reads its line. A dirty line
// that makes room is written, directly behind that read and without gap. The gaps of
// accesses that hit are added to the thread's next request; behind its last one they
// are lost.
func (s *Stream) Filter(size unit.Bytes, ways int) (*Filtered, error) {
	if ways < 1 || ways > 1024 || size < unit.Bytes(ways)*Lines || size > unit.GiB || size%(unit.Bytes(ways)*Lines) != 0 {
		return nil, fmt.Errorf("a last-level cache of %v with %d ways is not possible; want 1 to 1024 ways, and a multiple of ways × 64 B up to 1 GiB", size, ways)
	}
	// Sets beyond the footprint's lines would stay empty.
	sets := uint32(min(int64(size)/Lines/int64(ways), max(int64(s.Pages)*Lines, 1)))
	f := &Filtered{Stream: &Stream{Pages: s.Pages, Threads: make([][]Request, len(s.Threads))}, Accesses: s.Count}
	lines := make([]uint32, int(sets)*ways) // of every set, the one used last first
	for i := range lines {
		lines[i] = noLine
	}
	gaps := make([]unit.Cycles, len(s.Threads))
	order := s.walk()
	for {
		q, t := order.next()
		if t < 0 {
			break
		}
		gap := gaps[t] + q.Gap()
		line := uint32(q.Page())<<6 | uint32(q.Line())
		dirty := uint32(0)
		if q.Write() {
			dirty = dirtyLine
		}
		first := int(line%sets) * ways
		set := lines[first : first+ways]
		at := 0
		for at < ways-1 && set[at]&^dirtyLine != line {
			at++
		}
		old := set[at]
		copy(set[1:at+1], set[:at])
		if old&^dirtyLine == line {
			set[0] = old | dirty
			gaps[t] = min(gap, MaxGap)
			continue
		}
		set[0] = line | dirty
		gaps[t] = 0
		f.Misses++
		f.Threads[t] = append(f.Threads[t], NewRequest(q.Page(), q.Line(), false, min(gap, MaxGap)))
		if old&dirtyLine != 0 {
			old &^= dirtyLine
			f.WriteBacks++
			f.Threads[t] = append(f.Threads[t], NewRequest(old>>6, uint8(old&(Lines-1)), true, 0))
		}
	}
	for _, l := range lines {
		if l&dirtyLine != 0 {
			f.Left++
		}
	}
	f.Count = f.Misses + f.WriteBacks
	return f, nil
}
