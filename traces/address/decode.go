package address

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/prose"
	"spillway/sim/unit"
	"spillway/traces/lines"
)

const (
	problems = 20       // errors that are listed before reading stops
	shown    = 3        // lines that are shown of those that are no access
	maxLine  = 64 << 10 // bytes
	perPiece = 64 << 10 // accesses that a thread's slice has before another begins
)

// A reason says why something that was recorded is not used.
type reason uint8

const (
	fromCache reason = iota
	uncached
	noAddress
	prefetch
	fetch
	functional
	command
	reasons
)

var reasonSays = [reasons]string{
	fromCache:  "that a cache answered",
	uncached:   "of devices or of memory that is never cached",
	noAddress:  "without an address of data",
	prefetch:   "of prefetches and flushes",
	fetch:      "of instructions fetched",
	functional: "that the simulator made itself (functional)",
	command:    "of other commands than ReadReq and WriteReq (u), which may be reads or writes",
}

// A decoder turns lines into accesses.
type decoder struct {
	name   string
	format *format
	line   int64
	pages  table
	// threads are the threads by number, ids their numbers by what the trace calls them.
	threads []thread
	ids     map[uint64]int32
	id      uint64 // the last one that was asked for
	last    int32  // its number, -1 for none
	base    uint64 // what threads of the file at hand are called, where it does not say
	asked   uint64 // what the trace calls the thread that asked last
	count   int64  // accesses that are kept
	out     int64  // accesses for which there is no room
	most    int64  // accesses that may be kept
	full    bool
	sifted  bool  // accesses are filtered
	earlier int64 // of them, those that were kept before
	asks    int64 // and those that followed
	crowded int64 // accesses of threads for which there is no room
	left    [reasons]int64
	// unknown counts lines that are not of the format, examples are the first of them.
	unknown  int64
	examples []string
	errs     []error
	sure     bool // a line was seen that only this format has
	start    uint64
	started  bool
	epoch    uint64 // of perf's clock: whole seconds of the first sample with a time

	gaps            stream.Gaps
	missed, sampled bool
	numbered        int64 // pages that the header of a trace says it has numbered; 0 if not

	silent  int64 // samples of which nobody says where they were answered
	period  [2]uint64
	columns perfColumns
	whole   int64 // accesses of whole lines
	capped  int64 // gaps longer than a request can say
}

// A thread is what is known of a thread so far.
type thread struct {
	full     [][]stream.Request // those before requests: growing one slice would copy it time and again
	requests []stream.Request
	gap      uint64 // since its last access
	rest     uint64 // of a gap, for the next: below one unit
	at       uint64 // time of its last access, in picoseconds
	filter   *filter
}

func newDecoder(name string, f *format) *decoder {
	return &decoder{name: name, format: f, ids: map[uint64]int32{}, last: -1, most: MaxKept, gaps: f.gaps, sampled: f.sampled}
}

// lines takes all lines of a text. One that is too long is counted as unknown by its beginning.
func (d *decoder) lines(r io.Reader) error {
	err := lines.Each(r, maxLine, func(line []byte, _ bool) bool {
		d.one(line)
		return len(d.errs) < problems
	})
	if err != nil {
		return unread(d.name, err)
	}
	return nil
}

// one takes one line.
func (d *decoder) one(line []byte) {
	d.line++
	if len(blanks(line)) == 0 || d.format.line(d, line) {
		return
	}
	d.unknown++
	if len(d.examples) < shown {
		d.examples = append(d.examples, fmt.Sprintf("line %d, %.60q", d.line, bytes.TrimSpace(line[:min(len(line), 200)])))
	}
}

// bad enters an error about the line at hand.
func (d *decoder) bad(format string, a ...any) {
	d.errs = append(d.errs, fmt.Errorf("%s:%d: %w", d.name, d.line, fmt.Errorf(format, a...)))
}

// leave counts something that is not used.
func (d *decoder) leave(why reason) bool {
	d.left[why]++
	return true
}

// thread returns the number of a thread, -1 if there is no room for it.
func (d *decoder) thread(id uint64) int32 {
	if d.last >= 0 && id == d.id {
		return d.last
	}
	n, ok := d.ids[id]
	if !ok {
		if len(d.threads) == MaxThreads {
			return -1
		}
		n = int32(len(d.threads))
		d.ids[id] = n
		d.threads = append(d.threads, thread{})
	}
	d.id, d.last = id, n
	return n
}

