package archive

import (
	"bytes"
	"fmt"
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

// Pointers takes pointers of Git LFS out of a list and says of each what it stands for.
func Pointers(list []Item) (files []Item, says []string) {
	for i := range list {
		size, ok := Pointer(list[i].Data)
		if !ok {
			files = append(files, list[i])
			continue
		}
		says = append(says, fmt.Sprintf("%s is not the file but Git LFS's pointer to it, which has %s: run git lfs pull, or download it from its page.", list[i].Name, bytesOf(size)))
	}
	return files, says
}

// bytesOf prints a size.
func bytesOf(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
