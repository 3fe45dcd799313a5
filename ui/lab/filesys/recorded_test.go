package filesys

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"spillway/build/golden"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/promise"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// recordings are those of traces/fscalls/recorded: what package promise calls their texts, and the
// calls of programs that are in them.
var recordings = []struct {
	file, text string
	way        string // its key; empty if it is none
	syncs      int64  // fsync and fdatasync, of directories too
	written    int64  // bytes
}{
	{"sqlite-journal", "sqliteJournal", "sqlite", 8, 66648},
	{"sqlite-wal", "sqliteWAL", "wal", 6, 37048},
	{"git", "git", "git", 0, 2924},
	{"git-fsync", "gitFsync", "git-fsync", 12, 2924},
	{"vim", "vim", "vim", 5, 107418},
	{"shell-mv", "shellMv", "mv", 0, 37784},
	{"dd", "dd", "dd", 2, 40960},
	{"kakoune-sync", "kakouneSync", "editor", 2, 37789},
	{"kakoune", "kakoune", "rename", 0, 37789},
	{"vim-overwrite", "vimOverwrite", "truncate", 2, 37786},
	{"vim-copy", "vimCopy", "vim-copy", 2, 75572},
	{"vim-nofsync", "vimNofsync", "vim-nofsync", 0, 37786},
	{"rocksdb", "rocksDB", "rocksdb", 12, 63156},
	{"cp", "", "", 0, 18893},
}

// recorded opens a recording of a real program as the page does.
func openedRecording(t *testing.T, l *lab.Lab, name string) (lab.Files, *load.Recording) {
	t.Helper()
	file := name + ".strace.gz"
	data, err := os.ReadFile("../../../traces/fscalls/recorded/" + file)
	if err != nil {
		t.Fatal(err)
	}
	f := opened(t, l, lab.File{Name: file, Data: data})
	return f, f.(*source).list[0]
}

// What programs wrote and synced is in their recordings, and takes time on every file system.
func TestRecordedPrograms(t *testing.T) {
	l := New()
	for _, x := range recordings {
		f, _ := openedRecording(t, &l, x.file)
		u := labtest.Setup(t, &l, "payload=random entry="+f.Entries()[0].Name)
		for _, s := range systems() {
			if s.Off || s.Bound {
				continue
			}
			r, raw, err := l.Run(u, s.Name, f, nil)
			if err != nil || !r.Fits {
				t.Fatalf("%s on %s: %v", x.file, s.Name, err)
			}
			got := raw.(*result)
			syncs := got.Tallies[call.Fsync].Count + got.Tallies[call.Fdatasync].Count
			if syncs != x.syncs || got.Asked[1] != x.written {
				t.Errorf("%s on %s: %d syncs, %d bytes written; want %d and %d", x.file, s.Name, syncs, got.Asked[1], x.syncs, x.written)
			}
			if at, ok := r.Value(l.Quantity("fsync_us")); ok != (syncs > 0) || ok && at <= 0 {
				t.Errorf("%s on %s: a sync takes %v µs", x.file, s.Name, at)
			}
		}
	}
}

// The ways of saving that are recordings are what package promise has of them.
func TestRecordedWays(t *testing.T) {
	l := New()
	var b bytes.Buffer
	b.WriteString("package promise\n\n// The recordings of traces/fscalls/recorded, as Text writes them. A test of the laboratory holds\n// them to these.\nconst (\n")
	for i, x := range recordings {
		if x.way == "" {
			continue
		}
		_, r := openedRecording(t, &l, x.file)
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "\t%s = `\n%s`\n", x.text, promise.Text(r))
		for _, w := range promise.Ways() {
			if w.Key == x.way && !golden.Update() && promise.Text(w.Recording) != promise.Text(r) {
				t.Errorf("%s: the way is\n%s, the recording\n%s", x.file, promise.Text(w.Recording), promise.Text(r))
			}
		}
	}
	b.WriteString(")\n")
	golden.Compare(t, "../../../sim/filesys/promise/recorded.go", b.Bytes())
}

// What processes wait for each other, have not begun or have ended is no program's time: one
// writes, one takes what it wrote, and one reads that.
func TestProcessesThatWait(t *testing.T) {
	l := New()
	var text strings.Builder
	at := 0
	line := func(pid int, call string) {
		at += 100
		fmt.Fprintf(&text, "%d 1700000000.%06d %s\n", pid, at, call)
	}
	for i := range 40 {
		line(1, fmt.Sprintf(`openat(AT_FDCWD, "/d/%d", O_RDWR|O_CREAT|O_EXCL, 0644) = 3</d/%d>`, i, i))
		line(1, fmt.Sprintf(`write(3</d/%d>, ""..., 4096) = 4096`, i))
		line(1, fmt.Sprintf(`fsync(3</d/%d>) = 0`, i))
	}
	line(2, `rename("/d/39", "/d/a") = 0`)
	line(2, `fsync(4</d/a>) = 0`)
	line(3, `openat(AT_FDCWD, "/d/a", O_RDONLY) = 3</d/a>`)
	line(3, `unlink("/d/a") = 0`)
	f := opened(t, &l, lab.File{Name: "x.strace", Data: []byte(text.String())})
	for _, loop := range []string{"", " open_loop=1"} {
		u := labtest.Setup(t, &l, "payload=random entry="+f.Entries()[0].Name+loop)
		for _, system := range []string{"ext4", "bytefs"} {
			r, _, err := l.Run(u, system, f, nil)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, x := range causes {
				took, _ := r.Value(l.Quantity("t_" + x.key + "_ms"))
				if sum += took; x.key == "program" && took > 0 && loop == "" {
					t.Errorf("%s: programs compute for %v ms", system, took)
				}
			}
			if time, _ := r.Value(l.Quantity("time_ms")); math.Abs(sum-time) > 1e-9*time {
				t.Errorf("%s%s: causes sum to %v ms of %v", system, loop, sum, time)
			}
		}
	}
}
