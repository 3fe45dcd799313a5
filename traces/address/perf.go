package address

import (
	"bytes"
	"math"

	"spillway/sim/cxlssd/stream"
)

// perf script prints a sample a line, with the fields that were asked for in a fixed
// order: comm, pid/tid, [cpu], seconds.fraction:, period, event:, address, data
// source, weight, then where the program was (linux: tools/perf/builtin-script.c,
// process_event; man perf-script, option -F). The data source is a number in
// hexadecimal and the same in words: 10268100142 |OP LOAD|LVL L1 hit|SNP None|...;
// older ones leave out |OP and |LVL. The address is the event's, without 0x.
//
// A field cannot be told from the next by its look alone: what stands behind the event
// is an address if a second number follows, or nothing; else it is the place in the
// program, which is also a number.

// perfLine takes a line of perf script.
func (d *decoder) perfLine(b []byte) bool {
	if b[0] == '#' {
		return true
	}
	if b[0] == '\t' || b[0] == ' ' && !bytes.Contains(b, []byte(": ")) { // a call chain
		w, _ := word(b)
		return isHex(w)
	}
	var s perfSample
	rest, ok := s.head(b)
	if !ok {
		return false
	}
	d.sure = d.sure || s.timed
	first, rest := word(rest)
	addr, n := hexOf(first)
	if n == 0 || n != len(first) {
		return d.leave(noAddress)
	}
	second, rest := word(rest)
	src, n := hexOf(second)
	isNumber := n > 0 && n == len(second)
	third, _ := word(rest)
	switch {
	case len(second) == 0:
		src = 0
	case !isNumber && placeFollows(rest): // of page faults the address is a place too
		src = 0
	case !isNumber: // a place in the program, or a data source without an address
		return d.leave(noAddress)
	case !bytes.Contains(rest, []byte("|SNP")) && !(len(third) > 0 && third[0] == '|'):
		src = 0 // a weight, or a place in the program
	}
	if addr == 0 {
		return d.leave(noAddress)
	}
	write := bytes.Contains(s.event, []byte("store")) || bytes.Contains(s.event, []byte("STORE"))
	switch source(src, &write) {
	case fromMemory:
	case fromNobody:
		d.silent++
	case fromACache:
		return d.leave(fromCache)
	case fromDevice:
		return d.leave(uncached)
	case ofPrefetch:
		return d.leave(prefetch)
	}
	if p := s.period; p > 0 {
		if d.period[0] == 0 || p < d.period[0] {
			d.period[0] = p
		}
		d.period[1] = max(d.period[1], p)
	}
	if s.timed {
		if !d.started {
			d.epoch = s.whole
		}
		// Picoseconds since then: 213 days of them have room.
		since := min(s.whole-min(s.whole, d.epoch), math.MaxUint64/inSecond-1)
		at := since*inSecond + s.part
		if s.whole < d.epoch {
			at = 0
		}
		d.when(s.thread, at, s.period)
	} else if d.count == 0 {
		d.gaps = stream.NoGaps
	}
	d.access(s.thread, addr, 1, write)
	return true
}

// placeFollows reports whether a number follows a file in brackets: 55d9ce04e1e0
// environ+0x0 (/usr/bin/true) ffffffff81750c6a elf_load+0x28a ([kernel.kallsyms]).
func placeFollows(b []byte) bool {
	_, after, _ := bytes.Cut(b, []byte(") "))
	w, _ := word(after)
	return isHex(w)
}

// A perfSample is what stands before the address.
type perfSample struct {
	thread uint64
	// Its time: whole seconds, and the rest in picoseconds.
	whole, part uint64
	timed       bool
	period      uint64
	event       []byte
}

const inSecond = 1_000_000_000_000 // picoseconds

// head reads what stands before the address: up to the event's name, which ends in a
// colon. The name of a program may have blanks, numbers and colons in it, as "tmux:
// server" has: so the thread is the number before the processor or the time, and a word
// with a colon is part of the name where no number stands before it or a time follows.
func (s *perfSample) head(b []byte) (rest []byte, ok bool) {
	var ids [2][]byte // the last two words that are numbers
	var id []byte
	for len(b) > 0 {
		var w []byte
		w, b = word(b)
		if len(w) == 0 {
			break
		}
		if c := w[0]; c == '[' && w[len(w)-1] == ']' {
			id, ids = ids[1], [2][]byte{}
			continue
		}
		if w[len(w)-1] == ':' {
			if whole, part, ok := seconds(w[:len(w)-1]); ok && !s.timed {
				s.whole, s.part, s.timed = whole, part, true
				if id == nil {
					id = ids[1]
				}
				ids = [2][]byte{}
				continue
			}
			if id == nil && ids[1] == nil || !s.timed && timeFollows(b) {
				id, ids = nil, [2][]byte{}
				continue
			}
			s.event = w
			period := ids[1]
			if id == nil {
				if id = ids[0]; id == nil {
					id, period = ids[1], nil
				}
			}
			if period != nil {
				s.period, _ = decimal(period)
			}
			if at := bytes.IndexByte(id, '/'); at >= 0 {
				id = id[at+1:]
			}
			s.thread, ok = decimal(id)
			return b, ok && len(w) > 1
		}
		if _, n := decOf(w); n > 0 && (n == len(w) || w[n] == '/') {
			ids[0], ids[1] = ids[1], w
		} else {
			ids = [2][]byte{}
		}
	}
	return nil, false
}

