package worker

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"syscall/js"

	"spillway/ui/lab"
	"spillway/wasm/browser"
)

const (
	// mostHeld is how large a file may be to be read whole. Larger ones are read a
	// slice at a time, as often as somebody asks, so that it is known how far they are.
	mostHeld = 2 << 20
	// slice is how much is read at once; Data of a larger file is its first slice.
	slice = 1 << 20
	// wide is the memory limit while a large file is open: with the usual one the
	// collector would run without end.
	wide = 320 << 20
)

// read returns the content of opened files.
func read(files js.Value) ([]lab.File, error) {
	var list []lab.File
	limit := int64(usual)
	for i := range files.Length() {
		f := files.Index(i)
		name, blob := f.Get("name").String(), f.Get("file")
		size := int64(blob.Get("size").Float())
		open := func() (io.ReadCloser, error) { return &stream{name: name, blob: blob, size: size}, nil }
		if f.Get("unread").Truthy() {
			list = append(list, lab.File{Name: name, Size: size, Stream: open})
			continue
		}
		if size > mostHeld {
			limit = wide
		}
		if size > mostHeld && !f.Get("held").Truthy() {
			beginning := make([]byte, slice)
			s := &stream{name: name, blob: blob, size: size}
			if _, err := io.ReadFull(s, beginning); err != nil {
				return nil, err
			}
			list = append(list, lab.File{Name: name, Data: beginning, Size: size, Stream: open})
			continue
		}
		buffer, err := browser.Await(blob.Call("arrayBuffer"))
		if err != nil {
			return nil, unreadable(name, err)
		}
		list = append(list, lab.File{Name: name, Data: browser.Bytes(js.Global().Get("Uint8Array").New(buffer))})
	}
	debug.SetMemoryLimit(limit)
	return list, nil
}

// unreadable says that a file is not what it was.
func unreadable(name string, err error) error {
	return fmt.Errorf("%s cannot be read: %w. If it changed or moved since it was opened, open it again", name, err)
}

// A stream reads a file slice by slice. Reads wait for the disk: workers may.
type stream struct {
	name   string
	blob   js.Value
	size   int64
	at     int64 // where the next slice begins
	from   int   // the first byte of the slice at hand that was not read yet
	length int   // of that slice, 0 if there is none
}

// held is a Uint8Array with the slice at hand of the stream that was used last, which
// is its holder: a checkpoint may be hundreds of files, and none is ever closed.
var (
	held   js.Value
	holder *stream
)

// hold makes a stream the one that has a slice at hand. The one that had it goes on
// behind what was read of it.
func (s *stream) hold() {
	if held.IsUndefined() {
		held = js.Global().Get("Uint8Array").New(slice)
	}
	if holder != s && holder != nil {
		holder.at -= int64(holder.length - holder.from)
		holder.from, holder.length = 0, 0
	}
	holder = s
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	if s.from == s.length {
		if s.at >= s.size {
			return 0, io.EOF
		}
		if err := s.next(); err != nil {
			return 0, unreadable(s.name, err)
		}
	}
	n := s.copy(p, s.from)
	s.from += n
	return n, nil
}

// copy copies what is at hand, from a place on.
func (s *stream) copy(p []byte, from int) int {
	if from == 0 && s.length == slice {
		return js.CopyBytesToGo(p, held)
	}
	return js.CopyBytesToGo(p, held.Call("subarray", from, s.length))
}

// next reads the next slice.
func (s *stream) next() error { return s.fetch(s.at, slice) }

// fetch reads at most so many bytes from a place on; they are then at hand.
func (s *stream) fetch(at int64, most int) error {
	s.at, s.from, s.length = at, 0, 0
	n, err := s.call("readSlice", s.blob, at, min(at+int64(most), s.size))
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("it is shorter than it was")
	}
	s.length = n
	s.at += int64(n)
	return nil
}

// call calls one of worker.js's readers, which fill what is held, and returns how many
// bytes it read.
func (s *stream) call(reader string, args ...any) (n int, err error) {
	defer func() { // the reader throws what Go sees as a panic
		if p := recover(); p != nil {
			e, ok := p.(js.Error)
			if !ok {
				panic(p)
			}
			err = reason(e)
		}
	}()
	s.hold()
	return js.Global().Call(reader, append(args, held)...).Int(), nil
}

// reason says in short why the browser could not read.
func reason(e js.Error) error {
	if e.Get("name").String() == "NotReadableError" {
		return errors.New("it is no longer what it was when it was opened")
	}
	return errors.New(strings.TrimSuffix(e.Get("message").String(), "."))
}

// Gather implements lab.Gatherer.
func (s *stream) Gather(p []byte, at []int64) error {
	if len(at) == 0 {
		return nil
	}
	size := len(p) / len(at)
	if size == 0 || size > slice {
		return errors.New("pieces of no size that can be read")
	}
	for len(at) > 0 {
		n := min(len(at), slice/size)
		places := make([]any, n)
		for i := range places {
			places[i] = at[i]
		}
		s.from, s.length = 0, 0 // what is held is no longer a slice
		got, err := s.call("readPieces", s.blob, places, size)
		if err == nil && got < n*size {
			err = errors.New("it is shorter than it was")
		}
		if err != nil {
			return unreadable(s.name, err)
		}
		js.CopyBytesToGo(p[:n*size], held)
		p, at = p[n*size:], at[n:]
	}
	return nil
}

// near is how far behind what was read last a place may be for a whole slice to be
// read there: who goes farther looks here and there, and needs no more than it asks
// for.
const near = 64 << 10

// ReadAt implements io.ReaderAt: archives are read from their end, and samples of a
// large file in many places.
func (s *stream) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		at := off + int64(n)
		if at < 0 || at >= s.size {
			return n, io.EOF
		}
		if begin := s.at - int64(s.length); s.length == 0 || at < begin || at >= s.at {
			most := slice
			if at < s.at || at > s.at+near {
				most = min(slice, len(p)-n)
			}
			if err := s.fetch(at, most); err != nil {
				return n, unreadable(s.name, err)
			}
		}
		n += s.copy(p[n:], int(at-(s.at-int64(s.length))))
	}
	return n, nil
}

// Close implements io.Closer.
func (s *stream) Close() error {
	s.from, s.length, s.at = 0, 0, s.size
	if holder == s {
		held, holder = js.Undefined(), nil
	}
	return nil
}
