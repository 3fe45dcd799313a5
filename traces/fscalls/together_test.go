package fscalls

import (
	"io"
	"strings"
	"testing"
)

// TestTogether: the files of strace -ff are read as the one of strace -f.
func TestTogether(t *testing.T) {
	one := "1716900000.100000 openat(AT_FDCWD</d>, \"a\", O_RDWR|O_CREAT, 0644) = 3</d/a>\n1716900000.300000 write(3</d/a>, \"x\", 1) = 1\n1716900000.500000 fsync(3</d/a>) = 0\n"
	two := "1716900000.200000 openat(AT_FDCWD</d>, \"b\", O_RDWR|O_CREAT, 0644) = 4</d/b>\n1716900000.400000 write(4</d/b>, \"xy\", 2) = 2\n1716900000.600000 +++ exited with 0 +++"
	for name, want := range map[string]bool{"run.27214": true, "run": false, "run.txt": false, ".27": false} {
		if program, thread, ok := OneThread(name, []byte(one)); ok != want || ok && (program != "run" || thread != "27214") {
			t.Errorf("%s: %q, %q, %t", name, program, thread, ok)
		}
	}
	if _, _, ok := OneThread("run.27214", []byte("697 "+one)); ok {
		t.Error("lines of strace -f are taken for those of one thread")
	}
	text, err := io.ReadAll(Together([]string{"697", "698"}, []io.Reader{strings.NewReader(one), strings.NewReader(two)}))
	var lines []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, line[:21])
	}
	want := "697 1716900000.100000, 698 1716900000.200000, 697 1716900000.300000, 698 1716900000.400000, 697 1716900000.500000, 698 1716900000.600000"
	if got := strings.Join(lines, ", "); err != nil || got != want {
		t.Errorf("%v, %s", err, got)
	}
	r, err := Read("run", Together([]string{"697", "698"}, []io.Reader{strings.NewReader(one), strings.NewReader(two)}))
	if err != nil || len(r.Threads) != 2 || len(r.Order) != 5 {
		t.Errorf("%v, %+v", err, r)
	}
}
