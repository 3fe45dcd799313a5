package load

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/filesys/machine"
	"spillway/sim/knob"
	"spillway/sim/unit"
)

// Where the numbers of recipes come from.
const (
	personality = "ByteFS artifact, branch baseline, utils/filebench_workloads"
	core        = "ByteFS artifact, branch baseline, utils/ycsb_workloads; fields as YCSB has them"
)

// Recipes are the workloads at full scale, as the paper's artifact has them (branch
// baseline), in the order of the paper.
func Recipes() []Recipe {
	const k, m = unit.KiB, unit.MiB
	list := []Recipe{
		{Name: "create", Title: "create", About: "Create a file, write it whole, fsync and close it.", Files: 1e6, Preallocated: 50, FileSize: 4 * k, Width: 100_000, Threads: 12, Append: 16 * k, IO: m, Calls: 2e6},
		{Name: "delete", Title: "delete", About: "Delete files, directory by directory.", Files: 1_100_000, Preallocated: 100, FileSize: 4 * k, Width: 100, Threads: 12, Append: 16 * k, IO: m, Calls: 1e6},
		{Name: "mkdir", Title: "mkdir", About: "Make directories.", Files: 1e6, Width: 100, Threads: 12, Append: 16 * k, IO: m, Calls: 1e6},
		{Name: "rmdir", Title: "rmdir", About: "Remove empty directories.", Files: 1e6, Preallocated: 100, Width: 100, Threads: 12, Append: 16 * k, IO: m, Calls: 1e6},
		{Name: "stat", Title: "stat", About: "Ask for attributes of files in turn.", Files: 10_000, Preallocated: 100, FileSize: 128 * k, Width: 20, Threads: 8, Append: 16 * k, IO: m, Calls: 1e6},
		{Name: "varmail", Title: "varmail", About: "A mail server: small files in one directory are deleted, created, appended to with fsync, and read.", Files: 600_000, Preallocated: 80, FileSize: 16 * k, Gamma: 1, Width: 1e6, Threads: 24, Append: 16 * k, IO: m, Calls: 1_625_000},
		{Name: "fileserver", Title: "fileserver", About: "Files of 128 KiB are created, appended to, read and deleted; nothing is synchronous.", Files: 60_000, Preallocated: 80, FileSize: 128 * k, Gamma: 1, Width: 20, Threads: 24, Append: 16 * k, IO: m, Calls: 3_666_667},
		{Name: "webproxy", Title: "webproxy", About: "A cache of the web: a file is replaced, five are read.", Files: 600_000, Preallocated: 80, FileSize: 16 * k, Width: 1e6, Threads: 24, Append: 16 * k, IO: m, Calls: 1_583_333},
		{Name: "webserver", Title: "webserver", About: "Ten files are read, a log is appended to.", Files: 300_000, Preallocated: 100, FileSize: 16 * k, Gamma: 1, Width: 20, Threads: 24, Append: 16 * k, IO: m, Calls: 1_409_091},
		{Name: "oltp", Title: "oltp", About: "A database: 200 readers of 2 KiB, ten synchronous writers of 2 KiB, one of the log.", Files: 800, Preallocated: 100, FileSize: 10 * m, Width: 1024, Threads: 211, Append: 256 * k, IO: 2 * k, Calls: 1_600_000},
	}
	for i := range mixes {
		x := &mixes[i]
		list = append(list, Recipe{
			Name: x.name, Title: x.title, About: x.about, Files: 4e6, Preallocated: 100, FileSize: 64 * m, Width: 100_000, Threads: 16,
			Append: 1126, IO: 4 * k, Calls: 1e6, Memtable: 64 * m, BlockCache: 8 * m,
		})
	}
	for i := range list {
		list[i].AIO = 20
	}
	return list
}

