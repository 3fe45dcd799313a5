package fscalls

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/unit"
)

// header begins the text format.
const header = "fscalls 1"

// ops are the words for the calls, by number.
var ops = [call.Codes]string{
	call.Open: "open", call.Create: "create", call.Read: "read", call.Write: "write", call.Fsync: "fsync",
	call.Fdatasync: "fdatasync", call.Close: "close", call.Unlink: "unlink", call.Mkdir: "mkdir", call.Rmdir: "rmdir",
	call.Rename: "rename", call.Stat: "stat", call.Truncate: "truncate",
}

// maxName is how long the name of a recording may be.
const maxName = 100

// ownLine takes a line of the text format; whatever it may be it is of the format, or an
// error.
func (d *decoder) ownLine(b []byte) bool {
	if b = blanks(b); b[0] == '#' {
		return true
	}
	if d.version == 0 {
		d.version = 1
		if _, rest := word(b); string(bytes.TrimSpace(rest)) != "1" {
			return d.bad("the version is %.20q; version 1 is known: begin with %q", bytes.TrimSpace(rest), header)
		}
		return true
	}
	var w [7][]byte
	n, rest := 0, b
	for n < len(w) {
		if w[n], rest = word(rest); len(w[n]) == 0 {
			break
		}
		n++
	}
	if string(w[0]) == "name" && n > 1 {
		name := strings.TrimSpace(strings.ToValidUTF8(string(b[5:]), ""))
		if len(name) > maxName {
			return d.bad("the name has %d bytes; %d are possible", len(name), maxName)
		}
		d.title = name
		return true
	}
	if string(w[0]) == "blocks" && n == 1 {
		if d.blocks = true; d.count > 0 || len(d.nodes) > 1 {
			return d.bad("the line blocks comes too late; put it before files and requests")
		}
		return true
	}
	if len(blanks(rest)) > 0 {
		n++
	}
	if n < 4 || n > len(w) {
		return d.bad("%d words; want: time thread op file [offset [length [flags]]]", n)
	}
	if string(w[0]) != "-" {
		ps, ok := fraction(w[0], 6)
		if !ok || ps > int64(maxAt) {
			return d.bad("the time is %.30q; want microseconds, up to 100 days of them, or -", w[0])
		}
		d.at = unit.Time(ps)
	}
	d.id = 0
	if string(w[1]) != "-" {
		d.id = hashOf(w[1]) | 1
	}
	e, whole, ok := d.walk(0, w[3])
	if !ok {
		return d.bad("%.60q goes through a file, or through more files than are possible (%d)", w[3], load.MaxNodes)
	}
	var offset, length int64 = -1, -1
	op := string(w[2])
	if n > 4 && string(w[4]) != "-" && op != "rename" {
		if offset, ok = decimal(w[4]); !ok {
			return d.bad("the offset is %.30q; want a number of bytes, or -", w[4])
		}
	}
	if n > 5 && string(w[5]) != "-" {
		if length, ok = decimal(w[5]); !ok {
			return d.bad("the length is %.30q; want a number of bytes, or -", w[5])
		}
	}
	c := call.Call{Changed: call.Unknown}
	if n > 6 && string(w[6]) != "-" && !flags(w[6], &c) {
		return d.bad("the flags are %.30q; want d, s, a, r0 to r100 or w and microseconds, with commas between them, or -", w[6])
	}
	d.waits = c.Waits
	if op == "dir" || op == "file" { // exists before
		at := d.find(e, whole, op == "dir")
		switch {
		case at < 0:
			return true
		case d.nodes[at].made || d.nodes[at].dir != (op == "dir"):
			return d.bad("%.60q occurred before as something else; put lines of what exists before first", w[3])
		case length >= 0:
			d.learn(at, length)
		}
		return true
	}
	code := slices.Index(ops[:], op)
	if d.blocks && code >= 0 && !ofBlocks(call.Code(code)) {
		return d.bad("%s is no request of blocks; there are read, write, fdatasync and truncate", op)
	}
	if code < 0 {
		return d.bad("there is no call %.20q; there are %s, and dir and file for what exists before", op, strings.Join(ops[:], ", "))
	}
	c.Code = call.Code(code)
	d.sure = true
	if c.Code == call.Create || c.Code == call.Mkdir {
		if whole {
			return d.bad("%.60q cannot be created", w[3])
		}
		at, fresh := d.create(e, c.Code == call.Mkdir)
		if fresh {
			c.Node, c.Dir = at, e.dir
			return d.emit(c)
		}
		return at < 0 || d.leave("creations of what is there")
	}
	if c.Node = d.find(e, whole, c.Code == call.Rmdir); c.Node < 0 {
		return true
	}
	x := &d.nodes[c.Node]
	switch c.Code {
	case call.Read, call.Write:
		if length < 0 {
			return d.bad("a %s without a length: want time thread %s file offset length", op, op)
		}
		c.Length = length
		if c.Offset = offset; offset < 0 {
			c.Offset = d.after[c.Node]
		}
		if c.Code == call.Read {
			c.Flags &^= call.Append
		}
		if c.Flags&call.Append == 0 {
			d.after[c.Node] = c.Offset + min(c.Length, maxBytes)
		}
		return d.access(c)
	case call.Truncate:
		if length < 0 {
			return d.bad("a truncate without a length: want time thread truncate file - length")
		}
		if d.blocks {
			c.Offset, c.Length = max(offset, 0), length
			if c.Offset > maxBytes || c.Length > maxBytes-c.Offset {
				return d.leave("accesses beyond 32 GiB of a file")
			}
			return d.emit(c)
		}
		return d.truncate(c.Node, length)
	case call.Unlink, call.Rmdir:
		return d.remove(c.Node)
	case call.Rename:
		to, all, ok := d.walk(0, w[4])
		if n < 5 || len(w[4]) == 0 || !ok || all && to.dir < 0 {
			return d.bad("a rename without a new path: want time thread rename file newfile")
		}
		return d.rename(c.Node, to)
	case call.Stat:
		d.learn(c.Node, length)
	case call.Fsync, call.Fdatasync:
	default: // open, close
		if x.dir {
			return d.leave(op + " of directories")
		}
	}
	return d.emit(c)
}

