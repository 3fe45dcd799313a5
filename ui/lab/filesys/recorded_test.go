package filesys

import (
	"bytes"
	"fmt"
	"os"
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
