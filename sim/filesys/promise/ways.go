package promise

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
)

// A Way is how a program saves, as a list of calls: what it does twice in a row, on files that are
// there before.
type Way struct {
	Key, Title, About string
	Recording         *load.Recording
}

// A script writes a recording of one thread. Node 0 is the root, 1 the directory.
type script struct{ r load.Recording }

func begin(name string, sizes ...int64) *script {
	s := &script{load.Recording{Name: name, Format: "built in", Nodes: []call.Node{{Parent: -1, Dir: true}, {Dir: true}}, Threads: [][]call.Call{nil}}}
	for _, n := range sizes {
		s.r.Nodes = append(s.r.Nodes, call.Node{Parent: 1, Size: n})
	}
	s.r.Most = int32(len(s.r.Nodes))
	return s
}

func (s *script) add(c call.Call) {
	c.Changed = call.Unknown
	s.r.Threads[0] = append(s.r.Threads[0], c)
	s.r.Order = append(s.r.Order, 0)
}

// create makes a file and returns its number.
func (s *script) create() int32 {
	n := s.r.Most
	s.r.Most++
	s.add(call.Call{Code: call.Create, Node: n, Dir: 1})
	return n
}

func (s *script) write(n int32, from, size int64) {
	s.add(call.Call{Code: call.Write, Node: n, Offset: from, Length: size})
}
func (s *script) fsync(n int32)     { s.add(call.Call{Code: call.Fsync, Node: n}) }
func (s *script) fdatasync(n int32) { s.add(call.Call{Code: call.Fdatasync, Node: n}) }
func (s *script) truncate(n int32)  { s.add(call.Call{Code: call.Truncate, Node: n}) }
func (s *script) replace(n, over int32) {
	s.add(call.Call{Code: call.Rename, Node: n, Dir: 1, Over: over})
}
func (s *script) way(key, title, about string) Way { return Way{key, title, about, &s.r} }

// The directory, and the first file that is there before.
const (
	directory = 1
	first     = 2
)

// Ways returns ways of saving that programs have: those of our own writing, of which RocksDB's is as
// its documentation says, and recordings of real programs.
func Ways() []Way {
	list := []Way{editor(true), editor(false), overwriting(), current()}
	for _, r := range programs {
		list = append(list, Way{r.key, r.title, r.about + " Recorded with strace.", read(r.key, r.calls)})
	}
	return list
}

// programs are recordings, as Text writes them.
var programs = []struct{ key, title, about, calls string }{
	{"sqlite", "SQLite, rollback journal", "Old pages go to a journal, which is synced, then its directory, then the journal with its header; the database is overwritten and synced, and the journal is removed (SQLite 3.40, synchronous=FULL).", sqliteJournal},
	{"wal", "SQLite, WAL", "New pages go to the end of a log, which is synced at every commit; a checkpoint writes them into the database and syncs that, and the log is removed (SQLite 3.40, synchronous=FULL).", sqliteWAL},
	{"git", "git add and commit", "Objects and the new index get their names by renames, and a lock file that of the reference; nothing is synced (git 2.39 with core.fsync=none).", git},
	{"git-fsync", "git, core.fsync=all", "The same, with objects, index and reference synced before they get their names (git 2.39).", gitFsync},
	{"vim", "vim, :w with a backup", "The swap file is synced; the file is renamed to be its backup, and a new one is written and synced (Vim 9.0, set backup).", vim},
	{"mv", "Shell, mv over", "A new file is written and takes the old one's name by mv; nothing is synced (coreutils 9.1).", shellMv},
	{"dd", "dd, conv=fsync", "The file is opened with O_TRUNC, written and synced (coreutils 9.1).", dd},
}

// editor writes a new file and gives it the old one's name.
func editor(syncs bool) Way {
	s := begin("editor", 20_000)
	old := int32(first)
	for range 2 {
		n := s.create()
		s.write(n, 0, 20_000)
		if syncs {
			s.fsync(n)
		}
		if s.replace(n, old); syncs {
			s.fsync(directory)
		}
		old = n
	}
	if syncs {
		return s.way("editor", "Editor, safe save", "A new file is written and synced, takes the old one's name by a rename, and the directory is synced.")
	}
	return s.way("rename", "Editor, rename without fsync", "A new file is written and takes the old one's name by a rename; nothing is synced.")
}

// overwriting truncates a file and writes it anew.
func overwriting() Way {
	s := begin("overwrite", 20_000)
	for range 2 {
		s.truncate(first)
		s.write(first, 0, 20_000)
		s.fsync(first)
	}
	return s.way("truncate", "Editor, overwrites the file", "The file is opened with O_TRUNC, written and synced.")
}

// current is how RocksDB installs a new MANIFEST.
func current() Way {
	s := begin("rocksdb", 16)
	old := int32(first)
	for range 2 {
		m := s.create()
		s.write(m, 0, 3000)
		s.fdatasync(m)
		n := s.create()
		s.write(n, 0, 16)
		s.fdatasync(n)
		s.replace(n, old)
		s.fsync(directory)
		old = n
	}
	return s.way("rocksdb", "RocksDB, CURRENT", "A MANIFEST is written and synced, then a file with its name, which takes the name CURRENT by a rename; the directory is synced.")
}
