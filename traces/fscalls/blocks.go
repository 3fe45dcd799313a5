package fscalls

import (
	"bytes"
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/unit"
)

// extent is how much of a block device keeps its order: devices are larger than what is
// used of them, so pieces of this size get numbers in the order in which they are first
// accessed.
const extent = 1 << 20

// block adds a request of a block device, split where pieces end.
func (d *decoder) block(c call.Call) bool {
	d.sure, d.direct = true, true
	d.nodes[c.Node].device = true
	c.Flags |= call.Direct
	if c.Offset < 0 || c.Length <= 0 || c.Length > 64<<20 || c.Offset > 1<<60 {
		return d.leave("requests of no bytes, of more than 64 MiB, or beyond 1 EiB")
	}
	for c.Length > 0 {
		key := edge{c.Node, uint64(c.Offset / extent)}
		n, ok := d.extents[key]
		if !ok {
			if c.Code == call.Truncate { // what is there was never accessed
				in := min(c.Length, extent-c.Offset%extent)
				c.Offset, c.Length = c.Offset+in, c.Length-in
				continue
			}
			if len(d.extents) >= maxBytes/extent {
				return d.leave("requests beyond the first 32 GiB that are accessed")
			}
			if d.pieces == nil {
				d.pieces = map[int32]int{}
			}
			n = d.pieces[c.Node] // each device by itself: it is as large as its own pieces
			d.extents[key] = n
			d.pieces[c.Node]++
		}
		part := c
		in := c.Offset % extent
		part.Length = min(c.Length, extent-in)
		part.Offset = int64(n)*extent + in
		if c.Code == call.Truncate {
			d.emit(part)
		} else {
			d.access(part)
		}
		c.Offset += part.Length
		c.Length -= part.Length
	}
	return true
}

// device returns the node of a block device.
func (d *decoder) device(name []byte) int32 {
	return d.find(edge{0, hashOf(name)}, false, false)
}

// blkparse prints an event a line (blktrace: blkparse_fmt.c, man blkparse):
//
//	8,0    3        1     0.000000000   697  Q  WS 223490 + 8 [kjournald]
//
// device, processor, number, seconds, process, action, kind, first sector + sectors and
// the program. Of the actions of a request one counts, see action.

// blkLine takes a line of blkparse.
func (d *decoder) blkLine(b []byte) bool {
	var w [7][]byte
	rest := b
	for i := range w {
		w[i], rest = word(rest)
	}
	major, minor, ok := bytes.Cut(w[0], []byte(","))
	if !ok {
		return summary(w[0])
	}
	_, ok1 := decimal(major)
	_, ok2 := decimal(minor)
	_, ok3 := decimal(w[1])
	_, ok4 := decimal(w[2])
	at, ok5 := fraction(w[3], 12)
	pid, ok6 := decimal(w[4])
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || len(w[5]) == 0 || len(w[5]) > 2 {
		return false
	}
	if len(w[5]) != 1 || w[5][0] != d.action {
		switch w[5][0] {
		case 'Q', 'D', 'C', 'G', 'I', 'M', 'F', 'A', 'P', 'U', 'X', 'B', 'S', 'R', 'm':
			return true // the same request on its way
		}
		return false
	}
	d.sure = true
	kind := w[6]
	first, rest := word(rest)
	plus, rest := word(rest)
	count, _ := word(rest)
	sector, ok1 := decimal(first)
	sectors, ok2 := decimal(count)
	node := d.device(w[0])
	if node < 0 {
		return true
	}
	d.id, d.at = uint64(pid), unit.Time(at)
	c := call.Call{Node: node, Changed: call.Unknown}
	switch {
	case bytes.HasPrefix(kind, []byte("Z")): // reset, open, close; an append does not say where
		return d.leave("requests of zones")
	case bytes.IndexByte(kind, 'D') >= 0 && ok1 && ok2 && string(plus) == "+" && sector <= 1<<50 && sectors <= 1<<30:
		c.Code, c.Offset, c.Length = call.Truncate, sector*512, sectors*512
		return d.discard(c)
	case len(kind) > 0 && kind[0] == 'F' && (!ok1 || !ok2 || string(plus) != "+" || sectors == 0), bytes.HasPrefix(kind, []byte("FN")):
		c.Code = call.Fdatasync
		return d.emit(c)
	case !ok1 || !ok2 || string(plus) != "+" || sector > 1<<50 || sectors > 1<<20:
		return d.leave("requests without sectors")
	case bytes.IndexByte(kind, 'R') >= 0:
		c.Code = call.Read
	case bytes.IndexByte(kind, 'W') >= 0:
		c.Code = call.Write
		if at := bytes.IndexByte(kind, 'W'); bytes.IndexByte(kind[at:], 'F') >= 0 { // forced to the medium
			c.Flags = call.Sync
		}
	default:
		return d.leave("requests that neither read nor write")
	}
	c.Offset, c.Length = sector*512, sectors*512
	return d.block(c)
}

