// Package address reads and writes address traces: what threads of a program asked
// of memory, in the order in which they asked. FORMAT.md describes the two formats
// of Spillway's own, a text and a binary one. Besides it takes what other tools write
// as text: samples of perf, traces of DynamoRIO, Valgrind's Lackey and gem5.
//
// A trace is read once, by slices, with a bounded amount of memory however long it
// is. Addresses are not kept: pages of 4 KiB get numbers in the order in which they
// are first touched, and of names of threads, programs and symbols nothing remains.
package address

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"spillway/sim/cxlssd/stream"
)

// What is kept of a trace at most. The rest is read and counted, but not used. A tab has
// the accesses twice, as they were read and with gaps in cycles: 64 MB; while pages get
// numbers, their table takes 48 MB at most.
const (
	MaxKept    = 4 << 20 // accesses, 8 bytes each
	MaxPages   = 2 << 20 // of 4 KiB: a footprint of 8 GiB
	MaxThreads = 1024
)

// maxSize is how many bytes one access may have; the largest that processors know,
// saving all registers, have some thousand.
const maxSize = 16 << 10

// A format is one that is taken.
type format struct {
	title string
	takes string // how to make such a file, for people
	// line takes one line; it reports whether the line is of the format.
	line func(d *decoder, b []byte) bool
	gaps stream.Gaps
	// sampled is true where its recordings are samples.
	sampled bool
}

// The formats, text by text.
var (
	own       = &format{title: "Spillway address trace", takes: `a recorder of your own: a text that begins with "address 1" (traces/address/FORMAT.md)`, line: (*decoder).ownLine}
	perf      = &format{title: "perf script", takes: "perf script -F comm,tid,time,period,event,addr,data_src, after perf mem record or perf record -d", line: (*decoder).perfLine, gaps: stream.GapNanoseconds, sampled: true}
	perfRaw   = &format{title: "perf mem report --dump-raw-samples", takes: "perf mem report --dump-raw-samples", line: (*decoder).perfRawLine, sampled: true}
	view      = &format{title: "DynamoRIO drmemtrace view", takes: "drrun -t drmemtrace -tool view (its standard error)", line: (*decoder).viewLine, gaps: stream.GapInstructions}
	memtrace  = &format{title: "DynamoRIO memtrace_simple", takes: "DynamoRIO's sample memtrace_simple", line: (*decoder).memtraceLine, gaps: stream.GapInstructions}
	memtraceX = &format{title: "DynamoRIO memtrace_x86_text", takes: "DynamoRIO's sample memtrace_x86_text", line: (*decoder).memtraceXLine}
	lackey    = &format{title: "Valgrind Lackey", takes: "valgrind --tool=lackey --trace-mem=yes --log-file=FILE", line: (*decoder).lackeyLine, gaps: stream.GapInstructions}
	packets   = &format{title: "gem5 packet trace", takes: "gem5's util/decode_packet_trace.py", line: (*decoder).packetLine, gaps: stream.GapNanoseconds}
	debug     = &format{title: "gem5 MemoryAccess", takes: "gem5 --debug-flags=MemoryAccess", line: (*decoder).debugLine, gaps: stream.GapNanoseconds}

	foreign = []*format{perf, perfRaw, view, memtrace, memtraceX, lackey, packets, debug}
)

// Takes lists the formats and how to make a file of each, for those who dropped
// something else.
func Takes() []string {
	list := []string{own.title + ": " + own.takes}
	for _, f := range foreign {
		list = append(list, f.title+": "+f.takes)
	}
	return list
}

const headBytes = 256 << 10

// recognize says which format a text has that begins with head: the one of whose
// lines there are most.
func recognize(head []byte) *format {
	if first, _, _ := bytes.Cut(head, []byte("\n")); isOwn(first) {
		return own
	}
	var best *format
	most := 0
	for _, f := range foreign {
		d := newDecoder("", f)
		n := 0
		for rest := head; len(rest) > 0 && n < 1000; {
			var line []byte
			line, rest, _ = bytes.Cut(rest, []byte("\n"))
			if line = bytes.TrimSuffix(line, []byte("\r")); len(blanks(line)) > 0 && f.line(d, line) {
				n++
			}
		}
		// Lines alone prove nothing: there must be accesses, or what only this format has.
		if n > most && (d.count > 0 || d.sure) {
			best, most = f, n
		}
	}
	return best
}

