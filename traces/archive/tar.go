package archive

import (
	"archive/tar"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
)

// isTar reports whether a file that begins with data is a tar archive, as every tar since 1988
// writes it.
func isTar(data []byte) bool {
	return len(data) >= 512 && string(data[257:262]) == "ustar"
}

// tar adds the files of an archive, which may be compressed.
func (u *unpacker) tar(name string, src source, depth int) error {
	r, err := src.stream()
	if err != nil {
		return At(name, err)
	}
	err = u.tarred(name, src, tar.NewReader(r), depth)
	return cmp.Or(err, r.Close())
}

// tarred adds the files that r has.
func (u *unpacker) tarred(archive string, src source, r *tar.Reader, depth int) error {
	for at := 0; ; at++ {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: damaged tar archive (%w); download it again", archive, err)
		}
		inside := clean(h.Name)
		switch {
		case sparse(h): // its holes are no bytes of the archive, and may be any number
			return fmt.Errorf("%s: %s in it is sparse, with holes that are not stored; pack it again without --sparse", archive, inside)
		case at >= 2*maxFiles:
			return tooMany(archive)
		case !src.packed && h.Size > src.size:
			return fmt.Errorf("%s: %s in it has %d bytes, more than the archive; download it again", archive, inside, h.Size)
		}
		if h.Typeflag != tar.TypeReg || skipped(inside) {
			continue
		}
		data, more, err := u.hold(r, h.Size)
		if errors.Is(err, errTooLarge) {
			return tooLarge(archive)
		}
		if err != nil {
			return fmt.Errorf("%s: %s in it: %w; download it again", archive, inside, err)
		}
		file := source{data: data, size: int64(len(data))}
		if more {
			u.room += int64(len(data)) - HeadBytes
			file = source{data: bytes.Clone(data[:HeadBytes]), size: h.Size, open: func() (io.ReadCloser, error) { return member(src, at) }}
		}
		if err := u.add(strings.TrimPrefix(inside, "./"), file, depth); err != nil {
			return err
		}
	}
}

// sparse reports whether a file has holes, as GNU tar writes them by either of its ways.
func sparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return h.Typeflag == tar.TypeGNUSparse
}

// member opens one file of an archive, by its number in it.
func member(src source, at int) (io.ReadCloser, error) {
	r, err := src.stream()
	if err != nil {
		return nil, err
	}
	z := tar.NewReader(r)
	for i := 0; i <= at && err == nil; i++ {
		_, err = z.Next()
	}
	if err != nil {
		return nil, cmp.Or(err, r.Close())
	}
	return &stream{Reader: z, close: r.Close}, nil
}