// timeFollows reports whether a word of b is a time.
func timeFollows(b []byte) bool {
	for {
		var w []byte
		if w, b = word(b); len(w) == 0 {
			return false
		}
		if w[len(w)-1] == ':' {
			if _, _, ok := seconds(w[:len(w)-1]); ok {
				return true
			}
		}
	}
}

// seconds reads 544966.882384 as whole seconds and picoseconds.
func seconds(b []byte) (whole, part uint64, ok bool) {
	whole, n := decOf(b)
	if n == 0 || n == len(b) || b[n] != '.' {
		return 0, 0, false
	}
	part, k := decOf(b[n+1:])
	if k == 0 || k > 12 || n+1+k != len(b) {
		return 0, 0, false
	}
	for ; k < 12; k++ {
		part *= 10
	}
	return whole, part, true
}

// An answer is who answered an access.
type answer uint8

const (
	fromNobody answer = iota // it is not said
	fromMemory
	fromACache
	fromDevice
	ofPrefetch // or of an instruction
)

// source decodes a data source of perf, and says in write whether it is a store, if it
// does. Its bits are those of union perf_mem_data_src (linux:
// include/uapi/linux/perf_event.h): 5 of the operation, 14 of levels with hit and miss,
// and from bit 33 on 4 of a number for the level.
func source(v uint64, write *bool) answer {
	const (
		load, store, pfetch, exec        = 2, 4, 8, 16
		miss                             = 4
		l1, buffer, l2, l3               = 8, 16, 32, 64
		ram, far, farther                = 0x80, 0x100, 0x200
		farCache, fartherCache, io, none = 0x400, 0x800, 0x1000, 0x2000
	)
	switch op := v & 31; {
	case op&(pfetch|exec) != 0:
		return ofPrefetch
	case op&store != 0:
		*write = true
	case op&load != 0:
		*write = false
	}
	level, number := v>>5&0x3fff, v>>33&15
	switch {
	case level&(ram|far|farther) != 0 || number == 6 || number == 9 || number == 13 || number == 14: // memory-side cache, CXL, RAM, persistent memory
		return fromMemory
	case level&(io|none) != 0 || number == 8 || number == 10:
		return fromDevice
	case level&(farCache|fartherCache) != 0 || number == 11:
		return fromACache
	case level&l3 != 0 || number == 3 || number == 4:
		if level&miss != 0 {
			return fromMemory
		}
		return fromACache
	case level&(l1|buffer|l2) != 0 || number == 1 || number == 2 || number == 5 || number == 7 || number == 12:
		if level&miss == 0 {
			return fromACache
		}
	}
	return fromNobody // which level missed says nothing of those behind it
}

// perfColumns are the columns of a raw dump that are not always there.
type perfColumns struct{ physical bool }

// perfRawLine takes a line of perf mem report --dump-raw-samples (linux:
// tools/perf/builtin-mem.c, dump_raw_samples): below a line that names the columns
//
//	# PID, TID, IP, ADDR, LOCAL WEIGHT, DSRC, SYMBOL
//
// they follow each other with blanks, or what -x says, between them. With -p there is
// a column PHYS ADDR behind ADDR, which is not used. Without -x the first address of
// all is printed by "0x016%lx": its digits follow a superfluous 016.
func (d *decoder) perfRawLine(b []byte) bool {
	if b[0] == '#' {
		if bytes.HasPrefix(b, []byte("# PID, TID, IP, ADDR,")) {
			d.sure = true
			d.columns.physical = bytes.Contains(b, []byte("PHYS ADDR"))
		}
		return d.sure
	}
	if !d.sure {
		return false
	}
	_, b, ok := decimalAfter(b)
	if !ok {
		return false
	}
	tid, b, ok := decimalAfter(b)
	if !ok {
		return false
	}
	_, b, ok = hexAfter(b)
	if !ok {
		return false
	}
	addr, b, ok := hexAfter(b)
	if !ok {
		return false
	}
	if d.columns.physical {
		if _, b, ok = hexAfter(b); !ok {
			return false
		}
	}
	src, _, ok := hexAfter(b)
	if !ok {
		return false
	}
	if addr == 0 {
		return d.leave(noAddress)
	}
	write := false
	switch source(src, &write) {
	case fromMemory:
	case fromNobody:
		d.silent++
	case fromACache:
		return d.leave(fromCache)
	case fromDevice:
		return d.leave(uncached)
	case ofPrefetch:
		return d.leave(prefetch)
	}
	d.access(tid, addr, 1, write)
	return true
}

// decimalAfter reads the first decimal number in b.
func decimalAfter(b []byte) (v uint64, rest []byte, ok bool) {
	for len(b) > 0 && b[0]-'0' > 9 {
		b = b[1:]
	}
	v, n := decOf(b)
	return v, b[n:], n > 0
}

// hexAfter reads the first hexadecimal number behind 0x in b. Of one with a leading 0
// that has not all 16 digits the first three are the superfluous 016.
func hexAfter(b []byte) (v uint64, rest []byte, ok bool) {
	if _, b, ok = bytes.Cut(b, []byte("0x")); !ok {
		return 0, nil, false
	}
	n := 0
	for n < len(b) && digits[b[n]] < 16 {
		n++
	}
	word := b[:n]
	if n != 16 && n > 3 && string(word[:3]) == "016" {
		word = word[3:]
	}
	v, k := hexOf(word)
	return v, b[n:], k > 0
}