// others are files that look like what belongs here and are not.
var others = []struct{ begins, says string }{
	{"PERFILE2", "is perf's own file; open what this prints: perf script -F comm,tid,time,period,event,addr,data_src"},
	{"gem5", "is gem5's own packet trace; open what its util/decode_packet_trace.py makes of it"},
	{"Format: <instr address>,<opcode>", "lists instructions (DynamoRIO's instrace) and no addresses of data; record with memtrace_simple instead"},
	{"\xff\xfe", "is text in UTF-16, as PowerShell's > writes it; write it as UTF-8"},
}

// Read reads an address trace in any of the formats, also compressed with gzip. name
// is the file's, for messages. An error says what is wrong and where, in a text up to
// twenty times.
func Read(name string, r io.Reader) (*stream.Recording, error) {
	in, f, err := text(name, r)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return readBinary(name, in)
	}
	d := newDecoder(name, f)
	if err := d.lines(in); err != nil {
		return nil, err
	}
	return d.finish()
}

// text returns what a file has in it, decompressed, and the format of the text; nil of
// the binary one.
func text(name string, r io.Reader) (*bufio.Reader, *format, error) {
	in := bufio.NewReaderSize(r, headBytes)
	if head, _ := in.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, nil, unread(name, err)
		}
		in = bufio.NewReaderSize(z, headBytes)
	}
	head, err := in.Peek(headBytes)
	if err != nil && err != io.EOF {
		return nil, nil, unread(name, err)
	}
	if bytes.HasPrefix(head, bom) {
		_, _ = in.Discard(len(bom)) // they are there
		head = head[len(bom):]
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, nil, fmt.Errorf("%s: the file is empty", name)
	}
	if bytes.HasPrefix(head, []byte(magic)) {
		return in, nil, nil
	}
	for _, o := range others {
		if bytes.HasPrefix(head, []byte(o.begins)) {
			return nil, nil, fmt.Errorf("%s: %s", name, o.says)
		}
	}
	f := recognize(head)
	if f == nil {
		first, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
		return nil, nil, &NotTraceError{Name: name, Begins: fmt.Sprintf("%.60q", first)}
	}
	return in, f, nil
}

// Sniff reports whether a text that begins with head is an address trace in one of the
// formats, or what another program keeps of one, about which Read says what to do. Text
// that is compressed is none.
func Sniff(head []byte) bool {
	head = bytes.TrimPrefix(head, bom)
	if bytes.HasPrefix(head, []byte(magic)) || bytes.HasPrefix(head, []byte("PERFILE2")) || bytes.HasPrefix(head, []byte("gem5")) {
		return true
	}
	return recognize(head[:min(len(head), headBytes)]) != nil
}

// OfOneThread reports whether a file that begins with head is of a format whose
// programs write a file for each of their threads.
func OfOneThread(head []byte) bool {
	head, err := bufio.NewReaderSize(inflated(head), headBytes).Peek(headBytes)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	f := recognize(bytes.TrimPrefix(head, bom))
	return f == memtrace || f == memtraceX
}

// inflated reads data, decompressed if it is compressed.
func inflated(data []byte) io.Reader {
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			return z
		}
	}
	return bytes.NewReader(data)
}

// ReadThreads reads files of which each has one thread of the same program. Each may
// have its part of the accesses that are kept.
func ReadThreads(names []string, open func(i int) (io.ReadCloser, error)) (*stream.Recording, error) {
	var d *decoder
	for i, name := range names {
		r, err := open(i)
		if err != nil {
			return nil, unread(name, err)
		}
		in, f, err := text(name, r)
		switch {
		case err != nil:
		case f == nil || f != memtrace && f != memtraceX:
			err = fmt.Errorf("%s: no file of one thread", name)
		case d == nil:
			d = newDecoder(name, f)
		case d.format != f:
			err = fmt.Errorf("%s: has the format %s, the files before it %s", name, f.title, d.format.title)
		}
		if err == nil {
			d.name, d.line, d.base, d.last = name, 0, uint64(i), -1
			d.most = MaxKept / int64(len(names)) * int64(i+1)
			d.full = d.full && d.count >= d.most
			err = d.lines(in)
		}
		if err = cmp.Or(err, r.Close()); err != nil {
			return nil, err
		}
	}
	if d == nil {
		return nil, errors.New("there are no files")
	}
	return d.finish()
}

// NotTraceError says that a file is no address trace.
type NotTraceError struct{ Name, Begins string }

// Error implements error.
func (e *NotTraceError) Error() string {
	return fmt.Sprintf("%s: no address trace: it begins with %s", e.Name, e.Begins)
}

var bom = []byte("\xef\xbb\xbf")

// unread says that a file cannot be read to its end.
func unread(name string, err error) error {
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: damaged gzip data (%w); compress or download it again", name, err)
	}
	return fmt.Errorf("%s cannot be read: %w", name, err)
}
