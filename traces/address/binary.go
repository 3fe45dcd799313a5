package address

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"spillway/sim/cxlssd/stream"
)

// magic begins the binary format.
const magic = "spillway addresses 1\n"

const (
	flagMissed  = 1
	flagSampled = 2
	// mostTexts and mostText bound what a recording says of itself.
	mostTexts, mostText = 64, 4096
	// mostLines bounds a line: addresses have 64 bits.
	mostLines = 1 << 58
)

// appendHead appends what stands before the blocks.
func appendHead(b []byte, r *stream.Recording) []byte {
	flags := uint64(0)
	if r.Missed {
		flags |= flagMissed
	}
	if r.Sampled {
		flags |= flagSampled
	}
	b = append(b, magic...)
	b = binary.AppendUvarint(b, uint64(r.Gaps))
	b = binary.AppendUvarint(b, flags)
	b = binary.AppendUvarint(b, uint64(r.Pages))
	var texts []string
	if r.Name != "" {
		texts = append([]string{r.Name, r.Format}, r.Notes[:min(len(r.Notes), mostTexts-2)]...)
	}
	b = binary.AppendUvarint(b, uint64(len(texts)))
	for _, t := range texts {
		t = t[:min(len(t), mostText)]
		b = binary.AppendUvarint(b, uint64(len(t)))
		b = append(b, t...)
	}
	return b
}

// appendBlock appends accesses of one thread. last is the line of its last access.
func appendBlock(b []byte, thread uint64, block []stream.Request, last *uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(block)))
	b = binary.AppendUvarint(b, thread)
	for _, a := range block {
		line := uint64(a.Page())*stream.Lines + uint64(a.Line())
		delta := int64(line - *last)
		*last = line
		v := uint64(delta<<1^delta>>63) << 1
		if a.Write() {
			v |= 1
		}
		b = binary.AppendUvarint(b, v)
		b = binary.AppendUvarint(b, uint64(a.Gap()))
	}
	return b
}

// A binaryReader reads numbers and counts bytes.
type binaryReader struct {
	in   *bufio.Reader
	at   int64
	from int64 // where the last number began
	err  error
}

// next reads a number; after an error it is 0.
func (r *binaryReader) next() (v uint64) {
	if r.err != nil {
		return 0
	}
	r.from = r.at
	for shift := 0; ; shift += 7 {
		c, err := r.in.ReadByte()
		if err != nil {
			r.err = err
			return 0
		}
		r.at++
		if shift == 63 && c > 1 {
			r.err = errVarint
			return 0
		}
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
}

var errVarint = fmt.Errorf("a number has more than 64 bits")

// readBinary reads the binary format.
func readBinary(name string, in *bufio.Reader) (*stream.Recording, error) {
	d := newDecoder(name, &format{title: "Spillway address trace (binary)"})
	r := &binaryReader{in: in, at: int64(len(magic))}
	if _, err := in.Discard(len(magic)); err != nil {
		return nil, unread(name, err)
	}
	bad := func(format string, a ...any) (*stream.Recording, error) {
		if r.err == io.EOF {
			return nil, fmt.Errorf("%s: ends at byte %d, in the middle; write it again, to its end", name, r.at)
		}
		if r.err == errVarint {
			return nil, fmt.Errorf("%s: byte %d: %w", name, r.from, r.err)
		}
		if r.err != nil {
			return nil, unread(name, r.err)
		}
		return nil, fmt.Errorf("%s: byte %d: %w", name, r.from, fmt.Errorf(format, a...))
	}
	gaps := r.next()
	if r.err != nil || gaps >= uint64(len(stream.GapNames)) {
		return bad("gaps of kind %d; there are 0 to %d", gaps, len(stream.GapNames)-1)
	}
	flags := r.next()
	if r.err != nil || flags > flagMissed|flagSampled {
		return bad("flags %d; there are %d and %d", flags, flagMissed, flagSampled)
	}
	pages := r.next()
	if r.err != nil || pages > MaxPages {
		return bad("%d pages; there may be %d", pages, MaxPages)
	}
	d.gaps, d.missed, d.sampled, d.numbered = stream.Gaps(gaps), flags&flagMissed != 0, flags&flagSampled != 0, int64(pages)
	texts := r.next()
	if r.err != nil || texts > mostTexts {
		return bad("%d texts; there may be %d", texts, mostTexts)
	}
	var said []string
	for range texts {
		n := r.next()
		if r.err != nil || n > mostText {
			return bad("a text of %d bytes; it may have %d", n, mostText)
		}
		t := make([]byte, n)
		k, err := io.ReadFull(in, t)
		if r.at += int64(k); err != nil {
			if r.err = err; err == io.ErrUnexpectedEOF {
				r.err = io.EOF
			}
			return bad("")
		}
		said = append(said, strings.ToValidUTF8(string(t), "�"))
	}
	lines := make([]uint64, 0, 64) // by thread
	for {
		count := r.next()
		if r.err != nil {
			return bad("")
		}
		if count == 0 {
			break
		}
		id := r.next()
		if r.err != nil {
			return bad("")
		}
		n := d.thread(id)
		if n < 0 {
			return bad("thread %d is one more than the %d that are read", id, MaxThreads)
		}
		for len(lines) < len(d.threads) {
			lines = append(lines, 0)
		}
		for ; count > 0; count-- {
			v := r.next()
			line := lines[n] + (v>>2 ^ -(v >> 1 & 1))
			if r.err != nil || line >= mostLines {
				return bad("line %d of memory is behind the last address", line)
			}
			if pages > 0 && line/stream.Lines >= pages {
				return bad("the access is to page %d, but the header numbers %d pages, from 0", line/stream.Lines, pages)
			}
			lines[n] = line
			gap := r.next()
			if r.err != nil {
				return bad("")
			}
			d.pass(id, gap)
			d.touch(n, line, v&1 != 0)
		}
	}
	if _, err := in.ReadByte(); err == nil {
		r.from = r.at
		return bad("there is more behind the end of the trace")
	}
	out, err := d.finish()
	if err == nil && len(said) > 1 {
		out.Name, out.Format = said[0], said[1]
		// A sample says so by itself.
		out.Notes = append(slices.Clone(said[2:]), d.room()...)
	}
	return out, err
}
