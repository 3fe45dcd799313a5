package address

import (
	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// A trace with more accesses than are kept is filtered while it is read, from its beginning: each
// thread gets a cache of its own, and what misses it is kept. So a recording of a program that
// runs for long is kept for long, and what a larger cache sees of it is what it would see behind
// the caches of real cores. How many accesses a program has does not matter any more, only how
// many miss.
const (
	filterWays = 8
	filterSize = 256 * unit.KiB // as a core's second cache has it
	filterSets = uint32(filterSize/lineBytes) / filterWays
)

// A filter is a cache of 64-byte lines that replaces the one not used for longest, and what it did
// so far.
type filter struct {
	lines []uint32    // of every set, the one used last first; dirtyLine is a bit of theirs
	gap   unit.Cycles // of accesses that hit since the last that did not
}

const (
	dirtyLine = 1 << 31
	noLine    = 1<<31 - 1
)

func newFilter() *filter {
	f := &filter{lines: make([]uint32, filterSets*filterWays)}
	for i := range f.lines {
		f.lines[i] = noLine
	}
	return f
}

// ask asks the cache for a request's line. It appends what reaches memory: the read of a line that
// is not there, and the write of a dirty one that makes room.
func (f *filter) ask(q stream.Request, out []stream.Request) []stream.Request {
	line := uint32(q.Page())<<6 | uint32(q.Line())
	dirty := uint32(0)
	if q.Write() {
		dirty = dirtyLine
	}
	f.gap = min(f.gap+q.Gap(), stream.MaxGap)
	first := line % filterSets * filterWays
	set := f.lines[first : first+filterWays]
	at := 0
	for at < filterWays-1 && set[at]&^dirtyLine != line {
		at++
	}
	old := set[at]
	copy(set[1:at+1], set[:at])
	if old&^dirtyLine == line {
		set[0] = old | dirty
		return out
	}
	set[0] = line | dirty
	out = append(out, stream.NewRequest(q.Page(), q.Line(), false, f.gap))
	f.gap = 0
	if old&dirtyLine != 0 {
		old &^= dirtyLine
		out = append(out, stream.NewRequest(old>>6, uint8(old%stream.Lines), true, 0))
	}
	return out
}

// sieve takes a request of a thread whose accesses are filtered.
func (d *decoder) sieve(t *thread, q stream.Request) {
	if t.filter == nil {
		t.filter = newFilter()
	}
	before := len(t.requests)
	t.requests = t.filter.ask(q, t.requests)
	d.count += int64(len(t.requests) - before)
	d.asks++
}

// sift filters what was kept so far, once there is no room for more, and has what follows
// filtered. It reports whether there is room again.
func (d *decoder) sift() bool {
	if d.sifted || d.sampled || d.missed {
		return false
	}
	d.sifted, d.earlier, d.count = true, d.count, 0
	for i := range d.threads {
		t := &d.threads[i]
		t.filter = newFilter()
		var out []stream.Request
		for _, list := range append(t.full, t.requests) {
			for _, q := range list {
				out = t.filter.ask(q, out)
			}
		}
		t.full, t.requests = nil, out
		d.count += int64(len(out))
	}
	return d.count < d.most
}