// discard adds a discard, which may be of more than a request moves.
func (d *decoder) discard(c call.Call) bool {
	const most = 64 << 20
	before := len(d.order)
	for c.Length > 0 {
		part := c
		part.Length = min(c.Length, most)
		if (c.Length+most-1)/most > 1<<14 { // of a whole drive, before anything is there
			return d.leave("discards of more than 1 TiB")
		}
		d.block(part)
		c.Offset, c.Length = c.Offset+part.Length, c.Length-part.Length
	}
	if len(d.order) == before {
		return d.leave("discards of what was not accessed before")
	}
	return true
}

// summary reports whether a line begins as blkparse's list of files and summary do.
func summary(first []byte) bool {
	if slices.Contains([]string{"Total", "Reads", "Read", "Throughput", "Events", "Skips:", "IO", "PC", "Input"}, string(first)) {
		return true
	}
	n, ok := bytes.CutPrefix(first, []byte("CPU"))
	_, number := decimal(n)
	return ok && number
}

// fio's iolog (fio documentation, "Trace file format v2" and v3; fio: iolog.c): a first
// line with the version, then a line each of
//
//	FILE add|open|close
//	FILE read|write|sync|datasync|trim OFFSET LENGTH
//	FILE wait MICROSECONDS
//
// in version 3 with microseconds since the start before it and without wait. A wait is
// counted from the one before it, as the documentation says; fio's own replay
// (read_iolog_get) takes it as milliseconds since it began. A name that begins with /dev/
// is a block device.