// pass adds instructions or cycles to the gap of a thread's next access.
func (d *decoder) pass(id, n uint64) {
	if t := d.thread(id); t >= 0 {
		th := &d.threads[t]
		th.gap += min(n, math.MaxUint64-th.gap)
	}
}

// when makes the time since a thread's last access, divided by every, the gap of its
// next one. at is in picoseconds.
func (d *decoder) when(id, at, every uint64) {
	t := d.thread(id)
	if t < 0 {
		return
	}
	if !d.started {
		d.start, d.started = at, true
	}
	th := &d.threads[t]
	if len(th.requests) == 0 && th.at == 0 {
		th.at = d.start
	}
	if at <= th.at {
		return
	}
	since := (at-th.at)/max(every, 1) + th.rest
	th.gap, th.rest = since/1000, since%1000
	th.at = at
}

// access adds an access of size bytes; one that spans cache lines is one for each.
func (d *decoder) access(id, addr, size uint64, write bool) {
	n := d.thread(id)
	if n < 0 {
		d.crowded++
		return
	}
	if size == lineBytes && addr%lineBytes == 0 {
		d.whole++
	}
	first := addr / lineBytes
	end := addr + max(size, 1) - 1
	if end < addr {
		end = math.MaxUint64
	}
	for line := first; ; line++ {
		d.touch(n, line, write)
		if line >= end/lineBytes {
			return
		}
	}
}

const lineBytes = 64

// touch adds an access to one line.
func (d *decoder) touch(n int32, line uint64, write bool) {
	if d.full {
		d.out++
		return
	}
	page, ok := uint32(line/stream.Lines), d.count < d.most || d.sift()
	switch {
	case d.numbered == 0:
		if ok {
			page, ok = d.pages.number(line / stream.Lines)
		}
	case line/stream.Lines >= uint64(d.numbered):
		d.bad("the access is to page %d, but the header numbers %d pages, from 0", line/stream.Lines, d.numbered)
		return
	}
	if !ok {
		d.full = true
		d.out++
		return
	}
	th := &d.threads[n]
	gap := th.gap
	if gap > stream.MaxGap {
		gap = stream.MaxGap
		d.capped++
	}
	th.gap = 0
	if n := len(th.requests); n >= perPiece && n == cap(th.requests) {
		th.full = append(th.full, th.requests)
		th.requests = make([]stream.Request, 0, perPiece)
	}
	q := stream.NewRequest(page, uint8(line%stream.Lines), write, unit.Cycles(gap))
	if d.sifted {
		d.sieve(th, q)
		return
	}
	th.requests = append(th.requests, q)
	d.count++
}

// finish returns what was read.
func (d *decoder) finish() (*stream.Recording, error) {
	if len(d.errs) > 0 {
		return nil, errors.Join(d.errs...)
	}
	r := &stream.Recording{Format: d.format.title, Pages: int32(d.pages.n), Count: d.count, Gaps: d.gaps, Missed: d.missed, Sampled: d.sampled}
	if d.numbered > 0 {
		r.Pages = int32(d.numbered)
	}
	for i := range d.threads {
		t := &d.threads[i]
		if len(t.full) > 0 {
			t.requests, t.full = slices.Concat(append(t.full, t.requests)...), nil
		}
		if len(t.requests) > 0 {
			r.Threads = append(r.Threads, t.requests)
		}
	}
	if r.Count == 0 {
		why := d.leftOut()
		if why != "" {
			why = "; left out are records: " + why
		}
		if d.format.takes != "" && d.format != own && (why == "" || d.left[noAddress] > 0) {
			why += ". Record with " + d.format.takes
		}
		return nil, fmt.Errorf("%s: it has the format %s, but no access that can be used%s", d.name, d.format.title, why)
	}
	switch d.format {
	case packets, debug: // what reaches a memory behind caches are whole lines
		r.Missed = 10*d.whole >= 9*d.count
	case perf, perfRaw: // if anybody says who answered
		r.Missed = d.silent < d.count
	}
	d.notes(r)
	return r, nil
}

// leftOut lists what is not used, empty if nothing is.
func (d *decoder) leftOut() string {
	var list []string
	for why, n := range d.left {
		if n > 0 {
			list = append(list, prose.Grouped(n)+" "+reasonSays[why])
		}
	}
	return strings.Join(list, ", ")
}

