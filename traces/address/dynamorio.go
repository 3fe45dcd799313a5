package address

import "bytes"

// The tool view of DynamoRIO's drmemtrace prints a record a line (dynamorio.org,
// "Trace Format" and clients/drcachesim/tools/view.cpp):
//
//	<--record#-> <--instr#->: <---tid---> <record details>
//	       47743       37770:     2765543 ifetch       5 byte(s) @ 0x0000000000404a7e 48 8b 5c 24 08 mov ...
//	       47744       37770:     2765543 read         8 byte(s) @ 0x00007fdf64e2adc8 by PC 0x0000000000404a7e
//
// Newer ones write the thread as W0.T2765543, with the number of the program; those
// before had no instr# and T2765543, and the first ones no numbers of records and
// instructions without a word before them:
//
//	T468608   0x0000000000467c45  4c 8b 54 24 08       mov    0x08(%rsp), %r10
//	T468608     read  8 byte(s) @ 0x7fff9f5fd9b0

// viewLine takes a line of the tool view.
func (d *decoder) viewLine(b []byte) bool {
	var first, before, w []byte
	rest := b
	for n := 0; ; n++ {
		first, before = before, w
		if w, rest = word(rest); len(w) == 0 || n == 4 {
			return viewWords(b)
		}
		switch {
		case len(first) > 0 && first[len(first)-1] == ':' && (len(w) == 2 || len(w) == 8) && isHex(w): // bytes of a long instruction that did not fit into the line before
			return d.sure
		case w[0] == '<':
			if _, ok := viewThread(before); !ok {
				return viewWords(b)
			}
			d.sure = true
			return true
		case w[0] == '0' && len(w) > 2 && w[1] == 'x' && len(before) > 1 && before[0] == 'T': // an instruction, as the first ones
			id, ok := viewThread(before)
			d.pass(id, 1)
			return ok
		}
		if c := w[0]; c >= 'a' && c <= 'z' { // what the record is
			break
		}
	}
	id, ok := viewThread(before)
	if !ok {
		return viewWords(b)
	}
	switch string(w) {
	case "ifetch":
		d.sure = true
		d.pass(id, 1)
		return true
	case "read", "write":
	default:
		if string(w) == "iflush" || string(w) == "dflush" || bytes.HasPrefix(w, []byte("pref")) {
			return d.leave(prefetch)
		}
		return false
	}
	bytesOf, rest := word(rest)
	size, ok := decimal(bytesOf)
	_, after, found := bytes.Cut(rest, []byte("@ 0x"))
	addr, n := hexOf(after)
	if !ok || size > maxSize || !found || n == 0 {
		return false
	}
	d.access(id, addr, size, w[0] == 'w')
	return true
}

// viewWords reports whether a line is one of those around the records.
func viewWords(b []byte) bool {
	for _, s := range []string{"Output format:", "<--record#-", "<record#>", "-----", "View tool results:", "<...>", "====="} {
		if bytes.HasPrefix(b, []byte(s)) {
			return true
		}
	}
	return bytes.HasSuffix(b, []byte(": total instructions"))
}

// viewThread reads 2765543, T2765543 or W0.T2765543.
func viewThread(w []byte) (uint64, bool) {
	program := uint64(0)
	if len(w) > 1 && w[0] == 'W' {
		v, n := decOf(w[1:])
		if n == 0 || n+2 > len(w) || w[1+n] != '.' {
			return 0, false
		}
		program, w = v, w[n+2:]
	}
	if len(w) > 1 && w[0] == 'T' {
		w = w[1:]
	}
	v, ok := decimal(w)
	return program<<32 ^ v, ok
}

// The sample memtrace_simple of DynamoRIO (api/samples/memtrace_simple.c) writes a
// file for every thread: below the line
//
//	Format: <data address>: <data size>, <(r)ead/(w)rite/opcode>
//
// an access a line, 0x00007ffeacab0ec8:  8, w, and before it the instruction that makes
// it, with its opcode in place of r or w. Instructions without accesses are not there.

// memtraceLine takes a line of memtrace_simple.
func (d *decoder) memtraceLine(b []byte) bool {
	if b[0] == 'F' {
		d.sure = d.sure || bytes.HasPrefix(b, []byte("Format: <data address>: <data size>"))
		return d.sure
	}
	if len(b) < 4 || b[0] != '0' || b[1] != 'x' {
		return false
	}
	addr, n := hexOf(b[2:])
	b = b[2+n:]
	if n == 0 || len(b) == 0 || b[0] != ':' {
		return false
	}
	b = blanks(b[1:])
	size, n := decOf(b)
	b = b[n:]
	if n == 0 || size > maxSize || len(b) < 2 || b[0] != ',' {
		return false
	}
	switch w := blanks(b[1:]); {
	case len(w) == 0:
		return false
	case len(w) > 1:
		d.pass(d.base, 1)
	case w[0] == 'r' || w[0] == 'w':
		d.access(d.base, addr, size, w[0] == 'w')
	default:
		return false
	}
	return true
}

// The sample memtrace_x86_text (api/samples/memtrace_x86.c) writes a file for every
// thread: below the line
//
//	Format: <instr address>,<(r)ead/(w)rite>,<data size>,<data address>
//
// an access a line, 0x467c45,r,8,0x7fff9f5fd9b0.

// memtraceXLine takes a line of memtrace_x86_text.
func (d *decoder) memtraceXLine(b []byte) bool {
	if b[0] == 'F' {
		d.sure = d.sure || bytes.HasPrefix(b, []byte("Format: <instr address>,<(r)ead/(w)rite>"))
		return d.sure
	}
	if len(b) < 4 || b[0] != '0' || b[1] != 'x' {
		return false
	}
	_, n := hexOf(b[2:])
	b = b[2+n:]
	if n == 0 || len(b) < 4 || b[0] != ',' || b[2] != ',' || b[1] != 'r' && b[1] != 'w' {
		return false
	}
	write := b[1] == 'w'
	size, n := decOf(b[3:])
	b = b[3+n:]
	if n == 0 || size > maxSize || len(b) < 4 || string(b[:3]) != ",0x" {
		return false
	}
	addr, n := hexOf(b[3:])
	if n == 0 || n != len(b)-3 {
		return false
	}
	d.access(d.base, addr, size, write)
	return true
}