// fioLine takes a line of an iolog.
func (d *decoder) fioLine(b []byte) bool {
	if d.version == 0 {
		w, rest := word(b)
		_, rest = word(rest)
		v, _ := word(rest)
		if d.version, _ = decimal(v); string(w) != "fio" || d.version < 2 || d.version > 3 {
			d.version = 2
			return d.bad("an iolog of version %.20q; versions 2 and 3 are known: record it with fio 2 or later", v)
		}
		return true
	}
	if d.version == 3 {
		w, rest := word(b)
		us, ok := decimal(w)
		if !ok {
			return false
		}
		d.at, b = unit.Time(min(us, int64(maxAt/unit.Microsecond)))*unit.Microsecond, rest
	}
	name, rest := word(b)
	action, rest := word(rest)
	first, rest := word(rest)
	second, _ := word(rest)
	offset, ok := decimal(first)
	length, ok2 := decimal(second)
	if string(action) == "wait" {
		switch {
		case d.version == 3:
			return d.bad("version 3 has no wait: a line's first number says when it is")
		case !ok:
			return d.bad("a wait without a time: want FILE wait MICROSECONDS")
		}
		d.at = min(d.at+unit.Time(min(offset, int64(maxAt/unit.Microsecond)))*unit.Microsecond, maxAt)
		return true
	}
	c := call.Call{Offset: offset, Length: length, Changed: call.Unknown}
	switch string(action) {
	case "add":
		return true
	case "open":
		c.Code = call.Open
	case "close":
		c.Code = call.Close
	case "sync":
		c.Code = call.Fsync
	case "datasync":
		c.Code = call.Fdatasync
	case "read":
		c.Code = call.Read
	case "write":
		c.Code = call.Write
	case "trim":
		if d.sure = true; !bytes.HasPrefix(name, []byte("/dev/")) {
			return d.leave(string(action))
		}
		c.Code = call.Truncate
	case "sync_file_range":
		d.sure = true
		return d.leave(string(action))
	default:
		return false
	}
	raw := bytes.HasPrefix(name, []byte("/dev/"))
	e, whole := edge{0, hashOf(name)}, false
	if !raw {
		var there bool
		if e, whole, there = d.walk(0, name); !there {
			return d.leave("paths through a file")
		}
	}
	if c.Node = d.find(e, whole, false); c.Node < 0 {
		return true
	}
	if d.nodes[c.Node].device = raw; raw && (c.Code == call.Open || c.Code == call.Close) {
		d.sure = true
		return true // no request
	}
	if c.Code != call.Read && c.Code != call.Write && c.Code != call.Truncate {
		c.Offset, c.Length = 0, 0
		return d.emit(c)
	}
	if !ok || !ok2 {
		return d.bad("%s without offset and length: want FILE %s OFFSET LENGTH", action, action)
	}
	if c.Code == call.Truncate {
		return d.discard(c)
	}
	if raw {
		return d.block(c)
	}
	return d.access(c)
}

// commas splits a line at its commas into at most so many words, without blanks around them, and
// returns how many there are; more than there is room for count, too.
func commas(b []byte, words [][]byte) int {
	n := 0
	for rest, more := b, true; more; n++ {
		var w []byte
		if w, rest, more = bytes.Cut(rest, []byte(",")); n < len(words) {
			words[n] = bytes.TrimSpace(w)
		}
	}
	return n
}

// MSR Cambridge's traces (Narayanan et al., Write Off-Loading, FAST 2008; SNIA IOTTA 388) have a
// request a line:
//
//	128166372003061629,hm,1,Read,383496192,32768,113736
//
// the time in units of 100 ns (Windows' file time), host, disk, Read or Write, offset and size in
// bytes, and how long it took there, which is not used.

// msrLine takes a line of MSR's tables.
func (d *decoder) msrLine(b []byte) bool {
	var w [7][]byte
	if commas(b, w[:]) != len(w) {
		return false
	}
	ticks, ok1 := decimal(w[0])
	_, ok2 := decimal(w[2])
	offset, ok3 := decimal(w[4])
	size, ok4 := decimal(w[5])
	_, ok5 := decimal(w[6])
	reads, writes := bytes.EqualFold(w[3], []byte("read")), bytes.EqualFold(w[3], []byte("write"))
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !reads && !writes {
		return d.sure && d.bad("%.60q is no request; want Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime with Read or Write and whole numbers", b)
	}
	if !d.ticking {
		d.ticking, d.ticks = true, ticks
	}
	const tick = 100 * unit.Nanosecond
	d.at = unit.Time(min(max(ticks-d.ticks, 0), int64(maxAt/tick))) * tick
	return d.request(append(append(append(d.word[:0], w[1]...), ','), w[2]...), writes, offset, size)
}

// SPC's format (Storage Performance Council, SPC Trace File Format Specification 1.0.1), in which
// the UMass repository has its traces, has a request a line:
//
//	0,20941264,8192,W,0.551706
//
// the application storage unit, the first block of 512 bytes, the size in bytes, r or w, and
// seconds; further words are not used.

