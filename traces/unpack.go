package traces

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// What unpacking may yield at most. The artifact's repository has 0.02 GiB in
// some thousand files.
const (
	maxUnpacked = 1 << 30
	maxFiles    = 100_000
)

// An unpacker keeps account of what archives yield.
type unpacker struct {
	files []File
	room  int64 // bytes that may still come
}

// unpack replaces zip archives and gzipped files by their contents.
func unpack(files []File) ([]File, error) {
	u := unpacker{room: maxUnpacked}
	for _, f := range files {
		if err := u.add(f); err != nil {
			return nil, err
		}
	}
	return u.files, nil
}

func (u *unpacker) add(f File) error {
	name := strings.ReplaceAll(f.Name, "\\", "/")
	switch {
	case skipped(name):
		return nil
	case bytes.HasPrefix(f.Data, []byte("PK\x03\x04")):
		return u.zip(name, f.Data)
	case bytes.HasPrefix(f.Data, []byte("PK\x05\x06")):
		return fmt.Errorf("%s: an empty zip archive; download it again", name)
	}
	return u.plain(name, f.Data)
}

// plain adds one file, decompressed if need be.
func (u *unpacker) plain(name string, data []byte) error {
	if len(u.files) >= maxFiles {
		return fmt.Errorf("%s: more than %d files; drop only the folders you need", name, maxFiles)
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = u.read(name, r)
		}
		if errors.Is(err, errTooLarge) {
			return tooLarge(name)
		}
		if err != nil {
			return fmt.Errorf("%s: damaged gzip data (%w); compress or download it again", name, err)
		}
		name = strings.TrimSuffix(name, ".gz")
	}
	u.files = append(u.files, File{name, bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))}) // some editors put a mark in front
	return nil
}

var errTooLarge = errors.New("more than 1 GiB unpacked")

// read reads all of r within the room that is left.
func (u *unpacker) read(name string, r io.Reader) ([]byte, error) {
	var buf bytes.Buffer
	n, err := io.Copy(&buf, io.LimitReader(r, u.room+1))
	if n > u.room {
		return nil, errTooLarge
	}
	u.room -= n
	return buf.Bytes(), err
}

// zip adds the files of an archive. Archives within it stay packed.
func (u *unpacker) zip(name string, data []byte) error {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf("%s: damaged zip archive (%w); download it again", name, err)
	}
	for _, z := range r.File {
		inside := strings.ReplaceAll(z.Name, "\\", "/")
		if strings.HasSuffix(inside, "/") || skipped(inside) {
			continue
		}
		if path.Base(inside) == "data.pkl" {
			return fmt.Errorf("%s: a PyTorch checkpoint holds weights, not a trace. %s", name, supported())
		}
		if int64(min(z.UncompressedSize64, maxUnpacked+1)) > u.room {
			return tooLarge(name)
		}
		content, err := u.member(inside, z)
		if err == nil {
			err = u.plain(inside, content)
		}
		if errors.Is(err, errTooLarge) {
			return tooLarge(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func tooLarge(name string) error {
	return fmt.Errorf("%s: unpacks to more than %d GiB; drop only the folders frontend, results and src/configs", name, maxUnpacked>>30)
}

func (u *unpacker) member(name string, z *zip.File) (data []byte, err error) {
	r, err := z.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	data, err = u.read(name, r)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w; download the archive again", name, err)
	}
	return data, nil
}

// skipped reports whether a path is the litter of a file manager or version
// control: a hidden file or folder, or the macOS resource folder.
func skipped(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "__MACOSX" || strings.HasPrefix(part, ".") && part != "." && part != ".." {
			return true
		}
	}
	return false
}
