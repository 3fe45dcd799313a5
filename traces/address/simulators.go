package address

import "bytes"

// Valgrind's tool Lackey with --trace-mem=yes prints an event a line (Valgrind
// manual, "Lackey", and lackey/lk_main.c): "I  0023c790,2" an instruction, " L
// be80199c,8" a load, " S be80199c,8" a store, " M be801950,4" both of the same place;
// address in hexadecimal, size in decimal. All threads of a program run in turn, and
// nobody says whose an event is.

// lackeyLine takes a line of Lackey.
func (d *decoder) lackeyLine(b []byte) bool {
	if bytes.HasPrefix(b, []byte("==")) || bytes.HasPrefix(b, []byte("--")) || bytes.HasPrefix(b, []byte("SB ")) { // its own words
		return true
	}
	b = blanks(b)
	if len(b) < 4 || b[1] != ' ' && b[1] != '\t' {
		return false
	}
	kind := b[0]
	b = blanks(b[1:])
	addr, n := hexOf(b)
	if n == 0 || n == len(b) || b[n] != ',' {
		return false
	}
	b = blanks(b[n+1:])
	size, n := decOf(b)
	if n == 0 || size > maxSize || len(blanks(b[n:])) > 0 {
		return false
	}
	switch kind {
	case 'I':
		d.sure = true
		d.pass(0, 1)
	case 'L':
		d.access(0, addr, size, false)
	case 'S':
		d.access(0, addr, size, true)
	case 'M':
		d.access(0, addr, size, false)
		d.access(0, addr, size, true)
	default:
		return false
	}
	return true
}

// gem5's util/decode_packet_trace.py writes a packet a line, in decimal:
//
//	[id,]r,address,size[,flags],tick[,pc]
//
// with r, w, or u for every other command. The id is that of who asked for it. A
// tick is a picosecond, unless somebody changed the global frequency.

// packetLine takes a line of a decoded packet trace.
func (d *decoder) packetLine(b []byte) bool {
	var values [7]uint64
	n, at := 0, -1
	kind := byte(0)
	for len(b) > 0 && n < len(values) {
		if c := b[0]; c == 'r' || c == 'w' || c == 'u' {
			if at >= 0 || n > 1 || len(b) < 2 || b[1] != ',' {
				return false
			}
			at, kind, b = n, c, b[2:]
			continue
		}
		v, k := decOf(b)
		if k == 0 {
			return false
		}
		values[n] = v
		n++
		if b = b[k:]; len(b) > 0 {
			if b[0] != ',' || len(b) == 1 {
				return false
			}
			b = b[1:]
		}
	}
	if at < 0 || len(b) > 0 || n-at < 3 || n-at > 5 || values[at+1] > maxSize {
		return false
	}
	if kind == 'u' {
		return d.leave(command)
	}
	tick := values[at+2]
	if n-at > 3 {
		tick = values[at+3]
	}
	id := uint64(0)
	if at == 1 {
		id = values[0]
	}
	d.when(id, tick, 1)
	d.access(id, values[at], values[at+1], kind == 'w')
	return true
}

// gem5 with --debug-flags=MemoryAccess prints what reaches a memory (src/mem/
// abstract_mem.cc, tracePacket):
//
//	54: global: Read from .cpu.data of size 64 on address 0x3fc0 C
//	54: system.physmem: Write of size 4 on address 0x80f00 data 0x1 C
//
// where the last word is U of a request that no cache may keep, as of devices.
// Read, Write, IFetch, and Read/Write of a swap; the tick before, who asked behind
// "from" where it is known, and behind it lines with the bytes.

// debugLine takes a line of the debug flag MemoryAccess.
func (d *decoder) debugLine(b []byte) bool {
	b = blanks(b)
	tick, n := decOf(b)
	if n == 0 || len(b) < n+2 || b[n] != ':' || b[n+1] != ' ' {
		return false
	}
	b = b[n+2:]
	_, after, ok := bytes.Cut(b, []byte(": "))
	if !ok {
		return false
	}
	kind, rest := word(after)
	switch string(kind) {
	case "Read", "Write", "IFetch", "Read/Write":
	default: // bytes, or what the memory does besides
		_, k := hexOf(kind)
		return k == 8 && len(kind) == 8 || string(kind) == "Cache" || string(kind) == "CleanEvict" || bytes.HasPrefix(rest, []byte(" write due to"))
	}
	var who []byte
	w, rest := word(rest)
	if string(w) == "from" {
		who, rest = word(rest)
		w, rest = word(rest)
	}
	if string(w) != "of" {
		return false
	}
	if w, rest = word(rest); string(w) != "size" {
		return false
	}
	w, rest = word(rest)
	size, ok := decimal(w)
	if !ok || size > maxSize {
		return false
	}
	if w, rest = word(rest); string(w) != "on" {
		return false
	}
	if w, rest = word(rest); string(w) != "address" {
		return false
	}
	w, _ = word(rest)
	addr, ok := number(w)
	if !ok {
		return false
	}
	switch {
	case string(who) == "functional":
		return d.leave(functional)
	case bytes.HasSuffix(b, []byte(" U")):
		return d.leave(uncached)
	case kind[0] == 'I' && size < lineBytes: // no cache before the memory
		return d.leave(fetch)
	}
	id := hashOf(asker(who))
	if string(who) == "writebacks" { // of whoever asked last
		id = d.asked
	} else {
		d.asked = id
	}
	d.when(id, tick, 1)
	if kind[0] == 'R' {
		d.access(id, addr, size, false)
	}
	if kind[0] == 'I' {
		d.access(id, addr, size, false)
	}
	if kind[0] == 'W' || len(kind) > len("IFetch") {
		d.access(id, addr, size, true)
	}
	return true
}

// asker is who a requestor belongs to: cpu0 of cpu0.data, cpu0.inst and cpu0.dcache.
func asker(who []byte) []byte {
	for _, part := range []string{".inst", ".data", ".icache", ".dcache", ".itb", ".dtb", ".mmu"} {
		if before, _, ok := bytes.Cut(who, []byte(part)); ok {
			return before
		}
	}
	return who
}
