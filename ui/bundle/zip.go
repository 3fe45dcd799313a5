package bundle

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// What a bundle may have at most. A result has some hundred KiB, a workload some
// MiB.
const (
	mostFiles = 4096
	mostBytes = 256 << 20
	mostText  = 4 << 20 // of a file that describes the bundle
	// mostRatio is how much smaller packed files may be, beyond a first MiB.
	mostRatio = 200
)

// epoch is the time of every file: the first that a zip can say.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// pack writes files as a zip, in the order of their names.
func pack(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := safe(name); err != nil {
			return nil, err
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: epoch})
		if err == nil {
			_, err = f.Write(files[name])
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// safe refuses names that could be anything but a file below a folder.
func safe(name string) error {
	if !fs.ValidPath(name) || name == "." || len(name) > 400 || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '\\' || r == ':' || r == 0xfffd }) {
		return fmt.Errorf("%.80q is no name of a file in a bundle", name)
	}
	return nil
}

// Is reports whether data is a bundle: a zip whose manifest says so, also where
// other files in it are damaged. One that was cut off is none: a zip's list of
// files is at its end.
func Is(data []byte) bool {
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) || !bytes.Contains(data, []byte(manifestName)) {
		return false
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return false
	}
	for _, f := range r.File {
		if f.Name == manifestName {
			text, _ := content(f, mostText) // also the beginning of one that is cut off
			return bytes.Contains(text, []byte(`"`+format+`"`))
		}
	}
	return false
}

// unpack reads the files of a zip. Of those whose bytes cannot be read, broken says
// why.
func unpack(data []byte) (files map[string][]byte, broken map[string]string, err error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, fmt.Errorf("the zip cannot be read (%w); get it again", err)
	}
	if len(r.File) > mostFiles {
		return nil, nil, fmt.Errorf("it has %d files; a bundle has at most %d", len(r.File), mostFiles)
	}
	files, broken = map[string][]byte{}, map[string]string{}
	seen := map[string]bool{}
	total := 0
	for _, f := range r.File {
		if err := safe(f.Name); err != nil {
			return nil, nil, err
		}
		if low := strings.ToLower(f.Name); seen[low] {
			return nil, nil, fmt.Errorf("%s is in it twice", f.Name)
		} else {
			seen[low] = true
		}
		if f.Mode()&^0o777 != 0 || f.Flags&1 != 0 {
			return nil, nil, fmt.Errorf("%s is no plain file", f.Name)
		}
		text, err := content(f, mostBytes-total)
		switch {
		case errors.Is(err, errTooLarge):
			return nil, nil, fmt.Errorf("%s: it unpacks to more than a bundle may have (%d MiB in all, or %d times its packed size)", f.Name, mostBytes>>20, mostRatio)
		case err != nil:
			broken[f.Name] = err.Error()
		}
		if total += len(text); total > 1<<20 && total/mostRatio > len(data) {
			return nil, nil, fmt.Errorf("%s: it unpacks to more than %d times its packed size", f.Name, mostRatio)
		}
		files[f.Name] = text
	}
	return files, broken, nil
}

var errTooLarge = errors.New("too large")

// content reads a file of a zip, at most so many bytes, whatever the zip says that
// it has.
func content(f *zip.File, most int) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	packed := min(f.CompressedSize64, mostBytes) // a hostile number must not overflow
	most = min(most, 1<<20+int(min(mostBytes, mostRatio*packed)))
	text, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if len(text) > most {
		return text[:most], errTooLarge
	}
	return text, err
}