// Find returns the recipe of a name.
func Find(name string) (*Recipe, error) {
	var names []string
	for _, r := range Recipes() {
		if r.Name == name {
			return &r, nil
		}
		names = append(names, r.Name)
	}
	return nil, fmt.Errorf("there is no workload %q; there are %s", name, strings.Join(names, ", "))
}

// Store reports whether the recipe is one of YCSB, which Memtable, BlockCache and SyncLog
// are for.
func (r *Recipe) Store() bool { return r.mix() != nil }

// Uses reports whether a workload depends on the knob of a key.
func (r *Recipe) Uses(key string) bool {
	store := r.Store()
	switch key {
	case "memtable", "block_cache", "sync_log":
		return store
	case "aio":
		return r.Name == "oltp"
	case "preallocated", "width":
		return !store
	case "gamma":
		return !store && r.Name != "mkdir" && r.Name != "rmdir"
	case "append", "io":
		return store || r.Name == "oltp" || slices.ContainsFunc(loops[r.Name], func(s step) bool {
			if key == "io" {
				return s == writeWhole || s == readWhole
			}
			return s == appendSome || s == appendLog
		})
	case "file_size":
		return r.Name != "mkdir" && r.Name != "rmdir"
	}
	return true
}

// Knobs returns the numbers of a recipe.
func Knobs() []knob.Knob[Recipe] {
	number := func(k knob.Info, ref func(*Recipe) *int64) knob.Knob[Recipe] {
		k.Scale = max(k.Scale, 1)
		if k.Source == "" {
			k.Source = personality + "; " + core
		}
		return knob.Int(k, ref)
	}
	size := func(k knob.Info, ref func(*Recipe) *unit.Bytes) knob.Knob[Recipe] {
		if k.Source == "" {
			k.Source = personality
		}
		return knob.Int(k, ref)
	}
	sw := func(k knob.Info, no, yes string, ref func(*Recipe) *int64) knob.Knob[Recipe] {
		k.Kind, k.Max = knob.One, 1
		k.Choices = []knob.Choice{{Key: "0", Label: no, Word: "-"}, {Key: "1", Label: yes}}
		return number(k, ref)
	}
	return []knob.Knob[Recipe]{
		number(knob.Info{Key: "files", Label: "Files", Min: 16, Max: 1 << 30, Help: "Files at full scale; directories in mkdir and rmdir, records in YCSB."}, func(r *Recipe) *int64 { return &r.Files }),
		number(knob.Info{Key: "preallocated", Label: "Exist before", Unit: "%", Max: 100, Help: "Share of the files that exist before the run."}, func(r *Recipe) *int64 { return &r.Preallocated }),
		size(knob.Info{Key: "file_size", Label: "File size", Unit: "KiB", Scale: int64(unit.KiB), Max: int64(unit.GiB), Help: "Mean size of a file; of a sorted run in YCSB."}, func(r *Recipe) *unit.Bytes { return &r.FileSize }),
		sw(knob.Info{Key: "gamma", Label: "Sizes", Help: "Whether all files have the mean size, or sizes are drawn at random."}, "all alike", "gamma distribution, shape 1.5", func(r *Recipe) *int64 { return &r.Gamma }),
		number(knob.Info{Key: "width", Label: "Directory width", Min: 2, Max: 1 << 30, Help: "Entries in a directory, at any scale."}, func(r *Recipe) *int64 { return &r.Width }),
		number(knob.Info{Key: "recipe_threads", Label: "Threads of the workload", Min: 1, Max: maxThreads, Help: "Threads that call; in oltp one writes the log, ten the database, and the others read."}, func(r *Recipe) *int64 { return &r.Threads }),
		size(knob.Info{Key: "append", Label: "Append", Unit: "B", Scale: 1, Min: 1, Max: int64(unit.GiB), Help: "The largest append; sizes from 1 byte to this are equally likely. In oltp a write of the log, in YCSB what an update appends to it."}, func(r *Recipe) *unit.Bytes { return &r.Append }),
		size(knob.Info{Key: "io", Label: "Access", Unit: "KiB", Scale: int64(unit.KiB), Min: 512, Max: int64(unit.GiB), Help: "The largest piece in which a whole file is read or written; in oltp an access, in YCSB a block."}, func(r *Recipe) *unit.Bytes { return &r.IO }),
		number(knob.Info{Key: "calls", Label: "Calls", Min: 1, Max: 1e12, Help: "About how many calls at full scale, in whole loops of the threads; in YCSB operations of the store."}, func(r *Recipe) *int64 { return &r.Calls }),
		number(knob.Info{Key: "aio", Label: "Writes at once", Min: 1, Max: 100, Help: "How many of its 100 asynchronous writes each of oltp's ten writers has under way at once.", Source: "glibc's default for asynchronous I/O, which Filebench uses; 1 is where a file system or an aio library serves one after the other"}, func(r *Recipe) *int64 { return &r.AIO }),
		size(knob.Info{Key: "memtable", Label: "Memtable", Unit: "MiB", Scale: int64(unit.MiB), Min: int64(unit.MiB), Max: int64(64 * unit.GiB), Help: "Updates that YCSB's store gathers before it writes a sorted run, at full scale.", Source: "RocksDB's default"}, func(r *Recipe) *unit.Bytes { return &r.Memtable }),
		size(knob.Info{Key: "block_cache", Label: "Block cache", Unit: "MiB", Scale: int64(unit.MiB), Max: int64(64 * unit.GiB), Help: "Cache of blocks of YCSB's store itself, at full scale.", Source: "RocksDB's default"}, func(r *Recipe) *unit.Bytes { return &r.BlockCache }),
		sw(knob.Info{Key: "sync_log", Label: "Log of updates", Help: "Whether an update of YCSB waits until the log is durable."}, "buffered", "synchronous", func(r *Recipe) *int64 { return &r.SyncLog }),
	}
}

