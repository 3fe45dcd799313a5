package pickle

import (
	"errors"
	"fmt"
	"io"
)

// An input hands out the bytes of a reader in pieces.
type input struct {
	r      io.Reader
	buf    []byte
	i, n   int   // what is left of buf
	before int64 // bytes before buf
}

// pos is how many bytes were taken.
func (in *input) pos() int64 { return in.before + int64(in.i) }

// take returns the next n bytes, which stay as they are until the next call.
func (in *input) take(n int) ([]byte, error) {
	if in.n-in.i < n {
		if err := in.fill(n); err != nil {
			return nil, err
		}
	}
	b := in.buf[in.i : in.i+n]
	in.i += n
	return b, nil
}

// fill reads until there are n bytes.
func (in *input) fill(n int) error {
	in.before += int64(in.i)
	in.n = copy(in.buf, in.buf[in.i:in.n])
	in.i = 0
	if n > len(in.buf) {
		in.buf = append(make([]byte, 0, n), in.buf[:in.n]...)[:n]
	}
	for empty := 0; in.n < n; {
		k, err := in.r.Read(in.buf[in.n:])
		in.n += k
		switch {
		case in.n >= n:
			return nil
		case errors.Is(err, io.EOF):
			return errEnd
		case err != nil:
			return fmt.Errorf("reading: %w", err)
		}
		if empty++; k > 0 {
			empty = 0
		} else if empty > 100 {
			return fmt.Errorf("reading: %w", io.ErrNoProgress)
		}
	}
	return nil
}
