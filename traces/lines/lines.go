// Package lines takes texts of any size apart into lines, by slices of bounded size. It knows
// no format.
package lines

import (
	"bytes"
	"io"
)

// Each calls line with every line of a text, in order and without its end, LF or CR LF, until it
// returns false. A line is valid until line returns. One of more than most bytes is cut: only
// its first most bytes come, once, with cut.
//
// An error is r's; io.EOF is the end. The memory is 4 most bytes.
func Each(r io.Reader, most int, line func(text []byte, cut bool) bool) error {
	buf := make([]byte, 0, 4*most)
	inside := false // a line whose beginning was already cut
	for end := false; !end; {
		n, err := fill(r, buf[len(buf):cap(buf)])
		if end = err == io.EOF; err != nil && !end {
			return err
		}
		buf = buf[:len(buf)+n]
		rest := buf
		for len(rest) > 0 {
			at := bytes.IndexByte(rest, '\n')
			if at < 0 && !end {
				break
			}
			text := rest
			if at >= 0 {
				text, rest = rest[:at], rest[at+1:]
			} else {
				rest = nil
			}
			if inside {
				inside = false
				continue
			}
			if text = bytes.TrimSuffix(text, []byte("\r")); !line(text[:min(len(text), most)], len(text) > most) {
				return nil
			}
		}
		// One byte more than most may be the CR of an end.
		if len(rest) > most+1 && !end {
			if !inside && !line(rest[:most], true) {
				return nil
			}
			inside, rest = true, nil
		}
		buf = buf[:copy(buf[:cap(buf)], rest)]
	}
	return nil
}

// fill reads until p is full or something else than bytes comes. Other than of
// io.ReadFull its io.EOF is always the end, and no other error is.
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var k int
		k, err = r.Read(p[n:])
		n += k
	}
	return n, err
}
