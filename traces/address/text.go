package address

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"spillway/sim/cxlssd/stream"
)

// A Form is one of the two formats that are written.
type Form uint8

// The forms.
const (
	Text Form = iota
	Binary
)

// header begins the first line of the text format.
const header = "address 1"

// isOwn reports whether the first line of a text says that it is Spillway's.
func isOwn(line []byte) bool {
	w, rest := word(line)
	v, _ := word(rest)
	return string(w) == "address" && len(v) > 0 && v[0] >= '0' && v[0] <= '9'
}

// ownLine takes a line of the text format; whatever it may be it is of the format, or
// an error.
func (d *decoder) ownLine(b []byte) bool {
	if d.line == 1 {
		d.ownHeader(string(b))
		return true
	}
	if at := bytes.IndexByte(b, '#'); at >= 0 {
		b = b[:at]
	}
	var words [6][]byte
	n := 0
	for len(b) > 0 && n < len(words) {
		i := 0
		for i < len(b) && b[i] != ' ' && b[i] != '\t' && b[i] != ',' {
			i++
		}
		if i > 0 {
			words[n] = b[:i]
			n++
		}
		b = b[min(i+1, len(b)):]
	}
	if n == 0 {
		return true
	}
	if n != 4 && n != 5 {
		d.bad("%d words; want thread, gap, address, R or W, and perhaps a size", n)
		return true
	}
	thread, ok := number(words[0])
	if !ok {
		d.bad("%.40q is no thread; want a whole number", words[0])
		return true
	}
	gap, ok := number(words[1])
	if !ok {
		d.bad("%.40q is no gap; want a whole number", words[1])
		return true
	}
	addr, ok := number(words[2])
	if !ok {
		d.bad("%.40q is no address; want a whole number, or a hexadecimal one behind 0x", words[2])
		return true
	}
	if k := words[3]; len(k) != 1 || k[0] != 'R' && k[0] != 'W' {
		d.bad("%.40q is neither R nor W", words[3])
		return true
	}
	size := uint64(1)
	if n == 5 {
		if size, ok = number(words[4]); !ok || size < 1 || size > maxSize {
			d.bad("%.40q is no size; want bytes, 1 to %d", words[4], maxSize)
			return true
		}
	}
	d.pass(thread, gap)
	d.access(thread, addr, size, words[3][0] == 'W')
	return true
}

// ownHeader takes the first line.
func (d *decoder) ownHeader(line string) {
	d.gaps = stream.GapInstructions
	words := strings.Fields(line)
	if len(words) < 2 { // the version is behind more blanks than a line has room for
		d.bad("no version of address traces within %d bytes; begin with %q", maxLine, header)
		return
	}
	if words[1] != "1" {
		d.bad("version %s of address traces; this program reads version 1. Reload the page, or get a newer program", words[1])
		return
	}
words:
	for _, w := range words[2:] {
		for g, name := range stream.GapNames {
			if w == name {
				d.gaps = stream.Gaps(g)
				continue words
			}
		}
		pages, isPages := strings.CutPrefix(w, "pages=")
		switch {
		case w == "missed":
			d.missed = true
		case w == "sampled":
			d.sampled = true
		case isPages:
			n, ok := decimal([]byte(pages))
			if !ok || n < 1 || n > MaxPages {
				d.bad("%.40q is no number of pages; want 1 to %d", pages, MaxPages)
			}
			d.numbered = int64(min(n, MaxPages))
		default:
			d.bad("%.40q means nothing behind %q; there are %s, missed, sampled and pages=", w, header, strings.Join(stream.GapNames[:], ", "))
		}
	}
}

// perBlock is how many accesses of a thread are written before those of the next.
const perBlock = 4096

// Write writes a recording in one of Spillway's own formats, with its pages by their
// numbers. Read it is the same again, if it has no more than is kept; only the binary
// format of one with a Name keeps that, Format and the first 62 Notes.
func Write(w io.Writer, r *stream.Recording, f Form) error {
	var buf []byte
	if f == Text {
		buf = fmt.Appendf(nil, "%s %s", header, r.Gaps)
		if r.Missed {
			buf = append(buf, " missed"...)
		}
		if r.Sampled {
			buf = append(buf, " sampled"...)
		}
		buf = fmt.Appendf(buf, " pages=%d\n# thread gap address R/W\n", r.Pages)
	} else {
		buf = appendHead(nil, r)
	}
	last := make([]uint64, len(r.Threads))
	for from, more := 0, true; more; from += perBlock {
		more = false
		for i, t := range r.Threads {
			if from >= len(t) {
				continue
			}
			block := t[from:min(from+perBlock, len(t))]
			more = true
			if f == Binary {
				buf = appendBlock(buf, uint64(i), block, &last[i])
			}
			for k := 0; f == Text && k < len(block); k++ {
				a := block[k]
				buf = strconv.AppendInt(buf, int64(i), 10)
				buf = append(buf, ' ')
				buf = strconv.AppendInt(buf, int64(a.Gap()), 10)
				buf = append(buf, " 0x"...)
				buf = strconv.AppendUint(buf, uint64(a.Page())<<12|uint64(a.Line())<<6, 16)
				kind := " R\n"
				if a.Write() {
					kind = " W\n"
				}
				buf = append(buf, kind...)
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	if f == Binary {
		buf = append(buf, 0)
	}
	_, err := w.Write(buf)
	return err
}