// notes says what is not used, and what is not as it seems.
func (d *decoder) notes(r *stream.Recording) {
	note := func(format string, a ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, a...)) }
	if d.sampled {
		text := "The accesses are a sample"
		switch low, high := d.period[0], d.period[1]; {
		case low == high && high > 1:
			text += fmt.Sprintf(", one of %s events", prose.Grouped(int64(min(high, math.MaxInt64))))
		case high > 1:
			text += fmt.Sprintf(", one of %s to %s events", prose.Grouped(int64(min(low, math.MaxInt64))), prose.Grouped(int64(min(high, math.MaxInt64))))
		}
		text += ": pages and lines are touched less often than they were, and seem less local"
		if d.gaps == stream.GapNanoseconds {
			text += "; the time between them is divided by the period, so that their rate is as it was"
		}
		note("%s.", text)
	}
	if d.silent > 0 {
		note("Samples of which nobody says whether a cache answered them are kept: %s.", prose.Grouped(d.silent))
	}
	if l := d.leftOut(); l != "" {
		note("Left out are records: %s.", l)
	}
	r.Notes = append(r.Notes, d.room()...)
	if d.unknown > 0 {
		what := "lines"
		if d.unknown == 1 {
			what = "line"
		}
		note("Passed over as no part of the trace: %s %s.", prose.Grouped(d.unknown), what)
		r.Passed = "Passed over are, for example: " + strings.Join(d.examples, "; ") + "."
	}
}

// room says what there was no room for.
func (d *decoder) room() (notes []string) {
	note := func(format string, a ...any) { notes = append(notes, fmt.Sprintf(format, a...)) }
	if d.sifted {
		note("There are more accesses than are kept: of the %s that were read those are used that miss a cache of %v in each thread, %s with the dirty lines that made room.", prose.Grouped(d.earlier+d.asks), filterSize, prose.Grouped(d.count))
	}
	if d.out > 0 {
		what := fmt.Sprintf("%s accesses, as many as are kept", prose.Grouped(d.count))
		if d.count < MaxKept {
			what = fmt.Sprintf("%s accesses, which touch %s pages, as many as are kept", prose.Grouped(d.count), prose.Grouped(int64(d.pages.n)))
		}
		note("Used are the first %s; the other %s were only counted.", what, prose.Grouped(d.out))
	}
	if d.crowded > 0 {
		note("Left out are accesses of threads beyond the first %d: %s.", MaxThreads, prose.Grouped(d.crowded))
	}
	if d.capped > 0 {
		note("Gaps longer than %s are cut to that: %s.", prose.Grouped(int64(stream.MaxGap)), prose.Grouped(d.capped))
	}
	return notes
}

// A table numbers pages in the order in which they come: a hash table with open
// addresses, at most three quarters full.
type table struct {
	keys []uint64 // page + 1, 0 where there is none
	nums []uint32
	n    int
	// The page that was asked for last.
	page uint64
	num  uint32
}

// number returns the number of a page; ok is false if there is no room for it.
func (t *table) number(page uint64) (num uint32, ok bool) {
	if t.n > 0 && page == t.page {
		return t.num, true
	}
	if 4*t.n >= 3*len(t.keys) {
		t.grow()
	}
	mask := uint64(len(t.keys) - 1)
	at := page * 0x9E3779B97F4A7C15 >> 20 & mask
	for t.keys[at] != page+1 {
		if t.keys[at] == 0 {
			if t.n == MaxPages {
				return 0, false
			}
			t.keys[at], t.nums[at] = page+1, uint32(t.n)
			t.n++
			break
		}
		at = (at + 1) & mask
	}
	t.page, t.num = page, t.nums[at]
	return t.num, true
}

// grow doubles the table.
func (t *table) grow() {
	keys, nums := t.keys, t.nums
	size := max(1024, 2*len(keys))
	t.keys, t.nums = make([]uint64, size), make([]uint32, size)
	mask := uint64(size - 1)
	for i, key := range keys {
		if key == 0 {
			continue
		}
		at := (key - 1) * 0x9E3779B97F4A7C15 >> 20 & mask
		for t.keys[at] != 0 {
			at = (at + 1) & mask
		}
		t.keys[at], t.nums[at] = key, nums[i]
	}
}