// spcLine takes a line of SPC's tables.
func (d *decoder) spcLine(b []byte) bool {
	var w [5][]byte
	if commas(b, w[:]) < len(w) {
		return false
	}
	_, ok1 := decimal(w[0])
	block, ok2 := decimal(w[1])
	size, ok3 := decimal(w[2])
	at, ok4 := fraction(w[4], 12)
	reads, writes := bytes.EqualFold(w[3], []byte("r")), bytes.EqualFold(w[3], []byte("w"))
	if !ok1 || !ok2 || !ok3 || !ok4 || !reads && !writes || block > 1<<50 {
		return d.sure && d.bad("%.60q is no request; want ASU,LBA,Size,Opcode,Timestamp with r or w, blocks of 512 bytes, bytes and seconds", b)
	}
	d.at = min(unit.Time(at), maxAt)
	return d.request(w[0], writes, block*512, size)
}

// DiskSim's traces, and MQSim's of the same form, have a request a line:
//
//	750000 0 2096 16 1
//
// when it came, in nanoseconds (MQSim) or, with a point, in milliseconds (DiskSim), the device, the first
// sector of 512 bytes, how many, and 1 where it reads, else 0.

// disksimLine takes a line of DiskSim's or MQSim's traces.
func (d *decoder) disksimLine(b []byte) bool {
	var w [5][]byte
	rest := b
	for i := range w {
		w[i], rest = word(rest)
	}
	at, ok1 := int64(0), false
	if bytes.IndexByte(w[0], '.') >= 0 {
		at, ok1 = fraction(w[0], 9)
	} else if at, ok1 = decimal(w[0]); ok1 {
		at = min(at, int64(maxAt/unit.Nanosecond)) * int64(unit.Nanosecond)
	}
	_, ok2 := decimal(w[1])
	sector, ok3 := decimal(w[2])
	sectors, ok4 := decimal(w[3])
	flags, ok5 := decimal(w[4])
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || flags > 1 || len(blanks(rest)) > 0 || sector > 1<<50 || sectors > 1<<20 {
		return d.sure && d.bad("%.60q is no request; want a time, a device, the first sector, sectors, and 1 of a read or 0 of a write", b)
	}
	d.at = min(unit.Time(at), maxAt)
	return d.request(w[1], flags == 0, sector*512, sectors*512)
}

// Alibaba's block traces (Li et al., IISWC 2020; github.com/alibaba/block-traces) have a request a line:
//
//	419,W,8792731648,16384,1577808144360767
//
// the device, R or W, offset and length in bytes, and microseconds since 1970.

// alibabaLine takes a line of Alibaba's tables.
func (d *decoder) alibabaLine(b []byte) bool {
	var w [5][]byte
	if commas(b, w[:]) != len(w) {
		return false
	}
	if string(w[0]) == "device_id" {
		return true
	}
	_, ok1 := decimal(w[0])
	offset, ok2 := decimal(w[2])
	size, ok3 := decimal(w[3])
	us, ok4 := decimal(w[4])
	reads, writes := bytes.EqualFold(w[1], []byte("R")), bytes.EqualFold(w[1], []byte("W"))
	if !ok1 || !ok2 || !ok3 || !ok4 || !reads && !writes {
		return d.sure && d.bad("%.60q is no request; want device_id,opcode,offset,length,timestamp with R or W and whole numbers", b)
	}
	if !d.ticking {
		d.ticking, d.ticks = true, us
	}
	d.at = unit.Time(min(max(us-d.ticks, 0), int64(maxAt/unit.Microsecond))) * unit.Microsecond
	return d.request(w[0], writes, offset, size)
}

// request adds a request of a table, of a device by its name.
func (d *decoder) request(device []byte, writes bool, offset, size int64) bool {
	d.id, d.sure = 0, true
	c := call.Call{Code: call.Read, Offset: offset, Length: size, Changed: call.Unknown}
	if writes {
		c.Code = call.Write
	}
	if c.Node = d.device(device); c.Node < 0 {
		return true
	}
	return d.block(c)
}
