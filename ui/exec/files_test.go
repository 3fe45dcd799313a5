package exec_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"spillway/ui/exec"
	"spillway/ui/files"
	"spillway/ui/lab"
)

// streamed is a file that is not at hand whole.
func streamed(name string, data []byte) lab.File {
	return lab.File{
		Name: name, Data: data[:min(len(data), 16)], Size: int64(len(data)),
		Stream: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
	}
}

// A large file is read as it comes, and progress says how far, also when it is read
// twice; the answer is that of the same file held whole.
func TestLargeFiles(t *testing.T) {
	whole, large := tiny(), tiny()
	total := 0
	for i := range large {
		large[i] = streamed(large[i].Name, large[i].Data)
		total += len(whole[i].Data)
	}
	b := &exec.Executor{Lab: training, Reader: files.Open}
	b.Open(1, whole)
	want := do(t, b, exec.Job{Kind: exec.List, Files: 1}).Entries
	b.Open(2, large)
	var told []int
	a := b.Do(&exec.Job{Kind: exec.List, Files: 2, ID: 1}, func(done, all int) {
		if told = append(told, done); all != total {
			t.Errorf("%d of %d; the files have %d", done, all, total)
		}
	})
	if a.Error != "" || len(a.Entries) != len(want) || !slices.IsSorted(told) || len(told) == 0 || told[len(told)-1] != total {
		t.Errorf("%q, %d entries, told %v", a.Error, len(a.Entries), told)
	}
	told = nil
	b.Do(&exec.Job{Setup: "entry=" + strings.ReplaceAll(a.Entries[0].Name, " ", "+"), System: "ideal", Files: 2}, func(int, int) {})
	if len(told) > 0 {
		t.Error("a run tells of reading files")
	}
}

func TestAll(t *testing.T) {
	f := streamed("large.bin", make([]byte, 3<<20))
	if data, err := f.All(1 << 30); err != nil || len(data) != 3<<20 || f.Bytes() != 3<<20 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := f.All(1 << 20); err == nil || err.Error() != "large.bin has 3 MiB; files of its kind are read up to 1 MiB" {
		t.Errorf("%v", err)
	}
	f.Size++
	if _, err := f.All(1 << 30); err == nil || !strings.HasPrefix(err.Error(), "large.bin cannot be read: ") {
		t.Errorf("%v", err)
	}
}