// maxThreads bounds the threads of a workload.
const maxThreads = 4096

// Threads of oltp that do not read.
const (
	dbWriters = 10
	oltpOther = dbWriters + 1
)

// check reports what is wrong with a recipe, and with it under a setup.
func (r *Recipe) check(s *machine.Setup) error {
	if r.mix() == nil && loops[r.Name] == nil && r.Name != "oltp" {
		_, err := Find(r.Name)
		return err
	}
	if s.Scale < 1 {
		return fmt.Errorf("scale is %d; want 1 or more", s.Scale)
	}
	if s.Threads < 0 || s.Threads > maxThreads {
		return fmt.Errorf("threads are %d; want 0, which leaves them to the workload, to %d", s.Threads, maxThreads)
	}
	var errs []error
	for _, k := range Knobs() {
		if r.Uses(k.Key) {
			errs = append(errs, k.Check(r))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	threads := r.Threads
	if s.Threads > 0 {
		threads = s.Threads
	}
	files := scaled(r.Files, s.Scale)
	switch exist := files * r.Preallocated / 100; {
	case r.Name == "oltp" && threads <= oltpOther:
		return fmt.Errorf("oltp has %d threads, and %d of them write: set threads to %d or more", threads, oltpOther, oltpOther+1)
	case r.Name == "oltp" && r.FileSize < max(r.IO, r.Append):
		return fmt.Errorf("files of %v are smaller than what is written into them at once (%v): raise file_size, or lower io and append", r.FileSize, max(r.IO, r.Append))
	case r.Name == "create" || r.Name == "mkdir":
		if exist == files {
			return fmt.Errorf("all %d files exist before, so %s has nothing to make: lower preallocated", files, r.Name)
		}
	case exist == 0 && !r.Store():
		return fmt.Errorf("at scale %d %d %% of %d files exist before, which is none: raise preallocated or files, or lower scale", s.Scale, r.Preallocated, files)
	case r.Store() && files < 16:
		return fmt.Errorf("at scale %d there are %d records: raise files or lower scale", s.Scale, files)
	}
	return nil
}
