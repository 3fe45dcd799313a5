package stream

import "math/bits"

// A Locality is what of a page is used while it is in a cache.
type Locality struct {
	Hits, Misses int64
	// Lines counts stays of pages in the cache by how many of the 64 lines were read or
	// written, Written by how many were written. Stays that the end of the stream cut
	// off are in Left and LeftWritten.
	Lines, Written, Left, LeftWritten [Lines + 1]int64
}

// Locality runs the stream through a cache of whole pages alone, which replaces the one
// not used for longest and is empty at the start. The threads' requests come in the
// order of their clocks.
func (s *Stream) Locality(pages int) *Locality {
	pages = max(pages, 1)
	l := &Locality{}
	// The list of cached pages, the one used last first; its ends are the extra element.
	end := uint32(s.Pages)
	next, last := make([]uint32, s.Pages+1), make([]uint32, s.Pages+1)
	next[end], last[end] = end, end
	lines, written := make([]uint64, s.Pages), make([]uint64, s.Pages)
	used := 0
	order := s.walk()
	for {
		q, t := order.next()
		if t < 0 {
			break
		}
		page := q.Page()
		if lines[page] != 0 {
			l.Hits++
			next[last[page]], last[next[page]] = next[page], last[page]
		} else {
			l.Misses++
			if used++; used > pages {
				used--
				old := last[end]
				last[end] = last[old]
				next[last[old]] = end
				l.Lines[bits.OnesCount64(lines[old])]++
				l.Written[bits.OnesCount64(written[old])]++
				lines[old], written[old] = 0, 0
			}
		}
		next[page], last[page] = next[end], end
		last[next[end]], next[end] = page, page
		bit := uint64(1) << q.Line()
		lines[page] |= bit
		if q.Write() {
			written[page] |= bit
		}
	}
	for page := next[end]; page != end; page = next[page] {
		l.Left[bits.OnesCount64(lines[page])]++
		l.LeftWritten[bits.OnesCount64(written[page])]++
	}
	return l
}
