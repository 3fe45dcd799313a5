// Package fscalls reads recordings of what programs asked of a file system, or of a block
// device: strace, fio's iolog, blkparse, MSR Cambridge's and SPC's tables, and Spillway's own
// text (FORMAT.md), which it also writes.
//
// A recording is read once, by slices, with a bounded amount of memory however long it
// is. Names do not remain: files and directories get numbers in the order in which they
// first occur, and so do threads. What was read or written is not looked at.
package fscalls

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"spillway/sim/filesys/load"
)

// A format is one that is taken.
type format struct {
	title string
	takes string // how to make such a file, for people
	// line takes one line; it reports whether the line is of the format.
	line func(d *decoder, b []byte) bool
}

// The formats, text by text.
var (
	own      = &format{title: "Spillway file system calls", takes: `a recorder of your own: a text that begins with "fscalls 1" (traces/fscalls/FORMAT.md)`, line: (*decoder).ownLine}
	fio      = &format{title: "fio iolog", takes: "fio --write_iolog=FILE (version 2 or 3)", line: (*decoder).fioLine}
	strace   = &format{title: "strace", takes: "strace -f -ttt -y -o FILE PROGRAM", line: (*decoder).straceLine}
	blkparse = &format{title: "blkparse", takes: "blkparse -i DEVICE, after blktrace", line: (*decoder).blkLine}
	msr      = &format{title: "MSR Cambridge", takes: "a table of the MSR Cambridge traces (SNIA IOTTA), or one like it: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime", line: (*decoder).msrLine}
	spc      = &format{title: "SPC", takes: "a table of the Storage Performance Council's format (the UMass traces): ASU,LBA,Size,Opcode,Timestamp", line: (*decoder).spcLine}

	disksim = &format{title: "DiskSim", takes: "a trace of DiskSim or MQSim: time (ns, or ms with a point), device, first sector, sectors, and 1 of a read", line: (*decoder).disksimLine}
	alibaba = &format{title: "Alibaba", takes: "a table of Alibaba's block traces: device_id,opcode,offset,length,timestamp in µs", line: (*decoder).alibabaLine}

	foreign = []*format{strace, blkparse, msr, spc, alibaba, disksim}
)

// Takes lists the formats and how to make a file of each, for those who dropped something
// else.
func Takes() []string {
	var list []string
	for _, f := range []*format{strace, fio, blkparse, msr, spc, alibaba, disksim, own} {
		list = append(list, f.title+": "+f.takes)
	}
	return list
}

const headBytes = 256 << 10

// recognize says which format a text has that begins with head.
func recognize(head []byte) *format {
	first, _, _ := bytes.Cut(head, []byte("\n"))
	first = bytes.TrimSpace(first)
	switch w, rest := word(first); {
	case string(w) == "fscalls" && len(rest) > 1:
		return own
	case bytes.HasPrefix(first, []byte("fio version ")):
		return fio
	}
	var best *format
	most := 0
	for _, f := range foreign {
		d := newDecoder("", f)
		d.action = action(head)
		n := 0
		for rest, lines := head, 0; len(rest) > 0 && lines < 2000; lines++ {
			var line []byte
			line, rest, _ = bytes.Cut(rest, []byte("\n"))
			if line = bytes.TrimSuffix(line, []byte("\r")); len(blanks(line)) > 0 && f.line(d, line) {
				n++
			}
		}
		// Lines alone prove nothing: there must be a call, used or not.
		if n > most && d.sure {
			best, most = f, n
		}
	}
	return best
}

// action is that of blkparse's events which counts as a request: when it is queued, or, where nothing is,
// when it is issued, or, where nothing is either, when it is completed.
func action(head []byte) byte {
	for _, a := range []byte("QD") {
		if bytes.Contains(head, []byte{' ', a, ' '}) {
			return a
		}
	}
	return 'C'
}

// others are files that look like what belongs here and are not.
var others = []struct{ begins, says string }{
	{"fio version 1", "is an iolog of version 1, which has no offsets of files; record it with a newer fio"},
	{"\x07ave", "is blktrace's own file; open what this prints: blkparse -i DEVICE"},
	{"PERFILE2", "is perf's own file; record with strace -f -ttt -y instead"},
	{"\x7fELF", "is a program; record it with strace -f -ttt -y -o FILE PROGRAM"},
	{"\xff\xfe", "is text in UTF-16, as PowerShell's > writes it; write it as UTF-8"},
	{"\xfe\xff", "is text in UTF-16, its bytes in the order of big machines; write it as UTF-8"},
}

// Read reads a recording in any of the formats, also compressed with gzip. name is the
// file's, for messages. An error says what is wrong and where, up to twenty times.
func Read(name string, r io.Reader) (*load.Recording, error) {
	in := bufio.NewReaderSize(r, headBytes)
	if head, _ := in.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, unread(name, err)
		}
		in = bufio.NewReaderSize(z, headBytes)
	}
	head, err := in.Peek(headBytes)
	if err != nil && err != io.EOF {
		return nil, unread(name, err)
	}
	if bytes.HasPrefix(head, bom) {
		_, _ = in.Discard(len(bom)) // they are there
		head = head[len(bom):]
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", name)
	}
	for _, o := range others {
		if bytes.HasPrefix(head, []byte(o.begins)) {
			return nil, fmt.Errorf("%s: %s", name, o.says)
		}
	}
	f := recognize(head)
	if f == nil {
		first, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
		return nil, &NotTraceError{Name: name, Begins: fmt.Sprintf("%.60q", first)}
	}
	d := newDecoder(name, f)
	d.action = action(head)
	if err := d.lines(in); err != nil {
		return nil, err
	}
	return d.finish()
}

// Sniff reports whether a text that begins with head is a recording in one of the
// formats, or one of fio or blktrace about which Read says what to do. Text that is
// compressed is none.
func Sniff(head []byte) bool {
	head = bytes.TrimPrefix(head, bom)
	return bytes.HasPrefix(head, []byte("\x07ave")) || bytes.HasPrefix(head, []byte("fio version 1")) || recognize(head[:min(len(head), headBytes)]) != nil
}

// NotTraceError says that a file is no recording of calls of a file system.
type NotTraceError struct{ Name, Begins string }

// Error implements error.
func (e *NotTraceError) Error() string {
	return fmt.Sprintf("%s: no recording of calls of a file system: it begins with %s", e.Name, e.Begins)
}

var bom = []byte("\xef\xbb\xbf")

// unread says that a file cannot be read to its end.
func unread(name string, err error) error {
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: damaged gzip data (%w); compress or download it again", name, err)
	}
	return fmt.Errorf("%s cannot be read: %w", name, err)
}
