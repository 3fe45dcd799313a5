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

// Ways returns ways of saving that programs have: recordings of real ones.
func Ways() []Way {
	list := make([]Way, len(programs))
	for i, r := range programs {
		list[i] = Way{r.key, r.title, r.about + " Recorded with strace.", read(r.key, r.calls)}
	}
	return list
}

// programs are recordings, as Text writes them.
var programs = []struct{ key, title, about, calls string }{
	{"editor", "Editor, safe save", "A new file is written and synced, and takes the old one's name by a rename (Kakoune 2022.10, write -sync -method replace).", kakouneSync},
	{"rename", "Editor, rename without fsync", "A new file is written and takes the old one's name by a rename; nothing is synced (Kakoune 2022.10, write -method replace).", kakoune},
	{"truncate", "Editor, overwrites the file", "The file is cut to nothing, written and synced (Vim 9.0, set nobackup nowritebackup, without a swap file).", vimOverwrite},
	{"vim-copy", "Vim, backup by copy", "The file is copied, and the copy not synced; then the file is cut to nothing, written and synced, and the copy is removed (Vim 9.0, set backupcopy=yes, without a swap file).", vimCopy},
	{"vim", "vim, :w with a backup", "The swap file is synced; the file is renamed to be its backup, and a new one is written and synced (Vim 9.0, set backup).", vim},
	{"vim-nofsync", "Vim, nofsync", "The file is renamed to be its backup, a new one is written, and the backup is removed; nothing is synced (Vim 9.0, set nofsync, without a swap file).", vimNofsync},
	{"sqlite", "SQLite, rollback journal", "Old pages go to a journal, which is synced, then its directory, then the journal with its header; the database is overwritten and synced, and the journal is removed (SQLite 3.40, synchronous=FULL).", sqliteJournal},
	{"wal", "SQLite, WAL", "New pages go to the end of a log, which is synced at every commit; a checkpoint writes them into the database and syncs that, and the log is removed (SQLite 3.40, synchronous=FULL).", sqliteWAL},
	{"rocksdb", "RocksDB, CURRENT", "When a database is opened, what the last log had goes to a table, and a new MANIFEST is written; both are synced, then a file with the MANIFEST's name, which takes the name CURRENT by a rename; the directory is synced. The log of what is put then is not synced (RocksDB 7.8, ldb put).", rocksDB},
	{"git", "git add and commit", "Objects and the new index get their names by renames, and a lock file that of the reference; nothing is synced (git 2.39 with core.fsync=none).", git},
	{"git-fsync", "git, core.fsync=all", "The same, with objects, index and reference synced before they get their names (git 2.39).", gitFsync},
	{"mv", "Shell, mv over", "A new file is written and takes the old one's name by mv; nothing is synced (coreutils 9.1).", shellMv},
	{"dd", "dd, conv=fsync", "The file is opened with O_TRUNC, written and synced (coreutils 9.1).", dd},
}

// A script is a recording of one thread that is being written.
type script struct{ r load.Recording }

func (s *script) add(c call.Call) {
	c.Changed = call.Unknown
	s.r.Threads[0] = append(s.r.Threads[0], c)
	s.r.Order = append(s.r.Order, 0)
}