// ofBlocks reports whether a call is a request of blocks.
func ofBlocks(c call.Code) bool {
	switch c {
	case call.Read, call.Write, call.Fsync, call.Fdatasync, call.Truncate:
		return true
	}
	return false
}

// flags reads the last word of a call.
func flags(w []byte, c *call.Call) bool {
	for f := range bytes.SplitSeq(w, []byte(",")) {
		switch {
		case string(f) == "d":
			c.Flags |= call.Direct
		case string(f) == "s":
			c.Flags |= call.Sync
		case string(f) == "a":
			c.Flags |= call.Append
		case len(f) > 1 && f[0] == 'r':
			v, ok := decimal(f[1:])
			if !ok || v > 100 {
				return false
			}
			c.Changed = int16(v)
		case len(f) > 1 && f[0] == 'w':
			ps, ok := fraction(f[1:], 6)
			if !ok || ps > int64(maxAt) {
				return false
			}
			c.Waits = unit.Time(ps)
		default:
			return false
		}
	}
	return true
}

// Encode writes a recording that was read in Spillway's text format: with numbers for
// names, in the order in which calls took effect.
func Encode(w io.Writer, r *load.Recording) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, header)
	if name := strings.Join(strings.Fields(r.Name), " "); name != "" {
		fmt.Fprintln(out, "name", strings.ToValidUTF8(name[:min(len(name), maxName)], ""))
	}
	if r.Blocks {
		fmt.Fprintln(out, "blocks")
	}
	fmt.Fprintln(out, "# time in µs, thread, op, file, offset, length, flags")
	x := numbered{parent: make([]int32, r.Most), number: make([]int32, r.Most), renamed: make([]int32, r.Most), next: int32(len(r.Nodes))}
	for i := range r.Nodes {
		x.parent[i], x.number[i] = r.Nodes[i].Parent, int32(i)
		if i == 0 {
			continue
		}
		if r.Nodes[i].Dir {
			fmt.Fprintf(out, "- - dir %s\n", x.path(int32(i)))
		} else {
			fmt.Fprintf(out, "- - file %s - %d\n", x.path(int32(i)), r.Nodes[i].Size)
		}
	}
	var line []byte
	at := make([]int, len(r.Threads))
	for _, t := range r.Order {
		c := &r.Threads[t][at[t]]
		at[t]++
		line = micro(line[:0], c.At)
		line = strconv.AppendInt(append(line, ' '), int64(t), 10)
		line = append(append(line, ' '), ops[c.Code]...)
		if c.Code == call.Create || c.Code == call.Mkdir {
			x.create(c.Node, c.Dir)
		}
		line = append(append(line, ' '), x.path(c.Node)...)
		switch c.Code {
		case call.Rename:
			if c.Over != 0 {
				x.replace(c.Node, c.Over)
			} else {
				x.parent[c.Node] = c.Dir
				x.renamed[c.Node]++
			}
			line = append(append(line, ' '), x.path(c.Node)...)
		case call.Truncate:
			if line = append(line, ' '); r.Blocks {
				line = strconv.AppendInt(line, c.Offset, 10)
			} else {
				line = append(line, '-')
			}
			line = strconv.AppendInt(append(line, ' '), c.Length, 10)
		case call.Read, call.Write:
			if line = append(line, ' '); c.Flags&call.Append != 0 {
				line = append(line, '-')
			} else {
				line = strconv.AppendInt(line, c.Offset, 10)
			}
			line = strconv.AppendInt(append(line, ' '), c.Length, 10)
		}
		line = appendFlags(line, c)
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

func appendFlags(line []byte, c *call.Call) []byte {
	sign, moves := byte(' '), c.Code == call.Read || c.Code == call.Write
	for i, f := range []byte("dsa") {
		if moves && c.Flags>>i&1 != 0 {
			line = append(line, sign, f)
			sign = ','
		}
	}
	if moves && c.Changed >= 0 {
		line = strconv.AppendInt(append(line, sign, 'r'), int64(c.Changed), 10)
		sign = ','
	}
	if c.Waits > 0 {
		for words := bytes.Count(line, []byte(" ")) + 1; words < 6; words++ {
			line = append(line, " -"...)
		}
		line = micro(append(line, sign, 'w'), c.Waits)
	}
	return line
}

// micro writes a time in microseconds.
func micro(line []byte, at unit.Time) []byte {
	line = strconv.AppendInt(line, int64(at/unit.Microsecond), 10)
	if part := at % unit.Microsecond; part > 0 {
		line = append(line, strings.TrimRight(fmt.Sprintf(".%06d", int64(part)), "0")...)
	}
	return line
}

// numbered are the places of nodes, and the numbers that they are called by: those that
// are created have theirs in the order in which they are, and each new name of one has
// another number behind it.
type numbered struct {
	parent, number []int32
	renamed        []int32 // how often
	next           int32
}

func (x *numbered) create(n, dir int32) {
	x.parent[n] = dir
	if x.number[n] == 0 {
		x.number[n] = x.next
		x.next++
	}
}

// replace gives a node the name of another, which has a new one if it is ever made again.
func (x *numbered) replace(n, over int32) {
	x.parent[n], x.number[n], x.renamed[n] = x.parent[over], x.number[over], x.renamed[over]
	x.number[over], x.renamed[over] = x.next, 0
	x.next++
}

func (x *numbered) path(n int32) string {
	if n <= 0 {
		return "/"
	}
	var parts []string
	for ; n > 0 && len(parts) < len(x.parent); n = x.parent[n] {
		name := strconv.Itoa(int(x.number[n]))
		if k := x.renamed[n]; k > 0 {
			name += "." + strconv.Itoa(int(k))
		}
		parts = append(parts, name)
	}
	slices.Reverse(parts)
	return "/" + strings.Join(parts, "/")
}
