package archive

import (
	"bytes"
	"strconv"
	"strings"
)

// pointed begins a pointer of Git LFS (git-lfs, docs/spec.md): a short text in place of a file.
const pointed = "version https://git-lfs.github.com/spec/"

// Pointer returns how many bytes the file has for which data stands as a pointer of Git LFS; false
// if it is none.
func Pointer(data []byte) (size int64, ok bool) {
	if len(data) > 1024 || !bytes.HasPrefix(data, []byte(pointed)) {
		return 0, false
	}
	for line := range strings.Lines(string(data)) {
		if text, is := strings.CutPrefix(strings.TrimSpace(line), "size "); is {
			size, err := strconv.ParseInt(text, 10, 64)
			return size, err == nil && size >= 0
		}
	}
	return 0, false
}
